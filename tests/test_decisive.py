"""Each clause of the shipped model, and each part of its events, is decisive in the ruling that the table names.

A new clause needs a ruling that notices when it is gone; then `python tests/decisive.py` writes it into the table
(see decisive.py). Parts that no ruling notices yet are counted here, so that they only become fewer.
"""

from __future__ import annotations

from functools import cache

import pytest

from decisive import NOBODY, Left, Witness, shipped, table, without_each, witness

GROUPS = 8
NOT_NOTICED_YET = 71


@cache
def parts() -> list[Left]:
    return list(without_each(shipped()))


@cache
def witness_named(name: str) -> Witness | None:
    (ruling,) = (ruling for ruling in shipped().rulings if ruling.name == name)
    return witness(shipped(), ruling)


def test_the_table_has_each_part_and_no_other() -> None:
    assert sorted(table()) == sorted(left.key for left in parts())


def test_what_no_ruling_notices_does_not_grow() -> None:
    assert list(table().values()).count(NOBODY) == NOT_NOTICED_YET


@pytest.mark.parametrize("group", range(GROUPS))
def test_the_ruling_named_notices(group: int) -> None:
    known = table()
    chosen = [left for left in parts()[group::GROUPS] if known[left.key] != NOBODY]
    assert chosen
    overlooked = []
    for left in chosen:
        named = witness_named(known[left.key])
        if named is None or not named.notices(left.model):
            overlooked.append((known[left.key], left.key))
    assert overlooked == []
