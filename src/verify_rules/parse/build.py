"""Lark's parse tree → the syntax tree of `tree.py`: one method per rule of the grammar, nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any, cast

from lark import Token, Transformer, v_args
from lark.tree import Meta

from verify_rules.parse import tree as t
from verify_rules.source import NOWHERE, Span

OPERATORS = {"!=": "≠", "<=": "≤", ">=": "≥"}


class _Part:
    """A piece of an item on its way up: the optional parts of a rule, told apart by `what`."""

    def __init__(self, what: str, value: Any, span: Span) -> None:
        self.what = what
        self.value = value
        self.span = span


def _words(text: str) -> str:
    return " ".join(text.split())


def _string(token: Token) -> str:
    return str(token)[1:-1]


class _Parts:
    """The children of a node, picked by kind: strings, named parts, nodes of a class."""

    def __init__(self, children: list[Any]) -> None:
        self.children = children

    def string(self) -> str | None:
        """The first STRING."""
        return next((_string(c) for c in self.children if isinstance(c, Token) and c.type == "STRING"), None)

    def names(self) -> list[str]:
        """All NAMEs."""
        return [str(c) for c in self.children if isinstance(c, Token) and c.type in ("NAME", "LABEL")]

    def has(self, token_type: str) -> bool:
        """Whether a token of this type is there."""
        return any(isinstance(c, Token) and c.type == token_type for c in self.children)

    def part(self, what: str) -> Any:
        """The value of the named part, or None."""
        return next((c.value for c in self.children if isinstance(c, _Part) and c.what == what), None)

    def parts(self, what: str) -> tuple[Any, ...]:
        """The values of all parts of this name."""
        return tuple(c.value for c in self.children if isinstance(c, _Part) and c.what == what)

    def nodes(self, *classes: type) -> tuple[Any, ...]:
        """All children of these classes."""
        return tuple(c for c in self.children if isinstance(c, classes))

    def notes(self) -> t.Notes:
        """The citations and dates."""
        return t.Notes(sum(self.parts("cites"), ()), self.part("since"), self.part("until"))


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


PART_NODES = (t.Requires, t.Resets, t.Sets, t.ForEach, t.Carries, t.Does, t.Group)
CLAUSE_NODES = (t.StatusClause, t.Norm, t.Lifts)
EXPR_NODES = (
    t.Name,
    t.Number,
    t.SetLiteral,
    t.Call,
    t.Access,
    t.Index,
    t.Negation,
    t.Chain,
    t.Binary,
    t.IsA,
    t.Contains,
    t.IfElse,
    t.Quantified,
    t.Verdict,
)


@v_args(meta=True)
class Build(Transformer[Token, Any]):
    """Builds the syntax tree; `line` and `column` are what to add to the positions that the parser saw."""

    def __init__(self, path: str, line: int = 0, column: int = 0) -> None:
        super().__init__(visit_tokens=False)
        self.path = path
        self.line = line
        self.column = column

    def span(self, meta: Meta) -> Span:
        """The place of a node."""
        if meta.empty:
            return NOWHERE
        return Span(
            self.path,
            meta.line + self.line,
            meta.column + self.column,
            meta.end_line + self.line,
            meta.end_column + self.column,
        )

    def token_span(self, token: Token) -> Span:
        """The place of a token."""
        line, column = cast(int, token.line), cast(int, token.column)
        end_line, end_column = cast(int, token.end_line), cast(int, token.end_column)
        return Span(self.path, line + self.line, column + self.column, end_line + self.line, end_column + self.column)

    # ------------------------------------------------------------ formulas

    def name(self, meta: Meta, c: list[Any]) -> t.Name:
        return t.Name(str(c[0]), span=self.span(meta))

    def number(self, meta: Meta, c: list[Any]) -> t.Number:
        return t.Number(int(c[0]), span=self.span(meta))

    def signed(self, meta: Meta, c: list[Any]) -> t.Number:
        return t.Number(int(c[0] + c[1]), span=self.span(meta))

    def set_literal(self, meta: Meta, c: list[Any]) -> t.SetLiteral:
        return t.SetLiteral(tuple(c), span=self.span(meta))

    def parenthesis(self, meta: Meta, c: list[Any]) -> Any:
        return c[0]

    def access(self, meta: Meta, c: list[Any]) -> t.Access:
        return t.Access(c[0], str(c[2]), span=self.span(meta))

    def index(self, meta: Meta, c: list[Any]) -> t.Index:
        return t.Index(c[0], c[1], span=self.span(meta))

    def negation(self, meta: Meta, c: list[Any]) -> t.Negation:
        return t.Negation(c[0], span=self.span(meta))

    def iff(self, meta: Meta, c: list[Any]) -> t.Chain:
        return t.Chain("iff", tuple(c), span=self.span(meta))

    def implies(self, meta: Meta, c: list[Any]) -> t.Chain:
        return t.Chain("implies", tuple(c), span=self.span(meta))

    def or_(self, meta: Meta, c: list[Any]) -> t.Chain:
        return t.Chain("or", tuple(c), span=self.span(meta))

    def and_(self, meta: Meta, c: list[Any]) -> t.Chain:
        return t.Chain("and", tuple(c), span=self.span(meta))

    def compare(self, meta: Meta, c: list[Any]) -> t.Binary:
        operator = OPERATORS.get(str(c[1]), str(c[1]))
        return t.Binary(cast(Any, operator), c[0], c[2], span=self.span(meta))

    def is_a(self, meta: Meta, c: list[Any]) -> t.IsA:
        return t.IsA(c[0], str(c[1]), span=self.span(meta))

    def forbids(self, meta: Meta, c: list[Any]) -> t.Contains:
        return t.Contains(c[0], cast(Any, str(c[1])), str(c[2]), span=self.span(meta))

    def sum(self, meta: Meta, c: list[Any]) -> Any:
        result = c[0]
        for sign, item in zip(c[1::2], c[2::2], strict=True):
            start: Span = result.span
            span = Span(start.path, start.line, start.column, item.span.end_line, item.span.end_column)
            result = t.Binary(cast(Any, str(sign)), result, item, span=span)
        return result

    def if_else(self, meta: Meta, c: list[Any]) -> t.IfElse:
        return t.IfElse(c[0], c[1], c[2], span=self.span(meta))

    def bind_type(self, meta: Meta, c: list[Any]) -> t.Binder:
        return t.Binder(str(c[0]), type_name=str(c[1]), span=self.span(meta))

    def bind_set(self, meta: Meta, c: list[Any]) -> t.Binder:
        return t.Binder(str(c[0]), domain=c[1], span=self.span(meta))

    def quantified(self, meta: Meta, c: list[Any]) -> t.Quantified:
        return t.Quantified(cast(Any, str(c[0])), c[1], c[2], span=self.span(meta))

    def count(self, meta: Meta, c: list[Any]) -> t.Quantified:
        return t.Quantified("count", c[0], c[1], span=self.span(meta))

    def union_over(self, meta: Meta, c: list[Any]) -> t.Quantified:
        return t.Quantified("union", c[0], c[1], span=self.span(meta))

    def wildcard(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("wildcard", None, self.span(meta))

    def labelled(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("labelled", (str(c[0]), c[1]), self.span(meta))

    def typed(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("typed", (str(c[0]), str(c[1])), self.span(meta))

    def value(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("value", c[0], self.span(meta))

    def call(self, meta: Meta, c: list[Any]) -> t.Call:
        arguments = []
        for part in c[1:]:
            label, value = part.value if part.what == "labelled" else (None, part.value)
            arguments.append(t.Argument(value, label, span=part.span))
        return t.Call(str(c[0]), tuple(arguments), span=self.span(meta))

    def by_name(self, meta: Meta, c: list[Any]) -> t.Name:
        return t.Name(str(c[0]), span=self.token_span(c[0]))

    def by_citation(self, meta: Meta, c: list[Any]) -> t.Citation:
        return cast(t.Citation, c[0])

    def citation(self, meta: Meta, c: list[Any]) -> t.Citation:
        version = str(c[1]) if len(c) == 3 else None
        return t.Citation(str(c[0]), _string(c[-1]), version, span=self.span(meta))

    def verdict(self, meta: Meta, c: list[Any]) -> t.Verdict:
        by = c[2] if len(c) == 3 else None
        return t.Verdict(cast(Any, _words(str(c[0]))), c[1], by, span=self.span(meta))

    # ------------------------------------------------------------ types and parameters

    def type_bool(self, meta: Meta, c: list[Any]) -> t.TypeBool:
        return t.TypeBool(span=self.span(meta))

    def type_int(self, meta: Meta, c: list[Any]) -> t.TypeInt:
        return t.TypeInt(int(c[0]), int(c[1]), span=self.span(meta))

    def type_name(self, meta: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(str(c[0]), span=self.span(meta))

    def type_optional(self, meta: Meta, c: list[Any]) -> t.TypeOptional:
        return t.TypeOptional(str(c[0]), span=self.span(meta))

    def type_set(self, meta: Meta, c: list[Any]) -> t.TypeSet:
        return t.TypeSet(str(c[0]), span=self.span(meta))

    def type_per(self, meta: Meta, c: list[Any]) -> t.TypePer:
        return t.TypePer(str(c[0]), c[1], span=self.span(meta))

    def parameters(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("parameters", tuple(c), self.span(meta))

    def param(self, meta: Meta, c: list[Any]) -> t.Parameter:
        p = _Parts(c)
        types = p.nodes(t.TypeBool, t.TypeInt, t.TypeName, t.TypeOptional, t.TypeSet, t.TypePer)
        return t.Parameter(str(c[0]), types[0] if types else None, p.part("default"), span=self.span(meta))

    def when(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("when", c[0], self.span(meta))

    def where(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("where", c[0], self.span(meta))

    def default(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("default", c[0], self.span(meta))

    def holder(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("holder", str(c[0]), self.span(meta))

    def strength(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("strength", str(c[0]), self.span(meta))

    # ------------------------------------------------------------ vocabulary

    def game(self, meta: Meta, c: list[Any]) -> t.Game:
        return t.Game(_string(c[0]), span=self.span(meta))

    def version(self, meta: Meta, c: list[Any]) -> t.SourceVersion:
        return t.SourceVersion(str(c[0]), _date(c[1]) if len(c) > 1 else None, span=self.span(meta))

    def source(self, meta: Meta, c: list[Any]) -> t.Source:
        p = _Parts(c)
        return t.Source(str(c[0]), p.string(), p.nodes(t.SourceVersion), span=self.span(meta))

    def member(self, meta: Meta, c: list[Any]) -> t.Member:
        p = _Parts(c)
        names = p.names()
        return t.Member(names[0], tuple(names[1:]), p.string(), span=self.span(meta))

    def enum(self, meta: Meta, c: list[Any]) -> t.Enum:
        p = _Parts(c)
        return t.Enum(str(c[0]), p.string(), p.nodes(t.Member), span=self.span(meta))

    def label_list(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("labels", tuple(str(name) for name in c), self.span(meta))

    def mark_of(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("mark", str(c[0]), self.span(meta))

    def mark_clock(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("clock", True, self.span(meta))

    def _field(self, meta: Meta, c: list[Any], variable: bool) -> t.Field:
        p = _Parts(c)
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
        return self._field(meta, c, _Parts(c).has("VAR"))

    def kind(self, meta: Meta, c: list[Any]) -> t.Kind:
        p = _Parts(c)
        return t.Kind(str(c[0]), p.string(), p.nodes(t.Field), span=self.span(meta))

    def var(self, meta: Meta, c: list[Any]) -> t.Var:
        return t.Var(self._field(meta, c, True), span=self.span(meta))

    def union(self, meta: Meta, c: list[Any]) -> t.Union:
        p = _Parts(c)
        return t.Union(str(c[0]), p.string(), tuple(p.names()[1:]), span=self.span(meta))

    def invariant(self, meta: Meta, c: list[Any]) -> t.Invariant:
        p = _Parts(c)
        name = next((str(x) for x in c if isinstance(x, Token) and x.type == "LABEL"), None)
        return t.Invariant(name, p.string(), c[-1], span=self.span(meta))

    def define(self, meta: Meta, c: list[Any]) -> t.Define:
        p = _Parts(c)
        return t.Define(str(c[0]), p.part("parameters") or (), p.string(), c[-1], span=self.span(meta))

    def status(self, meta: Meta, c: list[Any]) -> t.Status:
        p = _Parts(c)
        return t.Status(str(c[0]), p.part("parameters"), p.string(), p.has("LIVE"), span=self.span(meta))

    # ------------------------------------------------------------ events

    def requires(self, meta: Meta, c: list[Any]) -> t.Requires:
        return t.Requires(_Parts(c).string(), c[-1], span=self.span(meta))

    def except_(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("except", tuple(str(name) for name in c), self.span(meta))

    def resets(self, meta: Meta, c: list[Any]) -> t.Resets:
        return t.Resets(c[0], _Parts(c).part("except") or (), span=self.span(meta))

    def assign(self, meta: Meta, c: list[Any]) -> t.Assign:
        return t.Assign(c[0], c[1], _Parts(c).part("when"), span=self.span(meta))

    def sets(self, meta: Meta, c: list[Any]) -> t.Sets:
        return t.Sets(tuple(c), span=self.span(meta))

    def carries(self, meta: Meta, c: list[Any]) -> t.Carries:
        return t.Carries(c[0], c[1], span=self.span(meta))

    def for_each(self, meta: Meta, c: list[Any]) -> t.ForEach:
        p = _Parts(c)
        parts = p.nodes(t.Resets, t.Sets, t.Carries)
        return t.ForEach(str(c[0]), str(c[1]), p.part("where"), parts, span=self.span(meta))

    def does(self, meta: Meta, c: list[Any]) -> t.Does:
        return t.Does(c[0], _Parts(c).part("when"), span=self.span(meta))

    def group(self, meta: Meta, c: list[Any]) -> t.Group:
        p = _Parts(c)
        return t.Group(str(c[0]), p.string(), p.notes(), _outdent(p.nodes(*PART_NODES)), span=self.span(meta))

    def _event(self, meta: Meta, c: list[Any], action: bool) -> t.Event:
        p = _Parts(c)
        parts = _outdent(p.nodes(*PART_NODES))
        return t.Event(str(c[0]), p.part("parameters"), p.string(), parts, action, span=self.span(meta))

    def event(self, meta: Meta, c: list[Any]) -> t.Event:
        return self._event(meta, c, False)

    def action(self, meta: Meta, c: list[Any]) -> t.Event:
        return self._event(meta, c, True)

    # ------------------------------------------------------------ blocks and clauses

    def paragraph(self, meta: Meta, c: list[Any]) -> t.Citation:
        return t.Citation("", _string(c[0]), span=self.span(meta))

    def cites(self, meta: Meta, c: list[Any]) -> _Part:
        found: list[t.Citation] = []
        for citation in c:  # `CR "505.2", "506.1e"`: the source and version of the one before
            found.append(citation if citation.source else replace(found[-1], **_paragraph(citation)))
        return _Part("cites", tuple(found), self.span(meta))

    def since(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("since", _date(c[0]), self.span(meta))

    def until(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("until", _date(c[0]), self.span(meta))

    def _block(self, what: Any, meta: Meta, c: list[Any]) -> t.Block:
        p = _Parts(c)
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
        return t.StatusClause(c[0], _Parts(c).part("when"), False, span=self.span(meta))

    def takes(self, meta: Meta, c: list[Any]) -> t.StatusClause:
        return t.StatusClause(c[0], _Parts(c).part("when"), True, span=self.span(meta))

    def norm(self, meta: Meta, c: list[Any]) -> t.Norm:
        p = _Parts(c)
        return t.Norm(
            cast(Any, str(c[0])),
            p.nodes(t.Head)[0],
            p.part("strength"),
            p.string(),
            p.part("when"),
            span=self.span(meta),
        )

    def origin_rules(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("origin", ("rules", None), self.span(meta))

    def origin_effects(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("origin", ("effects", None), self.span(meta))

    def origin_abilities(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("origin", ("abilities", c[0] if c else None), self.span(meta))

    def victim_rule(self, meta: Meta, c: list[Any]) -> t.Victim:
        return t.Victim("rule", str(c[0]), span=self.span(meta))

    def victim_ability(self, meta: Meta, c: list[Any]) -> t.Victim:
        return t.Victim("ability", str(c[0]), span=self.span(meta))

    def victim_effect(self, meta: Meta, c: list[Any]) -> t.Victim:
        return t.Victim("effect", str(c[0]), span=self.span(meta))

    def victim_class(self, meta: Meta, c: list[Any]) -> t.Victim:
        p = _Parts(c)
        names = p.names()
        word = next(str(x) for x in c if isinstance(x, Token) and x.type == "NORM")
        origin, owner = p.part("origin") or (None, None)
        return t.Victim(
            "class", None, names[0] if names else None, cast(Any, word), origin, owner, span=self.span(meta)
        )

    def lifts(self, meta: Meta, c: list[Any]) -> t.Lifts:
        p = _Parts(c)
        return t.Lifts(p.nodes(t.Victim), p.nodes(t.Head)[0], p.part("when"), span=self.span(meta))

    def level(self, meta: Meta, c: list[Any]) -> t.Level:
        return t.Level(str(c[0]), cast(Any, str(c[1])), span=self.span(meta))

    def precedence(self, meta: Meta, c: list[Any]) -> t.Precedence:
        return t.Precedence(tuple(c), span=self.span(meta))

    def option(self, meta: Meta, c: list[Any]) -> t.Option:
        p = _Parts(c)
        return t.Option(str(c[0]), p.string(), p.has("DEFAULT"), span=self.span(meta))

    def reading(self, meta: Meta, c: list[Any]) -> t.Reading:
        p = _Parts(c)
        return t.Reading(str(c[0]), p.string(), p.notes(), p.nodes(t.Option), span=self.span(meta))

    # ------------------------------------------------------------ scenarios

    def over(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("over", str(c[0]), self.span(meta))

    def setup_types(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("types", c[0], self.span(meta))

    def setup_with(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("with", c[0], self.span(meta))

    def setup_of(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("of", c[0], self.span(meta))

    def setup_in_play(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("in_play", c[1], self.span(meta))

    def setup_then(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("then", tuple(c), self.span(meta))

    def setup_flag(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("flag", t.SetupFlag(str(c[0]), c[1], span=self.span(meta)), self.span(meta))

    def setup(self, meta: Meta, c: list[Any]) -> t.Setup:
        p = _Parts(c)
        return t.Setup(
            str(c[0]),
            str(c[1]),
            p.part("over"),
            p.part("types"),
            p.part("with"),
            p.part("of"),
            p.part("in_play"),
            sum(p.parts("then"), ()),
            p.parts("flag"),
            span=self.span(meta),
        )

    def quote(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("quote", _string(c[0]), self.span(meta))

    def card_types(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("types", tuple(str(name) for name in c), self.span(meta))

    def grant(self, meta: Meta, c: list[Any]) -> t.Grant:
        if c[0].type == "UNKNOWN":
            return t.Grant(unknown=True, span=self.span(meta))
        return t.Grant(str(c[0]), tuple(c[1:]), span=self.span(meta))

    def card_with(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("with", tuple(c), self.span(meta))

    def card_of(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("of", str(c[0]), self.span(meta))

    def flag(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("flag", str(c[0]), self.span(meta))

    def card_under(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("under", str(c[0]), self.span(meta))

    def in_play(self, meta: Meta, c: list[Any]) -> _Part:
        p = _Parts(c)
        return _Part("in_play", (p.parts("flag"), p.parts("under")), self.span(meta))

    def card_value(self, meta: Meta, c: list[Any]) -> t.CardValue:
        value = None if isinstance(c[1], Token) else c[1]
        return t.CardValue(str(c[0]), value, span=self.span(meta))

    def card_choices(self, meta: Meta, c: list[Any]) -> t.CardValue:
        return t.CardValue(str(c[0]), None, tuple(c[1:]), span=self.span(meta))

    def card_values(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("values", tuple(c), self.span(meta))

    def card(self, meta: Meta, c: list[Any]) -> t.Card:
        p = _Parts(c)
        return t.Card(
            _string(c[0]),
            p.notes(),
            p.part("types"),
            p.part("with") or (),
            p.part("values") or (),
            p.part("quote"),
            span=self.span(meta),
        )

    def entry(self, meta: Meta, c: list[Any]) -> t.Entry:
        p = _Parts(c)
        in_play = p.part("in_play")
        flags, under = in_play or ((), ())
        return t.Entry(
            str(c[0]),
            p.part("types") or (),
            p.string(),
            p.part("with") or (),
            p.part("of"),
            in_play is not None,
            flags,
            under,
            p.part("values") or (),
            span=self.span(meta),
        )

    def cards(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("cards", _Parts(c).nodes(t.Entry), self.span(meta))

    def step(self, meta: Meta, c: list[Any]) -> t.Step:
        return t.Step(c[0], span=self.span(meta))

    def step_unknown(self, meta: Meta, c: list[Any]) -> t.UnknownSteps:
        return t.UnknownSteps(1, span=self.span(meta))

    def steps_unknown(self, meta: Meta, c: list[Any]) -> t.UnknownSteps:
        return t.UnknownSteps(int(c[-1]), True, span=self.span(meta))

    def mistaken(self, meta: Meta, c: list[Any]) -> t.Mistaken:
        return t.Mistaken(c[0], span=self.span(meta))

    def expect_formula(self, meta: Meta, c: list[Any]) -> t.ExpectFormula:
        return t.ExpectFormula(c[0], span=self.span(meta))

    def expect_open(self, meta: Meta, c: list[Any]) -> t.ExpectOpen:
        return t.ExpectOpen(c[0], span=self.span(meta))

    def expect_repaired(self, meta: Meta, c: list[Any]) -> t.ExpectRepaired:
        return t.ExpectRepaired(str(c[1]), str(c[2]), span=self.span(meta))

    def expect_not_repairable(self, meta: Meta, c: list[Any]) -> t.ExpectNotRepairable:
        return t.ExpectNotRepairable(span=self.span(meta))

    def expect(self, meta: Meta, c: list[Any]) -> t.Expect:
        return t.Expect(c[0], span=self.span(meta))

    def unchecked(self, meta: Meta, c: list[Any]) -> t.Unchecked:
        return t.Unchecked(_string(c[0]), span=self.span(meta))

    def out_of_scope(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("out_of_scope", _string(c[-1]), self.span(meta))

    def script(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("script", tuple(c), self.span(meta))

    def meta_cites(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("cites", _string(c[0]), self.span(meta))

    def meta_url(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("url", _string(c[0]), self.span(meta))

    def meta_dated(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("dated", _date(c[0]), self.span(meta))

    def meta_kind(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("kind", str(c[0]), self.span(meta))

    def meta_confidence(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("confidence", str(c[0]), self.span(meta))

    def meta_since(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("since", _date(c[0]), self.span(meta))

    def meta_until(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("until", _date(c[0]), self.span(meta))

    def meta_disputed(self, meta: Meta, c: list[Any]) -> _Part:
        return _Part("disputed", _string(c[0]), self.span(meta))

    def _meta(self, p: _Parts) -> t.Meta:
        return t.Meta(
            p.parts("cites"),
            p.part("url"),
            p.part("dated"),
            p.part("kind"),
            p.part("confidence"),
            p.part("since"),
            p.part("until"),
            p.part("disputed"),
            p.part("out_of_scope"),
        )

    def ruling(self, meta: Meta, c: list[Any]) -> t.Ruling:
        p = _Parts(c)
        script = p.part("script") or ()
        lines = tuple(line for line in script if not isinstance(line, _Part))
        outside = [line for line in script if isinstance(line, _Part)]
        return t.Ruling(
            cast(Any, str(c[0])),
            str(c[1]),
            p.string(),
            self._meta(_Parts([*c, *outside])),
            p.part("cards") or (),
            lines,
            span=self.span(meta),
        )

    def claim(self, meta: Meta, c: list[Any]) -> t.Claim:
        p = _Parts(c)
        mode = next(str(x) for x in c if isinstance(x, Token) and x.type == "CLAIM")
        return t.Claim(str(c[0]), p.string(), self._meta(p), cast(Any, mode), c[-1], span=self.span(meta))

    def given(self, meta: Meta, c: list[Any]) -> t.Given:
        p = _Parts(c)
        return t.Given(p.nodes(t.Entry), p.nodes(t.Step, t.Mistaken), span=self.span(meta))


# The grammar's rules `or`, `and` and `except` are words of Python too.
setattr(Build, "or", Build.or_)
setattr(Build, "and", Build.and_)
setattr(Build, "except", Build.except_)


def _paragraph(citation: t.Citation) -> dict[str, Any]:
    return {"paragraph": citation.paragraph, "span": citation.span}


def _date(token: Token) -> date:
    """A DATE token; `ValueError` for a day that the calendar doesn't have."""
    return date.fromisoformat(str(token))
