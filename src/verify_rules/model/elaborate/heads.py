"""Heads of clauses: which arguments a rule speaks about, and the names that it gives them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import cast

from verify_rules.diagnostics import suggestion
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.lookup import Parts
from verify_rules.model.scope import Scope
from verify_rules.model.types import Type, UnionType, in_words, strip
from verify_rules.model.typing import Typer
from verify_rules.parse import tree as t
from verify_rules.source import Span


@dataclass(frozen=True)
class Heading:
    """The head and the condition of a clause, and the scope of what else stands in it."""

    patterns: tuple[m.Pattern, ...]
    condition: e.Expr | None
    scope: Scope


def heading(
    typer: Typer,
    clause: t.StatusClause | t.Norm | t.Lifts | t.Amends | t.TriggerClause,
    parameters: Sequence[m.Parameter] | None,
    scope: Scope,
    parts: Parts,
) -> Heading:
    """The head and the condition of a clause; without `parameters` (what is called isn't known) only its errors.

    Each error is reported, and `parts` notes whether there was one.
    """
    patterns, inner, fresh = _patterns(typer, clause.head, parameters, scope, parts)
    for name, pattern in fresh.items():
        with parts.one():
            _forbid_stray_name(typer, clause, name, pattern, scope, inner.locals[name])
    condition: e.Expr | None = None
    with parts.one():
        condition = condition_of(typer, clause.condition, inner)
    return Heading(patterns, condition, inner)


def _patterns(
    typer: Typer, head: t.Head, parameters: Sequence[m.Parameter] | None, scope: Scope, parts: Parts
) -> tuple[tuple[m.Pattern, ...], Scope, dict[str, t.Pattern]]:
    """The patterns of a head, the scope with what they bind, and the names that are fresh in it."""
    # What each pattern may have been meant to bind.
    names = [[x.name] if x.name is not None else list(_names_in(x.value)) for x in head.patterns]
    if parameters is not None and len(head.patterns) != len(parameters):
        with parts.one():
            typer.pass_over(head.name)
            count = len(head.patterns)
            typer.fail(
                "wrong-arity",
                f"`{head.name}` has {count} argument{'s' * (count != 1)} here, but needs {len(parameters)}",
                head.span,
                f"Its parameters: {head.name}({', '.join(p.name for p in parameters)}).",
            )
        parameters = None
    if parameters is None:
        return (), scope.suspecting(x for some in names for x in some if x not in scope.locals), {}
    patterns: list[m.Pattern] = []
    fresh: dict[str, t.Pattern] = {}
    for pattern, parameter, called in zip(head.patterns, parameters, names, strict=True):
        before = parts.failed
        parts.failed = False
        with parts.one():
            if pattern.name is not None:
                bind = _typed(typer, pattern, parameter, scope)
                patterns.append(bind)
                scope = scope.bind(bind.name, bind.type)
            elif pattern.value is None:
                patterns.append(m.Wild())
            elif isinstance(pattern.value, t.Name) and _fresh(typer, pattern.value.name, scope, parameter.type):
                name = pattern.value.name
                _forbid_meaning(typer, name, pattern.span)
                patterns.append(m.Bind(name, parameter.type))
                fresh[name] = pattern
                scope = scope.bind(name, parameter.type)
            else:
                patterns.append(m.Match(typer.expect(pattern.value, scope, parameter.type)))
        if parts.failed:
            scope = scope.suspecting(x for x in called if pattern.name is not None or x not in scope.locals)
        parts.failed = parts.failed or before
    return tuple(patterns), scope, fresh


def condition_of(typer: Typer, node: t.Expr | None, scope: Scope) -> e.Expr | None:
    """What stands after `when` or `where`, if anything does."""
    return None if node is None else typer.formula(node, scope)


def _forbid_stray_name(typer: Typer, clause: t.Node, name: str, pattern: t.Pattern, scope: Scope, type: Type) -> None:
    """A fresh name that nothing else in the clause uses, and that is nearly a known one: it would match anything.

    `scope` is the one around the clause: what it names, and the constants of the type, may be meant.
    """
    if len(name) < 2 or sum(x == name for x in _names_in(clause)) > 1:
        return
    known = [x for x, of in scope.locals.items() if typer.names.fits(strip(of), type)]
    known += typer.names.members(type)
    known += [x.name for x in typer.names.variables.values() if not x.of_kind and typer.names.fits(x.type, type)]
    hint = suggestion(name, known)
    if hint:
        help = f"{hint} A new name stands for anything; write `_` if that is meant."
        typer.fail("unknown-name", f"nothing is called `{name}` here", pattern.span, help)


def _names_in(node: object) -> Iterator[str]:
    """All names that stand in a piece of a tree as values."""
    if isinstance(node, t.Name):
        yield node.name
    elif isinstance(node, tuple):
        for item in node:
            yield from _names_in(item)
    elif isinstance(node, t.Node):
        for field in fields(node):
            yield from _names_in(getattr(node, field.name))


def _fresh(typer: Typer, name: str, scope: Scope, type: Type) -> bool:
    names = typer.names
    taken = name in scope.locals or name in ("true", "false", "none", "self") or name in names.members(type)
    return not (taken or name in names.variables or name in names.readings or name in typer.define_names)


def _forbid_meaning(typer: Typer, name: str, span: Span) -> None:
    """A fresh name that means something elsewhere: it would match anything, though it looks like a constant."""
    what = typer.names.meaning(name)
    if what:
        help = f"Write `_` or another name if anything is meant; `{name}` can't stand here."
        typer.fail("taken-name", f"`{name}` is {what}, and no new name", span, help)


def _typed(typer: Typer, pattern: t.Pattern, parameter: m.Parameter, scope: Scope) -> m.Bind:
    name, type_name = cast(str, pattern.name), cast(str, pattern.type_name)
    typer.may_bind(name, pattern.span, scope.locals)
    place = pattern.span.last(len(type_name))
    have = strip(parameter.type)
    if isinstance(have, UnionType):
        union = typer.names.unions[have.name]
        if type_name in union.types:
            return m.Bind(name, cast(Type, typer.names.named_type(type_name)), type_name)
        if type_name in union.atoms:
            return m.Bind(name, have, type_name)
        if type_name != have.name:
            known = [*union.types, *union.atoms]
            typer.unknown("unknown-type", f"part of {have}", type_name, place, known)
        return m.Bind(name, have)
    if type_name != str(have):
        if typer.names.named_type(type_name) is None:
            typer.unknown("unknown-type", "type", type_name, place, typer.names.type_names())
        help = f"Write `{name}: {have}`, or `{name}` alone."
        typer.fail("wrong-type", f"`{parameter.name}` is {in_words(have)}, never a {type_name}", place, help)
    return m.Bind(name, parameter.type)
