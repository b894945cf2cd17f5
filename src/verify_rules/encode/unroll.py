"""A scenario as terms: the board, the prologue and the script step by step, and what is expected on the way."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from verify_rules.encode.board import Board, NotSearched
from verify_rules.encode.formula import Env
from verify_rules.encode.happen import Change, requirements
from verify_rules.encode.norms import Norms, Verdict
from verify_rules.encode.symbolic import Choice, Members, Sym
from verify_rules.encode.terms import Factory, Term
from verify_rules.model.expr import Expr
from verify_rules.model.model import (
    Entry,
    ExpectFormula,
    ExpectMistake,
    Model,
    Scenario,
    SetupStep,
    Step,
    Unknown,
    UnknownSteps,
)
from verify_rules.model.types import Atom, Obj, Value

At = int | Literal["last"]


class EncodedStep:
    """An event of the prologue or the script between two states."""

    def __init__(self, source: Step | SetupStep, before: Norms, env: Env) -> None:
        self.source = source
        self.before = before
        self.event = before.model.events[source.event]
        self.mistaken = isinstance(source, Step) and source.mistaken
        self.arguments: tuple[Sym, ...] = tuple(before.value(a, env) for a in source.arguments)
        names = before.bind(self.event.parameters, self.arguments)
        self._values = [names[p.name] for p in self.event.parameters]
        change = Change(before)
        change.run(self.event, names)
        self.fault = change.fault
        self.after = Norms(before.board, change.after())

    @cached_property
    def possible(self) -> Term:
        """The event can happen; what is told as a mistake was done whether it could or not."""
        if self.mistaken:
            return self.before.factory.true
        return self.before.possible(self.event.name, self.arguments)

    @cached_property
    def goes_on(self) -> Term:
        """The event can happen and has no fault."""
        return self.before.factory.and_(self.possible, self.before.factory.not_(self.fault))

    @cached_property
    def failing(self) -> tuple[tuple[Expr, Term], ...]:
        """The requirements, each with the condition that it is the first one which fails."""
        f = self.before.factory
        names = self.before.bind(self.event.parameters, self.arguments)
        found: list[tuple[Expr, Term]] = []
        earlier: list[Term] = []
        for requirement in requirements(self.before, self.event, names):
            found.append((requirement.part.formula, f.and_(*earlier, f.not_(requirement.holds))))
            earlier.append(requirement.holds)
        return tuple(found)

    def repaired(self, x: Obj, y: Obj) -> Term:
        """Had the two objects been exchanged before the mistake, the action would have been legal."""
        f, at = self.before.factory, self.before
        chosen = f.any_of(
            value.cases[obj]
            for value in self._values
            if isinstance(value, Choice | Members)
            for obj in (x, y)
            if obj in value.cases
        )
        if chosen.is_false:
            return chosen
        alike = self._alike(x, y)
        if alike.is_false:
            return alike
        swapped = [at.symbolic.swapped(value, x, y) for value in self._values]
        return f.and_(chosen, alike, at.possible(self.event.name, swapped))

    def _alike(self, x: Obj, y: Obj) -> Term:
        """The state before is the same with the two objects exchanged, clocks aside."""
        at = self.before
        board, s = at.board, at.symbolic
        other = {x: y, y: x}
        found: list[Term] = []
        for variable in at.model.variables.values():
            if variable.clock:
                continue
            values = board.fixed if variable.fixed else at.state.values
            for slot in board.slots(variable):
                name, owner, index = slot
                image = (name, owner if owner is None else other.get(owner, owner), index)
                equal = s.equal(s.swapped(values[slot], x, y), values[image])
                if equal.is_false:
                    return equal
                found.append(equal)
        return at.factory.all_of(found)


@dataclass(frozen=True)
class EncodedExpectation:
    """What a line of the script expects.

    `before` are the steps of the prologue and the script up to it, `steps` the number of those of the script.
    """

    source: ExpectFormula | ExpectMistake
    at: Norms
    before: tuple[EncodedStep, ...]
    steps: int
    mistake: EncodedStep | None

    @cached_property
    def reached(self) -> Term:
        """All steps before could happen and had no fault."""
        return self.at.factory.all_of(step.goes_on for step in self.before)

    @cached_property
    def term(self) -> Term:
        """What is expected; of an expectation with `open` the formula that is said to depend on a reading."""
        f = self.at.factory
        match self.source:
            case ExpectFormula(formula):
                return self.at.truth(formula, {})
            case ExpectMistake(None):
                if self.mistake is None:
                    return f.true
                pairs = itertools.combinations(self.at.board.objects, 2)
                return f.not_(f.any_of(self.mistake.repaired(x, y) for x, y in pairs))
            case ExpectMistake(pair):
                if self.mistake is None or pair is None:
                    return f.false
                return self.mistake.repaired(*pair)


class Encoding:
    """A scenario as terms of one factory.

    `constraints` say which values the unknowns and the readings may have; every term has its meaning only where they
    hold. A scenario without unknowns whose readings are all given has constant terms only. With `selectors` every
    status clause, norm and lift has a variable `on:ID`; `switched_on` are those variables, to be assumed unless one
    asks what happens without them.
    """

    def __init__(
        self,
        model: Model,
        scenario: Scenario,
        factory: Factory | None = None,
        selectors: bool = False,
        readings: Mapping[str, str] | None = None,
    ) -> None:
        self.model = model
        self.scenario = scenario
        self.board = Board(model, scenario, factory, selectors, readings)
        self.factory = self.board.factory
        self.prologue: tuple[EncodedStep, ...] = ()
        self.steps: tuple[EncodedStep, ...] = ()
        self.start = Norms(self.board, self.board.start())
        expectations: list[EncodedExpectation] = []
        prologue: list[EncodedStep] = []
        now = self.start
        for source, env in self._prologue():
            prologue.append(EncodedStep(source, now, env))
            now = prologue[-1].after
        self.prologue = tuple(prologue)
        script: list[EncodedStep] = []
        mistake: EncodedStep | None = None
        for line in scenario.lines:
            match line:
                case Step():
                    script.append(EncodedStep(line, now, {}))
                    now = script[-1].after
                    if line.mistaken:
                        mistake = script[-1]
                case UnknownSteps():
                    raise NotSearched("steps that aren't said are searched, not encoded line by line", line.span)
                case ExpectFormula() | ExpectMistake():
                    before = (*prologue, *script)
                    expectations.append(EncodedExpectation(line, now, before, len(script), mistake))
        self.steps = tuple(script)
        self.expectations = tuple(expectations)

    @property
    def constraints(self) -> tuple[Term, ...]:
        """What holds of the variables whatever is asked."""
        return tuple(self.board.constraints)

    @property
    def selectors(self) -> Mapping[str, Term]:
        """The variable of each clause by its id; none if the encoding was made without."""
        return self.board.selectors

    @property
    def switched_on(self) -> tuple[Term, ...]:
        """All selectors."""
        return tuple(self.board.selectors.values())

    # ------------------------------------------------------------ questions

    def state(self, at: At = "last") -> Norms:
        """The state after the prologue and `at` steps of the script."""
        count = len(self.steps) if at == "last" else at
        if not 0 <= count <= len(self.steps):
            raise IndexError(f"no state after {count} steps")
        if count:
            return self.steps[count - 1].after
        return self.prologue[-1].after if self.prologue else self.start

    def reached(self, at: At = "last") -> Term:
        """The prologue and the first `at` steps could happen and had no fault."""
        steps = self.steps if at == "last" else self.steps[:at]
        return self.factory.all_of(step.goes_on for step in (*self.prologue, *steps))

    def ask(self, formula: Expr, at: At = "last", env: Env | None = None) -> Term:
        """The truth of a formula."""
        return self.state(at).truth(formula, env or {})

    def value(self, formula: Expr, at: At = "last", env: Env | None = None) -> Sym:
        """The value of a formula."""
        return self.state(at).value(formula, env or {})

    def verdict(self, action: str, arguments: Sequence[Atom], at: At = "last") -> dict[Verdict, Term]:
        """The verdict on a pair: five terms of which exactly one is true."""
        return self.state(at).verdict(action, tuple(arguments))

    # ------------------------------------------------------------ from an assignment back to the game

    def readings(self, assignment: Mapping[str, bool | int]) -> dict[str, str]:
        """The option of each reading."""
        full = self._completed(assignment)
        return {name: str(self.board.symbolic.concrete(value, full)) for name, value in self.board.readings.items()}

    def scenario_of(self, assignment: Mapping[str, bool | int]) -> Scenario:
        """The scenario with every unknown replaced by its value."""
        full = self._completed(assignment)
        values: dict[tuple[Obj, str], Value] = {
            key: self.board.symbolic.concrete(value, full) for key, value in self.board.unknowns.items()
        }
        return replace(self.scenario, entries=tuple(self._closed(entry, values) for entry in self.scenario.entries))

    def _closed(self, entry: Entry, values: Mapping[tuple[Obj, str], Value]) -> Entry:
        known: dict[str, Value | Unknown] = dict(entry.values)
        for (obj, name), value in values.items():
            if obj is entry.object:
                known[name] = value
        return replace(entry, values=known, open_grants=False)

    def _completed(self, assignment: Mapping[str, bool | int]) -> dict[str, bool | int]:
        """The assignment with a value for the variables on which nothing depended, within the constraints."""
        full = dict(assignment)
        groups: dict[str, list[str]] = {}
        for name, variable in self.factory.variables.items():
            if name not in full:
                full[name] = False if variable.sort == "Bool" else variable.low
        for group in self.factory.groups:
            groups.setdefault(group[0].name, [v.name for v in group])
        for names in groups.values():
            if not any(full[name] for name in names):
                free = [name for name in names if name not in assignment]
                if free:
                    full[free[0]] = True
        return full

    # ------------------------------------------------------------ the prologue

    def _prologue(self) -> list[tuple[SetupStep, Env]]:
        """The events of the prologue, each with what the names of the setup stand for."""
        setup = self.model.setup
        symbolic = self.board.symbolic
        in_play = [entry for entry in self.scenario.entries if entry.in_play]

        def names(entry: Entry) -> Env:
            below = frozenset(e.object for e in self.scenario.entries if entry.object in e.under)
            return {setup.name: symbolic.atom(entry.object), setup.below: symbolic.const(below)}

        steps: list[tuple[SetupStep, Env]] = []
        if setup.in_play is not None:
            steps += [(setup.in_play, names(entry)) for entry in bottom_up(in_play)]
        steps += [(step, {}) for step in setup.then]
        for entry in in_play:
            steps += [(setup.flags[flag], names(entry)) for flag in entry.flags]
        return steps


def bottom_up(entries: Sequence[Entry]) -> list[Entry]:
    """An entry comes after all those that lie under it; else they stay in the order in which they are declared."""
    waiting = list(entries)
    done: list[Entry] = []
    while waiting:
        free = (e for e in waiting if not any(e.object in other.under for other in waiting))
        chosen = next(free, waiting[0])
        waiting.remove(chosen)
        done.append(chosen)
    return done
