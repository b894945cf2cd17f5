"""Heads of clauses: which arguments a rule speaks about, and the names that it gives them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from verify_rules.diagnostics import suggestion
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.scope import Scope
from verify_rules.model.types import Type, UnionType, in_words, strip
from verify_rules.model.typing import Typer
from verify_rules.parse import tree as t
from verify_rules.source import Span


def patterns_of(
    typer: Typer, head: t.Head, parameters: Sequence[m.Parameter], scope: Scope
) -> tuple[tuple[m.Pattern, ...], Scope, dict[str, t.Pattern]]:
    """The patterns of a head, the scope with what they bind, and the names that are fresh in it."""
    if len(head.patterns) != len(parameters):
        typer.pass_over(head.name)
        names = ", ".join(p.name for p in parameters)
        typer.fail(
            "wrong-arity",
            f"`{head.name}` has {len(head.patterns)} argument{'s' * (len(head.patterns) != 1)} here, "
            f"but needs {len(parameters)}",
            head.span,
            f"Its parameters: {head.name}({names}).",
        )
    patterns: list[m.Pattern] = []
    fresh: dict[str, t.Pattern] = {}
    for pattern, parameter in zip(head.patterns, parameters, strict=True):
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
    return tuple(patterns), scope, fresh


def condition_of(typer: Typer, node: t.Expr | None, scope: Scope) -> e.Expr | None:
    """What stands after `when` or `where`, if anything does."""
    return None if node is None else typer.formula(node, scope)


def forbid_stray_names(
    typer: Typer,
    fresh: dict[str, t.Pattern],
    patterns: Iterable[m.Pattern],
    condition: e.Expr | None,
    inside: Sequence[e.Expr] = (),
) -> None:
    """A fresh name that nothing uses and that is nearly a constant: surely a slip, and it would match anything."""
    for pattern in patterns:
        if not isinstance(pattern, m.Bind) or pattern.name not in fresh or len(pattern.name) < 3:
            continue
        formulas = inside if condition is None else (condition, *inside)
        used = any(isinstance(x, e.Local) and x.name == pattern.name for f in formulas for x in e.walk(f))
        hint = suggestion(pattern.name, typer.names.members(pattern.type))
        if hint and not used:
            help = f"{hint} A new name stands for anything; write `_` if that is meant."
            typer.fail("unknown-name", f"nothing is called `{pattern.name}` here", fresh[pattern.name].span, help)


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
