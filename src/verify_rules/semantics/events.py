"""What an event does to a state: all its parts read the state before it, and the later line wins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify_rules.model.model import Assign, Carry, Do, Event, ForEach, Group, Part, Require, Reset, Variable
from verify_rules.model.types import EnumType, IntType, Obj, RefType, UnionType, Value
from verify_rules.semantics.evaluate import Env, in_order
from verify_rules.semantics.program import ReadyAmendment, ReadyDo, ReadyRequire
from verify_rules.semantics.state import Index, State
from verify_rules.semantics.verdict import AmendmentInstance, Args, Failure, Verdict

if TYPE_CHECKING:
    from verify_rules.semantics.moment import Moment

# A variable, its object (None for a global one), its index.
Slot = tuple[str, Obj | None, Index]


@dataclass(frozen=True)
class Write:
    """What an event wrote to a slot: which part did, of which event, in which group, and what was there before.

    `group` is the block of the amendment, if one wrote it.
    """

    variable: str
    obj: Obj | None
    index: Index
    value: Value
    before: Value
    part: Reset | Assign | Carry
    group: str | None
    event: str

    @property
    def changed(self) -> bool:
        """It wasn't so before."""
        return self.value != self.before


@dataclass(frozen=True)
class Happened:
    """The event happened; `writes` has for every slot that it set the line that won."""

    state: State
    writes: dict[Slot, Write] = field(hash=False)


@dataclass(frozen=True)
class Impossible:
    """The event can't happen: a requirement fails, or (verdict, of an action) the rules don't let it.

    Without both an argument is none.
    """

    failure: Failure | None = None
    verdict: Verdict | None = None

    @property
    def requirement(self) -> Require | None:
        """The requirement that fails."""
        return self.failure.require if self.failure else None

    @property
    def group(self) -> str | None:
        """The group in which the requirement that fails stands."""
        return self.failure.group if self.failure else None


@dataclass(frozen=True)
class Fault:
    """The event assigns a value that its variable can't have; nothing happened."""

    assign: Assign
    value: Value
    group: str | None
    event: str


Outcome = Happened | Impossible | Fault


def with_defaults(event: Event, args: Args) -> Args:
    """The arguments, and the defaults of the parameters that got none."""
    if len(args) == len(event.parameters):
        return args
    return args + tuple(p.default.value if p.default else None for p in event.parameters[len(args) :])


def _bound(event: Event, args: Args) -> Env:
    return {p.name: value for p, value in zip(event.parameters, with_defaults(event, args), strict=True)}


def first_failure(moment: Moment, event: str, args: Args) -> Failure | None:
    """The first requirement of the event (and of those it does at the same moment) that isn't met."""
    return _failure(moment, event, _bound(moment.program.model.events[event], args), None)


def _failure(moment: Moment, event: str, env: Env, group: str | None) -> Failure | None:
    """Likewise; `group` is the group from which the event is done."""
    return _unmet(moment, moment.program.demands(event), event, env, group)


def _unmet(
    moment: Moment, demands: Iterable[ReadyRequire | ReadyDo], event: str, env: Env, group: str | None
) -> Failure | None:
    for demand in demands:
        within = group if demand.group is None else demand.group
        if isinstance(demand, ReadyRequire):
            if not demand.test(moment, env):
                return Failure(demand.item, within, event, env)
        elif demand.condition is None or demand.condition(moment, env):
            known = _bound(moment.program.model.events[demand.event], demand.arguments(moment, env))
            failure = _failure(moment, demand.event, known, within)
            if failure is not None:
                return failure
    return None


def _done(moment: Moment, part: Do, env: Env) -> Env:
    return _bound(moment.board.model.events[part.event], tuple(moment.value(a, env) for a in part.arguments))


def _each(moment: Moment, part: ForEach, env: Env) -> Iterator[Env]:
    for obj in moment.board.objects:
        known = {**env, part.name: obj}
        if part.condition is None or moment.value(part.condition, known):
            yield known


def replacement(moment: Moment, event: str, args: Args) -> AmendmentInstance | None:
    """What replaces the event here, if something does: the strongest, of these the first one."""
    return next(_amending(moment, moment.program.amendments(event).replacing, args), None)


def additions(moment: Moment, event: str, args: Args) -> Iterator[AmendmentInstance]:
    """What is added to the event here, the weakest first."""
    return _amending(moment, moment.program.amendments(event).adding, args)


def _amending(moment: Moment, amendments: Iterable[ReadyAmendment], args: Args) -> Iterator[AmendmentInstance]:
    """The amendments that apply to an event with these arguments, in their order, each for its carriers in order."""
    for amendment in amendments:
        item = amendment.ready.item
        for carrier, env in moment.matches(amendment.ready, args):
            if _unmet(moment, amendment.demands, item.event, env, item.block) is None:
                yield AmendmentInstance(item, carrier, env)


def obstacle(moment: Moment, event: str, args: Args) -> Impossible | None:
    """Why the event can't happen, if so."""
    found = moment.board.model.events[event]
    args = with_defaults(found, args)
    if not moment.program.arguments_fit(event, args):
        return Impossible()
    if not found.action:
        failure = first_failure(moment, event, args)
        return None if failure is None else Impossible(failure)
    verdict = moment.verdict(event, args)
    return None if verdict.legal else Impossible(verdict.failure, verdict)


def apply(moment: Moment, event: str, args: Args, mistaken: bool = False) -> Outcome:
    """The event happens at the moment, if it can; a `mistaken` one is carried out in any case."""
    if not mistaken:
        impossible = obstacle(moment, event, args)
        if impossible is not None:
            return impossible
    found = moment.board.model.events[event]
    effects = _Effects(moment)
    fault = effects.happen(event, _bound(found, args), None)
    if fault is not None:
        return fault
    writes = ((w.variable, (w.obj, *w.index), w.value) for w in effects.writes.values())
    return Happened(moment.state.updated(writes, moment.program.defaults), effects.writes)


class _Effects:
    """Collects what the parts of an event write."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment
        self.model = moment.board.model
        self.writes: dict[Slot, Write] = {}

    def happen(self, event: str, env: Env, group: str | None) -> Fault | None:
        """The event with its amendments; `group` is the group from which it is done."""
        about = self.model.events[event]
        args = tuple(env[p.name] for p in about.parameters)
        instead = replacement(self.moment, event, args)
        if instead is not None:
            return self._amend(instead)
        fault = self.run(about.parts, env, group, event)
        for added in additions(self.moment, event, args):
            fault = fault or self._amend(added)
        return fault

    def _amend(self, by: AmendmentInstance) -> Fault | None:
        return self.run(by.amendment.parts, by.env, by.amendment.block, by.amendment.event)

    def run(self, parts: tuple[Part, ...], env: Env, group: str | None, event: str) -> Fault | None:
        moment = self.moment
        fault: Fault | None = None
        for part in parts:
            match part:
                case Require():
                    pass
                case Reset():
                    self._reset(part, env, group, event)
                case Assign():
                    fault = self._assign(part, env, group, event)
                case Carry():
                    self._carry(part, env, group, event)
                case ForEach():
                    for known in _each(moment, part, env):
                        fault = fault or self.run(part.parts, known, group, event)
                case Do(name, _, condition):
                    if condition is None or moment.value(condition, env):
                        fault = self.happen(name, _done(moment, part, env), group)
                case Group(id, inner):
                    fault = self.run(inner, env, id, event)
            if fault is not None:
                return fault
        return None

    def _write(
        self,
        part: Reset | Assign | Carry,
        slot: Slot,
        value: Value,
        group: str | None,
        event: str,
    ) -> None:
        variable, obj, index = slot
        before = self.moment.read(variable, obj, index)
        self.writes[slot] = Write(variable, obj, index, value, before, part, group, event)

    def _reset(self, part: Reset, env: Env, group: str | None, event: str) -> None:
        target = self.moment.value(part.target, env)
        for obj in in_order(target) if isinstance(target, frozenset) else [target]:
            if not isinstance(obj, Obj):
                continue
            for variable in self._slots():
                if variable.name not in part.keep:
                    for index in self.moment.program.indices[variable.name]:
                        self._write(part, (variable.name, obj, index), variable.default, group, event)

    def _carry(self, part: Carry, env: Env, group: str | None, event: str) -> None:
        moment = self.moment
        origin, target = moment.value(part.origin, env), moment.value(part.target, env)
        if not (isinstance(origin, Obj) and isinstance(target, Obj)):
            return
        for variable in self._slots():
            if variable.marks:
                for index in moment.program.indices[variable.name]:
                    value = moment.read(variable.name, origin, index)
                    self._write(part, (variable.name, target, index), value, group, event)

    def _assign(self, part: Assign, env: Env, group: str | None, event: str) -> Fault | None:
        moment = self.moment
        if part.condition is not None and not moment.value(part.condition, env):
            return None
        owner = None if part.owner is None else moment.value(part.owner, env)
        if part.owner is not None and not isinstance(owner, Obj):
            return None
        index = tuple(moment.value(i, env) for i in part.index)
        if index not in moment.program.indices[part.variable]:
            return None
        value = moment.value(part.value, env)
        if not _fits(self.model.variables[part.variable], value):
            return Fault(part, value, group, event)
        self._write(part, (part.variable, owner, index), value, group, event)
        return None

    def _slots(self) -> list[Variable]:
        """The changeable fields of an object."""
        return [v for v in self.model.variables.values() if v.of_kind and not v.fixed]


def _fits(variable: Variable, value: Value) -> bool:
    match variable.type:
        case IntType(low, high):
            return isinstance(value, int) and low <= value <= high
        case EnumType() | RefType() | UnionType():
            return value is not None
        case _:
            return True
