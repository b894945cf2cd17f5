"""Why a status holds or doesn't, what a clause that applies rests on, and what one that doesn't would lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from verify_rules.explain.origins import Clause, Env, Origins, distinct, weight
from verify_rules.explain.reasons import Absent, Fact
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.show import show_value
from verify_rules.model.types import EnumType, Obj, RefType, Value
from verify_rules.semantics import AmendmentInstance, ClauseInstance, Instance, TriggerInstance

AnyInstance = ClauseInstance | Instance | AmendmentInstance | TriggerInstance


class Statuses(Origins):
    """Explains statuses by their clauses."""

    def status(self, name: str, args: tuple[Value, ...], truth: bool, expr: e.StatusIs, env: Env) -> Fact:
        """Why the status holds, or doesn't."""
        text = self.told(expr, env, truth)
        claim = self.claim(expr, dict(env), truth)
        given: list[ClauseInstance] = []
        taken: list[ClauseInstance] = []
        idle: list[ClauseInstance] = []
        for instance in self.moment.clause_instances(name, args):
            applies = self.met(instance.clause.condition, instance.env)
            (idle if not applies else taken if instance.clause.negative else given).append(instance)
        if truth:
            best = least_of(given, self.instance_support)
            absent = self._absent_exceptions(name, args, taken + idle, negative=True)
            source = self.source(best.clause) if best else None
            because = self.instance_support(best) if best else ()
            return Fact(text, None, source, because, absent, claim)
        unfit = self.unfit(self.model.statuses[name].parameters, expr.arguments, env)
        if unfit:
            return Fact(text, None, None, tuple(unfit), claim=claim)
        why = () if given else self._not_given(name, args, idle)
        best = least_of(taken, self.instance_support)
        # It is taken away only if it would be there otherwise.
        if best is not None and not why:
            return Fact(text, None, self.source(best.clause), self.instance_support(best), claim=claim)
        return Fact(text, None, None, why, claim=claim)

    def _not_given(self, name: str, args: tuple[Value, ...], idle: list[ClauseInstance]) -> tuple[Fact, ...]:
        """Why no clause gives a status: what each lacks that speaks of the arguments (and whose block is there)."""
        facts: list[Fact] = []
        for instance in idle:
            if not instance.clause.negative and instance.clause.condition is not None:
                facts += self.support(instance.clause.condition, instance.env, False)
        for clause in self.model.status_clauses[name]:
            if (
                not clause.negative
                and self.model.blocks[clause.block].what == "rule"
                and self.could_match(clause, args)
            ):
                facts += self.differing(clause, args, self.env_of(clause, args))
        return distinct(facts)

    def instance_support(self, instance: AnyInstance) -> tuple[Fact, ...]:
        """What an instance that applies rests on: its carrier's having the block, what it compares, its condition."""
        clause = _clause_of(instance)
        facts: list[Fact] = list(self._carried(clause.block, instance.carrier, instance.env))
        for value in _compared(clause):
            known = e.Const(self.value(value, instance.env), value.type)
            facts += self.support(e.Equal(value, known), instance.env, True)
        if clause.condition is not None:
            wanted = not (isinstance(clause, m.Norm) and clause.word == "price")
            facts += self.support(clause.condition, instance.env, wanted)
        return distinct(facts)

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
                    carrier = None if instance.carrier is None else self.words.value(instance.carrier)
                    found.append(Absent(self.source(clause), facts, carrier))
            elif self.could_match(clause, args):
                lacks = self.not_live(clause, args)
                facts = self.differing(clause, args, self.env_of(clause, args)) if lacks is None else (lacks,)
                if facts:
                    found.append(Absent(self.source(clause), facts))
        return tuple(found)

    def not_live(self, clause: Clause, args: tuple[Value, ...]) -> Fact | None:
        """What to say of a clause that nobody carries here; None if it couldn't speak of these arguments anyway."""
        if not self.could_match(clause, args):
            return None
        block = self.model.blocks[clause.block]
        if block.what not in ("ability", "effect"):
            return None
        for pattern, arg in zip(clause.patterns, args, strict=True):
            if isinstance(pattern, m.Match) and isinstance(pattern.value, e.Local) and pattern.value.name == "self":
                return self.without(clause.block, arg)
        return Fact(self.words.block(f"nobody_{block.what}", block.name))

    def without(self, id: str, carrier: Value) -> Fact:
        """That somebody doesn't carry a block; if he would but for a clause that takes it away, that clause."""
        block = self.model.blocks[id]
        text = self.words.block(f"no_{block.what}", block.name, o=self.words.value(carrier))
        live = self._live_status(id)
        if live is None or block.parameters:
            return Fact(text)
        instances = self.moment.clause_instances(live, (carrier, block.name))
        applying = [i for i in instances if self.met(i.clause.condition, i.env)]
        taken = least_of([i for i in applying if i.clause.negative], self.instance_support)
        if taken is None or all(i.clause.negative for i in applying):
            return Fact(text)
        return Fact(text, None, self.source(taken.clause), self.instance_support(taken))

    def could_match(self, clause: Clause, args: tuple[Value, ...]) -> bool:
        """Whether a clause can speak of the arguments, whoever the carrier is and whatever variables say."""
        holder = self.model.blocks[clause.block].holder
        known: dict[str, Value] = {}
        for pattern, arg in zip(clause.patterns, args, strict=True):
            match pattern:
                case m.Match(e.Const(value)) if value is None or value != arg:
                    return False
                case m.Match(e.Local(name)):
                    if name == "self" and holder is not None and not self.run.board.program.admits(holder)(arg):
                        return False
                    if arg is None or known.setdefault(name, arg) != arg:
                        return False
                case m.Bind(name, _, only):
                    if only is not None and not self._is_of(arg, only):
                        return False
                    known[name] = arg
                case _:
                    continue
        return True

    def differing(self, clause: Clause, args: tuple[Value, ...], env: Env) -> tuple[Fact, ...]:
        """The values that a clause wants as arguments, where they aren't these."""
        facts: list[Fact] = []
        for pattern, arg in zip(clause.patterns, args, strict=True):
            if isinstance(pattern, m.Match) and not isinstance(pattern.value, e.Const | e.Local):
                wanted = pattern.value
                if e.free(wanted) <= env.keys() and self.value(wanted, env) != arg:
                    facts += self.support(e.Equal(wanted, e.Const(arg, wanted.type)), env, False)
        return distinct(facts)

    def _is_of(self, value: Value, part: str) -> bool:
        if part == self.model.kind:
            return isinstance(value, Obj)
        if part in self.model.enums:
            return any(member.value == value for member in self.model.enums[part])
        return value == part

    def is_live(self, clause: m.Norm | m.Lift | m.Trigger, args: tuple[Value, ...]) -> bool:
        """Whether the block is a rule's, or carried by whom the clause would speak of (anybody, if it doesn't say)."""
        block = self.model.blocks[clause.block]
        if block.what not in ("ability", "effect"):
            return True
        carriers = [carrier for carrier, _ in self.moment.live(clause.block)]
        own = [
            arg
            for pattern, arg in zip(clause.patterns, args, strict=True)
            if isinstance(pattern, m.Match) and isinstance(pattern.value, e.Local) and pattern.value.name == "self"
        ]
        return all(arg in carriers for arg in own) and bool(carriers)

    def env_of(self, clause: Clause, args: tuple[Value, ...]) -> dict[str, Value]:
        """The names of a clause as if its carrier were the one that its patterns speak of."""
        env: dict[str, Value] = {}
        for pattern, arg in zip(clause.patterns, args, strict=True):
            match pattern:
                case m.Bind(name) | m.Match(e.Local(name)):
                    env.setdefault(name, arg)
                case _:
                    continue
        return env

    def envs_of(self, clause: Clause, args: tuple[Value, ...]) -> list[dict[str, Value]]:
        """The same for each carrier that has the block, if somebody has it."""
        own = self.env_of(clause, args)
        if self.model.blocks[clause.block].what == "rule":
            return [own]
        live = [known for _, known in self.moment.live(clause.block)]
        agree = [known for known in live if all(own.get(name, value) == value for name, value in known.items())]
        return [{**known, **own} for known in agree] or [own]


def _clause_of(instance: AnyInstance) -> Clause:
    match instance:
        case ClauseInstance():
            return instance.clause
        case Instance():
            return instance.norm
        case AmendmentInstance():
            return instance.amendment
        case TriggerInstance():
            return instance.trigger


def _compared(clause: Clause) -> list[e.Expr]:
    """What the arguments of a clause are compared with, besides constants and names."""
    values = [pattern.value for pattern in clause.patterns if isinstance(pattern, m.Match)]
    return [value for value in values if not isinstance(value, e.Const | e.Local)]


def least_of(
    instances: list[ClauseInstance], facts: Callable[[ClauseInstance], tuple[Fact, ...]]
) -> ClauseInstance | None:
    """The instance that takes the fewest lines to tell."""
    return min(instances, key=lambda i: weight(facts(i)), default=None)
