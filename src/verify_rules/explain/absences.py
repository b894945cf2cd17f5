"""Why something is not there: no duty, no exchange that repairs a mistake."""

from __future__ import annotations

from verify_rules.explain.explainer import Explainer
from verify_rules.explain.reasons import Fact
from verify_rules.model.types import Obj, Value
from verify_rules.semantics import RunStep
from verify_rules.semantics.run import difference, exchange, show

Pair = tuple[str, tuple[Value, ...]]


def no_duty(explainer: Explainer, pairs: list[Pair]) -> Fact:
    """Why none of the pairs has to be taken: what would require it, and what each of that lacks.

    A norm that does require a pair binds nobody if the pair may not be taken; then the pair's verdict is the reason.
    """
    moment, words = explainer.moment, explainer.words
    lapsed: list[Fact] = []
    absent = []
    for action, args in pairs:
        verdict = moment.verdict(action, args)
        for applying in moment.applying(action, args):
            if applying.instance.norm.word == "require" and not applying.lifted_by and not verdict.legal:
                source = explainer.source(applying.instance.norm)
                text = words.say("lapsed", f=explainer.pair(action, args), v=words.say(verdict.kind))
                lapsed.append(Fact(text, None, source))
        for norm in explainer.model.norms[action]:
            if norm.word == "require":
                absent += explainer.lacking(norm, args)
    return Fact(words.say("no_duty"), None, None, tuple(dict.fromkeys(lapsed)), tuple(dict.fromkeys(absent)))


def mistake(explainer: Explainer, step: RunStep, pair: tuple[Obj, Obj] | None) -> tuple[Fact, ...]:
    """What exchanging two objects (each pair of them, if none is named) would have made of a mistaken action."""
    objects = step.before.board.objects
    pairs = [pair] if pair is not None else [(x, y) for i, x in enumerate(objects) for y in objects[i + 1 :]]
    return tuple(_exchanged(explainer, step, x, y) for x, y in pairs if x in step.args or y in step.args)


def _exchanged(explainer: Explainer, step: RunStep, x: Obj, y: Obj) -> Fact:
    words = explainer.words
    variable = difference(step.before, x, y)
    if variable is not None:
        return Fact(words.say("unlike", x=show(x), y=show(y), p=words.term(variable)))
    verdict = step.before.verdict(step.event, exchange(step.args, x, y))
    before = Explainer(explainer.run, step.before, step.number, words)
    alike = Fact(words.say("alike", x=show(x), y=show(y)))
    return Fact(alike.text, None, None, (before.verdict_fact(verdict),))
