"""The grammar's formulas, types and parameters → their trees."""

from __future__ import annotations

from typing import Any, cast

from lark.tree import Meta

from verify_rules.parse import tree as t
from verify_rules.parse.build_pieces import Piece, Pieces, Places, string, whole
from verify_rules.source import Span

OPERATORS = {"!=": "≠", "<=": "≤", ">=": "≥"}


def _words(text: str) -> str:
    return " ".join(text.split())


class Formulas(Places):
    """One method per rule of the chapter on formulas."""

    def name(self, meta: Meta, c: list[Any]) -> t.Name:
        return t.Name(str(c[0]), span=self.span(meta))

    def number(self, meta: Meta, c: list[Any]) -> t.Number:
        return t.Number(whole(c[0]), span=self.span(meta))

    def signed(self, meta: Meta, c: list[Any]) -> t.Number:
        return t.Number(whole(c[1]) * (-1 if c[0] == "-" else 1), span=self.span(meta))

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

    def wildcard(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("wildcard", None, self.span(meta))

    def labelled(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("labelled", (str(c[0]), c[1]), self.span(meta))

    def typed(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("typed", (str(c[0]), str(c[1])), self.span(meta))

    def value(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("value", c[0], self.span(meta))

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
        return t.Citation(str(c[0]), string(c[-1]), version, span=self.span(meta))

    def verdict(self, meta: Meta, c: list[Any]) -> t.Verdict:
        by = c[2] if len(c) == 3 else None
        return t.Verdict(cast(Any, _words(str(c[0]))), c[1], by, span=self.span(meta))

    def of_carrier(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("carrier", c[0], self.span(meta))

    def triggers(self, meta: Meta, c: list[Any]) -> t.Triggers:
        block = t.Name(str(c[0]), span=self.token_span(c[0]))
        return t.Triggers(block, Pieces(c).part("carrier"), c[-1], span=self.span(meta))

    # ------------------------------------------------------------ types and parameters

    def type_bool(self, meta: Meta, c: list[Any]) -> t.TypeBool:
        return t.TypeBool(span=self.span(meta))

    def type_int(self, meta: Meta, c: list[Any]) -> t.TypeInt:
        return t.TypeInt(whole(c[0]), whole(c[1]), span=self.span(meta))

    def type_name(self, meta: Meta, c: list[Any]) -> t.TypeName:
        return t.TypeName(str(c[0]), span=self.span(meta))

    def type_optional(self, meta: Meta, c: list[Any]) -> t.TypeOptional:
        return t.TypeOptional(str(c[0]), span=self.span(meta))

    def type_set(self, meta: Meta, c: list[Any]) -> t.TypeSet:
        return t.TypeSet(str(c[0]), span=self.span(meta))

    def type_per(self, meta: Meta, c: list[Any]) -> t.TypePer:
        return t.TypePer(str(c[0]), c[1], span=self.span(meta))

    def parameters(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("parameters", tuple(c), self.span(meta))

    def param(self, meta: Meta, c: list[Any]) -> t.Parameter:
        p = Pieces(c)
        types = p.nodes(t.TypeBool, t.TypeInt, t.TypeName, t.TypeOptional, t.TypeSet, t.TypePer)
        return t.Parameter(str(c[0]), types[0] if types else None, p.part("default"), span=self.span(meta))

    def when(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("when", c[0], self.span(meta))

    def where(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("where", c[0], self.span(meta))

    def default(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("default", c[0], self.span(meta))

    def holder(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("holder", str(c[0]), self.span(meta))

    def strength(self, meta: Meta, c: list[Any]) -> Piece:
        return Piece("strength", str(c[0]), self.span(meta))
