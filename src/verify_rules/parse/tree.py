"""The syntax tree: one class per construct of `rulebook.lark`, nothing resolved yet.

Two trees are equal when they say the same, wherever they stand: spans take no part in comparison. The printer
(`printer.py`) is the inverse of the parser on these classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from verify_rules.source import NOWHERE, Span


@dataclass(frozen=True)
class Node:
    """Anything that was read from a file; `span` is its place."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True)


# ---------------------------------------------------------------- formulas

Modality = Literal[
    "can", "cannot", "must", "need not", "forbidden", "not permitted", "impossible", "possible", "barred"
]
NormWord = Literal["permit", "forbid", "require", "steer", "price"]


@dataclass(frozen=True)
class Name(Node):
    """A bare word: a variable, a constant, or a definition without arguments."""

    name: str


@dataclass(frozen=True)
class Number(Node):
    """A whole number, negative ones included."""

    value: int


@dataclass(frozen=True)
class SetLiteral(Node):
    """`{a, b}`."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Argument(Node):
    """An argument of a call: `_` has no value, `on: {…}` has a label."""

    value: Expr | None
    label: str | None = None


@dataclass(frozen=True)
class Call(Node):
    """`name(arguments)`: a status, a definition, an event, an action or a constant with parameters."""

    name: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Access(Node):
    """`base.name`: a field, or a definition or status of one argument."""

    base: Expr
    name: str


@dataclass(frozen=True)
class Index(Node):
    """`base[index]`, of a variable declared `per` an enumeration."""

    base: Expr
    index: Expr


@dataclass(frozen=True)
class Negation(Node):
    """`not body`."""

    body: Expr


@dataclass(frozen=True)
class Chain(Node):
    """`a and b and …`, `a or b or …`, `a iff b iff …`, `a implies b`: at least two items."""

    word: Literal["and", "or", "iff", "implies"]
    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Binary(Node):
    """A comparison (`= ≠ < ≤ > ≥ in meets within`) or a sum (`+ -`)."""

    operator: Literal["=", "≠", "<", "≤", ">", "≥", "in", "meets", "within", "+", "-"]
    left: Expr
    right: Expr


@dataclass(frozen=True)
class IsA(Node):
    """`body is TYPE`."""

    body: Expr
    type_name: str


@dataclass(frozen=True)
class Contains(Node):
    """`A forbids ACTION`: what the block of ability or effect A says, whether or not it applies."""

    body: Expr
    word: Literal["forbids", "permits"]
    action: str


@dataclass(frozen=True)
class IfElse(Node):
    """`if condition then yes else no`."""

    condition: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True)
class Binder(Node):
    """`c: TYPE` or `c in SET`: exactly one of `type_name` and `domain` is there."""

    name: str
    type_name: str | None = None
    domain: Expr | None = None


@dataclass(frozen=True)
class Quantified(Node):
    """`some`, `all`, `count(…)` and `union` over a binder."""

    word: Literal["some", "all", "count", "union"]
    binder: Binder
    body: Expr


@dataclass(frozen=True)
class Citation(Node):
    """`CR 1.50 "301.5"`: a paragraph of a source; without a version the newest is meant."""

    source: str
    paragraph: str
    version: str | None = None


@dataclass(frozen=True)
class Verdict(Node):
    """`can attack(x, _)`, `forbidden attack(x, y) by RULE`, `possible EVENT`."""

    modality: Modality
    call: Call
    by: Name | Citation | None = None


Expr = (
    Name
    | Number
    | SetLiteral
    | Call
    | Access
    | Index
    | Negation
    | Chain
    | Binary
    | IsA
    | Contains
    | IfElse
    | Quantified
    | Verdict
)

# ---------------------------------------------------------------- types and parameters


@dataclass(frozen=True)
class TypeBool(Node):
    """`bool`."""


@dataclass(frozen=True)
class TypeInt(Node):
    """`int low..high`, both included."""

    low: int
    high: int


@dataclass(frozen=True)
class TypeName(Node):
    """An enumeration, the kind, or a union."""

    name: str


@dataclass(frozen=True)
class TypeOptional(Node):
    """`NAME?`: or none."""

    name: str


@dataclass(frozen=True)
class TypeSet(Node):
    """`set of NAME`."""

    name: str


@dataclass(frozen=True)
class TypePer(Node):
    """`per NAME TYPE`: one value for each member of the enumeration."""

    index: str
    value: TypeExpr


TypeExpr = TypeBool | TypeInt | TypeName | TypeOptional | TypeSet | TypePer


@dataclass(frozen=True)
class Parameter(Node):
    """A parameter; without a type it is of the kind."""

    name: str
    type: TypeExpr | None = None
    default: Expr | None = None


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
    """`source CR "…" versions 1.50 dated 2026-04-10, …`: what rules may cite; the first version is the newest."""

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


Clause = StatusClause | Norm | Lifts


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


# ---------------------------------------------------------------- scenarios


@dataclass(frozen=True)
class SetupFlag(Node):
    """`flag NAME step`: what a word after `in play` makes happen."""

    name: str
    call: Call


@dataclass(frozen=True)
class Setup(Node):
    """What the words of a scenario's `cards` mean in this game (design 2.7)."""

    name: str
    type_name: str
    below: str | None = None
    types: Expr | None = None
    grants: Expr | None = None
    owner: Expr | None = None
    in_play: Call | None = None
    then: tuple[Call, ...] = ()
    flags: tuple[SetupFlag, ...] = ()


@dataclass(frozen=True)
class Grant(Node):
    """An ability after `with`; arguments make it an instance; `unknown` is `?`."""

    name: str = ""
    arguments: tuple[Expr, ...] = ()
    unknown: bool = False


@dataclass(frozen=True)
class CardValue(Node):
    """`field = value`, `field = ?` (no value, no choices), `field in {a, b}` (choices)."""

    field: str
    value: Expr | None = None
    choices: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Card(Node):
    """A named card, defined once for the model."""

    name: str
    notes: Notes
    types: tuple[str, ...]
    grants: tuple[Grant, ...] = ()
    values: tuple[CardValue, ...] = ()
    quote: str | None = None


@dataclass(frozen=True)
class Entry(Node):
    """A line of `cards`: either `types` or the name of a `card`."""

    name: str
    types: tuple[str, ...] = ()
    card: str | None = None
    grants: tuple[Grant, ...] = ()
    owner: str | None = None
    in_play: bool = False
    flags: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    values: tuple[CardValue, ...] = ()


@dataclass(frozen=True)
class Step(Node):
    """An event of a script."""

    call: Call


@dataclass(frozen=True)
class UnknownSteps(Node):
    """`step ?`, or `steps ? up to N`."""

    up_to: int
    plural: bool = False


@dataclass(frozen=True)
class Mistaken(Node):
    """An action carried out although it was not legal."""

    call: Call


@dataclass(frozen=True)
class ExpectFormula(Node):
    """A formula that is true here."""

    formula: Expr


@dataclass(frozen=True)
class ExpectOpen(Node):
    """A formula (or an action: can it be taken) whose answer depends on a reading."""

    formula: Expr


@dataclass(frozen=True)
class ExpectRepaired(Node):
    """The last mistake is repaired by exchanging two cards."""

    left: str
    right: str


@dataclass(frozen=True)
class ExpectNotRepairable(Node):
    """No exchange repairs the last mistake."""


Expectation = ExpectFormula | ExpectOpen | ExpectRepaired | ExpectNotRepairable


@dataclass(frozen=True)
class Expect(Node):
    """An `expect` line."""

    expectation: Expectation


@dataclass(frozen=True)
class Unchecked(Node):
    """What the source also says and the script doesn't test."""

    text: str


ScriptLine = Step | UnknownSteps | Mistaken | Expect | Unchecked


@dataclass(frozen=True)
class Meta(Node):
    """Where a ruling or claim comes from and when it holds."""

    cites: tuple[str, ...] = ()
    url: str | None = None
    dated: date | None = None
    kind: str | None = None
    confidence: str | None = None
    since: date | None = None
    until: date | None = None
    disputed: str | None = None
    out_of_scope: str | None = None


@dataclass(frozen=True)
class Ruling(Node):
    """A ruling, or (word `scenario`) a board and steps without a source."""

    word: Literal["ruling", "scenario"]
    name: str
    title: str | None
    meta: Meta
    cards: tuple[Entry, ...] = ()
    script: tuple[ScriptLine, ...] = ()


@dataclass(frozen=True)
class Claim(Node):
    """A claim about all boards."""

    name: str
    title: str | None
    meta: Meta
    mode: Literal["always", "never", "possible"]
    formula: Expr


@dataclass(frozen=True)
class Given(Node):
    """The value of `--given`."""

    cards: tuple[Entry, ...]
    script: tuple[Step | Mistaken, ...]


Item = (
    Game
    | Source
    | Enum
    | Kind
    | Var
    | Union
    | Invariant
    | Define
    | Status
    | Event
    | Block
    | Precedence
    | Reading
    | Setup
    | Card
    | Ruling
    | Claim
)


@dataclass(frozen=True)
class Document:
    """The items of one file, in order."""

    path: str
    items: tuple[Item, ...]
