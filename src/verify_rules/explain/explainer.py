"""The explainer: walks the formulas that decided, in the values that they had, and keeps what they rest on.

A true conjunction rests on all its parts, a false one on the false part that rests on least; disjunctions and
quantifiers likewise. So the facts of a reason together make the verdict, by the evaluation of the reference itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from verify_rules.explain.reasons import Absent, Decider, Fact, Origin, Reason, Source
from verify_rules.explain.words import Words
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.show import show_value
from verify_rules.model.types import EnumType, Obj, RefType, Value
from verify_rules.semantics import ClauseInstance, Impossible, Instance, Moment, Run, RunStep, Verdict, obstacle

Env = Mapping[str, Value]
Clause = m.StatusClause | m.Norm | m.Lift


class Explainer:
    """Explains what holds at one moment of a run: after `steps` steps of it (prologue included)."""

    def __init__(self, run: Run, moment: Moment, steps: int, words: Words) -> None:
        self.run = run
        self.model = run.model
        self.moment = moment
        self.steps = steps
        self.words = words

    # ------------------------------------------------------------ sources and origins

    def source(self, clause: Clause) -> Source:
        """The clause's block, citations and line."""
        return self.block_source(clause.block, clause.span)

    def block_source(self, id: str, span: Any = None) -> Source:
        """A block as a source; `span` is the line of the clause in it."""
        block = self.model.blocks[id]
        cites = tuple(str(c) for c in block.citations)
        return Source(block.name, block.what, block.title, cites, span or block.span)

    def origin_of(self, step: RunStep) -> Origin:
        """A step as an origin; its number counts the script's steps from 1 (the prologue has its own)."""
        number = step.number + 1 if step.prologue else step.number + 1 - len(self.run.prologue)
        return Origin(step.text, number, step.prologue, step.span)

    def _origin(self, expr: e.Expr, env: Env) -> Origin | None:
        """The last step that wrote what a formula reads."""
        latest: RunStep | None = None
        for inner in e.walk(expr):
            if not isinstance(inner, e.Get) or self.model.variables[inner.variable].fixed:
                continue
            try:
                owner = None if inner.owner is None else self.moment.value(inner.owner, dict(env))
                index = tuple(self.moment.value(i, dict(env)) for i in inner.index)
            except KeyError:
                continue  # it is about a bound variable, of which there are several
            if inner.owner is not None and not isinstance(owner, Obj):
                continue
            slot = (inner.variable, cast("Obj | None", owner), index)
            # What gave it its value; if it has always had it, the last step that could have changed it.
            step = self.run.origin(*slot, self.steps, changed=True) or self.run.origin(*slot, self.steps)
            if step is not None and (latest is None or step.number > latest.number):
                latest = step
        return None if latest is None else self.origin_of(latest)

    # ------------------------------------------------------------ formulas

    def _value(self, env: Env) -> Callable[[e.Expr], Any]:
        return lambda expr: self.moment.value(expr, dict(env))

    def leaf(self, expr: e.Expr, env: Env, truth: bool) -> Fact:
        """A fact that rests on nothing but values."""
        return Fact(self.words.fact(expr, env, truth, self._value(env)), self._origin(expr, env))

    def support(self, expr: e.Expr, env: Env, truth: bool) -> tuple[Fact, ...]:
        """The facts that make the formula true (or false, as it is)."""
        match expr:
            case e.Const() | e.Equal(e.Local() | e.Const(), e.Local() | e.Const()):
                return ()  # who is who needs no reason
            case e.Not(body):
                return self.support(body, env, not truth)
            case e.And(items) | e.Or(items):
                if isinstance(expr, e.And) == truth:
                    return _distinct(fact for item in items for fact in self.support(item, env, truth))
                able = [item for item in items if bool(self.moment.value(item, dict(env))) == truth]
                return _least(self.support(item, env, truth) for item in able)
            case e.Some(bound, body) | e.All(bound, body):
                return self._quantified(expr, bound, body, env, truth)
            case e.DefineIs(name, arguments):
                return (self._defined(expr, name, arguments, env, truth),)
            case e.StatusIs(name, arguments):
                return (self.status(name, tuple(self.moment.value(a, dict(env)) for a in arguments), truth, expr, env),)
            case e.IfElse(condition, yes, no):
                chosen = bool(self.moment.value(condition, dict(env)))
                branch = yes if chosen else no
                return _distinct((*self.support(condition, env, chosen), *self.support(branch, env, truth)))
            case e.Ask():
                return (self._asked(expr, env, truth),)
            case e.Happens():
                return (self._happens(expr, env, truth),)
            case _:
                return (self.leaf(expr, env, truth),)

    def _quantified(
        self, expr: e.Some | e.All, bound: e.Bound, body: e.Expr, env: Env, truth: bool
    ) -> tuple[Fact, ...]:
        values: Iterable[Value]
        if bound.domain is not None:
            domain = self.moment.value(bound.domain, dict(env))
            values = [v for v in self.run.board.candidates(bound.type) if v in domain]
        else:
            values = self.run.board.candidates(bound.type)
        inner = [{**env, bound.name: value} for value in values]
        if isinstance(expr, e.Some) == truth:
            able = [known for known in inner if bool(self.moment.value(body, dict(known))) == truth]
            chosen = _least(self.support(body, known, truth) for known in able)
            domain_fact = () if bound.domain is None else (self.leaf(bound.domain, env, True),)
            return chosen or domain_fact
        facts = _distinct(fact for known in inner for fact in self.support(body, known, truth))
        text = self.words.say("holds" if truth else "fails", f=self.words.formula(expr, env))
        return (Fact(text, self._origin(expr, env), None, facts),)

    def _defined(self, expr: e.DefineIs, name: str, arguments: tuple[e.Expr, ...], env: Env, truth: bool) -> Fact:
        define = self.model.defines[name]
        inner = {p.name: self.moment.value(a, dict(env)) for p, a in zip(define.parameters, arguments, strict=True)}
        text = self.words.fact(expr, env, truth, self._value(env))
        return Fact(text, None, None, self.support(define.body, inner, truth))

    def _asked(self, expr: e.Ask, env: Env, truth: bool) -> Fact:
        from verify_rules.semantics import WILD

        text = self.words.fact(expr, env, truth, self._value(env))
        args = tuple(WILD if a is None else self.moment.value(a, dict(env)) for a in expr.arguments)
        pairs = self.moment.pairs(expr.action, args)
        verdicts = [self.moment.verdict(expr.action, pair) for pair in pairs]
        legal = [v for v in verdicts if v.legal]
        facts = [self.verdict_fact(v) for v in (legal[:1] or verdicts)]
        return Fact(text, None, None, _distinct(facts))

    def _happens(self, expr: e.Happens, env: Env, truth: bool) -> Fact:
        text = self.words.fact(expr, env, truth, self._value(env))
        args = tuple(self.moment.value(a, dict(env)) for a in expr.arguments)
        impossible = obstacle(self.moment, expr.event, args)
        if impossible is None:
            return Fact(text)
        if impossible.verdict is not None:
            return Fact(text, None, None, (self.verdict_fact(impossible.verdict),))
        reason = self.obstacle(impossible)
        return Fact(text, None, reason.requirement, reason.because)

    def verdict_fact(self, verdict: Verdict) -> Fact:
        """A verdict in one line, with what decided it."""
        decider = next((self.source(i.norm) for i in verdict.deciding), None)
        if decider is None and verdict.failure is not None:
            decider = self.requirement(verdict)
        text = self.words.say("verdict", f=self.pair(verdict.action, verdict.args), v=self.words.say(verdict.kind))
        return Fact(text, None, decider)

    # ------------------------------------------------------------ statuses

    def status(self, name: str, args: tuple[Value, ...], truth: bool, expr: e.Expr, env: Env) -> Fact:
        """Why the status holds, or doesn't."""
        text = self.words.fact(expr, env, truth, self._value(env))
        given: list[ClauseInstance] = []
        taken: list[ClauseInstance] = []
        idle: list[ClauseInstance] = []
        for instance in self.moment.clause_instances(name, args):
            applies = self._met(instance.clause.condition, instance.env)
            (idle if not applies else taken if instance.clause.negative else given).append(instance)
        if truth:
            best = _least_of(given, lambda i: self._instance_support(i))
            absent = self._absent_exceptions(name, args, taken + idle, negative=True)
            source = self.source(best.clause) if best else None
            because = self._instance_support(best) if best else ()
            return Fact(text, None, source, because, absent)
        best = _least_of(taken, lambda i: self._instance_support(i))
        if best is not None and (given or not any(i.clause.condition for i in idle if not i.clause.negative)):
            return Fact(text, None, self.source(best.clause), self._instance_support(best))
        because = _distinct(
            fact
            for i in idle
            if not i.clause.negative and i.clause.condition is not None
            for fact in self.support(i.clause.condition, i.env, False)
        )
        return Fact(text, None, None, because)

    def _met(self, condition: e.Expr | None, env: Env) -> bool:
        return condition is None or bool(self.moment.value(condition, dict(env)))

    def _instance_support(self, instance: ClauseInstance | Instance) -> tuple[Fact, ...]:
        """What an instance that applies rests on: its carrier's having the block, and its condition."""
        clause: m.StatusClause | m.Norm = instance.clause if isinstance(instance, ClauseInstance) else instance.norm
        facts: list[Fact] = list(self._carried(clause.block, instance.carrier, instance.env))
        if clause.condition is not None:
            wanted = not (isinstance(clause, m.Norm) and clause.word == "price")
            facts += self.support(clause.condition, instance.env, wanted)
        return _distinct(facts)

    def block_value(self, id: str, env: Env) -> str:
        """The member of its enumeration that an ability or effect is, with these parameters."""
        block = self.model.blocks[id]
        arguments = ", ".join(show_value(env[p.name]) for p in block.parameters if p.name in env)
        return f"{block.name}({arguments})" if arguments else block.name

    def _live_status(self, id: str) -> str | None:
        what = self.model.blocks[id].what
        enum = {"ability": "Ability", "effect": "Effect"}.get(what)
        for status in self.model.statuses.values():
            last = status.parameters[-1].type if status.parameters else None
            if status.live and isinstance(last, EnumType) and last.name == enum:
                return status.name
        return None

    def _carried(self, id: str, carrier: Value, env: Env) -> tuple[Fact, ...]:
        live = self._live_status(id)
        if live is None:
            return ()
        value = self.block_value(id, env)
        kind = RefType(self.model.kind)
        last = self.model.statuses[live].parameters[-1].type
        holder = e.Const(carrier, kind if isinstance(carrier, Obj) else EnumType(""))
        expr = e.StatusIs(live, (holder, e.Const(value, last)))
        return (self.status(live, (carrier, value), True, expr, {}),)

    def _absent_exceptions(
        self, name: str, args: tuple[Value, ...], seen: list[ClauseInstance], negative: bool
    ) -> tuple[Absent, ...]:
        """The clauses that would take the status away, and what each of them lacks."""
        found: list[Absent] = []
        for clause in self.model.status_clauses[name]:
            if clause.negative != negative:
                continue
            own = [i for i in seen if i.clause is clause]
            if own:
                instance = own[0]
                facts = self.support(cast(e.Expr, instance.clause.condition), instance.env, False)
                if facts:
                    found.append(Absent(self.source(clause), facts))
            else:
                lacks = self._not_live(clause, args)
                if lacks is not None:
                    found.append(Absent(self.source(clause), (lacks,)))
        return tuple(found)

    def _not_live(self, clause: Clause, args: tuple[Value, ...]) -> Fact | None:
        """What to say of a clause that nobody carries here; None if it couldn't speak of these arguments anyway."""
        if not self._could_match(clause.patterns, args):
            return None
        block = self.model.blocks[clause.block]
        if block.what not in ("ability", "effect"):
            return None
        for pattern, arg in zip(clause.patterns, args, strict=True):
            if isinstance(pattern, m.Match) and isinstance(pattern.value, e.Local) and pattern.value.name == "self":
                return self._without(clause.block, arg)
        return Fact(self.words.say("nobody", b=self.words.term(block.name)))

    def _without(self, id: str, carrier: Value) -> Fact:
        """That somebody doesn't carry a block; if he would but for a clause that takes it away, that clause."""
        block = self.model.blocks[id]
        text = self.words.say("carries_not", o=self.words.value(carrier), b=self.words.term(block.name))
        live = self._live_status(id)
        if live is None or block.parameters:
            return Fact(text)
        instances = self.moment.clause_instances(live, (carrier, block.name))
        applying = [i for i in instances if self._met(i.clause.condition, i.env)]
        taken = _least_of([i for i in applying if i.clause.negative], self._instance_support)
        if taken is None or all(i.clause.negative for i in applying):
            return Fact(text)
        return Fact(text, None, self.source(taken.clause), self._instance_support(taken))

    def _could_match(self, patterns: tuple[m.Pattern, ...], args: tuple[Value, ...]) -> bool:
        """Whether patterns can speak of the arguments, whoever the carrier is."""
        for pattern, arg in zip(patterns, args, strict=True):
            match pattern:
                case m.Match(e.Const(value)) if value != arg:
                    return False
                case m.Match(e.Local("self", kind)) if isinstance(kind, RefType) and not isinstance(arg, Obj):
                    return False
                case m.Bind(_, _, only) if only is not None and not self._is_of(arg, only):
                    return False
                case _:
                    continue
        return True

    def _is_of(self, value: Value, part: str) -> bool:
        if part == self.model.kind:
            return isinstance(value, Obj)
        if part in self.model.enums:
            return any(member.value == value for member in self.model.enums[part])
        return value == part

    # ------------------------------------------------------------ verdicts

    def pair(self, action: str, args: tuple[Value, ...]) -> str:
        """A pair as it is written."""
        return f"{action}({', '.join(show_value(a) for a in args)})"

    def decider(self, instance: Instance, lifted_by: tuple[Source, ...] = ()) -> Decider:
        """A norm instance, told."""
        norm = instance.norm
        carrier = None if instance.carrier is None else self.words.value(instance.carrier)
        return Decider(self.source(norm), norm.word, norm.strength, carrier, norm.title, lifted_by)

    def requirement(self, verdict: Verdict) -> Source | None:
        """The requirement that fails, as a source: its group if it has one, else the event."""
        failure = verdict.failure
        return None if failure is None else self.failed(failure.require, failure.group, failure.event)

    def failed(self, require: m.Require, group: str | None, event: str) -> Source:
        """A requirement as a source."""
        if group is not None:
            block = self.model.blocks[group]
            cites = tuple(str(c) for c in block.citations)
            return Source(block.name, "rule", require.title or block.title, cites, require.span)
        return Source(event, "event", require.title, (), require.span)

    def verdict(self, verdict: Verdict) -> Reason:
        """Why the pair has this verdict."""
        action = self.pair(verdict.action, verdict.args)
        by = tuple(self.decider(i) for i in verdict.deciding)
        toward = tuple(self.pair(verdict.action, pair) for pair in verdict.toward)
        match verdict.stage:
            case "requires":
                facts: tuple[Fact, ...] = ()
                if verdict.failure is not None:
                    facts = self.support(verdict.failure.require.formula, verdict.failure.env, False)
                return Reason(action, verdict.kind, "requires", (), facts, requirement=self.requirement(verdict))
            case "steering" | "duty":
                facts = _distinct(f for i in verdict.deciding for f in self._instance_support(i))
                return Reason(action, verdict.kind, verdict.stage, by, facts, toward=toward)
            case "norms":
                return self._by_norms(verdict, action, by)

    def _by_norms(self, verdict: Verdict, action: str, by: tuple[Decider, ...]) -> Reason:
        lifted = tuple(
            self.decider(a.instance, tuple(self.source(x.lift) for x in a.lifted_by))
            for a in verdict.applying
            if a.lifted_by and a.level is not None
        )
        if not verdict.deciding:
            nearest, absent = self._nearest(verdict)
            return Reason(action, verdict.kind, "norms", lifted=lifted, nearest=nearest, absent=absent)
        facts = self._instance_support(verdict.deciding[0])
        opposite = "permit" if verdict.kind == "forbidden" else "forbid"
        beats = tuple(
            self.decider(a.instance)
            for a in verdict.applying
            if a.level is not None and not a.lifted_by and _word(a.instance.norm) == opposite
        )
        prices = self._prices(verdict)
        told = {decider.source for decider in prices}
        absent = tuple(item for item in self._would_change(verdict) if item.source not in told)
        return Reason(action, verdict.kind, "norms", by + prices, facts, beats, lifted, absent)

    def _prices(self, verdict: Verdict) -> tuple[Decider, ...]:
        """The prices at which a permitted pair is permitted."""
        if verdict.kind != "permitted":
            return ()
        return tuple(
            self.decider(i)
            for i in self.moment.norm_instances(verdict.action, verdict.args)
            if i.norm.word == "price" and i.norm.condition is not None and self._met(i.norm.condition, i.env)
        )

    def _would_change(self, verdict: Verdict) -> tuple[Absent, ...]:
        """Lifts and stronger norms that would change the verdict, and what each lacks."""
        found: list[Absent] = []
        level = self._level(verdict.deciding[0].norm)
        opposite = "permit" if verdict.kind == "forbidden" else "forbid"
        for norm in self.model.norms[verdict.action]:
            if _word(norm) == opposite and self._level(norm) < level:
                found += self.lacking(norm, verdict.args)
        if verdict.kind == "forbidden":
            standing = [a for a in verdict.applying if a.level is not None and not a.lifted_by]
            for lift in self.model.lifts[verdict.action]:
                left = [a for a in standing if not any(self._hits(v, a.instance.norm) for v in lift.victims)]
                next_level = min((a.level for a in left if a.level is not None), default=None)
                bars = any(a.level == next_level and _word(a.instance.norm) == "forbid" for a in left)
                if len(left) < len(standing) and not bars:
                    found += self.lacking(lift, verdict.args)
        return tuple(sorted(found, key=lambda a: a.source.what != "rule"))

    def _level(self, norm: m.Norm) -> int:
        level = (norm.strength, _word(norm))
        return next((i for i, x in enumerate(self.model.precedence) if x == level), len(self.model.precedence))

    def _hits(self, victim: m.Victim, norm: m.Norm) -> bool:
        if isinstance(victim, m.NamedVictim):
            return norm.block in victim.blocks
        what = self.model.blocks[norm.block].what
        return (
            (norm.word == victim.word or (victim.word == "forbid" and norm.word == "price"))
            and victim.strength in (None, norm.strength)
            and victim.origin in (None, {"rule": "rules", "ability": "abilities", "effect": "effects"}.get(what))
        )

    def lacking(self, clause: m.Norm | m.Lift, args: tuple[Value, ...]) -> list[Absent]:
        """The clause with what it lacks to apply to the pair; nothing if it can't speak of it, or if it does apply."""
        if not self._could_match(clause.patterns, args):
            return []
        env = self._env_of(clause, args)
        missing: list[Fact] = []
        if not self._is_live(clause, args):
            not_live = self._not_live(clause, args)
            missing = [not_live] if not_live is not None else []
        if clause.condition is not None and env is not None:
            wanted = not (isinstance(clause, m.Norm) and clause.word == "price")
            # What speaks of a carrier, when there is none, is neither so nor not so.
            known = [part for part in _parts(clause.condition, wanted) if e.free(part) <= env.keys()]
            for part in known:
                if bool(self.moment.value(part, dict(env))) != wanted:
                    missing += self.support(part, env, not wanted)[:1]
        return [Absent(self.source(clause), tuple(missing))] if missing else []

    def _is_live(self, clause: m.Norm | m.Lift, args: tuple[Value, ...]) -> bool:
        """Whether the block is a rule's, or carried by whom the clause would speak of (anybody, if it doesn't say)."""
        block = self.model.blocks[clause.block]
        if block.what not in ("ability", "effect"):
            return True
        carriers = [carrier for carrier, _ in self.moment.live(clause.block)]
        own = [
            arg
            for pattern, arg in zip(clause.patterns, args, strict=True)
            if isinstance(pattern, m.Match) and pattern.value == e.Local("self", cast(Any, block.holder))
        ]
        return all(arg in carriers for arg in own) and bool(carriers)

    def _env_of(self, clause: m.Norm | m.Lift, args: tuple[Value, ...]) -> dict[str, Value] | None:
        """The names of a clause as if its carrier were the one that its patterns speak of."""
        env: dict[str, Value] = {}
        for pattern, arg in zip(clause.patterns, args, strict=True):
            match pattern:
                case m.Bind(name):
                    env[name] = arg
                case m.Match(e.Local(name)) if name not in env:
                    env[name] = arg
                case _:
                    continue
        return env

    def _nearest(self, verdict: Verdict) -> tuple[Absent | None, tuple[Absent, ...]]:
        """The permission that lacks least, and the others."""
        found: list[Absent] = []
        for norm in self.model.norms[verdict.action]:
            if norm.word == "permit":
                found += self.lacking(norm, verdict.args)
        if not found:
            return None, ()
        ranked = sorted(found, key=lambda a: (len(a.lacks), a.source.what != "rule", a.source.span))
        return ranked[0], tuple(ranked[1:])

    # ------------------------------------------------------------ steps

    def obstacle(self, outcome: Impossible) -> Reason:
        """Why an event can't happen here."""
        if outcome.verdict is not None:
            return self.verdict(outcome.verdict)
        if outcome.failure is None:
            return Reason("", "impossible", "requires")
        failure = outcome.failure
        facts = self.support(failure.require.formula, failure.env, False)
        source = self.failed(failure.require, failure.group, failure.event)
        return Reason("", "impossible", "requires", (), facts, requirement=source)


def _parts(condition: e.Expr, truth: bool) -> list[e.Expr]:
    """The formulas that all have to have this truth for the condition to have it."""
    if isinstance(condition, e.And) and truth:
        return [part for item in condition.items for part in _parts(item, truth)]
    return [condition]


def _word(norm: m.Norm) -> str:
    return "forbid" if norm.word == "price" else norm.word


def _distinct(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(dict.fromkeys(facts))


def _weight(facts: tuple[Fact, ...]) -> int:
    return sum(fact.size for fact in facts)


def _least(options: Iterable[tuple[Fact, ...]]) -> tuple[Fact, ...]:
    return min(options, key=_weight, default=())


def _least_of(
    instances: list[ClauseInstance], facts: Callable[[ClauseInstance], tuple[Fact, ...]]
) -> ClauseInstance | None:
    return min(instances, key=lambda i: _weight(facts(i)), default=None)
