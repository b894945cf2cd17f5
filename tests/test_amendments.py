"""Amendments of events and what triggers on them: in which order they act, when they don't, and how they are told.

Each board is run by the reference and by the encoding, which have to agree on all expectations.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from test_explain import answered
from toy import ROBOTS, model_of
from verify_rules.encode import Encoding
from verify_rules.explain import Fact
from verify_rules.model.load import load
from verify_rules.model.model import Model
from verify_rules.report.text import Text
from verify_rules.semantics import Happened, run


def model_with(clauses: str, *scenarios: str) -> Model:
    """The robots with more rules and abilities."""
    return model_of(*scenarios, rules=f"{ROBOTS}\n{clauses}")


def check(clauses: str, board: str, *script: str) -> Model:
    """All expectations of the script hold, by both meanings."""
    lines = "\n    ".join(script)
    model = model_with(clauses, f"scenario s\n  cards {board}\n  script\n    {lines}")
    (ruling,) = model.rulings
    done = run(model, ruling.scenario)
    assert done.stopped is None, done.stopped
    encoding = Encoding(model, ruling.scenario, readings={name: r.default for name, r in model.readings.items()})
    assert encoding.reached().is_true
    for expected, encoded in zip(done.expectations, encoding.expectations, strict=True):
        assert expected.holds is True, expected.line
        assert encoded.term.is_true, encoded.source
    return model


def diagnostics(clauses: str) -> list[tuple[str, str]]:
    """The codes and messages that the robots have with these clauses."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "toy.md").write_text(f"```rules\n{ROBOTS}\n{clauses}\n```\n", encoding="utf-8")
        loaded = load(Path(folder), cache=False)
    return [(d.code, d.message) for d in loaded.diagnostics if d.code != "uncited"]


TWO = "a : drone in play, b : tank of blue in play"

# ---------------------------------------------------------------- also


def test_an_addition_reads_the_state_before_and_its_lines_come_last() -> None:
    rules = "rule more  on load(b) when b.charge < 2 also sets b.charge := b.charge + 2, b.spent := true"
    check(rules, TWO, "load(a)", "expect a.charge = 2 and a.spent", "load(a)", "expect a.charge = 3")


def test_an_addition_acts_when_its_event_is_done_by_another_in_its_place_among_the_lines() -> None:
    rules = """rule more  on load(b) also sets b.charge := 3, b.spent := true
event mild(b: Bot)
  does load(b)
  sets b.charge := 1
"""
    check(rules, TWO, "mild(a)", "expect a.charge = 1 and a.spent", "load(b)", "expect b.charge = 3")


def test_carriers_are_those_of_the_state_before() -> None:
    rules = """ability eager  on boot(self, _) also sets self.warm := true
ability host    on boot(c, _) when not foes(c, self) also sets c.charge := 1
"""
    board = "a : drone with eager, host, c : drone with eager, d : drone with host of blue in play, e : drone"
    # `has` is of robots that are on: a newcomer has nothing yet, but who is there already acts.
    check(
        rules, board, "boot(a)", "expect not a.warm and a.charge = 0", "boot(c)", "expect not c.warm and c.charge = 1"
    )


@pytest.mark.parametrize(
    ("first", "second", "charge"),
    [
        ("also sets b.charge := 1", "also sets b.charge := 2", 2),  # the later of two that are as strong
        ("also at card strength sets b.charge := 1", "also sets b.charge := 2", 1),  # the stronger
        ("also sets b.charge := 1", "also at card strength sets b.charge := 2", 2),
    ],
)
def test_of_two_additions_the_stronger_wins_then_the_later(first: str, second: str, charge: int) -> None:
    check(f"rule r1  on load(b) {first}\nrule r2  on load(b) {second}", TWO, "load(a)", f"expect a.charge = {charge}")


def test_strengths_rank_as_they_first_appear_in_the_precedence() -> None:
    weak = ROBOTS.replace("precedence card forbid > card permit", "precedence law permit > card forbid > card permit")
    text = "rule r1  on load(b) also at law strength sets b.charge := 1\n"
    text += "ability x  on load(self) also sets self.charge := 2"
    model = model_of(
        "scenario s cards a : drone with x in play script load(a) expect a.charge = 1", rules=f"{weak}\n{text}"
    )
    assert model.strengths == ("law", "card", "rule")
    assert all(x.holds for x in run(model, model.rulings[0].scenario).expectations)
    assert all(x.term.is_true for x in Encoding(model, model.rulings[0].scenario).expectations)


def test_of_several_carriers_the_last_on_the_board_wins() -> None:
    # What isn't told apart by the carrier can't be set to the carrier's value: as in a `for`.
    assert diagnostics("ability flag  on load(b) also sets b.charge := self.charge")[0][0] == "sets-twice"
    # Two that reach the same place by its path are not seen so easily; then the later one wins, as in a `for`.
    rules = "ability flag  on load(b) also sets self.partner.charge := if self.spent then 3 else 2"
    board = "a : drone with flag in play, c : drone with flag in play spent, d : drone in play"
    check(rules, board, "pair(a, d)", "pair(c, d)", "load(d)", "expect a.partner = c.partner and d.charge = 3")


def test_parameters_of_an_ability_in_the_order_of_its_members() -> None:
    rules = "ability gift(m: Make)  on load(self) also sets self.charge := if m = drone then 0 else 3"
    board = "a : drone with gift(tank), gift(drone) in play, c : drone with gift(drone) in play"
    check(rules, board, "load(a)", "expect a.charge = 3", "load(c)", "expect c.charge = 0")


# ---------------------------------------------------------------- instead


def test_a_replacement_does_its_own_parts_in_place_of_the_events() -> None:
    rules = """rule kept  on vanish(b) when b.charge > 0 instead sets b.charge := 0, b.spent := true
rule mourns  on vanish(b) also sets turn := blue
"""
    check(
        rules,
        TWO,
        "load(a)",
        "vanish(a)",
        "expect a.on and a.spent and a.charge = 0 and turn = red",  # a replaced event never happened
        "vanish(a)",
        "expect not a.on and turn = blue",
    )


def test_what_is_done_instead_is_amended_in_its_own_right() -> None:
    rules = """ability saved  on vanish(self) instead does load(self)
rule r1  on load(b) also sets b.spent := true
rule r2  on load(b) when b.charge = 1 instead sets turn := blue
"""
    check(
        rules,
        "a : drone with saved in play",
        "vanish(a)",
        "expect a.on and a.charge = 1 and a.spent and turn = red",
        "vanish(a)",
        "expect a.on and a.charge = 1 and turn = blue",
    )


def test_only_one_replacement_acts_the_stronger_then_the_earlier_then_the_first_carrier() -> None:
    rules = """rule r1  on vanish(b) instead sets b.charge := 1
rule r2  on vanish(b) instead sets b.charge := 2
ability strong  on vanish(b) instead sets b.charge := 3
ability other   on vanish(b) instead sets self.spent := true
"""
    check(rules, "a : drone in play, c : drone with strong in play", "vanish(a)", "expect a.charge = 3")
    check(rules, "a : drone in play", "vanish(a)", "expect a.charge = 1 and a.on")
    board = "a : drone in play, c : drone with other in play, d : drone with other in play"
    check(rules, board, "vanish(a)", "expect c.spent and not d.spent and a.charge = 0")


def test_the_requirements_of_a_replaced_event_still_count() -> None:
    rules = "rule kept  on vanish(b) instead sets turn := blue"
    check(rules, "a : drone, b : drone in play", "expect impossible vanish(a) and possible vanish(b)")


def test_an_amendment_that_cannot_be_done_does_not_apply_and_makes_nothing_impossible() -> None:
    rules = """rule r1  on load(b) instead does vanish(b.partner)
rule r2  on load(b) also does boot(b)
"""
    check(rules, TWO, "expect possible load(a)", "load(a)", "expect a.charge = 1 and a.on")
    check(rules, TWO, "pair(a, b)", "load(a)", "expect a.charge = 0 and not b.on")


def test_a_replacement_of_an_action() -> None:
    rules = "ability feint  on strike(self, t: Bot) instead sets self.charge := 3"
    board = "a : drone with feint, daring in play, b : drone of blue in play"
    check(rules, board, "strike(a, b)", "expect not a.spent and a.charge = 3", "strike(a, base)", "expect a.spent")


def test_events_that_do_each_other_through_amendments_are_refused() -> None:
    rules = "rule r1  on vanish(b) instead does load(b)\nrule r2  on load(b) also does vanish(b)"
    ((code, message),) = diagnostics(rules)
    assert code == "event-cycle"
    assert "load → vanish → load" in message
    ((code, _),) = diagnostics("rule r1  on vanish(b) instead does vanish(b)")
    assert code == "event-cycle"


def test_what_wrote_a_value_is_the_block_of_the_amendment() -> None:
    model = check("ability keen  on load(self) also sets self.spent := true", "a : drone with keen in play", "load(a)")
    (ruling,) = model.rulings
    done = run(model, ruling.scenario)
    outcome = done.steps[0].outcome
    assert isinstance(outcome, Happened)
    assert {w.group for w in outcome.writes.values() if w.variable == "spent"} == {"ability keen"}
    fact = answered(model, "a : drone with keen in play; load(a)", "a.spent").because[0]
    assert fact.origin is not None
    assert fact.origin.by == "keen"
    assert next(iter(Text().fact(fact))) == "a is spent — since step 1, load(a), by keen"


def test_an_amendment_can_be_switched_off_alone() -> None:
    model = check("rule keen  on load(b) also sets b.spent := true", TWO, "load(a)", "expect a.spent")
    (ruling,) = model.rulings
    encoding = Encoding(model, ruling.scenario, selectors=True, readings={"weather": "dry", "manual": "yes"})
    assert encoding.expectations[0].term == encoding.selectors["rule keen#1"]


def test_an_amendment_that_is_not_in_force_does_nothing() -> None:
    model = model_with(
        "rule old until 2020-01-01  on load(b) also sets b.spent := true",
        "scenario s cards a : drone in play script load(a) expect not a.spent",
    )
    assert run(model, model.rulings[0].scenario).expectations[0].holds


# ---------------------------------------------------------------- triggers

BELLS = """
ability bell      triggers on strike(self, _) when not self.spent
ability alarm     triggers on strike(a, t: Bot) when foes(a, self)
ability greeter   triggers after boot(self, _) when self.charge = 0
ability sentry    triggers after vanish(b) when not b.on and not foes(b, self)
ability echo(m: Make)  triggers on load(b) when m in b.makes
effect gong on Side    triggers on load(b) when b.side = self
rule chorus       triggers on load(b) when b.charge = 1
"""


def test_a_clause_triggers_where_the_event_can_happen_and_the_clause_speaks_of_it() -> None:
    board = "a : drone with bell, daring in play, b : drone with alarm of blue in play, c : drone with bell"
    check(
        BELLS,
        board,
        "expect triggers bell on strike(a, base) and triggers bell of a on strike(a, b)",
        "expect not triggers bell of b on strike(a, b)",
        "expect triggers alarm on strike(a, b) and not triggers alarm on strike(a, base)",
        "expect not triggers bell on strike(c, base)",  # it isn't on, so it can't
        "strike(a, base)",
        "expect not triggers bell on strike(a, base)",
    )


def test_after_an_event_its_carriers_are_those_that_are_there_then() -> None:
    board = "a : drone with greeter, b : drone with sentry in play, c : drone with sentry in play"
    check(
        BELLS,
        board,
        "expect triggers greeter on boot(a) and not triggers greeter on boot(b)",
        "expect triggers sentry of b on vanish(c) and not triggers sentry of c on vanish(c)",
    )


def test_rules_effects_and_parameters_trigger() -> None:
    check(
        BELLS,
        "a : drone with echo(drone), echo(tank) in play, b : tank of blue in play",
        "expect triggers echo on load(a) and triggers echo of a on load(b) and not triggers gong on load(a)",
        "order(gong, red)",
        "expect triggers gong on load(a) and triggers gong of red on load(a) and not triggers gong of blue on load(a)",
        "expect not triggers gong on load(b) and not triggers chorus on load(a)",
        "load(a)",
        "expect triggers chorus on load(a)",
    )


def test_a_replaced_event_triggers_nothing_and_a_fault_has_no_state_after_it() -> None:
    rules = BELLS + "rule kept  on vanish(b) when b.charge = 1 instead sets b.charge := 0\n"
    rules += "rule heard  triggers after load(b)\n"
    board = "a : drone in play, b : drone with sentry in play"
    check(
        rules,
        board,
        "expect triggers sentry on vanish(a)",
        "load(a)",
        "expect not triggers sentry on vanish(a)",
        "expect triggers heard on load(a)",
        "load(a)",
        "load(a)",
        "expect possible load(a) and not triggers heard on load(a)",
    )


def test_questions_about_triggers_stand_where_verdicts_may() -> None:
    rules = BELLS + "rule polite  permit rest(b) when triggers bell of b on strike(b, base)\n"
    rules += "define loud(b) = triggers bell on strike(b, base)"
    board = "a : drone with bell, b : drone of blue in play"
    check(rules, board, "boot(a)", "begin(red)", "expect loud(a) and can rest(a) and not loud(b)")


@pytest.mark.parametrize(
    ("clauses", "code"),
    [
        ("rule r1  cold(b) when triggers r1 on load(b)", "asks-verdict"),
        ("rule r1  triggers on load(b) when triggers r1 on load(b)", "trigger-cycle"),
        ("rule r1  triggers after vanish(b)\nevent x(b) requires triggers r1 on vanish(b)\n"
         "rule r2  on vanish(b) when possible x(b) also sets b.spent := true", "trigger-cycle"),
        ("rule r1  triggers on load(b)\nrule r2  forbid strike(b, _) when triggers r1 of b on load(b)", "wrong-type"),
        ("rule r1  ready(b) when b.on\nrule r2  forbid strike(b, _) when triggers nix on load(b)", "unknown-rule"),
        ("rule r2  forbid strike(b, _) when triggers swift on load(b)", "idle-trigger"),
        ("ability r1  triggers on load(b)\nrule r2  forbid strike(b, _) when triggers r1 of red on load(b)",
         "wrong-type"),
        ("rule r1  triggers on load(b, b)", "wrong-arity"),
        ("rule r1  triggers on laod(b)", "unknown-event"),
        ("rule r1  triggers on load(b) when b.on and not b.on", "unreachable-clause"),
        ("rule r1\n  triggers on load(b) when b.on\n  triggers on load(c) when c.on", "doubled-clause"),
        ("rule r1  on load(b) when false also sets b.spent := true", "unreachable-clause"),
        ("rule r1\n  on load(b) also sets b.spent := true\n  on load(c) also sets c.spent := true", "doubled-clause"),
        ("rule r1  on load(b) also at law strength sets b.spent := true", "unknown-strength"),
        ("rule r1  on load(b) also sets b.makes := {tank}", "sets-fixed"),
        ("rule r1  on load(b) also sets b.charge := 7", "out-of-range"),
        ("rule r1  on load(b) also sets b.charge := 1, b.charge := 2", "sets-twice"),
        ("rule r1  on load(b) also does nix(b)", "unknown-event"),
        ("rule r1  on load(swifd) also sets turn := blue", ""),
    ],
)  # fmt: skip
def test_what_is_refused(clauses: str, code: str) -> None:
    assert [c for c, _ in diagnostics(clauses)][:1] == ([code] if code else [])


# ---------------------------------------------------------------- reasons


def lines(facts: tuple[Fact, ...]) -> Iterator[str]:
    """The texts of facts and of what they rest on, without places."""
    for fact in facts:
        for line in Text(everything=True).fact(fact):
            yield re.sub(r"  \(.*?\)$", "", line)


def told(model: Model, given: str, question: str) -> list[str]:
    """The reason for the answer to a question, line by line."""
    return list(lines(answered(model, given, question).because))


def test_why_something_triggers_names_the_clause_its_carrier_and_the_facts() -> None:
    model = model_with(BELLS)
    found = told(model, "a : drone with echo(tank), echo(drone) in play", "triggers echo on load(a)")
    assert [line for line in found if "nobody has" not in line and "change it" not in line] == [
        "triggers echo on load(a) — echo",
        "  a has echo(drone) — built_in",
        "    a is on — from the board at the start (boot(a, {}))",
        "    echo(drone) is among skills of a",
        "  drone is among makes of a",
    ]
    after = told(model, "a : drone with greeter", "triggers greeter on boot(a)")
    assert "    a is on — after boot(a, {})" in after


@pytest.mark.parametrize(
    ("given", "question", "line"),
    [
        ("c : drone with bell", "triggers bell on strike(c, base)", "  impossible strike(c, base)"),
        ("c : drone in play", "triggers bell on strike(c, base)", "  c doesn't have bell"),
        ("c : drone in play", "triggers echo on load(c)", "  nobody has echo"),
        ("c : drone in play, d : drone with echo(drone) in play", "triggers echo of c on load(c)",
         "  c doesn't have echo"),
        ("c : drone with greeter; load(c)", "triggers chorus on load(c)", ""),
        ("c : drone in play", "triggers chorus on load(c)", "  charge of c is 0, not 1"),
        ("c : drone in play", "triggers chorus on vanish(c)", "  chorus says nothing of vanish(c)"),
        ("c : drone in play; load(c)", "triggers sentry on vanish(c)",
         "  vanish(c) doesn't happen: something else happens instead — kept"),
    ],
)  # fmt: skip
def test_why_something_does_not_trigger(given: str, question: str, line: str) -> None:
    model = model_with(BELLS + "rule kept  on vanish(b) when b.charge = 1 instead sets b.charge := 0")
    found = told(model, given, question)
    if line:
        assert found[1].startswith(line), found
