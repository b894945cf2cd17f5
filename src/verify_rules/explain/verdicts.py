"""Why a pair has its verdict: what decides, what it beats, what would change it."""

from __future__ import annotations

from collections.abc import Iterator

from verify_rules.explain.origins import Env, distinct, least
from verify_rules.explain.reasons import Absent, Decider, Fact, Reason, Source
from verify_rules.explain.statuses import Statuses
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.types import Value
from verify_rules.semantics import Impossible, Instance, Verdict


class Verdicts(Statuses):
    """Explains verdicts."""

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
                facts = distinct(f for i in verdict.deciding for f in self.instance_support(i))
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
        facts = self.instance_support(verdict.deciding[0])
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
            if i.norm.word == "price" and i.norm.condition is not None and self.met(i.norm.condition, i.env)
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
                left = [a for a in standing if not self._would_lift(lift, a.instance, verdict.args)]
                next_level = min((a.level for a in left if a.level is not None), default=None)
                bars = any(a.level == next_level and _word(a.instance.norm) == "forbid" for a in left)
                if len(left) < len(standing) and not bars:
                    found += self.lacking(lift, verdict.args)
        # What somebody has, and doesn't help, comes first; then rules; then what nobody has.
        return tuple(sorted(found, key=lambda a: (a.carrier is None, a.source.what != "rule")))

    def _level(self, norm: m.Norm) -> int:
        level = (norm.strength, _word(norm))
        return next((i for i, x in enumerate(self.model.precedence) if x == level), len(self.model.precedence))

    def _would_lift(self, lift: m.Lift, instance: Instance, args: tuple[Value, ...]) -> bool:
        """Whether a lift, if it applied to the pair, would take the instance out."""
        env = self.env_of(lift, args)
        return any(self._hits(victim, instance, env) for victim in lift.victims)

    def _hits(self, victim: m.Victim, instance: Instance, env: Env) -> bool:
        norm = instance.norm
        if isinstance(victim, m.NamedVictim):
            return norm.block in victim.blocks
        what = self.model.blocks[norm.block].what
        owner = victim.owner
        return (
            (norm.word == victim.word or (victim.word == "forbid" and norm.word == "price"))
            and victim.strength in (None, norm.strength)
            and victim.origin in (None, {"rule": "rules", "ability": "abilities", "effect": "effects"}.get(what))
            # Whose abilities are meant may hang on who carries the lift; then they may be these.
            and (owner is None or not e.free(owner) <= env.keys() or self.value(owner, env) == instance.carrier)
        )

    def lacking(self, clause: m.Norm | m.Lift | m.Trigger, args: tuple[Value, ...]) -> list[Absent]:
        """The clause with what it lacks to apply to the pair; nothing if it can't speak of it, or if it does apply."""
        if not self.could_match(clause, args):
            return []
        options: dict[tuple[Fact, ...], Value] = {}
        for env in self.envs_of(clause, args):
            missing = self.missing(clause, args, env)
            if missing is not None:
                options.setdefault(missing, env.get("self"))
        if not options or () in options:
            return []
        lacks = least(options)
        carried = self.model.blocks[clause.block].what != "rule" and self.is_live(clause, args)
        carrier = self.words.value(options[lacks]) if carried else None
        return [Absent(self.source(clause), lacks, carrier)]

    def missing(
        self, clause: m.Norm | m.Lift | m.Trigger, args: tuple[Value, ...], env: Env
    ) -> tuple[Fact, ...] | None:
        """What a clause lacks, as far as these names go; None if it can't come to speak of the pair."""
        missing: list[Fact] = []
        if not self.is_live(clause, args):
            not_live = self.not_live(clause, args)
            missing = [not_live] if not_live is not None else []
        missing += self.differing(clause, args, env)
        if clause.condition is not None:
            wanted = not (isinstance(clause, m.Norm) and clause.word == "price")
            # What speaks of a carrier, when there is none, is neither so nor not so.
            for part in _parts(clause.condition, wanted):
                if e.free(part) <= env.keys() and bool(self.value(part, env)) != wanted:
                    facts = self.support(part, env, not wanted)[:1]
                    if not facts:
                        return None  # who is who won't change
                    missing += facts
        return distinct(missing)

    def _nearest(self, verdict: Verdict) -> tuple[Absent | None, tuple[Absent, ...]]:
        """The permission that lacks least, and the others."""
        found: list[Absent] = []
        for norm in self.model.norms[verdict.action]:
            if norm.word == "permit":
                found += self.lacking(norm, verdict.args)
        if not found:
            return None, ()
        ranked = sorted(found, key=lambda a: (_nobodys(a), len(a.lacks), a.source.what != "rule", a.source.span))
        return ranked[0], tuple(ranked[1:])

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

    def verdict_fact(self, verdict: Verdict) -> Fact:
        """A verdict in one line, with what decided it, and what that rests on."""
        decider = next((self.source(i.norm) for i in verdict.deciding), None)
        if decider is None and verdict.failure is not None:
            decider = self.requirement(verdict)
        text = self.words.say("verdict", f=self.pair(verdict.action, verdict.args), v=self.words.say(verdict.kind))
        because = self.instance_support(verdict.deciding[0]) if verdict.deciding else ()
        return Fact(text, None, decider, because)

    def verdict_facts(self, verdicts: list[Verdict]) -> Iterator[Fact]:
        """Verdicts, each in one line; those that fail one requirement share theirs, which comes last."""
        failing: dict[Source, list[str]] = {}
        for verdict in verdicts:
            requirement = self.requirement(verdict)
            if requirement is None:
                yield self.verdict_fact(verdict)
            else:
                failing.setdefault(requirement, []).append(self.pair(verdict.action, verdict.args))
        for requirement, pairs in failing.items():
            text = self.words.say("verdict", f=self.words.listed(pairs), v=self.words.say("impossible"))
            yield Fact(text, None, requirement)


def _nobodys(item: Absent) -> bool:
    """Whether a clause belongs to an ability or effect that nobody has."""
    return item.carrier is None and item.source.what != "rule"


def _parts(condition: e.Expr, truth: bool) -> list[e.Expr]:
    """The formulas that all have to have this truth for the condition to have it."""
    if isinstance(condition, e.And) and truth:
        return [part for item in condition.items for part in _parts(item, truth)]
    return [condition]


def _word(norm: m.Norm) -> str:
    return "forbid" if norm.word == "price" else norm.word
