"""States and boards: the concrete values that everything is computed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verify_rules.model.model import Entry, Model, Scenario, Unknown
from verify_rules.model.types import Atom, Obj, Type, Value
from verify_rules.semantics.evaluate import Env
from verify_rules.semantics.program import CarrierBlock, Program, ReadyAction, program_of
from verify_rules.source import Span

if TYPE_CHECKING:
    from verify_rules.semantics.verdict import Args

Index = tuple[str, ...]
# A slot of a variable: the object (None for a global variable), then one member per `per`.
Key = tuple[Atom, ...]
Tables = Mapping[str, Mapping[Key, Value]]


class NotSearched(Exception):
    """The scenario leaves something open, so it can't simply be run; `span` is the place."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(f"{span}: {what}")
        self.what = what
        self.span = span


class State:
    """The values of the changeable variables; immutable. What a table doesn't have is as at the start."""

    __slots__ = ("values",)

    def __init__(self, values: Tables) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.values == other.values

    def __hash__(self) -> int:
        return hash(frozenset((name, frozenset(table.items())) for name, table in self.values.items()))

    def __repr__(self) -> str:
        slots = (f"{name}{list(key)}={value!r}" for name, table in self.values.items() for key, value in table.items())
        return f"State({', '.join(slots)})"

    def updated(self, writes: Iterable[tuple[str, Key, Value]], defaults: Mapping[str, Value]) -> State:
        """The state after the writes; the other tables are shared."""
        values = dict(self.values)
        copied: dict[str, dict[Key, Value]] = {}
        for variable, key, value in writes:
            if variable not in copied:
                values[variable] = copied[variable] = dict(values[variable])
            if value == defaults[variable]:
                copied[variable].pop(key, None)
            else:
                copied[variable][key] = value
        return State(values)


@dataclass
class Reach:
    """What is the same at all moments at which the same abilities and effects can be live.

    `instances` of each block, `norms` of each action: those that anybody can have.
    """

    instances: dict[str, tuple[tuple[str, Env], ...]] = field(default_factory=dict)
    norms: dict[str, ReadyAction] = field(default_factory=dict)


class Board:
    """What is fixed in a scenario: model, objects, fixed fields; `start` is the state before any event."""

    def __init__(
        self, model: Model, objects: Iterable[Obj], values: Mapping[Obj, Mapping[str, Value]] | None = None
    ) -> None:
        self.model = model
        self.program: Program = program_of(model)
        self.objects = tuple(objects)
        self.fixed: dict[str, dict[Key, Value]] = {v.name: {} for v in model.variables.values() if v.fixed}
        for obj, fields in (values or {}).items():
            for name, value in fields.items():
                for index in self.program.indices[name]:
                    self.fixed[name][(obj, *index)] = value
        self.start = State({v.name: {} for v in model.variables.values() if not v.fixed})
        self._candidates: dict[Type, tuple[Value, ...]] = {}
        self._reaches: dict[tuple[frozenset[Value] | None, ...], Reach] = {}
        self._carriers: dict[Type, dict[Value, None]] = {}

    def candidates(self, type: Type) -> tuple[Value, ...]:
        """All values of the type on this board, in order."""
        found = self._candidates.get(type)
        if found is None:
            found = self._candidates[type] = self.program.candidates(type, self.objects)
        return found

    def pairs(self, action: str, actor: Args) -> tuple[Args, ...]:
        """All pairs of an action with this actor (a tuple of one, or empty if the action has no parameters)."""
        pairs: list[Args] = [actor]
        for parameter in self.model.events[action].parameters[1:]:
            pairs = [(*pair, value) for pair in pairs for value in self.candidates(parameter.type)]
        return tuple(pairs)

    def reach(self, possible: tuple[frozenset[Value] | None, ...]) -> Reach:
        """What has been found out about moments at which the statuses that enliven blocks can give these values."""
        return self._reaches.setdefault(possible, Reach())

    def carriers(self, block: CarrierBlock) -> dict[Value, None]:
        """Everything that can carry the block, in order."""
        found = self._carriers.get(block.holder)
        if found is None:
            found = self._carriers[block.holder] = dict.fromkeys(self.candidates(block.holder))
        return found


def board_of(model: Model, scenario: Scenario) -> Board:
    """The board of a scenario without unknowns; otherwise `NotSearched`."""
    return Board(model, scenario.objects, {entry.object: _known(entry) for entry in scenario.entries})


def _known(entry: Entry) -> dict[str, Value]:
    if entry.open_grants:
        raise NotSearched(f"{entry.object.name} may have further abilities", entry.span)
    known: dict[str, Value] = {}
    for name, value in entry.values.items():
        if isinstance(value, Unknown):
            raise NotSearched(f"{name} of {entry.object.name} isn't known", entry.span)
        known[name] = value
    return known
