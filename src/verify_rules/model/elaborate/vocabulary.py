"""The vocabulary: the game and its kind, sources, enumerations, unions and readings."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from verify_rules.diagnostics import Related, suggestion
from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.lookup import Faulty
from verify_rules.model.names import LARGEST_ENUM
from verify_rules.model.types import (
    ABILITY,
    EFFECT,
    EnumType,
    IntType,
    Value,
)
from verify_rules.parse import tree as t
from verify_rules.source import Span


def collect(draft: Draft) -> None:
    """Note what a model names before anything has a type: this pass needs no other."""
    names = draft.names
    games, kinds = draft.of(t.Game), draft.of(t.Kind)
    draft.title = games[0].title if games else ""
    for game in games[1:]:
        draft.twice(game.span, games[0].span, "a model is of one game")
    for kind in kinds[1:]:
        draft.twice(kind.span, kinds[0].span, "a model has one `kind` (docs/decisions/0005-one-kind.md)")
        names.broken.update([kind.name, *(name for field in kind.fields for name in field.names)])
    if not games:
        draft.missing("game", '`game "…"`, the name of the game')
    if not kinds:
        draft.missing("kind", "`kind NAME { … }`, what the game is played with")
        return
    names.kind = kinds[0].name
    draft.declare("type", names.kind, kinds[0].span, "a type")
    draft.note_term(names.kind, kinds[0].term)
    for source in draft.of(t.Source):
        if draft.declare("source", source.name, source.span, "a source"):
            versions = tuple(m.SourceVersion(v.number, v.dated) for v in source.versions)
            _newest_first(draft, source)
            names.sources[source.name] = m.Source(source.name, source.title, versions)
    names.enums[ABILITY] = {}
    names.enums[EFFECT] = {}
    parts: list[tuple[str, t.Member]] = []
    for enum in draft.of(t.Enum):
        if enum.name not in names.enums:
            draft.declare("type", enum.name, enum.span, "a type")
        names.enums.setdefault(enum.name, {})
        draft.note_term(enum.name, enum.term)
        for member in enum.members:
            if draft.declare(f"member of {enum.name}", member.name, member.span, f"a member of {enum.name}"):
                parts.append((enum.name, member))
                draft.note_term(member.name, member.term)
    for reading in draft.of(t.Reading):
        _reading(draft, reading)
    for union in draft.of(t.Union):
        if draft.declare("type", union.name, union.span, "a type"):
            draft.note_term(union.name, union.term)
            types = tuple(x for x in union.members if x == names.kind or x in names.enums)
            atoms = tuple(x for x in union.members if x not in types and not _slip(draft, union, x))
            names.unions[union.name] = m.Union(union.name, types, atoms)
    _members(draft, parts)
    for field in kinds[0].fields:
        draft.field_trees.append((field, True))
    for var in draft.of(t.Var):
        draft.field_trees.append((var.field, False))


def _newest_first(draft: Draft, source: t.Source) -> None:
    """Report versions that don't stand from the newest to the oldest."""
    dated = [(v.number, v.dated) for v in source.versions if v.dated is not None]
    for (number, newer), (older_number, older) in itertools.pairwise(dated):
        if older >= newer:
            draft.reporter.report(
                "dates",
                f"version {older_number} is not older than {number}, which stands before it",
                draft.word(f"{older_number} dated {older}", source.span),
                "The newest version stands first: it is meant where a citation names none.",
            )


def _slip(draft: Draft, union: t.Union, name: str) -> bool:
    """Whether a name, though it might be a new constant, surely is a type misspelt; then it is reported."""
    hint = suggestion(name, [x for x in draft.names.type_names() if x.lower() != name.lower()])
    if not hint or not name[0].isupper():
        return False
    draft.names.broken.add(name)
    message = f"there is no type called `{name}`"
    help = f"{hint} A constant begins with a small letter."
    draft.reporter.report("unknown-type", message, draft.word(name, union.span), help)
    return True


def _members(draft: Draft, parts: Sequence[tuple[str, t.Member]]) -> None:
    """All members: plain ones first, then those with parameters, each after the enumerations that it is over."""
    todo: dict[str, list[t.Member]] = {}
    for enum, member in parts:
        if member.parameters:
            todo.setdefault(enum, []).append(member)
        else:
            _member(draft, enum, member)
    graph = {enum: {p for x in members for p in x.parameters} for enum, members in todo.items()}
    while todo:
        ready = [enum for enum in todo if not graph[enum] & todo.keys()]
        if not ready:
            # Each of what is left waits for another, so following any of them leads into a circle.
            circle = [next(iter(todo))]
            while len(set(circle)) == len(circle):
                circle.append(next(x for x in todo if x in graph[circle[-1]]))
            _report_circle(draft, circle[circle.index(circle[-1]) :], todo)
            ready = list(todo)
        for enum in ready:
            for member in todo.pop(enum):
                _member(draft, enum, member)


def _report_circle(draft: Draft, circle: Sequence[str], members: Mapping[str, Sequence[t.Member]]) -> None:
    places = [
        next(draft.word(b, x.span) for x in members[a] if b in x.parameters) for a, b in itertools.pairwise(circle)
    ]
    draft.names.broken.update(x.name for enum in circle for x in members[enum])
    draft.reporter.report(
        "cyclic-definition",
        f"this enumeration would be made of its own members: {' → '.join(circle)}",
        places[0],
        "Let one of them do without the others.",
        [Related(place, "by this") for place in places[1:]],
    )


def _member(draft: Draft, enum: str, member: t.Member) -> None:
    types: list[EnumType | IntType] = []
    for parameter in member.parameters:
        if parameter not in draft.names.enums or parameter in (ABILITY, EFFECT):
            known = [x for x in draft.names.enums if x not in (ABILITY, EFFECT)]
            try:
                draft.names.broken.add(member.name)
                place = draft.word(parameter, member.span)
                draft.typer.unknown("unknown-type", "enumeration", parameter, place, known)
            except Faulty:
                return
        types.append(EnumType(parameter))
    add_instances(draft, enum, member.name, tuple(types), member.term, member.span)


def add_instances(
    draft: Draft, enum: str, name: str, types: tuple[EnumType | IntType, ...], term: str | None, span: Span
) -> None:
    """Fill an enumeration with all members that a constructor gives."""
    table = draft.names.enums[enum]
    if not types:
        table.setdefault(name, m.Member(name, name, (), term, span))
        return
    draft.names.constructors.setdefault(enum, {})[name] = types
    ranges: list[Sequence[Value]] = []
    size = 1
    for type in types:
        values: Sequence[Value] = (
            list(draft.names.enums[type.name]) if isinstance(type, EnumType) else range(type.low, type.high + 1)
        )
        size *= len(values)
        ranges.append(values)
    if size > LARGEST_ENUM:
        draft.names.broken.add(name)
        draft.reporter.report(
            "too-many-values",
            f"`{name}` would have {size} instances, more than {LARGEST_ENUM}",
            draft.word(name, span),
            "Give its parameters smaller types.",
        )
        return
    for arguments in itertools.product(*ranges):
        value = f"{name}({', '.join(str(a) for a in arguments)})"
        table[value] = m.Member(value, name, tuple(arguments), term, span)


def _reading(draft: Draft, reading: t.Reading) -> None:
    if not draft.declare("type", reading.name, reading.span, "a type or reading"):
        return
    if not draft.declare_value(reading.name, reading.span, 0):
        return
    defaults = [o for o in reading.options if o.default]
    seen: dict[str, t.Option] = {}
    for option in reading.options:
        if option.name in seen:
            draft.twice(option.span, seen[option.name].span, f"`{option.name}` is there twice")
        seen[option.name] = option
    if len(defaults) != 1:
        help = "Mark one with `(default)`."
        what = f"the reading `{reading.name}` has {len(defaults) or 'no'} default{'s' * (len(defaults) > 1)}"
        draft.reporter.report("missing-declaration", what, draft.word(reading.name, reading.span), help)
    default = (defaults or reading.options)[0]
    # On a day when a reading isn't in force the point isn't open: it is read as it is by default.
    open_options = reading.options if draft.in_force(reading.notes) else [default]
    citations = draft.citations(reading.notes, reading.span)
    draft.names.readings[reading.name] = m.Reading(
        reading.name,
        reading.title,
        tuple(m.Option(o.name, o.title) for o in open_options),
        default.name,
        citations,
        reading.notes.since,
        reading.notes.until,
        reading.span,
    )
    members = {o.name: m.Member(o.name, o.name, (), None, o.span) for o in reading.options}
    draft.names.enums[reading.name] = members
