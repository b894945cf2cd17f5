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
from verify_rules.source import SourceFile, Span


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
        broken = [item for document in documents for item in document.broken]
        self.names.broken.update(word for item in broken for word in item.words)
        self.broken_items = {item.keyword for item in broken}
        self.typer = Typer(self.names, reporter)
        self.title = ""
        self.terms: dict[str, str] = {}
        self.places: dict[tuple[str, str], Span] = {}
        self.field_trees: list[tuple[t.Field, bool]] = []
        self.define_trees: dict[str, t.Define] = {}
        self.status_clauses: dict[str, list[m.StatusClause]] = {}
        self.norms: dict[str, list[m.Norm]] = {}
        self.lifts: dict[str, list[m.Lift]] = {}
        self.amendments: dict[str, list[m.Amendment]] = {}
        self.triggers: dict[str, list[m.Trigger]] = {}
        self.precedence: tuple[tuple[str, m.NormWord], ...] = ()

    def of(self, *classes: type) -> list[Any]:
        """The items of these classes, in order."""
        return [item for item in self.items if isinstance(item, classes)]

    def declare(self, space: str, name: str, span: Span, what: str) -> bool:
        """Note a declaration; False (and an error with both places) if the name is taken in its space."""
        if name in BUILT_IN:
            self.word_of_language(name, span)
            return False
        first = self.places.setdefault((space, name), span)
        if first is not span:
            self.names.broken.add(name)
            self.reporter.report(
                "duplicate",
                f"there is already {what} called `{name}`",
                self.word(name, span),
                "Rename or remove one of the two.",
                [Related(self.word(name, first), "the other one")],
            )
            return False
        return True

    def word_of_language(self, name: str, span: Span) -> None:
        """Report a name that the language has for itself."""
        place = self.word(name, span)
        self.reporter.report("duplicate", f"`{name}` is a word of the language", place, "Choose another name.")

    def declare_value(self, name: str, span: Span, parameters: int) -> bool:
        """Note what formulas name in the same way as something else: alone (`name`), or behind a dot (`c.name`)."""
        if parameters > 1:
            return True
        what = "a field, or a status or definition of one argument,"
        if parameters:
            return self.declare("dotted", name, span, what)
        return self.declare("alone", name, span, "a variable, reading or definition")

    def in_force(self, notes: t.Notes) -> bool:
        """Whether something dated is in force on the day; without one, whether it is in force in the newest version."""
        if self.as_of is None:
            return notes.until is None
        since, until = notes.since, notes.until
        return (since is None or since <= self.as_of) and (until is None or self.as_of < until)

    def word(self, word: str, span: Span) -> Span:
        """Where a word of the item at `span` stands."""
        file = self.files.get(span.path)
        return span if file is None else file.find(word, span)

    def note_term(self, name: str, term: str | None) -> None:
        """Note what users call `name`."""
        if term:
            self.terms.setdefault(name, term)

    def twice(self, span: Span, first: Span, message: str) -> None:
        """Report a second one of what there may be one of."""
        self.reporter.report("duplicate", message, span, "Remove one of the two.", [Related(first, "the other one")])

    def missing(self, keyword: str, what: str) -> None:
        """Report that the model lacks an item that begins with `keyword`, if it isn't there with an error."""
        if keyword in self.broken_items:
            return
        path = min(self.files) if self.files else ""
        help = "Add it to one of the model's files."
        self.reporter.report("missing-declaration", f"the model has no {what}", Span(path, 0, 0, 0, 0), help)

    def citations(self, notes: t.Notes, span: Span) -> tuple[m.Citation, ...]:
        """The citations of a block or reading; its dates are checked too."""
        found = []
        for node in notes.citations:
            try:
                found.append(self.typer.citation(node))
            except Faulty:
                continue
        if notes.since and notes.until and notes.until <= notes.since:
            message = f"`until {notes.until}` is not later than `since {notes.since}`"
            place = self.word(f"until {notes.until}", span)
            self.reporter.report("dates", message, place, "`until` is the first day on which it is no longer so.")
        return tuple(found)

    def unknown_type(self, name: str, span: Span, known: list[str]) -> None:
        """Report a type that isn't there."""
        try:
            self.typer.unknown("unknown-type", "type", name, span, known)
        except Faulty:
            return
