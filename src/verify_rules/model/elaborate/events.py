"""Events and actions: what they require, and what they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from verify_rules.diagnostics import Related
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.elaborate.heads import condition_of
from verify_rules.model.fitting import fit, in_range
from verify_rules.model.lookup import Faulty, Parts
from verify_rules.model.scope import Scope
from verify_rules.model.types import (
    PerType,
    RefType,
    SetType,
    in_words,
)
from verify_rules.parse import tree as t


def read_parts(draft: Draft) -> None:
    """Elaborate the parts of every event."""
    for node in draft.of(t.Event):
        event = draft.names.events.get(node.name)
        if event is None or event.span is not node.span:
            continue
        scope = Scope({p.name: p.type for p in event.parameters})
        parts = _parts(draft, node.parts, scope, event.name)
        draft.names.events[event.name] = replace(event, parts=parts)


def amending_parts(
    draft: Draft, nodes: Iterable[t.Part], scope: Scope, event: str, loop: str | None
) -> tuple[m.Part, ...]:
    """The parts of an amendment; `loop` is the name that stands for several things at once, if one does."""
    return _parts(draft, nodes, scope, event, loop)


def _parts(
    draft: Draft, nodes: Iterable[t.Part], scope: Scope, event: str, loop: str | None = None
) -> tuple[m.Part, ...]:
    parts: list[m.Part] = []
    for node in nodes:
        try:
            parts += _part(draft, node, scope, event, loop)
        except Faulty:
            continue
    return tuple(parts)


def _part(draft: Draft, node: t.Part, scope: Scope, event: str, loop: str | None = None) -> list[m.Part]:
    match node:
        case t.Requires(title, formula):
            return [m.Require(draft.typer.formula(formula, scope), title, node.span)]
        case t.Resets(target, keep):
            expr = draft.typer.expression(target, scope)
            if not draft.names.fits(expr.type, RefType(draft.names.kind)) and expr.type != SetType(
                RefType(draft.names.kind)
            ):
                fit(draft.typer, expr, RefType(draft.names.kind))
            attempts = Parts()
            for name in keep:
                variable = draft.names.variables.get(name)
                if variable is None or not variable.of_kind:
                    known = [v.name for v in draft.names.variables.values() if v.of_kind]
                    place = draft.word(name, node.span)
                    with attempts.one():
                        draft.typer.unknown("unknown-field", f"field of a {draft.names.kind}", name, place, known)
            attempts.done()
            return [m.Reset(expr, keep, node.span)]
        case t.Sets(assignments):
            return _assignments(draft, assignments, scope, loop)
        case t.Carries(origin, target):
            kind = RefType(draft.names.kind)
            attempts = Parts()
            with attempts.one():
                source = draft.typer.expect(origin, scope, kind)
            with attempts.one():
                goal = draft.typer.expect(target, scope, kind)
            attempts.done()
            return [m.Carry(source, goal, node.span)]
        case t.ForEach():
            if node.type_name != draft.names.kind:
                help = f"Write `for {node.name}: {draft.names.kind}`."
                draft.typer.fail("wrong-type", f"`for` runs over all of {draft.names.kind}", node.span, help)
            draft.typer.may_bind(node.name, draft.word(node.name, node.span))
            inner = scope.bind(node.name, RefType(draft.names.kind))
            attempts = Parts()
            with attempts.one():
                condition = condition_of(draft.typer, node.condition, inner)
            parts: list[m.Part] = []
            for part in node.parts:
                with attempts.one():
                    if isinstance(part, t.Sets):
                        parts += _assignments(draft, part.assignments, inner, node.name)
                    else:
                        parts += _part(draft, part, inner, event)
            attempts.done()
            return [m.ForEach(node.name, RefType(draft.names.kind), condition, tuple(parts), node.span)]
        case t.Does(call, condition_tree):
            attempts = Parts()
            with attempts.one():
                target_event = draft.typer.called(call, scope)
                arguments = draft.typer.arguments(call, target_event.parameters, scope)
            with attempts.one():
                condition = condition_of(draft.typer, condition_tree, scope)
            attempts.done()
            return [m.Do(target_event.name, arguments, condition, node.span)]
        case t.Group():
            return [m.Group(f"group {event}/{node.name}", _parts(draft, node.parts, scope, event), node.span)]


def _assignments(draft: Draft, nodes: Sequence[t.Assign], scope: Scope, loop: str | None) -> list[m.Part]:
    result: list[m.Part] = []
    seen: dict[tuple[Any, ...], m.Assign] = {}
    for node in nodes:
        try:
            assign = _assign(draft, node, scope)
        except Faulty:
            continue
        key = (assign.variable, assign.owner, assign.index)
        if assign.condition is None and key in seen:
            draft.reporter.report(
                "sets-twice",
                f"`{assign.variable}` is set twice at once",
                assign.span,
                "Remove one, or give each a `when`.",
                [Related(seen[key].span, "the other one")],
            )
        if assign.condition is None:
            seen[key] = assign
        if loop is not None:
            target = [x for x in (assign.owner, *assign.index) if x is not None]
            of_loop = any(e.uses(x, loop) for x in target)
            if e.uses(assign.value, loop) and not of_loop:
                draft.reporter.report(
                    "sets-twice",
                    f"`{assign.variable}` would be set to the value of every `{loop}` at once",
                    assign.span,
                    f"Set a field of `{loop}`, or choose one with `some` or `union`.",
                )
        result.append(assign)
    return result


def _assign(draft: Draft, node: t.Assign, scope: Scope) -> m.Assign:
    try:
        place = draft.typer.expression(node.place, scope)
    except Faulty:
        draft.typer.others([node.value, node.condition], scope)
        raise
    if not isinstance(place, e.Get):
        help = "Name a field or variable: `c.field := …`."
        draft.typer.fail("wrong-type", "only a variable can be set", node.place.span, help)
    variable = draft.names.variables[place.variable]
    if variable.fixed:
        draft.typer.fail(
            "sets-fixed",
            f"`{variable.name}` is fixed for a scenario",
            node.place.span,
            f"Declare it with `var` if it may change ({variable.span}).",
        )
    if isinstance(place.type, PerType):
        draft.typer.fail(
            "wrong-type",
            f"`{variable.name}` has a value for each {place.type.index}: say which",
            place.span,
            f"Write `{variable.name}[…] := …`, with {in_words(place.type.index)} between the brackets.",
        )
    parts = Parts()
    with parts.one():
        value = draft.typer.expect(node.value, scope, variable.type)
        in_range(draft.typer, value, variable.type)
    with parts.one():
        condition = condition_of(draft.typer, node.condition, scope)
    parts.done()
    return m.Assign(variable.name, place.owner, place.index, value, condition, node.span)
