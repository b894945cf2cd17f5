"""Questions that take more than one check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verify_rules.encode.terms import Factory, Term
from verify_rules.solve.session import Assignment, Result, Sat, Solver, Unknown, Unsat


def entails(solver: Solver, factory: Factory, term: Term, *assumptions: Term) -> Result:
    """Unsat iff what is asserted and assumed implies the term; an assignment is a counterexample."""
    return solver.check(*assumptions, factory.not_(term))


@dataclass(frozen=True)
class Assignments:
    """The assignments found, each to the variables asked for. `unknown` says why they may not be all.

    Beyond `limit` there may be more: then `complete` is false and `unknown` is None.
    """

    found: tuple[Assignment, ...]
    complete: bool
    unknown: Unknown | None = None


def all_assignments(
    solver: Solver,
    factory: Factory,
    projection: Sequence[Term],
    assumptions: Iterable[Term] = (),
    limit: int | None = None,
) -> Assignments:
    """All values that the variables of the projection may have together, in a fixed order."""
    found: list[Assignment] = []
    assumed = tuple(assumptions)
    given = tuple(v for v in projection if v.op == "var")
    if len(given) != len(projection):
        raise ValueError("a projection is made of variables")
    complete, unknown = False, None
    solver.declare(*given)
    solver.push()
    try:
        while limit is None or len(found) < limit:
            result = solver.check(*assumed)
            if isinstance(result, Unsat):
                complete = True
                break
            if isinstance(result, Unknown):
                unknown = result
                break
            values = {v.name: result.assignment[v.name] for v in given}
            found.append(values)
            if not given:
                complete = True
                break
            solver.add(factory.any_of(_differs(factory, v, values[v.name]) for v in given))
    finally:
        solver.pop()
    found.sort(key=lambda values: [values[v.name] for v in given])
    return Assignments(tuple(found), complete, unknown)


def _differs(factory: Factory, variable: Term, value: bool | int) -> Term:
    if variable.sort == "Bool":
        return factory.not_(variable) if value else variable
    return factory.not_(factory.eq(variable, factory.integer(value)))


def minimal_core(solver: Solver, assumptions: Sequence[Term]) -> tuple[Term, ...] | Sat | Unknown:
    """Assumptions that can't all be true, none of which can be left out; `Sat` if all can be true.

    A check without an answer leaves its assumption in; if the very first has none, that is the answer.
    """
    first = solver.check(*assumptions)
    if not isinstance(first, Unsat):
        return first
    core = list(first.core)
    for candidate in first.core:
        if candidate not in core:
            continue
        rest = [t for t in core if t is not candidate]
        result = solver.check(*rest)
        if isinstance(result, Unsat):
            core = [t for t in core if t in result.core]
    return tuple(core)
