"""Laying out text in lines: documents in the manner of Wadler, whose lines know what places of the source they show.

A document is text with places where it may be broken. A `Group` stands on one line if it fits, and if no comment stood
inside it in the source; else it is broken at all of its own `Break`s. `Mark` and `Anchor` tie the text behind them to a
place of the source, so that comments can be put back where they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from verify_rules.diagnostics.render import width
from verify_rules.source import NOWHERE, Span

Position: TypeAlias = tuple[int, int]

LINE = 118
"""A line longer than this is broken, if it can be."""
SHORT = 100
"""What might stand on one line, but reads better on several, is kept on one up to here."""


@dataclass(frozen=True)
class Mark:
    """The text behind it shows what begins at this span."""

    span: Span


@dataclass(frozen=True)
class Anchor:
    """The text behind it shows a keyword of the source that no node of the tree has a span for.

    It is the first such word behind `after` and before `before`, after skipping `skip` of them; the last one if `last`.
    """

    word: str
    after: Span = NOWHERE
    before: Span = NOWHERE
    skip: int = 0
    last: bool = False


@dataclass(frozen=True)
class Break:
    """A new line where its group is broken (always if `hard`), else `flat`."""

    flat: str = " "
    hard: bool = False


@dataclass(frozen=True)
class Nest:
    """Lines inside are indented deeper."""

    by: int
    doc: Doc


@dataclass(frozen=True)
class Group:
    """On one line of at most `limit` columns, or broken; `span` is what it shows."""

    doc: Doc
    span: Span = NOWHERE
    limit: int = LINE


Doc: TypeAlias = "str | Mark | Anchor | Break | Nest | Group | tuple[Doc, ...]"

HARD = Break(hard=True)


def joined(separator: Doc, docs: Iterable[Doc]) -> Doc:
    """The documents with the separator between them."""
    result: list[Doc] = []
    for doc in docs:
        if result:
            result.append(separator)
        result.append(doc)
    return tuple(result)


def padded(name: str, column: int) -> str:
    """The name, made as wide as the column."""
    return name + " " * (column - width(name))


@dataclass
class Row:
    """A line of the result: the places that it shows, and whether it only goes on with the line above."""

    indent: int
    text: str = ""
    places: list[Position] = field(default_factory=list)
    goes_on: bool = False


def _nothing_inside(span: Span) -> bool:
    return False


def _nowhere(mark: Mark | Anchor) -> Position | None:
    return None


def render(
    doc: Doc,
    broken: Callable[[Span], bool] = _nothing_inside,
    place: Callable[[Mark | Anchor], Position | None] = _nowhere,
    one_line: bool = False,
) -> list[Row]:
    """The lines; `broken` says whether a comment stands inside a span, `place` where in the source a mark is."""
    rows = [Row(0)]
    column = 0
    stack: list[tuple[int, bool, Doc]] = [(0, False, doc)]
    while stack:
        indent, flat, top = stack.pop()
        match top:
            case str():
                rows[-1].text += top
                column += width(top)
            case Mark() | Anchor():
                position = place(top)
                if position is not None:
                    rows[-1].places.append(position)
            case Nest():
                stack.append((indent + top.by, flat, top.doc))
            case Group():
                fits = one_line or (not broken(top.span) and _fits(top, top.limit - column, stack))
                stack.append((indent, flat or fits, top.doc))
            case Break():
                if one_line or (flat and not top.hard):
                    text = top.flat if not top.hard else " "
                    rows[-1].text += text
                    column += len(text)
                else:
                    rows.append(Row(indent, goes_on=not top.hard))
                    column = indent
            case tuple():
                stack.extend((indent, flat, part) for part in reversed(top))
    for row in rows:
        row.text = row.text.rstrip()
    return rows


def _fits(group: Group, room: int, rest: list[tuple[int, bool, Doc]]) -> bool:
    """Whether the group, on one line, and what follows it up to the next break have room."""
    stack: list[tuple[bool, Doc]] = [(True, group.doc)]
    index = len(rest)
    inside = 1
    while room >= 0:
        if not stack:
            if index == 0:
                return True
            index -= 1
            stack.append((rest[index][1], rest[index][2]))
            inside = 0
        flat, top = stack.pop()
        match top:
            case str():
                room -= width(top)
            case Nest() | Group():
                stack.append((flat, top.doc))
            case Break():
                if top.hard:
                    return not inside
                if not flat:
                    return True
                room -= len(top.flat)
            case tuple():
                stack.extend((flat, part) for part in reversed(top))
            case Mark() | Anchor():
                pass
    return False
