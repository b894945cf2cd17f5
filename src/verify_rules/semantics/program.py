"""A model made ready to be asked: clauses, norms and lifts found by what they speak about, formulas compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Generic, TypeVar

from verify_rules.model.expr import Const, Local
from verify_rules.model.model import (
    Amendment,
    Assign,
    Bind,
    Block,
    Carry,
    ClassVictim,
    Do,
    ForEach,
    Group,
    Lift,
    Match,
    Model,
    NamedVictim,
    Norm,
    Part,
    Pattern,
    Require,
    Reset,
    StatusClause,
    Trigger,
    Victim,
    Wild,
)
from verify_rules.model.types import (
    ABILITY,
    EFFECT,
    BoolType,
    EnumType,
    IntType,
    NoneType,
    Obj,
    OptionalType,
    PerType,
    RefType,
    SetType,
    Type,
    UnionType,
    Value,
)
from verify_rules.semantics.evaluate import Env, Fn, Formulas
from verify_rules.semantics.mentions import Sources, sources

if TYPE_CHECKING:
    from verify_rules.semantics.moment import Moment

T = TypeVar("T", StatusClause, Norm, Lift, Amendment, Trigger)
Matcher = Callable[["Moment", Env, tuple[Value, ...]], Env | None]


@dataclass(frozen=True)
class CarrierBlock:
    """An ability or effect block: it is live on a holder where the status `live` holds of the holder and an instance.

    An instance is a value of the enumeration of abilities (effects) with what the block's parameters then are.
    """

    id: str
    holder: Type
    live: str
    instances: tuple[tuple[str, Env], ...]

    @cached_property
    def places(self) -> dict[Value, int]:
        """Where each instance stands among them."""
        return {value: place for place, (value, _) in enumerate(self.instances)}


@dataclass(frozen=True)
class Ready(Generic[T]):
    """A clause, norm or lift with its patterns and condition compiled.

    `block` is None in a rule, which needs no carrier. `self_at` is the argument that has to be the carrier itself;
    `fixed` are the arguments that have to be a constant.
    """

    item: T
    block: CarrierBlock | None
    match: Matcher
    condition: Fn | None
    self_at: int | None
    fixed: tuple[tuple[int, Value], ...]

    def may_match(self, args: tuple[Value, ...]) -> bool:
        """Whether the constants in the patterns fit: looks at nothing else."""
        for position, value in self.fixed:  # noqa: SIM110 - a generator here costs too much
            if args[position] != value:
                return False
        return True


@dataclass(frozen=True)
class ReadyStatus:
    """A status: the clauses that give it, and those that take it away.

    `sources` is where the blocks come from that the status can enliven, if it enlivens any. A *general* taker (of all
    abilities) has no hold on the values in `exempt`: those of blocks like its own.
    """

    admits: tuple[Callable[[Value], bool], ...]
    live: bool
    givers: tuple[Ready[StatusClause], ...]
    takers: tuple[Ready[StatusClause], ...]
    general: tuple[Ready[StatusClause], ...]
    exempt: frozenset[str]
    sources: Sources | None


@dataclass(frozen=True)
class ReadyNorm:
    """A norm, its place in the precedence, and the lifts that can hit it: each with the carriers it is limited to."""

    ready: Ready[Norm]
    level: int | None
    lifts: tuple[tuple[Ready[Lift], tuple[Fn | None, ...]], ...]


@dataclass(frozen=True)
class ReadyAction:
    """The norms of an action. `levels` are those that permit and forbid, the strongest first."""

    norms: tuple[ReadyNorm, ...]
    levels: tuple[tuple[ReadyNorm, ...], ...]
    steers: tuple[ReadyNorm, ...]
    requires: tuple[ReadyNorm, ...]
    lifts: tuple[Ready[Lift], ...]


@dataclass(frozen=True)
class ReadyRequire:
    """A requirement, compiled, and the group in which it stands."""

    item: Require
    group: str | None
    test: Fn


@dataclass(frozen=True)
class ReadyDo:
    """Another event that is done at the same moment, and so has to be possible too."""

    event: str
    group: str | None
    arguments: Fn
    condition: Fn | None


@dataclass(frozen=True)
class ReadyAmendment:
    """An amendment and what has to be so for what it does."""

    ready: Ready[Amendment]
    demands: tuple[ReadyRequire | ReadyDo, ...]


@dataclass(frozen=True)
class ReadyAmendments:
    """The amendments of an event, each sort in the order in which it acts.

    What replaces it: the strongest first, as only the first one does. What is added: the weakest first, as later lines
    win.
    """

    replacing: tuple[ReadyAmendment, ...]
    adding: tuple[ReadyAmendment, ...]


class Program:
    """Everything about a model that doesn't depend on a board; its parts are made when they are first wanted."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.formulas = Formulas(model)
        self.defaults = {v.name: v.default for v in model.variables.values()}
        self.indices = {
            v.name: tuple(product(*(self.formulas.members[enum] for enum in v.index))) for v in model.variables.values()
        }
        self._admits: dict[Type, Callable[[Value], bool]] = {}
        self._blocks: dict[str, CarrierBlock | None] = {}
        self._statuses: dict[str, ReadyStatus] = {}
        self._actions: dict[str, ReadyAction] = {}
        self._arguments: dict[str, tuple[Callable[[Value], bool], ...]] = {}
        self._amendments: dict[str, ReadyAmendments] = {}
        self._triggers: dict[str, tuple[Ready[Trigger], ...]] = {}
        self._demands: dict[str, tuple[ReadyRequire | ReadyDo, ...]] = {}
        self._live_status = {
            status.parameters[-1].type.name: status.name
            for status in model.statuses.values()
            if status.live and isinstance(status.parameters[-1].type, EnumType)
        }
        self.live_statuses = tuple(self._live_status.values())
        self._general = {c.id for cs in model.status_clauses.values() for c in cs if self._is_general(c)}
        general_blocks = {c.block for cs in model.status_clauses.values() for c in cs if c.id in self._general}
        self._exempt = {
            enum: frozenset(
                m.value
                for m in model.enums.get(enum, ())
                if any(model.blocks[b].what == what and model.blocks[b].name == m.name for b in general_blocks)
            )
            for enum, what in ((ABILITY, "ability"), (EFFECT, "effect"))
        }

    # Types

    def admits(self, type: Type) -> Callable[[Value], bool]:
        """The test whether an argument may stand for a parameter of the type."""
        found = self._admits.get(type)
        if found is None:
            found = self._admits[type] = self._test(type)
        return found

    def _test(self, type: Type) -> Callable[[Value], bool]:
        match type:
            case RefType():
                return lambda value: isinstance(value, Obj)
            case EnumType(name):
                members = frozenset(self.formulas.members[name])
                return lambda value: value in members
            case UnionType(name):
                union = self.model.unions[name]
                plain = {*union.atoms}.union(*(self.formulas.members[t] for t in union.types if t != self.model.kind))
                if self.model.kind in union.types:
                    return lambda value: isinstance(value, Obj) or value in plain
                return lambda value: value in plain
            case OptionalType(inner):
                test = self.admits(inner)
                return lambda value: value is None or test(value)
            case IntType(low, high):
                return lambda value: isinstance(value, int) and low <= value <= high
            case BoolType() | SetType() | PerType() | NoneType():
                return lambda value: value is not None

    def candidates(self, type: Type, objects: tuple[Obj, ...]) -> tuple[Value, ...]:
        """All values of the type, in order."""
        match type:
            case RefType():
                return objects
            case EnumType(name):
                return self.formulas.members[name]
            case UnionType(name):
                union = self.model.unions[name]
                found: list[Value] = list(objects) if self.model.kind in union.types else []
                for enum in union.types:
                    found += self.formulas.members[enum] if enum != self.model.kind else ()
                return (*found, *union.atoms)
            case OptionalType(inner):
                return (*self.candidates(inner, objects), None)
            case BoolType():
                return (False, True)
            case IntType(low, high):
                return tuple(range(low, high + 1))
            case SetType() | PerType() | NoneType():
                raise TypeError(f"the values of {type} aren't listed")

    def arguments_fit(self, event: str, args: tuple[Value, ...]) -> bool:
        """Whether the arguments may stand for the event's parameters: a question about none is not about a pair."""
        tests = self._arguments.get(event)
        if tests is None:
            tests = self._arguments[event] = tuple(self.admits(p.type) for p in self.model.events[event].parameters)
        for test, value in zip(tests, args, strict=True):  # noqa: SIM110 - a generator here costs too much
            if not test(value):
                return False
        return True

    # Clauses

    def status(self, name: str) -> ReadyStatus:
        """The status with its clauses."""
        found = self._statuses.get(name)
        if found is None:
            status = self.model.statuses[name]
            last = status.parameters[-1].type if status.live else None
            clauses = [
                self._ready(c, c.block) for cs in self.model.status_clauses.values() for c in cs if c.status == name
            ]
            givers = [c for c in clauses if not c.item.negative]
            takers = [c for c in clauses if c.item.negative]
            found = self._statuses[name] = ReadyStatus(
                admits=tuple(self.admits(p.type) for p in status.parameters),
                live=status.live,
                givers=tuple(givers),
                takers=tuple(c for c in takers if c.item.id not in self._general),
                general=tuple(c for c in takers if c.item.id in self._general),
                exempt=self._exempt.get(last.name, frozenset()) if isinstance(last, EnumType) else frozenset(),
                sources=sources(self.model, [c.item for c in givers]) if status.live else None,
            )
        return found

    def action(self, name: str) -> ReadyAction:
        """The action with its norms and lifts."""
        found = self._actions.get(name)
        if found is None:
            lifts = [self._ready(x, x.block) for xs in self.model.lifts.values() for x in xs if x.action == name]
            norms = [self._norm(n, lifts) for ns in self.model.norms.values() for n in ns if n.action == name]
            levels = [tuple(n for n in norms if n.level == level) for level in range(len(self.model.precedence))]
            found = self._actions[name] = ReadyAction(
                norms=tuple(norms),
                levels=tuple(level for level in levels if level),
                steers=tuple(n for n in norms if n.ready.item.word == "steer"),
                requires=tuple(n for n in norms if n.ready.item.word == "require"),
                lifts=tuple(lifts),
            )
        return found

    def amendments(self, event: str) -> ReadyAmendments:
        """The amendments of the event."""
        found = self._amendments.get(event)
        if found is None:
            place = {strength: i for i, strength in enumerate(self.model.strengths)}
            ranked = sorted(self.model.amendments[event], key=lambda a: place.get(a.strength, len(place)))
            # Sorting keeps the order of the source among those of one strength, backwards too.
            weakest = sorted(ranked, key=lambda a: place.get(a.strength, len(place)), reverse=True)
            found = self._amendments[event] = ReadyAmendments(
                tuple(self._amendment(a) for a in ranked if a.replaces),
                tuple(self._amendment(a) for a in weakest if not a.replaces),
            )
        return found

    def _amendment(self, amendment: Amendment) -> ReadyAmendment:
        demands = tuple(self._demanding(amendment.parts, amendment.block))
        return ReadyAmendment(self._ready(amendment, amendment.block), demands)

    def triggers(self, event: str) -> tuple[Ready[Trigger], ...]:
        """The clauses that trigger on the event."""
        found = self._triggers.get(event)
        if found is None:
            found = self._triggers[event] = tuple(self._ready(x, x.block) for x in self.model.triggers[event])
        return found

    def demands(self, event: str) -> tuple[ReadyRequire | ReadyDo, ...]:
        """What has to be so for an event to happen, in order."""
        found = self._demands.get(event)
        if found is None:
            found = self._demands[event] = tuple(self._demanding(self.model.events[event].parts, None))
        return found

    def _demanding(self, parts: tuple[Part, ...], group: str | None) -> Iterator[ReadyRequire | ReadyDo]:
        for part in parts:
            match part:
                case Require(formula):
                    yield ReadyRequire(part, group, self.formulas.compile(formula))
                case Do(event, arguments, condition):
                    args, when = self.formulas.tuple(arguments), self.formulas.optional(condition)
                    yield ReadyDo(event, group, args, when)
                case Group(id, inner):
                    yield from self._demanding(inner, id)
                case ForEach() | Reset() | Assign() | Carry():
                    # What a `for` changes requires nothing, so its condition isn't asked for: it may ask for verdicts.
                    pass

    def block(self, id: str) -> CarrierBlock | None:
        """The block as something to be carried; None for a rule, which always is there."""
        if id not in self._blocks:
            self._blocks[id] = self._carrier_block(self.model.blocks[id])
        return self._blocks[id]

    def _carrier_block(self, block: Block) -> CarrierBlock | None:
        if block.what not in ("ability", "effect"):
            return None
        enum = ABILITY if block.what == "ability" else EFFECT
        live = self._live_status.get(enum)
        names = [p.name for p in block.parameters]
        return CarrierBlock(
            id=block.id,
            holder=block.holder or RefType(self.model.kind),
            live=live or "",
            # Without a status that enlivens them the blocks are dead letters.
            instances=tuple(
                (m.value, dict(zip(names, m.arguments, strict=True)))
                for m in self.model.enums.get(enum, ())
                if m.name == block.name and live
            ),
        )

    def _ready(self, item: T, block: str) -> Ready[T]:
        places = list(enumerate(item.patterns))
        return Ready(
            item=item,
            block=self.block(block),
            match=self._matcher(item.patterns),
            condition=self.formulas.optional(item.condition),
            self_at=next((i for i, p in places if isinstance(p, Match) and _is_self(p)), None),
            fixed=tuple((i, p.value.value) for i, p in places if isinstance(p, Match) and isinstance(p.value, Const)),
        )

    def _matcher(self, patterns: tuple[Pattern, ...]) -> Matcher:
        """Compares arguments with patterns from left to right: the names they bind on top of `env`, or None."""
        steps: list[tuple[int, str, Callable[[Value], bool] | None, Fn | None]] = []
        for i, pattern in enumerate(patterns):
            match pattern:
                case Wild():
                    pass
                case Bind(name, _, only):
                    steps.append((i, name, None if only is None else self.formulas.is_of(only), None))
                case Match(value):
                    steps.append((i, "", None, self.formulas.compile(value)))
        if not steps:
            return lambda m, env, args: env

        def match(m: Moment, env: Env, args: tuple[Value, ...]) -> Env | None:
            known = env.copy()
            for i, name, test, value in steps:
                arg = args[i]
                if value is not None:
                    wanted = value(m, known)
                    if wanted is None or wanted != arg:
                        return None
                elif test is not None and not test(arg):
                    return None
                else:
                    known[name] = arg
            return known

        return match

    def _norm(self, norm: Norm, lifts: list[Ready[Lift]]) -> ReadyNorm:
        word = "forbid" if norm.word == "price" else norm.word
        levels = [i for i, level in enumerate(self.model.precedence) if level == (norm.strength, word)]
        hits: list[tuple[Ready[Lift], tuple[Fn | None, ...]]] = []
        for lift in lifts:
            victims = [v for v in lift.item.victims if self._may_hit(v, norm)]
            owners = [v.owner if isinstance(v, ClassVictim) else None for v in victims]
            if victims:
                hits.append((lift, tuple(self.formulas.optional(owner) for owner in owners)))
        return ReadyNorm(self._ready(norm, norm.block), levels[0] if levels else None, tuple(hits))

    def _may_hit(self, victim: Victim, norm: Norm) -> bool:
        """Whether the norm is one of those that the lift names, whoever carries it."""
        match victim:
            case NamedVictim(blocks):
                return norm.block in blocks
            case ClassVictim(word, strength, origin):
                origins = {"rules": "rule", "effects": "effect", "abilities": "ability"}
                return (
                    # A price bars like a prohibition, so `forbid` means it too; `price` means nothing else.
                    (word == norm.word or (word == "forbid" and norm.word == "price"))
                    and strength in (None, norm.strength)
                    and (origin is None or self.model.blocks[norm.block].what == origins[origin])
                )

    def _is_general(self, clause: StatusClause) -> bool:
        return (
            clause.negative
            and self.model.statuses[clause.status].live
            and self.model.blocks[clause.block].what in ("ability", "effect")
            and isinstance(clause.patterns[-1], Bind | Wild)
        )


def _is_self(pattern: Match) -> bool:
    return isinstance(pattern.value, Local) and pattern.value.name == "self"


_RECENT: list[Program] = []


def program_of(model: Model) -> Program:
    """The program of a model; those of the models used last are kept."""
    for i, program in enumerate(_RECENT):
        if program.model is model:
            if i:
                _RECENT.insert(0, _RECENT.pop(i))
            return program
    program = Program(model)
    _RECENT.insert(0, program)
    del _RECENT[8:]
    return program
