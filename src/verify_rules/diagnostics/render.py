"""A diagnostic as text: place, message, the source line with a caret, what to do."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from verify_rules.diagnostics.diagnostic import Diagnostic
from verify_rules.source import SourceFile, Span


def width(text: str) -> int:
    """Columns that `text` takes on a terminal: Japanese letters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _excerpt(span: Span, files: Mapping[str, SourceFile]) -> list[str]:
    file = files.get(span.path)
    if file is None or span.line == 0:
        return []
    line = file.line(span.line).replace("\t", " ")
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    marked = line[span.column - 1 : max(end, span.column)]
    number = str(span.line)
    gap = " " * len(number)
    caret = " " * width(line[: span.column - 1]) + "^" * max(1, width(marked.rstrip()))
    return [f"  {number} | {line}", f"  {gap} | {caret}"]


def render(diagnostic: Diagnostic, files: Mapping[str, SourceFile]) -> str:
    """The diagnostic in the form `file:line:column: error[code]: message`, with source lines and help."""
    span = diagnostic.span
    place = str(span) if span.line else span.path
    lines = [f"{place}: {diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    lines += _excerpt(span, files)
    for related in diagnostic.related:
        lines.append(f"  {related.span}: {related.message}")
        lines += ["  " + line for line in _excerpt(related.span, files)]
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    return "\n".join(lines)
