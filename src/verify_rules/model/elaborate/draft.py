"""A model in the making, and what every pass over it needs: places of declarations, terms, citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from verify_rules.diagnostics import Related, Reporter
from verify_rules.model import model as m
from verify_rules.model.lookup import Faulty
from verify_rules.model.names import BUILT_IN, Names
from verify_rules.model.typing import Typer
from verify_rules.parse import tree as t
from verify_rules.source import NOWHERE, SourceFile, Span


class Draft:
    """A model in the making: what the passes hand on. Errors go to the reporter; what has an error is left out."""

    def __init__(
        self, documents: Sequence[t.Document], files: Mapping[str, SourceFile], reporter: Reporter, as_of: date | None
    ) -> None:
        self.items: list[t.Item] = [item for document in documents for item in document.items]
        self.files = dict(files)
        self.reporter = reporter
        self.as_of = as_of
        self.names = Names()
        self.typer = Typer(self.names, reporter)
        self.title = ""
        self.terms: dict[str, str] = {}
        self.places: dict[tuple[str, str], Span] = {}
        self.field_trees: list[tuple[t.Field, bool]] = []
        self.define_trees: dict[str, t.Define] = {}
        self.status_clauses: dict[str, list[m.StatusClause]] = {}
        self.norms: dict[str, list[m.Norm]] = {}
        self.lifts: dict[str, list[m.Lift]] = {}
        self.precedence: tuple[tuple[str, m.NormWord], ...] = ()

    def of(self, *classes: type) -> list[Any]:
        """The items of these classes, in order."""
        return [item for item in self.items if isinstance(item, classes)]

    def declare(self, space: str, name: str, span: Span, what: str) -> bool:
        """Note a declaration; False (and an error with both places) if the name is taken in its space."""
        if name in BUILT_IN:
            self.reporter.report("duplicate", f"`{name}` is a word of the language", span, "Choose another name.")
            return False
        first = self.places.setdefault((space, name), span)
        if first is not span:
            self.reporter.report(
                "duplicate",
                f"there is already {what} called `{name}`",
                span,
                "Rename or remove one of the two.",
                [Related(first, "the other one")],
            )
            return False
        return True

    def note_term(self, name: str, term: str | None) -> None:
        """Note what users call `name`."""
        if term:
            self.terms.setdefault(name, term)

    def twice(self, span: Span, first: Span, message: str) -> None:
        """Report a second one of what there may be one of."""
        self.reporter.report("duplicate", message, span, "Remove one of the two.", [Related(first, "the other one")])

    def missing(self, what: str) -> None:
        """Report that the model lacks a declaration."""
        path = min(self.files) if self.files else ""
        self.reporter.report("missing-declaration", f"the model has no {what}", Span(path, 0, 0, 0, 0))

    def citations(self, notes: t.Notes) -> tuple[m.Citation, ...]:
        """The citations of a block or reading; its dates are checked too."""
        found = []
        for node in notes.citations:
            try:
                found.append(self.typer.citation(node))
            except Faulty:
                continue
        if notes.since and notes.until and notes.until <= notes.since:
            span = notes.citations[0].span if notes.citations else NOWHERE
            self.reporter.report("dates", f"`until {notes.until}` is not later than `since {notes.since}`", span)
        return tuple(found)

    def unknown_type(self, name: str, span: Span, known: list[str]) -> None:
        """Report a type that isn't there."""
        try:
            self.typer.unknown("unknown-type", "type", name, span, known)
        except Faulty:
            return
