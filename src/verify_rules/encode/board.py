"""The board of a scenario as symbolic values: fixed fields, readings, selectors; and the states that stand on it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from verify_rules.encode.symbolic import MOST_CASES, Choice, Sym, Symbolic
from verify_rules.encode.terms import Factory, Term
from verify_rules.model.model import (
    Amendment,
    Bind,
    Block,
    Entry,
    Lift,
    Model,
    Norm,
    NormWord,
    Scenario,
    StatusClause,
    Trigger,
    Unknown,
    Variable,
    Wild,
)
from verify_rules.model.types import (
    ABILITY,
    EFFECT,
    Atom,
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
from verify_rules.source import NOWHERE, Span

WIDEST_RANGE = 4096
# A variable, the object whose field it is, and the members of its `per`: one changing value.
Slot = tuple[str, Obj | None, tuple[Atom, ...]]


class NotSearched(Exception):
    """The scenario says something that this encoding doesn't search, at a place of its text."""

    def __init__(self, message: str, span: Span = NOWHERE) -> None:
        super().__init__(message)
        self.span = span


@dataclass(frozen=True)
class State:
    """The values of everything that can change."""

    values: Mapping[Slot, Sym]


class Index:
    """The clauses of a model by what one asks for."""

    def __init__(self, model: Model) -> None:
        self.clauses: dict[tuple[str, bool], list[StatusClause]] = {}
        self.clauses_in: dict[str, list[StatusClause]] = {}
        self.norms: dict[tuple[str, NormWord], list[Norm]] = {}
        self.lifts: dict[str, list[Lift]] = {}
        self.norms_in: dict[str, list[Norm]] = {}
        # By event: what may replace it, the strongest first; what may be added to it, the strongest last.
        self.replacing: dict[str, list[Amendment]] = {}
        self.adding: dict[str, list[Amendment]] = {}
        self.triggers: dict[str, list[Trigger]] = {}
        self.blocks: dict[tuple[str, str], list[Block]] = {}
        self.instances: dict[tuple[str, str], dict[Atom, tuple[Value, ...]]] = {}
        self.live: dict[str, list[str]] = {"ability": [], "effect": []}
        # Blocks and clauses that take abilities (effects) away whatever their name.
        self.takers: set[str] = set()
        self.taking: set[str] = set()
        for clause in itertools.chain.from_iterable(model.status_clauses.values()):
            self.clauses.setdefault((clause.status, clause.negative), []).append(clause)
            self.clauses_in.setdefault(clause.block, []).append(clause)
        for norm in itertools.chain.from_iterable(model.norms.values()):
            self.norms.setdefault((norm.action, norm.word), []).append(norm)
            self.norms_in.setdefault(norm.block, []).append(norm)
        for lift in itertools.chain.from_iterable(model.lifts.values()):
            self.lifts.setdefault(lift.action, []).append(lift)
        for event in model.events:
            by_strength: dict[str, list[Amendment]] = {strength: [] for strength in model.strengths}
            for amendment in model.amendments[event]:
                by_strength.setdefault(amendment.strength, []).append(amendment)
            levels = list(by_strength.values())
            self.replacing[event] = [a for level in levels for a in level if a.replaces]
            self.adding[event] = [a for level in reversed(levels) for a in level if not a.replaces]
            self.triggers[event] = list(model.triggers[event])
        for block in model.blocks.values():
            if block.what in self.live:
                self.blocks.setdefault((block.what, block.name), []).append(block)
        for what, enum in (("ability", ABILITY), ("effect", EFFECT)):
            for member in model.enums.get(enum, ()):
                self.instances.setdefault((what, member.name), {})[member.value] = member.arguments
            for status in model.statuses.values():
                if status.live and status.parameters[-1].type == EnumType(enum):
                    self.live[what].append(status.name)
        for clause in itertools.chain.from_iterable(model.status_clauses.values()):
            if (
                clause.negative
                and model.statuses[clause.status].live
                and model.blocks[clause.block].what in self.live
                and isinstance(clause.patterns[-1], Bind | Wild)
            ):
                self.takers.add(clause.block)
                self.taking.add(clause.id)


class Board:
    """What is fixed for a scenario. Unknown things are variables; `constraints` say which values they may have."""

    def __init__(
        self,
        model: Model,
        scenario: Scenario,
        factory: Factory | None = None,
        selectors: bool = False,
        readings: Mapping[str, str] | None = None,
    ) -> None:
        self.model = model
        self.scenario = scenario
        self.objects = scenario.objects
        self.factory = Factory() if factory is None else factory
        self.symbolic = Symbolic(self.factory)
        self.index = Index(model)
        self.constraints: list[Term] = []
        self._enums: dict[str, dict[Atom, None]] = {}
        self._values: dict[Type, tuple[Atom, ...]] = {}
        self._heads: dict[Atom, str] = {}
        self.readings: dict[str, Sym] = {}
        for reading in model.readings.values():
            options = [option.name for option in reading.options]
            given = (readings or {}).get(reading.name)
            if given is not None:
                if given not in options:
                    raise ValueError(f"reading {reading.name} has no option {given}")
                options = [given]
            self.readings[reading.name] = self.one_of(f"reading:{reading.name}", options)
        self.selectors: dict[str, Term] = {}
        if selectors:
            ids = [c.id for clauses in model.status_clauses.values() for c in clauses]
            ids += [n.id for norms in model.norms.values() for n in norms]
            ids += [lift.id for lifts in model.lifts.values() for lift in lifts]
            ids += [a.id for amendments in model.amendments.values() for a in amendments]
            ids += [x.id for triggers in model.triggers.values() for x in triggers]
            self.selectors = {id: self.factory.bool_var(f"on:{id}") for id in ids}
        self.unknowns: dict[tuple[Obj, str], Sym] = {}
        self.fixed: dict[Slot, Sym] = {}
        for entry in scenario.entries:
            self._fix(entry)
        for variable in model.variables.values():
            if variable.fixed and not variable.of_kind:
                for slot in self.slots(variable):
                    self.fixed[slot] = self.symbolic.const(variable.default)

    # ------------------------------------------------------------ types

    def members(self, enum: str) -> dict[Atom, None]:
        """The members of an enumeration (or the options of a reading), in order."""
        known = self._enums.get(enum)
        if known is None:
            if enum in self.model.enums:
                known = {m.value: None for m in self.model.enums[enum]}
            elif enum in self.model.readings:
                known = {o.name: None for o in self.model.readings[enum].options}
            else:
                known = {}
            self._enums[enum] = known
        return known

    def values_of(self, type: Type) -> tuple[Atom, ...]:
        """All values of a type, in order."""
        known = self._values.get(type)
        if known is None:
            known = self._values[type] = tuple(self._all_values(type))
        return known

    def _all_values(self, type: Type) -> Iterable[Atom]:
        match type:
            case BoolType():
                return (True, False)
            case IntType(low, high):
                if high - low >= WIDEST_RANGE:
                    raise NotSearched(f"a parameter of type {type} has too many values")
                return range(low, high + 1)
            case EnumType(name):
                return self.members(name)
            case RefType():
                return self.objects
            case UnionType(name):
                union = self.model.unions[name]
                found: list[Atom] = list(self.objects) if self.model.kind in union.types else []
                for inner in union.types:
                    found += () if inner == self.model.kind else self.members(inner)
                return [*found, *union.atoms]
            case OptionalType(inner_type):
                return [*self.values_of(inner_type), None]
            case NoneType():
                return (None,)
            case SetType() | PerType():
                raise NotSearched(f"the values of type {type} aren't tried one by one")
            case _:
                assert_never(type)

    def admits(self, type: Type, value: Atom) -> bool:
        """Whether an argument can stand for a parameter of the type."""
        match type:
            case BoolType():
                return isinstance(value, bool)
            case IntType(low, high):
                return isinstance(value, int) and low <= value <= high
            case EnumType(name):
                return isinstance(value, str) and value in self.members(name)
            case RefType():
                return isinstance(value, Obj)
            case UnionType(name):
                union = self.model.unions[name]
                if isinstance(value, Obj):
                    return self.model.kind in union.types
                return value in union.atoms or any(self.is_of(value, inner) for inner in union.types)
            case OptionalType(inner_type):
                return value is None or self.admits(inner_type, value)
            case NoneType():
                return value is None
            case SetType() | PerType():
                return False
            case _:
                assert_never(type)

    def is_of(self, value: Atom, member: str) -> bool:
        """`value is member`: an object of the kind, a member of the enumeration, or the constant itself."""
        if isinstance(value, Obj):
            return member == self.model.kind
        return value == member or (isinstance(value, str) and value in self.members(member))

    def constructed(self, name: str, arguments: tuple[Atom, ...], enum: str) -> Atom:
        """The member `name(arguments)` of the enumeration; none if there is no such member."""
        value = f"{name}({', '.join(map(str, arguments))})"
        return value if value in self.members(enum) else None

    def constructor(self, value: Atom) -> str:
        """The name of the block whose instance the member of Ability or Effect is."""
        if not isinstance(value, str):
            return ""
        return value.split("(", 1)[0]

    # ------------------------------------------------------------ variables

    def indexes(self, variable: Variable) -> Iterable[tuple[Atom, ...]]:
        """All values that the `per` of a variable has."""
        return itertools.product(*(self.members(name) for name in variable.index))

    def slots(self, variable: Variable) -> list[Slot]:
        """All values that a variable has."""
        owners: tuple[Obj | None, ...] = self.objects if variable.of_kind else (None,)
        return [(variable.name, owner, index) for owner in owners for index in self.indexes(variable)]

    def start(self) -> State:
        """Everything that can change as at the start."""
        return State(
            {
                slot: self.symbolic.const(variable.default)
                for variable in self.model.variables.values()
                if not variable.fixed
                for slot in self.slots(variable)
            }
        )

    def selector(self, clause: str) -> Term:
        """Whether the clause is switched on."""
        return self.selectors.get(clause, self.factory.true)

    # ------------------------------------------------------------ unknown values

    def one_of(self, name: str, values: Iterable[Atom]) -> Choice:
        """An unknown value among these: a variable `NAME=VALUE` for each, of which exactly one is true."""
        options = list(dict.fromkeys(values))
        if len(options) == 1:
            return self.symbolic.atom(options[0])
        cases = {v: self.factory.bool_var(f"{name}={'none' if v is None else v}") for v in options}
        self.constraints.append(self.factory.exactly_one(list(cases.values())))
        return self.symbolic.choice(cases.items())

    def unknown(self, name: str, type: Type, choices: tuple[Value, ...] = ()) -> Sym:
        """An unknown value of the type, or among the choices."""
        symbolic, factory = self.symbolic, self.factory
        match type:
            case BoolType():
                if len(set(choices)) == 1:
                    return symbolic.const(choices[0])
                return factory.bool_var(name)
            case SetType(element) if not choices:
                return symbolic.members((v, factory.bool_var(f"{name}:{v}")) for v in self.values_of(element))
            case SetType():
                options = {self._shown(c): c for c in choices}
                chosen = self.one_of(name, options)
                return symbolic.select((when, symbolic.const(options[str(v)])) for v, when in chosen.cases.items())
            case IntType(low, high) if not choices and high - low >= MOST_CASES:
                return factory.int_var(name, low, high)
            case IntType() | EnumType() | RefType() | UnionType() | OptionalType() | NoneType():
                atoms = [c for c in choices if not isinstance(c, frozenset)]
                return self.one_of(name, atoms or self.values_of(type))
            case PerType():
                raise TypeError("a variable with `per` has no single value")
            case _:
                assert_never(type)

    def _shown(self, value: Value) -> str:
        if isinstance(value, frozenset):
            return "{" + ", ".join(sorted(str(v) for v in value)) + "}"
        return str(value)

    def _fix(self, entry: Entry) -> None:
        """The fixed fields of an object."""
        for variable in self.model.variables.values():
            if not (variable.fixed and variable.of_kind):
                continue
            name = f"{entry.object.name}.{variable.name}"
            given = entry.values.get(variable.name, variable.default)
            if isinstance(given, Unknown):
                value = self.unknown(name, variable.type, given.choices)
                self.unknowns[entry.object, variable.name] = value
            else:
                value = self.symbolic.const(given)
            if entry.open_grants and variable.name == self.model.setup.grants:
                value = self._opened(name, variable, value)
                self.unknowns[entry.object, variable.name] = value
            for index in self.indexes(variable):
                self.fixed[variable.name, entry.object, index] = value

    def _opened(self, name: str, variable: Variable, value: Sym) -> Sym:
        """A set that may have more elements: any members without parameters."""
        if not isinstance(variable.type, SetType):
            raise TypeError(f"{variable.name} is no set")
        known = self.symbolic.as_set(value).cases
        plain = {m.value for m in self.model.enums.get(str(variable.type.element), ()) if not m.arguments}
        extra = [
            (v, self.factory.bool_var(f"{name}:{v}"))
            for v in self.values_of(variable.type.element)
            if v in plain and not (v in known and known[v].is_true)
        ]
        return self.symbolic.members([*known.items(), *extra])
