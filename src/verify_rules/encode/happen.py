"""What events require and what they change, at one state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from verify_rules.encode.board import Slot, State
from verify_rules.encode.formula import Formulas
from verify_rules.encode.symbolic import Choice, Members, Sym
from verify_rules.encode.terms import Term
from verify_rules.model.model import (
    Amendment,
    Assign,
    Carry,
    Do,
    Event,
    ForEach,
    Group,
    Part,
    Require,
    Reset,
    Variable,
)
from verify_rules.model.types import Atom, EnumType, IntType, Obj, RefType, UnionType


@dataclass(frozen=True)
class Requirement:
    """A requirement of an event, the group in which it stands, and whether it holds."""

    part: Require
    group: str | None
    holds: Term


def requirements(at: Formulas, event: Event, env: Mapping[str, Sym]) -> list[Requirement]:
    """What the event requires, in source order; that of an event inside it counts only when that one is done."""
    return list(_required(at, event.parts, env, at.factory.true, None))


def _required(
    at: Formulas, parts: Sequence[Part], env: Mapping[str, Sym], when: Term, group: str | None
) -> Iterator[Requirement]:
    f = at.factory
    for part in parts:
        match part:
            case Require(formula):
                yield Requirement(part, group, f.implies(when, at.truth(formula, env)))
            case Group(id, inner):
                yield from _required(at, inner, env, when, id)
            case Do():
                done = f.and_(when, at.truth(part.condition, env))
                if not done.is_false:
                    event, inside = _inside(at, part, env)
                    yield from _required(at, event.parts, inside, done, group)
            case ForEach() | Reset() | Assign() | Carry():
                # What a `for` changes requires nothing, so its condition isn't asked for: it may ask for verdicts.
                pass
            case _:
                assert_never(part)


def _inside(at: Formulas, part: Do, env: Mapping[str, Sym]) -> tuple[Event, dict[str, Sym]]:
    event = at.model.events[part.event]
    return event, at.bind(event.parameters, [at.value(a, env) for a in part.arguments])


def admitted(at: Formulas, event: Event, arguments: Sequence[Sym]) -> Term:
    """Every argument can stand for its parameter."""
    return at.factory.all_of(
        at.admitted(parameter.type, argument) for parameter, argument in zip(event.parameters, arguments, strict=False)
    )


def amending(
    at: Formulas, amendments: Sequence[Amendment], event: Event, env: Mapping[str, Sym]
) -> Iterator[tuple[Amendment, Mapping[str, Sym], Term]]:
    """The amendments that may apply to the event, with their names and when they do, each for its carriers in order."""
    arguments = [env[p.name] for p in event.parameters]
    for amendment in amendments:
        for _, names, when in at.occurrences(amendment.block, amendment.patterns, arguments):
            met = at.factory.and_(at.board.selector(amendment.id), when, at.truth(amendment.condition, names))
            if met.is_false:
                continue
            able = at.factory.all_of(r.holds for r in _required(at, amendment.parts, names, at.factory.true, None))
            met = at.factory.and_(met, able)
            if not met.is_false:
                yield amendment, names, met


class Change:
    """What an event does: every formula reads the state before, a later line wins.

    `faults` are the conditions under which an assignment fails.
    """

    def __init__(self, at: Formulas) -> None:
        self.at = at
        self.written: dict[Slot, Sym] = {}
        self.faults: list[Term] = []

    def run(self, event: Event, env: Mapping[str, Sym]) -> None:
        """Do the event."""
        self._event(event, env, self.at.factory.true)

    @property
    def fault(self) -> Term:
        """Some assignment fails."""
        return self.at.factory.any_of(self.faults)

    def after(self) -> State:
        """The state after it."""
        return State({**self.at.state.values, **self.written})

    def _event(self, event: Event, env: Mapping[str, Sym], when: Term) -> None:
        """The event with its amendments: what replaces it, or else its own parts and what is added to them."""
        at, f = self.at, self.at.factory
        left = when
        for amendment, names, applies in amending(at, at.board.index.replacing[event.name], event, env):
            self._some_parts(amendment.parts, names, f.and_(left, applies))
            left = f.and_(left, f.not_(applies))
        self._some_parts(event.parts, env, left)
        for amendment, names, applies in amending(at, at.board.index.adding[event.name], event, env):
            self._some_parts(amendment.parts, names, f.and_(left, applies))

    def _some_parts(self, parts: Sequence[Part], env: Mapping[str, Sym], when: Term) -> None:
        if not when.is_false:
            self._parts(parts, env, when)

    def _parts(self, parts: Sequence[Part], env: Mapping[str, Sym], when: Term) -> None:
        at, f = self.at, self.at.factory
        for part in parts:
            match part:
                case Require():
                    pass
                case Group(_, inner):
                    self._parts(inner, env, when)
                case Do():
                    done = f.and_(when, at.truth(part.condition, env))
                    if not done.is_false:
                        event, inside = _inside(at, part, env)
                        self._event(event, inside, done)
                case ForEach(name, _, condition, inner):
                    for obj in at.board.objects:
                        each = {**env, name: at.symbolic.atom(obj)}
                        done = f.and_(when, at.truth(condition, each))
                        if not done.is_false:
                            self._parts(inner, each, done)
                case Reset(target, keep):
                    self._reset(at.value(target, env), keep, when)
                case Carry(origin, target):
                    self._carry(at.value(origin, env), at.value(target, env), when)
                case Assign():
                    done = f.and_(when, at.truth(part.condition, env))
                    if not done.is_false:
                        self._assign(part, env, done)
                case _:
                    assert_never(part)

    def _put(self, slot: Slot, value: Sym, when: Term) -> None:
        before = self.written.get(slot)
        if before is None:
            before = self.at.state.values[slot]
        self.written[slot] = self.at.symbolic.ite(when, value, before)

    def _changing(self) -> Iterator[Variable]:
        """The fields that can change."""
        return (v for v in self.at.model.variables.values() if v.of_kind and not v.fixed)

    def _reset(self, target: Sym, keep: tuple[str, ...], when: Term) -> None:
        at = self.at
        assert isinstance(target, Choice | Members)
        for obj, chosen in target.cases.items():
            done = at.factory.and_(when, chosen)
            if not isinstance(obj, Obj) or done.is_false:
                continue
            for variable in self._changing():
                if variable.name not in keep:
                    for index in at.board.indexes(variable):
                        self._put((variable.name, obj, index), at.symbolic.const(variable.default), done)

    def _carry(self, origin: Sym, target: Sym, when: Term) -> None:
        at = self.at
        for (source, goal), chosen in at.symbolic.combinations([origin, target]):
            done = at.factory.and_(when, chosen)
            if not isinstance(source, Obj) or not isinstance(goal, Obj) or done.is_false:
                continue
            for variable in self._changing():
                if variable.marks:
                    for index in at.board.indexes(variable):
                        value = at.state.values[variable.name, source, index]
                        self._put((variable.name, goal, index), value, done)

    def _assign(self, part: Assign, env: Mapping[str, Sym], when: Term) -> None:
        at = self.at
        variable = at.model.variables[part.variable]
        value = at.value(part.value, env)
        wrong = self._wrong(variable, value)
        keys = [at.value(i, env) for i in part.index]
        if part.owner is not None:
            keys.insert(0, at.value(part.owner, env))
        for values, chosen in at.symbolic.combinations(keys):
            owner: Obj | None = None
            index: tuple[Atom, ...] = values
            if part.owner is not None:
                if not isinstance(values[0], Obj):
                    continue
                owner, index = values[0], values[1:]
            slot = (variable.name, owner, index)
            done = at.factory.and_(when, chosen)
            if slot in at.state.values and not done.is_false:
                self._put(slot, value, done)
                self.faults.append(at.factory.and_(done, wrong))

    def _wrong(self, variable: Variable, value: Sym) -> Term:
        """The value can't be stored in the variable."""
        at, type = self.at, variable.type
        if isinstance(type, IntType):
            low, high = at.symbolic.atom(type.low), at.symbolic.atom(type.high)
            inside = at.factory.and_(at.symbolic.at_most(low, value), at.symbolic.at_most(value, high))
            return at.factory.not_(inside)
        if isinstance(type, EnumType | RefType | UnionType) and isinstance(value, Choice):
            return value.cases.get(None, at.factory.false)
        return at.factory.false
