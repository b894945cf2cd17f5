"""Terms as SMT-LIB 2 text, which every solver reads: for export, and for bug reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import assert_never

from verify_rules.encode.terms import Term
from verify_rules.encode.walks import is_boolean, subterms


def to_smt2(named: Mapping[str, Term], constraints: Iterable[Term] = (), comment: str = "") -> str:
    """A script that asserts the constraints and the named terms and asks whether they can all be true.

    A part that is used more than once is defined once. Bounds of numbers are asserted.
    """
    roots = [*constraints, *named.values()]
    order = list(subterms(roots))
    uses = Counter(a for t in order for a in t.args)
    numbers = not all(is_boolean(t) and t.op != "at_least" for t in order)
    lines = [f"; {line}" for line in comment.splitlines()]
    lines += [f"(set-logic {'QF_LIA' if numbers else 'QF_UF'})", "(set-option :produce-unsat-cores true)"]
    text: dict[Term, str] = {}
    for term in order:
        text[term] = _text(term, [text[a] for a in term.args])
        if term.op == "var":
            lines.append(f"(declare-const {text[term]} {term.sort})")
            if term.sort == "Int":
                lines.append(f"(assert (<= {_number(term.low)} {text[term]} {_number(term.high)}))")
        elif uses[term] > 1 and term.args:
            label = f"$t{term.id}"
            lines.append(f"(define-fun {label} () {term.sort} {text[term]})")
            text[term] = label
    lines += [f"(assert {text[t]})" for t in roots[: len(roots) - len(named)]]
    used = Counter[str]()
    for name, term in named.items():
        label = _symbol(f"!{name}")
        used[label] += 1
        if used[label] > 1:
            label = _symbol(f"!{name} ({used[label]})")
        lines.append(f"(assert (! {text[term]} :named {label}))")
    lines += ["(check-sat)", ""]
    return "\n".join(lines)


def _symbol(name: str) -> str:
    """A quoted symbol; the two characters that can't stand in one are replaced."""
    return "|" + name.replace("\\", "/").replace("|", "/") + "|"


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _text(term: Term, parts: list[str]) -> str:
    joined = " ".join(parts)
    match term.op:
        case "const":
            return str(term.value).lower() if term.sort == "Bool" else _number(term.number)
        case "var":
            return _symbol(term.name)
        case "not":
            return f"(not {joined})"
        case "and" | "or":
            if len(parts) < 2:
                return parts[0] if parts else ("true" if term.op == "and" else "false")
            return f"({term.op} {joined})"
        case "iff" | "eq":
            return f"(= {joined})"
        case "ite":
            return f"(ite {joined})"
        case "le":
            return f"(<= {joined})"
        case "add":
            if len(parts) < 2:
                return parts[0] if parts else "0"
            return f"(+ {joined})"
        case "neg":
            return f"(- {joined})"
        case "at_least":
            counted = " ".join(f"(ite {p} 1 0)" for p in parts)
            return f"(>= (+ 0 {counted}) {_number(term.number)})"
        case _:
            assert_never(term.op)
