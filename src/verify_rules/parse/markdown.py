"""Literate Markdown: the `rules` fences of a file, cut into items."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it import MarkdownIt

from verify_rules.diagnostics import Reporter
from verify_rules.source import SourceFile, Span

FENCE = "rules"
# A line that begins with one of these goes on with the item above it.
_CONTINUES = (" ", "\t", "}", "--")


@dataclass(frozen=True)
class Fence:
    """The content of a block: lines `first` to `last` of the file (from 1, both included), none if last < first.

    `indent` is the number of columns by which the fence itself, and so each of its lines, is indented.
    """

    first: int
    last: int
    indent: int


@dataclass(frozen=True)
class Chunk:
    """The text of one item (with the comments around it) and the line of the file on which it begins."""

    text: str
    line: int
    indent: int


def fences(file: SourceFile, reporter: Reporter) -> list[Fence]:
    """The `rules` blocks of a file, in order; an unclosed one is reported and left out."""
    lines = file.text.split("\n")
    found = []
    for token in MarkdownIt("commonmark").parse(file.text):
        if token.type != "fence" or token.info.split()[:1] != [FENCE] or token.map is None:
            continue
        begin, end = token.map
        closing = lines[end - 1].strip().lstrip("> ") if end - 1 > begin else ""
        if not (set(closing) == {token.markup[0]} and len(closing) >= len(token.markup)):
            opening = lines[begin]
            span = Span(file.path, begin + 1, 1, begin + 1, len(opening) + 1)
            reporter.report(
                "fence-unclosed",
                f"this `{FENCE}` block is never closed",
                span,
                f"Put a line with `{token.markup}` behind the last rule.",
            )
            continue
        indent = len(lines[begin]) - len(lines[begin].lstrip())
        found.append(Fence(begin + 2, end - 1, indent))
    return found


def chunks(file: SourceFile, fence: Fence, reporter: Reporter) -> list[Chunk]:
    """The items of a block: each begins at the left margin; comments at the margin go with what follows."""
    lines = file.text.split("\n")[fence.first - 1 : fence.last]
    result: list[Chunk] = []
    current: list[str] = []
    start = fence.first
    for number, raw in enumerate(lines, start=fence.first):
        line = raw[fence.indent :] if raw[: fence.indent].isspace() or not fence.indent else raw.lstrip()
        begins = bool(line.strip()) and not line.startswith(_CONTINUES)
        if begins:
            if current:
                result.append(Chunk("\n".join(current), start, fence.indent))
            current, start = [line], number
        elif current:
            current.append(line)
        elif line.strip() and not line.lstrip().startswith("--"):
            span = Span(file.path, number, 1 + len(raw) - len(raw.lstrip()), number, len(raw) + 1)
            reporter.report(
                "margin",
                "this line is indented, but there is no item above it that it could belong to",
                span,
                "An item (`rule`, `event`, `ruling`, …) begins at the left margin of its block.",
            )
            return result
    if current:
        result.append(Chunk("\n".join(current), start, fence.indent))
    return result
