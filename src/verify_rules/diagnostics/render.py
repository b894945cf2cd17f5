"""A diagnostic as text: place, message, the source line with a caret, what to do."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from verify_rules.diagnostics.diagnostic import Diagnostic
from verify_rules.source import SourceFile, Span


def width(text: str) -> int:
    """Columns that `text` takes on a terminal: Japanese letters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


# Of a longer line only what is around the mark is shown.
LONGEST = 200
BEFORE = 80


def _is_hidden(character: str) -> bool:
    """Whether a terminal shows nothing for it, or obeys it: control and format characters."""
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")


def visible(text: str) -> str:
    """The text with all that a terminal would hide or obey written as its code."""
    return "".join(f"U+{ord(c):04X}" if _is_hidden(c) and c != "\n" else c for c in text)


def _short(text: str, most: int = 1000) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def _excerpt(span: Span, files: Mapping[str, SourceFile]) -> list[str]:
    file = files.get(span.path)
    if file is None or span.line == 0:
        return []
    line = "".join("�" if _is_hidden(c) else c for c in file.line(span.line).replace("\t", " "))
    begin = span.column - 1
    end = max(span.end_column - 1 if span.end_line == span.line else len(line), span.column)
    if len(line) > LONGEST:
        first = max(0, begin - BEFORE)
        last = first + LONGEST
        left, right = "…" * (first > 0), "…" * (last < len(line))
        begin, end = begin - first + len(left), min(end, last) - first + len(left)
        line = left + line[first:last] + right
    marked = line[begin:end]
    number = str(span.line)
    gap = " " * len(number)
    caret = " " * width(line[:begin]) + "^" * max(1, width(marked.rstrip()))
    return [f"  {number} | {line}", f"  {gap} | {caret}"]


def render(diagnostic: Diagnostic, files: Mapping[str, SourceFile]) -> str:
    """The diagnostic in the form `file:line:column: error[code]: message`, with source lines and help."""
    span = diagnostic.span
    place = str(span) if span.line else span.path
    lines = [f"{place}: {diagnostic.severity}[{diagnostic.code}]: {_short(visible(diagnostic.message))}"]
    lines += _excerpt(span, files)
    for related in diagnostic.related:
        lines.append(f"  {related.span}: {_short(visible(related.message))}")
        lines += ["  " + line for line in _excerpt(related.span, files)]
    if diagnostic.help:
        lines.append(f"  help: {_short(visible(diagnostic.help))}")
    return "\n".join(lines)
