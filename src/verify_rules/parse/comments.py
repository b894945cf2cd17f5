"""The comments of an item: where they stand in the source, and where they stand in the lines that are printed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from verify_rules.diagnostics.render import width
from verify_rules.parse.layout import Anchor, Mark, Position, Row, padded
from verify_rules.source import NOWHERE, Span

_TOKEN = re.compile(r'(?P<string>"[^"\n]*")|(?P<comment>--.*)|(?P<word>[^\W\d]\w*(?:-\w+)*)|\d{4}-\d\d-\d\d|\d+|\S')


@dataclass(frozen=True)
class Token:
    """A word, text, number or comment of the source."""

    text: str
    at: Position
    first: bool
    """Whether nothing but space stands before it on its line."""
    margin: bool
    """Whether it stands at the left margin of its block."""

    @property
    def comment(self) -> bool:
        """Whether it is a comment."""
        return self.text.startswith("--")

    @property
    def kept(self) -> bool:
        """Whether formatting must keep it as it is, wherever it goes."""
        return self.text[0] == '"' or self.text[:2] == "--" or (len(self.text) == 10 and self.text[4:5] == "-")


def tokens_of(lines: Iterable[str], line: int, indent: int) -> list[Token]:
    """The tokens of some lines, of which the first is `line` of the file, with `indent` columns cut off before them."""
    found = []
    for number, text in enumerate(lines, start=line):
        first = True
        for match in _TOKEN.finditer(text):
            at = (number, match.start() + 1 + indent)
            found.append(Token(match.group().rstrip(), at, first, match.start() == 0))
            first = False
    return found


class ItemSource:
    """The text of an item: where its words and comments are, and after which line there is an empty one."""

    def __init__(self, tokens: Sequence[Token], inside: Sequence[Token], blank: Callable[[int], bool]) -> None:
        self.words = [token for token in tokens if not token.comment]
        self.comments = inside
        self.blank = blank

    def broken(self, span: Span) -> bool:
        """Whether a comment stands inside the span."""
        start, end = (span.line, span.column), (span.end_line, span.end_column)
        return any(start < comment.at < end for comment in self.comments)

    def place(self, mark: Mark | Anchor) -> Position | None:
        """Where the text behind the mark stands."""
        if isinstance(mark, Mark):
            return (mark.span.line, mark.span.column)
        after = (mark.after.line, mark.after.column)
        before = (mark.before.line, mark.before.column)
        found = [
            token.at
            for token in self.words
            if token.text == mark.word and token.at > after and (mark.before == NOWHERE or token.at < before)
        ]
        if mark.last:
            return found[-1] if found else None
        return found[mark.skip] if len(found) > mark.skip else None


def with_comments(rows: list[Row], source: ItemSource) -> list[str]:
    """The lines of an item with its comments: those on a line of their own before the line that they stood before.

    A comment behind something stays behind it; where there are more than one for a line, the last one does.
    """
    places = sorted((place, i) for i, row in enumerate(rows) for place in row.places)
    above: dict[int, list[Token]] = {}
    behind: dict[int, Token] = {}
    for comment in source.comments:
        if comment.first:
            index = next((i for place, i in places if place > comment.at), len(rows))
            above.setdefault(index, []).append(comment)
        else:
            index = max(((place, i) for place, i in places if place <= comment.at), default=((0, 0), 0))[1]
            if index in behind:
                above.setdefault(index, []).append(behind[index])
            behind[index] = comment
    lines: list[tuple[str, Token | None]] = []
    shown = rows[0].places[0][0] if rows[0].places else 0
    for i, row in enumerate(rows):
        indent = " " * row.indent
        deeper = "  " if row.text.startswith("}") else ""
        first = min((place[0] for place in row.places), default=0)
        gap = not row.goes_on
        for comment in sorted(above.get(i, ()), key=lambda comment: comment.at):
            if gap and comment.first and comment.at[0] > shown and source.blank(comment.at[0] - 1) and lines:
                lines.append(("", None))
            lines.append((indent + deeper + comment.text, None))
            shown = max(shown, comment.at[0])
        if gap and first > shown and source.blank(first - 1) and lines:
            lines.append(("", None))
        lines.append((indent + row.text, behind.get(i)))
        shown = max([shown, *(place[0] for place in row.places)])
        if i in behind:
            shown = max(shown, behind[i].at[0])
    for comment in above.get(len(rows), ()):
        if source.blank(comment.at[0] - 1):
            lines.append(("", None))
        lines.append((" " * max(rows[-1].indent, 2) + comment.text, None))
    return _aligned(lines)


def _aligned(lines: list[tuple[str, Token | None]]) -> list[str]:
    """The lines with the comments behind them; those of neighbours at one indentation begin in one column."""
    result: list[str] = []
    run: list[tuple[str, str]] = []
    depth = 0
    for text, comment in [*lines, ("", None)]:
        indent = len(text) - len(text.lstrip())
        if run and (comment is None or indent != depth):
            column = max(width(line) for line, _ in run)
            result += [padded(line, column) + "  " + behind for line, behind in run]
            run = []
        if comment is not None:
            run.append((text, comment.text))
            depth = indent
        else:
            result.append(text)
    return result[:-1]
