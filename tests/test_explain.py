"""Reasons: that they name what decided, rest on what is so, say since when, and never fail, whatever the rulebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from generate import dice_of, rulebook
from laws import load_trees as load_rulebook
from toy import ROBOTS, model_of
from verify_rules.analysis.ask import Case, ask, case
from verify_rules.diagnostics import Reporter
from verify_rules.explain import LANGUAGES, Explainer, Fact, Reason, Words
from verify_rules.explain.texts import TEXTS, Language
from verify_rules.model.load import load
from verify_rules.model.model import Citation, ExpectFormula, Lift, Model, Norm
from verify_rules.model.scenario import Scenarios
from verify_rules.parse.parser import parse_text
from verify_rules.report.text import Text
from verify_rules.report.words import TEXTS as REPORT_TEXTS
from verify_rules.semantics import WILD, Impossible, Moment, NotSearched, Readings, run
from verify_rules.source import SourceFile


@pytest.fixture(scope="module")
def model() -> Model:
    found = load(rulings=False).model
    assert found is not None
    return found


def answered(model: Model, given: str, text: str, language: Language = "en") -> Case:
    """The one case of the answer to a question."""
    files = {"given": SourceFile("given", given), "question": SourceFile("question", text)}
    reporter = Reporter()
    scenarios = Scenarios(model, files, reporter)
    scenario = scenarios.given(parse_text(given, "given", "given", reporter))
    tree = parse_text(text, "question", "question", reporter)
    question = scenarios.expectation(tree, scenarios.scope(scenario.entries), False)
    assert not reporter.failed
    (answer,) = ask(model, scenario, [question], Words(model, language))
    (case,) = answer.cases
    return case


def reason(model: Model, given: str, action: str, language: Language = "en") -> Reason:
    """Why the one pair that is asked about has its verdict."""
    (pair,) = answered(model, given, f"can {action}", language).pairs
    return pair


def because(model: Model, given: str, text: str) -> list[str]:
    """The facts that an answer rests on, with those below them."""
    return [fact.text for fact in facts(answered(model, given, text).because)]


def facts(found: tuple[Fact, ...]) -> Iterator[Fact]:
    for fact in found:
        yield fact
        yield from facts(fact.because)


def all_facts(found: tuple[Fact, ...]) -> Iterator[Fact]:
    """The same, and what is said of exceptions."""
    for fact in facts(found):
        yield fact
        for absent in fact.absent:
            yield from all_facts(absent.lacks)


def facts_of(found: Reason) -> Iterator[Fact]:
    """All facts of a reason."""
    yield from all_facts(found.because)
    for absent in (*found.absent, *([found.nearest] if found.nearest is not None else [])):
        yield from all_facts(absent.lacks)


def untrue(told: Iterable[Fact], moment: Moment) -> list[str]:
    """The facts that the reference denies."""
    claims = [(fact.text, fact.claim) for fact in told if fact.claim is not None]
    # A fact is of the moment asked about, or of one just after an event that would happen there.
    known = [moment]
    for at in known:
        known += [after for after in at._following.values() if after is not None]
    assert all(any(c.moment is at for at in known) for _, c in claims)
    return [text for text, c in claims if bool(c.moment.value(c.expr, dict(c.env))) != c.truth]


def test_forbidden_by_a_rule_with_the_step_that_made_it_so(model: Model) -> None:
    found = reason(model, "x : creature; enter(x)", "attack(x, player)")
    assert found.verdict == "forbidden"
    (by,) = found.by
    assert by.source.name == "sickness"
    assert by.source.cites == ('CR "301.5"',)
    assert [x.source.name for x in found.beats] == ["targets"]
    sick = found.because[0]
    assert sick.text.startswith("x is sick")
    steps = {f.origin.text for f in facts(found.because) if f.origin is not None}
    assert "enter(x)" in steps
    names = {a.source.name for a in sick.absent}
    assert {"speed_attacker", "evolution_not_sick"} <= names


def test_an_exception_at_work_is_told_with_its_own_reason(model: Model) -> None:
    found = reason(model, "x : psychic; enter(x); awaken(x)", "attack(x, player)")
    assert found.verdict == "permitted"
    (idle,) = [a for a in found.absent if a.source.name == "sickness"]
    (fact,) = idle.lacks
    assert fact.source is not None
    assert fact.source.name == "awakened_not_sick"
    assert {f.origin.text for f in facts((fact,)) if f.origin} == {"awaken(x)"}


def test_nothing_permits_it_and_the_nearest_permission(model: Model) -> None:
    found = reason(model, "x : creature in play, y : creature of opponent in play", "attack(x, y)")
    assert found.verdict == "not permitted"
    assert found.by == ()
    assert found.nearest is not None
    assert found.nearest.source.name == "targets"
    assert [f.text for f in found.nearest.lacks] == ["y is not tapped (タップ)"]


def test_the_requirement_that_fails(model: Model) -> None:
    found = reason(model, "x : creature in play tapped", "attack(x, player)")
    assert found.verdict == "impossible"
    assert found.requirement is not None
    assert found.requirement.name == "attacker_untapped"
    assert any(f.origin is not None and f.origin.prologue for f in facts(found.because))


def test_what_is_lifted_and_by_what(model: Model) -> None:
    given = "x : creature with cannot_attack in play; apply(attack_on_player_freed, me)"
    found = reason(model, given, "attack(x, player)")
    assert found.verdict == "permitted"
    (lifted,) = found.lifted
    assert lifted.source.name == "cannot_attack"
    assert [s.name for s in lifted.lifted_by] == ["attack_on_player_freed"]


def test_steering_and_duty_name_where_to(model: Model) -> None:
    board = "x : creature in play, y : creature with draws_attacks of opponent in play tapped"
    found = reason(model, board, "attack(x, player)")
    assert (found.verdict, found.stage, found.toward) == ("forbidden", "steering", ("attack(x, y)",))
    board = "x : creature in play, y : creature with foes_attack_this of opponent in play tapped"
    found = reason(model, board, "attack(x, y)")
    assert (found.verdict, found.stage, found.toward) == ("required", "duty", ("attack(x, y)",))


def test_both_languages_say_all_there_is() -> None:
    assert set(TEXTS) == set(REPORT_TEXTS) == set(LANGUAGES)
    assert TEXTS["en"].keys() == TEXTS["ja"].keys()
    assert REPORT_TEXTS["en"].keys() == REPORT_TEXTS["ja"].keys()


def test_japanese_shows_the_terms_of_the_model(model: Model) -> None:
    found = reason(model, "x : creature; enter(x)", "attack(x, player)", "ja")
    assert found.because[0].text == "xは召喚酔いである"


# ---------------------------------------------------------------- found by reviews, on the toy rulebook

TOY_MORE = """
ability helper    permit strike(b, t: Bot) when b.spent and self.spent
ability partnered permit strike(self, self.partner)
ability two_bans  forbid strike(self, base)
                  forbid strike(self, _)
ability freer     lifts coldness for strike(self, base)
status guarded(b: Bot)
status picked(t: Aim)
rule guard        guarded(b) when b.warm
rule pick         picked(last)
ability exposed   not guarded(self)
define load_of(b) = if b.on then b.charge else 0
rule flagged      forbid rest(b) when not all t in {b}. t.on
"""


@pytest.fixture(scope="module")
def toy() -> Model:
    return model_of(rules=ROBOTS + TOY_MORE)


def test_an_ability_that_nobody_has_and_that_speaks_of_its_carrier(toy: Model) -> None:
    """It crashed on `self`. What can be said without a carrier is said."""
    found = reason(toy, "x : drone in play, y : drone of blue in play", "strike(x, y)")
    helper = next(a for a in [found.nearest, *found.absent] if a is not None and a.source.name == "helper")
    assert [f.text for f in helper.lacks] == ["nobody has helper", "x is not spent"]
    found = reason(
        toy, "x : drone in play, y : drone of blue in play, z : drone with helper in play spent", "strike(x, y)"
    )
    helper = next(a for a in [found.nearest, *found.absent] if a is not None and a.source.name == "helper")
    assert [f.text for f in helper.lacks] == ["x is not spent"]


def test_a_formula_that_joins_a_verdict_with_something_else_tells_both(toy: Model) -> None:
    given = "x : tank in play, y : drone of blue in play; begin(red); spend(y)"
    assert because(toy, given, "can strike(x, y) and x.spent") == ["x is not spent"]
    assert because(toy, given, "not can strike(x, y)") == []
    both = because(toy, given, "can strike(x, y) and not x.spent")
    assert both == ["can strike(x, y)", "strike(x, y): permitted", "y is spent", "x is not spent"]


def test_a_lift_that_leaves_another_prohibition_is_not_told(toy: Model) -> None:
    only_cold = reason(toy, "x : drone; boot(x)", "strike(x, base)")
    assert {a.source.name for a in only_cold.absent} >= {"warmth", "freer", "freed"}
    banned_too = reason(toy, "x : drone with timid; boot(x)", "strike(x, base)")
    assert banned_too.verdict == "forbidden"
    assert not {a.source.name for a in banned_too.absent} & {"warmth", "freer", "freed"}


def test_a_status_that_is_not_given_is_not_said_to_be_taken_away(toy: Model) -> None:
    (fact,) = answered(toy, "x : drone with exposed; boot(x)", "guarded(x)").because
    assert fact.source is None
    assert [f.text for f in fact.because] == ["x is not warm"]
    (fact,) = answered(toy, "x : drone with exposed in play; begin(red)", "guarded(x)").because
    assert fact.source is not None
    assert fact.source.name == "exposed"


def test_what_a_pattern_compares_with_is_a_fact(toy: Model) -> None:
    given = "x : drone with partnered in play, y : drone of blue in play; pair(x, y); begin(red)"
    found = reason(toy, given, "strike(x, y)")
    assert [b.source.name for b in found.by] == ["partnered"]
    assert "partner of x is y" in [f.text for f in found.because]
    found = reason(toy, "x : drone with partnered in play, y : drone of blue in play; begin(red)", "strike(x, y)")
    absent = [a for a in [found.nearest, *found.absent] if a is not None and a.source.name == "partnered"]
    assert [[f.text for f in a.lacks] for a in absent] == [["partner of x is none, not y"]]
    assert because(toy, "x : drone in play", "picked(x)") == ["x is not picked", "last is none, not x"]


def test_quantifiers_over_a_set_tell_what_is_in_it(toy: Model) -> None:
    given = "x : drone of red in play, y : drone of blue in play; order(slow, red)"
    assert because(toy, given, "some E in orders[red]. E forbids strike")[0] == "slow is among orders [red]"
    assert because(toy, given, "all E in orders[blue]. E forbids strike") == [
        "all E in orders[blue]. E forbids strike",
        "orders [blue] is {}",
    ]


def test_both_sides_of_iff_are_told(toy: Model) -> None:
    assert because(toy, "x : drone in play", "x.on iff x.spent") == ["x is on", "x is not spent"]


def test_an_argument_that_is_none_is_told(toy: Model) -> None:
    assert because(toy, "x : drone in play", "can strike(x, last)") == ["cannot strike(x, last)", "last is none"]
    assert "partner of x is none" in because(toy, "x : drone in play", "possible pair(x, x.partner)")
    assert "partner of x is none" in because(toy, "x : drone in play", "cold(x.partner)")


@pytest.mark.parametrize("text", ["load_of(x) = 1", "count(b: Bot. b.charge = 1) = 1", "load_of(x) ≥ 1"])
def test_origins_reach_into_definitions_and_counts(toy: Model, text: str) -> None:
    (fact,) = answered(toy, "x : drone in play; load(x); swap()", text).because
    assert fact.origin is not None
    assert fact.origin.text == "load(x)"


def test_a_duty_with_several_pairs_is_explained_once(toy: Model) -> None:
    given = "x : drone with swift, hunter, daring in play, y : drone of blue in play, z : drone of blue in play"
    lines = list(Text().case(answered(toy, given, "must strike(x, _)")))
    (head,) = [line for line in lines if line.endswith(": required")]
    assert head == "strike(x, y), strike(x, z): required"
    assert len([line for line in lines if line.startswith("  because: x has hunter") and "above" not in line]) == 1


def test_all_that_must_act_are_named(toy: Model) -> None:
    skilled = "drone with swift, hunter, daring in play"
    given = f"x : {skilled}, y : drone of blue in play, z : {skilled}"
    told = because(toy, given, "some b: Bot. must strike(b, _)")
    assert "strike(x, y): required" in told
    assert "likewise for z" in told


def test_citations_of_an_older_version_say_so() -> None:
    assert str(Citation("RB", "7", "1.0")) == 'RB "7"'
    assert str(Citation("RB", "7", "0.9", newest=False)) == 'RB 0.9 "7"'


# ---------------------------------------------------------------- whatever the rulebook


@pytest.mark.parametrize("chunk", range(10))
def test_every_verdict_of_generated_rulebooks_has_its_reason(chunk: int) -> None:
    """Each verdict is told by exactly what decided it, in both languages, and what stops a script has a reason."""
    told = 0
    for seed in range(chunk * 30, chunk * 30 + 30):
        loaded = load_rulebook(rulebook(dice_of(seed), boards=2))
        if loaded.model is None:
            continue
        for ruling in loaded.model.rulings:
            try:
                done = run(loaded.model, ruling.scenario, Readings(loaded.model))
            except NotSearched:
                continue
            words = Words(loaded.model, LANGUAGES[told % 2])
            explainer = Explainer(done, done.final, len(done.all_steps), words)
            for action in loaded.model.actions:
                for pair in done.final.pairs(action.name, (WILD,) * len(action.parameters)):
                    verdict = done.final.verdict(action.name, pair)
                    found = explainer.verdict(verdict)
                    assert found.verdict == verdict.kind
                    deciding = {loaded.model.blocks[i.norm.block].name for i in verdict.deciding}
                    assert {
                        d.source.name for d in found.by if d.word != "price" or verdict.kind != "permitted"
                    } == deciding
                    if verdict.kind == "impossible" and verdict.failure is not None:
                        assert found.requirement is not None
                    assert list(Text(words.language, everything=True).pair(found))
                    assert not untrue(facts_of(found), done.final)
                    # Whoever has the ability, or nobody: what a clause lacks can be said, and is so.
                    clauses: list[Norm | Lift] = [*loaded.model.norms[action.name], *loaded.model.lifts[action.name]]
                    for clause in clauses:
                        for absent in explainer.lacking(clause, pair):
                            assert not untrue(all_facts(absent.lacks), done.final)
                    told += 1
            for expected in done.expectations:
                if expected.moment is not None and isinstance(expected.line, ExpectFormula):
                    at = Explainer(done, expected.moment, expected.steps, words)
                    why = at.support(expected.line.formula, {}, bool(expected.holds))
                    assert not untrue(all_facts(why), expected.moment)
                    told += 1
            if done.stopped is None:
                for line in ruling.expectations:
                    answer = case(done, line, {}, words)
                    assert (
                        list(Text(words.language, everything=bool(told % 3)).case(answer)) or answer.value is not None
                    )
            if done.stopped is not None and isinstance(done.stopped.outcome, Impossible):
                before = Explainer(done, done.stopped.before, done.stopped.number, words)
                assert before.obstacle(done.stopped.outcome).verdict in ("impossible", "forbidden", "not permitted")
    assert told > 50


def test_a_verdict_joined_with_something_else_is_not_the_only_reason(model: Model) -> None:
    files = {
        "given": SourceFile("given", "x : creature in play"),
        "q": SourceFile("q", "can attack(x, player) and x.tapped"),
    }
    reporter = Reporter()
    scenarios = Scenarios(model, files, reporter)
    scenario = scenarios.given(parse_text(files["given"].text, "given", "given", reporter))
    tree = parse_text(files["q"].text, "question", "q", reporter)
    question = scenarios.expectation(tree, scenarios.scope(scenario.entries), False)
    (answer,) = ask(model, scenario, [question], Words(model))
    assert answer.answer == "no"
    assert [f.text for f in answer.cases[0].because] == ["x is not tapped (タップ)"]


def test_what_somebody_has_and_what_it_lacks_comes_before_what_nobody_has(model: Model) -> None:
    given = "x : creature with mach_fighter in play, y : creature of opponent in play"
    found = reason(model, given, "attack(x, y)")
    assert found.nearest is not None
    idle = found.absent[0]
    assert (idle.source.name, idle.carrier) == ("mach_fighter", "x")
    assert all(item.carrier is None for item in found.absent[1:])
    lines = list(Text().pair(found))
    told = next(i for i, line in enumerate(lines) if "doesn't apply: mach_fighter (ability of x)" in line)
    assert "x is not entered_this_turn" in lines[told + 1]
    assert told + 2 == len(lines) - 1
    assert "mach_fighter" not in lines[-1]


def test_a_verdict_that_rests_on_another_tells_why_that_is_so(model: Model) -> None:
    given = "x : creature with tap_ability in play, y : creature of opponent in play tapped"
    lines = list(Text().pair(reason(model, given, "use_tap_ability(x)")))
    asked = next(i for i, line in enumerate(lines) if line.strip() == "can attack(x, _)")
    assert "doesn't apply: only_when_it_could_attack" in lines[asked - 1]
    assert "permitted — targets" in lines[asked + 1]
    assert not any("only_when_it_could_attack" in line for line in lines[asked:])


def test_pairs_that_are_no_question_share_a_line_and_stay_in_the_data(model: Model) -> None:
    given = "x : creature in play, o : creature in play, y : creature of opponent in play tapped"
    found = answered(model, given, "can attack(x, _)")
    assert len(found.pairs) == 4
    lines = list(Text().case(found))
    (beside,) = [line for line in lines if "impossible" in line]
    assert beside.startswith("also impossible: attack(x, x), attack(x, o) (requires target_is_the_other_side")
    # Where there is nothing else, it is the reason, and is told in full.
    lines = list(Text().case(answered(model, "x : creature in play tapped", "can attack(x, _)")))
    assert lines[0] == "attack(x, x), attack(x, player): impossible"
    assert "  because: x is tapped (タップ) — from the board at the start" in lines


def test_bookkeeping_is_a_part_of_the_reason_and_no_news(model: Model) -> None:
    given = "x : creature with must_attack in play"
    (fact,) = answered(model, given, "possible end_turn()").because
    minor = [f.text for f in fact.because if f.minor]
    assert minor == ["turns_begun is 2"]
    assert not any("turns_begun" in line for line in Text().fact(fact))
    assert any("turns_begun" in line for line in Text(everything=True).fact(fact))


def test_japanese_sentences(model: Model) -> None:
    def told(given: str, question: str) -> list[str]:
        return [f.text for f in facts(answered(model, given, question, "ja").because)]

    assert told("x : creature in play", "x.tapped")[0] == "xはタップではない"
    assert told("x : creature in play; seal(x)", "x.sealed")[0] == "xは封印されている"
    assert told("x : creature in play", "x.sealed")[0] == "xは封印されていない"
    assert told("x : creature in play", "has(x, blocker)")[0] == "xは能力「ブロッカー」を持たない"
    assert told("x : creature in play", "affected(x, may_attack)")[0] == "xは効果「攻撃できる」を受けていない"
    assert told("x : creature in play", "x.zone = elsewhere") == [
        "xのゾーンはバトルゾーンであり、バトルゾーン以外ではない"
    ]
    assert told("x : creature in play", "attacker = x") == ["攻撃クリーチャーはない"]
    assert told("x : creature in play { power = 2000 }", "x.power >= 3000") == ["xのパワーは2000である（< 3000）"]


def test_a_lift_that_would_not_change_the_verdict_is_not_named(model: Model) -> None:
    found = reason(model, "x : creature with cannot_attack; enter(x)", "attack(x, player)")
    names = {a.source.name for a in found.absent}
    assert "attack_on_player_freed" in names  # it lifts sickness too
    assert "frees_blockers" not in names  # without the ban it is still sick


def test_an_ability_that_no_card_has_may_speak_of_its_carrier(tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text(
        "```rules\nability helper\n  permit attack(a, player) when a.tapped and self.tapped\n```\n", encoding="utf-8"
    )
    extended = load(extra=[own], rulings=False).model
    assert extended is not None
    found = reason(extended, "x : creature; enter(x)", "attack(x, player)")
    (absent,) = [a for a in found.absent if a.source.name == "helper"]
    assert [f.text for f in absent.lacks] == ["nobody has helper", "x is not tapped (タップ)"]


def test_what_is_not_given_is_not_explained_by_an_exception(model: Model) -> None:
    given = "x : creature with speed_attacker in play"
    found = reason(model, given, "attack(x, player)")
    (idle,) = [a for a in found.absent if a.source.name == "sickness"]
    assert [f.source for f in idle.lacks] == [None]
    assert {f.text for f in facts(idle.lacks)} >= {"x is settled (ターンのはじめからいる)"}


def test_a_citation_says_its_version_unless_it_is_the_newest(model: Model) -> None:
    cites = {str(c) for block in model.blocks.values() for c in block.citations}
    assert 'CR "301.5"' in cites
    assert any(c.split('"')[0].strip() != c.split(" ")[0] for c in cites)
