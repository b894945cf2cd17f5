"""Answers under the open points of the rules: which readings matter, and what each gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import TypeAlias, TypeVar

from verify_rules.model.model import Model

T = TypeVar("T")
Leaf: TypeAlias = tuple[Mapping[str, str], T]


def deciding(model: Model, leaves: Sequence[Leaf[T]]) -> tuple[str, ...]:
    """The readings on which the result depends: changing that one alone changes it, for some way to read the others.

    In source order of the readings; empty iff all leaves give the same. The leaves are those of `explore`: each
    assignment agrees with exactly one. So one reading alone makes a difference iff two leaves with different results
    name it with different options and agree on all others that both name.
    """
    results: list[tuple[T, list[Mapping[str, str]]]] = []
    for options, result in leaves:
        known = next((group for value, group in results if value == result), None)
        if known is None:
            results.append((result, [options]))
        else:
            known.append(options)
    found: set[str] = set()
    for (_, these), (_, those) in combinations(results, 2):
        for one, other in product(these, those):
            apart = [name for name, option in one.items() if other.get(name, option) != option]
            if len(apart) == 1:
                found.add(apart[0])
    return tuple(name for name in model.readings if name in found)


def cases(model: Model, leaves: Sequence[Leaf[T]]) -> list[tuple[dict[str, str], T]]:
    """Ways to read the deciding readings that together cover all, each with the result; the defaults come first.

    A case names only the readings that matter in it; there is one case with no choice if none decides. What the
    readings that don't decide say makes no difference to the result.
    """
    names = deciding(model, leaves)
    places = {name: [model.readings[name].default, *(o.name for o in model.readings[name].options)] for name in names}
    found: list[tuple[dict[str, str], T]] = []
    for options, result in leaves:
        kept = {name: options[name] for name in names if name in options}
        if not any(kept.items() >= other.items() for other, _ in found):
            found = [(other, value) for other, value in found if not other.items() >= kept.items()]
            found.append((kept, result))
    return sorted(found, key=lambda case: [places[n].index(case[0].get(n, places[n][0])) for n in names])
