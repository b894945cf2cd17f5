"""Verdicts about a pair, with what decided them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from verify_rules.model.model import Amendment, Lift, Norm, Require, StatusClause, Trigger
from verify_rules.model.types import Value
from verify_rules.semantics.evaluate import Env

if TYPE_CHECKING:
    from verify_rules.semantics.moment import Moment

# A pair: one value for every parameter of the action, the actor first.
Args = tuple[Value, ...]
Kind = Literal["required", "permitted", "forbidden", "not permitted", "impossible"]
Stage = Literal["requires", "norms", "steering", "duty"]


@dataclass(frozen=True)
class Instance:
    """A norm with its carrier (None for a rule) and what its names stand for, on a pair that its patterns match."""

    norm: Norm
    carrier: Value
    env: Env = field(hash=False)


@dataclass(frozen=True)
class LiftInstance:
    """A lift likewise."""

    lift: Lift
    carrier: Value
    env: Env = field(hash=False)


@dataclass(frozen=True)
class ClauseInstance:
    """A clause of a status likewise."""

    clause: StatusClause
    carrier: Value
    env: Env = field(hash=False)


@dataclass(frozen=True)
class AmendmentInstance:
    """An amendment of an event likewise."""

    amendment: Amendment
    carrier: Value
    env: Env = field(hash=False)


@dataclass(frozen=True)
class TriggerInstance:
    """A clause that triggers on an event likewise."""

    trigger: Trigger
    carrier: Value
    env: Env = field(hash=False)


@dataclass(frozen=True)
class Applying:
    """A norm instance that applies to a pair.

    `level` is its place in the precedence (0 is the strongest; None for duties and steering); `lifted_by` is what takes
    it out.
    """

    instance: Instance
    level: int | None
    lifted_by: tuple[LiftInstance, ...]


@dataclass(frozen=True)
class Failure:
    """A requirement that isn't met: the group it stands in, the event it belongs to, what its names stand for."""

    require: Require
    group: str | None
    event: str
    env: Env = field(hash=False)


@dataclass(frozen=True)
class Verdict:
    """What the rules say about a pair.

    `stage` is where it was decided and `deciding` the norm instances that did: all of the deciding level; the steering
    or the duties that name other pairs (`toward`); for a required pair its duties. `failure` is the first requirement
    that fails; it is None for an impossible pair if an argument is none.
    """

    action: str
    args: Args
    kind: Kind
    stage: Stage
    deciding: tuple[Instance, ...] = ()
    failure: Failure | None = None
    toward: tuple[Args, ...] = ()
    moment: Moment | None = field(default=None, compare=False, repr=False)

    @property
    def legal(self) -> bool:
        """The action can be taken."""
        return self.kind == "permitted" or self.kind == "required"

    @property
    def failing(self) -> Require | None:
        """The requirement that fails."""
        return self.failure.require if self.failure else None

    @property
    def failing_group(self) -> str | None:
        """The group in which the requirement that fails stands."""
        return self.failure.group if self.failure else None

    def decided_by(self, blocks: AbstractSet[str]) -> bool:
        """Whether one of the blocks has a deciding instance."""
        return any(instance.norm.block in blocks for instance in self.deciding)

    @cached_property
    def base(self) -> Verdict:
        """The verdict before steering and duties."""
        assert self.moment is not None
        return self.moment.base(self.action, self.args)

    @cached_property
    def applying(self) -> tuple[Applying, ...]:
        """All norm instances that apply to the pair, in source order: also those that were beaten or lifted."""
        assert self.moment is not None
        return self.moment.applying(self.action, self.args)

    @cached_property
    def lifted(self) -> tuple[tuple[Instance, LiftInstance], ...]:
        """The instances that would apply, each with what lifts it."""
        return tuple((a.instance, lift) for a in self.applying for lift in a.lifted_by)
