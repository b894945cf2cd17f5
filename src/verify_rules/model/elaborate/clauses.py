"""Clauses: what rules, abilities and effects say about statuses and actions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn, cast

from verify_rules.model import hints
from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.elaborate.events import amending_parts
from verify_rules.model.elaborate.heads import heading
from verify_rules.model.expr import Local
from verify_rules.model.fitting import fit
from verify_rules.model.lookup import Faulty, Parts
from verify_rules.model.scope import Scope
from verify_rules.model.types import RefType, strip
from verify_rules.parse import tree as t

NO_VERDICT_IN_STATUS = "statuses come before norms (a status can't depend on what is permitted)"


def read_all(draft: Draft) -> None:
    """Elaborate the precedence and the clauses of every block."""
    levels = draft.of(t.Precedence)
    if levels:
        draft.precedence = tuple((x.strength, x.word) for x in levels[0].levels)
        for number, level in enumerate(levels[0].levels):
            first = next(x for x in levels[0].levels if (x.strength, x.word) == (level.strength, level.word))
            if first is not levels[0].levels[number]:
                draft.twice(level.span, first.span, f"`{level.strength} {level.word}` is ranked twice")
            if level.word not in ("permit", "forbid"):
                message = f"only `permit` and `forbid` are ranked, and `{level.word}` is neither"
                help = "A `price` counts as a `forbid`; `steer` and `require` choose among what is permitted."
                draft.reporter.report("wrong-type", message, level.span, help)
    for extra in levels[1:]:
        draft.twice(extra.span, levels[0].span, "a model has one precedence")
    for node in draft.of(t.Block):
        id = f"{node.what} {node.name}"
        if node.what == "effect":
            id += f" on {node.holder or draft.names.kind}"
        block = draft.names.blocks.get(id)
        if block is None or block.span is not node.span:
            continue
        names = frozenset(p.name for p in block.parameters)
        scope = Scope({p.name: p.type for p in block.parameters}, parameters=names)
        if block.holder is not None:
            scope = scope.bind("self", block.holder)
        for number, clause in enumerate(node.clauses, start=1):
            try:
                _clause(draft, block, f"{id}#{number}", clause, scope)
            except Faulty:
                continue


def _clause(draft: Draft, block: m.Block, id: str, node: t.Clause, scope: Scope) -> None:
    """Elaborate one clause; all errors in it are reported, and then it is left out."""
    typer, parts = draft.typer, Parts()
    match node:
        case t.StatusClause():
            status = None
            with parts.one():
                status = draft.names.statuses.get(node.head.name) or _not_a_status(draft, node)
            scope = replace(scope, verdicts=NO_VERDICT_IN_STATUS)
            head = heading(typer, node, status.parameters if status else None, scope, parts)
            parts.done()
            assert status is not None
            clause = m.StatusClause(id, block.id, status.name, head.patterns, head.condition, node.negative, node.span)
            draft.status_clauses[status.name].append(clause)
        case t.Norm():
            action, strength = None, ""
            with parts.one():
                action = typer.action(node.head.name, node.head.span)
            head = heading(typer, node, action.parameters if action else None, scope, parts)
            with parts.one():
                strength = _strength(draft, node, block)
            parts.done()
            assert action is not None
            norm = m.Norm(
                id, block.id, node.word, action.name, head.patterns, head.condition, strength, node.title, node.span
            )
            draft.norms[action.name].append(norm)
        case t.Lifts():
            action = None
            with parts.one():
                action = typer.action(node.head.name, node.head.span)
            head = heading(typer, node, action.parameters if action else None, scope, parts)
            victims: list[m.Victim] = []
            for tree in node.victims:
                with parts.one():
                    victim = _victim(draft, tree, head.scope)
                    victims += [] if victim is None else [victim]
            parts.done()
            assert action is not None
            if victims or not node.victims:
                lift = m.Lift(id, block.id, tuple(victims), action.name, head.patterns, head.condition, node.span)
                draft.lifts[action.name].append(lift)
        case t.Amends(word):
            event, strength = None, ""
            with parts.one():
                event = typer.event(node.head)
            head = heading(typer, node, event.parameters if event else None, scope, parts)
            # Where no argument tells the carriers apart there may be several, as in a `for`.
            pinned = any(isinstance(p, m.Match) and p.value == Local("self", p.value.type) for p in head.patterns)
            loop = None if block.holder is None or pinned else "self"
            done = amending_parts(draft, node.parts, head.scope, node.head.name, loop)
            with parts.one():
                strength = _strength(draft, node, block)
            parts.done()
            assert event is not None
            replaces = word == "instead"
            amendment = m.Amendment(
                id, block.id, event.name, replaces, head.patterns, head.condition, done, strength, node.span
            )
            draft.amendments[event.name].append(amendment)
        case t.TriggerClause(after):
            event = None
            with parts.one():
                event = typer.event(node.head)
            head = heading(typer, node, event.parameters if event else None, scope, parts)
            parts.done()
            assert event is not None
            trigger = m.Trigger(id, block.id, event.name, after, head.patterns, head.condition, node.span)
            draft.triggers[event.name].append(trigger)


def _strength(draft: Draft, node: t.Norm | t.Amends, block: m.Block) -> str:
    known = [x for x, _ in draft.precedence]
    if node.strength and node.strength not in known:
        place = draft.word(node.strength, node.span)
        draft.typer.unknown("unknown-strength", "strength", node.strength, place, known)
    return node.strength or ("rule" if block.what == "rule" else "card")


def _not_a_status(draft: Draft, node: t.StatusClause) -> NoReturn:
    name = node.head.name
    place = node.head.span.first(len(name))
    if name in draft.define_trees:
        draft.typer.fail(
            "unknown-status",
            f"`{name}` is a definition, and rules can't give or take it",
            place,
            f"Declare it as a status: `status {name}(…)`.",
        )
    known = [*draft.names.statuses, "permit", "forbid", "require", "steer", "price", "lifts", "on", "triggers"]
    draft.typer.unknown("unknown-status", "status", name, place, known)


def _victim(draft: Draft, node: t.Victim, scope: Scope) -> m.Victim | None:
    blocks = draft.names.blocks.values()
    if node.what == "class":
        owner = None
        if node.owner is not None:
            owner = draft.typer.expression(node.owner, scope)
            carriers = [s.parameters[0].type for s in draft.names.live_status("ability")]
            carrier = carriers[0] if carriers else RefType(draft.names.kind)
            if not draft.names.fits(carrier, strip(owner.type)):
                fit(draft.typer, owner, carrier)
        if node.strength and node.strength not in {x for x, _ in draft.precedence}:
            known = [x for x, _ in draft.precedence]
            place = draft.word(node.strength, node.span)
            draft.typer.unknown("unknown-strength", "strength", node.strength, place, known)
        text = " ".join(x for x in (node.strength, node.word, node.origin and f"from {node.origin}") if x)
        return m.ClassVictim(cast(Any, node.word), node.strength, node.origin, owner, text)
    name = cast(str, node.name)
    found = frozenset(b.id for b in blocks if b.what == node.what and b.name == name)
    if not found:
        if name in draft.names.dormant:
            return None
        known = [b.name for b in blocks if b.what == node.what]
        help = hints.other_victim(draft.names, name, node.what)
        place = draft.word(name, node.span)
        draft.typer.unknown(f"unknown-{node.what}", node.what, name, place, () if help else known, help)
    return m.NamedVictim(found, f"{node.what} {name}")
