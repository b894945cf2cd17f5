"""What the rules of the grammar are built from: places, and the pieces of an item on their way up."""

from __future__ import annotations

from datetime import date
from typing import Any, cast

from lark import Token
from lark.tree import Meta

from verify_rules.parse import tree as t
from verify_rules.source import NOWHERE, Span

DIGITS = 9
# What may stand at most once with a rule, group, reading or card.
NOTES = ("since", "until")


class Unreadable(Exception):
    """A token that fits the grammar and means nothing; its code, message and help are those of the diagnostic."""

    def __init__(self, code: str, message: str, token: Token, help: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.token = token
        self.help = help


def string(token: Token) -> str:
    """A STRING token without its quotes."""
    return str(token)[1:-1]


def day(token: Token) -> date:
    """A DATE token; `Unreadable` for a day that the calendar doesn't have."""
    try:
        return date.fromisoformat(str(token))
    except ValueError as error:
        help = "Dates are written year-month-day."
        raise Unreadable("syntax-date", f"there is no such day as {token}", token, help) from error


def whole(token: Token) -> int:
    """An INT token; `Unreadable` for one that is longer than any number of a game."""
    if len(token) > DIGITS:
        raise Unreadable("out-of-range", f"this number has {len(token)} digits", token, f"{DIGITS} are the most.")
    return int(token)


class Piece:
    """A piece of an item on its way up: the optional parts of a rule, told apart by `what`."""

    def __init__(self, what: str, value: Any, span: Span) -> None:
        self.what = what
        self.value = value
        self.span = span


class Pieces:
    """The children of a node, picked by kind: strings, named parts, nodes of a class."""

    def __init__(self, children: list[Any]) -> None:
        self.children = children

    def string(self) -> str | None:
        """The first STRING."""
        return next((string(c) for c in self.children if isinstance(c, Token) and c.type == "STRING"), None)

    def names(self) -> list[str]:
        """All NAMEs."""
        return [str(c) for c in self.children if isinstance(c, Token) and c.type in ("NAME", "LABEL")]

    def has(self, token_type: str) -> bool:
        """Whether a token of this type is there."""
        return any(isinstance(c, Token) and c.type == token_type for c in self.children)

    def part(self, what: str) -> Any:
        """The value of the named part, or None."""
        return next((c.value for c in self.children if isinstance(c, Piece) and c.what == what), None)

    def parts(self, what: str) -> tuple[Any, ...]:
        """The values of all parts of this name."""
        return tuple(c.value for c in self.children if isinstance(c, Piece) and c.what == what)

    def nodes(self, *classes: type) -> tuple[Any, ...]:
        """All children of these classes."""
        return tuple(c for c in self.children if isinstance(c, classes))

    def notes(self) -> t.Notes:
        """The citations and dates."""
        return t.Notes(sum(self.parts("cites"), ()), self.part("since"), self.part("until"))


class Places:
    """Tells the place of what is built; `line` and `column` are added to the positions that the parser saw."""

    def __init__(self, path: str, line: int = 0, column: int = 0) -> None:
        self.path = path
        self.line = line
        self.column = column
        self.repeated: list[tuple[str, Span, Span]] = []

    def span(self, meta: Meta) -> Span:
        """The place of a node."""
        if meta.empty:
            return NOWHERE
        return Span(
            self.path,
            meta.line + self.line,
            meta.column + self.column,
            meta.end_line + self.line,
            meta.end_column + self.column,
        )

    def once(self, children: list[Any], *names: str) -> None:
        """Note the parts of these names that stand there again, for the parser to report: a second has no meaning."""
        for name in names:
            found = [c.span for c in children if isinstance(c, Piece) and c.what == name]
            self.repeated += [(name.replace("_", " "), found[0], span) for span in found[1:]]

    def token_span(self, token: Token) -> Span:
        """The place of a token."""
        line, column = cast(int, token.line), cast(int, token.column)
        end_line, end_column = cast(int, token.end_line), cast(int, token.end_column)
        return Span(self.path, line + self.line, column + self.column, end_line + self.line, end_column + self.column)
