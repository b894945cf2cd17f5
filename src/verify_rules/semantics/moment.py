"""A moment: a state of a board under readings, and what the rules say there. Computed when asked, and remembered.

The order of meaning: state → statuses → norms that apply → lifts → base verdict → steering → duties → verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import product
from typing import Any, Literal

from verify_rules.model.expr import By, Expr, Modality
from verify_rules.model.model import Amendment, Lift, Norm, StatusClause, Trigger, Wild
from verify_rules.model.types import Obj, Value
from verify_rules.semantics.evaluate import Env, Fn
from verify_rules.semantics.events import Happened, apply, first_failure, obstacle, replacement, with_defaults
from verify_rules.semantics.program import CarrierBlock, Ready, ReadyAction, ReadyNorm
from verify_rules.semantics.state import Board, Index, Reach, State
from verify_rules.semantics.verdict import (
    Applying,
    Args,
    ClauseInstance,
    Instance,
    LiftInstance,
    TriggerInstance,
    Verdict,
)

_NO_NAMES: Env = {}


class CyclicRules(Exception):
    """A status depends on itself: `check` should have refused the model."""


class Moment:
    """What holds in a state. All that was computed is remembered, so ask one moment rather than many."""

    __slots__ = (
        "_base",
        "_by_norms",
        "_duties",
        "_following",
        "_live",
        "_live_on",
        "_possible",
        "_reached",
        "_statuses",
        "_steered",
        "_verdicts",
        "board",
        "defined",
        "program",
        "readings",
        "state",
        "tables",
    )

    def __init__(self, board: Board, state: State, readings: Mapping[str, str]) -> None:
        self.board = board
        self.state = state
        self.readings = readings
        self.program = board.program
        self.tables = {**board.fixed, **state.values}
        self.defined: dict[tuple[str, Args], Any] = {}
        self._statuses: dict[tuple[str, Args], bool | None] = {}
        self._live: dict[str, tuple[tuple[Value, Env], ...]] = {}
        self._live_on: dict[tuple[str, Value], tuple[tuple[Value, Env], ...]] = {}
        self._possible: dict[str, frozenset[Value] | None] = {}
        self._reached: Reach | None = None
        self._by_norms: dict[tuple[str, Args], Verdict] = {}
        self._base: dict[tuple[str, Args], Verdict] = {}
        self._steered: dict[tuple[str, Args], dict[Args, tuple[Instance, ...]]] = {}
        self._duties: dict[tuple[str, Args], dict[Args, tuple[Instance, ...]]] = {}
        self._verdicts: dict[tuple[str, Args], Verdict] = {}
        self._following: dict[tuple[str, Args], Moment | None] = {}

    def value(self, expr: Expr, env: Env | None = None) -> Any:
        """The value of a formula, `env` giving its local names."""
        return self.program.formulas.compile(expr)(self, _NO_NAMES if env is None else env)

    def read(self, variable: str, owner: Value = None, index: Index = ()) -> Value:
        """The value of a variable: of an object, or (without owner) of a global one."""
        about = self.board.model.variables[variable]
        if (about.of_kind and not isinstance(owner, Obj)) or index not in self.program.indices[variable]:
            return about.null
        return self.tables[variable].get((owner if isinstance(owner, Obj) else None, *index), about.default)

    # Statuses

    def status(self, name: str, args: Args) -> bool:
        """Some clause gives the status and none takes it away."""
        key = (name, args)
        if key in self._statuses:
            known = self._statuses[key]
            if known is None:
                raise CyclicRules(f"{name}{args} depends on itself")
            return known
        self._statuses[key] = None
        value = self._statuses[key] = self._status(name, args)
        return value

    def _status(self, name: str, args: Args) -> bool:
        status = self.program.status(name)
        for admits, arg in zip(status.admits, args, strict=True):
            if not admits(arg):
                return False
        if status.live and not self._is_possible(name, args[-1]):
            return False
        if not self._some_applies(status.givers, args, status.live):
            return False
        if status.takers and self._some_applies(status.takers, args, status.live):
            return False
        if not status.general or args[-1] in status.exempt:
            return True
        return not self._some_applies(status.general, args, status.live)

    def _some_applies(self, clauses: tuple[Ready[StatusClause], ...], args: Args, of_live: bool) -> bool:
        for clause in clauses:
            if clause.may_match(args):
                condition = clause.condition
                for _, env in self._clause_matches(clause, args, of_live):
                    if condition is None or condition(self, env):
                        return True
        return False

    def _is_possible(self, status: str, value: Value) -> bool:
        """Whether anybody can have the ability (the effect): no if nothing on the board and no clause mentions it."""
        possible = self._possible_values(status)
        return possible is None or value in possible

    def _possible_values(self, status: str) -> frozenset[Value] | None:
        """What anybody can have by this status; None if that isn't known."""
        if status not in self._possible:
            self._possible[status] = self._mentioned(status)
        return self._possible[status]

    def _mentioned(self, status: str) -> frozenset[Value] | None:
        sources = self.program.status(status).sources
        if sources is None:
            return None
        found = set(sources.constants)
        for name in sources.variables:
            about = self.board.model.variables[name]
            for value in (about.default, about.null, *self.tables[name].values()):
                found |= value if isinstance(value, frozenset) else {value}
        return frozenset(found)

    def _clause_matches(self, clause: Ready[StatusClause], args: Args, of_live: bool) -> Iterable[tuple[Value, Env]]:
        """As `_matches`; but a status that enlivens blocks must not ask for the life of those that don't match."""
        if not of_live or clause.block is None:
            return self._matches(clause, args)
        return self._living_matches(clause, clause.block, args)

    def _living_matches(
        self, clause: Ready[StatusClause], block: CarrierBlock, args: Args
    ) -> Iterator[tuple[Value, Env]]:
        instances = self._thinkable(block)
        for carrier in self.board.carriers(block) if instances else ():
            if clause.self_at is not None and carrier != args[clause.self_at]:
                continue
            for value, known in instances:
                env = clause.match(self, {"self": carrier, **known}, args)
                if env is not None and self.status(block.live, (carrier, value)):
                    yield carrier, env

    def clause_instances(self, status: str, args: Args) -> Iterator[ClauseInstance]:
        """The clauses whose patterns match and whose block is live; whether their conditions hold is not looked at."""
        about = self.program.status(status)
        if not all(admits(arg) for admits, arg in zip(about.admits, args, strict=True)):
            return
        general = () if about.live and args[-1] in about.exempt else about.general
        for clause in (*about.givers, *about.takers, *general):
            if clause.may_match(args):
                for carrier, env in self._clause_matches(clause, args, about.live):
                    yield ClauseInstance(clause.item, carrier, env)

    # Blocks that are live

    def live(self, block: str) -> tuple[tuple[Value, Env], ...]:
        """Who carries a live ability or effect block, and what its names then stand for. A rule has no carrier."""
        found = self._live.get(block)
        if found is None:
            about = self.program.block(block)
            if about is None:
                found = ((None, _NO_NAMES),)
            elif not self._may_be_live(about):
                found = ()
            else:
                found = tuple(c for holder in self.board.carriers(about) for c in self._alive_on(about, holder))
            self._live[block] = found
        return found

    def _may_be_live(self, block: CarrierBlock | None) -> bool:
        return block is None or bool(self._thinkable(block))

    def _thinkable(self, block: CarrierBlock) -> tuple[tuple[str, Env], ...]:
        """The instances of the block that anybody can have; of thousands there are a few."""
        if not block.instances:
            return ()
        instances = self._reach.instances
        found = instances.get(block.id)
        if found is None:
            possible = self._possible_values(block.live)
            if possible is None:
                found = block.instances
            else:
                known = sorted(block.places[value] for value in possible if value in block.places)
                found = tuple(block.instances[place] for place in known)
            instances[block.id] = found
        return found

    @property
    def _reach(self) -> Reach:
        if self._reached is None:
            key = tuple(self._possible_values(name) for name in self.program.live_statuses)
            self._reached = self.board.reach(key)
        return self._reached

    def _alive_on(self, block: CarrierBlock, holder: Value) -> tuple[tuple[Value, Env], ...]:
        key = (block.id, holder)
        found = self._live_on.get(key)
        if found is None:
            found = self._live_on[key] = tuple(
                (holder, {"self": holder, **known})
                for value, known in (self._thinkable(block) if holder in self.board.carriers(block) else ())
                if self.status(block.live, (holder, value))
            )
        return found

    def matches(self, ready: Ready[Amendment] | Ready[Trigger], args: Args) -> list[tuple[Value, Env]]:
        """The carriers for which a clause about an event is live, matches and has its condition met, with its names."""
        if not ready.may_match(args):
            return []
        found = self._matches(ready, args)
        condition = ready.condition
        return found if condition is None else [x for x in found if condition(self, x[1])]

    def _matches(
        self,
        ready: Ready[Norm] | Ready[Lift] | Ready[StatusClause] | Ready[Amendment] | Ready[Trigger],
        args: Args,
    ) -> list[tuple[Value, Env]]:
        """The carriers of a clause on which it is live, with its names, where its patterns match the arguments."""
        block = ready.block
        if block is None:
            env = ready.match(self, _NO_NAMES, args)
            return [] if env is None else [(None, env)]
        if ready.self_at is None:
            carriers = self.live(block.id)
        else:
            carriers = self._alive_on(block, args[ready.self_at])
        found = []
        for carrier, known in carriers:
            env = ready.match(self, known, args)
            if env is not None:
                found.append((carrier, env))
        return found

    # Norms and lifts

    def norm_instances(self, action: str, args: Args) -> Iterator[Instance]:
        """The norms whose patterns match the pair and whose block is live, whether or not their conditions hold."""
        for norm in self.program.action(action).norms:
            if norm.ready.may_match(args):
                for carrier, env in self._matches(norm.ready, args):
                    yield Instance(norm.ready.item, carrier, env)

    def lift_instances(self, action: str, args: Args) -> Iterator[LiftInstance]:
        """The lifts likewise."""
        for lift in self.program.action(action).lifts:
            if lift.may_match(args):
                for carrier, env in self._matches(lift, args):
                    yield LiftInstance(lift.item, carrier, env)

    def applying(self, action: str, args: Args) -> tuple[Applying, ...]:
        """All norm instances that apply to the pair, with their level and what lifts them, in source order."""
        return tuple(
            Applying(instance, norm.level, tuple(self._lifts(norm, instance, args)))
            for norm in self.program.action(action).norms
            for instance in self._instances(norm, args)
        )

    def _at_hand(self, action: str) -> ReadyAction:
        """The norms of an action, without those in blocks that nobody can carry here."""
        norms = self._reach.norms
        found = norms.get(action)
        if found is None:
            about = self.program.action(action)
            found = norms[action] = ReadyAction(
                norms=self._reachable(about.norms),
                levels=tuple(self._reachable(level) for level in about.levels),
                steers=self._reachable(about.steers),
                requires=self._reachable(about.requires),
                lifts=about.lifts,
            )
        return found

    def _reachable(self, norms: tuple[ReadyNorm, ...]) -> tuple[ReadyNorm, ...]:
        return tuple(norm for norm in norms if self._may_be_live(norm.ready.block))

    def _instances(self, norm: ReadyNorm, args: Args) -> list[Instance]:
        """The instances of a norm that apply to the pair, lifted or not."""
        ready = norm.ready
        if not ready.may_match(args):
            return []
        found = []
        for carrier, env in self._matches(ready, args):
            met = ready.condition is None or ready.condition(self, env)
            # A price bars as long as it can't be paid.
            if met != (ready.item.word == "price"):
                found.append(Instance(ready.item, carrier, env))
        return found

    def _lifts(self, norm: ReadyNorm, instance: Instance, args: Args) -> Iterator[LiftInstance]:
        """What lifts an instance for the pair."""
        for lift, owners in norm.lifts:
            if not lift.may_match(args):
                continue
            for carrier, env in self._matches(lift, args):
                met = lift.condition is None or lift.condition(self, env)
                if met and self._hits(owners, env, instance.carrier):
                    yield LiftInstance(lift.item, carrier, env)

    def _hits(self, owners: tuple[Fn | None, ...], env: Env, carrier: Value) -> bool:
        return any(owner is None or owner(self, env) == carrier for owner in owners)

    def _standing(self, norms: tuple[ReadyNorm, ...], args: Args) -> tuple[Instance, ...]:
        """The instances that apply to the pair and aren't lifted."""
        found: list[Instance] = []
        for norm in norms:
            for instance in self._instances(norm, args):
                if not norm.lifts or next(self._lifts(norm, instance, args), None) is None:
                    found.append(instance)
        return tuple(found)

    # Verdicts

    def by_norms(self, action: str, args: Args) -> Verdict:
        """What the norms alone say: forbidden, permitted or not permitted, whatever the action requires."""
        key = (action, args)
        found = self._by_norms.get(key)
        if found is None:
            found = self._by_norms[key] = self._levels(action, args)
        return found

    def _levels(self, action: str, args: Args) -> Verdict:
        for norms in self._at_hand(action).levels:
            deciding = self._standing(norms, args)
            if deciding:
                kind: Literal["permitted", "forbidden"]
                kind = "permitted" if deciding[0].norm.word == "permit" else "forbidden"
                return Verdict(action, args, kind, "norms", deciding, moment=self)
        return Verdict(action, args, "not permitted", "norms", moment=self)

    def base(self, action: str, args: Args) -> Verdict:
        """The verdict before steering and duties: what the action requires, then the norms."""
        key = (action, args)
        found = self._base.get(key)
        if found is None:
            if not self.program.arguments_fit(action, args):
                found = Verdict(action, args, "impossible", "requires", moment=self)
            else:
                failure = first_failure(self, action, args)
                if failure is None:
                    found = self.by_norms(action, args)
                else:
                    found = Verdict(action, args, "impossible", "requires", failure=failure, moment=self)
            self._base[key] = found
        return found

    def steered(self, action: str, actor: Args) -> dict[Args, tuple[Instance, ...]]:
        """The permitted pairs of an actor (a tuple of one) that it is steered to, and by what."""
        key = (action, actor)
        found = self._steered.get(key)
        if found is None:
            steers = self._at_hand(action).steers
            found = self._steered[key] = self._named(action, actor, steers, {})
        return found

    def duty(self, action: str, actor: Args) -> dict[Args, tuple[Instance, ...]]:
        """The pairs one of which an actor (a tuple of one) must take, and why: D(a)."""
        key = (action, actor)
        found = self._duties.get(key)
        if found is None:
            requires = self._at_hand(action).requires
            found = self._named(action, actor, requires, self.steered(action, actor) if requires else {})
            self._duties[key] = found
        return found

    def _named(
        self, action: str, actor: Args, norms: tuple[ReadyNorm, ...], among: dict[Args, tuple[Instance, ...]]
    ) -> dict[Args, tuple[Instance, ...]]:
        """The pairs that norms name and that are permitted; if `among` has any, of those only."""
        found: dict[Args, tuple[Instance, ...]] = {}
        if not any(norm.ready.block is None or self._may_live(norm, actor) for norm in norms):
            return found
        for pair in among or self.board.pairs(action, actor):
            naming = self._standing(norms, pair)
            if naming and self.base(action, pair).kind == "permitted":
                found[pair] = naming
        return found

    def _may_live(self, norm: ReadyNorm, actor: Args) -> bool:
        """Whether some carrier of the block can make the norm speak about the actor."""
        block = norm.ready.block
        assert block is not None
        return bool(self._alive_on(block, actor[0]) if norm.ready.self_at == 0 else self.live(block.id))

    def verdict(self, action: str, args: Args) -> Verdict:
        """The verdict about a pair."""
        key = (action, args)
        found = self._verdicts.get(key)
        if found is None:
            found = self._verdicts[key] = self._verdict(action, args)
        return found

    def _verdict(self, action: str, args: Args) -> Verdict:
        base = self.base(action, args)
        if base.kind != "permitted":
            return base
        steered = self.steered(action, args[:1])
        if steered and args not in steered:
            return self._elsewhere(base, "steering", steered)
        duty = self.duty(action, args[:1])
        if not duty:
            return base
        if args in duty:
            return Verdict(action, args, "required", "duty", duty[args], toward=tuple(duty), moment=self)
        return self._elsewhere(base, "duty", duty)

    def _elsewhere(
        self, base: Verdict, stage: Literal["steering", "duty"], pairs: dict[Args, tuple[Instance, ...]]
    ) -> Verdict:
        deciding = tuple(instance for instances in pairs.values() for instance in instances)
        return Verdict(base.action, base.args, "forbidden", stage, deciding, toward=tuple(pairs), moment=self)

    # Questions

    def pairs(self, action: str, args: tuple[Value | Wild, ...]) -> tuple[Args, ...]:
        """The pairs that the arguments name; none if one of them can't stand in its place."""
        choices: list[tuple[Value, ...]] = []
        for parameter, arg in zip(self.board.model.events[action].parameters, args, strict=True):
            if isinstance(arg, Wild):
                choices.append(self.board.candidates(parameter.type))
            elif self.program.admits(parameter.type)(arg):
                choices.append((arg,))
            else:
                return ()
        return tuple(product(*choices))

    def ask(self, modality: Modality, action: str, args: tuple[Value | Wild, ...], by: By | None = None) -> bool:
        """The answer to a question about the pairs that the arguments name."""
        pairs = self.pairs(action, args)
        match modality:
            case "can":
                return self._can(action, pairs)
            case "cannot":
                return not self._can(action, pairs)
            case "must":
                return self._must(action, pairs)
            case "need not":
                return not self._must(action, pairs)
            case "forbidden" | "not permitted":
                verdicts = (self.verdict(action, pair) for pair in pairs)
                return _all_are(modality, (v for v in verdicts if v.kind != "impossible"), by)
            case "barred":
                return _all_are("forbidden", (self.by_norms(action, pair) for pair in pairs), by)

    def _can(self, action: str, pairs: tuple[Args, ...]) -> bool:
        return any(self.verdict(action, pair).legal for pair in pairs)

    def _must(self, action: str, pairs: tuple[Args, ...]) -> bool:
        """Some actor has a duty, and whatever fulfils it is among the pairs asked about."""
        duties = (self.duty(action, actor) for actor in dict.fromkeys(pair[:1] for pair in pairs))
        return any(duty and duty.keys() <= set(pairs) for duty in duties)

    def happens(self, event: str, args: Args, positive: bool = True, by: By | None = None) -> bool:
        """Whether the event can happen here; if not positive, whether it can't (because of `by`)."""
        impossible = obstacle(self, event, args)
        if positive or impossible is None:
            return positive == (impossible is None)
        if by is None:
            return True
        if impossible.failure is not None:
            return impossible.failure.group in by.blocks
        return impossible.verdict is not None and impossible.verdict.decided_by(by.blocks)

    def following(self, event: str, args: Args) -> Moment | None:
        """The moment after the event, which can happen here; None if it has a fault."""
        key = (event, args)
        if key not in self._following:
            outcome = apply(self, event, args)
            after = Moment(self.board, outcome.state, self.readings) if isinstance(outcome, Happened) else None
            self._following[key] = after
        return self._following[key]

    def trigger_instances(self, event: str, args: Args, blocks: AbstractSet[str]) -> Iterator[TriggerInstance]:
        """What of these blocks triggers on the event, were it to happen here. A replaced event doesn't happen."""
        args = with_defaults(self.board.model.events[event], args)
        clauses = [clause for clause in self.program.triggers(event) if clause.item.block in blocks]
        if not clauses or obstacle(self, event, args) is not None or replacement(self, event, args) is not None:
            return
        for clause in clauses:
            moment = self.following(event, args) if clause.item.after else self
            if moment is not None:
                for carrier, env in moment.matches(clause, args):
                    yield TriggerInstance(clause.item, carrier, env)

    def triggers(self, event: str, args: Args, blocks: AbstractSet[str], carrier: Value | Wild) -> bool:
        """Whether something of these blocks triggers on the event; of the carrier, unless it is a wildcard."""
        found = self.trigger_instances(event, args, blocks)
        return any(isinstance(carrier, Wild) or instance.carrier == carrier for instance in found)


def _all_are(kind: str, verdicts: Iterable[Verdict], by: By | None) -> bool:
    """There is one, and all are of the kind, each decided by one of the blocks if any are named."""
    found = False
    for verdict in verdicts:
        if verdict.kind != kind or (by is not None and not verdict.decided_by(by.blocks)):
            return False
        found = True
    return found
