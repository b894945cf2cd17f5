"""The only module that knows z3: typed functions around it, and terms → z3 expressions, each term once.

Expressions are made with the solver's C functions: their Python wrappers take longer than the solving.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, Literal, assert_never

import z3
from z3 import z3core

from verify_rules.encode.terms import SortError, Term
from verify_rules.encode.walks import subterms

Verdict = Literal["sat", "unsat", "unknown"]


def version() -> str:
    """The solver's version."""
    return str(z3.get_version_string())


class Backend:
    """A solver with a context of its own, so that what it does depends on nothing done before.

    `numbers` chooses the general solver; else it is the one for finite domains, which refuses everything but Booleans.
    """

    def __init__(self, numbers: bool) -> None:
        self._context = z3.Context()
        self._ref = self._context.ref()
        self._solver = z3.Solver(ctx=self._context) if numbers else z3.SolverFor("QF_FD", ctx=self._context)
        self._numbers = numbers
        self._known: dict[Term, Any] = {}
        self._sorts = {"Bool": z3.BoolSort(self._context), "Int": z3.IntSort(self._context)}

    # ------------------------------------------------------------ expressions

    def expression(self, term: Term) -> Any:
        """The term as an expression of the solver."""
        known = self._known
        if term not in known:
            for part in subterms([term], known):
                known[part] = self._expression(part)
        return known[term]

    def _expression(self, term: Term) -> Any:
        parts = [self._known[a] for a in term.args]
        wrap = z3.BoolRef if term.sort == "Bool" else z3.ArithRef
        ast = self._ast(term, [p.as_ast() for p in parts])
        return wrap(ast, self._context)

    def _ast(self, term: Term, parts: list[Any]) -> Any:
        ref = self._ref
        match term.op:
            case "const":
                if term.sort == "Int":
                    return z3core.Z3_mk_numeral(ref, str(term.number), self._sorts["Int"].ast)
                return z3core.Z3_mk_true(ref) if term.is_true else z3core.Z3_mk_false(ref)
            case "var":
                if term.sort == "Int" and not self._numbers:
                    raise SortError(f"a number in a problem of Booleans: {term}")
                symbol = z3core.Z3_mk_string_symbol(ref, term.name)
                return z3core.Z3_mk_const(ref, symbol, self._sorts[term.sort].ast)
            case "not":
                return z3core.Z3_mk_not(ref, parts[0])
            case "and":
                return z3core.Z3_mk_and(ref, len(parts), _array(parts))
            case "or":
                return z3core.Z3_mk_or(ref, len(parts), _array(parts))
            case "iff" | "eq":
                return z3core.Z3_mk_eq(ref, parts[0], parts[1])
            case "ite":
                return z3core.Z3_mk_ite(ref, parts[0], parts[1], parts[2])
            case "le":
                return z3core.Z3_mk_le(ref, parts[0], parts[1])
            case "add":
                if not parts:
                    return z3core.Z3_mk_numeral(ref, "0", self._sorts["Int"].ast)
                return z3core.Z3_mk_add(ref, len(parts), _array(parts))
            case "neg":
                return z3core.Z3_mk_unary_minus(ref, parts[0])
            case "at_least":
                if term.number <= 0:
                    return z3core.Z3_mk_true(ref)
                if term.number > len(parts):
                    return z3core.Z3_mk_false(ref)
                ones = (ctypes.c_int * len(parts))(*([1] * len(parts)))
                return z3core.Z3_mk_pbge(ref, len(parts), _array(parts), ones, term.number)
            case _:
                assert_never(term.op)

    def proxy(self, name: str) -> Any:
        """A fresh variable."""
        return z3.FreshBool(name, ctx=self._context)

    # ------------------------------------------------------------ the session

    def add(self, term: Term, only_if: Any = None) -> None:
        """Assert a term, or that the proxy implies it."""
        expression = self.expression(term)
        self._solver.add(expression if only_if is None else z3.Implies(only_if, expression))

    def bound(self, variable: Term) -> None:
        """Assert the bounds of a number."""
        expression = self.expression(variable)
        self._solver.add(z3.And(expression >= variable.low, expression <= variable.high))

    def push(self) -> None:
        """Begin what `pop` takes back."""
        self._solver.push()

    def pop(self) -> None:
        """Take back what was added since the last `push`."""
        self._solver.pop()

    def check(self, assumptions: Sequence[Any], rlimit: int | None, milliseconds: int | None) -> Verdict:
        """Whether everything asserted and assumed can be true."""
        self._solver.set("rlimit", rlimit or 0)
        self._solver.set("timeout", milliseconds if milliseconds is not None else 2**32 - 1)
        result = self._solver.check(*assumptions)
        if result == z3.sat:
            return "sat"
        return "unsat" if result == z3.unsat else "unknown"

    def reason(self) -> str:
        """Why the answer is unknown, in the solver's words."""
        return str(self._solver.reason_unknown())

    def used(self) -> int:
        """The work done so far in the solver's units."""
        statistics = self._solver.statistics()
        return int(statistics.get_key_value("rlimit count")) if "rlimit count" in statistics.keys() else 0  # noqa: SIM118

    def core(self, assumptions: Sequence[Any]) -> list[int]:
        """The numbers of the assumptions that can't all be true."""
        ids = {a.get_id() for a in self._solver.unsat_core()}
        return [n for n, a in enumerate(assumptions) if a.get_id() in ids]

    def values(self, variables: Mapping[str, Term]) -> dict[str, bool | int]:
        """The values of the variables after `sat`."""
        model = self._solver.model()
        found: dict[str, bool | int] = {}
        for name, term in variables.items():
            value = model.eval(self.expression(term), model_completion=True)
            found[name] = bool(z3.is_true(value)) if term.sort == "Bool" else int(value.as_long())
        return found


def _array(parts: list[Any]) -> Any:
    return (z3core.Ast * len(parts))(*parts)
