"""Outcomes of rulings where they are easy to get wrong: readings that stop a script, days, and what lifts a price."""

from __future__ import annotations

import textwrap
from datetime import date
from pathlib import Path

import pytest

from toy import ROBOTS
from verify_rules.analysis.audit import RulingResult, audit
from verify_rules.cli.main import run
from verify_rules.explain import Words
from verify_rules.model.load import Loaded, load

BOARD = "cards x : drone\n  script\n"


def results(tmp_path: Path, text: str, as_of: date | None = None, game: str = ROBOTS) -> dict[str, RulingResult]:
    """The results of the rulings in `text`, on the toy game with `text` added to it."""
    path = tmp_path / "toy.md"
    path.write_text(f"```rules\n{textwrap.dedent(game)}\n```\n\n```rules\n{textwrap.dedent(text)}\n```\n", "utf-8")

    def loaded(day: date | None) -> Loaded:
        return load(tmp_path, (), day, cache=False)

    first = loaded(as_of)
    assert first.model is not None, [d.message for d in first.diagnostics]
    model = first.model
    return {r.ruling.name: r for r in audit(model, model.rulings, Words(model), lambda day, _: loaded(day).model)}


def test_a_step_that_some_readings_stop_is_no_confirmation(tmp_path: Path) -> None:
    found = results(
        tmp_path,
        """
        event dries(b: Bot) requires weather = dry
        event wets(b: Bot) requires weather = rain
        ruling last-step cites "a letter"
          cards x : drone
          script
            expect not x.on
            dries(x)
        ruling last-step-otherwise cites "a letter"
          cards x : drone
          script
            expect not x.on
            wets(x)
        ruling never-true cites "a letter"
          cards x : drone
          script
            dries(x)
            expect x.on
        """,
    )
    assert found["last-step"].outcome == "depends"
    assert found["last-step"].readings == ("weather",)
    assert found["last-step"].stopped is not None
    assert not found["last-step"].against_defaults
    assert found["last-step-otherwise"].against_defaults
    # Reached under one reading and false there: no reading confirms it.
    assert found["never-true"].outcome == "refuted"


DATED = """
rule younger since 2020-01-01 forbid strike(b, base) when b.spent
ability newish since 2020-01-01 forbid strike(self, _)
ruling old until 2019-01-01 cites "a letter"
  cards x : drone with newish in play
  script
    expect not has(x, timid)
ruling new since 2020-01-01 cites "a letter"
  cards x : drone with newish
  script
    boot(x)
    expect forbidden strike(x, base) by newish
"""


def test_an_ability_of_later_days_is_there_and_does_nothing(tmp_path: Path) -> None:
    assert results(tmp_path, DATED)["new"].outcome == "confirmed"
    early = results(tmp_path, DATED, date(2015, 1, 1))
    assert early["new"].outcome == "stale"
    assert "not yet" in early["new"].note


def test_a_day_whose_rules_do_not_load_gives_no_verdict(tmp_path: Path) -> None:
    text = 'ruling old until 2019-01-01 cites "a letter"\n  cards x : drone\n  script\n    expect x.on\n'
    path = tmp_path / "toy.md"
    path.write_text(f"```rules\n{ROBOTS}\n\n{text}```\n", "utf-8")
    model = load(tmp_path, cache=False).model
    assert model is not None
    (result,) = audit(model, model.rulings, Words(model), lambda day, path: None)
    assert result.outcome == "not_searched"
    assert "2018-12-31" in result.note


@pytest.mark.parametrize(("word", "verdict"), [("price", "can"), ("forbid", "can"), ("permit", "cannot")])
def test_a_price_is_lifted_as_a_price_or_as_a_prohibition(tmp_path: Path, word: str, verdict: str) -> None:
    found = results(
        tmp_path,
        f"""
        ability free lifts {word} for strike(self, _)
        ruling freed cites "a letter"
          cards x : tank with toll, free
          script
            boot(x)
            warm_up(x)
            expect {verdict} strike(x, base)
        """,
        game=ROBOTS + "\nevent warm_up(b: Bot) sets b.warm := true\n",
    )
    assert found["freed"].outcome in ("confirmed", "depends")
    assert not found["freed"].against_defaults


def test_the_hash_of_the_rulebook_is_the_same_whatever_is_looked_at(tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text("```rules\nability odd forbid attack(self, _)\n```\n", "utf-8")
    hashes = {m.hash for m in (load(rulings=r, extra=x).model for r in (True, False) for x in ((), (own,))) if m}
    assert len(hashes) == 1


def test_fmt_keeps_line_ends_and_the_mark_at_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "win.md"
    path.write_bytes('\ufeff# Title\r\n\r\n```rules\r\nrule   a   cites X "1"\r\n```\r\n'.encode())
    assert run(["fmt", str(path)]) == 0
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# Title\r\n")
    assert data.count(b"\r\n") == data.count(b"\n")
    assert b"rule a " in data


def test_a_card_that_nothing_brings_in_is_pointed_out(tmp_path: Path) -> None:
    text = """
ruling forgotten cites "a letter"
  cards
    x : drone
    y : drone in play
    z : drone
    w : drone
  script
    boot(x)
    expect cannot strike(w, base)
    expect possible boot(z)
"""
    path = tmp_path / "toy.md"
    path.write_text(f"```rules\n{ROBOTS}\n{text}```\n", "utf-8")
    loaded = load(tmp_path, cache=False)
    assert [d.message for d in loaded.diagnostics if d.code == "idle-card"] == [
        "`w` is not `in play`, and no step brings it in"
    ]
