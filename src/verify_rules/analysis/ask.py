"""`ask`: what is so at the end of a scenario, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from verify_rules.analysis.readings import cases, deciding
from verify_rules.explain import Explainer, Fact, Pair, Reason, Words, mistake, no_duty
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.types import Value
from verify_rules.semantics import WILD, Fault, Happened, Impossible, Moment, Readings, Run, Runs, RunStep, explore
from verify_rules.semantics.run import repaired, show
from verify_rules.source import Span


@dataclass(frozen=True)
class Stopped:
    """A step that could not happen (or that would set a value out of range), so that nothing after it can be asked."""

    text: str
    number: int
    prologue: bool
    span: Span
    reason: Reason | None
    fault: str = ""


@dataclass(frozen=True)
class Case:
    """The answer under some readings: `value` is None if a step could not happen (`stopped`).

    `pairs` are the pairs that were asked about with their reasons, `because` what a question about no pair rests on.
    """

    readings: Mapping[str, str]
    value: bool | None
    pairs: tuple[Reason, ...] = ()
    because: tuple[Fact, ...] = ()
    stopped: Stopped | None = None


@dataclass(frozen=True)
class Answer:
    """The answer to a question; `depends` names the readings that decide it, with a case for each way to read them.

    Otherwise there is one case for all readings.
    """

    question: str
    answer: Literal["yes", "no", "depends", "impossible"]
    cases: tuple[Case, ...]
    depends: tuple[str, ...] = ()


def ask(
    model: m.Model,
    scenario: m.Scenario,
    questions: Sequence[m.Expectation],
    words: Words,
    given: Mapping[str, str] | None = None,
) -> list[Answer]:
    """Answer each question at the end of the scenario.

    Claims: `yes` (`no`) iff the formula is true (false) after all steps under every assignment of the readings that
    agrees with `given`; `impossible` iff under each some step can't happen; `depends` iff they differ, and then the
    named readings decide it. Of `open F`: `yes` iff F is true under one and false under another; `no` iff it isn't,
    and not impossible. Scenarios with unknowns raise `NotSearched`, questions that look at too many readings
    `TooManyReadings`.
    """
    answers = []
    runs = Runs(model, scenario)
    for question in questions:
        leaves = explore(model, partial(_truth, runs, question), given)
        answers.append(_sum_up(runs, question, leaves, words, dict(given or {})))
    return answers


def _truth(runs: Runs, question: m.Expectation, readings: Readings) -> bool | None:
    done = runs.under(readings)
    return None if done.stopped is not None else truth(done, question)


def truth(done: Run, question: m.Expectation) -> bool:
    """Whether the question's formula is true at the end of a run."""
    match question:
        case m.ExpectFormula(formula):
            return bool(done.final.value(formula))
        case m.ExpectMistake(pair):
            mistakes = [step for step in done.steps if step.mistaken]
            if not mistakes:
                return False
            objects = done.board.objects
            if pair is not None:
                return repaired(mistakes[-1], *pair)
            every = [(x, y) for i, x in enumerate(objects) for y in objects[i + 1 :]]
            return not any(repaired(mistakes[-1], x, y) for x, y in every)


def asked_pairs(moment: Moment, question: m.Expectation) -> list[tuple[str, tuple[Value, ...]]]:
    """The pairs (action, arguments) that a question speaks about."""
    if not isinstance(question, m.ExpectFormula):
        return []
    found: list[tuple[str, tuple[Value, ...]]] = []
    todo: list[e.Expr] = [question.formula]
    while todo:
        expr = todo.pop(0)
        match expr:
            case e.Ask(_, action, arguments):
                args = tuple(WILD if a is None else moment.value(a) for a in arguments)
                found += [(action, pair) for pair in moment.pairs(action, args)]
            case e.Happens(event, arguments) if moment.board.model.events[event].action:
                args = tuple(moment.value(a) for a in arguments)
                found += [(event, pair) for pair in moment.pairs(event, args)]
            case e.Not() | e.And() | e.Or():
                todo += e.children(expr)
            case _:
                continue
    return list(dict.fromkeys(found))


def _sum_up(
    runs: Runs,
    question: m.Expectation,
    truths: list[tuple[dict[str, str], bool | None]],
    words: Words,
    given: dict[str, str],
) -> Answer:
    model = runs.model
    readings = deciding(model, truths)
    told = []
    for options, _ in cases(model, truths):
        done = runs.under(Readings(model, given | options))
        told.append(case(done, question, options, words))
    values = {c.value for c in told}
    answer: Literal["yes", "no", "depends", "impossible"]
    if values == {None}:
        answer = "impossible"
    elif isinstance(question, m.ExpectFormula) and question.open:
        answer = "yes" if {True, False} <= values else "no"
    elif readings:
        answer = "depends"
    else:
        answer = "yes" if values == {True} else "no"
    return Answer(question.text, answer, tuple(told), readings)


def case(done: Run, question: m.Expectation, options: Mapping[str, str], words: Words) -> Case:
    """The answer in one run, with its reasons."""
    explainer = Explainer(done, done.final, len(done.all_steps), words)
    if done.stopped is not None:
        return Case(options, None, stopped=stopped(done, words))
    value = truth(done, question)
    asked = asked_pairs(done.final, question)
    pairs = tuple(explainer.verdict(done.final.verdict(action, args)) for action, args in asked)
    return Case(options, value, pairs, _because(explainer, done, question, value, asked))


def _because(
    explainer: Explainer, done: Run, question: m.Expectation, value: bool, asked: list[Pair]
) -> tuple[Fact, ...]:
    """What the answer rests on besides the verdicts on the pairs that were asked about."""
    match question:
        case m.ExpectMistake(pair):
            mistakes = [step for step in done.steps if step.mistaken]
            return mistake(explainer, mistakes[-1], pair) if mistakes else ()
        case m.ExpectFormula(formula):
            inner = formula
            while isinstance(inner, e.Not):
                inner = inner.body
            if isinstance(inner, e.Ask) and inner.modality in ("must", "need not"):
                free = not any(done.final.duty(action, args[:1]) for action, args in asked)
                return (no_duty(explainer, asked),) if free and asked else ()
            # A verdict says it all if nothing else was asked; joined with anything it may not be what decides.
            alone = isinstance(inner, e.Ask | e.Happens) and bool(asked)
            return () if alone else explainer.support(formula, {}, value)


def stopped(done: Run, words: Words) -> Stopped:
    """Why a run could not go on."""
    step: RunStep | None = done.stopped
    assert step is not None
    number = step.number + 1 if step.prologue else step.number + 1 - len(done.prologue)
    explainer = Explainer(done, step.before, step.number, words)
    match step.outcome:
        case Impossible():
            return Stopped(step.text, number, step.prologue, step.span, explainer.obstacle(step.outcome))
        case Fault(assign, value):
            variable = done.model.variables[assign.variable]
            fault = words.say("fault", p=words.plain(variable.name), v=show(value), t=variable.type)
            return Stopped(step.text, number, step.prologue, step.span, None, fault)
        case Happened():
            raise AssertionError("a step that happened stops nothing")
