"""Reasons: that they name what decided, rest on what is so, say since when, and never fail, whatever the rulebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from generate import dice_of, rulebook
from laws import load as load_rulebook
from verify_rules.analysis.ask import ask
from verify_rules.diagnostics import Reporter
from verify_rules.explain import LANGUAGES, Explainer, Fact, Reason, Words
from verify_rules.explain.words import TEXTS, Language
from verify_rules.model.load import load
from verify_rules.model.model import Model
from verify_rules.model.scenario import Scenarios
from verify_rules.parse.parser import parse_text
from verify_rules.report.text import TEXTS as REPORT_TEXTS
from verify_rules.report.text import Text
from verify_rules.semantics import WILD, Impossible, NotSearched, Readings, run
from verify_rules.source import SourceFile


@pytest.fixture(scope="module")
def model() -> Model:
    found = load(rulings=False).model
    assert found is not None
    return found


def reason(model: Model, given: str, action: str, language: Language = "en") -> Reason:
    """Why the one pair that is asked about has its verdict."""
    files = {"given": SourceFile("given", given), "question": SourceFile("question", f"can {action}")}
    reporter = Reporter()
    scenarios = Scenarios(model, files, reporter)
    scenario = scenarios.given(parse_text(given, "given", "given", reporter))
    tree = parse_text(f"can {action}", "question", "question", reporter)
    question = scenarios.expectation(tree, scenarios.scope(scenario.entries), False)
    assert not reporter.diagnostics
    (answer,) = ask(model, scenario, [question], Words(model, language))
    (case,) = answer.cases
    (pair,) = case.pairs
    return pair


def facts(found: tuple[Fact, ...]) -> Iterator[Fact]:
    for fact in found:
        yield fact
        yield from facts(fact.because)


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
    assert found.because[0].text == "xは「召喚酔い」"


@pytest.mark.parametrize("chunk", range(10))
def test_every_verdict_of_generated_rulebooks_has_its_reason(chunk: int) -> None:
    """Each verdict is told by exactly what decided it, in both languages, and what stops a script has a reason."""
    told = 0
    for seed in range(chunk * 12, chunk * 12 + 12):
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
                    told += 1
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
    assert [f.text for f in absent.lacks] == ["nobody carries `helper`", "x is not tapped (タップ)"]


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
