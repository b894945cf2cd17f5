"""Names as they are used: looked up in the tables, and what is wrong with them told to the author of the model."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn

from verify_rules.diagnostics import Related, Reporter, known_words, suggestion
from verify_rules.model import expr as e
from verify_rules.model import hints
from verify_rules.model import model as m
from verify_rules.model.names import BUILT_IN, Names
from verify_rules.parse import tree as t
from verify_rules.source import Span

# What a model has few of is always named in full.
SHORT_LISTS = frozenset(("unknown-source", "unknown-version", "unknown-strength"))


class Faulty(Exception):
    """A formula with an error that has been reported."""


class Parts:
    """Parts of something that are looked at one by one, so that each error is reported; then `done` gives the whole up.

    `with parts.one(): …` goes on behind a part that has an error.
    """

    def __init__(self) -> None:
        self.failed = False

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """Look at one part."""
        try:
            yield
        except Faulty:
            self.failed = True

    def done(self) -> None:
        """Raise `Faulty` if one of the parts has an error."""
        if self.failed:
            raise Faulty


class Lookup:
    """Finds what a name or a citation means; errors go to the reporter, and `Faulty` ends what has one."""

    def __init__(self, names: Names, reporter: Reporter) -> None:
        self.names = names
        self.reporter = reporter

    # ------------------------------------------------------------ errors

    def fail(self, code: str, message: str, span: Span, help: str = "", related: Iterable[Related] = ()) -> NoReturn:
        """Report an error and give the formula up."""
        self.reporter.report(code, message, span, help, related)
        raise Faulty

    def unknown(self, code: str, what: str, name: str, span: Span, known: Iterable[str], help: str = "") -> NoReturn:
        """Report an unknown name, with the nearest known one, else with `help` or those that there are.

        One whose declaration has an error is passed over.
        """
        self.pass_over(name)
        known = list(known)
        hint = suggestion(name, known) or help or known_words(known, code in SHORT_LISTS)
        self.fail(code, f"there is no {what} called `{name}`", span, hint or f"Declare it, or name another {what}.")

    def pass_over(self, *names: str) -> None:
        """Give up without an error if the declaration of one of these names has one already."""
        if not self.names.broken.isdisjoint(names):
            raise Faulty

    def wrong_arity(self, call: t.Call, names: Sequence[str]) -> NoReturn:
        """Report that a call has too many or too few arguments."""
        self.pass_over(call.name)
        wanted = ", ".join(names)
        count = len(call.arguments)
        self.fail(
            "wrong-arity",
            f"`{call.name}` has {count} argument{'s' * (count != 1)} here, but needs {len(names)}",
            call.span,
            f"Its parameters: {call.name}({wanted}).",
        )

    # ------------------------------------------------------------ names

    def may_bind(self, name: str, span: Span, taken: Iterable[str] = ()) -> None:
        """Report a name for something new that is a word of the language, or stands for something else here."""
        if name in BUILT_IN:
            self.fail("duplicate", f"`{name}` is a word of the language", span.first(len(name)), "Choose another name.")
        if name in taken:
            message = f"`{name}` stands for something else here, which this would hide"
            self.fail("taken-name", message, span.first(len(name)), "Choose another name.")

    def event(self, call: t.Call | t.Head) -> m.Event:
        """The event or action that is called."""
        event = self.names.events.get(call.name)
        if event is None:
            place = call.span.first(len(call.name))
            known = () if (help := hints.no_event(self.names, call.name)) else self.names.events
            self.unknown("unknown-event", "event", call.name, place, known, help)
        return event

    def action(self, name: str, span: Span) -> m.Event:
        """The action of this name."""
        event = self.names.events.get(name)
        span = span.first(len(name))
        if event is None or not event.action:
            actions = [x.name for x in self.names.events.values() if x.action]
            if event is not None:
                message = f"`{name}` is an event, not an action: no norm speaks about it"
                self.fail("unknown-action", message, span, "If rules permit or forbid it, declare it as an `action`.")
            self.unknown("unknown-action", "action", name, span, actions)
        return event

    def decider(self, node: t.Name | t.Citation) -> e.By:
        """The blocks that `by R` means."""
        blocks = self.names.blocks.values()
        if isinstance(node, t.Name):
            found = frozenset(b.id for b in blocks if b.name == node.name)
            if not found and node.name not in self.names.dormant:
                known = [b.name for b in blocks]
                self.unknown("unknown-rule", "rule, ability or effect", node.name, node.span, known)
            return e.By(found, node.name)
        citation = self.citation(node)
        found = frozenset(b.id for b in blocks if citation in b.citations)
        if not found and str(citation) not in self.names.dormant:
            self.pass_over(citation.paragraph)
            known = [c.paragraph for b in blocks for c in b.citations if c.source == citation.source]
            hint = hints.paragraph(citation.paragraph, known)
            self.fail("unknown-citation", f"no rule cites {citation}", node.span, hint)
        return e.By(found, str(citation))

    def triggering(self, node: t.Name) -> e.By:
        """The blocks that `triggers A` means."""
        blocks = [b for b in self.names.blocks.values() if b.what != "group"]
        found = frozenset(b.id for b in blocks if b.name == node.name)
        if not found and node.name not in self.names.dormant:
            self.unknown("unknown-rule", "rule, ability or effect", node.name, node.span, [b.name for b in blocks])
        return e.By(found, node.name)

    def citation(self, node: t.Citation) -> m.Citation:
        """A citation, its source and version checked."""
        source = self.names.sources.get(node.source)
        if source is None:
            place = node.span.first(len(node.source))
            self.unknown("unknown-source", "source", node.source, place, self.names.sources)
        numbers = [v.number for v in source.versions]
        if node.version is not None and node.version not in numbers:
            self.unknown("unknown-version", f"version of {node.source}", node.version, node.span, numbers)
        version = node.version or numbers[0]
        return m.Citation(node.source, node.paragraph, version, version == numbers[0])

    def slots(self, call: t.Call, parameters: Sequence[m.Parameter]) -> dict[str, t.Argument]:
        """The arguments of a call by the names of the parameters that they are for."""
        slots: dict[str, t.Argument] = {}
        names = [p.name for p in parameters]
        position = 0
        for argument in call.arguments:
            if argument.label is not None:
                if argument.label not in names:
                    place = argument.span.first(len(argument.label))
                    self.pass_over(call.name)
                    message = f"`{call.name}` has no parameter called `{argument.label}`"
                    self.fail("unknown-label", message, place, f"Its parameters: {call.name}({', '.join(names)}).")
                name = argument.label
            elif position < len(names):
                name = names[position]
                position += 1
            else:
                self.wrong_arity(call, names)
            if name in slots:
                self.fail("duplicate", f"`{name}` is given twice", argument.span, "Leave one of the two out.")
            slots[name] = argument
        return slots
