"""Literate Markdown: the `rules` fences of a file, cut into items."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from verify_rules.diagnostics import Reporter
from verify_rules.source import SourceFile, Span

FENCE = "rules"
# A line that begins with one of these goes on with the item above it.
_CONTINUES = (" ", "\t", "}", "--")
# What surely was meant to open a block: `rules` in other letters, with two marks, in braces, behind what nobody sees.
_MEANT = re.compile(
    r"[\s>*+\-\ufeff\u200b\u2060]*(?:`{2,}|~{2,}|'{3,})[ \t]*\{?\.?(?i:rules?)(?![\w\-])[^`]*$|.*`{3}(?i:rules?)\s*$"
)


@dataclass(frozen=True)
class Fence:
    """The content of a block: lines `first` to `last` of the file (from 1, both included), none if last < first.

    `margin` is what stands before each of its lines, when the block is indented, in a list or in a quotation.
    """

    first: int
    last: int
    margin: str = ""

    @property
    def indent(self) -> int:
        """The number of columns before each line."""
        return len(self.margin)

    def without_margin(self, line: str) -> str:
        """A line of the file as a line of the block."""
        inside = not line[: self.indent].strip(" \t>")
        return line[self.indent :] if inside else line.lstrip(" \t>")


@dataclass(frozen=True)
class Chunk:
    """The text of one item (with the comments around it) and the line of the file on which it begins."""

    text: str
    line: int
    indent: int


@dataclass(frozen=True)
class Blocks:
    """The `rules` blocks of a file, in order, and the texts of those that can't be read."""

    fences: tuple[Fence, ...]
    torn: tuple[str, ...]


def fences(file: SourceFile, reporter: Reporter) -> tuple[Fence, ...]:
    """The `rules` blocks of a file, in order; an unclosed one is reported and left out."""
    return blocks(file, reporter).fences


def blocks(file: SourceFile, reporter: Reporter) -> Blocks:
    """The `rules` blocks of a file; what is unclosed, or isn't read though it looks like a block, is reported."""
    lines = file.text.split("\n")
    found: list[Fence] = []
    torn: list[str] = []
    unread: dict[int, str] = dict.fromkeys(range(len(lines)), "")
    for token in MarkdownIt("commonmark").parse(file.text):
        if token.map is None or token.type not in ("fence", "html_block"):
            continue
        begin, end = token.map
        if token.type == "html_block":
            hidden = token.content.lstrip().startswith("<!--") and "-->" in token.content
            help = "Markdown takes it for a part of the HTML above: put an empty line before it, or close the comment."
            _set_aside(unread, range(begin, end), "" if hidden else help)
            continue
        if token.info.split()[:1] != [FENCE]:
            # A block that shows one (with more or other marks) is fine; one with the same marks was meant to be closed.
            _set_aside(unread, range(begin + 1, end), "")
            swallowed = [n for n in range(begin + 1, end) if _opens(lines[n].lstrip(" \t>"), token)]
            help = f"It stands inside the block that line {begin + 1} opens: close that one first, or don't open it."
            unread |= dict.fromkeys(swallowed, help)
            continue
        _set_aside(unread, range(begin, end), "")
        at = lines[begin].find(token.markup)
        fence = Fence(begin + 2, end - 1, re.sub(r"[^\s>]", " ", lines[begin][:at]))
        content = [fence.without_margin(line) for line in lines[begin + 1 : end]]
        # Where the closing line was forgotten, the next block opens inside this one.
        again = next((i for i, line in enumerate(content) if _opens(line, token)), None)
        closed = bool(content) and _closes(content[-1], token)
        if again is not None or not closed:
            _report_unclosed(file, begin, lines[begin], token, begin + 2 + (again or 0), again is not None, reporter)
            torn.append("\n".join(content[:again]))
            if again is None or not closed:
                torn.append("\n".join(content))
                continue
            fence = Fence(begin + 2 + again + 1, end - 1, fence.margin)
        found.append(fence)
    for number in sorted(unread):
        if _MEANT.match(lines[number]):
            _report_unread(file, lines[number], number, unread[number], reporter)
    return Blocks(tuple(found), tuple(torn))


def _set_aside(unread: dict[int, str], numbers: Iterable[int], help: str) -> None:
    """What is to be said of these lines if they look like the beginning of a block; nothing if there is no `help`."""
    for number in numbers:
        if help:
            unread[number] = help
        else:
            unread.pop(number, None)


def _opens(line: str, token: Token) -> bool:
    return line.startswith(token.markup) and line.strip(token.markup[0]).split()[:1] == [FENCE]


def _closes(line: str, token: Token) -> bool:
    bare = line.strip()
    return set(bare) == {token.markup[0]} and len(bare) >= len(token.markup)


def _named(markup: str) -> str:
    """The marks of a block in words, as they are hard to read in a sentence."""
    count = {3: "three", 4: "four", 5: "five"}.get(len(markup), str(len(markup)))
    return f"{count} {'backticks' if markup[0] == '`' else 'tildes'}, {markup}"


def _report_unclosed(
    file: SourceFile, begin: int, opening: str, token: Token, again: int, opens_again: bool, reporter: Reporter
) -> None:
    where = f" before the next one opens in line {again}" if opens_again else ""
    reporter.report(
        "fence-unclosed",
        f"this `{FENCE}` block is never closed{where}",
        Span(file.path, begin + 1, 1, begin + 1, len(opening) + 1),
        f"Close it: behind its last item, put a line that is nothing but {_named(token.markup)}.",
    )


def _report_unread(file: SourceFile, line: str, number: int, help: str, reporter: Reporter) -> None:
    reporter.report(
        "fence-unread",
        "this looks like the beginning of a block, but it isn't one, so what follows is not read",
        Span(file.path, number + 1, 1 + len(line) - len(line.lstrip()), number + 1, len(line.rstrip()) + 1),
        help or f"Write ```{FENCE} alone on its line, in small letters, and less than four spaces from the margin.",
    )


def chunks(file: SourceFile, fence: Fence, reporter: Reporter) -> list[Chunk]:
    """The items of a block: each begins at the left margin; comments at the margin go with what follows."""
    lines = file.text.split("\n")[fence.first - 1 : fence.last]
    result: list[Chunk] = []
    current: list[str] = []
    start = fence.first
    stray = False
    for number, raw in enumerate(lines, start=fence.first):
        line = fence.without_margin(raw)
        begins = bool(line.strip()) and not line.startswith(_CONTINUES)
        if begins:
            if current:
                result.append(Chunk("\n".join(current), start, fence.indent))
            current, start = [line], number
        elif current:
            current.append(line)
        elif line.strip() and not line.lstrip().startswith("--") and not stray:
            stray = True
            span = Span(file.path, number, 1 + len(raw) - len(raw.lstrip()), number, len(raw.rstrip()) + 1)
            reporter.report(
                "margin",
                "this line is indented, but there is no item above it that it could belong to",
                span,
                "An item (`rule`, `event`, `ruling`, …) begins at the left margin of its block.",
            )
    if current:
        result.append(Chunk("\n".join(current), start, fence.indent))
    return result
