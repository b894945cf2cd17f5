"""Open points while something is evaluated: which options hold, and which readings the answer looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from verify_rules.model.model import Model

T = TypeVar("T")
MOST_LEAVES = 4096
"""As many ways to read the open points are tried for one answer, and no more."""


class TooManyReadings(Exception):
    """An answer looks at so many readings that not all ways to read them were tried: it isn't known."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most} ways to read the open points lead here, and not all were tried")


class Readings(Mapping[str, str]):
    """The option of every reading; looking one up is remembered in `touched`, in order.

    Only `readings[name]` counts as looking; use `assignment` to see all options without touching any.
    """

    __slots__ = ("assignment", "touched")

    def __init__(self, model: Model, chosen: Mapping[str, str] | None = None) -> None:
        self.assignment = {name: reading.default for name, reading in model.readings.items()}
        for name, option in (chosen or {}).items():
            if name not in model.readings:
                raise ValueError(f"no reading `{name}`")
            if all(option != o.name for o in model.readings[name].options):
                raise ValueError(f"reading `{name}` has no option `{option}`")
            self.assignment[name] = option
        self.touched: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        option = self.assignment[name]
        self.touched[name] = option
        return option

    def __iter__(self) -> Iterator[str]:
        return iter(self.assignment)

    def __len__(self) -> int:
        return len(self.assignment)


def explore(
    model: Model, f: Callable[[Readings], T], given: Mapping[str, str] | None = None
) -> list[tuple[dict[str, str], T]]:
    """All that `f` can give under the readings, as the leaves of a decision tree; the defaults come first.

    Each leaf is the options of the readings that `f` looked at, with its result. Every assignment of the readings
    (that agrees with `given`, whose readings are not varied) agrees with exactly one leaf. `f` must be deterministic,
    start afresh each time, and have looked at all it needs when it returns: nothing lazy may be left over.
    Raises TooManyReadings if there are more than MOST_LEAVES.
    """
    given = dict(given or {})
    leaves: list[tuple[dict[str, str], T]] = []

    def below(prefix: dict[str, str]) -> None:
        if len(leaves) == MOST_LEAVES:
            raise TooManyReadings(MOST_LEAVES)
        readings = Readings(model, given | prefix)
        result = f(readings)
        touched = {name: option for name, option in readings.touched.items() if name not in given}
        leaves.append((touched, result))
        path = list(touched)
        # f looked at path[i] knowing path[:i] only; each other option there opens a subtree, the deepest first.
        for i in reversed(range(len(prefix), len(path))):
            for option in model.readings[path[i]].options:
                if option.name != touched[path[i]]:
                    below({name: touched[name] for name in path[:i]} | {path[i]: option.name})

    below({})
    return leaves
