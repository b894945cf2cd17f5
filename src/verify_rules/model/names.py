"""The tables of names that formulas are resolved against: filled while a model is built, or read off a finished one."""

from __future__ import annotations

from dataclasses import dataclass, field

from verify_rules.model import model as m
from verify_rules.model.types import (
    ABILITY,
    EFFECT,
    EnumType,
    IntType,
    OptionalType,
    RefType,
    SetType,
    Simple,
    Type,
    UnionType,
    Value,
    in_words,
    strip,
)

BUILT_IN = ("true", "false", "none", "self", "_")
LARGEST_ENUM = 4096


@dataclass
class Names:
    """What each name means. `constructors` has, for members with parameters, the types of those.

    `broken` are the names whose declaration has an error: to use one is no further error.
    """

    kind: str = ""
    sources: dict[str, m.Source] = field(default_factory=dict)
    enums: dict[str, dict[str, m.Member]] = field(default_factory=dict)
    constructors: dict[str, dict[str, tuple[EnumType | IntType, ...]]] = field(default_factory=dict)
    unions: dict[str, m.Union] = field(default_factory=dict)
    variables: dict[str, m.Variable] = field(default_factory=dict)
    defines: dict[str, m.Define] = field(default_factory=dict)
    statuses: dict[str, m.Status] = field(default_factory=dict)
    events: dict[str, m.Event] = field(default_factory=dict)
    blocks: dict[str, m.Block] = field(default_factory=dict)
    readings: dict[str, m.Reading] = field(default_factory=dict)
    cards: dict[str, m.CardDefinition] = field(default_factory=dict)
    dormant: frozenset[str] = frozenset()
    broken: set[str] = field(default_factory=set)

    @staticmethod
    def of(model: m.Model) -> Names:
        """The tables of a finished model."""
        names = Names(
            model.kind,
            model.sources,
            {name: {x.value: x for x in members} for name, members in model.enums.items()},
            {},
            model.unions,
            model.variables,
            model.defines,
            model.statuses,
            model.events,
            model.blocks,
            model.readings,
            dict(model.cards),
            model.dormant,
        )
        for name, members in model.enums.items():
            for member in members:
                if member.arguments:
                    names.constructors.setdefault(name, {})[member.name] = model.constructors[name][member.name]
        return names

    def named_type(self, name: str) -> Simple | None:
        """The type of this name: the kind, an enumeration, or a union."""
        if name == self.kind:
            return RefType(name)
        if name in self.enums:
            return EnumType(name)
        if name in self.unions:
            return UnionType(name)
        return None

    def type_names(self) -> list[str]:
        """All names of types."""
        return [self.kind, *self.enums, *self.unions]

    def members(self, type: Type) -> dict[str, Type]:
        """The plain constants (no parameters) that a value of this type, or of its elements, may be."""
        type = strip(type)
        if isinstance(type, SetType):
            type = type.element
        match type:
            case EnumType(name):
                return {x.value: type for x in self.enums[name].values() if not x.arguments}
            case UnionType(name):
                found: dict[str, Type] = dict.fromkeys(self.unions[name].atoms, type)
                for part in self.unions[name].types:
                    if part in self.enums:
                        found |= self.members(EnumType(part))
                return found
            case _:
                return {}

    def constructor(self, name: str, want: Type | None) -> tuple[str, tuple[EnumType | IntType, ...]] | None:
        """The enumeration of the member with parameters called `name` (the wanted one first) and their types."""
        homes = [enum for enum, table in self.constructors.items() if name in table]
        if want is not None:
            type = strip(want)
            if isinstance(type, SetType):
                type = type.element
            wanted = {type.name} if isinstance(type, EnumType) else set()
            if isinstance(type, UnionType):
                wanted = set(self.unions[type.name].types)
            homes = [enum for enum in homes if enum in wanted] or homes
        return (homes[0], self.constructors[homes[0]][name]) if homes else None

    def fits(self, have: Type, want: Type) -> bool:
        """Whether a value of type `have` may stand where one of type `want` is needed (design 2.1)."""
        if have == want:
            return True
        match have, want:
            case IntType(), IntType():
                return True
            case _, OptionalType(inner):
                from verify_rules.model.types import NoneType

                return isinstance(have, NoneType) or self.fits(strip(have), inner)
            case OptionalType(inner), _:
                # Total semantics (decision 0004): nothing is true of none.
                return self.fits(inner, want)
            case ((EnumType(name) | RefType(name)), UnionType(union)):
                return name in self.unions[union].types
            case SetType(a), SetType(b):
                return self.fits(a, b)
            case _:
                return False

    def null(self, type: Type) -> Value:
        """The null value of a type: what a field of nothing is when it has no default."""
        match type:
            case IntType(low, _):
                return low
            case EnumType(name):
                return next(iter(self.enums[name]), None)
            case SetType():
                return frozenset()
            case OptionalType():
                return None
            case UnionType(name):
                return next(iter(self.unions[name].atoms), None)
            case RefType():
                return None
            case _:
                return False

    def live_status(self, what: str) -> list[m.Status]:
        """The statuses that enliven abilities (`what` = ability) or effects."""
        enum = EnumType(ABILITY if what == "ability" else EFFECT)
        return [s for s in self.statuses.values() if s.live and s.parameters and s.parameters[-1].type == enum]

    def meaning(self, name: str) -> str:
        """What a name that is no variable, reading or definition means in some place, in words; empty if nothing."""
        homes = [enum for enum, table in self.enums.items() if any(x.name == name for x in table.values())]
        homes += [enum for enum, table in self.constructors.items() if name in table and enum not in homes]
        homes += [union.name for union in self.unions.values() if name in union.atoms]
        if homes:
            return in_words(EnumType(homes[0]))
        if name in self.statuses:
            return "a status"
        return "a rule" if any(x.name == name for x in self.blocks.values()) else ""

    def value_name(self, name: str) -> str:
        """What a bare name means as a value everywhere, in words; empty if nothing."""
        variable = self.variables.get(name)
        if variable is not None and not variable.of_kind:
            return "a variable"
        if name in self.readings:
            return "a reading"
        define = self.defines.get(name)
        if define is not None and not define.parameters:
            return "a definition"
        for enum, table in self.enums.items():
            if name in table:
                return in_words(EnumType(enum))
        union = next((x.name for x in self.unions.values() if name in x.atoms), None)
        return "" if union is None else in_words(UnionType(union))

    def everything(self) -> list[str]:
        """All names that may stand in a formula, for suggestions."""
        found = [*BUILT_IN, *self.variables, *self.defines, *self.statuses, *self.readings, *self.events]
        for members in self.enums.values():
            found += [x.name for x in members.values()]
        for union in self.unions.values():
            found += union.atoms
        return found
