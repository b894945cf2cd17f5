"""The headers of rules, abilities and effects: which are in force on the day, and what each is called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.elaborate.parameters import parameters_of
from verify_rules.model.elaborate.vocabulary import add_instances
from verify_rules.model.lookup import Faulty
from verify_rules.model.types import (
    ABILITY,
    EFFECT,
    EnumType,
    IntType,
    Type,
)
from verify_rules.parse import tree as t
from verify_rules.source import Span


def read(draft: Draft) -> None:
    """Note the blocks in force, and with them the members of the enumerations of abilities and effects."""
    dormant: set[str] = set()
    active: list[t.Item] = []
    living = {_key(x) for x in draft.of(t.Block) if draft.in_force(x.notes)}
    for item in draft.items:
        if isinstance(item, t.Block) and not draft.in_force(item.notes):
            dormant |= {item.name, *(str(c) for c in draft.citations(item.notes, item.span))}
            if item.what != "rule" and _key(item) not in living:
                # Cards of a ruling may still have it; it just does nothing on that day.
                living.add(_key(item))
                active.append(replace(item, clauses=()))
        elif isinstance(item, t.Event):
            active.append(replace(item, parts=_active_parts(draft, item.parts, dormant)))
        else:
            active.append(item)
    draft.items = active
    for block in draft.of(t.Block):
        _block_header(draft, block)
    for event in draft.of(t.Event):
        for group in _groups(event.parts):
            _group_header(draft, event, group)
    draft.names.dormant = frozenset(dormant - {b.name for b in draft.names.blocks.values()})


def _key(block: t.Block) -> tuple[str, str, str | None]:
    return block.what, block.name, block.holder


def _active_parts(draft: Draft, parts: tuple[t.Part, ...], dormant: set[str]) -> tuple[t.Part, ...]:
    kept: list[t.Part] = []
    for part in parts:
        if isinstance(part, t.Group):
            if not draft.in_force(part.notes):
                dormant |= {part.name, *(str(c) for c in draft.citations(part.notes, part.span))}
                continue
            part = replace(part, parts=_active_parts(draft, part.parts, dormant))
        kept.append(part)
    return tuple(kept)


def _groups(parts: Iterable[t.Part]) -> list[t.Group]:
    found: list[t.Group] = []
    for part in parts:
        if isinstance(part, t.Group):
            found += [part, *_groups(part.parts)]
    return found


def _group_header(draft: Draft, event: t.Event, group: t.Group) -> None:
    if draft.declare("rule", group.name, group.span, "a rule"):
        id = f"group {event.name}/{group.name}"
        draft.names.blocks[id] = m.Block(
            id,
            "group",
            group.name,
            group.title,
            draft.citations(group.notes, group.span),
            group.notes.since,
            group.notes.until,
            span=group.span,
        )
        _uncited(draft, group.notes, group.name, group.span)


def _uncited(draft: Draft, notes: t.Notes, name: str, span: Span) -> None:
    if not notes.citations and draft.names.sources:
        head = Span(span.path, span.line, span.column, span.line, span.column + 5 + len(name))
        help = 'Name its paragraph: `cites SOURCE "…"`.'
        draft.reporter.report("uncited", f"the rule `{name}` cites nothing", head, help)


def _block_header(draft: Draft, block: t.Block) -> None:
    holder: Type | None = None
    id = f"{block.what} {block.name}"
    space: str = block.what
    if block.what != "rule":
        name = block.holder or draft.names.kind
        holder = draft.names.named_type(name)
        if holder is None:
            try:
                draft.names.broken.add(block.name)
                place = draft.word(name, block.span)
                draft.typer.unknown("unknown-type", "type", name, place, draft.names.type_names())
            except Faulty:
                return
        if block.what == "effect":
            id += f" on {name}"
            space += f" on {name}"
    if not draft.declare(space, block.name, block.span, f"{'an' if block.what != 'rule' else 'a'} {block.what}"):
        return
    try:
        parameters = parameters_of(draft, block.parameters)
    except Faulty:
        draft.names.broken.add(block.name)
        return
    for parameter, node in zip(parameters, block.parameters, strict=True):
        if not isinstance(parameter.type, EnumType | IntType) or parameter.type in (
            EnumType(ABILITY),
            EnumType(EFFECT),
        ):
            message = f"a parameter of an {block.what} is of an enumeration or a small number"
            help = (
                f"Write its type: `{parameter.name}: TYPE`; it can't be {ABILITY} or {EFFECT}, nor {draft.names.kind}."
            )
            draft.names.broken.add(block.name)
            draft.reporter.report("wrong-type", message, node.span, help)
            return
    if block.what == "rule":
        _uncited(draft, block.notes, block.name, block.span)
    else:
        enum = ABILITY if block.what == "ability" else EFFECT
        types = tuple(cast("EnumType | IntType", p.type) for p in parameters)
        known = draft.names.constructors.get(enum, {}).get(block.name)
        if block.what == "effect" and (block.name in draft.names.enums[enum] or known) and known != (types or None):
            message = f"the effects called `{block.name}` have different parameters"
            help = "Give them the same parameters, or different names."
            draft.reporter.report("wrong-arity", message, draft.word(block.name, block.span), help)
            return
        add_instances(draft, enum, block.name, types, block.title, block.span)
        draft.note_term(block.name, block.title)
    draft.names.blocks[id] = m.Block(
        id,
        block.what,
        block.name,
        block.title,
        draft.citations(block.notes, block.span),
        block.notes.since,
        block.notes.until,
        parameters,
        holder,
        block.span,
    )
