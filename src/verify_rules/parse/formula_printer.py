"""Formulas → documents that `layout.py` can lay out, with as few parentheses as the grammar allows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from verify_rules.parse import tree as t
from verify_rules.parse.layout import Break, Doc, Group, Mark, Nest, joined
from verify_rules.source import Span

COMMA: Doc = (",", Break())
_CHAINS = {"iff": 1, "implies": 2, "or": 3, "and": 4}
_NOT, _COMPARISON, _SUM, POSTFIX, CLOSED = 5, 6, 7, 8, 9


def _level(expr: t.Expr) -> int:
    """How tightly the outermost construct binds."""
    match expr:
        case t.Chain():
            return _CHAINS[expr.word]
        case t.Negation():
            return _NOT
        case t.Binary():
            return _SUM if expr.operator in ("+", "-") else _COMPARISON
        case t.IsA() | t.Contains():
            return _COMPARISON
        case t.Verdict() | t.Triggers() | t.IfElse():
            return POSTFIX
        case t.Quantified():
            return CLOSED if expr.word == "count" else POSTFIX
        case t.Number():
            return POSTFIX
        case t.Name() | t.SetLiteral() | t.Call() | t.Access() | t.Index():
            return CLOSED
        case _:
            assert_never(expr)


def _open(expr: t.Expr) -> bool:
    """Whether the last part of the construct reaches as far to the right as it can."""
    return isinstance(expr, t.IfElse) or (isinstance(expr, t.Quantified) and expr.word != "count")


def expr_doc(expr: t.Expr, level: int = 0, last: bool = True) -> Doc:
    """The formula where one that binds at least as tightly as `level` is wanted; `last`: no operator follows it."""
    if _level(expr) < level or (_open(expr) and not last):
        return (Mark(expr.span), "(", _bare(expr, True), ")")
    return (Mark(expr.span), _bare(expr, last))


def _bare(expr: t.Expr, last: bool) -> Doc:
    match expr:
        case t.Name():
            return expr.name
        case t.Number():
            return str(expr.value)
        case t.SetLiteral():
            return ("{", list_doc(expr.span, map(expr_doc, expr.items)), "}")
        case t.Call():
            return call_doc(expr)
        case t.Access():
            return (expr_doc(expr.base, CLOSED, False), ".", expr.name)
        case t.Index():
            return (expr_doc(expr.base, CLOSED, False), "[", expr_doc(expr.index), "]")
        case t.Negation():
            return ("not ", expr_doc(expr.body, _NOT, last))
        case t.Chain():
            return _chain(expr, last)
        case t.Binary():
            level = _SUM if expr.operator in ("+", "-") else _COMPARISON
            left = expr_doc(expr.left, level if level == _SUM else _SUM, False)
            return (left, f" {expr.operator} ", expr_doc(expr.right, level + 1, last))
        case t.IsA():
            return (expr_doc(expr.body, _SUM, False), f" is {expr.type_name}")
        case t.Contains():
            return (expr_doc(expr.body, _SUM, False), f" {expr.word} {expr.action}")
        case t.IfElse():
            return if_doc(expr, 2)
        case t.Quantified():
            if expr.word == "count":
                return ("count(", _binder(expr.binder), ". ", expr_doc(expr.body), ")")
            body = Nest(2, (Break(), expr_doc(expr.body, 0, last)))
            return Group((f"{expr.word} ", _binder(expr.binder), ".", body), expr.span)
        case t.Verdict():
            return (f"{expr.modality} ", Mark(expr.call.span), call_doc(expr.call), _by(expr.by))
        case t.Triggers():
            of: Doc = (" of ", expr_doc(expr.carrier, POSTFIX, False)) if expr.carrier is not None else ""
            return (f"triggers {expr.block.name}", of, " on ", Mark(expr.call.span), call_doc(expr.call))
        case _:
            assert_never(expr)


def if_doc(expr: t.IfElse, nest: int) -> Doc:
    """A chain of `if … then … else if … then … else …`, broken before each `else`; nothing can follow it."""
    cases: list[Doc] = []
    rest: t.Expr = expr
    while isinstance(rest, t.IfElse):
        start: Doc = (Break(), "else ", Mark(rest.span)) if cases else ""
        then = Nest(4, (Break(), "then ", expr_doc(rest.yes)))
        cases.append((start, Group(("if ", Nest(4, expr_doc(rest.condition)), then))))
        rest = rest.no
    otherwise = (Break(), "else ", Nest(2, expr_doc(rest)))
    return Group((cases[0], Nest(nest, (tuple(cases[1:]), otherwise))), expr.span)


def _by(by: t.Name | t.Citation | None) -> Doc:
    match by:
        case None:
            return ""
        case t.Name():
            return (" by ", by.name)
        case t.Citation():
            return (" by ", citation_doc(by))
        case _:
            assert_never(by)


def _chain(chain: t.Chain, last: bool) -> Doc:
    level = _CHAINS[chain.word]
    end = len(chain.items) - 1
    items: list[Doc] = []
    for i, item in enumerate(chain.items):
        # `implies` takes another one on its right; the others take as many items as there are, so one of the same
        # word is parenthesised.
        needed = level if chain.word == "implies" and i == end else level + 1
        items.append(expr_doc(item, needed, last and i == end))
    rest = tuple((Break(), f"{chain.word} ", item) for item in items[1:])
    return Group((items[0], Nest(2, rest)), chain.span)


def _binder(binder: t.Binder) -> Doc:
    if binder.domain is not None:
        return (f"{binder.name} in ", expr_doc(binder.domain, POSTFIX, False))
    return f"{binder.name}: {binder.type_name}"


def call_doc(call: t.Call) -> Doc:
    """`name(arguments)`."""
    return (f"{call.name}(", list_doc(call.span, map(_argument, call.arguments)), ")")


def _argument(argument: t.Argument) -> Doc:
    if argument.value is None:
        return (Mark(argument.span), "_")
    label = f"{argument.label}: " if argument.label is not None else ""
    return (Mark(argument.span), label, expr_doc(argument.value))


def list_doc(span: Span, docs: Iterable[Doc]) -> Doc:
    """The documents with commas between them, on one line or each on its own."""
    return Group(Nest(2, joined(COMMA, docs)), span)


def quoted(text: str) -> str:
    """The text in quotes."""
    return f'"{text}"'


def term_doc(text: str | None) -> str:
    """The text in quotes after a space, or nothing."""
    return f' "{text}"' if text is not None else ""


def citation_doc(citation: t.Citation) -> Doc:
    """A source, perhaps a version, and a paragraph."""
    version = f"{citation.version} " if citation.version is not None else ""
    return (Mark(citation.span), f"{citation.source} {version}{quoted(citation.paragraph)}")
