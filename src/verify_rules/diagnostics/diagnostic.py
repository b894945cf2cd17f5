"""The diagnostic: one finding about a model's text, and the collector that every stage writes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from verify_rules.diagnostics.catalogue import CATALOGUE
from verify_rules.source import Span

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Related:
    """A second place that belongs to a diagnostic, with what it has to do with it."""

    span: Span
    message: str


@dataclass(frozen=True)
class Diagnostic:
    """A finding: `code` (see `catalogue.py`), `message` in one sentence, `help` says what to do."""

    code: str
    message: str
    span: Span
    help: str = ""
    related: tuple[Related, ...] = ()

    @property
    def severity(self) -> Severity:
        """Errors stop a model from being used, warnings don't."""
        return CATALOGUE[self.code].severity


class Reporter:
    """Collects diagnostics; the same one at the same place is kept once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Span, str], Diagnostic] = {}

    def report(
        self,
        code: str,
        message: str,
        span: Span,
        help: str = "",
        related: Iterable[Related] = (),
    ) -> None:
        """Add a diagnostic; the code has to be in the catalogue."""
        if code not in CATALOGUE:
            raise KeyError(f"{code} is not in the catalogue of diagnostics")
        diagnostic = Diagnostic(code, message, span, help, tuple(related))
        self._found.setdefault((code, span, message), diagnostic)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that was found, in source order."""
        return in_order(self._found.values())

    @property
    def failed(self) -> bool:
        """Whether there is an error among them."""
        return any(d.severity == "error" for d in self._found.values())


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sorted by file, line, column, code."""
    return tuple(sorted(diagnostics, key=lambda d: (d.span, d.code, d.message)))


def suggestion(word: str, known: Iterable[str]) -> str:
    """“Did you mean …?” with the nearest known word, or nothing when none is near."""
    import difflib

    near = difflib.get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)
    return f"Did you mean `{near[0]}`?" if near else ""
