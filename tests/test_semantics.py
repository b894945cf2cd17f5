"""The reference meaning, on a game of robots (toy.py): the points where one easily means something else."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from textwrap import indent

import pytest

from toy import model_of, scenario
from verify_rules.model.expr import Local, Not, ReadingValue, StatusIs
from verify_rules.model.model import Bind, Model
from verify_rules.model.types import EnumType, Obj, RefType
from verify_rules.semantics import (
    WILD,
    Board,
    CyclicRules,
    Fault,
    Happened,
    Impossible,
    Moment,
    NotSearched,
    Readings,
    Run,
    Verdict,
    apply,
    board_of,
    bottom_up,
    explore,
    run,
)

FOE = "of blue in play"
MINE = "in play"


def ran(cards: str, script: str = "", readings: dict[str, str] | None = None) -> Run:
    """Runs a scenario; the cards are separated by semicolons."""
    text = "scenario s\n  cards\n" + indent(cards.replace("; ", "\n"), "    ")
    if script:
        text += "\n  script\n" + indent(script.strip("\n"), "    ")
    model = model_of(text)
    return run(model, scenario(model), Readings(model, readings))


def check(cards: str, script: str, readings: dict[str, str] | None = None) -> Run:
    """All expectations of the script hold."""
    result = ran(cards, script, readings)
    assert result.stopped is None, result.stopped
    assert result.expectations
    wrong = [e.line.text for e in result.expectations if e.holds is not True]
    assert not wrong
    return result


def verdict(result: Run, *names: str, action: str = "strike") -> Verdict:
    """The verdict at the end of a run; a name that no object has stands for itself."""
    objects = {o.name: o for o in result.board.objects}
    return result.final.verdict(action, tuple(objects.get(name, name) for name in names))


def deciding(found: Verdict) -> list[str]:
    return [i.norm.block for i in found.deciding]


# Levels


def test_the_first_level_that_has_an_instance_decides() -> None:
    result = check(
        f"a : drone {MINE}; new : drone; t : drone {FOE}; u : drone {FOE} spent; "
        "dare : drone with daring; care : drone with careful",
        """
        boot(new)
        boot(dare)
        boot(care)
        expect cold(new) and not cold(a)
        expect can strike(a, base) and can strike(a, u)
        expect not permitted strike(a, t)
        expect forbidden strike(new, base) by RB "7"
        expect can strike(dare, t) and can strike(dare, u) and cannot strike(dare, base)
        expect forbidden strike(care, t) by coldness
        """,
    )
    assert verdict(result, "a", "t").kind == "not permitted"
    assert verdict(result, "a", "t").deciding == ()
    dared = verdict(result, "dare", "u")
    assert deciding(dared) == ["ability daring"]
    assert [(a.instance.norm.block, a.level) for a in dared.applying] == [
        ("rule coldness", 2),
        ("rule aims", 3),
        ("ability daring", 1),
    ]


def test_an_impossible_pair_names_its_first_failing_requirement() -> None:
    result = ran(f"a : drone {MINE}; b : drone {MINE} spent; t : drone {FOE}; off : drone of blue")
    ally = verdict(result, "a", "b")
    assert (ally.kind, ally.stage, ally.failing_group) == ("impossible", "requires", "group strike/aim_ok")
    spent = verdict(result, "b", "base")
    assert (spent.kind, spent.failing_group) == ("impossible", None)
    assert spent.failure is not None
    assert spent.failure.env["t"] == "base"
    assert verdict(result, "t", "base").kind == "impossible"
    assert verdict(result, "a", "off").failing_group == "group strike/aim_ok"


def test_barred_is_what_the_norms_say_alone() -> None:
    check(
        f"a : drone with clumsy {MINE} spent; b : drone {MINE} spent; t : drone {FOE}",
        """
        expect barred strike(a, base) and barred strike(a, _) by clumsy
        expect not (forbidden strike(a, base)) and cannot strike(a, base)
        expect not (barred strike(b, base)) and not (barred strike(b, _))
        expect not (barred strike(t, base))
        """,
    )


def test_forbidden_of_a_wildcard_leaves_impossible_pairs_out() -> None:
    check(
        f"a : drone with clumsy {MINE}; z : drone with timid {MINE}; t : drone {FOE} spent; off : drone",
        """
        expect forbidden strike(a, _) by clumsy
        expect not (forbidden strike(z, _))
        expect not (forbidden strike(off, _)) and cannot strike(off, _)
        expect not (forbidden strike(a, _) by timid)
        expect forbidden strike(z, base) by timid
        expect not (not permitted strike(a, _))
        """,
    )


def test_a_price_bars_until_it_can_be_paid() -> None:
    result = check(
        f"a : drone with toll {MINE}",
        """
        expect forbidden strike(a, base) by toll
        load(a)
        expect can strike(a, base)
        """,
    )
    assert verdict(result, "a", "base").kind == "permitted"


# Steering and duties


def test_steering_narrows_what_is_permitted_and_nothing_else() -> None:
    result = check(
        f"a : drone {MINE}; l : drone with lure {FOE}; t : drone {FOE} spent; c : drone with clumsy {MINE}",
        """
        expect can strike(a, base) and can strike(a, t) and cannot strike(a, l)
        spend(l)
        expect can strike(a, l) and cannot strike(a, base) and cannot strike(a, t)
        expect forbidden strike(a, base) by lure
        expect forbidden strike(c, l) by clumsy
        expect need not strike(a, _)
        expect not (barred strike(a, base))
        """,
    )
    away = verdict(result, "a", "base")
    a, lure = result.board.objects[:2]
    assert (away.kind, away.stage, away.toward) == ("forbidden", "steering", ((a, lure),))
    assert [i.carrier for i in away.deciding] == [lure]
    assert away.base.kind == "permitted"


def test_duty_with_steering() -> None:
    result = check(
        f"a : drone with zeal {MINE}; h : drone with hunter {MINE}; l : drone with lure {FOE}; t : drone {FOE} spent",
        """
        expect must strike(a, _) and need not strike(a, base)
        expect can strike(a, base) and can strike(a, t)
        expect must strike(h, t) and must strike(h, _) and cannot strike(h, base)
        expect must strike(_, t) and must strike(_, _) and need not strike(_, base)
        expect forbidden strike(h, base) by hunter
        spend(l)
        expect must strike(a, l) and need not strike(a, t) and cannot strike(a, base)
        expect forbidden strike(a, base) by lure
        expect must strike(h, l)
        load(a)
        expect need not strike(a, _) and can strike(a, l)
        """,
    )
    assert verdict(result, "h", "l").kind == "required"
    assert verdict(result, "h", "l").stage == "duty"
    assert verdict(result, "a", "l").kind == "permitted"


def test_nobody_must_make_himself_able() -> None:
    check(
        f"a : drone with zeal {MINE} spent; n : drone with zeal; h : drone with hunter {MINE}; t : drone {FOE}",
        """
        boot(n)
        expect need not strike(a, _) and need not strike(n, _)
        expect need not strike(h, _) and can strike(h, base)
        """,
    )


def test_a_duty_on_the_side_reaches_each_bot() -> None:
    check(
        f"a : drone {MINE}; b : tank {MINE}; t : drone {FOE} spent",
        """
        expect need not strike(a, _)
        order(goad, red)
        expect must strike(a, _) and must strike(b, _) and need not strike(a, base)
        """,
    )


# Lifts


def test_lifts_of_a_rule_take_out_nothing_but_its_norms() -> None:
    result = check(
        f"a : drone with warmth; c : drone with warmth, timid; t : drone {FOE} spent",
        """
        boot(a)
        boot(c)
        expect cold(a)
        expect can strike(a, base) and cannot strike(a, t)
        expect forbidden strike(a, t) by coldness
        expect forbidden strike(c, base) by timid
        """,
    )
    lifted = verdict(result, "a", "base")
    assert [(i.norm.block, lift.lift.block) for i, lift in lifted.lifted] == [("rule coldness", "ability warmth")]


def test_lifts_by_class_and_origin_and_owner() -> None:
    # Only bans that the striking bot carries itself are lifted: not those of others, not effects on it, not rules.
    check(
        f"a : drone with clumsy {MINE}; b : drone with toll {MINE}; s : drone {MINE}; l : drone with liberator {MINE}; "
        f"n : drone with clumsy; t : drone {FOE} spent",
        """
        expect can strike(a, base) and cannot strike(a, t)
        expect can strike(b, base) and forbidden strike(b, t) by toll
        rig(slow, s)
        expect forbidden strike(s, base) by slow
        boot(n)
        expect forbidden strike(n, base) by coldness
        """,
    )
    check(
        f"a : tank with clumsy {MINE}; g : drone with ban(tank) {FOE}; l : drone with liberator {MINE}",
        "expect forbidden strike(a, base) by ban and not (forbidden strike(a, base) by clumsy)",
    )


def test_lifts_by_strength_and_name() -> None:
    check(
        f"a : drone with clumsy {MINE}; b : drone with timid {MINE}; s : drone {MINE}; p : drone with pardon {MINE}; "
        "n : drone",
        """
        rig(slow, s)
        boot(n)
        expect can strike(s, base) and can strike(a, base)
        expect forbidden strike(b, base) by timid
        expect forbidden strike(n, base) by coldness
        """,
    )


def test_duties_and_steering_can_be_lifted() -> None:
    check(
        f"a : drone with zeal, calm {MINE}; l : drone with lure {FOE} spent",
        "expect need not strike(a, _) and can strike(a, base) and can strike(a, l)",
    )


def test_an_effect_on_a_side_that_lifts() -> None:
    check(
        f"t : drone {FOE} spent; n : drone",
        """
        boot(n)
        order(freed, blue)
        expect cannot strike(n, base)
        order(freed, red)
        expect can strike(n, base) and cold(n)
        """,
    )


# Statuses


def test_a_status_comes_back_when_the_exception_ends() -> None:
    check(
        f"n : drone with swift; o : drone; q : drone with teacher {MINE}; k : tank",
        """
        boot(n)
        boot(o)
        boot(k)
        expect not cold(n) and not cold(o) and has(o, swift) and not has(q, swift)
        expect ready(n)
        vanish(q)
        expect not cold(n) and cold(o) and not has(o, swift) and cold(k)
        """,
    )


def test_parameters_of_abilities() -> None:
    check(
        f"a : drone {MINE}; b : tank {MINE}; g : drone with ban(tank) {FOE}; h : drone with banner(drone) {FOE}",
        """
        expect has(g, ban(tank)) and has(g, ban(drone)) and not has(h, ban(drone))
        expect forbidden strike(b, base) by ban
        expect forbidden strike(a, base) by ban
        """,
    )
    check(
        f"a : drone {MINE}; b : tank {MINE}; g : drone with ban(tank) {FOE}",
        "expect cannot strike(b, base) and can strike(a, base)",
    )


def test_general_takers_reach_all_but_each_other() -> None:
    check(
        f"a : drone with silencer, swift {MINE}; b : drone with jammer, clumsy, swift {MINE}; "
        f"c : drone with silencer {FOE}",
        """
        expect has(a, silencer) and has(b, jammer) and has(c, silencer)
        expect not has(a, swift) and not has(b, swift) and not has(b, clumsy)
        """,
    )


def test_a_general_taker_with_a_condition_on_the_block() -> None:
    check(
        f"b : drone with clumsy, swift, toll, daring {MINE}; j : drone with jammer, clumsy {FOE}; "
        "g : drone with ban(drone)",
        """
        boot(g)
        expect not has(b, clumsy) and not has(b, toll) and not has(g, ban(drone))
        expect has(b, swift) and has(b, daring) and has(j, clumsy)
        """,
    )


def test_a_taker_without_its_own_life_takes_nothing() -> None:
    check(
        "b : drone with swift; j : drone with jammer, silencer",
        "boot(b)\nexpect has(b, swift)\nexpect not has(j, jammer)",
    )


def test_a_circle_that_check_would_refuse_does_not_run_on() -> None:
    model = model_of()
    b = Local("b", RefType("Bot"))
    clause = model.status_clauses["ready"][0]
    circle = replace(clause, patterns=(Bind("b", b.type),), condition=Not(StatusIs("ready", (b,))))
    model = replace(model, status_clauses={**model.status_clauses, "ready": (circle,)})
    x = Obj("x", 0)
    board = Board(model, (x,))
    with pytest.raises(CyclicRules):
        Moment(board, board.start, Readings(model)).status("ready", (x,))


# Nothing, unions, wildcards


def test_total_semantics() -> None:
    check(
        f"a : drone {MINE} {{ weight = 9 }}; t : drone {FOE}",
        """
        expect a.partner = none and a.partner.partner = none
        expect a.partner.weight = 1 and not a.partner.on and a.partner.makes = {drone}
        expect not cold(a.partner) and not has(a.partner, swift)
        expect cannot strike(a.partner, base) and need not strike(a.partner, _)
        expect not (forbidden strike(a.partner, base)) and not (not permitted strike(a.partner, base))
        expect not (barred strike(a.partner, base))
        expect impossible vanish(a.partner) and not (possible vanish(a.partner))
        expect not (a.partner in {a, t})
        expect {a.partner} = {}
        expect heavy(a) and not heavy(a.partner)
        expect last = none and not (last is Bot) and not (last is base)
        strike(a, base)
        expect last = base and last is base and not (last is Bot)
        """,
    )


def test_a_verdict_about_nothing_is_impossible() -> None:
    result = ran(f"a : drone {MINE}")
    assert verdict(result, "a", "base").legal
    nothing = result.final.verdict("strike", (None, "base"))
    assert (nothing.kind, nothing.failing) == ("impossible", None)
    assert result.final.pairs("strike", (None, WILD)) == ()
    assert [p[1] for p in result.final.pairs("strike", (result.board.objects[0], WILD))] == [
        *result.board.objects,
        "base",
    ]


def test_a_norm_may_ask_for_another_action() -> None:
    check(
        f"a : drone {MINE}; b : drone with clumsy {MINE}",
        "expect cannot rest(a) and can rest(b)\nexpect possible rest(b) and impossible rest(a)",
    )


# Events


def test_right_sides_read_the_state_before() -> None:
    result = check(
        f"a : drone {MINE}; b : drone {MINE}",
        """
        load(a)
        load(a)
        load(b)
        pair(a, b)
        swap()
        expect a.charge = 1 and b.charge = 2
        """,
    )
    assert result.origin("charge", result.board.objects[0]) == result.steps[-1]


def test_the_later_line_wins_also_over_what_is_done() -> None:
    result = check(f"a : drone {MINE}", "load_twice(a)\nexpect a.charge = 2")
    outcome = result.steps[0].outcome
    assert isinstance(outcome, Happened)
    (write,) = outcome.writes.values()
    assert (write.event, write.value, write.before, write.group) == ("load_twice", 2, 0, None)


def test_does_demands_only_where_its_condition_holds() -> None:
    check(
        f"a : drone {FOE}",
        "expect impossible load_all() and possible load_for(blue)\nbegin(blue)\nload_all()\nexpect a.charge = 1",
    )


def test_groups_are_named_in_writes_and_requirements() -> None:
    result = check(
        f"a : drone {MINE} spent; b : drone; c : drone",
        """
        expect impossible strike(a, a)
        boot(b, onto: {a})
        expect b.spent and not a.on and not a.spent and a.warm
        expect impossible boot(b, onto: {}) and not (impossible boot(b, onto: {}) by RB "9")
        expect impossible strike(c, base) and not (impossible strike(b, base) by coldness)
        """,
    )
    a, b, _ = result.board.objects
    step = result.origin("spent", b)
    assert step is not None
    assert isinstance(step.outcome, Happened)
    assert step.outcome.writes["spent", b, ()].group == "group boot/absorbs"
    assert step.outcome.writes["on", b, ()].group is None
    origin = result.origin("warm", a)
    assert origin is not None
    assert origin.text == "begin(red)"
    assert origin.prologue


def test_impossible_by() -> None:
    check(
        f"a : drone {MINE}; z : drone {MINE}; n : drone; t : drone {FOE}",
        """
        boot(n)
        expect impossible strike(a, z) by RB "8"
        expect not (impossible strike(a, t) by RB "8") and impossible strike(a, t)
        expect impossible strike(n, base) by coldness
        expect not (impossible strike(n, base) by RB "8")
        expect not (impossible vanish(a.partner) by RB "8")
        """,
    )


def test_carries_take_marked_fields_only() -> None:
    check(
        f"a : drone {MINE}; b : drone",
        """
        load(a)
        rig(slow, a, u: start(red))
        transfer(a, b)
        expect b.charge = 1 and b.effects[start(red)] = {slow} and b.effects[soon] = {} and not b.on
        transfer_from_partner(b)
        transfer_to_partner(b)
        expect b.charge = 1
        """,
    )


def test_a_value_out_of_range_is_a_fault_and_stops_the_run() -> None:
    result = ran(f"a : drone {MINE}", "load(a)\nload(a)\nload(a)\nload(a)\nexpect a.charge = 3\nload(a)")
    assert result.stopped is not None
    assert result.stopped is result.steps[-1]
    assert len(result.steps) == 4
    fault = result.stopped.outcome
    assert isinstance(fault, Fault)
    assert (fault.value, fault.event, fault.assign.variable) == (4, "load", "charge")
    assert result.expectations[0].holds is None
    assert result.expectations[0].moment is None


def test_an_impossible_step_stops_the_run() -> None:
    result = ran(f"a : drone {MINE}; t : drone {FOE}", "expect a.on\nstrike(a, t)\nexpect a.on")
    assert result.stopped is not None
    outcome = result.stopped.outcome
    assert isinstance(outcome, Impossible)
    assert outcome.verdict is not None
    assert outcome.verdict.kind == "not permitted"
    assert [e.holds for e in result.expectations] == [True, None]
    stopped = ran(f"a : drone {MINE}", "boot(a)").stopped
    assert stopped is not None
    assert isinstance(stopped.outcome, Impossible)
    assert stopped.outcome.requirement is not None
    assert stopped.outcome.verdict is None


def test_none_in_a_variable_that_needs_a_value_is_a_fault() -> None:
    result = ran("a : drone", "whose_turn()")
    assert result.stopped is not None
    assert isinstance(result.stopped.outcome, Fault)
    assert result.stopped.outcome.value is None


def test_states_are_values() -> None:
    result = ran(f"a : drone {MINE}", "load(a)\nspend(a)\nrest(a)")
    before, after = result.steps[0].before, result.steps[1].after
    assert after is not None
    assert before.state != after.state
    # An event that sets everything back leaves the very same state.
    emptied = apply(result.final, "vanish", (result.board.objects[0],))
    assert isinstance(emptied, Happened)
    assert emptied.state.updated([("turn", (None,), "red")], result.board.program.defaults) == result.board.start
    assert hash(result.board.start) == hash(board_of(result.model, result.scenario).start)


# Prologue


def test_the_prologue_builds_from_the_bottom() -> None:
    result = ran(
        "top : drone in play spent; deep : drone in play under low; low : drone in play under top; other : drone {}"
    )
    assert [s.text for s in result.prologue] == [
        "boot(deep, {})",
        "boot(low, {deep})",
        "boot(top, {low})",
        "begin(blue)",
        "begin(red)",
        "spend(top)",
    ]
    assert result.stopped is None
    assert [e.object.name for e in bottom_up(result.scenario.entries)] == ["deep", "low", "top"]
    top, deep, low, _ = result.board.objects
    assert result.final.read("warm", top) is True
    assert result.final.read("on", deep) is result.final.read("on", low) is False


def test_unknowns_are_not_run() -> None:
    with pytest.raises(NotSearched) as caught:
        ran(f"a : drone {MINE}", "step ?\nexpect a.on")
    assert caught.value.span.line > 0
    with pytest.raises(NotSearched):
        ran("a : drone with ? in play", "expect a.on")
    with pytest.raises(NotSearched):
        ran("a : drone in play { weight = ? }", "expect a.on")


# Mistakes


def test_a_mistake_is_carried_out_and_repaired_by_an_exchange() -> None:
    check(
        f"old : drone {MINE}; new : drone; other : drone {{ weight = 3 }}",
        """
        boot(new)
        boot(other)
        mistaken strike(new, base)
        expect new.spent and last = base
        expect mistake repaired by new = old
        expect mistake repaired by old = new
        """,
    )


@pytest.mark.parametrize(
    ("cards", "steps"),
    [
        (f"old : drone {MINE} {{ weight = 3 }}; new : drone", "boot(new)"),
        (f"old : drone with timid {MINE}; new : drone", "boot(new)"),
        (f"old : drone {MINE} spent; new : drone", "boot(new)"),
        (f"old : drone {MINE}; new : drone", "boot(new)\nload(old)"),
        (f"old : drone; new : drone; third : drone {MINE} {{ weight = 2 }}", "boot(new)\nboot(old)"),
        (f"old : drone {MINE}; new : drone; far : drone", "boot(new)\npair(old, far)"),
        ("new : drone", "boot(new)"),
    ],
    ids=["fixed field", "ability", "spent", "charge", "both cold", "partner", "alone"],
)
def test_a_mistake_that_no_exchange_repairs(cards: str, steps: str) -> None:
    check(cards, f"{steps}\nmistaken strike(new, base)\nexpect mistake not repairable")


def test_the_exchange_reaches_into_fields_that_name_the_two() -> None:
    check(
        f"old : drone {MINE}; new : drone",
        "boot(new)\npair(old, new)\nmistaken strike(new, base)\nexpect mistake repaired by new = old",
    )


def test_the_exchange_speaks_about_the_moment_of_the_mistake() -> None:
    check(
        f"old : drone {MINE}; new : drone",
        "boot(new)\nmistaken strike(new, base)\nload(new)\nload(old)\nload(old)\nexpect mistake repaired by new = old",
    )


# Readings


def test_only_readings_that_are_looked_at_are_explored() -> None:
    cards = f"a : tank {MINE}, d : drone {MINE}"
    text = f"scenario s\n  cards {cards}\n  script\n    expect not cold(a)\n    expect not cold(d)"
    model = model_of(text)

    def answer(i: int) -> list[tuple[dict[str, str], bool | None]]:
        return explore(model, lambda r: run(model, scenario(model), r).expectations[i].holds)

    # The second turn of the prologue asks the weather of every bot that is on; only the drone's clock depends on it.
    assert {tuple(options.values()): holds for options, holds in answer(0)} == {
        ("dry",): True,
        ("rain",): True,
        ("storm",): True,
    }
    assert answer(1) == [({"weather": "dry"}, True), ({"weather": "rain"}, False), ({"weather": "storm"}, False)]


def test_exploring_gives_a_complete_decision_tree() -> None:
    model = model_of()

    def f(readings: Readings) -> str:
        if readings["weather"] == "storm":
            return "storm"
        return readings["weather"] + readings["manual"]

    leaves = explore(model, f)
    assert leaves[0] == ({"weather": "dry", "manual": "yes"}, "dryyes")
    assert len(leaves) == 5
    for weather, manual in product(("dry", "rain", "storm"), ("yes", "no")):
        total = {"weather": weather, "manual": manual}
        agreeing = [result for options, result in leaves if options.items() <= total.items()]
        assert agreeing == [f(Readings(model, total))]
    assert explore(model, f, given={"weather": "rain"}) == [
        ({"manual": "yes"}, "rainyes"),
        ({"manual": "no"}, "rainno"),
    ]
    assert explore(model, lambda r: 1) == [({}, 1)]


def test_looking_at_a_duty_looks_at_its_readings_only_where_it_matters() -> None:
    text = f"scenario s\n  cards a : tank {MINE}\n  script order(goad, red)"
    model = model_of(text)

    def must(readings: Readings) -> bool:
        final = run(model, scenario(model), readings).final
        return final.ask("must", "strike", (final.board.objects[0], WILD))

    found = explore(model, must, given={"weather": "dry"})
    assert found == [({"manual": "yes"}, True), ({"manual": "no"}, False)]


def test_readings_are_checked_and_recorded() -> None:
    model = model_of()
    readings = Readings(model, {"manual": "no"})
    assert readings.touched == {}
    assert dict(readings.assignment) == {"weather": "dry", "manual": "no"}
    moment = Moment(Board(model, ()), Board(model, ()).start, readings)
    assert moment.value(ReadingValue("manual", EnumType("manual"))) == "no"
    assert readings.touched == {"manual": "no"}
    with pytest.raises(ValueError, match="no option"):
        Readings(model, {"manual": "maybe"})
    with pytest.raises(ValueError, match="no reading"):
        Readings(model, {"nothing": "yes"})


# What explanations need


def test_clause_norm_and_lift_instances_leave_conditions_open() -> None:
    result = ran(f"a : drone with swift, warmth, liberator {MINE}; n : drone; j : drone with toll {MINE}", "boot(n)")
    a, n, j = result.board.objects
    final = result.final
    cold = {(c.clause.block, c.carrier): c for c in final.clause_instances("cold", (a,))}
    assert set(cold) == {("rule coldness", None), ("rule rainy", None), ("ability swift", a)}
    coldness = cold["rule coldness", None]
    assert coldness.clause.condition is not None
    assert coldness.env == {"b": a}
    assert final.value(coldness.clause.condition, coldness.env) is False
    assert [c.clause.block for c in final.clause_instances("cold", (n,))] == ["rule coldness", "rule rainy"]
    assert list(final.clause_instances("cold", (None,))) == []
    norms = [(i.norm.block, i.carrier) for i in final.norm_instances("strike", (j, "base"))]
    assert norms == [("rule coldness", None), ("rule aims", None), ("rule storms", None), ("ability toll", j)]
    lifts = [(i.lift.block, i.carrier) for i in final.lift_instances("strike", (a, "base"))]
    assert lifts == [("ability liberator", a), ("ability warmth", a)]
    assert [holder for holder, _ in final.live("ability toll")] == [j]
    assert [holder for holder, _ in final.live("rule coldness")] == [None]


def test_a_board_by_hand() -> None:
    model: Model = model_of()
    x, y = Obj("x", 0), Obj("y", 1)
    board = Board(model, (x, y), {x: {"weight": 5, "skills": frozenset({"swift"})}})
    moment = Moment(board, board.start.updated([("on", (x,), True)], board.program.defaults), Readings(model))
    assert moment.read("weight", x) == 5
    assert moment.read("weight", y) == 1
    assert moment.status("has", (x, "swift"))
    assert not moment.status("has", (y, "swift"))
    assert moment.verdict("strike", (x, "base")).legal


def test_a_model_keeps_its_own_meaning() -> None:
    """Two models in turn, one with a rule less: nothing that was compiled for one is used for the other."""
    text = "scenario s\n  cards n : drone\n  script\n    boot(n)\n    expect cannot strike(n, base)"
    model = model_of(text)
    norms = {name: tuple(n for n in ns if n.block != "rule coldness") for name, ns in model.norms.items()}
    other = replace(model, norms=norms)
    for _ in range(2):
        assert run(model, scenario(model)).expectations[0].holds is True
        assert run(other, scenario(other)).expectations[0].holds is False
