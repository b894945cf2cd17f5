"""The explainer: walks the formulas that decided, in the values that they had, and keeps what they rest on.

A true conjunction rests on all its parts, a false one on the false part that rests on least; disjunctions and
quantifiers likewise. So the facts of a reason together make the verdict, by the evaluation of the reference itself.
"""

from __future__ import annotations

from verify_rules.explain.origins import Env, distinct, least, weight
from verify_rules.explain.reasons import Claim, Fact
from verify_rules.explain.verdicts import Verdicts
from verify_rules.model import expr as e
from verify_rules.model.types import BoolType, EnumType, Value
from verify_rules.semantics import WILD, Verdict, obstacle


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
        claim = Claim(expr, dict(env), truth)
        return (Fact(self.told(expr, env, truth), self.origin(expr, env), None, facts, claim=claim),)

    def _defined(self, expr: e.DefineIs, env: Env, truth: bool) -> Fact:
        define = self.model.defines[expr.define]
        inner = {p.name: self.value(a, env) for p, a in zip(define.parameters, expr.arguments, strict=True)}
        because = self.support(define.body, inner, truth)
        return Fact(self.told(expr, env, truth), None, None, because, claim=Claim(expr, dict(env), truth))

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
        return Fact(self.told(expr, env, truth), None, None, distinct(facts), claim=Claim(expr, dict(env), truth))

    def _answer(self, modality: e.Modality, action: str, pair: tuple[Value, ...]) -> Verdict:
        """The verdict that a question is about: of `barred` that of the norms, whatever the action requires."""
        return self.moment.by_norms(action, pair) if modality == "barred" else self.moment.verdict(action, pair)

    def _happens(self, expr: e.Happens, env: Env, truth: bool) -> Fact:
        text, claim = self.told(expr, env, truth), Claim(expr, dict(env), truth)
        args = tuple(self.value(a, env) for a in expr.arguments)
        impossible = obstacle(self.moment, expr.event, args)
        if impossible is None:
            return Fact(text, claim=claim)
        if impossible.verdict is not None:
            return Fact(text, None, None, (self.verdict_fact(impossible.verdict),), claim=claim)
        reason = self.obstacle(impossible)
        unfit = self.unfit(self.model.events[expr.event].parameters, expr.arguments, env)
        return Fact(text, None, reason.requirement, (*reason.because, *unfit), claim=claim)


def _is_constant(expr: e.Expr) -> bool:
    """Whether a formula has the same value in every state."""
    return all(
        isinstance(inner, e.Const | e.Local | e.SetOf | e.Joined | e.Without | e.Construct) for inner in e.walk(expr)
    )
