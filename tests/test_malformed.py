"""Whatever is done to a model, its rulings or a question: an answer or errors, never a traceback, and an end.

The variants are made by `mutate.py`, which also runs larger sets of them by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mutate import OPERATORS, Workshop, question_faults, quick_parsing, variant

VARIANTS = 200
QUESTIONS = 150
GROUPS = 10


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with quick_parsing():
        yield Workshop(tmp_path_factory.mktemp("malformed"))


@pytest.mark.parametrize("group", range(GROUPS))
def test_malformed_variants(group: int, workshop: Workshop) -> None:
    faults = [fault for number in range(group, VARIANTS, GROUPS) for fault in workshop.faults(variant(number))]
    assert not faults, "\n\n".join(faults)
    codes = workshop.codes["check"]
    assert codes.count(3) > len(codes) / 2, "most variants are still valid"


def test_every_way_to_spoil_a_text_is_tried_on_chapters_and_rulings() -> None:
    tried = {(v.operator, v.of_rulings) for v in map(variant, range(VARIANTS))}
    assert tried == {(operator.__name__, of_rulings) for operator in OPERATORS for of_rulings in (False, True)}


def test_variants_repeat() -> None:
    assert [variant(n) for n in range(40)] == [variant(n) for n in range(40)]


def test_random_questions() -> None:
    faults = [fault for number in range(QUESTIONS) for fault in question_faults(number)]
    assert not faults, "\n\n".join(faults)
