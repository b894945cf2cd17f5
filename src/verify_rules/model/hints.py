"""Hints that name a model's own words: what a user probably meant where a name or a type isn't right."""

from __future__ import annotations

import re
from collections.abc import Iterable

from verify_rules.diagnostics import nearest, way_out
from verify_rules.diagnostics.diagnostic import MOST_KNOWN
from verify_rules.model import model as m
from verify_rules.model.names import Names
from verify_rules.model.types import (
    BoolType,
    EnumType,
    IntType,
    NoneType,
    OptionalType,
    RefType,
    SetType,
    Type,
    UnionType,
    in_words,
    strip,
)
from verify_rules.parse import tree as t
from verify_rules.parse.slips import Lexicon


def lexicon(model: m.Model) -> Lexicon:
    """The model's words for hints about syntax: terms, flags behind `in play`, events with their parameters."""
    calls = {
        event.name: tuple(p.name for p in event.parameters if p.default is None) for event in model.events.values()
    }
    return Lexicon(model.terms, frozenset(model.setup.flags), calls)


def values_of(names: Names, type: Type) -> str:
    """What to write for a value of a type: its constants, or what stands for one."""
    match type:
        case BoolType():
            return "Write `true` or `false`."
        case IntType(low, high):
            return f"Write a number from {low} to {high}." if low < high else "Write a number."
        case OptionalType(inner):
            return f"{values_of(names, inner).removesuffix('.')}, or `none`."
        case SetType(element):
            first = next(iter(names.members(element)), "…")
            return f"Write a set of it: `{{{first}}}`." if first != "…" else "Write a set: `{…}`."
        case RefType(name):
            return f"Name {in_words(type)}: `self`, or what is bound, as `c` in `c: {name}`."
        case EnumType():
            words = list(names.members(type))
            shown = ", ".join(f"`{x}`" for x in words[:MOST_KNOWN])
            return f"Write one of {shown}{', …' * (len(words) > MOST_KNOWN)}." if words else "Name one."
        case _:
            return parts_of_union(names, type) or "Write a value of this type."


def to_fit(names: Names, have: Type, want: Type) -> str:
    """How to make what has one type fit where another is needed."""
    if not isinstance(want, BoolType):
        return values_of(names, want)
    match have:
        case IntType():
            return "Compare it with a number: `… = 0`, `… > 0`."
        case SetType(element):
            first = next(iter(names.members(element)), "x")
            return f"Ask what is in it: `{first} in …`, `… ≠ {{}}`."
        case OptionalType() | NoneType():
            return "Compare it: `… ≠ none`."
        case RefType():
            field = next((v for v in names.variables.values() if v.of_kind and isinstance(v.type, BoolType)), None)
            return f"Say what is asked of it: `….{'field' if field is None else field.name}`, or compare it with `=`."
        case _:
            first = next(iter(names.members(have)), "…")
            return f"Compare it with a value: `… = {first}`."


def parts_of_union(names: Names, type: Type) -> str:
    """What a value of a union may be; empty for other types."""
    type = strip(type)
    if not isinstance(type, UnionType):
        return ""
    union = names.unions[type.name]
    parts = [in_words(part) for name in union.types if (part := names.named_type(name)) is not None]
    parts += [f"`{atom}`" for atom in union.atoms]
    said = in_words(type)
    return f"{said[0].upper()}{said[1:]} is {' or '.join(parts)}."


def instead_of_is(names: Names, body: t.Expr, word: str) -> str:
    """How to say that something has a status, a property or a value, which `is` doesn't say."""
    it = body.name if isinstance(body, t.Name) else "…"
    status, define = names.statuses.get(word), names.defines.get(word)
    if any(x is not None and len(x.parameters) == 1 for x in (status, define)):
        return f"Write `{word}({it})`."
    variable = names.variables.get(word)
    if variable is not None and variable.of_kind and isinstance(variable.type, BoolType):
        return f"Write `{it}.{word}`."
    for field in (x for x in names.variables.values() if x.of_kind and not x.index):
        element = field.type.element if isinstance(field.type, SetType) else strip(field.type)
        if isinstance(element, EnumType) and word in names.members(element):
            inside = isinstance(field.type, SetType)
            return f"Write `{word} in {it}.{field.name}`." if inside else f"Write `{it}.{field.name} = {word}`."
    return ""


def paragraph(number: str, known: Iterable[str]) -> str:
    """Paragraphs that are cited: those beside a number first, as `1.2` is beside `1.3`."""
    words = sorted(set(known), key=lambda x: [(not y.isdigit(), y.zfill(9)) for y in re.findall(r"\d+|\D+", x)])
    prefix = number
    while "." in prefix:
        prefix = prefix.rpartition(".")[0]
        beside = [x for x in words if x == prefix or x.startswith(f"{prefix}.")]
        if len(beside) == 1:
            return f"Did you mean `{beside[0]}`?"
        if beside:
            return f"Cited beside it: {', '.join(beside[:MOST_KNOWN])}{', …' * (len(beside) > MOST_KNOWN)}."
    return way_out(number, words)


def other_victim(names: Names, word: str, what: str) -> str:
    """What a lift surely means that names a rule, ability or effect as one of another sort; empty if nothing."""
    blocks = [b for b in names.blocks.values() if b.what != "group"]
    meant = word if any(b.name == word for b in blocks) else nearest(word, [b.name for b in blocks])
    sorts = sorted({b.what for b in blocks if b.name == meant})
    if not sorts or what in sorts:
        return ""
    written = " or ".join(f"`{meant}`" if sort == "rule" else f"`{sort} {meant}`" for sort in sorts)
    return f"Write {written}." if meant == word else f"Did you mean {written}?"


def meant_reading(names: Names, word: str, option: str) -> str:
    """The reading that is surely meant where something else is compared with an option of it; empty if none is."""
    homes = [x.name for x in names.readings.values() if option in names.members(EnumType(x.name))]
    if len(homes) > 1:
        homes = [x for x in homes if x == nearest(word, homes)]
    return f"`{option}` is an option of the reading `{homes[0]}`: ask `{homes[0]} = {option}`." if homes else ""


def no_event(names: Names, word: str) -> str:
    """What something is that was taken for an event; empty if it is nothing known."""
    what = "status" if word in names.statuses else "definition" if word in names.defines else ""
    return f"`{word}` is a {what}, and doesn't happen: a script expects it, `expect {word}(…)`." if what else ""


def not_alone(names: Names, word: str) -> str:
    """How to use a name that is no value by itself; empty if it is nothing known."""
    event = names.events.get(word)
    if event is not None:
        return f"`{word}` is something that happens: ask `{'can' if event.action else 'possible'} {word}(…)`."
    return f"`{word}` is a status: ask `{word}(…)`." if word in names.statuses else ""
