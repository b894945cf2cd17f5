"""The part of the syntax tree that formulas are made of, with the types and parameters that formulas are read by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from verify_rules.source import NOWHERE, Span


@dataclass(frozen=True)
class Node:
    """Anything that was read from a file; `span` is its place."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True)


# ---------------------------------------------------------------- formulas

Modality = Literal[
    "can", "cannot", "must", "need not", "forbidden", "not permitted", "impossible", "possible", "barred"
]


@dataclass(frozen=True)
class Name(Node):
    """A bare word: a variable, a constant, or a definition without arguments."""

    name: str


@dataclass(frozen=True)
class Number(Node):
    """A whole number, negative ones included."""

    value: int


@dataclass(frozen=True)
class SetLiteral(Node):
    """`{a, b}`."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Argument(Node):
    """An argument of a call: `_` has no value, `on: {…}` has a label."""

    value: Expr | None
    label: str | None = None


@dataclass(frozen=True)
class Call(Node):
    """`name(arguments)`: a status, a definition, an event, an action or a constant with parameters."""

    name: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Access(Node):
    """`base.name`: a field, or a definition or status of one argument."""

    base: Expr
    name: str


@dataclass(frozen=True)
class Index(Node):
    """`base[index]`, of a variable declared `per` an enumeration."""

    base: Expr
    index: Expr


@dataclass(frozen=True)
class Negation(Node):
    """`not body`."""

    body: Expr


@dataclass(frozen=True)
class Chain(Node):
    """`a and b and …`, `a or b or …`, `a iff b iff …`, `a implies b`: at least two items."""

    word: Literal["and", "or", "iff", "implies"]
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Binary(Node):
    """A comparison (`= ≠ < ≤ > ≥ in meets within`) or a sum (`+ -`)."""

    operator: Literal["=", "≠", "<", "≤", ">", "≥", "in", "meets", "within", "+", "-"]
    left: Expr
    right: Expr


@dataclass(frozen=True)
class IsA(Node):
    """`body is TYPE`."""

    body: Expr
    type_name: str


@dataclass(frozen=True)
class Contains(Node):
    """`A forbids ACTION`: what the block of ability or effect A says, whether or not it applies."""

    body: Expr
    word: Literal["forbids", "permits"]
    action: str


@dataclass(frozen=True)
class IfElse(Node):
    """`if condition then yes else no`."""

    condition: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True)
class Binder(Node):
    """`c: TYPE` or `c in SET`: exactly one of `type_name` and `domain` is there."""

    name: str
    type_name: str | None = None
    domain: Expr | None = None


@dataclass(frozen=True)
class Quantified(Node):
    """`some`, `all`, `count(…)` and `union` over a binder."""

    word: Literal["some", "all", "count", "union"]
    binder: Binder
    body: Expr


@dataclass(frozen=True)
class Citation(Node):
    """`SOURCE 1.50 "301.5"`: a paragraph of a source; without a version the newest is meant."""

    source: str
    paragraph: str
    version: str | None = None


@dataclass(frozen=True)
class Verdict(Node):
    """`can ACTION(x, _)`, `forbidden ACTION(x, y) by RULE`, `possible EVENT`."""

    modality: Modality
    call: Call
    by: Name | Citation | None = None


@dataclass(frozen=True)
class Triggers(Node):
    """`triggers A on EVENT(…)`, or of one carrier: `triggers A of x on EVENT(…)`."""

    block: Name
    carrier: Expr | None
    call: Call


Expr = (
    Name
    | Number
    | SetLiteral
    | Call
    | Access
    | Index
    | Negation
    | Chain
    | Binary
    | IsA
    | Contains
    | IfElse
    | Quantified
    | Verdict
    | Triggers
)

# ---------------------------------------------------------------- types and parameters


@dataclass(frozen=True)
class TypeBool(Node):
    """`bool`."""


@dataclass(frozen=True)
class TypeInt(Node):
    """`int low..high`, both included."""

    low: int
    high: int


@dataclass(frozen=True)
class TypeName(Node):
    """An enumeration, the kind, or a union."""

    name: str


@dataclass(frozen=True)
class TypeOptional(Node):
    """`NAME?`: or none."""

    name: str


@dataclass(frozen=True)
class TypeSet(Node):
    """`set of NAME`."""

    name: str


@dataclass(frozen=True)
class TypePer(Node):
    """`per NAME TYPE`: one value for each member of the enumeration."""

    index: str
    value: TypeExpr


TypeExpr = TypeBool | TypeInt | TypeName | TypeOptional | TypeSet | TypePer


@dataclass(frozen=True)
class Parameter(Node):
    """A parameter; without a type it is of the kind."""

    name: str
    type: TypeExpr | None = None
    default: Expr | None = None
