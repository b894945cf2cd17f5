"""Typed formulas: what the syntax tree becomes when every name is resolved. The language of both meanings.

Fewer constructs than the surface has: `implies`, `iff`, `≠`, `>` and the like are rewritten. Equality leaves spans out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from verify_rules.model.types import BOOL, BoolType, EnumType, IntType, RefType, SetType, Type, UnionType, Value
from verify_rules.source import NOWHERE, Span

Modality = Literal["can", "cannot", "must", "need not", "forbidden", "not permitted", "barred"]


@dataclass(frozen=True)
class Typed:
    """A formula with its place."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True, repr=False)


@dataclass(frozen=True)
class Const(Typed):
    """A constant: true, 7, `red`, `none`, an object of the scenario, a set of constants."""

    value: Value
    type: Type


@dataclass(frozen=True)
class Local(Typed):
    """A parameter, a bound variable, or `self`."""

    name: str
    type: Type


@dataclass(frozen=True)
class Get(Typed):
    """The value of a variable: a field of `owner`, or a global one; `index` has one entry per `per`.

    Of something that is no object (none, a constant of a union) it is the field's value for nothing, `null`.
    """

    variable: str
    owner: Expr | None
    index: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class ReadingValue(Typed):
    """The option that a reading has."""

    reading: str
    type: EnumType


@dataclass(frozen=True)
class Construct(Typed):
    """A member of an enumeration with parameters, from arguments that aren't constants: `shade(c)`."""

    member: str
    arguments: tuple[Expr, ...]
    type: EnumType


@dataclass(frozen=True)
class StatusIs(Typed):
    """The status holds of the arguments; false when one of them is none or of another type."""

    status: str
    arguments: tuple[Expr, ...]
    type: BoolType = BOOL


@dataclass(frozen=True)
class DefineIs(Typed):
    """The body of the definition with the arguments put in."""

    define: str
    arguments: tuple[Expr, ...]
    type: Type


@dataclass(frozen=True)
class Not(Typed):
    """Negation."""

    body: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class And(Typed):
    """Conjunction of at least two."""

    items: tuple[Expr, ...]
    type: BoolType = BOOL


@dataclass(frozen=True)
class Or(Typed):
    """Disjunction of at least two."""

    items: tuple[Expr, ...]
    type: BoolType = BOOL


@dataclass(frozen=True)
class Equal(Typed):
    """Equality of two values of any one type; of sets, the same elements."""

    left: Expr
    right: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class AtMost(Typed):
    """`left ≤ right` of numbers."""

    left: Expr
    right: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class In(Typed):
    """`item` is an element; none is an element of nothing."""

    item: Expr
    set: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class Meets(Typed):
    """The sets have an element in common."""

    left: Expr
    right: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class Within(Typed):
    """Every element of `left` is one of `right`."""

    left: Expr
    right: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class SetOf(Typed):
    """The set of the items; an item that is none adds nothing."""

    items: tuple[Expr, ...]
    type: SetType


@dataclass(frozen=True)
class Joined(Typed):
    """The union of two sets."""

    left: Expr
    right: Expr
    type: SetType


@dataclass(frozen=True)
class Without(Typed):
    """The elements of `left` that aren't in `right`."""

    left: Expr
    right: Expr
    type: SetType


@dataclass(frozen=True)
class Sum(Typed):
    """`left + right`, or `left - right` with `negative`."""

    left: Expr
    right: Expr
    negative: bool
    type: IntType


@dataclass(frozen=True)
class IfElse(Typed):
    """One of two values."""

    condition: Expr
    yes: Expr
    no: Expr
    type: Type


@dataclass(frozen=True)
class Bound(Typed):
    """A bound variable: over all values of its type, or over the elements of `domain`."""

    name: str
    type: RefType | EnumType | UnionType
    domain: Expr | None = None


@dataclass(frozen=True)
class Some(Typed):
    """There is a value for which the body is true."""

    bound: Bound
    body: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class All(Typed):
    """For every value the body is true."""

    bound: Bound
    body: Expr
    type: BoolType = BOOL


@dataclass(frozen=True)
class Count(Typed):
    """The number of values for which the body is true."""

    bound: Bound
    body: Expr
    type: IntType


@dataclass(frozen=True)
class UnionOver(Typed):
    """The union of the body's sets over all values."""

    bound: Bound
    body: Expr
    type: SetType


@dataclass(frozen=True)
class IsOf(Typed):
    """A value of a union is an object (or a member of the enumeration, or the constant) of this name."""

    body: Expr
    member: str
    type: BoolType = BOOL


@dataclass(frozen=True)
class Contains(Typed):
    """The block of this ability or effect has a forbidding (permitting) norm on the action."""

    body: Expr
    word: Literal["forbid", "permit"]
    action: str
    type: BoolType = BOOL


@dataclass(frozen=True)
class By:
    """What `by R` names: any of these blocks; `text` as it was written."""

    blocks: frozenset[str]
    text: str


@dataclass(frozen=True)
class Ask(Typed):
    """A question about the verdict on the pairs that the arguments name; None is `_`."""

    modality: Modality
    action: str
    arguments: tuple[Expr | None, ...]
    by: By | None = None
    type: BoolType = BOOL


@dataclass(frozen=True)
class Happens(Typed):
    """`possible EVENT` (or, not positive, `impossible EVENT by R`)."""

    event: str
    arguments: tuple[Expr, ...]
    positive: bool
    by: By | None = None
    type: BoolType = BOOL


@dataclass(frozen=True)
class Triggers(Typed):
    """Some clause of these blocks (of this carrier, if one is named) triggers on the event: it can happen here,
    nothing replaces it, and the clause speaks about it.
    """

    by: By
    carrier: Expr | None
    event: str
    arguments: tuple[Expr, ...]
    type: BoolType = BOOL


Expr = (
    Const
    | Local
    | Get
    | ReadingValue
    | Construct
    | StatusIs
    | DefineIs
    | Not
    | And
    | Or
    | Equal
    | AtMost
    | In
    | Meets
    | Within
    | SetOf
    | Joined
    | Without
    | Sum
    | IfElse
    | Some
    | All
    | Count
    | UnionOver
    | IsOf
    | Contains
    | Ask
    | Happens
    | Triggers
)

TRUE = Const(True, BOOL)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The formulas directly inside, in order."""
    match expr:
        case Const() | Local() | ReadingValue():
            return ()
        case Get(_, owner, index):
            return (() if owner is None else (owner,)) + index
        case Construct(_, arguments) | StatusIs(_, arguments) | DefineIs(_, arguments) | Happens(_, arguments):
            return arguments
        case Triggers(_, carrier, _, arguments):
            return arguments if carrier is None else (carrier, *arguments)
        case Ask(_, _, arguments):
            return tuple(a for a in arguments if a is not None)
        case Not(body) | IsOf(body) | Contains(body):
            return (body,)
        case And(items) | Or(items) | SetOf(items):
            return items
        case Equal(a, b) | AtMost(a, b) | Meets(a, b) | Within(a, b) | Joined(a, b) | Without(a, b) | Sum(a, b):
            return (a, b)
        case In(a, b):
            return (a, b)
        case IfElse(c, a, b):
            return (c, a, b)
        case Some(bound, body) | All(bound, body) | Count(bound, body) | UnionOver(bound, body):
            return (body,) if bound.domain is None else (bound.domain, body)


def free(expr: Expr) -> frozenset[str]:
    """The local names that the formula doesn't bind itself."""
    match expr:
        case Local(name):
            return frozenset({name})
        case Some(bound, body) | All(bound, body) | Count(bound, body) | UnionOver(bound, body):
            domain = frozenset() if bound.domain is None else free(bound.domain)
            return domain | (free(body) - {bound.name})
        case _:
            return frozenset(name for child in children(expr) for name in free(child))


def walk(expr: Expr) -> list[Expr]:
    """The formula and all formulas inside it, outermost first."""
    found = [expr]
    for child in children(expr):
        found += walk(child)
    return found


def uses(expr: Expr, name: str) -> bool:
    """Whether the formula uses a local name from outside it: not one of its own bound variables that is called so."""
    match expr:
        case Local(local):
            return local == name
        case Some(bound, body) | All(bound, body) | Count(bound, body) | UnionOver(bound, body):
            in_domain = bound.domain is not None and uses(bound.domain, name)
            return in_domain or (bound.name != name and uses(body, name))
        case _:
            return any(uses(child, name) for child in children(expr))
