"""Answers under the open points of the rules: which readings matter, and what each gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TypeVar

from verify_rules.model.model import Model

T = TypeVar("T")
Leaf = tuple[Mapping[str, str], T]


def leaf_of(leaves: Sequence[tuple[Mapping[str, str], T]], assignment: Mapping[str, str]) -> T:
    """The result under an assignment of (at least) all readings that the leaves name."""
    for options, result in leaves:
        if all(assignment[name] == option for name, option in options.items()):
            return result
    raise KeyError(f"no leaf for {dict(assignment)}")


def deciding(model: Model, leaves: Sequence[tuple[Mapping[str, str], T]]) -> tuple[str, ...]:
    """The readings on which the result depends: changing that one alone changes it, for some way to read the others.

    In source order of the readings; empty iff all leaves give the same.
    """
    named = [name for name in model.readings if any(name in options for options, _ in leaves)]
    if all(result == leaves[0][1] for _, result in leaves):
        return ()
    found = []
    for name in named:
        others = [x for x in named if x != name]
        options = [[o.name for o in model.readings[x].options] for x in others]
        for choice in product(*options):
            base = dict(zip(others, choice, strict=True))
            results = [leaf_of(leaves, base | {name: o.name}) for o in model.readings[name].options]
            if any(result != results[0] for result in results):
                found.append(name)
                break
    return tuple(found)


def cases(model: Model, leaves: Sequence[tuple[Mapping[str, str], T]]) -> list[tuple[dict[str, str], T]]:
    """One case for each way to choose the deciding readings, the defaults first; one with no choice if none decides.

    What the readings that don't decide say makes no difference to the result.
    """
    names = deciding(model, leaves)
    touched = {name for options, _ in leaves for name in options}
    defaults = {name: model.readings[name].default for name in touched}
    options = []
    for name in names:
        reading = model.readings[name]
        others = [o.name for o in reading.options if o.name != reading.default]
        options.append([reading.default, *others])
    found = []
    for choice in product(*options):
        chosen = dict(zip(names, choice, strict=True))
        found.append((chosen, leaf_of(leaves, defaults | chosen)))
    return found
