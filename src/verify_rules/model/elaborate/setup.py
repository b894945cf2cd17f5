"""The setup: what the words of a scenario's cards mean in this game (design 2.7)."""

from __future__ import annotations

from verify_rules.diagnostics import known_words
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.lookup import Faulty
from verify_rules.model.names import BUILT_IN
from verify_rules.model.scope import Scope
from verify_rules.model.types import (
    RefType,
    SetType,
)
from verify_rules.parse import tree as t


def setup(draft: Draft) -> m.Setup | None:
    """The setup; None (and an error) if the model has none."""
    setups = draft.of(t.Setup)
    if not setups:
        draft.missing("setup", "`setup for …`, which says what a scenario's cards mean")
        return None
    node: t.Setup = setups[0]
    for extra in setups[1:]:
        draft.twice(extra.span, node.span, "a model has one `setup`")
    kind = RefType(draft.names.kind)
    below = node.below or ""
    for name in filter(None, (node.name, below)):
        if name in BUILT_IN:
            draft.word_of_language(name, node.span)
    scope = Scope({node.name: kind} | ({below: SetType(kind)} if below else {}))
    steps: dict[str, m.SetupStep] = {}
    for flag in node.flags:
        if not draft.declare("flag", flag.name, flag.span, "a flag"):
            continue
        step = _setup_step(draft, flag.call, scope)
        if step is not None:
            steps[flag.name] = step
    plain = Scope()
    in_play = None if node.in_play is None else _setup_step(draft, node.in_play, scope)
    if node.in_play is not None and in_play is None:
        draft.names.broken.add("in play")
    return m.Setup(
        node.name,
        below,
        _setup_field(draft, node.types, scope),
        _setup_field(draft, node.grants, scope),
        _setup_field(draft, node.owner, scope),
        in_play,
        tuple(s for s in (_setup_step(draft, c, plain) for c in node.then) if s is not None),
        steps,
        node.span,
    )


def _setup_field(draft: Draft, node: t.Expr | None, scope: Scope) -> str | None:
    if node is None:
        return None
    try:
        expr = draft.typer.expression(node, scope)
    except Faulty:
        return None
    if not isinstance(expr, e.Get) or not draft.names.variables[expr.variable].fixed:
        fixed = [v.name for v in draft.names.variables.values() if v.of_kind and v.fixed]
        draft.reporter.report(
            "wrong-type",
            "this is the name of a fixed field: `c.field`",
            node.span,
            known_words(fixed, every=True) or "Declare one in the `kind`, without `var`.",
        )
        return None
    return expr.variable


def _setup_step(draft: Draft, call: t.Call, scope: Scope) -> m.SetupStep | None:
    try:
        event = draft.typer.called(call, scope)
        return m.SetupStep(event.name, draft.typer.arguments(call, event.parameters, scope), call.span)
    except Faulty:
        return None
