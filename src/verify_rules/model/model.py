"""The immutable model: a rulebook with every name and type resolved, and the scenarios that speak about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from verify_rules.model.expr import Const, Expr
from verify_rules.model.types import EnumType, IntType, Obj, PerType, RefType, Type, Value
from verify_rules.source import NOWHERE, SourceFile, Span

NormWord = Literal["permit", "forbid", "require", "steer", "price"]


@dataclass(frozen=True)
class Member:
    """A member of an enumeration: `value` as written, `name` and `arguments` its parts, `term` its Japanese term."""

    value: str
    name: str
    arguments: tuple[Value, ...] = ()
    term: str | None = None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Variable:
    """A field of the kind or a global variable.

    `type` is the type of one value, `index` the enumerations after `per`; `default` the value at the start and `null`
    what reading the field of nothing gives.
    """

    name: str
    type: Type
    index: tuple[str, ...]
    default: Value
    null: Value
    of_kind: bool
    fixed: bool
    marks: tuple[str, ...] = ()
    clock: bool = False
    term: str | None = None
    span: Span = NOWHERE

    @property
    def full_type(self) -> Type:
        """The type with its `per`."""
        result: Type = self.type
        for name in reversed(self.index):
            result = PerType(EnumType(name), result)
        return result


@dataclass(frozen=True)
class Parameter:
    """A parameter with its type and perhaps a default."""

    name: str
    type: Type
    default: Const | None = None


@dataclass(frozen=True)
class Define:
    """A named formula."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Expr
    term: str | None = None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Status:
    """A fact that clauses give and take; `live` ones enliven the blocks that their last parameter names."""

    name: str
    parameters: tuple[Parameter, ...]
    live: bool
    term: str | None = None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Citation:
    """A paragraph of a version of a source."""

    source: str
    paragraph: str
    version: str
    newest: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        """As it is written: without a version the newest is meant."""
        return f'{self.source} {"" if self.newest else self.version + " "}"{self.paragraph}"'


@dataclass(frozen=True)
class Block:
    """Clauses (or parts of an event) under one name; `id` is unique: `rule NAME`, `ability NAME`, …

    `holder` is the type of `self` in abilities and effects.
    """

    id: str
    what: Literal["rule", "ability", "effect", "group"]
    name: str
    title: str | None
    citations: tuple[Citation, ...]
    since: date | None
    until: date | None
    parameters: tuple[Parameter, ...] = ()
    holder: Type | None = None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Wild:
    """`_`."""


@dataclass(frozen=True)
class Bind:
    """A fresh name; with `only`, the clause applies to arguments of that type alone."""

    name: str
    type: Type
    only: str | None = None


@dataclass(frozen=True)
class Match:
    """The argument has to equal this value."""

    value: Expr


Pattern = Wild | Bind | Match


@dataclass(frozen=True)
class StatusClause:
    """`status(patterns) when condition`, or with `negative` an exception to it."""

    id: str
    block: str
    status: str
    patterns: tuple[Pattern, ...]
    condition: Expr | None
    negative: bool
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Norm:
    """`word action(patterns) when condition`. A `price` is a prohibition while its condition fails."""

    id: str
    block: str
    word: NormWord
    action: str
    patterns: tuple[Pattern, ...]
    condition: Expr | None
    strength: str
    title: str | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class NamedVictim:
    """All norms of these blocks."""

    blocks: frozenset[str]
    text: str


@dataclass(frozen=True)
class ClassVictim:
    """All norms of this word, strength and origin; `owner` is the carrier whose abilities are meant."""

    word: NormWord
    strength: str | None
    origin: Literal["rules", "effects", "abilities"] | None
    owner: Expr | None
    text: str


Victim = NamedVictim | ClassVictim


@dataclass(frozen=True)
class Lift:
    """Takes the victims out for the pairs that match."""

    id: str
    block: str
    victims: tuple[Victim, ...]
    action: str
    patterns: tuple[Pattern, ...]
    condition: Expr | None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Require:
    """A requirement of an event or action."""

    formula: Expr
    title: str | None = None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Reset:
    """All variable fields of `target` but `keep` as at the start."""

    target: Expr
    keep: tuple[str, ...]
    span: Span = NOWHERE


@dataclass(frozen=True)
class Assign:
    """`variable` of `owner` at `index` becomes `value`, if `condition`."""

    variable: str
    owner: Expr | None
    index: tuple[Expr, ...]
    value: Expr
    condition: Expr | None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Carry:
    """The marked fields of `target` become those of `origin`."""

    origin: Expr
    target: Expr
    span: Span = NOWHERE


@dataclass(frozen=True)
class ForEach:
    """The parts for every object for which the condition holds."""

    name: str
    type: RefType
    condition: Expr | None
    parts: tuple[Part, ...]
    span: Span = NOWHERE


@dataclass(frozen=True)
class Do:
    """Another event at the same moment, if `condition`."""

    event: str
    arguments: tuple[Expr, ...]
    condition: Expr | None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Group:
    """Parts that a rule inside the event owns; `id` is that of its block."""

    id: str
    parts: tuple[Part, ...]
    span: Span = NOWHERE


Part = Require | Reset | Assign | Carry | ForEach | Do | Group


def formulas_of(parts: Iterable[Part]) -> Iterator[Expr]:
    """The formulas in the parts of an event, in order; not those of the events that it does."""
    for part in parts:
        match part:
            case Require(formula):
                yield formula
            case Reset(target):
                yield target
            case Assign(_, owner, index, value, condition):
                yield from (x for x in (owner, *index, value, condition) if x is not None)
            case Carry(origin, target):
                yield from (origin, target)
            case ForEach(_, _, condition, inner):
                yield from (() if condition is None else (condition,))
                yield from formulas_of(inner)
            case Do(_, arguments, condition):
                yield from (x for x in (*arguments, condition) if x is not None)
            case Group(_, inner):
                yield from formulas_of(inner)


@dataclass(frozen=True)
class Amendment:
    """`on event(patterns) when condition also …`: `parts` that the event has too; with `replaces`, that it has instead.

    It applies only where the requirements of what it does are met, so it never makes an event impossible.
    """

    id: str
    block: str
    event: str
    replaces: bool
    patterns: tuple[Pattern, ...]
    condition: Expr | None
    parts: tuple[Part, ...]
    strength: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Trigger:
    """`triggers on event(patterns) when condition`: read in the state before the event, or just `after` it."""

    id: str
    block: str
    event: str
    after: bool
    patterns: tuple[Pattern, ...]
    condition: Expr | None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Event:
    """What can happen. An `action` is an event that norms speak about."""

    name: str
    parameters: tuple[Parameter, ...]
    parts: tuple[Part, ...]
    action: bool
    term: str | None = None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Option:
    """A way to read an open point."""

    name: str
    title: str | None = None


@dataclass(frozen=True)
class Reading:
    """An open point; `default` is the name of the option that holds if nothing else is said."""

    name: str
    title: str | None
    options: tuple[Option, ...]
    default: str
    citations: tuple[Citation, ...] = ()
    since: date | None = None
    until: date | None = None
    span: Span = NOWHERE


@dataclass(frozen=True)
class SetupStep:
    """An event of the prologue, with arguments over the setup's names."""

    event: str
    arguments: tuple[Expr, ...]
    span: Span = NOWHERE


@dataclass(frozen=True)
class Setup:
    """What the words of `cards` mean: fields for types, abilities and owner, and the events of the prologue.

    `name` stands for the card, `below` for the set of the cards that are said to lie directly under it.
    """

    name: str
    below: str
    types: str | None
    grants: str | None
    owner: str | None
    in_play: SetupStep | None
    then: tuple[SetupStep, ...]
    flags: dict[str, SetupStep]
    span: Span = NOWHERE


@dataclass(frozen=True)
class Unknown:
    """A value that isn't said: any of `choices`, or of the whole type if there are none."""

    choices: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A card of a scenario: its fixed fields (those not named have their default), where it is at the start.

    `open_grants` means that it may have further abilities (`with ?`).
    """

    object: Obj
    values: dict[str, Value | Unknown]
    in_play: bool
    flags: tuple[str, ...]
    under: tuple[Obj, ...]
    open_grants: bool = False
    card: str | None = None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Step:
    """An event of a script; `mistaken` ones were carried out although they weren't legal."""

    event: str
    arguments: tuple[Expr, ...]
    text: str
    mistaken: bool = False
    span: Span = NOWHERE


@dataclass(frozen=True)
class UnknownSteps:
    """Up to `up_to` events that aren't said (exactly one if not `plural`)."""

    up_to: int
    plural: bool
    span: Span = NOWHERE


@dataclass(frozen=True)
class ExpectFormula:
    """A formula that is true here; with `open`, one whose value depends on a reading."""

    formula: Expr
    text: str
    open: bool = False
    span: Span = NOWHERE


@dataclass(frozen=True)
class ExpectMistake:
    """The last mistake is repaired by exchanging the two cards; without a pair: by no exchange."""

    pair: tuple[Obj, Obj] | None
    text: str
    span: Span = NOWHERE


Expectation = ExpectFormula | ExpectMistake
Line = Step | UnknownSteps | ExpectFormula | ExpectMistake


@dataclass(frozen=True)
class Scenario:
    """A board and steps, with what is expected on the way."""

    entries: tuple[Entry, ...]
    lines: tuple[Line, ...]

    @property
    def objects(self) -> tuple[Obj, ...]:
        """The cards in the order in which they are declared."""
        return tuple(entry.object for entry in self.entries)


@dataclass(frozen=True)
class Meta:
    """Where a ruling comes from and when it holds."""

    cites: tuple[str, ...] = ()
    url: str | None = None
    dated: date | None = None
    kind: str | None = None
    confidence: str | None = None
    since: date | None = None
    until: date | None = None
    disputed: str | None = None


@dataclass(frozen=True)
class Ruling:
    """A ruling (or, without a source, a `scenario`)."""

    word: Literal["ruling", "scenario"]
    name: str
    title: str | None
    meta: Meta
    scenario: Scenario
    unchecked: tuple[str, ...] = ()
    out_of_scope: str | None = None
    span: Span = NOWHERE

    @property
    def expectations(self) -> tuple[Expectation, ...]:
        """What the script expects, in order."""
        return tuple(x for x in self.scenario.lines if isinstance(x, ExpectFormula | ExpectMistake))


@dataclass(frozen=True)
class Claim:
    """A claim about all boards."""

    name: str
    title: str | None
    meta: Meta
    mode: Literal["always", "never", "possible"]
    formula: Expr
    span: Span = NOWHERE


@dataclass(frozen=True)
class Invariant:
    """A formula that is true in every reachable state."""

    name: str
    title: str | None
    formula: Expr
    span: Span = NOWHERE


@dataclass(frozen=True)
class SourceVersion:
    """A version of a source."""

    number: str
    dated: date | None


@dataclass(frozen=True)
class Source:
    """What rules cite; the first version is the newest."""

    name: str
    title: str | None
    versions: tuple[SourceVersion, ...]


@dataclass(frozen=True)
class Union:
    """A union: its kinds and enumerations by name, and the constants that it adds."""

    name: str
    types: tuple[str, ...]
    atoms: tuple[str, ...]


@dataclass(frozen=True)
class CardDefinition:
    """A named card."""

    name: str
    values: dict[str, Value | Unknown]
    open_grants: bool
    citations: tuple[Citation, ...]
    quote: str | None
    span: Span = NOWHERE


@dataclass(frozen=True)
class Model:
    """The whole rulebook. Everything is in source order; `hash` is that of the text it was read from."""

    name: str
    kind: str
    sources: dict[str, Source]
    enums: dict[str, tuple[Member, ...]]
    unions: dict[str, Union]
    variables: dict[str, Variable]
    defines: dict[str, Define]
    statuses: dict[str, Status]
    events: dict[str, Event]
    blocks: dict[str, Block]
    status_clauses: dict[str, tuple[StatusClause, ...]]
    norms: dict[str, tuple[Norm, ...]]
    lifts: dict[str, tuple[Lift, ...]]
    amendments: dict[str, tuple[Amendment, ...]]
    triggers: dict[str, tuple[Trigger, ...]]
    precedence: tuple[tuple[str, NormWord], ...]
    readings: dict[str, Reading]
    setup: Setup
    cards: dict[str, CardDefinition]
    invariants: tuple[Invariant, ...]
    rulings: tuple[Ruling, ...]
    claims: tuple[Claim, ...]
    terms: dict[str, str]
    constructors: dict[str, dict[str, tuple[EnumType | IntType, ...]]]
    files: dict[str, SourceFile]
    hash: str
    as_of: date | None = None
    dormant: frozenset[str] = frozenset()
    """Names of rules and groups that exist, but aren't in force at `as_of`."""

    @property
    def version(self) -> str:
        """The newest version of the first source that has versions; empty if there is none."""
        return next((s.versions[0].number for s in self.sources.values() if s.versions), "")

    @property
    def strengths(self) -> tuple[str, ...]:
        """The strengths that the precedence lists, in the order in which they first appear: the strongest first."""
        return tuple(dict.fromkeys(strength for strength, _ in self.precedence))

    @property
    def actions(self) -> tuple[Event, ...]:
        """The events that norms speak about."""
        return tuple(e for e in self.events.values() if e.action)
