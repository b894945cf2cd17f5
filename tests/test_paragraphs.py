"""`docs/paragraphs.md` is true: every paragraph of the rulebook once, in order, with the names that cite it.

The last column is what the shipped model cites today. `REWRITE=1 pytest tests/test_paragraphs.py` writes it; where
there was nothing, it puts `modelled; ` before the state, which then is to be read again. Rows are written by hand.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from verify_rules.model.load import SHIPPED, load
from verify_rules.model.model import Block, CardDefinition, Model, Reading

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "paragraphs.md"
RULES = ROOT.parent / "shared" / "duel-masters" / "rules.md"
REWRITE = os.environ.get("REWRITE") == "1"

SOURCE = "CR"
CHAPTERS = {1: 18, 2: 8, 3: 17, 4: 10, 5: 12, 6: 9, 7: 3, 8: 22}
"""The last chapter of each part: 118, 208, …"""

NUMBER = r"[1-8]\d\d(?:\.\d+[a-z]?)?"
ROW = re.compile(rf"^\| ({NUMBER}) \| ([^|]+) \| ([^|]+) \|([^|]*)\|$", re.MULTILINE)
# What is said of a paragraph that nothing cites, of one that is cited, and of what else a chapter has.
UNCITED = re.compile(r"(modelled without a clause|not about attacks|not yet): .+")
CITED = re.compile(r"modelled(; .+)?")
REST = re.compile(r"the rest (not about attacks|not yet): .+|no further paragraphs")


@dataclass(frozen=True)
class Row:
    """A line of a table: a paragraph, what it says, what is done about it, and the names that cite it."""

    paragraph: str
    about: str
    state: str
    by: str

    def __str__(self) -> str:
        return f"| {self.paragraph} | {self.about} | {self.state} | {self.by + ' ' if self.by else ''}|"


def rows(text: str) -> list[Row]:
    return [Row(p, about, state, by.strip()) for p, about, state, by in ROW.findall(text)]


def place(paragraph: str) -> tuple[int, int, str]:
    """Where a paragraph stands: 505, 505.6, 505.6a, 506."""
    chapter, _, rest = paragraph.partition(".")
    number = rest.rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(chapter), int(number or 0), rest[len(number) :]


def in_order(paragraphs: Iterable[str]) -> list[str]:
    return sorted(paragraphs, key=place)


@pytest.fixture(scope="module")
def model() -> Model:
    model = load(rulings=False).model
    assert model is not None
    return model


@pytest.fixture(scope="module")
def cited(model: Model) -> dict[str, str]:
    return citing(model)


@pytest.fixture(scope="module")
def table() -> list[Row]:
    return rows(PAGE.read_text(encoding="utf-8"))


def citing(model: Model) -> dict[str, str]:
    """The paragraphs that are cited, each with what cites it, as it stands in the last column.

    What stands in `cards/` is counted by its file: its names are those of cards. A citation of an older version speaks
    about that version's numbers.
    """
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for thing in sorted(_citing(model), key=lambda x: (x.span.path, x.span.line)):
        file = thing.span.path.removeprefix(f"{SHIPPED}/").removesuffix(".md")
        for citation in thing.citations:
            if citation.source == SOURCE and citation.newest:
                found[citation.paragraph][file].append(f"`{thing.name}`")
    return {p: "; ".join(_listed(file, names) for file, names in files.items()) for p, files in found.items()}


def _citing(model: Model) -> Iterator[Block | Reading | CardDefinition]:
    yield from model.blocks.values()
    yield from model.readings.values()
    yield from model.cards.values()


def _listed(file: str, names: list[str]) -> str:
    return file if file.startswith("cards/") else f"{file}: {', '.join(dict.fromkeys(names))}"


def as_today(text: str, cited: dict[str, str]) -> str:
    """The page with today's last column."""

    def today(match: re.Match[str]) -> str:
        row = rows(match.group())[0]
        row = replace(row, by=cited.get(row.paragraph, ""))
        new = row.by and not CITED.fullmatch(row.state)
        return str(replace(row, state=f"modelled; {row.state}") if new else row)

    return ROW.sub(today, text)


def test_the_names_are_those_that_cite(cited: dict[str, str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    today = as_today(text, cited)
    if REWRITE and today != text:
        PAGE.write_text(today, encoding="utf-8")
        text = today
    old = [str(new) for was, new in zip(rows(text), rows(today), strict=True) if was != new]
    assert not old, "docs/paragraphs.md is out of date (REWRITE=1 writes it):\n" + "\n".join(old)


def test_every_paragraph_that_is_cited_has_a_row(table: list[Row], cited: dict[str, str]) -> None:
    missing = cited.keys() - {row.paragraph for row in table}
    assert not missing, "rows to be added, with what the paragraph says:\n" + "\n".join(in_order(missing))


def test_the_order_is_that_of_the_rulebook_and_nothing_stands_twice(table: list[Row]) -> None:
    paragraphs = [row.paragraph for row in table]
    assert paragraphs == in_order(set(paragraphs))


def test_every_line_of_a_table_is_a_row(table: list[Row]) -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").split("\n") if re.match(r"\| *\**\d", line)]
    assert lines == [str(row) for row in table]


def test_every_chapter_has_a_row(table: list[Row]) -> None:
    chapters = [str(100 * part + n) for part, last in CHAPTERS.items() for n in range(last + 1)]
    assert [row.paragraph for row in table if "." not in row.paragraph] == chapters


def test_the_state_says_what_is_done(table: list[Row], cited: dict[str, str]) -> None:
    """A chapter with rows of its own speaks about the rest, besides what it may be cited for as a whole."""
    divided = {row.paragraph.partition(".")[0] for row in table if "." in row.paragraph}
    wrong = []
    for row in table:
        state = row.state
        if row.paragraph in cited:
            fits = CITED.fullmatch(state) and (
                row.paragraph not in divided or REST.fullmatch(state.removeprefix("modelled; "))
            )
        else:
            fits = (REST if row.paragraph in divided else UNCITED).fullmatch(state)
        if not fits:
            wrong.append(str(row))
    assert not wrong, "\n".join(wrong)


def test_what_a_state_names_exists(table: list[Row], model: Model) -> None:
    known = {"precedence"}
    for names in (model.events, model.statuses, model.defines, model.variables, model.readings):
        known |= names.keys()
    known |= {block.name for block in model.blocks.values()}
    known |= {member.name for members in model.enums.values() for member in members}
    named = {(row.paragraph, name) for row in table for name in re.findall(r"`([^`]+)`", row.state)}
    assert named
    assert not [(p, name) for p, name in sorted(named) if name not in known]


def test_what_a_state_refers_to_stands_there(table: list[Row]) -> None:
    """“As for 603”: a row that says it itself."""
    states = {row.paragraph: row.state for row in table}
    for row in table:
        for other in re.findall(rf"as for ({NUMBER})", row.state):
            assert "as for" not in states[other], row.paragraph


# ---------------------------------------------------------------- the notes that the model was written from

MENTIONED = re.compile(rf"(?<![\d.,]){NUMBER}(?![\dA-Za-z])(?:-([a-z])\b)?")
NO_PARAGRAPH = {"806.3"}
"""The notes say of it that it does not exist."""


def mentioned(text: str) -> set[str]:
    """The numbers of paragraphs in a text; `506.1a-c` are three of them."""
    found = set()
    for match in MENTIONED.finditer(text):
        number = match.group().partition("-")[0]
        last = match[1] or number[-1]
        letters = range(ord(number[-1]), ord(last) + 1)
        found |= {number[:-1] + chr(letter) for letter in letters}
    return found


def test_what_is_mentioned() -> None:
    text = "505.6a (see 101.1-101.2, 506.3b-d), 804.5/805.6; not 73,791 of 2018-03-02, Q-38586, 1.48, 500s"
    assert mentioned(text) == {"505.6a", "101.1", "101.2", "506.3b", "506.3c", "506.3d", "804.5", "805.6"}


@pytest.mark.skipif(not RULES.is_file(), reason="../shared is only there where the project is developed")
def test_every_paragraph_that_the_notes_mention_has_a_row(table: list[Row]) -> None:
    found = mentioned(RULES.read_text(encoding="utf-8"))
    assert len(found) > 200
    assert in_order(found - NO_PARAGRAPH - {row.paragraph for row in table}) == []
