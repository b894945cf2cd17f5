"""What `check` finds by trying things out: invariants that an event breaks within a few steps of a small board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import cast

from verify_rules.model import model as m
from verify_rules.model.types import Atom, BoolType, EnumType, IntType, Obj, OptionalType, SetType, Type, Value
from verify_rules.semantics import Board, Happened, Moment, Readings, apply
from verify_rules.semantics.run import show

# Small enough that `check` stays quick; what needs more is for `prove`.
EVENTS_TRIED = 4000
OBJECTS = 2
DEPTH = 4


@dataclass(frozen=True)
class Broken:
    """An invariant that is false after these steps."""

    invariant: m.Invariant
    event: str
    trace: tuple[str, ...]


def broken_invariants(model: m.Model) -> list[Broken]:
    """Search small boards for a state that breaks an invariant.

    Claims: every result is real (it was reached by the reference). An empty list claims nothing: the search is bounded
    by `EVENTS_TRIED` events over boards of `OBJECTS` objects, one board for each member of the setup's type field.
    """
    if not model.invariants:
        return []
    found: dict[str, Broken] = {}
    boards = list(_boards(model))
    for board in boards:
        for broken in _search(model, board, max(1, EVENTS_TRIED // len(boards))):
            found.setdefault(broken.invariant.name, broken)
    return [found[i.name] for i in model.invariants if i.name in found]


def _boards(model: m.Model) -> Iterator[Board]:
    field = model.setup.types
    variable = model.variables[field] if field is not None else None
    options: list[dict[str, Value]] = [{}]
    if field is not None and variable is not None:
        if isinstance(variable.type, SetType) and isinstance(variable.type.element, EnumType):
            options = [{field: frozenset({x.value})} for x in model.enums[variable.type.element.name]]
        elif isinstance(variable.type, EnumType):
            options = [{field: x.value} for x in model.enums[variable.type.name]]
    for values in options or [{}]:
        objects = [Obj(name, i) for i, name in enumerate("xyz"[:OBJECTS])]
        yield Board(model, objects, dict.fromkeys(objects, values))


def _arguments(model: m.Model, board: Board, type: Type) -> list[Value]:
    match type:
        case OptionalType(inner):
            return [None, *_arguments(model, board, inner)]
        case SetType(element):
            singles = [frozenset({cast(Atom, v)}) for v in board.candidates(element)[:OBJECTS]]
            return [frozenset(), *singles]
        case IntType(low, high):
            return list(dict.fromkeys((low, high)))
        case BoolType():
            return [False, True]
        case EnumType(name):
            return [x.value for x in model.enums[name][:2]]
        case _:
            return list(board.candidates(type))


def _search(model: m.Model, board: Board, budget: int) -> Iterator[Broken]:
    """Breadth first, so that the trace is a shortest one."""
    readings = Readings(model)
    calls: list[tuple[str, tuple[Value, ...]]] = []
    for event in model.events.values():
        choices = [_arguments(model, board, p.type) for p in event.parameters]
        calls += [(event.name, args) for args in product(*choices)]
    first = Moment(board, board.start, readings)
    yield from _broken(model, first, "", ())
    seen = {board.start}
    layer: list[tuple[Moment, tuple[str, ...]]] = [(first, ())]
    for _ in range(DEPTH):
        following: list[tuple[Moment, tuple[str, ...]]] = []
        for moment, trace in layer:
            for name, args in calls:
                budget -= 1
                if budget < 0:
                    return
                outcome = apply(moment, name, args)
                if not isinstance(outcome, Happened) or outcome.state in seen:
                    continue
                seen.add(outcome.state)
                steps = (*trace, f"{name}({', '.join(show(a) for a in args)})")
                after = Moment(board, outcome.state, readings)
                yield from _broken(model, after, name, steps)
                following.append((after, steps))
        layer = following


def _broken(model: m.Model, moment: Moment, event: str, trace: tuple[str, ...]) -> Iterator[Broken]:
    for invariant in model.invariants:
        if not moment.value(invariant.formula):
            yield Broken(invariant, event, trace)
