"""The encoding: constants where nothing is open, formulas where something is, the reference's meaning throughout."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from toy import model_of, scenario
from verify_rules import semantics
from verify_rules.encode import VERDICTS, Encoding, Factory, Norms, NotSearched, evaluate, variables
from verify_rules.encode.terms import Term
from verify_rules.encode.unroll import bottom_up
from verify_rules.model import expr as e
from verify_rules.model.model import Entry, Model, Scenario, Step, Unknown
from verify_rules.model.types import (
    Atom,
    BoolType,
    EnumType,
    IntType,
    Obj,
    OptionalType,
    RefType,
    SetType,
    Type,
    UnionType,
    Value,
)


def encoded(text: str, **options: bool | dict[str, str] | Factory) -> Encoding:
    model = model_of(f'scenario s "x"\n{text}')
    return Encoding(model, scenario(model), **options)  # type: ignore[arg-type]


def expected(text: str) -> list[Term]:
    return [x.term for x in encoded(text).expectations]


# ---------------------------------------------------------------- closed scenarios


CLOSED = """
  cards  x : drone
         y : drone of blue in play spent
         z : tank with clumsy in play
  script
    expect cannot strike(z, _)
    expect forbidden strike(z, y) by clumsy
    boot(x)
    expect cold(x)
    expect can rest(y)
    expect not possible boot(x)
    load(x)
    expect x.charge = 1
    expect x.charge = 2
"""


def test_readings_given_and_nothing_unknown_gives_constants() -> None:
    encoding = encoded(CLOSED, readings={"weather": "dry", "manual": "yes"})
    assert encoding.constraints == ()
    for expectation in encoding.expectations:
        assert expectation.reached.is_true
        assert expectation.term.op == "const", expectation.source.text
    assert [x.term.is_true for x in encoding.expectations] == [True] * 6 + [False]
    for kinds in (encoding.verdict("strike", pair) for pair in pairs(encoding, "strike")):
        assert sorted(str(t) for t in kinds.values()) == ["false"] * 4 + ["true"]


def test_open_readings_leave_formulas_over_them_alone() -> None:
    encoding = encoded(CLOSED)
    names = {n for x in encoding.expectations for n in variables(x.term, x.reached)}
    assert all(name.startswith("reading:") for name in names)


def test_a_reading_decides() -> None:
    encoding = encoded(
        """
  cards  x : drone in play
         y : tank in play
  script
    expect cold(x)
    expect cold(y)
    expect can strike(x, base)
    """
    )
    x_cold, y_cold, strikes = (x.term for x in encoding.expectations)
    assert variables(x_cold).keys() == {"reading:weather=dry"}
    assert y_cold.is_false
    assert strikes is encoding.factory.bool_var("reading:weather=dry")


def test_unasked_clauses_are_never_built() -> None:
    """A board of plain bots costs a few terms, however many abilities the rulebook has."""
    encoding = encoded(
        "  cards x : drone in play\n  script\n    expect x.on", readings={"weather": "dry", "manual": "yes"}
    )
    assert encoding.expectations[0].term.is_true
    assert encoding.state().reach.instances(encoding.model.blocks["ability banner"]) == []
    assert len(encoding.factory) < 20


def test_a_step_that_cannot_happen_and_one_with_a_fault() -> None:
    encoding = encoded(
        """
  cards  x : drone in play
  script
    load(x)
    expect x.charge = 1
    load_twice(x)
    load_twice(x)
    expect true
    boot(x)
    expect true
    """
    )
    assert [step.possible.is_true for step in encoding.steps] == [True, True, True, False]
    assert [step.fault.is_true for step in encoding.steps] == [False, False, True, False]
    assert [x.reached.is_true for x in encoding.expectations] == [True, False, False]
    failing = [formula for formula, term in encoding.steps[3].failing if term.is_true]
    assert len(failing) == 1
    assert encoding.reached(2).is_true
    assert encoding.reached().is_false


def test_the_prologue_goes_from_the_bottom_up() -> None:
    a, b, c = (Obj(n, i) for i, n in enumerate("abc"))
    entries = [Entry(a, {}, True, (), ()), Entry(b, {}, True, (), ()), Entry(c, {}, True, (), (a,))]
    assert [x.object for x in bottom_up(entries)] == [b, c, a]
    encoding = encoded(
        "  cards  x : drone in play\n         y : drone in play spent under x\n  script\n    expect x.on"
    )
    assert [s.event.name for s in encoding.prologue] == ["boot", "boot", "begin", "begin", "spend"]
    assert [str(s.arguments[0].constant) for s in encoding.prologue[:2]] == ["y", "x"]  # type: ignore[union-attr]


def test_mistakes() -> None:
    terms = expected(
        """
  cards  x : drone
         y : drone in play
  script
    boot(x)
    mistaken strike(x, base)
    expect mistake repaired by x = y
    expect mistake not repairable
    expect x.spent
    """
    )
    assert [str(t) for t in terms[1:]] == ["not reading:weather=dry", "true"]
    assert variables(terms[0]).keys() == {"reading:weather=dry"}


# ---------------------------------------------------------------- unknown boards


def test_an_unknown_field_is_a_choice() -> None:
    encoding = encoded(
        """
  cards  x : drone in play { weight = ? }
         y : drone of blue in play { side in {red, blue} }
  script
    expect heavy(x)
    expect foes(x, y)
    """
    )
    heavy, foes = (x.term for x in encoding.expectations)
    assert variables(heavy).keys() <= {f"x.weight={n}" for n in range(10)}
    assert variables(foes).keys() == {"y.side=red"} or variables(foes).keys() == {"y.side=blue"}
    assert len(encoding.constraints) == 4
    assignment = {f"x.weight={n}": n == 7 for n in range(10)} | {"y.side=red": True, "y.side=blue": False}
    assert evaluate(heavy, assignment) is True
    assert evaluate(foes, assignment) is False
    closed = encoding.scenario_of(assignment)
    assert closed.entries[0].values["weight"] == 7
    assert closed.entries[1].values["side"] == "red"


def test_further_abilities_are_free_if_they_have_no_parameters() -> None:
    encoding = encoded(
        """
  cards  x : drone with clumsy, ? in play
  script
    expect can strike(x, base)
    expect has(x, ban(tank))
    """,
        readings={"weather": "dry", "manual": "yes"},
    )
    strikes, bans = (x.term for x in encoding.expectations)
    assert bans.is_false
    names = variables(strikes)
    assert "x.skills:silencer" not in names, "it doesn't take from itself"
    assert names.keys() <= {f"x.skills:{m.value}" for m in encoding.model.enums["Ability"] if not m.arguments}
    assert evaluate(strikes, dict.fromkeys(names, False)) is False
    closed = encoding.scenario_of({"x.skills:swift": True})
    assert closed.entries[0].values["skills"] == frozenset({"clumsy", "swift"})
    assert not closed.entries[0].open_grants


def test_steps_that_are_not_said_are_refused_with_their_place() -> None:
    with pytest.raises(NotSearched) as error:
        encoded("  cards x : drone\n  script\n    steps ? up to 3\n    expect x.on")
    assert error.value.span.line > 0


def test_exactly_one_verdict_on_every_pair() -> None:
    encoding = encoded(
        """
  cards  x : drone with ? in play { weight = ? }
         y : tank with ? of blue in play spent
  script
    load(x)
    """
    )
    names = encoding.factory.variables
    chance = random.Random(5)
    for pair in pairs(encoding, "strike"):
        verdict = encoding.verdict("strike", pair)
        assert tuple(verdict) == VERDICTS
        for _ in range(20):
            assignment = drawn(encoding, chance)
            assert names.keys() == assignment.keys()
            assert sum(evaluate(t, assignment) for t in verdict.values()) == 1


# ---------------------------------------------------------------- selectors


def test_a_clause_can_be_switched_off() -> None:
    text = "  cards x : drone with swift\n  script\n    boot(x)\n    expect cold(x)\n    expect can strike(x, base)"
    encoding = encoded(text, selectors=True, readings={"weather": "dry", "manual": "yes"})
    cold, strikes = (x.term for x in encoding.expectations)
    model = encoding.model
    on = {f"on:{id}": True for id in encoding.selectors}
    assert len(on) == len(encoding.switched_on)
    assert evaluate(cold, on) is False
    assert evaluate(strikes, on) is True
    swift = next(c.id for cs in model.status_clauses.values() for c in cs if c.block == "ability swift")
    assert evaluate(cold, {**on, f"on:{swift}": False}) is True
    assert evaluate(strikes, {**on, f"on:{swift}": False}) is False
    bar = next(n.id for n in model.norms["strike"] if n.block == "rule coldness")
    assert evaluate(strikes, {**on, f"on:{swift}": False, f"on:{bar}": False}) is True


def test_with_all_clauses_on_the_selectors_change_nothing() -> None:
    with_them, without = encoded(CLOSED, selectors=True), encoded(CLOSED)
    on = {f"on:{id}": True for id in with_them.selectors}
    chance = random.Random(1)
    for _ in range(5):
        assignment = drawn(without, chance)
        for one, other in zip(with_them.expectations, without.expectations, strict=True):
            assert evaluate(one.term, {**on, **assignment}) == evaluate(other.term, assignment)


# ---------------------------------------------------------------- the same meaning as the reference


def pairs(encoding: Encoding, action: str) -> Iterator[tuple[Atom, ...]]:
    return itertools.product(*(encoding.board.values_of(p.type) for p in encoding.model.events[action].parameters))


def drawn(encoding: Encoding, chance: random.Random) -> dict[str, bool | int]:
    """A random assignment within the constraints."""
    found: dict[str, bool | int] = {
        name: chance.random() < 0.5 if v.sort == "Bool" else chance.randint(v.low, v.high)
        for name, v in encoding.factory.variables.items()
    }
    for group in encoding.factory.groups:
        chosen = chance.choice(group)
        found.update({v.name: v is chosen for v in group})
    assert all(evaluate(c, found) for c in encoding.constraints)
    return found


def a_value(model: Model, chance: random.Random, type: Type, objects: list[Obj]) -> Value:
    match type:
        case BoolType():
            return chance.random() < 0.5
        case IntType(low, high):
            return chance.randint(low, high)
        case EnumType(name):
            return chance.choice(model.enums[name]).value
        case RefType():
            return chance.choice(objects)
        case UnionType(name):
            union = model.unions[name]
            chosen = chance.choice([*union.types, *union.atoms])
            if chosen == model.kind:
                return chance.choice(objects)
            return chance.choice(model.enums[chosen]).value if chosen in model.enums else chosen
        case OptionalType(inner):
            return None if chance.random() < 0.3 else a_value(model, chance, inner, objects)
        case SetType(element):
            items = [a_value(model, chance, element, objects) for _ in range(chance.randint(0, 2))]
            return frozenset(i for i in items if not isinstance(i, frozenset))
        case _:
            raise TypeError(type)


def a_scenario(model: Model, chance: random.Random) -> Scenario:
    objects = [Obj(f"o{n}", n) for n in range(chance.randint(1, 3))]
    entries: list[Entry] = []
    for obj in objects:
        values: dict[str, Value | Unknown] = {}
        for variable in model.variables.values():
            if variable.fixed and variable.of_kind and chance.random() < 0.7:
                choices = tuple({a_value(model, chance, variable.type, objects) for _ in range(2)})
                values[variable.name] = Unknown(choices) if chance.random() < 0.2 else choices[0]
        flags = tuple(flag for flag in model.setup.flags if chance.random() < 0.3)
        entries.append(Entry(obj, values, chance.random() < 0.8, flags, (), chance.random() < 0.05))
    lines: list[Step] = []
    for _ in range(chance.randint(0, 3)):
        event = chance.choice(list(model.events.values()))
        arguments = tuple(e.Const(a_value(model, chance, p.type, objects), p.type) for p in event.parameters)
        lines.append(Step(event.name, arguments, event.name, mistaken=event.action and chance.random() < 0.3))
    return Scenario(tuple(entries), tuple(lines))


def agree(encoding: Encoding, at: Norms, moment: semantics.Moment, assignment: dict[str, bool | int]) -> None:
    model, symbolic = encoding.model, encoding.board.symbolic
    for variable in model.variables.values():
        for slot in encoding.board.slots(variable):
            value = encoding.board.fixed[slot] if variable.fixed else at.state.values[slot]
            assert symbolic.concrete(value, assignment) == moment.read(
                variable.name, slot[1], tuple(map(str, slot[2]))
            ), slot
    for status in model.statuses.values():
        for args in itertools.product(*(encoding.board.values_of(p.type) for p in status.parameters)):
            term = at.status(status.name, [symbolic.const(a) for a in args])
            assert evaluate(term, assignment) == moment.status(status.name, args), (status.name, args)
    for action in model.actions:
        for args in pairs(encoding, action.name):
            said = [kind for kind, term in at.verdict(action.name, args).items() if evaluate(term, assignment)]
            verdict = moment.verdict(action.name, args)
            assert said == [verdict.kind], (action.name, args, verdict)
            if verdict.kind == "forbidden":
                for block in {i.norm.block for i in verdict.deciding}:
                    assert evaluate(at.forbidden_by(action.name, args, frozenset({block})), assignment) is True


@pytest.mark.parametrize("simplify", [True, False])
def test_the_reference_says_the_same(simplify: bool) -> None:
    model = model_of()
    for seed in range(40 if simplify else 6):
        chance = random.Random(seed)
        encoding = Encoding(model, a_scenario(model, chance), Factory(simplify))
        for _ in range(2):
            assignment = drawn(encoding, chance)
            readings = semantics.Readings(model, encoding.readings(assignment))
            run = semantics.run(model, encoding.scenario_of(assignment), readings)
            for step, other in zip((*encoding.prologue, *encoding.steps), run.all_steps, strict=False):
                assert evaluate(step.goes_on, assignment) == (other.after is not None), (seed, other)
                assert evaluate(step.fault, assignment) or not isinstance(other.outcome, semantics.Fault)
            if run.stopped is None:
                agree(encoding, encoding.state(), run.final, assignment)
