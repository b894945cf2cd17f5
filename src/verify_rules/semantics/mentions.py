"""Which abilities and effects anybody can have at all: those that a variable mentions, or that a clause gives by name.

A model has many abilities and a board few. This tells which ones need not be asked for, from the clauses alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from verify_rules.model.expr import (
    And,
    Const,
    Construct,
    DefineIs,
    Expr,
    Get,
    IfElse,
    In,
    Joined,
    Local,
    Or,
    Some,
    UnionOver,
    Without,
)
from verify_rules.model.model import Bind, Match, Model, StatusClause
from verify_rules.model.types import EnumType, Value


@dataclass(frozen=True)
class Sources:
    """All values for which a status can hold, as its last argument, are constants or in a set that a variable holds."""

    constants: frozenset[Value]
    variables: frozenset[str]


def sources(model: Model, givers: Iterable[StatusClause]) -> Sources | None:
    """The sources of a status that these clauses give; None if one of them may give it for any value."""
    constants: set[Value] = set()
    variables: set[str] = set()
    for clause in givers:
        match clause.patterns[-1]:
            case Match(Const(value)):
                constants.add(value)
            case Match(Construct(member, _, EnumType(enum))):
                constants |= {m.value for m in model.enums[enum] if m.name == member}
            case Bind(name) if clause.condition is not None:
                found = _holding(model, clause.condition, name)
                if found is None:
                    return None
                variables |= found
            case _:
                return None
    return Sources(frozenset(constants), frozenset(variables))


def _holding(model: Model, condition: Expr, name: str) -> frozenset[str] | None:
    """Variables that hold the value of a local name, in at least one of their sets, wherever the condition is true."""
    match condition:
        case In(Local(local), right) if local == name:
            return _elements(model, right)
        case And(items):
            found = (_holding(model, item, name) for item in items)
            return next((variables for variables in found if variables is not None), None)
        case Or(items):
            return _all([_holding(model, item, name) for item in items])
        case Some(bound, body) if bound.name != name:
            return _holding(model, body, name)
        case DefineIs(define, arguments):
            about = model.defines[define]
            for parameter, argument in zip(about.parameters, arguments, strict=True):
                if isinstance(argument, Local) and argument.name == name:
                    variables = _holding(model, about.body, parameter.name)
                    if variables is not None:
                        return variables
            return None
        case _:
            return None


def _elements(model: Model, expr: Expr) -> frozenset[str] | None:
    """Variables from whose sets all elements of a set come."""
    match expr:
        case Get(variable):
            return frozenset({variable})
        case Const(value) if value == frozenset():
            return frozenset()
        case IfElse(_, left, right) | Joined(left, right):
            return _all([_elements(model, left), _elements(model, right)])
        case Without(left, _):
            return _elements(model, left)
        case UnionOver(_, body):
            return _elements(model, body)
        case DefineIs(define, _):
            return _elements(model, model.defines[define].body)
        case _:
            return None


def _all(parts: list[frozenset[str] | None]) -> frozenset[str] | None:
    known = [part for part in parts if part is not None]
    return frozenset().union(*known) if len(known) == len(parts) else None
