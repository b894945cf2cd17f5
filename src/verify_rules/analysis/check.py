"""What `check` finds by trying things out: invariants that an event breaks within a few steps of a small board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from typing import cast

from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.types import Atom, BoolType, EnumType, IntType, Obj, OptionalType, SetType, Type, Value
from verify_rules.semantics import Board, Happened, Moment, apply
from verify_rules.semantics.run import run, show

# Small enough that `check` stays quick; what needs more is for `prove`.
EVENTS_TRIED = 16_000
STEPS = 10
NAMES = "xyz"

Call = tuple[str, tuple[Value, ...]]


@dataclass(frozen=True)
class Broken:
    """An invariant that is false after what `given` says (as for `ask --given`); `event` is the last thing of it."""

    invariant: m.Invariant
    event: str
    given: str


def broken_invariants(model: m.Model) -> list[Broken]:
    """Play on small boards at random, and see whether the invariants stay true.

    Claims: every result is real (the reference reached it, and it is shortened only as long as that is so). An empty
    list claims nothing: no more than `EVENTS_TRIED` events are tried, the same ones each time.
    """
    if not model.invariants:
        return []
    search = _Search(model)
    while search.budget > 0 and len(search.found) < len(model.invariants):
        search.play()
    return [search.found[i.name] for i in model.invariants if i.name in search.found]


def _asked(model: m.Model, event: m.Event) -> frozenset[Value]:
    """The members of enumerations that the requirements of an event name: what a board for it should have.

    Only members that may be printed on a card count, and none that a definition names, which may say what must not be.
    """
    formulas = [x for require in _requirements(event.parts) for x in e.walk(require.formula)]
    constants = [x.value for x in formulas if isinstance(x, e.Const)]
    named = frozenset(v for value in constants for v in (value if isinstance(value, frozenset) else (value,)))
    printed = (v.type.element if isinstance(v.type, SetType) else v.type for v in model.variables.values() if v.fixed)
    return named & {x.value for type in set(printed) if isinstance(type, EnumType) for x in model.enums[type.name]}


def _requirements(parts: Sequence[m.Part]) -> Iterator[m.Require]:
    for part in parts:
        if isinstance(part, m.Require):
            yield part
        elif isinstance(part, m.Group):
            yield from _requirements(part.parts)


class _Search:
    """The games played so far: what was found in them, and how often each event has happened."""

    def __init__(self, model: m.Model) -> None:
        self.model = model
        self.random = Random(0)
        self.budget = EVENTS_TRIED
        self.found: dict[str, Broken] = {}
        self.happened = dict.fromkeys(model.events, 0)
        flagged = dict.fromkeys(s.event for s in model.setup.flags.values())
        self.events = [x for x in model.events.values() if x.name in flagged or x.parts]
        self.asked = {x.name: _asked(model, x) for x in self.events}
        self.goals = [x for x in self.events if self.asked[x.name]]
        self.goal: m.Event | None = None

    # ------------------------------------------------------------ boards

    def entries(self) -> tuple[m.Entry, ...]:
        """Some cards: every other time all alike and in play, else of two types, with uncommon values."""
        number = self.random.choice((1, 2, 2, 3, 3))
        some_types = [self._value(self.model.setup.types), self._value(self.model.setup.types, asked=False)]
        plain = self.random.random() < 0.5
        return tuple(self._entry(Obj(NAMES[i], i), some_types, plain) for i in range(number))

    def _entry(self, obj: Obj, some_types: Sequence[Value], plain: bool) -> m.Entry:
        setup, random = self.model.setup, self.random
        values: dict[str, Value | m.Unknown] = {}
        if setup.types is not None:
            values[setup.types] = some_types[0] if plain or random.random() < 0.6 else some_types[1]
        if setup.owner is not None and not plain and random.random() < 0.4:
            values[setup.owner] = self._value(setup.owner)
        for variable in self.model.variables.values():
            if variable.fixed and variable.name not in (setup.types, setup.owner) and random.random() < 0.2:
                values[variable.name] = self._value(variable.name)
        in_play = setup.in_play is not None and (plain or random.random() < 0.6)
        return m.Entry(obj, values, in_play, (), (), False, None, self.model.setup.span)

    def _value(self, field: str | None, asked: bool = True) -> Value:
        """A value of a fixed field: of a set, one with one element; if there are some, one that the goal asks for."""
        if field is None:
            return None
        type = self.model.variables[field].type
        match type:
            case SetType(EnumType(name)) | EnumType(name):
                known = [x.value for x in self.model.enums[name]]
                wanted = [x for x in known if self.goal is not None and x in self.asked[self.goal.name]]
                value = self.random.choice((wanted if asked and wanted else known) or [""])
                return frozenset({value} if known else ()) if isinstance(type, SetType) else value
            case BoolType():
                return self.random.random() < 0.5
            case IntType(low, high):
                return self.random.choice((low, high))
            case _:
                return self.model.variables[field].default

    # ------------------------------------------------------------ games

    def play(self) -> None:
        """One game: a board, and up to `STEPS` events on it; its goal is an event that asks for cards of some sort."""
        self.goal = self.random.choice(self.goals) if self.goals and self.random.random() < 0.7 else None
        entries = self.entries()
        begun = run(self.model, m.Scenario(entries, ()))
        self.budget -= 1 + len(begun.prologue)
        if begun.stopped is not None:
            return
        moment = begun.final
        calls: list[Call] = []
        if self._broken(moment, entries, calls):
            return
        for _ in range(STEPS):
            call, after = self._step(moment)
            if call is None or after is None:
                return
            calls.append(call)
            moment = after
            if self._broken(moment, entries, calls):
                return

    def _step(self, moment: Moment) -> tuple[Call | None, Moment | None]:
        """An event that can happen, most of the time the one of eight that has happened least."""
        events = self.random.sample(self.events, len(self.events))
        if self.goal is not None and self.random.random() < 0.3:
            events.insert(0, self.goal)
        elif self.random.random() < 0.7:
            rare = sorted(events[:8], key=lambda event: self.happened[event.name])
            events = [*rare, *events[8:]]
        for event in events:
            for _ in range(1 if not event.parameters else 6 if event is self.goal else 2):
                if self.budget <= 0:
                    return None, None
                self.budget -= 1
                args = self._arguments(moment.board, event)
                outcome = apply(moment, event.name, args)
                if isinstance(outcome, Happened):
                    self.happened[event.name] += 1
                    return (event.name, args), Moment(moment.board, outcome.state, moment.readings)
        return None, None

    def _arguments(self, board: Board, event: m.Event) -> tuple[Value, ...]:
        """Values for all parameters, mostly all different: an event seldom happens to a thing and itself."""
        args = tuple(self._argument(board, p.type) for p in event.parameters)
        for _ in range(3):
            objects = [x for arg in args for x in (arg if isinstance(arg, frozenset) else (arg,)) if isinstance(x, Obj)]
            if len(set(objects)) == len(objects):
                break
            args = tuple(self._argument(board, p.type) for p in event.parameters)
        return args

    def _argument(self, board: Board, type: Type) -> Value:
        match type:
            case OptionalType(inner):
                return None if self.random.random() < 0.2 else self._argument(board, inner)
            case SetType(element):
                known = [cast(Atom, v) for v in board.candidates(element)]
                return frozenset(self.random.sample(known, min(len(known), self.random.choice((1, 1, 2)))))
            case IntType(low, high):
                return self.random.choice((low, high))
            case BoolType():
                return self.random.random() < 0.5
            case _:
                values = board.candidates(type)
                return values[int(self.random.random() * len(values))] if values else None

    # ------------------------------------------------------------ results

    def _broken(self, moment: Moment, entries: tuple[m.Entry, ...], calls: list[Call]) -> bool:
        """Note the invariants that are false here; a game in which one is goes on no further."""
        false = [i for i in self.model.invariants if not moment.value(i.formula)]
        for invariant in false:
            if invariant.name not in self.found:
                self.found[invariant.name] = self._shortened(invariant, entries, calls)
        return bool(false)

    def _shortened(self, invariant: m.Invariant, entries: tuple[m.Entry, ...], calls: list[Call]) -> Broken:
        """The same with no more steps, cards and values than it needs."""
        calls = self._fewer(invariant, entries, calls)
        used = {v for _, args in calls for arg in args for v in (arg if isinstance(arg, frozenset) else (arg,))}
        for entry in reversed(entries):
            others = tuple(x for x in entries if x is not entry)
            if entry.object not in used and self._breaks(invariant, others, calls):
                entries = others
        for number, entry in enumerate(entries):
            simpler = [
                replace(entry, values={k: v for k, v in entry.values.items() if k != name}) for name in entry.values
            ]
            for other in (*simpler, replace(entry, in_play=False)):
                kept = {k: v for k, v in entries[number].values.items() if k in other.values}
                changed = replace(entries[number], values=kept, in_play=entries[number].in_play and other.in_play)
                tried = (*entries[:number], changed, *entries[number + 1 :])
                if self._breaks(invariant, tried, calls):
                    entries = tried
        new = {entry.object: Obj(NAMES[i], i) for i, entry in enumerate(entries)}
        entries = tuple(replace(entry, object=new[entry.object]) for entry in entries)
        calls = [(event, tuple(_renamed(arg, new) for arg in args)) for event, args in calls]
        steps = [f"{event}({', '.join(show(a) for a in args)})" for event, args in calls]
        return Broken(invariant, calls[-1][0] if calls else "", "; ".join([self._cards(entries), *steps]))

    def _fewer(self, invariant: m.Invariant, entries: tuple[m.Entry, ...], calls: list[Call]) -> list[Call]:
        """As many steps left out, one or two at a time, as can be."""
        for size in (1, 2):
            for out in sorted(combinations(range(len(calls)), size), reverse=True):
                fewer = [call for number, call in enumerate(calls) if number not in out]
                if self._breaks(invariant, entries, fewer):
                    return self._fewer(invariant, entries, fewer)
        return calls

    def _breaks(self, invariant: m.Invariant, entries: tuple[m.Entry, ...], calls: Sequence[Call]) -> bool:
        begun = run(self.model, m.Scenario(entries, ()))
        moment = begun.final
        if begun.stopped is not None:
            return False
        for event, args in calls:
            outcome = apply(moment, event, args)
            if not isinstance(outcome, Happened):
                return False
            moment = Moment(moment.board, outcome.state, moment.readings)
        return not moment.value(invariant.formula)

    def _cards(self, entries: Sequence[m.Entry]) -> str:
        return ", ".join(self._card(entry) for entry in entries)

    def _card(self, entry: m.Entry) -> str:
        """A card as it is written in a scenario."""
        setup = self.model.setup
        values = dict(entry.values)
        text = f"{entry.object} :"
        if setup.types is not None:
            types = cast(Value, values.pop(setup.types, self.model.variables[setup.types].default))
            text += f" {', '.join(_words(types))}"
        if setup.grants is not None and setup.grants in values:
            text += f" with {', '.join(_words(cast(Value, values.pop(setup.grants))))}"
        if setup.owner is not None and setup.owner in values:
            text += f" of {show(cast(Value, values.pop(setup.owner)))}"
        text += " in play" if entry.in_play else ""
        given = ", ".join(f"{name} = {show(cast(Value, value))}" for name, value in values.items())
        return text + (f" {{ {given} }}" if given else "")


def _renamed(value: Value, new: dict[Obj, Obj]) -> Value:
    if isinstance(value, frozenset):
        return frozenset(new[x] if isinstance(x, Obj) else x for x in value)
    return new[value] if isinstance(value, Obj) else value


def _words(value: Value) -> list[str]:
    return sorted(str(x) for x in value) if isinstance(value, frozenset) else [show(value)]
