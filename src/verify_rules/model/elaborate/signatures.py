"""Signatures: types of fields and variables; the parameters of statuses and events; what each has by default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from verify_rules.model import expr as e
from verify_rules.model import hints
from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.elaborate.parameters import parameters_of, type_of, with_default
from verify_rules.model.fitting import in_range
from verify_rules.model.lookup import Faulty
from verify_rules.model.names import LARGEST_ENUM
from verify_rules.model.scope import Scope
from verify_rules.model.types import (
    ABILITY,
    EFFECT,
    EnumType,
    PerType,
    RefType,
    SetType,
    UnionType,
)
from verify_rules.parse import tree as t


def type_fields(draft: Draft) -> None:
    """Give every field and variable its type."""
    for field, of_kind in draft.field_trees:
        type = type_of(draft, field.type)
        if type is None:
            draft.names.broken.update(field.names)
            continue
        index: list[str] = []
        size = 1
        while isinstance(type, PerType):
            index.append(type.index.name)
            size *= max(1, len(draft.names.enums[type.index.name]))
            type = type.value
        if size > LARGEST_ENUM:
            draft.names.broken.update(field.names)
            draft.reporter.report(
                "too-many-values",
                f"`{field.names[0]}` would have {size if size < 10**9 else 'over a billion'} values at once, "
                f"more than {LARGEST_ENUM}",
                draft.word(field.names[0], field.span),
                "Let it have values for fewer things.",
            )
            continue
        for name in field.names:
            if not draft.declare("variable", name, field.span, "a field or variable"):
                continue
            if not draft.declare_value(name, field.span, 1 if of_kind else 0):
                continue
            draft.names.variables[name] = m.Variable(
                name,
                type,
                tuple(index),
                draft.names.null(type),
                draft.names.null(type),
                of_kind,
                of_kind and not field.variable,
                field.marks,
                field.clock,
                field.term,
                field.span,
            )
            draft.note_term(name, field.term)


def declare_all(draft: Draft) -> None:
    """Note definitions, statuses and events, with their parameters."""
    names = draft.names
    for define in draft.of(t.Define):
        if draft.declare("formula", define.name, define.span, "a status, event or definition") and draft.declare_value(
            define.name, define.span, len(define.parameters)
        ):
            draft.define_trees[define.name] = define
            draft.note_term(define.name, define.term)
    for status in draft.of(t.Status):
        if draft.declare("formula", status.name, status.span, "a status, event or definition") and (
            not status.parameters or draft.declare_value(status.name, status.span, len(status.parameters))
        ):
            draft.note_term(status.name, status.term)
            try:
                parameters = parameters_of(draft, status.parameters)
            except Faulty:
                names.broken.add(status.name)
                continue
            if status.live and not _can_enliven(draft, status, parameters):
                names.broken.add(status.name)
                continue
            names.statuses[status.name] = m.Status(status.name, parameters, status.live, status.term, status.span)
            draft.status_clauses[status.name] = []
    for event in draft.of(t.Event):
        if draft.declare("formula", event.name, event.span, "a status, event or definition"):
            draft.note_term(event.name, event.term)
            try:
                parameters = parameters_of(draft, event.parameters)
            except Faulty:
                names.broken.add(event.name)
                continue
            sets = [node for node, p in zip(event.parameters, parameters, strict=True) if isinstance(p.type, SetType)]
            if event.action and sets:
                message = f"`{sets[0].name}` is a set, and norms can't speak about all sets that there are"
                help = "Let the action be about one thing, or declare it as an `event`."
                draft.reporter.report("wrong-type", message, sets[0].span, help)
                names.broken.add(event.name)
                continue
            names.events[event.name] = m.Event(event.name, parameters, (), event.action, event.term, event.span)
            draft.amendments[event.name] = []
            draft.triggers[event.name] = []
            if event.action:
                draft.norms[event.name] = []
                draft.lifts[event.name] = []


def _can_enliven(draft: Draft, status: t.Status, parameters: Sequence[m.Parameter]) -> bool:
    """Whether a status that `makes live` is of a carrier and an ability or effect, and the only one for these."""
    types = [p.type for p in parameters]
    if (
        len(types) != 2
        or not isinstance(types[0], EnumType | RefType | UnionType)
        or types[1] not in (EnumType(ABILITY), EnumType(EFFECT))
    ):
        message = f"`{status.name}` can't make anything live: that takes a carrier and an {ABILITY} or {EFFECT}"
        help = (
            f"Write `status {status.name}(c: {draft.names.kind}, A: {ABILITY}) makes live`, or keep `makes live` out."
        )
        draft.reporter.report("wrong-type", message, draft.word(status.name, status.span), help)
        return False
    other = next((s for s in draft.names.statuses.values() if s.live and s.parameters[-1].type == types[1]), None)
    if other is not None:
        what = "abilities" if types[1] == EnumType(ABILITY) else "effects"
        draft.twice(
            draft.word(status.name, status.span),
            draft.word(other.name, other.span),
            f"`{other.name}` makes {what} live already",
        )
    return other is None


def set_defaults(draft: Draft) -> None:
    """Give fields and parameters what they have when nothing is said."""
    names = draft.names
    for field, _ in draft.field_trees:
        if field.default is None:
            continue
        for name in field.names:
            variable = names.variables.get(name)
            if variable is None or variable.span is not field.span:
                continue
            try:
                expr = draft.typer.expect(field.default, Scope(), variable.type)
                in_range(draft.typer, expr, variable.type)
            except Faulty:
                continue
            if not isinstance(expr, e.Const | e.SetOf) or (
                isinstance(expr, e.SetOf) and expr.items and not _consts(expr)
            ):
                help = hints.values_of(names, variable.type)
                message = "what a field begins with is a constant"
                draft.reporter.report("not-constant", message, field.default.span, help)
                continue
            value = expr.value if isinstance(expr, e.Const) else frozenset(cast(Any, c).value for c in expr.items)
            names.variables[name] = replace(variable, default=value, null=value)
    for field, _ in draft.field_trees:
        for name in field.names:
            variable = names.variables.get(name)
            if variable is None or variable.span is not field.span or field.default is not None:
                continue
            if isinstance(variable.type, RefType):
                help = f"Write `{names.kind}? = none`, or a default."
                place = draft.word(name, field.span)
                draft.reporter.report("no-default", f"`{name}` has no value to begin with", place, help)
    for status in list(names.statuses.values()):
        names.statuses[status.name] = replace(
            status, parameters=tuple(with_default(draft, p) for p in status.parameters)
        )
    for event in list(names.events.values()):
        names.events[event.name] = replace(event, parameters=tuple(with_default(draft, p) for p in event.parameters))
    for block in list(names.blocks.values()):
        names.blocks[block.id] = replace(block, parameters=tuple(with_default(draft, p) for p in block.parameters))


def _consts(expr: e.SetOf) -> bool:
    return all(isinstance(x, e.Const) for x in expr.items)
