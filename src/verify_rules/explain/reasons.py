"""Reasons as data. Texts are already in the words of the game; places are kept beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from verify_rules.model.expr import Expr
from verify_rules.model.types import Value
from verify_rules.semantics import Moment
from verify_rules.source import Span


@dataclass(frozen=True)
class Source:
    """A clause or requirement of the model: the name of its block, what that cites, and the line."""

    name: str
    what: str
    title: str | None
    cites: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Origin:
    """What made a fact so: a step (number in the whole run, from 1, and its text), or nothing since the start.

    `prologue` steps come from `in play`, not from the script. A `supposed` step only would happen: it is asked what
    triggers just after it. `by` is the block whose amendment of the event made it so, if one did.
    """

    text: str
    number: int
    prologue: bool
    span: Span
    supposed: bool = False
    by: str | None = None


@dataclass(frozen=True)
class Claim:
    """What a fact says, as a formula: with these local names it has this truth at the moment."""

    expr: Expr
    env: Mapping[str, Value]
    truth: bool
    moment: Moment


@dataclass(frozen=True)
class Fact:
    """A line of a reason: it is so because of the facts below it; `source` is the clause that makes it so.

    `absent` are the exceptions that would make it otherwise, and what each lacks; `claim` is what it says, if that is a
    formula. `minor` is what only the model's own bookkeeping says: it is a part of the reason, but no news to a reader.
    """

    text: str
    origin: Origin | None = None
    source: Source | None = None
    because: tuple[Fact, ...] = ()
    absent: tuple[Absent, ...] = ()
    claim: Claim | None = field(default=None, compare=False, repr=False)
    minor: bool = field(default=False, compare=False, repr=False)

    @property
    def size(self) -> int:
        """The number of lines, itself included."""
        return 1 + sum(fact.size for fact in self.because)


@dataclass(frozen=True)
class Absent:
    """A clause that would change the answer if it applied, and what stands against it.

    `carrier` has the ability or effect that the clause belongs to, if somebody has it; so it is there, and idle.
    """

    source: Source
    lacks: tuple[Fact, ...]
    carrier: str | None = None


@dataclass(frozen=True)
class Decider:
    """A norm that applies: what it says, whose it is (`carrier`), how strong it is."""

    source: Source
    word: str
    strength: str
    carrier: str | None = None
    price: str | None = None
    lifted_by: tuple[Source, ...] = ()


@dataclass(frozen=True)
class Reason:
    """Why a pair has its verdict.

    `by` decides; `because` are the facts that this rests on; `beats` are weaker norms that say the opposite; `lifted`
    those that would have decided but are lifted; `absent` what would change the verdict but does not apply; `nearest`
    the permission that lacks least where nothing permits; `toward` the pairs that steering or a duty names instead.
    """

    action: str
    verdict: str
    stage: str
    by: tuple[Decider, ...] = ()
    because: tuple[Fact, ...] = ()
    beats: tuple[Decider, ...] = ()
    lifted: tuple[Decider, ...] = ()
    absent: tuple[Absent, ...] = ()
    nearest: Absent | None = None
    requirement: Source | None = None
    toward: tuple[str, ...] = ()
