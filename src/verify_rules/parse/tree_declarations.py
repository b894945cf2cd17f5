"""The part of the syntax tree that a rulebook declares: its vocabulary, events and actions, rules and abilities."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from verify_rules.parse.tree_formulas import Call, Citation, Expr, Node, Parameter, TypeExpr

# ---------------------------------------------------------------- vocabulary


@dataclass(frozen=True)
class Game(Node):
    """`game "…"`."""

    title: str


@dataclass(frozen=True)
class SourceVersion(Node):
    """A version of a source, with its date if given."""

    number: str
    dated: date | None = None


@dataclass(frozen=True)
class Source(Node):
    """`source NAME "…" versions 1.50 dated 2026-04-10, …`: what rules may cite; the first version is the newest."""

    name: str
    title: str | None
    versions: tuple[SourceVersion, ...]


@dataclass(frozen=True)
class Member(Node):
    """A member of an enumeration, perhaps with parameters over enumerations, and its term."""

    name: str
    parameters: tuple[str, ...] = ()
    term: str | None = None


@dataclass(frozen=True)
class Enum(Node):
    """`enum NAME { … }`; one repeated elsewhere adds members."""

    name: str
    term: str | None
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Field(Node):
    """A line of a kind or a global `var`: one or more names of one type.

    `variable` fields change, the others are fixed for a scenario. `marks` are the names after `of`; `clock` fields are
    what a mistake may confuse (design 2.7).
    """

    names: tuple[str, ...]
    type: TypeExpr
    default: Expr | None = None
    term: str | None = None
    variable: bool = False
    marks: tuple[str, ...] = ()
    clock: bool = False


@dataclass(frozen=True)
class Kind(Node):
    """`kind NAME { … }`."""

    name: str
    term: str | None
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Var(Node):
    """A variable of the whole game."""

    field: Field


@dataclass(frozen=True)
class Union(Node):
    """`union NAME = KIND | ENUM | atom`: a name that is no type is a new constant."""

    name: str
    term: str | None
    members: tuple[str, ...]


@dataclass(frozen=True)
class Invariant(Node):
    """A formula that is true in every reachable state."""

    name: str | None
    title: str | None
    formula: Expr


@dataclass(frozen=True)
class Define(Node):
    """`define name(parameters) = body`."""

    name: str
    parameters: tuple[Parameter, ...]
    term: str | None
    body: Expr


@dataclass(frozen=True)
class Status(Node):
    """`status name(parameters)`; with `makes live` the blocks that its last parameter names are live where it holds."""

    name: str
    parameters: tuple[Parameter, ...]
    term: str | None
    live: bool = False


# ---------------------------------------------------------------- events and actions


@dataclass(frozen=True)
class Requires(Node):
    """A condition without which the event is impossible."""

    title: str | None
    formula: Expr


@dataclass(frozen=True)
class Resets(Node):
    """All variable fields of `target` as at the start, but for `keep`."""

    target: Expr
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assign(Node):
    """`place := value when condition`."""

    place: Expr
    value: Expr
    condition: Expr | None = None


@dataclass(frozen=True)
class Sets(Node):
    """One or more assignments."""

    assignments: tuple[Assign, ...]


@dataclass(frozen=True)
class Carries(Node):
    """`carries a to b`: the marked fields of a go along to b."""

    origin: Expr
    target: Expr


@dataclass(frozen=True)
class ForEach(Node):
    """`for x: KIND where F` before one or more plain parts."""

    name: str
    type_name: str
    condition: Expr | None
    parts: tuple[Resets | Sets | Carries, ...]


@dataclass(frozen=True)
class Does(Node):
    """`does other_event(…)`: all that the other event requires and does, at the same moment."""

    call: Call
    condition: Expr | None = None


@dataclass(frozen=True)
class Notes(Node):
    """What may stand behind the name of a rule, group, ability, effect, reading or card."""

    citations: tuple[Citation, ...] = ()
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True)
class Group(Node):
    """A rule inside an event or action: parts that can be cited, dated and switched off together."""

    name: str
    title: str | None
    notes: Notes
    parts: tuple[Part, ...]


Part = Requires | Resets | Sets | ForEach | Carries | Does | Group


@dataclass(frozen=True)
class Event(Node):
    """`event name(parameters) …` or, with `action`, something that norms speak about."""

    name: str
    parameters: tuple[Parameter, ...]
    term: str | None
    parts: tuple[Part, ...]
    action: bool = False


# ---------------------------------------------------------------- clauses

NormWord = Literal["permit", "forbid", "require", "steer", "price"]


@dataclass(frozen=True)
class Pattern(Node):
    """An argument in a head: `_`, `t: TYPE`, or an expression (a fresh name is bound)."""

    value: Expr | None = None
    name: str | None = None
    type_name: str | None = None


@dataclass(frozen=True)
class Head(Node):
    """`name(patterns)` of a status or an action."""

    name: str
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class StatusClause(Node):
    """`status(…) when F`, or `not status(…) when F`."""

    head: Head
    condition: Expr | None
    negative: bool = False


@dataclass(frozen=True)
class Norm(Node):
    """`permit ACTION(…) when F` and its four siblings; `title` is the price in words."""

    word: NormWord
    head: Head
    strength: str | None = None
    title: str | None = None
    condition: Expr | None = None


@dataclass(frozen=True)
class Victim(Node):
    """What a `lifts` takes out: a rule, an ability or an effect by name, or a class of norms."""

    what: Literal["rule", "ability", "effect", "class"]
    name: str | None = None
    strength: str | None = None
    word: NormWord | None = None
    origin: Literal["rules", "effects", "abilities"] | None = None
    owner: Expr | None = None


@dataclass(frozen=True)
class Lifts(Node):
    """`lifts VICTIM, … for ACTION(…) when F`."""

    victims: tuple[Victim, ...]
    head: Head
    condition: Expr | None = None


@dataclass(frozen=True)
class Amends(Node):
    """`on EVENT(…) when F also …`, or `instead …`: what else the event does then, or does in its place."""

    word: Literal["also", "instead"]
    head: Head
    condition: Expr | None
    parts: tuple[Resets | Sets | ForEach | Carries | Does, ...]
    strength: str | None = None


@dataclass(frozen=True)
class TriggerClause(Node):
    """`triggers on EVENT(…) when F`, asked before the event, or `triggers after …`, asked just after it."""

    after: bool
    head: Head
    condition: Expr | None = None


Clause = StatusClause | Norm | Lifts | Amends | TriggerClause


@dataclass(frozen=True)
class Block(Node):
    """A rule, an ability or an effect: clauses under one name."""

    what: Literal["rule", "ability", "effect"]
    name: str
    title: str | None
    notes: Notes
    clauses: tuple[Clause, ...]
    parameters: tuple[Parameter, ...] = ()
    holder: str | None = None


@dataclass(frozen=True)
class Level(Node):
    """A level of precedence."""

    strength: str
    word: NormWord


@dataclass(frozen=True)
class Precedence(Node):
    """The levels, strongest first."""

    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Option(Node):
    """A way to read an open point."""

    name: str
    title: str | None = None
    default: bool = False


@dataclass(frozen=True)
class Reading(Node):
    """An open point of the rules and its readings."""

    name: str
    title: str | None
    notes: Notes
    options: tuple[Option, ...]
