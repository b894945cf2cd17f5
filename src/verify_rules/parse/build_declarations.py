"""The grammar's declarations → their trees: vocabulary, events and actions, blocks and clauses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from lark import Token
from lark.tree import Meta

from verify_rules.parse import tree as t
from verify_rules.parse.build_pieces import NOTES, Piece, Pieces, Places, day, string
from verify_rules.source import Span

PART_NODES = (t.Requires, t.Resets, t.Sets, t.ForEach, t.Carries, t.Does, t.Group)
CLAUSE_NODES = (t.StatusClause, t.Norm, t.Lifts, t.Amends, t.TriggerClause)


def _end_at(span: Span, last: Span) -> Span:
    """The span, ending where `last` ends."""
    return Span(span.path, span.line, span.column, last.end_line, last.end_column)


def _outdent(parts: tuple[t.Part, ...]) -> tuple[t.Part, ...]:
    """The parts of an event or group, with those taken out of a `for` or `rule` that only follow it.

    The grammar gives a `for` or `rule` all that comes after it. What begins a line and isn't indented deeper than the
    word `for` or `rule` doesn't belong to it.
    """
    result: list[t.Part] = []
    for part in parts:
        result.append(part)
        if not isinstance(part, t.ForEach | t.Group):
            continue
        inside = part.parts
        first = 1 if isinstance(part, t.ForEach) else 0
        for i in range(first, len(inside)):
            at = inside[i].span
            before = inside[i - 1].span.end_line if i else part.span.line
            if at.line > before and at.column <= part.span.column:
                here = part.span
                word = Span(here.path, here.line, here.column, here.line, here.column + len("rule"))
                span = _end_at(here, inside[i - 1].span) if i else word
                result[-1] = replace(part, parts=cast(Any, inside[:i]), span=span)
                result += inside[i:]
                break
    return tuple(result)


def _paragraph(citation: t.Citation) -> dict[str, Any]:
    return {"paragraph": citation.paragraph, "span": citation.span}


class Declarations(Places):
    """One method per rule of the chapters on vocabulary, events and blocks."""

    # ------------------------------------------------------------ vocabulary

    def game(self, meta: Meta, c: list[Any]) -> t.Game:
        return t.Game(string(c[0]), span=self.span(meta))

    def version(self, meta: Meta, c: list[Any]) -> t.SourceVersion:
        return t.SourceVersion(str(c[0]), day(c[1]) if len(c) > 1 else None, span=self.span(meta))

    def source(self, meta: Meta, c: list[Any]) -> t.Source:
        p = Pieces(c)
        return t.Source(str(c[0]), p.string(), p.nodes(t.SourceVersion), span=self.span(meta))

    def member(self, meta: Meta, c: list[Any]) -> t.Member:
        p = Pieces(c)
        names = p.names()
        return t.Member(names[0], tuple(names[1:]), p.string(), span=self.span(meta))

    def enum(self, meta: Meta, c: list[Any]) -> t.Enum:
        p = Pieces(c)
        return t.Enum(str(c[0]), p.string(), p.nodes(t.Member), span=self.span(meta))

    def label_list(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("labels", tuple(str(name) for name in c), self.span(meta))

    def mark_of(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("mark", str(c[0]), self.span(meta))

    def mark_clock(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("clock", True, self.span(meta))

    def _field(self, meta: Meta, c: list[Any], variable: bool) -> t.Field:
        p = Pieces(c)
        types = p.nodes(t.TypeBool, t.TypeInt, t.TypeName, t.TypeOptional, t.TypeSet, t.TypePer)
        return t.Field(
            p.part("labels"),
            types[0],
            p.part("default"),
            p.string(),
            variable,
            p.parts("mark"),
            bool(p.part("clock")),
            span=self.span(meta),
        )

    def field(self, meta: Meta, c: list[Any]) -> t.Field:
        return self._field(meta, c, Pieces(c).has("VAR"))

    def kind(self, meta: Meta, c: list[Any]) -> t.Kind:
        p = Pieces(c)
        return t.Kind(str(c[0]), p.string(), p.nodes(t.Field), span=self.span(meta))

    def var(self, meta: Meta, c: list[Any]) -> t.Var:
        return t.Var(self._field(meta, c, True), span=self.span(meta))

    def union(self, meta: Meta, c: list[Any]) -> t.Union:
        p = Pieces(c)
        return t.Union(str(c[0]), p.string(), tuple(p.names()[1:]), span=self.span(meta))

    def invariant(self, meta: Meta, c: list[Any]) -> t.Invariant:
        p = Pieces(c)
        name = next((str(x) for x in c if isinstance(x, Token) and x.type == "LABEL"), None)
        return t.Invariant(name, p.string(), c[-1], span=self.span(meta))

    def define(self, meta: Meta, c: list[Any]) -> t.Define:
        p = Pieces(c)
        return t.Define(str(c[0]), p.part("parameters") or (), p.string(), c[-1], span=self.span(meta))

    def status(self, meta: Meta, c: list[Any]) -> t.Status:
        p = Pieces(c)
        return t.Status(str(c[0]), p.part("parameters"), p.string(), p.has("LIVE"), span=self.span(meta))

    # ------------------------------------------------------------ events

    def requires(self, meta: Meta, c: list[Any]) -> t.Requires:
        return t.Requires(Pieces(c).string(), c[-1], span=self.span(meta))

    def except_(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("except", tuple(str(name) for name in c), self.span(meta))

    def resets(self, meta: Meta, c: list[Any]) -> t.Resets:
        return t.Resets(c[0], Pieces(c).part("except") or (), span=self.span(meta))

    def assign(self, meta: Meta, c: list[Any]) -> t.Assign:
        return t.Assign(c[0], c[1], Pieces(c).part("when"), span=self.span(meta))

    def sets(self, meta: Meta, c: list[Any]) -> t.Sets:
        return t.Sets(tuple(c), span=self.span(meta))

    def carries(self, meta: Meta, c: list[Any]) -> t.Carries:
        return t.Carries(c[0], c[1], span=self.span(meta))

    def for_each(self, meta: Meta, c: list[Any]) -> t.ForEach:
        p = Pieces(c)
        parts = p.nodes(t.Resets, t.Sets, t.Carries)
        return t.ForEach(str(c[0]), str(c[1]), p.part("where"), parts, span=self.span(meta))

    def does(self, meta: Meta, c: list[Any]) -> t.Does:
        return t.Does(c[0], Pieces(c).part("when"), span=self.span(meta))

    def group(self, meta: Meta, c: list[Any]) -> t.Group:
        self.once(c, *NOTES)
        p = Pieces(c)
        return t.Group(str(c[0]), p.string(), p.notes(), _outdent(p.nodes(*PART_NODES)), span=self.span(meta))

    def _event(self, meta: Meta, c: list[Any], action: bool) -> t.Event:
        p = Pieces(c)
        parts = _outdent(p.nodes(*PART_NODES))
        return t.Event(str(c[0]), p.part("parameters"), p.string(), parts, action, span=self.span(meta))

    def event(self, meta: Meta, c: list[Any]) -> t.Event:
        return self._event(meta, c, False)

    def action(self, meta: Meta, c: list[Any]) -> t.Event:
        return self._event(meta, c, True)

    # ------------------------------------------------------------ blocks and clauses

    def paragraph(self, meta: Meta, c: list[Any]) -> t.Citation:
        return t.Citation("", string(c[0]), span=self.span(meta))

    def cites(self, meta: Meta, c: list[Any]) -> Piece:
        found: list[t.Citation] = []
        for citation in c:  # `SOURCE "505.2", "506.1e"`: the source and version of the one before
            found.append(citation if citation.source else replace(found[-1], **_paragraph(citation)))
        return Piece("cites", tuple(found), self.span(meta))

    def since(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("since", day(c[0]), self.span(meta))

    def until(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("until", day(c[0]), self.span(meta))

    def _block(self, what: Any, meta: Meta, c: list[Any]) -> t.Block:
        self.once(c, *NOTES)
        p = Pieces(c)
        return t.Block(
            what,
            str(c[0]),
            p.string(),
            p.notes(),
            p.nodes(*CLAUSE_NODES),
            p.part("parameters") or (),
            p.part("holder"),
            span=self.span(meta),
        )

    def rule(self, meta: Meta, c: list[Any]) -> t.Block:
        return self._block("rule", meta, c)

    def ability(self, meta: Meta, c: list[Any]) -> t.Block:
        return self._block("ability", meta, c)

    def effect(self, meta: Meta, c: list[Any]) -> t.Block:
        return self._block("effect", meta, c)

    def head(self, meta: Meta, c: list[Any]) -> t.Head:
        patterns = []
        for part in c[1:]:
            if part.what == "wildcard":
                patterns.append(t.Pattern(span=part.span))
            elif part.what == "typed":
                name, type_name = part.value
                patterns.append(t.Pattern(None, name, type_name, span=part.span))
            else:
                patterns.append(t.Pattern(part.value, span=part.span))
        return t.Head(str(c[0]), tuple(patterns), span=self.span(meta))

    def gives(self, meta: Meta, c: list[Any]) -> t.StatusClause:
        return t.StatusClause(c[0], Pieces(c).part("when"), False, span=self.span(meta))

    def takes(self, meta: Meta, c: list[Any]) -> t.StatusClause:
        return t.StatusClause(c[0], Pieces(c).part("when"), True, span=self.span(meta))

    def norm(self, meta: Meta, c: list[Any]) -> t.Norm:
        p = Pieces(c)
        return t.Norm(
            cast(Any, str(c[0])),
            p.nodes(t.Head)[0],
            p.part("strength"),
            p.string(),
            p.part("when"),
            span=self.span(meta),
        )

    def origin_rules(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("origin", ("rules", None), self.span(meta))

    def origin_effects(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("origin", ("effects", None), self.span(meta))

    def origin_abilities(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("origin", ("abilities", c[0] if c else None), self.span(meta))

    def victim_rule(self, meta: Meta, c: list[Any]) -> t.Victim:
        return t.Victim("rule", str(c[0]), span=self.span(meta))

    def victim_ability(self, meta: Meta, c: list[Any]) -> t.Victim:
        return t.Victim("ability", str(c[0]), span=self.span(meta))

    def victim_effect(self, meta: Meta, c: list[Any]) -> t.Victim:
        return t.Victim("effect", str(c[0]), span=self.span(meta))

    def victim_class(self, meta: Meta, c: list[Any]) -> t.Victim:
        p = Pieces(c)
        names = p.names()
        word = next(str(x) for x in c if isinstance(x, Token) and x.type == "NORM")
        origin, owner = p.part("origin") or (None, None)
        return t.Victim(
            "class", None, names[0] if names else None, cast(Any, word), origin, owner, span=self.span(meta)
        )

    def lifts(self, meta: Meta, c: list[Any]) -> t.Lifts:
        p = Pieces(c)
        return t.Lifts(p.nodes(t.Victim), p.nodes(t.Head)[0], p.part("when"), span=self.span(meta))

    def amends(self, meta: Meta, c: list[Any]) -> t.Amends:
        p = Pieces(c)
        word = next(str(x) for x in c if isinstance(x, Token) and x.type == "AMENDS")
        parts = cast(Any, _outdent(p.nodes(*PART_NODES)))
        head = p.nodes(t.Head)[0]
        return t.Amends(cast(Any, word), head, p.part("when"), parts, p.part("strength"), span=self.span(meta))

    def triggers_on(self, meta: Meta, c: list[Any]) -> t.TriggerClause:
        return t.TriggerClause(False, c[0], Pieces(c).part("when"), span=self.span(meta))

    def triggers_after(self, meta: Meta, c: list[Any]) -> t.TriggerClause:
        return t.TriggerClause(True, c[0], Pieces(c).part("when"), span=self.span(meta))

    def level(self, meta: Meta, c: list[Any]) -> t.Level:
        return t.Level(str(c[0]), cast(Any, str(c[1])), span=self.span(meta))

    def precedence(self, meta: Meta, c: list[Any]) -> t.Precedence:
        return t.Precedence(tuple(c), span=self.span(meta))

    def option(self, meta: Meta, c: list[Any]) -> t.Option:
        p = Pieces(c)
        return t.Option(str(c[0]), p.string(), p.has("DEFAULT"), span=self.span(meta))

    def reading(self, meta: Meta, c: list[Any]) -> t.Reading:
        self.once(c, *NOTES)
        p = Pieces(c)
        return t.Reading(str(c[0]), p.string(), p.notes(), p.nodes(t.Option), span=self.span(meta))


# The grammar's rule `except` is a word of Python too.
setattr(Declarations, "except", Declarations.except_)
