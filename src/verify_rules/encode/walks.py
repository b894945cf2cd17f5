"""What is computed from finished terms: their value, their variables, their text. No recursion: terms can be deep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from verify_rules.encode.terms import SortError, Term


def subterms(terms: Iterable[Term], known: Container[Term] = ()) -> Iterator[Term]:
    """Every term in the given ones, once, arguments before what they are arguments of.

    Terms already `known`, and what is only in them, are left out.
    """
    done: set[Term] = set()
    for root in terms:
        stack = [(root, False)]
        while stack:
            term, ready = stack.pop()
            if term in done or term in known:
                continue
            if ready or not term.args:
                done.add(term)
                yield term
            else:
                stack.append((term, True))
                stack += [(a, False) for a in reversed(term.args) if a not in done]


def variables(*terms: Term) -> dict[str, Term]:
    """The variables in the terms by name."""
    return {t.name: t for t in subterms(terms) if t.op == "var"}


def size_of(*terms: Term) -> int:
    """How many different terms are in the given ones."""
    return sum(1 for _ in subterms(terms))


def is_boolean(term: Term) -> bool:
    """Whether neither the term nor its arguments are numbers; when that is so of all parts, the problem is Boolean."""
    return term.sort == "Bool" and term.op not in ("le", "eq")


def evaluate(term: Term, assignment: Mapping[str, bool | int]) -> bool | int:
    """The value of the term when its variables have these values."""
    return evaluate_all([term], assignment)[0]


def evaluate_all(terms: Sequence[Term], assignment: Mapping[str, bool | int]) -> list[bool | int]:
    """The values of many terms, each shared part computed once."""
    known: dict[Term, bool | int] = {}
    for term in subterms(terms):
        known[term] = _value(term, [known[a] for a in term.args], assignment)
    return [known[t] for t in terms]


def _value(term: Term, values: list[bool | int], assignment: Mapping[str, bool | int]) -> bool | int:
    match term.op:
        case "const":
            return term.value if isinstance(term.value, bool) else term.number
        case "var":
            value = assignment[term.name]
            if isinstance(value, bool) != (term.sort == "Bool"):
                raise SortError(f"{value!r} is no value for {term.name}")
            return value
        case "not":
            return not values[0]
        case "and":
            return all(values)
        case "or":
            return any(values)
        case "iff" | "eq":
            return values[0] == values[1]
        case "ite":
            return values[1] if values[0] else values[2]
        case "le":
            return values[0] <= values[1]
        case "add":
            return sum(values)
        case "neg":
            return -values[0]
        case "at_least":
            return sum(1 for v in values if v) >= term.number
        case _:
            assert_never(term.op)


def render(*terms: Term, names: Sequence[str] = ()) -> str:
    """Text for people: a line `t1 := …` for each part that is used more than once, then a line for each term.

    `names` are put before the terms' own lines.
    """
    order = list(subterms(terms))
    uses = Counter(a for t in order for a in t.args)
    short: dict[Term, str] = {}
    lines: list[str] = []
    for term in order:
        text = _text(term, [short[a] for a in term.args])
        simple = not term.args or (term.op == "not" and not term.args[0].args)
        if uses[term] > 1 and not simple:
            label = f"t{len(lines) + 1}"
            lines.append(f"{label} := {text}")
            text = label
        elif not simple and term not in terms:
            text = f"({text})"
        short[term] = text
    for number, term in enumerate(terms):
        lines.append(f"{names[number]}: {short[term]}" if names else short[term])
    return "\n".join(lines)


def _text(term: Term, parts: list[str]) -> str:
    match term.op:
        case "const":
            return str(term.value).lower()
        case "var":
            return term.name
        case "not":
            return f"not {parts[0]}"
        case "and" | "or":
            if len(parts) < 2:
                return f"{term.op} of {parts[0] if parts else 'nothing'}"
            return f" {term.op} ".join(parts)
        case "iff":
            return f"{parts[0]} iff {parts[1]}"
        case "ite":
            return f"if {parts[0]} then {parts[1]} else {parts[2]}"
        case "eq":
            return f"{parts[0]} = {parts[1]}"
        case "le":
            return f"{parts[0]} <= {parts[1]}"
        case "add":
            return " + ".join(parts) or "0"
        case "neg":
            return f"-{parts[0]}"
        case "at_least":
            return f"at least {term.number} of {{{', '.join(parts)}}}"
        case _:
            assert_never(term.op)
