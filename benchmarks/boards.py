"""Boards for the measurements: shapes of scenarios, each filled in many ways, the same ones in every run.

A shape is a script with three cards on either side; for every card it lists the types and the sets of abilities that
the card may have. A filling picks one of each, by a seeded generator.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from verify_rules.diagnostics import Reporter
from verify_rules.model.load import load
from verify_rules.model.model import Model, Scenario, Unknown
from verify_rules.model.scenario import Scenarios
from verify_rules.model.types import Value
from verify_rules.parse.parser import parse_text
from verify_rules.source import SourceFile

ACTION = "attack"
FILLED_FIELDS = ("types", "abilities")

PLAIN = ("creature", "gr", "neo", "psychic_super", "duelmate_super")
OWN_ABILITIES = (
    "",
    "speed_attacker",
    "mach_fighter",
    "fury_charge",
    "attacks_untapped",
    "cannot_attack",
    "cannot_attack_player",
    "speed_attacker, cannot_attack_player",
    "mach_fighter, cannot_attack_creatures",
    "speed_attacker, must_attack",
    "must_attack",
    "others_speed_attacker",
)
FOE_ABILITIES = ("", "", "blocker", "cannot_be_attacked", "draws_attacks")


@dataclass(frozen=True)
class Part:
    """A card of a shape."""

    name: str
    types: tuple[str, ...] = PLAIN
    abilities: tuple[str, ...] = OWN_ABILITIES
    place: str = ""


@dataclass(frozen=True)
class Shape:
    """Cards and a script that can be played whatever the filling is."""

    name: str
    own: tuple[Part, ...]
    script: str
    foes: tuple[Part, ...]


FOES = (
    Part("p", abilities=FOE_ABILITIES, place="of opponent in play"),
    Part("q", abilities=FOE_ABILITIES, place="of opponent in play tapped"),
    Part("r", types=("creature",), abilities=FOE_ABILITIES),
)
MILD_FOES = tuple(replace(foe, abilities=("", "blocker")) for foe in FOES)
OLD = Part("c", place="in play")
FREE = tuple(x for x in OWN_ABILITIES if "must_attack" not in x)


def _shape(name: str, a: Part, b: Part, script: str, c: Part = OLD, foes: tuple[Part, ...] = FOES) -> Shape:
    return Shape(name, (a, b, c), script, foes)


SHAPES = (
    _shape("entered", Part("a"), Part("b"), "enter(a); enter(b)"),
    _shape("evolved", Part("a"), Part("b", ("evolution", "neo")), "enter(a); evolve(b, {a})"),
    _shape("uncovered", Part("a"), Part("b", ("evolution",)), "enter(a); evolve(b, {a}); leave_top(b, a)"),
    _shape("awakened", Part("a", ("psychic",)), Part("b"), "enter(a); enter(b); awaken(a)"),
    _shape("released", Part("a", ("psychic",)), Part("b"), "enter(a); awaken(a); release(a)"),
    _shape("linked", Part("a", ("god",)), Part("b", ("god",)), "enter(a); enter(b); link(a, b)"),
    _shape("allowed", Part("a"), Part("b"), "enter(a); apply(may_attack_untapped, a); enter(b)"),
    _shape("banned", Part("a"), Part("b"), "enter(a); gain(a, speed_attacker); apply(cannot_attack, c)"),
    _shape("ignored", Part("a"), Part("b", ("evolution",)), "enter(a); evolve(b, {c}); ignore_abilities(b)"),
    _shape("sealed", Part("a"), Part("b"), "enter(a); enter(b); lose(b, speed_attacker); seal(p)"),
    _shape(
        "attacked",
        Part("a"),
        Part("b"),
        "enter(a); attack(c, player); untap(c)",
        Part("c", abilities=("", "must_attack", "mach_fighter"), place="in play"),
        MILD_FOES,
    ),
    _shape(
        "next turn",
        Part("a", abilities=FREE),
        Part("b"),
        "enter(a); begin_turn(opponent); begin_turn(me); enter(b)",
        Part("c", abilities=FREE, place="in play"),
    ),
)


@dataclass(frozen=True)
class Filled:
    """A filling of a shape, as a scenario."""

    model: Model
    shape: Shape
    cards: tuple[str, ...]
    scenario: Scenario

    def value(self, card: str, field: str) -> Value:
        """What was chosen for a field of a card."""
        entry = next(e for e in self.scenario.entries if e.object.name == card)
        value = entry.values.get(field, self.model.variables[field].default)
        assert not isinstance(value, Unknown)
        return value


def shipped() -> Model:
    """The Duel Masters model without its rulings, as `ask --given` loads it."""
    model = load(rulings=False).model
    assert model is not None, "the shipped model has errors: verify-rules check"
    return model


def scenario_of(model: Model, given: str) -> Scenario:
    """What `ask --given` makes of a text."""
    reporter = Reporter()
    tree = parse_text(given, "given", "--given", reporter)
    scenario = (
        None if tree is None else Scenarios(model, {"--given": SourceFile("--given", given)}, reporter).given(tree)
    )
    assert scenario is not None, (given, reporter.diagnostics)
    assert not reporter.failed, (given, reporter.diagnostics)
    return scenario


def _cards(shape: Shape, source: random.Random) -> tuple[str, ...]:
    cards = []
    for part in (*shape.own, *shape.foes):
        types, abilities = source.choice(part.types), source.choice(part.abilities)
        granted = f" with {abilities}" if abilities else ""
        cards.append(f"{part.name} : {types}{granted} {part.place}".rstrip())
    return tuple(cards)


def fillings(model: Model, count: int, seed: int = 1) -> Iterator[Filled]:
    """`count` fillings of every shape."""
    for shape in SHAPES:
        source = random.Random(f"{seed} {shape.name}")
        for _ in range(count):
            cards = _cards(shape, source)
            scenario = scenario_of(model, ", ".join(cards) + "; " + shape.script)
            yield Filled(model, shape, cards, scenario)


def opened(filled: Sequence[Filled]) -> Scenario:
    """One scenario for all fillings of a shape: what they decide is unknown, among the values that occur."""
    first = filled[0].scenario
    entries = []
    for entry in first.entries:
        values = dict(entry.values)
        for field in FILLED_FIELDS:
            options = {f.value(entry.object.name, field) for f in filled}
            values[field] = Unknown(tuple(sorted(options, key=shown)))
        entries.append(replace(entry, values=values))
    return replace(first, entries=tuple(entries))


def shown(value: Value) -> str:
    """A set as the encoding names it."""
    return "{" + ", ".join(sorted(map(str, value))) + "}" if isinstance(value, frozenset) else str(value)
