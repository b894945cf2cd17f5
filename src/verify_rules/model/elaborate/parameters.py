"""Types and parameters, as declarations write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from verify_rules.model import expr as e
from verify_rules.model import hints
from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.lookup import Faulty
from verify_rules.model.names import BUILT_IN
from verify_rules.model.scope import Scope
from verify_rules.model.types import (
    BOOL,
    EnumType,
    IntType,
    OptionalType,
    PerType,
    RefType,
    SetType,
    Type,
)
from verify_rules.parse import tree as t


def type_of(draft: Draft, node: t.TypeExpr) -> Type | None:
    """The type that is written; None (and an error) if there is none such."""
    match node:
        case t.TypeBool():
            return BOOL
        case t.TypeInt(low, high):
            if low > high:
                help = f"The smaller number stands first: `{high}..{low}`."
                draft.reporter.report("out-of-range", f"{low}..{high} has no numbers in it", node.span, help)
                return None
            return IntType(low, high)
        case t.TypePer(index, value):
            inner = type_of(draft, value)
            if index not in draft.names.enums:
                draft.unknown_type(index, draft.word(index, node.span), list(draft.names.enums))
                return None
            return None if inner is None else PerType(EnumType(index), inner)
        case t.TypeName(name) | t.TypeOptional(name) | t.TypeSet(name):
            named = draft.names.named_type(name)
            if named is None:
                draft.unknown_type(name, draft.word(name, node.span), ["bool", "int", *draft.names.type_names()])
                return None
            if isinstance(node, t.TypeOptional):
                return OptionalType(named)
            return SetType(named) if isinstance(node, t.TypeSet) else named


def parameters_of(draft: Draft, nodes: Sequence[t.Parameter]) -> tuple[m.Parameter, ...]:
    """The parameters, their defaults still as written (`with_default`); `Faulty` if one has no type."""
    result: list[m.Parameter] = []
    faulty = False
    for node in nodes:
        type = RefType(draft.names.kind) if node.type is None else type_of(draft, node.type)
        if any(p.name == node.name for p in result):
            message = f"there are two parameters called `{node.name}`"
            draft.reporter.report("duplicate", message, node.span, "Rename one of the two.")
        if node.name in BUILT_IN:
            draft.word_of_language(node.name, node.span)
        if isinstance(type, PerType):
            message = f"a parameter has one value, not one for each {type.index}"
            draft.reporter.report(
                "wrong-type", message, node.span, "Only fields and variables are declared with `per`."
            )
            type = None
        faulty = faulty or type is None
        if type is not None:
            result.append(m.Parameter(node.name, type, cast(Any, node.default)))
    if faulty:
        raise Faulty
    return tuple(result)


def with_default(draft: Draft, parameter: m.Parameter) -> m.Parameter:
    """The parameter with its default as a constant."""
    node = cast("t.Expr | None", parameter.default)
    if node is None:
        return parameter
    try:
        expr = draft.typer.expect(node, Scope(), parameter.type)
    except Faulty:
        return replace(parameter, default=None)
    if not isinstance(expr, e.Const):
        help = hints.values_of(draft.names, parameter.type)
        draft.reporter.report("not-constant", "a default is a constant", node.span, help)
        return replace(parameter, default=None)
    return replace(parameter, default=expr)
