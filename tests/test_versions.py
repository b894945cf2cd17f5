"""What a change of the rules explains is no conflict: old rulings hold on their days, and are stale on others."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from verify_rules.analysis import audit
from verify_rules.explain import Words
from verify_rules.model.load import Loaded, load, with_rulings
from verify_rules.model.model import Model

ROOT = Path(__file__).resolve().parent.parent
COLLECTED = ROOT.parent / "shared" / "duel-masters" / "rulings.yaml"
PAGE = "rulings/versions.md"

DAYS = (date(2013, 12, 31), date(2021, 3, 15), None)
"""The last is today: the newest version."""

CHANGED = {
    # 2014-02-21: what is left of an evolution creature of this turn is sick
    "c-01-before-left-over-is-free": ("confirmed", "stale", "stale"),
    "c-01-after-left-over-is-sick": ("stale", "confirmed", "confirmed"),
    # 2017-03-25: untapping before triggers
    "c-13-before-triggers-first": ("confirmed", "stale", "stale"),
    "c-13-after-untapping-first": ("stale", "confirmed", "confirmed"),
    # 2018-03-02: direct attacks
    "c-19-before-not-blocked": ("confirmed", "stale", "stale"),
    "c-19-after-target-not-changed": ("stale", "confirmed", "confirmed"),
    # 2019-06-18: the creature aimed at is gone
    "c-20-before-no-aim": ("confirmed", "stale", "stale"),
    "c-20-after-over-at-once": ("stale", "confirmed", "confirmed"),
    # 2020-11-19: hindered swaps
    "c-04-before-the-replacement-alone": ("confirmed", "stale", "stale"),
    "c-04-after-nothing-happens": ("stale", "confirmed", "confirmed"),
    "c-05-before-turned-back-and-attacking": ("confirmed", "stale", "stale"),
    "c-05-after-as-it-was": ("stale", "confirmed", "confirmed"),
    # 2021-03-16 and 2022-04-08: how many are left, and what
    "c-02-before-several-are-left": ("confirmed", "confirmed", "stale"),
    "c-02-after-one-is-left": ("stale", "stale", "confirmed"),
    "c-03-before-only-creatures": ("confirmed", "confirmed", "stale"),
    "c-03-after-whatever-stands-alone": ("stale", "stale", "confirmed"),
    # 2025-10-17 and 2026-04-10: super creatures
    "v-2025-10-17-before": ("confirmed", "confirmed", "stale"),
    "v-2025-10-17-after": ("stale", "stale", "confirmed"),
    "v-2026-04-10-duelmates": ("stale", "stale", "confirmed"),
}
"""The rulings whose outcome is not the same on all three days."""

UNCHANGED = {
    # Open only for the weeks between the two dates that the sources give.
    "c-01-between-two-dates": "stale",
    "c-07-as-translated": "disputed",
    "c-09-only-on-an-old-base": "disputed",
    "c-11-for-good": "disputed",
    "c-14-before-those-that-are-there": "disputed",
    "c-18-before-it-triggers": "out_of_scope",
    "c-20-after-what-waits": "out_of_scope",
    "c-22-single-cells": "out_of_scope",
    "c-23-summoned-or-not": "out_of_scope",
    "c-24-counted-by-result": "out_of_scope",
    "c-25-old-answers-stay": "out_of_scope",
    "v-2017-04-06-before-only-spells": "out_of_scope",
    "v-2020-10-23-declared-use": "out_of_scope",
}
"""The others that are not confirmed."""


@cache
def model(day: date | None) -> Model:
    loaded = load(as_of=day).model
    assert loaded is not None
    return loaded


@cache
def rulebook(day: date) -> Loaded:
    return load(as_of=day, rulings=False)


@cache
def older(day: date, path: str) -> Model | None:
    """The model of an earlier day with the rulings of one file, as the command line has it."""
    return with_rulings(rulebook(day), model(None).files[path])


@cache
def outcomes(day: date | None) -> dict[str, str]:
    """What becomes of each ruling of the page on this day."""
    here = model(day)
    rulings = [r for r in here.rulings if r.span.path.endswith(PAGE)]
    return {r.ruling.name: r.outcome for r in audit(here, rulings, Words(here), older)}


@pytest.mark.parametrize("day", DAYS, ids=["2013", "2021", "today"])
def test_each_ruling_comes_out_as_its_day_says(day: date | None) -> None:
    expected = {name: found[DAYS.index(day)] for name, found in CHANGED.items()} | UNCHANGED
    found = outcomes(day)
    assert {name: outcome for name, outcome in found.items() if name in expected} == expected
    assert {outcome for name, outcome in found.items() if name not in expected} == {"confirmed"}


def test_between_two_dates_a_change_is_an_open_point() -> None:
    between = outcomes(date(2014, 1, 15))
    assert between["c-01-between-two-dates"] == "confirmed"
    assert between["c-01-after-left-over-is-sick"] == "stale"
    assert outcomes(date(2014, 2, 21))["c-01-after-left-over-is-sick"] == "confirmed"


@pytest.mark.parametrize("day", DAYS[:2], ids=["2013", "2021"])
def test_no_other_ruling_is_refuted_by_the_rules_of_an_earlier_day(day: date | None) -> None:
    """A ruling that only a later change made right says since when it counts."""
    here = model(day)
    results = audit(here, here.rulings, Words(here), older)
    assert [r.ruling.name for r in results if r.outcome in {"refuted", "impossible", "not_searched"}] == []


@pytest.mark.skipif(not COLLECTED.is_file(), reason="../shared is only there where the project is developed")
def test_each_contradiction_is_a_ruling() -> None:
    ids = re.findall(r"(?m)^- id: (C-\d\d)$", COLLECTED.read_text(encoding="utf-8"))
    assert len(ids) == 25
    assert {name[:4].upper() for name in outcomes(None) if name.startswith("c-")} == set(ids)
