"""What the laws need: generated rulebooks through the real front end, and the comparison of the two meanings.

Reference and encoding of a board are both turned into *observations*: a dictionary from what was looked at (a step, a
slot of a state, a status, a verdict, an expectation) to what was seen.
"""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from generate import Rulebook, rulebook
from generate_formulas import Dice
from verify_rules.diagnostics import Diagnostic, Reporter, render
from verify_rules.encode import VERDICTS, Choice, Encoding, Norms, Sym, Term
from verify_rules.encode.unroll import EncodedStep
from verify_rules.encode.walks import evaluate_all
from verify_rules.model import lints, strata
from verify_rules.model.elaborate import elaborate
from verify_rules.model.expr import Ask, By, Const, Happens, Triggers, walk
from verify_rules.model.model import Do, ExpectFormula, ExpectMistake, Model, Scenario
from verify_rules.model.types import (
    BoolType,
    EnumType,
    IntType,
    Obj,
    OptionalType,
    RefType,
    SetType,
    Type,
    UnionType,
    Value,
)
from verify_rules.parse import tree as t
from verify_rules.parse.parser import parse_file
from verify_rules.parse.printer import print_item
from verify_rules.semantics import (
    WILD,
    Fault,
    Happened,
    Impossible,
    Moment,
    Readings,
    Run,
    Runs,
    RunStep,
    additions,
    replacement,
)
from verify_rules.source import SourceFile

MOST_READINGS = 16
BOARDS = 4
"""The boards of each rulebook: reading a rulebook costs as much as comparing a board."""
BOOK = "book.md"
Question = Ask | Happens | Triggers
Observations = dict[tuple[Any, ...], Any]

# ---------------------------------------------------------------- through the front end


def text_of(items: Sequence[t.Item]) -> str:
    """The items as a file."""
    return "```rules\n" + "\n\n".join(print_item(item) for item in items) + "\n```\n"


def check(files: Sequence[SourceFile]) -> tuple[Model | None, tuple[Diagnostic, ...]]:
    """The model as `check` sees it; None if there are errors."""
    reporter = Reporter()
    return _checked([parse_file(file, reporter) for file in files], files, reporter)


def _checked(
    documents: Sequence[t.Document], files: Sequence[SourceFile], reporter: Reporter
) -> tuple[Model | None, tuple[Diagnostic, ...]]:
    model = elaborate(documents, {f.path: f for f in files}, reporter, None, "")
    if model is not None and not reporter.failed:
        strata.check(model, reporter)
        lints.check(model, reporter)
    return (None if reporter.failed else model), reporter.diagnostics


@dataclass(frozen=True, repr=False)
class Loaded:
    """A rulebook with its scenarios after the front end."""

    book: Rulebook
    model: Model | None
    diagnostics: tuple[Diagnostic, ...]

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The rulebook as a file."""
        return text_of([*self.book.items, *self.book.scenarios])

    @property
    def errors(self) -> list[Diagnostic]:
        """Why there is no model."""
        return [d for d in self.diagnostics if d.severity == "error"]

    def report(self) -> str:
        """The errors as a user sees them."""
        return "\n".join(render(d, {BOOK: SourceFile(BOOK, self.text)}) for d in self.errors)


def load(book: Rulebook) -> Loaded:
    """The rulebook with its scenarios, printed and read by the whole front end."""
    text = text_of([*book.items, *book.scenarios])
    return Loaded(book, *check([SourceFile(BOOK, text)]))


def load_trees(book: Rulebook) -> Loaded:
    """The same from the trees, at a quarter of the cost: that printing and parsing give them back is a law itself."""
    document = t.Document(BOOK, (*book.items, *book.scenarios))
    return Loaded(book, *_checked([document], [SourceFile(BOOK, "")], Reporter()))


# ---------------------------------------------------------------- what is looked at


def assignments(model: Model) -> list[dict[str, str]]:
    """The assignments of the readings, at most so many, the defaults first."""
    names = list(model.readings)
    options = []
    for reading in model.readings.values():
        others = [o.name for o in reading.options if o.name != reading.default]
        options.append([reading.default, *others])
    chosen = itertools.islice(itertools.product(*options), MOST_READINGS)
    return [dict(zip(names, choice, strict=True)) for choice in chosen]


def status_arguments(model: Model, name: str, candidates: Callable[[Type], Sequence[Value]]) -> Iterator[Any]:
    """All arguments of a status."""
    return itertools.product(*(candidates(p.type) for p in model.statuses[name].parameters))


def pairs(model: Model, action: str, candidates: Callable[[Type], Sequence[Value]]) -> Iterator[Any]:
    """All pairs of an action."""
    return itertools.product(*(candidates(p.type) for p in model.events[action].parameters))


def some_values(model: Model, type: Type, objects: Sequence[Obj]) -> list[Value]:
    """Some values of a type."""
    match type:
        case RefType():
            return list(objects[:2])
        case EnumType(name):
            return [m.value for m in model.enums[name][:2]]
        case UnionType(name):
            return [*objects[:1], *model.unions[name].atoms]
        case IntType(low, high):
            return [high, low]
        case BoolType():
            return [False, True]
        case OptionalType(inner):
            return [*some_values(model, inner, objects), None]
        case SetType(inner):
            return [frozenset(some_values(model, inner, objects)[:1])]  # type: ignore[arg-type]
        case _:
            raise TypeError(type)


def questions(model: Model, objects: Sequence[Obj]) -> list[Question]:
    """Questions with wildcards, about what each block decides, each group makes impossible, each clause triggers on."""
    found: list[Question] = []
    groups = [By(frozenset({block.id}), block.name) for block in model.blocks.values() if block.what == "group"]
    for event in model.events.values():
        values = list(
            itertools.islice(itertools.product(*(some_values(model, p.type, objects) for p in event.parameters)), 3)
        )
        triggering = dict.fromkeys(clause.block for clause in model.triggers[event.name])
        for args in values:
            consts = tuple(Const(value, p.type) for value, p in zip(args, event.parameters, strict=True))
            found += [Happens(event.name, consts, False, by) for by in groups]
            for block in triggering:
                by = By(frozenset({block}), block)
                found.append(Triggers(by, None, event.name, consts))
                if model.blocks[block].holder == RefType(model.kind):
                    found.append(Triggers(by, Const(objects[0], RefType(model.kind)), event.name, consts))
    for action in model.actions:
        types = [p.type for p in action.parameters]
        wild: tuple[Any, ...] = (None,) * len(types)
        patterns = [wild]
        for obj in objects[:2]:
            if types and str(types[0]) in (model.kind, "Holder"):
                patterns.append((Const(obj, types[0]), *wild[1:]))
        for pattern in patterns:
            for modality in ("can", "must", "forbidden", "not permitted", "barred"):
                found.append(Ask(modality, action.name, pattern))
        # Single pairs too: what forbids one by steering or a duty seldom forbids all of a pattern.
        single = itertools.product(*(some_values(model, p.type, objects) for p in action.parameters))
        patterns += [tuple(map(Const, pair, types)) for pair in itertools.islice(single, 3)]
        for pattern in patterns:
            for block in dict.fromkeys(norm.block for norm in model.norms[action.name]):
                by = By(frozenset({block}), block)
                found.append(Ask("forbidden", action.name, pattern, by))
                found.append(Ask("barred", action.name, pattern, by))
    return found


def shown(question: Question) -> tuple[Any, ...]:
    """A question as it is told."""
    args = tuple(a.value if isinstance(a, Const) else "_" for a in question.arguments)
    if isinstance(question, Triggers):
        of = question.carrier.value if isinstance(question.carrier, Const) else "_"
        return ("triggers", question.by.text, of, question.event, args)
    by = () if question.by is None else ("by", question.by.text)
    if isinstance(question, Happens):
        return ("impossible", question.event, args, *by)
    return (question.modality, question.action, args, *by)


# ---------------------------------------------------------------- the reference


def observe_moment(moment: Moment, at: int, seen: Observations) -> None:
    """State, statuses and verdicts at a moment."""
    model, board = moment.board.model, moment.board
    for variable in model.variables.values():
        for owner in board.objects if variable.of_kind else (None,):
            for index in moment.program.indices[variable.name]:
                seen["slot", at, variable.name, owner, index] = moment.read(variable.name, owner, index)
    for name in model.statuses:
        for args in status_arguments(model, name, board.candidates):
            seen["status", at, name, args] = moment.status(name, args)
    for action in model.actions:
        for pair in pairs(model, action.name, board.candidates):
            verdict = moment.verdict(action.name, pair)
            seen["verdict", at, action.name, pair] = verdict.kind
            seen["decided", at, action.name, pair, verdict.stage, verdict.kind == "required"] = frozenset(
                (instance.norm.id, instance.carrier) for instance in verdict.deciding
            )


def moments(done: Run) -> Iterator[tuple[int, Moment]]:
    """The moments after the prologue and after each step of the script, with the number of steps before."""
    if done.stopped is not None and done.stopped.prologue:
        return
    first = len(done.prologue)
    yield first, done.steps[0].before if done.steps else done.final
    for number, step in enumerate(done.steps, start=first + 1):
        if step.after is not None:
            yield number, step.after


def observe_run(done: Run, asks: bool = True) -> Observations:
    """All that the reference says about a board."""
    seen: Observations = {}
    for number, step in enumerate(done.all_steps):
        seen["possible", number] = not isinstance(step.outcome, Impossible)
        if isinstance(step.outcome, Impossible) and not step.mistaken:
            failure = step.outcome.failure
            if failure is not None:
                seen["failing", number] = failure.require.formula
        elif not isinstance(step.outcome, Impossible):
            seen["fault", number] = isinstance(step.outcome, Fault)
    for number, moment in moments(done):
        observe_moment(moment, number, seen)
    if done.stopped is None and asks:
        at = len(done.all_steps)
        for n, question in enumerate(questions(done.model, done.board.objects)):
            if isinstance(question, Triggers):
                seen["triggers", at, n, *shown(question)] = done.final.value(question)
                continue
            if isinstance(question, Happens):
                seen["happens", at, n, *shown(question)] = done.final.value(question)
                continue
            args = tuple(WILD if a is None else done.final.value(a) for a in question.arguments)
            answer = done.final.ask(question.modality, question.action, args, question.by)
            seen["ask", at, n, *shown(question)] = answer
    for n, expected in enumerate(done.expectations):
        if expected.moment is not None:
            seen["expected", n] = expected.holds
    return seen


# ---------------------------------------------------------------- the encoding


@dataclass
class Probes:
    """Terms with what each is about; a value is looked up among the terms that are true."""

    terms: list[Term] = field(default_factory=list)
    reads: dict[tuple[Any, ...], tuple[str, tuple[Any, ...], int]] = field(default_factory=dict)

    def add(self, key: tuple[Any, ...], how: str, cases: Iterable[tuple[Any, Term]]) -> None:
        """`how`: `truth` of one term, the `one` case that is true, or `all` of these."""
        listed = list(cases)
        self.reads[key] = (how, tuple(value for value, _ in listed), len(self.terms))
        self.terms += [term for _, term in listed]

    def value(self, key: tuple[Any, ...], value: Sym) -> None:
        """The value of anything."""
        if isinstance(value, Term):
            self.add(key, "truth", [(True, value)])
        else:
            self.add(key, "one" if isinstance(value, Choice) else "all", value.cases.items())

    def observations(self, assignment: Mapping[str, bool | int]) -> Mapping[tuple[Any, ...], Any]:
        """What is seen when the variables have these values."""
        return _Seen(self.reads, evaluate_all(self.terms, assignment))


class _Seen(dict[tuple[Any, ...], Any]):
    """Observations that are read off the terms' values when they are asked for."""

    def __init__(self, reads: dict[tuple[Any, ...], tuple[str, tuple[Any, ...], int]], truths: list[Any]) -> None:
        super().__init__()
        self.reads, self.truths = reads, truths

    def __missing__(self, key: tuple[Any, ...]) -> Any:
        how, values, start = self.reads[key]
        if how == "truth":
            return self.truths[start]
        found = [value for i, value in enumerate(values, start) if self.truths[i]]
        if how == "all":
            return frozenset(found)
        return found[0] if len(found) == 1 else f"not exactly one: {found}"


def probe_state(at: Norms, number: int, probes: Probes) -> None:
    """State, statuses and verdicts at a state."""
    model, board, f = at.model, at.board, at.factory
    for slot, value in (*board.fixed.items(), *at.state.values.items()):
        probes.value(("slot", number, *slot), value)
    for name in model.statuses:
        for args in status_arguments(model, name, board.values_of):
            term = at.status(name, [at.symbolic.const(a) for a in args])
            probes.add(("status", number, name, args), "truth", [(True, term)])
    for action in model.actions:
        for pair in pairs(model, action.name, board.values_of):
            name = action.name
            verdict = at.verdict(name, pair)
            probes.add(("verdict", number, name, pair), "one", [(kind, verdict[kind]) for kind in VERDICTS])
            by_norms = [
                ((i.norm.id, i.carrier), f.and_(level.decides, i.holds))
                for level in at.base(name, pair).levels
                for i in level.instances
            ]
            probes.add(("decided", number, name, pair, "norms", False), "all", by_norms)
            probes.add(("decided", number, name, pair, "requires", False), "all", [])
            steering, duty = at.steering(name, pair), at.duty(name, pair)
            steers = [
                ((i.norm.id, i.carrier), f.and_(term, i.holds))
                for other, term in steering.pairs.items()
                for i in at.instances(name, other, "steer")
            ]
            probes.add(("decided", number, name, pair, "steering", False), "all", steers)
            for required in (False, True):
                duties = [
                    ((i.norm.id, i.carrier), f.and_(term, i.holds))
                    for other, term in duty.pairs.items()
                    for i in at.instances(name, other, "require")
                    if not required or other == pair
                ]
                probes.add(("decided", number, name, pair, "duty", required), "all", duties)


def probe(encoding: Encoding, scenario: Scenario) -> Probes:
    """Terms for all that a run may show."""
    probes = Probes()
    steps: tuple[EncodedStep, ...] = (*encoding.prologue, *encoding.steps)
    for number, step in enumerate(steps):
        probes.add(("possible", number), "truth", [(True, step.possible)])
        probes.add(("fault", number), "truth", [(True, step.fault)])
        probes.add(("failing", number), "one", step.failing)
    first = len(encoding.prologue)
    for number in range(len(encoding.steps) + 1):
        probe_state(encoding.state(number), first + number, probes)
    last = len(steps)
    objects = scenario.objects
    for n, question in enumerate(questions(encoding.model, objects)):
        word = {Happens: "happens", Triggers: "triggers", Ask: "ask"}[type(question)]
        probes.add((word, last, n, *shown(question)), "truth", [(True, encoding.ask(question))])
    for n, expectation in enumerate(encoding.expectations):
        probes.add(("expected", n), "truth", [(True, expectation.term)])
    return probes


def variables_of(model: Model, encoding: Encoding, chosen: Mapping[str, str]) -> dict[str, bool | int]:
    """The values of the variables for an assignment of the readings."""
    found: dict[str, bool | int] = {}
    for reading in model.readings.values():
        for option in reading.options:
            found[f"reading:{reading.name}={option.name}"] = chosen[reading.name] == option.name
    unknown = set(encoding.factory.variables) - set(found)
    assert not unknown, unknown
    return found


# ---------------------------------------------------------------- law 1


@dataclass(frozen=True)
class Difference:
    """Where the two meanings part."""

    scenario: str
    readings: dict[str, str]
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"in {self.scenario} with readings {self.readings}:", *self.lines])


def differences(reference: Observations, encoded: Mapping[tuple[Any, ...], Any], most: int = 12) -> tuple[str, ...]:
    """What isn't the same, in the order in which it was looked at."""
    found: list[str] = []
    for key, value in reference.items():
        other = encoded[key]
        if type(other) is not type(value) or other != value:
            found.append(f"  {' '.join(map(str, key))}: reference {value}, encoding {other}")
            if len(found) == most:
                break
    return tuple(found)


def compare(model: Model, name: str, scenario: Scenario, stats: Counter[str]) -> Difference | None:
    """Law 1 on one board: under every assignment of the readings reference and encoding say the same."""
    encoding = Encoding(model, scenario)
    probes = probe(encoding, scenario)
    runs = Runs(model, scenario)
    for chosen in assignments(model):
        done = runs.under(Readings(model, chosen))
        reference = observe_run(done)
        encoded = probes.observations(variables_of(model, encoding, chosen))
        lines = differences(reference, encoded)
        if lines:
            return Difference(name, chosen, lines)
        count(done, reference, stats)
    stats["pairs"] += 1
    return None


def count(done: Run, seen: Observations, stats: Counter[str]) -> None:
    """What there was to see, for the statistics: a law about nothing proves nothing."""
    stats["runs"] += 1
    stats["runs to the end"] += done.stopped is None
    stats["prologues stopped"] += done.stopped is not None and done.stopped.prologue
    for step in done.steps:
        stats["steps"] += 1
        stats["steps mistaken"] += step.mistaken
        stats[f"steps {type(step.outcome).__name__.lower()}"] += 1
        if isinstance(step.outcome, Happened):
            count_amendments(done, step, stats)
            stats["steps that change something"] += any(w.changed for w in step.outcome.writes.values())
    for key, value in seen.items():
        match key[0]:
            case "verdict":
                stats["verdicts"] += 1
                stats[f"verdict {value}"] += 1
            case "decided":
                stats[f"stage {key[4]}"] += 1
            case "status":
                stats["statuses"] += 1
                stats["statuses that hold"] += value
            case "happens":
                stats["events asked about"] += 1
                stats["events impossible by a group"] += value
            case "triggers":
                stats["triggers asked about"] += 1
                stats["triggers asked about: yes"] += value
            case "ask":
                stats["questions"] += 1
                stats["questions: yes"] += value
            case "expected":
                stats["expectations"] += 1
                stats["expectations that hold"] += value
            case _:
                pass
    for expected in done.expectations:
        if isinstance(expected.line, ExpectFormula) and expected.moment is not None:
            asked = [x for x in walk(expected.line.formula) if isinstance(x, Triggers)]
            stats["triggers in expectations"] += len(asked)
        if isinstance(expected.line, ExpectMistake) and expected.moment is not None:
            stats["mistakes asked about"] += 1
            stats["mistakes repaired"] += expected.line.pair is not None and bool(expected.holds)
    if done.stopped is None:
        for action in done.model.actions:
            for pair in pairs(done.model, action.name, done.board.candidates):
                applying = done.final.applying(action.name, pair)
                stats["pairs at the end"] += 1
                stats["pairs with norms"] += bool(applying)
                stats["pairs with a lifted norm"] += any(a.lifted_by for a in applying)
                stats["pairs with several levels"] += len({a.level for a in applying if a.level is not None}) > 1
                stats["pairs with carriers"] += any(a.instance.carrier is not None for a in applying)


def count_amendments(done: Run, step: RunStep, stats: Counter[str]) -> None:
    """Which amendments acted in a step."""
    assert isinstance(step.outcome, Happened)
    instead = replacement(step.before, step.event, step.args)
    also = list(additions(step.before, step.event, step.args)) if instead is None else []
    stats["steps replaced"] += instead is not None
    stats["steps replaced by another event"] += (
        any(isinstance(p, Do) for p in instead.amendment.parts) if instead else 0
    )
    stats["steps with an addition"] += bool(also)
    stats["steps with several additions"] += len(also) > 1
    carriers = {i.amendment.block for i in also if i.carrier is not None}
    stats["steps with one addition of several carriers"] += len(also) > 1 and len({i.amendment.id for i in also}) < len(
        also
    )
    stats["steps amended by a carrier"] += bool(carriers) or (instead is not None and instead.carrier is not None)
    own = {w.group for w in step.outcome.writes.values() if w.group is not None and w.event != step.event}
    stats["steps amended inside"] += any(done.model.blocks[group].what != "group" for group in own)


# ---------------------------------------------------------------- a failing case made small


def recorded(seed: int) -> list[int]:
    """The choices that the rulebook of a seed was made from."""
    source, choices = random.Random(seed), []

    def below(n: int) -> int:
        choices.append(source.randrange(n))
        return choices[-1]

    rulebook(Dice(below), BOARDS)
    return choices


def replayed(choices: Sequence[int]) -> Rulebook:
    """The rulebook made from these choices, the plainest where they have run out."""
    left = iter(choices)
    return rulebook(Dice(lambda n: min(next(left, 0), n - 1)), BOARDS)


def shrink(choices: list[int], fails: Callable[[Rulebook], bool], seconds: float) -> Rulebook:
    """A plainer rulebook that fails too: choices left out or made plain as long as that is so and there is time."""
    end = time.monotonic() + seconds
    size = max(1, len(choices) // 2)
    while time.monotonic() < end:
        smaller = False
        at = 0
        while at < len(choices) and time.monotonic() < end:
            cut = choices[at : at + size]
            attempts = [choices[:at] + choices[at + size :]]
            if any(cut):
                attempts.append(choices[:at] + [0] * len(cut) + choices[at + size :])
            better = next((x for x in attempts if fails(replayed(x))), None)
            if better is None:
                at += size
            else:
                at += size if len(better) == len(choices) else 0
                choices, smaller = better, True
        if size == 1 and not smaller:
            break
        size = max(1, size // 2)
    return replayed(choices)
