"""A scenario, run: the board, every step with the moments around it, and what the expectations come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from verify_rules.model.model import (
    Entry,
    Expectation,
    ExpectFormula,
    ExpectMistake,
    Model,
    Scenario,
    SetupStep,
    Step,
    UnknownSteps,
)
from verify_rules.model.types import Obj, Value
from verify_rules.semantics.evaluate import Env, in_order
from verify_rules.semantics.events import Happened, Outcome, apply, with_defaults
from verify_rules.semantics.moment import Moment
from verify_rules.semantics.readings import Readings
from verify_rules.semantics.state import Board, Index, NotSearched, board_of
from verify_rules.semantics.verdict import Args
from verify_rules.source import Span


@dataclass(frozen=True)
class RunStep:
    """An event of the prologue or the script; `number` counts all of them from 0."""

    number: int
    event: str
    args: Args
    text: str
    span: Span
    prologue: bool
    mistaken: bool
    before: Moment = field(repr=False)
    outcome: Outcome = field(repr=False)
    after: Moment | None = field(repr=False)


@dataclass(frozen=True)
class Expected:
    """An expectation and the moment it speaks about; `steps` is the number of steps before it.

    `moment` is None if the run stopped earlier, and so is `holds`.
    """

    line: Expectation
    moment: Moment | None = field(repr=False)
    steps: int
    mistake: RunStep | None = field(repr=False)

    @cached_property
    def holds(self) -> bool | None:
        """The truth of the expectation here; of an open one, of its formula (compare it over the readings)."""
        if self.moment is None:
            return None
        match self.line:
            case ExpectFormula(formula):
                return bool(self.moment.value(formula))
            case ExpectMistake(pair):
                return self.mistake is not None and _mistake_as_expected(self.mistake, pair)


@dataclass(frozen=True)
class Run:
    """A scenario that was run. `stopped` is the step that couldn't happen or had a fault, if there is one."""

    model: Model
    scenario: Scenario
    board: Board
    readings: Readings
    prologue: tuple[RunStep, ...]
    steps: tuple[RunStep, ...]
    expectations: tuple[Expected, ...]
    final: Moment
    stopped: RunStep | None

    @property
    def all_steps(self) -> tuple[RunStep, ...]:
        """The steps of the prologue, then those of the script."""
        return self.prologue + self.steps

    def origin(
        self,
        variable: str,
        obj: Obj | None = None,
        index: Index = (),
        at_step: int | None = None,
        changed: bool = False,
    ) -> RunStep | None:
        """The step that last wrote the slot (with `changed`: gave it another value); None: it is as at the start.

        `at_step` looks at the steps with a smaller number only. Which line wrote it is in `step.outcome.writes`.
        """
        for step in reversed(self.all_steps[:at_step]):
            if isinstance(step.outcome, Happened):
                write = step.outcome.writes.get((variable, obj, index))
                if write is not None and (write.changed or not changed):
                    return step
        return None


def run(model: Model, scenario: Scenario, readings: Readings | None = None) -> Run:
    """Runs a scenario to its end or to the first step that can't happen. One with unknowns raises `NotSearched`."""
    return Runs(model, scenario).under(readings)


@dataclass(frozen=True)
class _Played:
    """A step that happened, with the options of all readings that were looked at until it had."""

    touched: dict[str, str]
    outcome: Happened


class Runs:
    """Runs one scenario under different readings; steps that look at no reading which differs are played only once.

    Raises `NotSearched` for a scenario with unknowns.
    """

    def __init__(self, model: Model, scenario: Scenario) -> None:
        for line in scenario.lines:
            if isinstance(line, UnknownSteps):
                raise NotSearched("steps that aren't said", line.span)
        self.model = model
        self.scenario = scenario
        self.board = board_of(model, scenario)
        self._played: dict[int, list[_Played]] = {}
        self._whole: list[tuple[dict[str, str], Run]] = []

    def under(self, readings: Readings | None = None) -> Run:
        """The scenario under the readings (default: as they are read by default), which nobody has looked at yet."""
        readings = Readings(self.model) if readings is None else readings
        done = _Runner(self, readings).run()
        self._whole.append((dict(readings.touched), done))
        return done

    def holds(self, number: int, readings: Readings) -> bool | None:
        """The truth of expectation `number` (from 0) under the readings; None if the script doesn't come so far."""
        for touched, done in self._whole:
            expected = done.expectations[number]
            if not isinstance(expected.line, ExpectMistake) and touched.items() <= readings.assignment.items():
                for name in touched:
                    readings[name]  # the steps looked at it
                if expected.moment is None:
                    return None
                # What the other run's moment remembers depends on that run's readings.
                return bool(Moment(self.board, expected.moment.state, readings).value(expected.line.formula))
        return self.under(readings).expectations[number].holds

    def known(self, number: int, readings: Readings) -> Happened | None:
        """What step `number` did in an earlier run that had read all open points in the same way until then."""
        for played in self._played.get(number, ()):
            if played.touched.items() <= readings.assignment.items():
                for name in played.touched:
                    readings[name]  # it was looked at: the step depends on it in this run, too
                return played.outcome
        return None

    def keep(self, number: int, readings: Readings, outcome: Happened) -> None:
        """Remember what a step did."""
        self._played.setdefault(number, []).append(_Played(dict(readings.touched), outcome))


def show(value: Value) -> str:
    """A value as it is written."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, frozenset):
        return "{" + ", ".join(show(v) for v in in_order(value)) + "}"
    return str(value)


def bottom_up(entries: tuple[Entry, ...]) -> list[Entry]:
    """The entries in play, each after those that lie under it, otherwise as they are declared."""
    waiting = [entry for entry in entries if entry.in_play]
    placed: list[Entry] = []
    while waiting:
        free = (e for e in waiting if not any(e.object in w.under for w in waiting))
        entry = next(free, waiting[0])
        waiting.remove(entry)
        placed.append(entry)
    return placed


class _Runner:
    """Does the steps one by one until one can't happen."""

    def __init__(self, runs: Runs, readings: Readings) -> None:
        self.runs = runs
        self.model = runs.model
        self.scenario = runs.scenario
        self.readings = readings
        self.board = runs.board
        self.moment = Moment(self.board, self.board.start, readings)
        self.done: list[RunStep] = []
        self.stopped: RunStep | None = None
        self.mistake: RunStep | None = None

    def run(self) -> Run:
        self._prologue()
        prologue = tuple(self.done)
        expectations: list[Expected] = []
        for line in self.scenario.lines:
            match line:
                case Step():
                    self._step(line)
                case ExpectFormula() | ExpectMistake():
                    moment = self.moment if self.stopped is None else None
                    expectations.append(Expected(line, moment, len(self.done), self.mistake))
                case UnknownSteps():
                    pass
        return Run(
            self.model,
            self.scenario,
            self.board,
            self.readings,
            prologue,
            tuple(self.done[len(prologue) :]),
            tuple(expectations),
            self.moment,
            self.stopped,
        )

    def _prologue(self) -> None:
        setup = self.model.setup
        entries = self.scenario.entries
        env: dict[Obj, Env] = {
            entry.object: {
                setup.name: entry.object,
                setup.below: frozenset(e.object for e in entries if entry.object in e.under),
            }
            for entry in entries
        }
        for entry in bottom_up(entries):
            if setup.in_play is not None:
                self._setup(setup.in_play, env[entry.object])
        for step in setup.then:
            self._setup(step, {})
        for entry in entries:
            if entry.in_play:
                for flag in entry.flags:
                    self._setup(setup.flags[flag], env[entry.object])

    def _setup(self, step: SetupStep, env: Env) -> None:
        args = tuple(self.moment.value(a, env) for a in step.arguments)
        text = f"{step.event}({', '.join(map(show, args))})"
        self._happen(step.event, args, text, step.span, prologue=True)

    def _step(self, step: Step) -> None:
        args = tuple(self.moment.value(a) for a in step.arguments)
        done = self._happen(step.event, args, step.text, step.span, mistaken=step.mistaken)
        if done is not None and step.mistaken:
            self.mistake = done

    def _happen(
        self, event: str, args: Args, text: str, span: Span, prologue: bool = False, mistaken: bool = False
    ) -> RunStep | None:
        if self.stopped is not None:
            return None
        before = self.moment
        args = with_defaults(self.model.events[event], args)
        outcome: Outcome | None = self.runs.known(len(self.done), self.readings)
        if outcome is None:
            outcome = apply(before, event, args, mistaken)
            if isinstance(outcome, Happened):
                self.runs.keep(len(self.done), self.readings, outcome)
        after = Moment(self.board, outcome.state, self.readings) if isinstance(outcome, Happened) else None
        step = RunStep(len(self.done), event, args, text, span, prologue, mistaken, before, outcome, after)
        self.done.append(step)
        if after is None:
            self.stopped = step
        else:
            self.moment = after
        return step


def _mistake_as_expected(mistake: RunStep, pair: tuple[Obj, Obj] | None) -> bool:
    if pair is not None:
        return repaired(mistake, *pair)
    return not any(repaired(mistake, x, y) for x, y in combinations(mistake.before.board.objects, 2))


def repaired(mistake: RunStep, x: Obj, y: Obj) -> bool:
    """Had the two objects, alike in all but their clock, been exchanged, the mistaken action would have been legal."""
    if x not in mistake.args and y not in mistake.args:
        return False
    exchanged = mistake.before.verdict(mistake.event, exchange(mistake.args, x, y))
    return difference(mistake.before, x, y) is None and exchanged.legal


def exchange(args: Args, x: Obj, y: Obj) -> Args:
    """The arguments with the two objects exchanged."""
    return tuple(_exchange(arg, x, y) for arg in args)


def difference(moment: Moment, x: Obj, y: Obj) -> str | None:
    """The first variable, clocks aside, that exchanging the two objects would change; None if they are alike."""
    for variable in moment.board.model.variables.values():
        if variable.clock:
            continue
        owners: tuple[Obj | None, ...] = moment.board.objects if variable.of_kind else (None,)
        for index in moment.program.indices[variable.name]:
            for owner in owners:
                mirrored = moment.read(variable.name, _exchange(owner, x, y), index)
                if _exchange(moment.read(variable.name, owner, index), x, y) != mirrored:
                    return variable.name
    return None


def _exchange(value: Value, x: Obj, y: Obj) -> Value:
    if isinstance(value, frozenset):
        return frozenset(y if v is x else x if v is y else v for v in value)
    return y if value is x else x if value is y else value
