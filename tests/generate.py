"""Random rulebooks with boards and scripts, as surface trees: well-typed and stratified by construction.

`rulebook(dice, boards)` is all that there is to call; `generate_formulas.py` has the dice and the formulas.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from generate_formulas import (
    KIND,
    LATER,
    NONE,
    OLD,
    REF,
    Carrier,
    Dice,
    Formulas,
    Scope,
    Signature,
    Var,
    World,
    parameter,
    type_tree,
)
from verify_rules.model.types import (
    ABILITY,
    BOOL,
    EFFECT,
    EnumType,
    IntType,
    OptionalType,
    RefType,
    SetType,
    Type,
    UnionType,
    strip,
)
from verify_rules.parse import tree as t

OBJECTS = ("x", "y", "z")


@dataclass(frozen=True)
class Rulebook:
    """The items of a rulebook, and boards with scripts (each a `scenario`) that speak about it."""

    items: tuple[t.Item, ...]
    scenarios: tuple[t.Ruling, ...]


def dice_of(seed: int) -> Dice:
    """Dice that depend on nothing but the seed."""
    return Dice(random.Random(seed).randrange)


def rulebook(dice: Dice, boards: int = 1) -> Rulebook:
    """A rulebook with so many boards."""
    return _Maker(dice).rulebook(boards)


class _Maker:
    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.world = World()
        self.formulas = Formulas(dice, self.world)
        self.items: list[t.Item] = []
        self.citation = 0

    def rulebook(self, boards: int) -> Rulebook:
        self.vocabulary()
        self.carriers()
        self.variables()
        self.statuses()
        self.event_headers()
        self.rule_names()
        self.definitions()
        self.events()
        self.status_rules()
        self.norm_rules()
        self.blocks()
        self.setup()
        scenarios = tuple(self.scenario(f"board-{n}") for n in range(1, boards + 1))
        return Rulebook(tuple(self.items), scenarios)

    # ------------------------------------------------------------ vocabulary

    def vocabulary(self) -> None:
        dice, world = self.dice, self.world
        self.items.append(t.Game("Toys"))
        self.cites = dice.chance(30)
        if self.cites:
            versions = (t.SourceVersion("1.1", LATER), t.SourceVersion("1.0"))
            self.items.append(t.Source("BOOK", "The book of toys", versions))
        world.enums["Side"] = {"left": (), "right": ()}
        world.enums["Sort"] = {"big": (), "round": (), "flat": ()} if dice.chance(50) else {"big": (), "round": ()}
        if dice.chance(60):
            world.enums["Colour"] = dict.fromkeys(("red", "blue", "green")[: dice.between(2, 3)], ())
        if dice.chance(50):
            world.enums["Term"] = {"now": (), "from_turn": (EnumType("Side"),)}
            if "Colour" in world.enums and dice.chance(20):
                world.enums["Term"]["mixed"] = (EnumType("Side"), EnumType("Colour"))
        for name, members in world.enums.items():
            listed = tuple(t.Member(x, tuple(str(y) for y in types)) for x, types in members.items())
            if len(listed) > 2 and dice.chance(20) and all(not x.parameters for x in listed):
                self.items += [t.Enum(name, None, listed[:2]), t.Enum(name, None, listed[2:])]
            else:
                self.items.append(t.Enum(name, None, listed))
        world.enums[ABILITY], world.enums[EFFECT] = {}, {}
        world.unions["Aim"] = ((KIND,), ("wall",))
        world.unions["Holder"] = ((KIND, "Side"), ())
        if dice.chance(25):
            world.unions["Aim"] = ((KIND,), ("wall", "door"))
        if "Colour" in world.enums and dice.chance(40):
            world.unions["Mix"] = (("Colour", KIND), ("nowhere",) if dice.chance(60) else ())
        for name, (types, atoms) in world.unions.items():
            self.items.append(t.Union(name, None, (*types, *atoms)))
        size = 1
        for name in ("mist", "wind", "tide")[: dice.weighted([(30, 0), (40, 1), (20, 2), (10, 3)])]:
            options = ["no", "yes", "half"] if size <= 4 and dice.chance(30) else ["no", "yes"]
            size *= len(options)
            default = dice.below(len(options))
            world.readings[name] = options
            listed_options = tuple(t.Option(o, None, i == default) for i, o in enumerate(options))
            self.items.append(t.Reading(name, "what does it do?", self.notes(), listed_options))

    def notes(self, dated: bool = False) -> t.Notes:
        """Citations, if the rulebook has a source; dates, which mostly don't matter."""
        citations: tuple[t.Citation, ...] = ()
        if self.cites and self.dice.chance(70):
            self.citation += 1
            paragraph = f"{self.dice.between(1, 3)}.{self.citation % 4}"
            citations = (t.Citation("BOOK", paragraph, "1.0" if self.dice.chance(10) else None),)
        since = OLD if dated and self.dice.chance(5) else None
        return t.Notes(citations, since, LATER if dated and self.dice.chance(3) else None)

    # ------------------------------------------------------------ abilities and effects: their headers

    def carriers(self) -> None:
        dice, world = self.dice, self.world
        for i in range(dice.between(2, 5)):
            parameters, types = self.block_parameters()
            carrier = Carrier("ability", f"skill{i + 1}", parameters, types, None, dice.chance(12))
            world.carriers.append(carrier)
            world.enums[ABILITY][carrier.name] = types
        for i in range(dice.weighted([(20, 0), (25, 1), (30, 2), (25, 3)])):
            parameters, types = self.block_parameters()
            holder = dice.weighted([(45, None), (30, "Side"), (25, "Holder")])
            carrier = Carrier("effect", f"spell{i + 1}", parameters, types, holder, dice.chance(10))
            world.carriers.append(carrier)
            world.enums[EFFECT][carrier.name] = types
            if holder != "Holder" and dice.chance(12):
                world.carriers.append(replace(carrier, holder=None if holder else "Side"))

    def block_parameters(self) -> tuple[tuple[t.Parameter, ...], tuple[Type, ...]]:
        types: list[Type] = []
        if self.dice.chance(30):
            options: list[Type] = [EnumType("Sort"), IntType(1, 2), EnumType("Side")]
            if "Colour" in self.world.enums:
                options.append(EnumType("Colour"))
            types = [self.dice.pick(options) for _ in range(2 if self.dice.chance(15) else 1)]
        parameters = tuple(t.Parameter(f"b{i + 1}", type_tree(y)) for i, y in enumerate(types))
        return parameters, tuple(types)

    # ------------------------------------------------------------ fields and global variables

    def variables(self) -> None:
        dice, world = self.dice, self.world
        self.effects = any(c.what == "effect" for c in world.carriers)
        side, sort, ability, effect = (EnumType(n) for n in ("Side", "Sort", ABILITY, EFFECT))
        fields: list[t.Field] = []

        def add(
            name: str, type: Type, default: t.Expr | None, *, fixed: bool = False, kind: bool = True,
            index: Sequence[str] = (), clock: bool = False, mark: bool = False,
        ) -> None:  # fmt: skip
            world.variables.append(Var(name, type, tuple(index), kind, fixed))
            tree = t.Field(
                (name,), type_tree(type, index), default, None, not fixed,
                ("body",) if mark else (), clock,
            )  # fmt: skip
            if kind:
                fields.append(tree)
            else:
                self.items.append(t.Var(tree))

        add("owner", side, t.Name("left"), fixed=True)
        add("sorts", SetType(sort), t.SetLiteral(()) if dice.chance(50) else t.SetLiteral((t.Name("big"),)), fixed=True)
        add("skills", SetType(ability), t.SetLiteral(()), fixed=True)
        add("here", BOOL, t.Name("false"))
        add("warm", BOOL, t.Name("false"), clock=True)
        add("boss", OptionalType(REF), NONE if dice.chance(50) else None, mark=dice.chance(30))
        if self.effects:
            index = ("Term",) if "Term" in world.enums and dice.chance(40) else ()
            add("spells", SetType(effect), None, index=index, mark=dice.chance(40))
            add("orders", SetType(effect), None, kind=False, index=("Side",))
        if dice.chance(35):
            add("lost", SetType(ability), None)
        self.history = dice.chance(35)
        if self.history:
            kinds: list[tuple[Type, t.Expr | None]] = [
                (BOOL, None),
                (IntType(0, 2), t.Number(1)),
                (SetType(sort), None),
            ]
            add("seen", *dice.pick(kinds), index=("Side",))
        add("turn", side, t.Name("left"), kind=False)
        add("focus", OptionalType(REF), None, kind=False)
        number = 0
        for _ in range(dice.between(1, 5)):
            number += 1
            add(f"f{number}", *self.variable_type(), mark=dice.chance(40), clock=dice.chance(8), index=self.per())
        for _ in range(dice.between(0, 3)):
            number += 1
            add(f"g{number}", *self.variable_type(), kind=False, index=self.per())
        for _ in range(dice.between(0, 2)):
            number += 1
            types: list[tuple[Type, t.Expr | None]] = [
                (BOOL, None),
                (IntType(0, 3), t.Number(1)),
                (IntType(0, 90000), t.Number(1000)),
                (OptionalType(side), None),
                (SetType(side), None),
            ]
            type, default = dice.pick(types)
            add(f"f{number}", type, default, fixed=True)
        self.items.append(t.Kind(KIND, None, tuple(fields)))
        wanted = [v for v in world.variables if not v.fixed and v.of_kind and not v.index]
        self.fields = [v.name for v in wanted]

    def per(self) -> tuple[str, ...]:
        if not self.dice.chance(18):
            return ()
        names = [name for name in ("Side", "Sort", "Term") if name in self.world.enums]
        return tuple(self.dice.pick(names) for _ in range(2 if self.dice.chance(10) else 1))

    def variable_type(self) -> tuple[Type, t.Expr | None]:
        """The type of a variable, and its default."""
        dice, world = self.dice, self.world
        sort = EnumType("Colour") if "Colour" in world.enums and dice.chance(50) else EnumType("Sort")
        member = t.Name(dice.pick([m for m, y in world.enums[sort.name].items() if not y]))
        unions = [UnionType(n) for n in world.unions]
        union = dice.pick(unions)
        atoms = world.unions[union.name][1]
        options: list[tuple[int, tuple[Type, t.Expr | None]]] = [
            (18, (BOOL, None)),
            (5, (BOOL, t.Name("true"))),
            (14, (IntType(0, 3), t.Number(dice.between(0, 3)) if dice.chance(40) else None)),
            (6, (IntType(1, 4), None)),
            (5, (IntType(0, 90000), t.Number(500))),
            (12, (sort, member if dice.chance(60) else None)),
            (6, (OptionalType(sort), member if dice.chance(30) else None)),
            (8, (SetType(sort), None)),
            (10, (OptionalType(REF), None)),
            (10, (SetType(REF), None)),
            (8, (OptionalType(union), t.Name(atoms[0]) if atoms and dice.chance(40) else None)),
            (3, (SetType(union), None)),
            (4, (OptionalType(EnumType(ABILITY)), None)),
        ]
        if atoms:
            options.append((5, (union, t.Name(atoms[0]))))
        if self.effects:
            options.append((4, (OptionalType(EnumType(EFFECT)), None)))
        return dice.weighted(options)

    # ------------------------------------------------------------ statuses: their headers and ranks

    def statuses(self) -> None:
        dice, world = self.dice, self.world
        plain: list[Signature] = []
        for i in range(dice.between(1, 4)):
            options: list[tuple[int, list[tuple[str, Type]]]] = [
                (50, [("c", REF)]),
                (15, [("c", REF), ("d", REF)]),
                (12, [("h", UnionType("Holder"))]),
                (10, [("p", EnumType("Side"))]),
                (6, [("c", REF), ("a", UnionType("Aim"))]),
                (4, [("c", REF), ("n", IntType(0, 2))]),
                (3, [("c", REF), ("b", BOOL)]),
                (3, [("c", REF), ("A", EnumType(ABILITY))]),
            ]
            parameters = dice.weighted(options)
            trees = tuple(parameter(n, y) for n, y in parameters)
            plain.append(Signature(f"state{i + 1}", trees, tuple(y for _, y in parameters)))
        blocks = list(dict.fromkeys((c.enum, c.name) for c in world.carriers))
        takers = {(c.enum, c.name) for c in world.carriers if c.taker}
        lowest: list[Any] = [b for b in blocks if b in takers]
        rest: list[Any] = [b for b in blocks if b not in takers]
        for status in plain:
            (lowest if lowest and dice.chance(20) else rest).append(status)
        ranked = [*dice.shuffled(lowest), *dice.shuffled(rest)]
        for rank, item in enumerate(ranked):
            if isinstance(item, Signature):
                world.statuses.append(replace(item, rank=rank))
            else:
                world.ranks[item] = rank
        world.statuses.sort(key=lambda s: s.name)
        has = Signature("has", (parameter("c", REF), t.Parameter("A", t.TypeName(ABILITY))), (REF, EnumType(ABILITY)))
        world.statuses.append(has)
        world.live["has"] = ABILITY
        if self.effects:
            holder: Type = UnionType("Holder")
            trees = (parameter("h", holder), t.Parameter("E", t.TypeName(EFFECT)))
            world.statuses.append(Signature("affected", trees, (holder, EnumType(EFFECT))))
            world.live["affected"] = EFFECT
        for status in world.statuses:
            self.items.append(t.Status(status.name, status.parameters, None, status.name in world.live))

    # ------------------------------------------------------------ events: their headers

    def event_headers(self) -> None:
        dice, world = self.dice, self.world
        headers: list[tuple[str, list[tuple[str, Type, t.Expr | None]], bool]] = [
            ("place", [("c", REF, None), ("on", SetType(REF), t.SetLiteral(()))], False),
            ("begin", [("p", EnumType("Side"), None)], False),
        ]
        if self.effects:
            headers.append(("bless", [("c", REF, None), ("E", EnumType(EFFECT), None)], False))
            headers.append(("order", [("p", EnumType("Side"), None), ("E", EnumType(EFFECT), None)], False))
        if any(v.name == "lost" for v in world.variables):
            headers.append(("lose", [("c", REF, None), ("A", EnumType(ABILITY), None)], False))
        if dice.chance(45):
            headers.append(("leave", [("c", REF, None)], False))
        if dice.chance(45):
            headers.append(("merge", [("c", REF, None), ("d", REF, None)], False))
        for i in range(dice.between(1, 3)):
            headers.append((f"do{i + 1}", self.event_parameters(), False))
        first: Type = UnionType("Aim") if dice.chance(80) else REF
        headers.append(("hit", [("a", REF, None), ("t", first, None)], True))
        if dice.chance(55):
            options: list[tuple[int, list[tuple[str, Type, t.Expr | None]]]] = [
                (40, [("a", REF, None)]),
                (20, [("a", REF, None), ("t", REF, None)]),
                (12, [("p", EnumType("Side"), None), ("t", UnionType("Aim"), None)]),
                (10, [("a", REF, None), ("t", UnionType("Aim"), None), ("s", EnumType("Side"), None)]),
                (6, [("h", UnionType("Holder"), None), ("b", BOOL, None)]),
                (6, [("a", REF, None), ("n", IntType(1, 2), None)]),
                (4, []),
                (4, [("a", REF, None), ("s", EnumType("Sort"), t.Name("big"))]),
            ]
            headers.append(("use", dice.weighted(options), True))
        for level, (name, parameters, action) in enumerate(dice.shuffled(headers)):
            trees = tuple(parameter(n, y, d) for n, y, d in parameters)
            types = tuple(y for _, y, _ in parameters)
            world.events.append(Signature(name, trees, types, level=level, action=action))
        world.askable = {e.name for e in world.events if dice.chance(50)}
        world.strengths = ["rule", "card", *(["golden"] if dice.chance(20) else [])]
        world.flags = ["bent", "marked"][: dice.between(0, 2)]

    def event_parameters(self) -> list[tuple[str, Type, t.Expr | None]]:
        dice, world = self.dice, self.world
        options: list[tuple[int, tuple[str, Type, t.Expr | None]]] = [
            (40, ("d", REF, None)),
            (10, ("s", EnumType("Sort"), None)),
            (6, ("s", EnumType("Side"), t.Name("right"))),
            (8, ("a", UnionType("Aim"), None)),
            (6, ("h", UnionType("Holder"), None)),
            (6, ("n", IntType(0, 2), None)),
            (4, ("b", BOOL, t.Name("false"))),
            (8, ("m", SetType(REF), None)),
            (5, ("m", SetType(EnumType("Sort")), None)),
            (6, ("o", OptionalType(REF), NONE if dice.chance(50) else None)),
            (4, ("A", EnumType(ABILITY), None)),
        ]
        if "Term" in world.enums:
            options.append((6, ("u", EnumType("Term"), None)))
        found: list[tuple[str, Type, t.Expr | None]] = [("c", REF, None)] if dice.chance(85) else []
        for _ in range(dice.weighted([(40, 0), (45, 1), (15, 2)])):
            chosen = dice.weighted(options)
            if all(chosen[0] != name for name, _, _ in found):
                found.append(chosen)
        # Only the last parameter may be left out.
        return [(n, y, d if i == len(found) - 1 else None) for i, (n, y, d) in enumerate(found)]

    def rule_names(self) -> None:
        self.world.rules = [f"rule{i + 1}" for i in range(self.dice.between(3, 6))]
        for _ in range(self.dice.weighted([(20, 0), (30, 1), (30, 2), (20, 4)])):
            carrier = None if self.dice.chance(25) else self.dice.pick(self.world.carriers)
            name = self.dice.pick(self.world.rules) if carrier is None else carrier.name
            self.world.triggering.append((name, carrier, self.dice.pick(self.world.events).name))
        self.rule_notes = {name: self.notes(dated=False) for name in self.world.rules}
        for notes in self.rule_notes.values():
            self.world.citables += [c.paragraph for c in notes.citations if c.version is None]

    def definitions(self) -> None:
        dice, world = self.dice, self.world
        for i in range(dice.weighted([(30, 0), (35, 1), (25, 2), (10, 3)])):
            # Either it may stand in statuses or it may ask for verdicts.
            level = dice.pick((0, 0, len(world.events)))
            ceiling = world.top if level else dice.pick((0, world.top, dice.below(world.top + 1)))
            parameters: list[tuple[str, Type]] = dice.weighted(
                [
                    (50, [("c", REF)]),
                    (20, [("c", REF), ("d", REF)]),
                    (15, []),
                    (8, [("c", OptionalType(REF))]),
                    (7, [("h", UnionType("Holder"))]),
                ]
            )
            results: list[tuple[int, Type]] = [
                (65, BOOL),
                (10, IntType(0, 3)),
                (10, SetType(REF)),
                (8, OptionalType(REF)),
                (7, EnumType("Side")),
            ]
            result = dice.weighted(results)
            scope = Scope(tuple((t.Name(n), y) for n, y in parameters), ceiling, level)
            body, result = self.define_body(result, scope)
            trees = tuple(parameter(n, y) for n, y in parameters)
            types = tuple(y for _, y in parameters)
            self.items.append(t.Define(f"def{i + 1}", trees, None, body))
            world.defines.append(Signature(f"def{i + 1}", trees, types, result, ceiling, level))

    def define_body(self, result: Type, scope: Scope) -> tuple[t.Expr, Type]:
        """A body whose type is plain without a hint: a path, or a formula."""
        formulas = self.formulas
        found = formulas.path(
            scope, lambda y: y == result or (isinstance(y, IntType) and isinstance(result, IntType)), 1
        )
        if result == BOOL or found is None:
            return formulas.truth(scope, 2), BOOL
        expr, type = found
        if isinstance(type, SetType | IntType) and self.dice.chance(50):
            return t.IfElse(formulas.truth(scope, 1), expr, formulas.of(type, scope, 1)), type
        if type == OptionalType(REF) and self.dice.chance(50):
            return t.IfElse(formulas.truth(scope, 1), expr, NONE), type
        return expr, type

    # ------------------------------------------------------------ events: what they do

    def events(self) -> None:
        for event in self.world.events:
            atoms = tuple((t.Name(p.name), y) for p, y in zip(event.parameters, event.types, strict=True))
            scope = Scope(atoms, self.world.top, event.level)
            parts = self.event_parts(event, scope)
            self.items.append(t.Event(event.name, event.parameters, None, tuple(parts), event.action))

    def event_parts(self, event: Signature, scope: Scope) -> list[t.Part]:
        dice = self.dice
        c = t.Name("c")
        parts: list[t.Part] = []
        place: t.Expr
        match event.name:
            case "place":
                parts.append(t.Sets((t.Assign(t.Access(c, "here"), t.Name("true")),)))
                if self.history:
                    seen = next(v for v in self.world.variables if v.name == "seen")
                    value = self.formulas.of(seen.type, replace(scope, level=0), 0)
                    if dice.chance(50):
                        value = self.formulas.plain(seen.type)
                    place = t.Index(t.Access(c, "seen"), t.Name("right" if dice.chance(70) else "left"))
                    parts.append(t.Sets((t.Assign(place, value),)))
                if dice.chance(60):
                    boss = t.Assign(t.Access(t.Name("q1"), "boss"), c)
                    parts.append(t.ForEach("q1", KIND, t.Binary("in", t.Name("q1"), t.Name("on")), (t.Sets((boss,)),)))
            case "begin":
                parts.append(t.Sets((t.Assign(t.Name("turn"), t.Name("p")),)))
                warm = t.Assign(t.Access(t.Name("q1"), "warm"), t.Name("true"))
                owned = t.Binary("=", t.Access(t.Name("q1"), "owner"), t.Name("p"))
                where = t.Chain("and", (owned, t.Access(t.Name("q1"), "here")))
                parts.append(t.ForEach("q1", KIND, where, (t.Sets((warm,)),)))
            case "bless":
                spells = next(v for v in self.world.variables if v.name == "spells")
                place = t.Access(c, "spells")
                for enum in spells.index:
                    place = t.Index(place, self.formulas.of(EnumType(enum), scope, 0))
                parts.append(t.Sets((t.Assign(place, t.Binary("+", place, t.Name("E"))),)))
            case "order":
                place = t.Index(t.Name("orders"), t.Name("p"))
                parts.append(t.Sets((t.Assign(place, t.Binary("+", place, t.Name("E"))),)))
            case "leave":
                parts.append(t.Resets(c, tuple(dice.some(self.fields, 0, 2)) if dice.chance(50) else ()))
            case "merge":
                if dice.chance(50):
                    # What goes along is what was there before the event, whatever it writes.
                    only = tuple((e, y) for e, y in scope.atoms if e == c)
                    parts.append(self.sets(replace(scope, atoms=only, level=len(self.world.events)), None))
                parts.append(t.Carries(c, t.Name("d")))
            case "lose":
                place = t.Access(c, "lost")
                parts.append(t.Sets((t.Assign(place, t.Binary("+", place, t.Name("A"))),)))
            case _:
                pass
        plain = event.name in ("place", "begin")
        if not plain and dice.chance(45):
            parts.insert(0, self.requires(scope))
        for _ in range(dice.weighted([(60, 0), (30, 1), (10, 2)]) if parts else dice.between(1, 3)):
            parts.append(self.part(event, scope, plain))
        return parts

    def requires(self, scope: Scope) -> t.Part:
        return t.Requires("so that it makes sense" if self.dice.chance(20) else None, self.formulas.likely(scope, 1))

    def part(self, event: Signature, scope: Scope, plain: bool, nested: bool = False) -> t.Part:
        dice = self.dice
        free = self.effects_scope(event, scope)
        below = self.done_by(event)
        choice = dice.weighted(
            [(50, "sets"), (14, "for"), (8, "carries"), (7, "resets"), (10, "does"), (18, "group"), (6, "requires")]
        )
        if choice == "for":
            return self.for_each(free, scope)
        if choice == "carries":
            return self.carries(free)
        if choice == "resets":
            return self.resets(free)
        if choice == "does" and below and not plain:
            # A place that the event does at the same moment would reach further than the event's level.
            done = dice.pick(below)
            condition = self.formulas.truth(scope, 1) if dice.chance(50) else None
            return t.Does(t.Call(done.name, self.formulas.arguments(done, scope, 0)), condition)
        if choice == "group" and not nested:
            name = f"group{len(self.world.groups) + 1}"
            self.world.groups.append(name)
            notes = self.notes(dated=True)
            if notes.until is not None:
                self.world.groups.remove(name)
                name = f"past{len(self.items)}_{dice.below(1000)}"
            inner: list[t.Part] = [self.requires(scope)] if not plain and dice.chance(50) else []
            inner.append(self.part(event, scope, plain, nested=True))
            return t.Group(name, "a group of it" if dice.chance(10) else None, notes, tuple(inner))
        if choice == "requires" and not plain:
            return self.requires(scope)
        return self.sets(free, None)

    def effects_scope(self, event: Signature, scope: Scope) -> Scope:
        """What an event changes may ask for any verdict, unless one may ask what triggers on the event."""
        return replace(scope, level=event.level if event.name in self.world.askable else len(self.world.events))

    def done_by(self, event: Signature) -> list[Signature]:
        """The events that an event may do."""
        askable = self.world.askable
        return [
            e for e in self.world.events if e.level < event.level and (event.name not in askable or e.name in askable)
        ]

    def sets(self, scope: Scope, loop: str | None) -> t.Sets:
        """Assignments; in a loop either the place or the value is free of its variable."""
        dice, formulas = self.dice, self.formulas
        found: list[t.Assign] = []
        used: set[str] = set()
        for _ in range(dice.weighted([(60, 1), (30, 2), (10, 3)])):
            of_loop = loop is not None and dice.chance(75)
            variables = [v for v in self.world.variables if not v.fixed and v.name not in used]
            variable = dice.pick(variables)
            around = scope.without(loop) if loop is not None and not of_loop else scope
            place: t.Expr
            if variable.of_kind:
                owners: list[t.Expr] = [e for e, y in around.atoms if strip(y) == REF and isinstance(e, t.Name)]
                if of_loop and loop is not None:
                    owners = [t.Name(loop)]
                if not owners or dice.chance(12):
                    base = formulas.path(around, lambda y: strip(y) == REF, 1)
                    if base is not None and not of_loop:
                        owners = [base[0]]
                    elif of_loop and loop is not None and dice.chance(60):
                        owners = [t.Access(t.Name(loop), "boss")]
                if not owners:
                    continue
                place = t.Access(dice.pick(owners), variable.name)
            else:
                if of_loop:
                    around = scope.without(loop or "")
                place = t.Name(variable.name)
            for enum in variable.index:
                place = t.Index(place, formulas.of(EnumType(enum), around, 0))
            value = self.value(variable.type, place, around)
            condition = formulas.truth(scope, 1) if dice.chance(35) else None
            used.add(variable.name)
            found.append(t.Assign(place, value, condition))
        if not found:
            found.append(t.Assign(t.Name("turn"), t.Name("right")))
        return t.Sets(tuple(found))

    def value(self, type: Type, place: t.Expr, scope: Scope) -> t.Expr:
        """A value to be assigned; numbers seldom leave their range, sets often grow."""
        dice, formulas = self.dice, self.formulas
        match type:
            case IntType(low, high):
                if dice.chance(30):
                    step = t.Binary(dice.pick(("+", "-")), place, t.Number(1))
                    if dice.chance(75):
                        fine = t.Binary(
                            "<" if step.operator == "+" else ">", place, t.Number(high if step.operator == "+" else low)
                        )
                        return t.IfElse(fine, step, place)
                    return step
                return formulas.number(IntType(low, high), scope, 1 if dice.chance(30) else 0)
            case SetType(element) if dice.chance(60):
                item = formulas.of(element, scope, 0)
                return t.Binary(dice.weighted([(75, "+"), (25, "-")]), place, item)
            case _:
                return formulas.of(type, scope, 1)

    def for_each(self, free: Scope, scope: Scope) -> t.Part:
        dice = self.dice
        loop = "q1"
        inner = free.bind(loop, REF)
        condition = self.formulas.truth(inner, 1) if dice.chance(75) else None
        parts: list[Any] = []
        for _ in range(dice.weighted([(75, 1), (25, 2)])):
            choice = dice.weighted([(70, "sets"), (15, "carries"), (15, "resets")])
            parts.append(
                self.sets(inner, loop)
                if choice == "sets"
                else self.carries(inner)
                if choice == "carries"
                else self.resets(inner)
            )
        return t.ForEach(loop, KIND, condition, tuple(parts))

    def carries(self, scope: Scope) -> t.Part:
        find = self.formulas.path
        origin = find(scope, lambda y: strip(y) == REF, 1)
        target = find(scope, lambda y: strip(y) == REF, 0)
        if origin is None or target is None:
            return t.Sets((t.Assign(t.Name("turn"), t.Name("left")),))
        return t.Carries(origin[0], target[0])

    def resets(self, scope: Scope) -> t.Part:
        dice = self.dice
        found = self.formulas.path(scope, lambda y: strip(y) == REF or y == SetType(REF), 1)
        if found is None:
            return t.Sets((t.Assign(t.Name("turn"), t.Name("left")),))
        keep = dice.some(self.fields, 0, 2) if dice.chance(50) else []
        # A path seldom leads to a set, and resetting one is another case of both meanings.
        target = self.formulas.set_of(REF, scope, 1) if dice.chance(35) else found[0]
        return t.Resets(target, tuple(keep))

    # ------------------------------------------------------------ clauses

    def status_rules(self) -> None:
        """The rules that give statuses, those that enliven blocks first."""
        dice, world = self.dice, self.world
        lowest = min(world.block_ranks(ABILITY))
        printed: t.Expr = t.Binary("in", t.Name("v"), t.Access(t.Name("u"), "skills"))
        if any(v.name == "lost" for v in world.variables) and dice.chance(60):
            printed = t.Chain("and", (printed, t.Negation(t.Binary("in", t.Name("v"), t.Access(t.Name("u"), "lost")))))
        if dice.chance(25):
            scope = Scope(((t.Name("u"), REF), (t.Name("v"), EnumType(ABILITY))), lowest)
            printed = t.Chain("and", (printed, self.formulas.likely(scope, 1)))
        clauses: list[t.Clause] = [t.StatusClause(head("has", "u", "v"), printed)]
        if self.effects:
            spells = next(v for v in world.variables if v.name == "spells")
            under: t.Expr = t.Access(t.Name("u"), "spells")
            on_thing: t.Expr
            if spells.index:
                inside = t.Binary("in", t.Name("v"), t.Index(under, t.Name("q1")))
                on_thing = t.Quantified("some", t.Binder("q1", spells.index[0]), inside)
            else:
                on_thing = t.Binary("in", t.Name("v"), under)
            patterns = (t.Pattern(name="u", type_name=KIND), t.Pattern(t.Name("v")))
            clauses.append(t.StatusClause(t.Head("affected", patterns), on_thing))
            patterns = (t.Pattern(name="u", type_name="Side"), t.Pattern(t.Name("v")))
            listed = t.Binary("in", t.Name("v"), t.Index(t.Name("orders"), t.Name("u")))
            clauses.append(t.StatusClause(t.Head("affected", patterns), listed))
        for clause in clauses:
            self.rule(f"printed{len(self.items)}", self.notes(), [clause])
        for status in world.statuses:
            if status.name not in world.live:
                given = [self.status_clause(status, None, False) for _ in range(dice.weighted([(60, 1), (40, 2)]))]
                self.rule(f"of_{status.name}", self.notes(dated=True), [c for c in given if c is not None])

    def rule(self, name: str, notes: t.Notes, clauses: Sequence[t.Clause]) -> None:
        if notes.until is not None:
            name = f"past_{name}"
        title = "a rule of toys" if self.dice.chance(15) else None
        self.items.append(t.Block("rule", name, title, notes, tuple(clauses)))

    def norm_rules(self) -> None:
        dice, world = self.dice, self.world
        for name in world.rules:
            clauses: list[t.Clause] = []
            for _ in range(dice.weighted([(20, 1), (40, 2), (30, 3), (10, 4)])):
                clause = self.clause(None)
                if clause is not None:
                    clauses.append(clause)
            if name == "rule1":
                # Without permissions nothing else matters.
                for action in (e for e in world.events if e.action):
                    clauses.append(self.norm(None, action, "permit"))
                if dice.chance(35):
                    cold = t.Negation(t.Access(t.Name("u"), "warm"))
                    clauses.append(
                        t.Norm("forbid", t.Head("hit", (t.Pattern(t.Name("u")), t.Pattern())), None, None, cold)
                    )
            if name == "rule2" and dice.chance(25):
                clauses += self.steering_against_duty()
            if name == "rule3" and dice.chance(20):
                clauses.append(self.lift_of_one_carrier())
            clauses += [
                self.trigger(None, on) for of, carrier, on in world.triggering if carrier is None and of == name
            ]
            self.rule(name, self.rule_notes[name], clauses)
        words: tuple[Any, ...] = ("forbid", "permit")
        levels = [t.Level(s, w) for s in world.strengths for w in words]
        self.items.append(t.Precedence(tuple(dice.shuffled(levels))))

    def steering_against_duty(self) -> list[t.Clause]:
        """Towards one target and bound to another: chance alone seldom brings the two together."""
        hit = next(e for e in self.world.events if e.name == "hit")
        thing = t.Pattern(name="v", type_name=KIND)
        other = t.Pattern(t.Name("wall")) if hit.types[1] != REF else t.Pattern(t.Name("u"))
        patterns = self.dice.shuffled([thing, other])
        clauses: list[t.Clause] = []
        words: tuple[Any, ...] = ("steer", "require")
        for word, pattern in zip(words, patterns, strict=True):
            scope = Scope(((t.Name("u"), REF),), self.world.top, hit.level)
            condition = self.formulas.likely(scope, 1) if self.dice.chance(50) else None
            clauses.append(t.Norm(word, t.Head("hit", (t.Pattern(t.Name("u")), pattern)), None, None, condition))
        return clauses

    def lift_of_one_carrier(self) -> t.Clause:
        """Lifts what the abilities of the one or of the other say."""
        word: Any = self.dice.pick(("forbid", "require", "steer", "permit"))
        owner = t.Name(self.dice.pick(("u", "v")))
        patterns = (t.Pattern(t.Name("u")), t.Pattern(name="v", type_name=KIND))
        return t.Lifts((t.Victim("class", None, None, word, "abilities", owner),), t.Head("hit", patterns))

    def blocks(self) -> None:
        dice = self.dice
        for carrier in self.world.carriers:
            clauses: list[t.Clause] = []
            if carrier.taker:
                clauses.append(self.general_taker(carrier))
            for _ in range(dice.weighted([(10, 0), (45, 1), (35, 2), (10, 3)])):
                clause = self.clause(carrier)
                if clause is not None:
                    clauses.append(clause)
            clauses += [self.trigger(carrier, on) for _, of, on in self.world.triggering if of is carrier]
            self.items.append(
                t.Block(
                    carrier.what,
                    carrier.name,
                    None,
                    self.notes(),
                    tuple(clauses),
                    carrier.parameters,
                    carrier.holder,
                )
            )

    def block_scope(self, carrier: Carrier | None) -> Scope:
        atoms: list[tuple[t.Expr, Type]] = []
        if carrier is not None:
            atoms = [(t.Name(p.name), y) for p, y in zip(carrier.parameters, carrier.types, strict=True)]
            atoms.append((t.Name("self"), self.world.named(carrier.holder or KIND)))
        return Scope(tuple(atoms))

    def clause(self, carrier: Carrier | None) -> t.Clause | None:
        dice, world = self.dice, self.world
        choice = dice.weighted([(60, "norm"), (22, "status"), (18, "lift"), (22, "amends")])
        if choice == "amends":
            return self.amends(carrier)
        if choice == "status":
            rank = -1 if carrier is None else world.ranks[carrier.enum, carrier.name]
            statuses = [s for s in world.statuses if s.name in world.live or s.rank > rank]
            if statuses:
                return self.status_clause(dice.pick(statuses), carrier, dice.chance(45))
        actions = [e for e in world.events if e.action]
        action = dice.pick(actions)
        if choice == "lift":
            return self.lift(carrier, action)
        return self.norm(carrier, action)

    def general_taker(self, carrier: Carrier) -> t.Clause:
        """`not has(_, A)` in a block of the lowest stratum."""
        dice, world = self.dice, self.world
        takers = {c.name for c in world.carriers if c.taker}
        enums = [e for e in dict.fromkeys(world.live.values()) if e == carrier.enum or dice.chance(50)]
        enum = dice.pick(enums)
        status = next(s for s in world.statuses if world.live.get(s.name) == enum)
        ranks = [rank for (of, name), rank in world.ranks.items() if of == enum and name not in takers]
        scope = self.block_scope(carrier)
        pattern, scope = self.pattern(status.types[0], scope, carrier)
        last = t.Pattern()
        if dice.chance(70):
            last = t.Pattern(t.Name("w"))
            scope = scope.bind("w", EnumType(enum))
        lowest = min(ranks, default=world.top)
        scope = replace(scope, ceiling=lowest)
        condition = self.formulas.truth(scope, 1) if dice.chance(70) else None
        return t.StatusClause(t.Head(status.name, (pattern, last)), condition, True)

    def status_clause(self, status: Signature, carrier: Carrier | None, negative: bool) -> t.Clause | None:
        """A clause that reads only what has a lower rank than what it gives or takes."""
        dice, world = self.dice, self.world
        scope = self.block_scope(carrier)
        rank = -1 if carrier is None else world.ranks[carrier.enum, carrier.name]
        enum = world.live.get(status.name)
        if enum is None:
            scope = replace(scope, ceiling=status.rank)
            patterns: list[t.Pattern] = []
            for type in status.types:
                pattern, scope = self.pattern(type, scope, carrier)
                patterns.append(pattern)
        else:
            takers = {c.name for c in world.carriers if c.taker}
            names = [n for (of, n), r in world.ranks.items() if of == enum and r > rank]
            if carrier is not None and carrier.taker:
                names = [n for n in names if n not in takers] or names
            general = carrier is None and dice.chance(35)
            if not names and not general:
                return None
            name = "" if general else dice.pick(names)
            ceiling = min(world.block_ranks(enum)) if general else world.ranks[enum, name]
            scope = replace(scope, ceiling=ceiling)
            first, scope = self.pattern(status.types[0], scope, carrier)
            if general and dice.chance(80):
                last = t.Pattern(t.Name("w"))
                scope = scope.bind("w", EnumType(enum))
            elif general:
                last = t.Pattern()
            else:
                last = t.Pattern(self.formulas.instance(enum, name, scope))
            patterns = [first, last]
        condition = self.formulas.truth(scope, 2) if enum is None or dice.chance(75) else None
        if enum is None and carrier is not None and dice.chance(30):
            condition = None
        return t.StatusClause(t.Head(status.name, tuple(patterns)), condition, negative)

    def pattern(self, type: Type, scope: Scope, carrier: Carrier | None) -> tuple[t.Pattern, Scope]:
        """A pattern for an argument, and the scope with what it binds."""
        dice, world, formulas = self.dice, self.world, self.formulas
        simple: Any = strip(type)
        selves = [y for e, y in scope.atoms if e == t.Name("self")]
        if selves and world.fits(selves[0], type) and dice.chance(50):
            return t.Pattern(t.Name("self")), scope
        names = {e.name for e, _ in scope.atoms if isinstance(e, t.Name)}
        name = next(n for n in ("u", "v", "w", "r", "k") if n not in names)
        choice = dice.weighted([(35, "bind"), (25, "wild"), (20, "typed"), (20, "match")])
        if choice == "typed" and isinstance(simple, UnionType | RefType | EnumType):
            parts = [simple.name]
            if isinstance(simple, UnionType):
                types, atoms = world.unions[simple.name]
                parts = [*types, *atoms, *([simple.name] if dice.chance(10) else [])]
            part = dice.pick(parts)
            known = world.named(part) if part in (KIND, *world.enums, *world.unions) else simple
            if part == simple.name:
                known = type
            return t.Pattern(name=name, type_name=part), scope.bind(name, known)
        if choice == "match":
            if isinstance(type, IntType):
                return t.Pattern(t.Number(dice.between(type.low, type.high))), scope
            if type == BOOL:
                return t.Pattern(t.Name(dice.pick(("true", "false")))), scope
            value = formulas.of(simple, scope, 0)
            if value != NONE:
                return t.Pattern(value), scope
        if choice == "wild":
            return t.Pattern(), scope
        return t.Pattern(t.Name(name)), scope.bind(name, type)

    def head_of(self, action: Signature, carrier: Carrier | None) -> tuple[t.Head, Scope]:
        """A head with patterns for an action."""
        scope = replace(self.block_scope(carrier), ceiling=self.world.top, level=action.level)
        patterns: list[t.Pattern] = []
        for type in action.types:
            pattern, scope = self.pattern(type, scope, carrier)
            patterns.append(pattern)
        return t.Head(action.name, tuple(patterns)), scope

    def norm(self, carrier: Carrier | None, action: Signature, word: str = "") -> t.Clause:
        dice = self.dice
        chosen: Any = word or dice.weighted(
            [(30, "permit"), (22, "forbid"), (18, "require"), (20, "steer"), (10, "price")]
        )
        found, scope = self.head_of(action, carrier)
        condition: t.Expr | None = None
        if word:
            if dice.chance(50):
                condition = self.formulas.likely(scope, 1)
        elif dice.chance(65):
            condition = self.formulas.truth(scope, 2)
        strength = dice.pick(self.world.strengths) if dice.chance(15) else None
        title = "three coins" if chosen == "price" else None
        return t.Norm(chosen, found, strength, title, condition)

    def amends(self, carrier: Carrier | None) -> t.Clause:
        """An amendment of an event; what it sets is told apart by carriers as in a loop."""
        dice = self.dice
        event = dice.pick(self.world.events)
        found, scope = self.head_of(event, carrier)
        scope = self.effects_scope(event, scope)
        condition = self.formulas.likely(scope, 1) if dice.chance(60) else None
        loop: str | None = None
        inside = scope
        if carrier is not None and t.Pattern(t.Name("self")) not in found.patterns:
            if carrier.holder is None:
                loop = "self"
            else:
                inside = scope.without("self")
        below = self.done_by(event)
        parts: list[Any] = []
        for _ in range(dice.weighted([(70, 1), (30, 2)])):
            choice = dice.weighted([(45, "sets"), (25, "does"), (12, "for"), (9, "carries"), (9, "resets")])
            if choice == "does" and below:
                done = dice.pick(below)
                when = self.formulas.truth(scope, 1) if dice.chance(30) else None
                parts.append(t.Does(t.Call(done.name, self.formulas.arguments(done, scope, 0)), when))
            elif choice == "for":
                parts.append(self.for_each(inside, inside))
            elif choice == "carries":
                parts.append(self.carries(scope))
            elif choice == "resets":
                parts.append(self.resets(scope))
            else:
                parts.append(self.sets(inside, loop))
        strength = dice.pick(self.world.strengths) if dice.chance(35) else None
        word: Any = "instead" if dice.chance(40) else "also"
        return t.Amends(word, found, condition, tuple(parts), strength)

    def trigger(self, carrier: Carrier | None, on: str) -> t.Clause:
        """A clause that triggers on an event."""
        event = next(e for e in self.world.events if e.name == on)
        found, scope = self.head_of(event, carrier)
        condition = self.formulas.likely(scope, 1) if self.dice.chance(55) else None
        return t.TriggerClause(self.dice.chance(45), found, condition)

    def lift(self, carrier: Carrier | None, action: Signature) -> t.Clause:
        dice, world = self.dice, self.world
        found, scope = self.head_of(action, carrier)
        victims: list[t.Victim] = []
        for _ in range(dice.weighted([(75, 1), (25, 2)])):
            choice = dice.weighted([(17, "rule"), (13, "ability"), (10, "effect"), (60, "class")])
            names = [c.name for c in world.carriers if c.what == choice]
            if choice == "rule":
                victims.append(t.Victim("rule", dice.pick(world.rules)))
            elif choice in ("ability", "effect") and names:
                victims.append(t.Victim(choice, dice.pick(names)))  # type: ignore[arg-type]
            else:
                word: Any = dice.weighted([(35, "forbid"), (20, "permit"), (25, "require"), (20, "steer")])
                strength = dice.pick(world.strengths) if dice.chance(30) else None
                origin: Any = dice.weighted([(42, None), (13, "rules"), (13, "effects"), (32, "abilities")])
                owner = None
                if origin == "abilities" and dice.chance(75):
                    thing = self.formulas.path(scope, lambda y: strip(y) == REF, 0)
                    owner = None if thing is None else thing[0]
                victims.append(t.Victim("class", None, strength, word, origin, owner))
        condition = self.formulas.truth(scope, 1) if dice.chance(50) else None
        return t.Lifts(tuple(dict.fromkeys(victims)), found, condition)

    # ------------------------------------------------------------ scenarios

    def setup(self) -> None:
        dice, world = self.dice, self.world
        c = t.Name("c")
        on = t.Argument(t.Name("b"), "on" if dice.chance(50) else None)
        then = tuple(
            t.Call("begin", (t.Argument(t.Name(side)),)) for side in (("right", "left") if dice.chance(70) else ())
        )
        scope = Scope(((c, REF), (t.Name("b"), SetType(REF))), world.top)
        flags = []
        for name in world.flags:
            events = [e for e in world.events if e.types and e.types[0] == REF and not e.action] or world.events
            event = dice.pick(events)
            arguments = [t.Argument(c), *self.formulas.arguments(event, scope, 0)[1:]]
            if event.types[:1] != (REF,):
                arguments = list(self.formulas.arguments(event, scope, 0))
            flags.append(t.SetupFlag(name, t.Call(event.name, tuple(arguments))))
        self.items.append(
            t.Setup(
                "c",
                KIND,
                "b",
                t.Access(c, "sorts"),
                t.Access(c, "skills"),
                t.Access(c, "owner"),
                t.Call("place", (t.Argument(c), on)),
                then,
                tuple(flags),
            )
        )

    def entry(self, name: str, others: Sequence[str]) -> t.Entry:
        """A card of a board; `others` are those that it may lie under."""
        dice, world = self.dice, self.world
        grants = []
        for ability in dice.some(list(world.enums[ABILITY]), 0, 3):
            types = world.enums[ABILITY][ability]
            grants.append(t.Grant(ability, tuple(self.formulas.plain(y) for y in types)))
        values = []
        for variable in world.variables:
            if variable.fixed and variable.name.startswith("f") and dice.chance(50):
                value = self.formulas.plain(variable.type)
                values.append(t.CardValue(variable.name, value))
        in_play = dice.chance(75)
        return t.Entry(
            name,
            tuple(dice.some(list(world.enums["Sort"]), 1, 2)),
            None,
            tuple(grants),
            "right" if dice.chance(40) else None,
            in_play,
            tuple(dice.some(world.flags, 0, 2)) if in_play and dice.chance(25) else (),
            tuple(dice.some(others, 1, 1)) if in_play and others and dice.chance(25) else (),
            tuple(values),
        )

    def scenario(self, name: str) -> t.Ruling:
        dice, world = self.dice, self.world
        if dice.chance(10):
            return self.mistake_of_clocks(name)
        entries: list[t.Entry] = []
        for thing in OBJECTS[: dice.weighted([(30, 2), (20, 1), (50, 3)])]:
            played = [e.name for e in entries if e.in_play]
            if entries and dice.chance(25):
                entries.append(replace(entries[0], name=thing, under=()))
            else:
                entries.append(self.entry(thing, played))
        scope = Scope(tuple((t.Name(e.name), REF) for e in entries), world.top, len(world.events) + 1)
        lines: list[t.ScriptLine] = []
        mistaken = False
        for _ in range(dice.weighted([(8, 0), (16, 1), (24, 2), (22, 3), (16, 4), (14, 5)])):
            actions = [e for e in world.events if e.action]
            event = dice.pick(actions if dice.chance(25) else world.events)
            call = t.Call(event.name, self.step_arguments(event, scope))
            if event.action and dice.chance(50):
                lines.append(t.Mistaken(call))
                mistaken = True
            else:
                lines.append(t.Step(call))
            lines += [self.expectation(scope, mistaken) for _ in range(dice.weighted([(45, 0), (40, 1), (15, 2)]))]
        lines += [self.expectation(scope, mistaken) for _ in range(dice.between(1, 3))]
        return t.Ruling("scenario", name, None, t.Meta(), tuple(entries), tuple(lines))

    def mistake_of_clocks(self, name: str) -> t.Ruling:
        """A board whose two things are told apart by their clocks alone, if at all, and a mistake about them."""
        dice, world = self.dice, self.world
        first = replace(self.entry("x", ()), in_play=True, flags=(), under=())
        entries = (first, replace(first, name="y", in_play=False))
        x, y = t.Name("x"), t.Name("y")
        hit = next(e for e in world.events if e.name == "hit")
        lines: list[t.ScriptLine] = [t.Step(t.Call("place", (t.Argument(y),)))]
        if dice.chance(25):
            lines.append(t.Step(t.Call("begin", (t.Argument(t.Name(dice.pick(("left", "right")))),))))
        target = t.Name("wall") if hit.types[1] != REF else dice.pick((x, y))
        lines.append(t.Mistaken(t.Call("hit", (t.Argument(dice.pick((y, x))), t.Argument(target)))))
        lines.append(t.Expect(t.ExpectRepaired("x", "y")))
        lines.append(t.Expect(t.ExpectNotRepairable()))
        return t.Ruling("scenario", name, None, t.Meta(), entries, tuple(lines))

    def step_arguments(self, event: Signature, scope: Scope) -> tuple[t.Argument, ...]:
        """Mostly plain values."""
        dice, formulas = self.dice, self.formulas
        things = [e for e, _ in scope.atoms]
        found: list[t.Argument] = []
        for type in event.types:
            value: t.Expr | None = None
            if not dice.chance(8):
                if strip(type) == REF:
                    value = dice.pick(things)
                elif isinstance(type, UnionType):
                    constant = formulas.constant(type, Scope())
                    value = dice.pick([*things, *([constant] * 2 if constant is not None else [])])
                elif isinstance(type, EnumType):
                    value = formulas.member(type.name, Scope())
                elif isinstance(type, IntType):
                    value = t.Number(dice.between(type.low, type.high))
                elif type == BOOL:
                    value = t.Name(dice.pick(("true", "false")))
                elif type == SetType(REF):
                    value = t.SetLiteral(tuple(dice.some(things, 0, 2)))
            found.append(t.Argument(formulas.of(type, scope, 0) if value is None else value))
        return tuple(found)

    def expectation(self, scope: Scope, mistaken: bool) -> t.ScriptLine:
        dice, formulas = self.dice, self.formulas
        if mistaken and dice.chance(35):
            names = [e.name for e, _ in scope.atoms if isinstance(e, t.Name)]
            if len(names) > 1 and dice.chance(60):
                left, right = dice.shuffled(names)[:2]
                return t.Expect(t.ExpectRepaired(left, right))
            return t.Expect(t.ExpectNotRepairable())
        formula: t.Expr | None = formulas.verdict(scope, 1) if dice.chance(70) else formulas.truth(scope, 2)
        if formula is None:
            formula = formulas.truth(scope, 2)
        if self.world.readings and dice.chance(20):
            return t.Expect(t.ExpectOpen(formula))
        return t.Expect(t.ExpectFormula(formula))


def head(name: str, *names: str) -> t.Head:
    """A head whose patterns are names."""
    return t.Head(name, tuple(t.Pattern(t.Name(n)) for n in names))


def names_of(items: Iterable[t.Item]) -> list[str]:
    """What the items are, for messages."""
    return [getattr(item, "name", type(item).__name__) for item in items]


def is_named(item: t.Item, name: str) -> bool:
    """Whether it is the item of this name."""
    return getattr(item, "name", None) == name


__all__ = ["OBJECTS", "RefType", "Rulebook", "dice_of", "head", "is_named", "names_of", "rulebook"]
