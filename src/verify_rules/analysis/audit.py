"""`audit`: do the published rulings agree with the rules?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Literal

from verify_rules.analysis.ask import Case, Stopped, asked_pairs, case, stopped
from verify_rules.analysis.readings import cases, deciding
from verify_rules.explain import Words
from verify_rules.model import model as m
from verify_rules.semantics import NotSearched, Readings, Run, Runs, TooManyReadings, Verdict, explore, run
from verify_rules.source import Span

Outcome = Literal[
    "confirmed",
    "refuted",
    "impossible",
    "depends",
    "disputed",
    "stale",
    "out_of_scope",
    "nothing_checked",
    "not_searched",
]
# Worst first: a ruling is as bad as the worst of its expectations.
RANK: tuple[Outcome, ...] = ("refuted", "impossible", "depends", "confirmed")


@dataclass(frozen=True)
class Checked:
    """An expectation: `cases` tell why if it isn't confirmed, `readings` what it depends on.

    `verdicts` are those that it asks for, the open points read by default."""

    text: str
    span: Span
    outcome: Outcome
    readings: tuple[str, ...] = ()
    cases: tuple[Case, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True)
class RulingResult:
    """What became of a ruling.

    `against_defaults`: it depends on readings, and as they are read by default it doesn't hold.
    """

    ruling: m.Ruling
    outcome: Outcome
    expectations: tuple[Checked, ...] = ()
    stopped: Stopped | None = None
    readings: tuple[str, ...] = ()
    note: str = ""
    against_defaults: bool = False


@dataclass
class Audit:
    """The results in source order, and how many there are of each outcome; `claims` are those that nobody searched."""

    results: list[RulingResult] = field(default_factory=list)
    claims: tuple[m.Claim, ...] = ()

    @property
    def summary(self) -> dict[str, int]:
        """The number of rulings of each outcome."""
        counts: dict[str, int] = dict.fromkeys(
            ("confirmed", "refuted", "impossible", "depends", "disputed", "stale", "out_of_scope"), 0
        )
        counts |= {"nothing_checked": 0, "not_searched": 0}
        for result in self.results:
            counts[result.outcome] += 1
        return counts

    @property
    def unchecked(self) -> int:
        """The number of statements of sources that the scripts do not check."""
        return sum(len(result.ruling.unchecked) for result in self.results)

    @property
    def expectations(self) -> int:
        """The number of expectations that were checked."""
        return sum(len(result.expectations) for result in self.results)


def audit(
    model: m.Model,
    rulings: Iterable[m.Ruling],
    words: Words,
    older: Callable[[date, str], m.Model | None] | None = None,
) -> Iterator[RulingResult]:
    """Check rulings one by one, in order; `older` gives the model of an earlier day.

    Claims, of each ruling: `confirmed` iff under every assignment of the readings all steps can happen and every
    expectation is true in the reference; `refuted` iff some expectation is true under none, although its place is
    reached under one; `impossible` iff under each some step can't happen; `depends` iff the readings make the
    difference. A ruling that isn't in force on the day asked about is judged by the rules of its own last (or first)
    day; `stale` iff these confirm it and those asked for don't. `nothing_checked` and `not_searched` are no answer;
    `disputed` and `out_of_scope` are what the file says.
    """
    for ruling in rulings:
        day = _own_day(ruling, model.as_of)
        if day is None or older is None:
            yield audit_ruling(model, ruling, words)
        else:
            yield _dated(model, ruling, words, day, older)


def _own_day(ruling: m.Ruling, as_of: date | None) -> date | None:
    """A day on which the ruling is in force, if it isn't on `as_of` (None: the newest)."""
    since, until = ruling.meta.since, ruling.meta.until
    if until is not None and (as_of is None or as_of >= until):
        return until - timedelta(days=1)
    if since is not None and as_of is not None and as_of < since:
        return since
    return None


def _dated(
    model: m.Model, ruling: m.Ruling, words: Words, day: date, older: Callable[[date, str], m.Model | None]
) -> RulingResult:
    then = older(day, ruling.span.path)
    own = None if then is None else next((r for r in then.rulings if r.name == ruling.name), None)
    now = audit_ruling(model, ruling, words)
    if now.outcome in ("confirmed", "out_of_scope", "nothing_checked", "not_searched"):
        return now
    if then is None or own is None:
        return RulingResult(ruling, "not_searched", note=words.say("note_unloaded", day=day))
    before = audit_ruling(then, own, Words(then, words.language))
    if before.outcome != "confirmed":
        return replace(before, note=words.say("note_then", day=day))
    since = ruling.meta.since
    early = since is not None and model.as_of is not None and model.as_of < since
    note = words.say("note_early" if early else "note_late", day=day)
    return replace(now, outcome="stale", note=note, against_defaults=False)


def audit_ruling(model: m.Model, ruling: m.Ruling, words: Words) -> RulingResult:
    """Check one ruling (see `audit`)."""
    if ruling.out_of_scope is not None:
        return RulingResult(ruling, "out_of_scope", note=ruling.out_of_scope)
    if not ruling.expectations:
        return RulingResult(ruling, "nothing_checked", note=words.say("note_nothing"))
    try:
        result = _checked(model, ruling, words)
    except (NotSearched, TooManyReadings) as error:
        return RulingResult(ruling, "not_searched", note=str(error))
    if ruling.meta.disputed is not None and result.outcome in ("refuted", "impossible", "depends"):
        return replace(result, outcome="disputed", note=ruling.meta.disputed)
    return result


Leaves = list[tuple[dict[str, str], bool | None]]


def _checked(model: m.Model, ruling: m.Ruling, words: Words) -> RulingResult:
    runs = Runs(model, ruling.scenario)
    untouched = Readings(model)
    by_default = runs.under(untouched)
    values = [x.holds for x in by_default.expectations]
    if untouched.touched:
        stops = explore(model, lambda readings: runs.under(readings).stopped is not None)
        every = [_leaves(model, runs, number) for number in range(len(values))]
    else:
        stops = [({}, by_default.stopped is not None)]
        every = [[({}, value)] for value in values]
    found = tuple(
        _expectation(model, ruling, number, line, leaves, by_default, words)
        for number, (line, leaves) in enumerate(zip(ruling.expectations, every, strict=True))
    )
    if all(stop for _, stop in stops):
        return RulingResult(ruling, "impossible", found, stopped(by_default, words))
    outcome = next(o for o in RANK if any(x.outcome == o for x in found))
    readings = tuple(dict.fromkeys((*(name for x in found for name in x.readings), *deciding(model, stops))))
    first = found_by_default(ruling, values) and by_default.stopped is None
    if outcome == "confirmed" and any(stop for _, stop in stops):
        # Every expectation holds where it stands, but under some readings the script can't be played to its end.
        options = next(options for options, stop in stops if stop)
        told = (f"{name} = {options[name]}" for name in deciding(model, stops))
        note = words.say("note_step", r=words.listed(told))
        why = stopped(run(model, ruling.scenario, Readings(model, options)), words)
        return RulingResult(ruling, "depends", found, why, readings, note, not first)
    return RulingResult(ruling, outcome, found, readings=readings, against_defaults=outcome == "depends" and not first)


def _leaves(model: m.Model, runs: Runs, number: int) -> Leaves:
    """What expectation `number` comes to under the readings: one alone looks at fewer of them than all together."""
    return explore(model, lambda readings: runs.holds(number, readings))


def found_by_default(ruling: m.Ruling, values: Sequence[bool | None]) -> bool:
    """Whether all expectations but the open ones are true, given their values as the readings are read by default."""
    return all(
        value is True or (isinstance(line, m.ExpectFormula) and line.open)
        for line, value in zip(ruling.expectations, values, strict=True)
    )


def _expectation(
    model: m.Model,
    ruling: m.Ruling,
    number: int,
    line: m.Expectation,
    leaves: Leaves,
    by_default: Run,
    words: Words,
) -> Checked:
    results = {value for _, value in leaves}
    readings = deciding(model, leaves)
    outcome: Outcome
    if isinstance(line, m.ExpectFormula) and line.open:
        outcome = "confirmed" if {True, False} <= results else "refuted"
    elif results == {True}:
        outcome = "confirmed"
    elif results == {None}:
        outcome = "impossible"
    else:
        outcome = "depends" if True in results else "refuted"
    told: tuple[Case, ...] = ()
    if outcome in ("refuted", "depends"):
        until = _until(ruling.scenario, number)
        told = tuple(
            case(run(model, until, Readings(model, options)), line, options, words)
            for options, _ in cases(model, leaves)
        )
    verdicts = _verdicts(by_default, number)
    if isinstance(line, m.ExpectFormula) and line.open:
        readings = readings if outcome == "refuted" else ()
    return Checked(line.text, line.span, outcome, readings, told, verdicts)


def _verdicts(done: Run, number: int) -> tuple[Verdict, ...]:
    """The verdicts that an expectation asks for, where the readings are read by default."""
    expected = done.expectations[number]
    if expected.moment is None:
        return ()
    pairs = asked_pairs(expected.moment, expected.line)
    # Without their moments, which remember all that was computed: results are kept, by the thousand.
    return tuple(replace(expected.moment.verdict(action, args), moment=None) for action, args in pairs)


def _until(scenario: m.Scenario, number: int) -> m.Scenario:
    """The scenario up to its expectation `number` (from 0)."""
    lines: list[m.Line] = []
    seen = 0
    for line in scenario.lines:
        if isinstance(line, m.ExpectFormula | m.ExpectMistake):
            if seen == number:
                break
            seen += 1
        lines.append(line)
    return m.Scenario(scenario.entries, tuple(lines))
