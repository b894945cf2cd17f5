"""Which ruling notices that a part of the rulebook is gone: each clause and each part of an event left out in turn.

`decisive.txt` keeps what was found, a line for each part: the first ruling, in the order in which they are tried, one
of whose expectations comes to something else without it. `python tests/decisive.py` looks for all of them anew and
writes the file; with names of blocks or events, for theirs alone, and writes nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from verify_rules.model import model as m
from verify_rules.model.load import load
from verify_rules.semantics import NotSearched, Readings, Runs, TooManyReadings, explore
from verify_rules.source import Span

TABLE = Path(__file__).with_name("decisive.txt")
NOBODY = "-"
"""Stands in the table where no ruling notices."""

Clause = m.StatusClause | m.Norm | m.Lift | m.Amendment | m.Trigger
CLAUSES = ("status_clauses", "norms", "lifts", "amendments", "triggers")


@dataclass(frozen=True)
class Left:
    """A model without one part of it. `key` tells the part: where it belongs, and how it reads."""

    key: str
    model: m.Model
    about: frozenset[str]
    """Names of what it belongs to and speaks about: rulings that use them are tried first."""


def text_of(model: m.Model, span: Span) -> str:
    """What stands at a place, its lines drawn together."""
    lines = model.files[span.path].text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(re.sub(r"--.*", "", line).split()) for line in lines).strip()


def without_each(model: m.Model) -> Iterator[Left]:
    """The model without each of its clauses and parts of events, in source order of each sort."""
    keys: dict[str, int] = {}

    def key(owner: str, span: Span) -> str:
        name = f"{owner}: {text_of(model, span)}"
        keys[name] = keys.get(name, 0) + 1
        return name if keys[name] == 1 else f"{name} ({keys[name]})"

    for sort in CLAUSES:
        by_subject: dict[str, tuple[Clause, ...]] = getattr(model, sort)
        for subject, clauses in by_subject.items():
            for number, clause in enumerate(clauses):
                rest = clauses[:number] + clauses[number + 1 :]
                others: dict[str, Any] = {sort: by_subject | {subject: rest}}
                changed = replace(model, **others)
                about = frozenset({model.blocks[clause.block].name, subject})
                yield Left(key(clause.block, clause.span), changed, about)
    for event in model.events.values():
        for owner, span, parts in without(event.parts, f"event {event.name}"):
            changed = replace(model, events=model.events | {event.name: replace(event, parts=parts)})
            yield Left(key(owner, span), changed, frozenset({event.name}))


def without(parts: tuple[m.Part, ...], owner: str) -> Iterator[tuple[str, Span, tuple[m.Part, ...]]]:
    """The parts without each of them, also inside others; what has parts is not left out as a whole."""
    for number, part in enumerate(parts):
        before, behind = parts[:number], parts[number + 1 :]
        if isinstance(part, m.Group | m.ForEach):
            name = part.id if isinstance(part, m.Group) else owner
            for found, span, inner in without(part.parts, name):
                yield found, span, (*before, replace(part, parts=inner), *behind)
        else:
            yield owner, part.span, before + behind


Values = tuple[object, ...]


@dataclass(frozen=True)
class Witness:
    """A ruling, what its expectations come to, and the words that it uses."""

    ruling: m.Ruling
    values: Values
    words: frozenset[str]

    def notices(self, model: m.Model) -> bool:
        """Whether an expectation comes to something else in this model."""
        return values(model, self.ruling.scenario, self.open) != self.values

    @cached_property
    def open(self) -> bool:
        """Whether it tells that something is open, so that all readings have to be looked at."""
        return any(isinstance(x, m.ExpectFormula) and x.open for x in self.ruling.expectations)


def values(model: m.Model, scenario: m.Scenario, every_reading: bool) -> Values:
    """What the expectations of a scenario come to, as the readings are read by default or in each way to read them."""
    try:
        runs = Runs(model, scenario)
        by_default = runs.under(Readings(model))
        found: Values = tuple(x.holds for x in by_default.expectations)
        if every_reading:
            numbers = range(len(found))
            found += tuple(frozenset(v for _, v in explore(model, lambda r: runs.holds(n, r))) for n in numbers)  # noqa: B023 - called at once
    except (NotSearched, TooManyReadings):
        return ()
    return found


def witness(model: m.Model, ruling: m.Ruling) -> Witness | None:
    """The ruling as a witness, if it comes out as it says; otherwise it is no evidence."""
    every = any(isinstance(x, m.ExpectFormula) and x.open for x in ruling.expectations)
    found = values(model, ruling.scenario, every)
    lines = zip(ruling.expectations, found, strict=False)
    if found and all(v is True or (isinstance(x, m.ExpectFormula) and x.open) for x, v in lines):
        return Witness(ruling, found, words(model, ruling))
    return None


def witnesses(model: m.Model) -> list[Witness]:
    """All rulings that can be witnesses."""
    return [found for ruling in model.rulings if (found := witness(model, ruling))]


def words(model: m.Model, ruling: m.Ruling) -> frozenset[str]:
    """The names in the text of a ruling and in the cards that it uses."""
    texts = [text_of(model, ruling.span)]
    for entry in ruling.scenario.entries:
        if entry.card is not None:
            texts.append(text_of(model, model.cards[entry.card].span))
    return frozenset(re.findall(r"\w+", " ".join(texts)))


def noticed_by(left: Left, tried: Sequence[Witness]) -> str:
    """The first ruling that notices, those that use its names before the others; `NOBODY` if none does."""
    order = sorted(tried, key=lambda w: -len(left.about & w.words))
    return next((w.ruling.name for w in order if w.notices(left.model)), NOBODY)


def table() -> dict[str, str]:
    """What `decisive.txt` keeps: the ruling of each part, or `NOBODY`."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {part: found for found, _, part in (line.partition("  ") for line in lines)}


@cache
def shipped() -> m.Model:
    """The shipped model as it is today."""
    model = load().model
    assert model is not None
    return model


def main(names: Iterable[str]) -> None:
    """Look for the witnesses, those of the table first."""
    model, chosen = shipped(), frozenset(names)
    tried = witnesses(model)
    by_name = {w.ruling.name: w for w in tried}
    known = table() if TABLE.is_file() else {}
    lines = []
    for left in without_each(model):
        if chosen and not chosen & left.about:
            continue
        before = by_name.get(known.get(left.key, ""))
        found = before.ruling.name if before and before.notices(left.model) else noticed_by(left, tried)
        lines.append(f"{found}  {left.key}")
        print(lines[-1], flush=True)
    if not chosen:
        TABLE.write_text("\n".join(sorted(lines, key=lambda line: line.partition("  ")[2])) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
