"""What nobody can have is left out without being asked for, and that changes no verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from toy import ROBOTS, model_of, scenario
from verify_rules.model.model import Model
from verify_rules.semantics import Moment, Readings, run
from verify_rules.semantics.mentions import Sources, sources


def found(model: Model, status: str = "has") -> Sources | None:
    givers = [c for cs in model.status_clauses.values() for c in cs if c.status == status and not c.negative]
    return sources(model, givers)


def test_values_in_variables_and_values_by_name() -> None:
    has = found(model_of("scenario s\n  cards\n    x : drone"))
    assert has is not None
    assert "skills" in has.variables
    affected = found(model_of("scenario s\n  cards\n    x : drone"), "affected")
    assert affected is not None
    assert affected.variables == {"effects", "orders"}


@pytest.mark.parametrize(
    "condition",
    [
        "b.on",
        "b.on or A in b.skills",
        "not (A in b.skills)",
        "b.on implies A in b.skills",
        "some o: Bot. (o.on or A in o.skills)",
        "if b.on then A in b.skills else b.warm",
    ],
)
def test_a_clause_that_may_give_anything(condition: str) -> None:
    rules = ROBOTS + f"\nrule gift has(b, A) when {condition}\n"
    assert found(model_of("scenario s\n  cards\n    x : drone", rules=rules)) is None


@pytest.mark.parametrize(
    "condition",
    [
        "A in b.skills and b.on",
        "some o: Bot. (o.on and A in o.skills)",
        "A in b.skills or A in (union o in {b}. o.skills)",
        "A in (if b.on then b.skills else {})",
        "A in b.skills + b.skills - b.skills",
        "lent(b, A)",
    ],
)
def test_a_clause_that_gives_what_a_variable_holds(condition: str) -> None:
    lent = "\ndefine lent(b, X: Ability) = some o: Bot. (o ≠ b and X in o.skills)\n"
    rules = ROBOTS + lent + f"\nrule gift has(b, A) when {condition}\n"
    assert found(model_of("scenario s\n  cards\n    x : drone", rules=rules)) is not None


@pytest.mark.parametrize("skills", ["clumsy", "teacher, daring", "banner(drone)", "zeal, warmth", "silencer, lure"])
@pytest.mark.parametrize("script", ["boot(z)", "rig(slow, x)", "order(goad, red)", "order(freed, red)"])
def test_leaving_out_changes_no_verdict(skills: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cards = [f"x : drone with {skills} in play", "y : tank of blue in play", "z : drone with swift", "v : tank in play"]
    text = "".join(f"\n    {card}" for card in cards)
    model = model_of(f"scenario s\n  cards{text}\n  script\n    {script}")
    done = run(model, scenario(model))
    pairs = [pair for bot in done.board.objects for pair in done.board.pairs("strike", (bot,))]

    def verdicts() -> list[object]:
        moment = Moment(done.board, done.final.state, Readings(model))
        return [replace(moment.verdict("strike", pair), moment=None) for pair in pairs]

    short = verdicts()
    monkeypatch.setattr(Moment, "_mentioned", lambda self, status: None)
    assert verdicts() == short
