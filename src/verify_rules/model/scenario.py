"""Scenarios, rulings, claims and named cards: what is added on top of a rulebook (design 2.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from verify_rules.diagnostics import Related, Reporter, suggestion, way_out
from verify_rules.model import expr as e
from verify_rules.model import hints
from verify_rules.model import model as m
from verify_rules.model.fitting import in_range
from verify_rules.model.lookup import Faulty, Parts
from verify_rules.model.names import Names
from verify_rules.model.scope import Scope
from verify_rules.model.types import ABILITY, EFFECT, EnumType, Obj, SetType, Value
from verify_rules.model.typing import Typer
from verify_rules.parse import tree as t
from verify_rules.parse.slips import OF_A_CARD, ORDER
from verify_rules.source import SourceFile, Span


class Scenarios:
    """Resolves scenarios against a model; `files` is where the words of an expectation are looked up.

    `broken` are the names of what is declared with an error, the use of which is no further error.
    """

    def __init__(
        self, model: m.Model, files: Mapping[str, SourceFile], reporter: Reporter, broken: Iterable[str] = ()
    ) -> None:
        self.model = model
        self.files = files
        self.reporter = reporter
        self.names = Names.of(model)
        self.names.broken.update(broken)
        self.typer = Typer(self.names, reporter)

    def add(self, items: Iterable[t.Item]) -> m.Model:
        """The model with these cards, rulings and claims added; other items are left alone."""
        items = list(items)
        places: dict[str, Span] = {card.name: card.span for card in self.model.cards.values()}
        for card in (x for x in items if isinstance(x, t.Card)):
            if self._fresh(places, card.name, card.span, "a card"):
                self._card(card)
        rulings, claims = list(self.model.rulings), list(self.model.claims)
        named = {r.name: r.span for r in rulings}
        for node in items:
            if isinstance(node, t.Ruling) and self._fresh(named, node.name, node.span, "a ruling"):
                ruling = self.ruling(node)
                if ruling is not None:
                    rulings.append(ruling)
        claimed = {c.name: c.span for c in claims}
        for node in items:
            if isinstance(node, t.Claim) and self._fresh(claimed, node.name, node.span, "a claim"):
                self._check_dates(node.meta, node.span)
                try:
                    formula = self.typer.formula(node.formula, Scope())
                except Faulty:
                    continue
                claims.append(m.Claim(node.name, node.title, _meta(node.meta), node.mode, formula, node.span))
        return replace(
            self.model,
            cards=dict(self.names.cards),
            rulings=tuple(rulings),
            claims=tuple(claims),
            files={**self.model.files, **self.files},
        )

    def _fresh(self, places: dict[str, Span], name: str, span: Span, what: str) -> bool:
        first = places.setdefault(name, span)
        if first is not span:
            self.reporter.report(
                "duplicate",
                f"there is already {what} called `{name}`",
                self._word_span(span, name),
                "Rename or remove one of the two.",
                [Related(self._place_before(first, name), "the other one")],
            )
        return first is span

    def _place_before(self, span: Span, name: str) -> Span:
        file = self.files.get(span.path) or self.model.files.get(span.path)
        return span if file is None else file.find(name, span)

    # ------------------------------------------------------------ cards

    def _card(self, node: t.Card) -> None:
        values: dict[str, Value | m.Unknown] = {}
        opened = self._describe(values, node.types, node.grants, None, node.values, node.span)
        citations = []
        for citation in node.notes.citations:
            try:
                citations.append(self.typer.citation(citation))
            except Faulty:
                continue
        self.names.cards[node.name] = m.CardDefinition(
            node.name, values, opened, tuple(citations), node.quote, node.span
        )

    def _describe(
        self,
        values: dict[str, Value | m.Unknown],
        types: Sequence[str],
        grants: Sequence[t.Grant],
        owner: str | None,
        given: Sequence[t.CardValue],
        span: Span,
    ) -> bool:
        """Fill in the fixed fields that a card's words name; whether it may have further abilities."""
        setup = self.model.setup
        if types:
            self._words(values, setup.types, types, "types", span)
        opened = False
        for grant in grants:
            if grant.unknown:
                opened = True
                continue
            self._grant(values, grant)
        if owner is not None:
            if setup.owner is None:
                help = "Leave it out, or say in the `setup` which field it is: `of c.FIELD`."
                self.reporter.report(
                    "unknown-flag", "this model's cards have no `of`", self._word_span(span, "of"), help
                )
            else:
                place = self._word_span(span, owner)
                self._value(values, setup.owner, t.Name(owner, span=place), place)
        for value in given:
            self._card_value(values, value)
        return opened

    def _words(
        self, values: dict[str, Value | m.Unknown], field: str | None, words: Sequence[str], what: str, span: Span
    ) -> None:
        if field is None:
            place = self._word_span(span, words[0])
            help = f"Say in the `setup` which field they are: `{what} c.FIELD`."
            self.reporter.report("unknown-flag", f"this model's cards have no {what}", place, help)
            return
        variable = self.names.variables[field]
        enum = variable.type.element if isinstance(variable.type, SetType) else variable.type
        known = self.names.members(enum)
        for word in words:
            if word not in known and word not in self.names.broken:
                place = self._word_span(span, word)
                message = f"there is no {enum!s} called `{word}`"
                self.reporter.report("unknown-name", message, place, way_out(word, known))
        found = frozenset(word for word in words if word in known)
        values[field] = found if isinstance(variable.type, SetType) else next(iter(found), variable.default)

    def _word_span(self, span: Span, word: str) -> Span:
        """The place of a word in the text of `span`, or the whole of it."""
        file = self.files.get(span.path)
        return span if file is None else file.find(word, span)

    def _grant(self, values: dict[str, Value | m.Unknown], grant: t.Grant) -> None:
        field = self.model.setup.grants
        if field is None:
            help = "Leave it out, or say in the `setup` which field it is: `with c.FIELD`."
            self.reporter.report("unknown-flag", "this model's cards have no `with`", grant.span, help)
            return
        variable = self.names.variables[field]
        enum = variable.type.element if isinstance(variable.type, SetType) else variable.type
        node: t.Expr = t.Name(grant.name, span=grant.span)
        if grant.arguments:
            arguments = tuple(t.Argument(a, span=a.span) for a in grant.arguments)
            node = t.Call(grant.name, arguments, span=grant.span)
        known = [*self.names.members(enum), *self.names.constructors.get(str(enum), {})]
        if grant.name not in known and grant.name in self.names.broken:
            return
        if grant.name not in known:
            code = "unknown-ability" if str(enum) == "Ability" else "unknown-name"
            what = str(enum).lower() if str(enum) in (ABILITY, EFFECT) else str(enum)
            message = f"there is no {what} called `{grant.name}`"
            self.reporter.report(code, message, grant.span.first(len(grant.name)), way_out(grant.name, known))
            return
        try:
            expr = self.typer.expect(node, Scope(), enum)
        except Faulty:
            return
        if isinstance(expr, e.Const):
            before = values.get(field)
            added = frozenset({cast(Any, expr.value)})
            values[field] = before | added if isinstance(before, frozenset) else added

    def _card_value(self, values: dict[str, Value | m.Unknown], node: t.CardValue) -> None:
        variable = self.names.variables.get(node.field)
        fixed = [v.name for v in self.names.variables.values() if v.fixed]
        if node.field in self.names.broken and variable is None:
            return
        place = node.span.first(len(node.field))
        if variable is None or not variable.of_kind:
            hint = way_out(node.field, fixed)
            message = f"there is no field of a {self.names.kind} called `{node.field}`"
            self.reporter.report("unknown-field", message, place, hint)
            return
        if not variable.fixed:
            self.reporter.report(
                "sets-fixed",
                f"`{node.field}` changes during play, so a scenario can't begin with a value for it",
                place,
                "Say with steps how it came about.",
            )
            return
        if node.value is None and not node.choices:
            values[node.field] = m.Unknown()
        elif node.choices:
            found: dict[str, Value | m.Unknown] = {}
            choices = []
            for choice in node.choices:
                self._value(found, node.field, choice, choice.span)
                if node.field in found:
                    choices.append(cast(Value, found[node.field]))
            values[node.field] = m.Unknown(tuple(choices))
        else:
            self._value(values, node.field, cast(t.Expr, node.value), node.span)

    def _value(self, values: dict[str, Value | m.Unknown], field: str, node: t.Expr, span: Span) -> None:
        variable = self.names.variables[field]
        try:
            expr = self.typer.expect(node, Scope(), variable.type)
            in_range(self.typer, expr, variable.type)
        except Faulty:
            return
        if isinstance(expr, e.SetOf) and all(isinstance(x, e.Const) for x in expr.items):
            values[field] = frozenset(cast(Any, x).value for x in expr.items)
        elif isinstance(expr, e.Const):
            values[field] = expr.value
        else:
            help = hints.values_of(self.names, variable.type)
            self.reporter.report("not-constant", "a value in a scenario is a constant", span, help)

    # ------------------------------------------------------------ boards

    def entries(self, nodes: Sequence[t.Entry]) -> tuple[m.Entry, ...]:
        """The cards of a scenario."""
        objects: dict[str, Obj] = {}
        spans: dict[str, Span] = {}
        for node in nodes:
            if node.name in ("true", "false", "none", "self"):
                message = f"`{node.name}` is a word of the language"
                place = node.span.first(len(node.name))
                self.reporter.report("duplicate", message, place, "Choose another name.")
            taken = self.names.value_name(node.name)
            if taken:
                message = f"`{node.name}` is {taken}, so no card can be called so"
                place = node.span.first(len(node.name))
                self.reporter.report("taken-name", message, place, "Choose another name.")
            if node.name in objects:
                self.reporter.report(
                    "duplicate",
                    f"there are two cards called `{node.name}`",
                    node.span.first(len(node.name)),
                    "Rename one of the two.",
                    [Related(spans[node.name].first(len(node.name)), "the other one")],
                )
                continue
            objects[node.name] = Obj(node.name, len(objects))
            spans[node.name] = node.span
        result: list[m.Entry] = []
        for node in nodes:
            if spans[node.name] is not node.span:
                continue
            result.append(self._entry(node, objects))
        self._piles(result)
        return tuple(result)

    def _entry(self, node: t.Entry, objects: dict[str, Obj]) -> m.Entry:
        values: dict[str, Value | m.Unknown] = {}
        opened = False
        if node.card is not None:
            card = self.names.cards.get(node.card)
            if card is None:
                if node.card not in self.names.broken:
                    place = self._word_span(node.span, f'"{node.card}"')
                    message = f"there is no card called `{node.card}`"
                    help = suggestion(node.card, self.names.cards) or f'Define it: `card "{node.card}" : …`.'
                    self.reporter.report("unknown-card", message, place, help)
            else:
                values.update(card.values)
                opened = card.open_grants
        opened |= self._describe(values, node.types, node.grants, node.owner, node.values, node.span)
        flags = self.model.setup.flags
        for flag in node.flags:
            if flag in OF_A_CARD and flag not in flags:
                message = f"`{flag}` stands before `in play`"
                help = f"The order is `{ORDER}`."
                self.reporter.report("unknown-flag", message, self._word_span(node.span, flag), help)
                break
            if flag not in flags and flag not in self.names.broken:
                place = self._word_span(node.span, flag)
                message = f"`{flag}` means nothing after `in play`"
                self.reporter.report("unknown-flag", message, place, way_out(flag, [*flags, "under"]))
        setup = self.model.setup
        if node.in_play and setup.in_play is None and "in play" not in self.names.broken:
            self.reporter.report(
                "unknown-flag",
                "this model's cards can't be `in play`",
                self._word_span(node.span, "in play"),
                "Say in the `setup` what it means: `in play EVENT(…)`.",
            )
        if node.under and not setup.below:
            self.reporter.report(
                "unknown-flag",
                "this model's cards can't lie `under` others",
                self._word_span(node.span, "under"),
                "Name those that lie below in the `setup`: `setup for NAME: KIND over NAMES`.",
            )
        under: list[Obj] = []
        for name in node.under:
            if name not in objects:
                message = f"there is no card called `{name}` in this scenario"
                place = self._word_span(node.span, name)
                help = suggestion(name, objects) or "Declare it under `cards`."
                self.reporter.report("unknown-card", message, place, help)
            else:
                under.append(objects[name])
        known = tuple(flag for flag in node.flags if flag in flags)
        return m.Entry(objects[node.name], values, node.in_play, known, tuple(under), opened, node.card, node.span)

    def _piles(self, entries: Sequence[m.Entry]) -> None:
        """Report cards under cards that aren't in play, and circles."""
        table = {entry.object: entry for entry in entries}
        circles: set[Obj] = set()
        for entry in entries:
            for top in entry.under:
                if top in table and not table[top].in_play:
                    message = f"`{entry.object}` can't lie under `{top}`, which isn't in play"
                    self.reporter.report("placed-below", message, entry.span, f"Say `in play` of `{top}`.")
            above: set[Obj] = set()
            todo = list(entry.under)
            while todo:
                top = todo.pop()
                if top in table and top not in above:
                    above.add(top)
                    todo += table[top].under
            if entry.object in above and not above & circles:
                circles |= above
                message = f"`{entry.object}` lies under itself"
                self.reporter.report("placed-below", message, entry.span, "Let one of the cards be on top.")

    # ------------------------------------------------------------ scripts

    def scope(self, entries: Iterable[m.Entry]) -> Scope:
        """What formulas about this board may name."""
        return Scope(objects={entry.object.name: entry.object for entry in entries})

    def _check_dates(self, meta: t.Meta, span: Span) -> None:
        if meta.since and meta.until and meta.until <= meta.since:
            message = f"`until {meta.until}` is not later than `since {meta.since}`"
            place = self._word_span(span, f"until {meta.until}")
            self.reporter.report("dates", message, place, "`until` is the first day on which it is no longer so.")

    def ruling(self, node: t.Ruling) -> m.Ruling | None:
        """A ruling, or None when there is an error in it."""
        self._check_dates(node.meta, node.span)
        before = self.reporter.count
        entries = self.entries(node.cards)
        scope = self.scope(entries)
        lines: list[m.Line] = []
        unchecked: list[str] = []
        mistake = False
        faulty = False
        for line in node.script:
            try:
                match line:
                    case t.Step(call) | t.Mistaken(call):
                        lines.append(self.step(call, scope, isinstance(line, t.Mistaken), line.span))
                        mistake = mistake or isinstance(line, t.Mistaken)
                    case t.UnknownSteps(up_to, plural):
                        lines.append(m.UnknownSteps(up_to, plural, line.span))
                    case t.Expect(expectation):
                        lines.append(self.expectation(expectation, scope, mistake))
                    case t.Unchecked(text):
                        unchecked.append(text)
            except Faulty:
                faulty = True
        if self.reporter.count > before or faulty:
            return None
        self.idle(entries, lines)
        return m.Ruling(
            node.word,
            node.name,
            node.title,
            _meta(node.meta),
            m.Scenario(entries, tuple(lines)),
            tuple(unchecked),
            node.meta.out_of_scope,
            node.span,
        )

    def given(self, node: t.Given) -> m.Scenario:
        """The board and steps of `--given`."""
        entries = self.entries(node.cards)
        scope = self.scope(entries)
        lines: list[m.Line] = []
        for step in node.script:
            try:
                lines.append(self.step(step.call, scope, isinstance(step, t.Mistaken), step.span))
            except Faulty:
                continue
        return m.Scenario(entries, tuple(lines))

    def idle(self, entries: Sequence[m.Entry], lines: Sequence[m.Line]) -> None:
        """Warn of cards that nothing brings in: what is expected of them is true for the wrong reason."""
        if self.model.setup.in_play is None or any(isinstance(line, m.UnknownSteps) for line in lines):
            return
        asked = [x for line in lines if isinstance(line, m.ExpectFormula) for x in e.walk(line.formula)]
        arguments = [a for line in lines if isinstance(line, m.Step) for a in line.arguments]
        # A card that is asked about whether it could be brought in is rightly outside.
        arguments += [a for x in asked if isinstance(x, e.Happens | e.Triggers) for a in x.arguments]
        named = {x.value for a in arguments for x in e.walk(a) if isinstance(x, e.Const)}
        for entry in entries:
            if not entry.in_play and entry.object not in named:
                self.reporter.report(
                    "idle-card",
                    f"`{entry.object}` is not `in play`, and no step brings it in",
                    entry.span,
                    "Write `in play` behind it, let a step bring it in, or drop it.",
                )

    def step(self, call: t.Call, scope: Scope, mistaken: bool, span: Span) -> m.Step:
        """An event of a script."""
        event = self.typer.called(call, scope, action=mistaken)
        arguments = self.typer.arguments(call, event.parameters, scope)
        return m.Step(event.name, arguments, self.text(call.span), mistaken, span)

    def expectation(self, node: t.Expectation, scope: Scope, mistake: bool) -> m.Expectation:
        """An expectation; one about a mistake needs that there was one."""
        text = self.text(node.span)
        match node:
            case t.ExpectFormula(formula):
                return m.ExpectFormula(self.typer.formula(formula, scope), text, False, node.span)
            case t.ExpectOpen(formula):
                if isinstance(formula, t.Call) and formula.name in self.names.events:
                    formula = t.Verdict("can", formula, span=formula.span)
                return m.ExpectFormula(self.typer.formula(formula, scope), text, True, node.span)
            case t.ExpectRepaired() | t.ExpectNotRepairable():
                if not mistake:
                    self.typer.fail(
                        "no-mistake",
                        "there is no mistake before this line",
                        node.span,
                        "Put a step with `mistaken` before it.",
                    )
                if isinstance(node, t.ExpectNotRepairable):
                    return m.ExpectMistake(None, text, node.span)
                pair, parts = [], Parts()
                for name in (node.left, node.right):
                    with parts.one():
                        if name not in scope.objects:
                            place = self._word_span(node.span, name)
                            self.typer.unknown("unknown-card", "card", name, place, scope.objects)
                        pair.append(scope.objects[name])
                parts.done()
                return m.ExpectMistake((pair[0], pair[1]), text, node.span)

    def text(self, span: Span) -> str:
        """The words of a place, on one line."""
        file = self.files.get(span.path)
        if file is None:
            return ""
        lines = [file.line(number) for number in range(span.line, span.end_line + 1)]
        if not lines:
            return ""
        if span.end_line > span.line:
            lines[-1] = lines[-1][: span.end_column - 1]
            lines[0] = lines[0][span.column - 1 :]
        else:
            lines[0] = lines[0][span.column - 1 : span.end_column - 1]
        return " ".join(" ".join(line.split("--")[0].split()) for line in lines).strip()


def _meta(node: t.Meta) -> m.Meta:
    return m.Meta(node.cites, node.url, node.dated, node.kind, node.confidence, node.since, node.until, node.disputed)


__all__ = ["EnumType", "Scenarios"]
