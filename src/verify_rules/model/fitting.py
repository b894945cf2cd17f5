"""Typed formulas fitted together: a value where a type is wanted, the two sides of an operator, two branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from verify_rules.diagnostics import known_words
from verify_rules.model import expr as e
from verify_rules.model import hints
from verify_rules.model.lookup import Lookup
from verify_rules.model.names import Names
from verify_rules.model.types import (
    EnumType,
    IntType,
    NoneType,
    OptionalType,
    PerType,
    RefType,
    SetType,
    Type,
    UnionType,
    in_words,
    strip,
)
from verify_rules.source import Span

Sign = Literal["+", "-"]
Relation = Literal["=", "≠", "<", "≤", ">", "≥", "meets", "within"]


def one_value(lookup: Lookup, expr: e.Expr) -> None:
    """Report a variable with `per` that stands for all its values at once: a formula has one."""
    if isinstance(expr.type, PerType):
        help = f"Say which one: `…[{expr.type.index}]`, with a value of it between the brackets."
        lookup.fail(
            "wrong-type", f"this has a value for each {expr.type.index}, and one is needed here", expr.span, help
        )


def fit(lookup: Lookup, expr: e.Expr, want: Type) -> e.Expr:
    """`expr`, made to fit the wanted type: one element stands for the set of it."""
    one_value(lookup, expr)
    if isinstance(want, SetType) and not isinstance(expr.type, SetType | PerType | NoneType):
        if lookup.names.fits(expr.type, want.element):
            return e.SetOf((expr,), want, span=expr.span)
    elif isinstance(want, SetType) and isinstance(expr, e.SetOf) and not expr.items:
        return replace(expr, type=want)
    elif lookup.names.fits(expr.type, want):
        return expr
    if isinstance(want, SetType) and lookup.names.fits(expr.type, want):
        return expr
    if isinstance(strip(expr.type), UnionType) and isinstance(strip(want), RefType | EnumType):
        name = cast(Any, strip(want)).name
        if isinstance(expr, e.Const):
            lookup.fail("wrong-type", f"`{expr.value}` is no {name}", expr.span, hints.values_of(lookup.names, want))
        lookup.fail(
            "not-narrowed",
            f"this is {in_words(strip(expr.type))}, which need not be {in_words(strip(want))}",
            expr.span,
            f"Say that it is one before: `… is {name} and …`.",
        )
    message = f"this is {in_words(expr.type)}, but {in_words(want)} is needed here"
    lookup.fail("wrong-type", message, expr.span, hints.to_fit(lookup.names, expr.type, want))


def in_range(lookup: Lookup, expr: e.Expr, type: Type) -> None:
    """Report a constant number outside the range of its type."""
    if not (isinstance(type, IntType) and isinstance(expr, e.Const) and isinstance(expr.value, int)):
        return
    if not type.low <= expr.value <= type.high:
        help = hints.values_of(lookup.names, type)
        lookup.fail("out-of-range", f"{expr.value} is outside {type.low}..{type.high}", expr.span, help)


def construct(lookup: Lookup, name: str, enum: str, arguments: Sequence[e.Expr], span: Span) -> e.Expr:
    """The member `name(arguments)` of an enumeration."""
    if all(isinstance(a, e.Const) for a in arguments):
        value = f"{name}({', '.join(str(cast(e.Const, a).value) for a in arguments)})"
        if value not in lookup.names.enums[enum]:
            lookup.pass_over(name)
            known = [x.value for x in lookup.names.enums[enum].values() if x.name == name]
            lookup.fail("out-of-range", f"there is no `{value}`", span, known_words(known))
        return e.Const(value, EnumType(enum), span=span)
    return e.Construct(name, tuple(arguments), EnumType(enum), span=span)


def same(lookup: Lookup, left: e.Expr, right: e.Expr) -> tuple[e.Expr, e.Expr]:
    """Both sides as values of one type."""
    one_value(lookup, left)
    one_value(lookup, right)
    a, b = left.type, right.type
    if isinstance(a, SetType) and not isinstance(b, SetType):
        return left, fit(lookup, right, a)
    if isinstance(b, SetType) and not isinstance(a, SetType):
        return fit(lookup, left, b), right
    fits = lookup.names.fits
    empty = e.Const(frozenset(), a)
    both_sets = isinstance(a, SetType) and isinstance(b, SetType)
    if both_sets and (left == empty or right == e.Const(frozenset(), b)):
        return left, right
    if fits(a, b) or fits(b, a) or fits(strip(a), strip(b)) or fits(strip(b), strip(a)):
        return left, right
    if isinstance(a, NoneType) or isinstance(b, NoneType):
        other = right if isinstance(a, NoneType) else left
        help = "Leave the comparison out: it never is anything else."
        lookup.fail("wrong-type", f"this is {in_words(other.type)}, which is never none", other.span, help)
    message = f"this is {in_words(b)}, but {in_words(a)} is needed here"
    lookup.fail("wrong-type", message, right.span, hints.values_of(lookup.names, a))


def related(lookup: Lookup, relation: Relation, left: e.Expr, right: e.Expr, span: Span) -> e.Expr:
    """Two sides compared."""
    match relation:
        case "meets" | "within":
            for side, word in ((left, "left"), (right, "right")):
                if not isinstance(side.type, SetType):
                    message = f"`{relation}` needs a set on its {word}, and this is {in_words(side.type)}"
                    lookup.fail(
                        "wrong-type", message, side.span, "Write `{…}` around a single value, or ask with `in`."
                    )
            left, right = same(lookup, left, right)
            return (e.Meets if relation == "meets" else e.Within)(left, right, span=span)
        case "=" | "≠":
            left, right = same(lookup, left, right)
            equal = e.Equal(left, right, span=span)
            return equal if relation == "=" else e.Not(equal, span=span)
        case "<" | ">" | "≤" | "≥":
            for side in (left, right):
                if not isinstance(side.type, IntType):
                    lookup.fail(
                        "wrong-type",
                        f"`{relation}` compares numbers, and this is {in_words(side.type)}",
                        side.span,
                        "Compare sets with `within`, `meets` or `=`, how many there are with `count(…)`."
                        if isinstance(side.type, SetType)
                        else "Write a number here, or compare with `=` or `≠`.",
                    )
            if relation in ("≤", "≥"):
                pair = (left, right) if relation == "≤" else (right, left)
                return e.AtMost(*pair, span=span)
            pair = (right, left) if relation == "<" else (left, right)
            return e.Not(e.AtMost(*pair, span=span), span=span)


def summed(lookup: Lookup, sign: Sign, left: e.Expr, right: e.Expr, hint: SetType | None, span: Span) -> e.Expr:
    """The sum or difference of numbers or of sets; `hint` is the type of set that is wanted, if one is."""
    negative = sign == "-"
    if isinstance(left.type, IntType) and isinstance(right.type, IntType):
        low, high = (right.type.high, right.type.low) if negative else (right.type.low, right.type.high)
        factor = -1 if negative else 1
        result = IntType(left.type.low + factor * low, left.type.high + factor * high)
        if isinstance(left, e.Const) and isinstance(right, e.Const):
            number = cast(int, left.value) + factor * cast(int, right.value)
            return e.Const(number, IntType(number, number), span=span)
        return e.Sum(left, right, negative, result, span=span)
    set_type = next((x.type for x in (left, right) if isinstance(x.type, SetType)), None)
    if set_type is None and hint is not None:
        set_type = hint
    if set_type is None:
        message = f"`{sign}` needs numbers or sets, and this is {in_words(left.type)}"
        lookup.fail("wrong-type", message, left.span, f"Write a set for a single value: `{{…}} {sign} {{…}}`.")
    left, right = fit(lookup, left, set_type), fit(lookup, right, set_type)
    return (e.Without if negative else e.Joined)(left, right, set_type, span=span)


def join(names: Names, a: Type, b: Type) -> Type | None:
    """The type of what is of type `a` or of type `b`, if there is one."""
    if isinstance(a, PerType) or isinstance(b, PerType):
        return None
    if isinstance(a, IntType) and isinstance(b, IntType):
        return IntType(min(a.low, b.low), max(a.high, b.high))
    if a == b:
        return a
    optional = isinstance(a, OptionalType | NoneType) or isinstance(b, OptionalType | NoneType)
    a, b = strip(a), strip(b)
    if isinstance(a, NoneType):
        inner: Type = b
    elif isinstance(b, NoneType) or names.fits(b, a):
        inner = a
    elif names.fits(a, b):
        inner = b
    else:
        return None
    if not optional:
        return inner
    return OptionalType(inner) if isinstance(inner, EnumType | RefType | UnionType) else None


def set_of(type: Type) -> Type:
    """The type of a set with elements of the type."""
    element = strip(type)
    return SetType(element) if isinstance(element, EnumType | RefType | UnionType) else element
