"""Terms as one straight-line Python function, for the same question about many boards.

A value is a bit vector: bit i of every number belongs to the i-th assignment, so that one pass over the terms tells
their values on all boards at once (one board is a vector of one bit). The function is made once, in a time that is
linear in the terms; a call costs one bitwise operation for each of them. Numbers have no bit of their own: terms that
contain some are for `walks.evaluate_all`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from verify_rules.encode.terms import SortError, Term
from verify_rules.encode.walks import is_boolean, subterms

MOST_OPERANDS = 100
"""Longer junctions are split, as Python's own parser has a bound on how deep an expression may be."""


class Compiled:
    """A function from the values of the variables to the values of some Boolean terms.

    `variables` are the names of the variables that the terms contain. Raises SortError for a term about numbers.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        lines: list[str] = []
        names: dict[Term, str] = {}
        self.variables: list[str] = []
        for term in subterms(terms):
            if not is_boolean(term):
                raise SortError(f"a term about numbers can't be compiled: {term}")
            if term.op == "var":
                self.variables.append(term.name)
            names[term] = _named(term, [names[a] for a in term.args], f"t{len(names)}", lines)
        arguments = ", ".join(["ones", *(names[t] for t in subterms(terms) if t.op == "var")])
        results = "".join(f"{names[t]}, " for t in terms)
        body = "".join(f"    {line}\n" for line in lines)
        found: dict[str, Any] = {"at_least": at_least}
        # The text consists of names made here and of operators: nothing that a model's author wrote is in it.
        exec(compile(f"def function({arguments}):\n{body}    return ({results})\n", "<terms>", "exec"), found)
        self._function = found["function"]

    def __call__(self, columns: Mapping[str, int], width: int = 1) -> tuple[int, ...]:
        """The values of the terms on `width` boards: bit i of `columns[NAME]` is the variable's value on board i.

        Raises KeyError if a variable's column is missing. Columns of other variables are no harm.
        """
        values: tuple[int, ...] = self._function((1 << width) - 1, *[columns[name] for name in self.variables])
        return values


def at_least(number: int, bits: Sequence[int], ones: int) -> int:
    """Where at least so many of the bits are set."""
    reached = [ones] + [0] * number
    for bit in bits:
        for n in range(number, 0, -1):
            reached[n] |= reached[n - 1] & bit
    return reached[number]


def _named(term: Term, args: list[str], name: str, lines: list[str]) -> str:
    """The name of the term's value; its lines are added. A constant needs none."""
    match term.op:
        case "const":
            return "ones" if term.value else "0"
        case "var":
            return name
        case "not":
            lines.append(f"{name} = ones ^ {args[0]}")
        case "and" | "or":
            sign = " & " if term.op == "and" else " | "
            first, rest = args[:MOST_OPERANDS], args[MOST_OPERANDS:]
            lines.append(f"{name} = {sign.join(first) or ('ones' if term.op == 'and' else '0')}")
            for at in range(0, len(rest), MOST_OPERANDS):
                lines.append(f"{name} = {sign.join([name, *rest[at : at + MOST_OPERANDS]])}")
        case "iff":
            lines.append(f"{name} = ones ^ {args[0]} ^ {args[1]}")
        case "ite":
            lines.append(f"{name} = {args[2]} ^ ({args[0]} & ({args[1]} ^ {args[2]}))")
        case "at_least":
            lines.append(f"{name} = at_least({term.number}, ({''.join(a + ', ' for a in args)}), ones)")
        case "eq" | "le" | "add" | "neg":
            raise SortError(f"{term.op} is about numbers")
        case _:
            assert_never(term.op)
    return name
