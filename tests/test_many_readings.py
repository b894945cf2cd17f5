"""Answers that look at many readings: as few cases as there are, and a bound that is said."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toy import ROBOTS
from verify_rules.analysis import audit
from verify_rules.analysis.readings import cases, deciding
from verify_rules.explain import Words
from verify_rules.model.load import load
from verify_rules.model.model import Model
from verify_rules.semantics import Readings, explore


def model_of(folder: Path, readings: int, formula: str) -> Model:
    lines = [f'reading z{n} "?" {{ oa (default) "a", ob "b" }}' for n in range(readings)]
    ruling = f'ruling many "many" cites "x"\n  cards\n    x : drone\n  script\n    expect {formula}'
    (folder / "m.md").write_text("\n\n".join(["```rules" + ROBOTS, *lines, ruling, "```\n"]), encoding="utf-8")
    model = load(folder, cache=False).model
    assert model is not None
    return model


def test_readings_in_a_row_have_as_many_cases_as_readings(tmp_path: Path) -> None:
    model = model_of(tmp_path, 200, " or ".join(f"z{n} = ob" for n in range(200)))
    [result] = audit(model, model.rulings, Words(model, "en"))
    assert result.outcome == "depends"
    assert len(result.readings) == 200
    assert len(result.expectations[0].cases) == 201


def test_more_ways_than_are_tried_is_no_answer(tmp_path: Path) -> None:
    parity = functools.reduce(lambda all, name: f"({all} iff {name} = ob)", [f"z{n}" for n in range(14)], "true")
    model = model_of(tmp_path, 14, parity)
    [result] = audit(model, model.rulings, Words(model, "en"))
    assert result.outcome == "not_searched"
    assert "more than 4096 ways" in result.note


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model with three readings of two options each."""
    return model_of(tmp_path_factory.mktemp("three"), 3, "z0 = z0")


@given(table=st.lists(st.integers(0, 2), min_size=8, max_size=8), order=st.permutations(["z0", "z1", "z2"]))
def test_what_decides_is_what_can_make_a_difference(three: Model, table: list[int], order: list[str]) -> None:
    """By definition, over all assignments; and each case gives what every assignment that agrees with it gives."""
    names = ["z0", "z1", "z2"]
    every = [dict(zip(names, options, strict=True)) for options in itertools.product(("oa", "ob"), repeat=3)]

    def value(options: dict[str, str]) -> int:
        return table[every.index(options)]

    def looked_at(readings: Readings) -> int:
        possible = every
        for name in order:
            if len({value(x) for x in possible}) == 1:
                break
            possible = [x for x in possible if x[name] == readings[name]]
        return value(possible[0])

    leaves = explore(three, looked_at)
    expected = tuple(n for n in names if any(value(x) != value({**x, n: o}) for x in every for o in ("oa", "ob")))
    assert deciding(three, leaves) == expected
    told = cases(three, leaves)
    for assignment in every:
        agreeing = [result for options, result in told if options.items() <= assignment.items()]
        assert agreeing
        assert set(agreeing) == {value(assignment)}
    assert all(set(options) <= set(expected) for options, _ in told)
    assert told[0][1] == value(every[0])
