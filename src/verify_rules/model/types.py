"""Types and values of the rulebook language (design 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

ABILITY = "Ability"
EFFECT = "Effect"


class Obj:
    """An object of the kind in a scenario; two are equal only if they are the same one."""

    __slots__ = ("index", "name")

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index

    def __repr__(self) -> str:
        return self.name


# A member of an enumeration or a constant of a union, as it is written: `red`, `shade(red)`, `nobody`.
Symbol = NewType("Symbol", str)
# What an expression evaluates to. None is `none`.
Atom = bool | int | str | Obj | None
Value = Atom | frozenset[Atom]


@dataclass(frozen=True)
class BoolType:
    """Truth values."""

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class IntType:
    """Whole numbers from `low` to `high`; sums aren't bounded, what is stored is."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"int {self.low}..{self.high}"


@dataclass(frozen=True)
class EnumType:
    """An enumeration; a reading is one too."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class RefType:
    """An object of the kind, whose name is kept for messages."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class UnionType:
    """An object, a member of an enumeration, or a constant, as the union says."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OptionalType:
    """A value of the inner type, or none."""

    inner: EnumType | RefType | UnionType

    def __str__(self) -> str:
        return f"{self.inner}?"


@dataclass(frozen=True)
class SetType:
    """A set of values of the element type."""

    element: EnumType | RefType | UnionType

    def __str__(self) -> str:
        return f"set of {self.element}"


@dataclass(frozen=True)
class PerType:
    """One value for each member of an enumeration: only variables have such a type."""

    index: EnumType
    value: Type

    def __str__(self) -> str:
        return f"per {self.index} {self.value}"


@dataclass(frozen=True)
class NoneType:
    """The type of a bare `none`."""

    def __str__(self) -> str:
        return "none"


Simple = EnumType | RefType | UnionType
Type = BoolType | IntType | EnumType | RefType | UnionType | OptionalType | SetType | PerType | NoneType

BOOL = BoolType()
NONE = NoneType()


def strip(type: Type) -> Type:
    """The type without its `?`."""
    return type.inner if isinstance(type, OptionalType) else type


def in_words(type: Type) -> str:
    """What a value of the type is, for messages."""
    match type:
        case BoolType():
            return "true or false"
        case IntType():
            return "a number"
        case NoneType():
            return "none"
        case SetType(element):
            return f"a set of {element}"
        case OptionalType(inner):
            return f"{in_words(inner)} or none"
        case PerType(index, value):
            return f"{in_words(value)} for each {index} (say which: `[…]`)"
        case EnumType(name) | RefType(name) | UnionType(name):
            return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
