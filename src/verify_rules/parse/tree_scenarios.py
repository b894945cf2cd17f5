"""The part of the syntax tree that tells stories: cards and scripts, rulings and claims, and what sets a board up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from verify_rules.parse.tree_declarations import Notes
from verify_rules.parse.tree_formulas import Call, Expr, Node


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
