"""The diagnostic: one finding about a model's text, and the collector that every stage writes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
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


# Names that a model lacks: one mistake, however often the name is used.
ONE_MISTAKE = frozenset(code for code in CATALOGUE if code.startswith("unknown-")) - {
    "unknown-card",
    "unknown-flag",
    "unknown-label",
}
MOST_PLACES = 5


def _together(found: list[Diagnostic]) -> Diagnostic:
    """The first of several about one mistake, with the places of the others."""
    first, others = found[0], found[1:]
    if not others:
        return first
    places = [Related(d.span, "and here") for d in others[:MOST_PLACES]]
    if len(others) > MOST_PLACES:
        rest = len(others) - MOST_PLACES
        places[-1] = Related(places[-1].span, f"and here, and in {rest} more place{'s' * (rest > 1)}")
    return replace(first, related=(*first.related, *places))


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
        """All that was found, in source order; a name that isn't there is one error, wherever it is used."""
        kept: dict[object, list[Diagnostic]] = {}
        for d in in_order(self._found.values()):
            kept.setdefault((d.code, d.message) if d.code in ONE_MISTAKE else d, []).append(d)
        return tuple(_together(found) for found in kept.values())

    @property
    def count(self) -> int:
        """How many there are: to see whether something has been added."""
        return len(self._found)

    @property
    def failed(self) -> bool:
        """Whether there is an error among them."""
        return any(d.severity == "error" for d in self._found.values())


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sorted by file, line, column, code."""
    return tuple(sorted(diagnostics, key=lambda d: (d.span, d.code, d.message)))


def suggestion(word: str, known: Iterable[str]) -> str:
    """“Did you mean …?” with the nearest other known word, or nothing when none is near."""
    near = nearest(word, known)
    return f"Did you mean `{near}`?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The nearest other known word, or nothing when none is near."""
    import difflib

    others = sorted(set(known) - {word})
    alike = [x for x in others if x.casefold() == word.casefold()]
    near = alike or difflib.get_close_matches(word, others, n=1, cutoff=0.6)
    return near[0] if near else ""


MOST_KNOWN = 8
LISTS_ALL = "verify-rules dump --stage model"


def known_words(known: Iterable[str], every: bool = False) -> str:
    """The words that there are; of more than a few only the first unless `every`, and what lists all of them."""
    words = list(dict.fromkeys(known))
    if not words:
        return ""
    if every or len(words) <= MOST_KNOWN:
        return f"Known: {', '.join(words)}."
    return f"Known: {', '.join(words[:MOST_KNOWN])}, …; `{LISTS_ALL}` lists all."


def way_out(word: str, known: Iterable[str], every: bool = False) -> str:
    """The nearest known word, or the known ones where none is near."""
    words = list(known)
    return suggestion(word, words) or known_words(words, every) or "There is none yet: declare it."
