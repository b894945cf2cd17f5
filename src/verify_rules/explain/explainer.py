"""The explainer: walks the formulas that decided, in the values that they had, and keeps what they rest on.

A true conjunction rests on all its parts, a false one on the false part that rests on least; disjunctions and
quantifiers likewise. So the facts of a reason together make the verdict, by the evaluation of the reference itself.
"""

from __future__ import annotations

from dataclasses import replace

from verify_rules.explain.origins import Env, distinct, least, weight
from verify_rules.explain.reasons import Fact
from verify_rules.explain.verdicts import Verdicts
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.model import Wild
from verify_rules.model.types import BoolType, EnumType, Value
from verify_rules.semantics import WILD, Args, RunStep, Verdict, apply, obstacle, replacement


class Explainer(Verdicts):
    """Explains what holds at one moment of a run: after `steps` steps of it (prologue included)."""

    def support(self, expr: e.Expr, env: Env, truth: bool) -> tuple[Fact, ...]:
        """The facts that make the formula true (or false, as it is)."""
        match expr:
            case e.Const() | e.IsOf(e.Local() | e.Const()):
                return ()  # who is who needs no reason
            case e.Equal(left, right) | e.In(left, right) if _is_constant(left) and _is_constant(right):
                return ()
            case e.Not(body):
                return self.support(body, env, not truth)
            case e.And(items) | e.Or(items):
                if isinstance(expr, e.And) == truth:
                    return distinct(fact for item in items for fact in self.support(item, env, truth))
                able = [item for item in items if bool(self.value(item, env)) == truth]
                return least(self.support(item, env, truth) for item in able)
            case e.Equal(left, right) if isinstance(left.type, BoolType) and isinstance(right.type, BoolType):
                sides = [(side, bool(self.value(side, env))) for side in (left, right)]
                return distinct(fact for side, holds in sides for fact in self.support(side, env, holds))
            case e.Some() | e.All():
                return self._quantified(expr, env, truth)
            case e.DefineIs():
                return (self._defined(expr, env, truth),)
            case e.StatusIs(name, arguments):
                return (self.status(name, tuple(self.value(a, env) for a in arguments), truth, expr, env),)
            case e.IfElse(condition, yes, no):
                chosen = bool(self.value(condition, env))
                branch = yes if chosen else no
                return distinct((*self.support(condition, env, chosen), *self.support(branch, env, truth)))
            case e.Ask():
                return (self._asked(expr, env, truth),)
            case e.Happens():
                return (self._happens(expr, env, truth),)
            case e.Triggers():
                return (self._triggers(expr, env, truth),)
            case _:
                return (self.leaf(expr, env, truth),)

    def _quantified(self, expr: e.Some | e.All, env: Env, truth: bool) -> tuple[Fact, ...]:
        bound, body = expr.bound, expr.body
        values = self.values(bound, env)
        # What is the same in every state is no reason.
        domain = bound.domain if bound.domain is not None and not _is_constant(bound.domain) else None
        if isinstance(expr, e.Some) == truth:
            options: list[tuple[Value, tuple[Fact, ...]]] = []
            for value in values:
                known = {**env, bound.name: value}
                if bool(self.value(body, known)) == truth:
                    member = e.In(e.Const(value, bound.type), domain) if domain is not None else None
                    among = () if member is None else (self.leaf(member, env, True),)
                    options.append((value, distinct((*among, *self.support(body, known, truth)))))
            chosen, facts = min(options, key=lambda option: weight(option[1]))
            others = [self.words.value(value) for value, _ in options if value != chosen]
            if others and any(isinstance(inner, e.Ask) for inner in e.walk(body)):
                # Whoever may (or must) do something is worth naming; that others are alike in values is not.
                facts = (*facts, Fact(self.words.say("likewise", v=self.words.listed(others))))
            return facts
        every = () if domain is None else (self.is_now(domain, env),)
        facts = distinct(
            (*every, *(f for value in values for f in self.support(body, {**env, bound.name: value}, truth)))
        )
        if values and not facts and isinstance(bound.type, EnumType):
            return ()  # members are the same in every state; which objects there are, is a fact of the board
        claim = self.claim(expr, dict(env), truth)
        return (Fact(self.told(expr, env, truth), self.origin(expr, env), None, facts, claim=claim),)

    def _defined(self, expr: e.DefineIs, env: Env, truth: bool) -> Fact:
        define = self.model.defines[expr.define]
        inner = {p.name: self.value(a, env) for p, a in zip(define.parameters, expr.arguments, strict=True)}
        because = self.support(define.body, inner, truth)
        return Fact(self.told(expr, env, truth), None, None, because, claim=self.claim(expr, dict(env), truth))

    def _asked(self, expr: e.Ask, env: Env, truth: bool) -> Fact:
        args = tuple(WILD if a is None else self.value(a, env) for a in expr.arguments)
        verdicts = [self._answer(expr.modality, expr.action, pair) for pair in self.moment.pairs(expr.action, args)]
        required = [v for v in verdicts if v.kind == "required"]
        legal = [v for v in verdicts if v.legal]
        if expr.modality in ("must", "need not"):
            told = required or verdicts
        else:
            told = legal[:1] or verdicts
        facts = list(self.verdict_facts(told))
        facts += self.unfit(self.model.events[expr.action].parameters, expr.arguments, env)
        return Fact(self.told(expr, env, truth), None, None, distinct(facts), claim=self.claim(expr, dict(env), truth))

    def _answer(self, modality: e.Modality, action: str, pair: tuple[Value, ...]) -> Verdict:
        """The verdict that a question is about: of `barred` that of the norms, whatever the action requires."""
        return self.moment.by_norms(action, pair) if modality == "barred" else self.moment.verdict(action, pair)

    def _happens(self, expr: e.Happens, env: Env, truth: bool) -> Fact:
        text, claim = self.told(expr, env, truth), self.claim(expr, dict(env), truth)
        args = tuple(self.value(a, env) for a in expr.arguments)
        impossible = obstacle(self.moment, expr.event, args)
        if impossible is None:
            return Fact(text, claim=claim)
        if impossible.verdict is not None:
            return Fact(text, None, None, (self.verdict_fact(impossible.verdict),), claim=claim)
        reason = self.obstacle(impossible)
        unfit = self.unfit(self.model.events[expr.event].parameters, expr.arguments, env)
        return Fact(text, None, reason.requirement, (*reason.because, *unfit), claim=claim)

    def _triggers(self, expr: e.Triggers, env: Env, truth: bool) -> Fact:
        text, claim = self.told(expr, env, truth), self.claim(expr, dict(env), truth)
        event, args = expr.event, tuple(self.value(a, env) for a in expr.arguments)
        whose = WILD if expr.carrier is None else self.value(expr.carrier, env)
        if truth:
            options = [
                (self.source(found.trigger), at.instance_support(found))
                for found in self.moment.trigger_instances(event, args, expr.by.blocks)
                if isinstance(whose, Wild) or found.carrier == whose
                for at in (self._around(found.trigger, args),)
                if at is not None
            ]
            source, facts = min(options, key=lambda option: weight(option[1]))
            return Fact(text, None, source, facts, claim=claim)
        if obstacle(self.moment, event, args) is not None:
            possible = e.Happens(event, expr.arguments, True, span=expr.span)
            return Fact(text, None, None, (self._happens(possible, env, False),), claim=claim)
        instead = replacement(self.moment, event, args)
        if instead is not None:
            words = self.words.say("replaced", f=self.pair(event, args))
            because = Fact(words, None, self.source(instead.amendment), self.instance_support(instead))
            return Fact(text, None, None, (because,), claim=claim)
        lacks = distinct(
            fact
            for clause in self.model.triggers[event]
            if clause.block in expr.by.blocks
            for fact in self._not_triggering(clause, args, whose)
        )
        silent = Fact(self.words.say("speaks_not", b=expr.by.text, f=self.pair(event, args)))
        return Fact(text, None, None, lacks or (silent,), claim=claim)

    def _around(self, clause: m.Trigger, args: Args) -> Explainer | None:
        """The explainer of the moment at which a clause about an event is asked; None if that never comes."""
        if not clause.after:
            return self
        after = self.moment.following(clause.event, args)
        if after is None:
            return None
        text, outcome = self.pair(clause.event, args), apply(self.moment, clause.event, args)
        step = RunStep(self.steps, clause.event, args, text, clause.span, False, False, self.moment, outcome, after)
        # The run up to here, and the event as its last step.
        before = self.run.all_steps[: self.steps]
        prologue = before[: len(self.run.prologue)]
        run = replace(self.run, prologue=prologue, steps=(*before[len(prologue) :], step))
        return Explainer(run, after, self.steps + 1, self.words, step)

    def _not_triggering(self, clause: m.Trigger, args: Args, whose: Value | Wild) -> tuple[Fact, ...]:
        """What a clause lacks to trigger on the event, of this carrier if one is named."""
        at = self._around(clause, args)
        if at is None:
            return (Fact(self.words.say("faulty", f=self.pair(clause.event, args))),)
        block = self.model.blocks[clause.block]
        silent = Fact(self.words.say("speaks_not", b=self.words.term(block.name), f=self.pair(clause.event, args)))
        if isinstance(whose, Wild):
            lacks = at.lacking(clause, args)
            return lacks[0].lacks if lacks else (silent,)
        if whose not in [carrier for carrier, _ in at.moment.live(clause.block)]:
            return (at.without(clause.block, whose),)
        found = [at.missing(clause, args, known) for known in at.envs_of(clause, args) if known.get("self") == whose]
        return least(facts or (silent,) for facts in found) or (silent,)


def _is_constant(expr: e.Expr) -> bool:
    """Whether a formula has the same value in every state."""
    return all(
        isinstance(inner, e.Const | e.Local | e.SetOf | e.Joined | e.Without | e.Construct) for inner in e.walk(expr)
    )
