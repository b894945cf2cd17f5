"""Spans: the place of a piece of text, kept on every node of every stage."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range in a file; lines and columns count from 1, `end_column` is one past the last character."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    def first(self, length: int) -> Span:
        """The place of the first `length` characters."""
        return Span(self.path, self.line, self.column, self.line, self.column + length)

    def last(self, length: int, behind: int = 0) -> Span:
        """The place of the last `length` characters, those `behind` them left out."""
        end = self.end_column - behind
        return Span(self.path, self.end_line, max(1, end - length), self.end_line, end)


NOWHERE = Span("", 0, 0, 0, 0)
