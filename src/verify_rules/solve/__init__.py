"""Terms → solver: sessions with assumptions, budgets, cores, SMT-LIB text. z3 is imported when first asked."""

from verify_rules.solve.questions import Assignments, all_assignments, entails, minimal_core
from verify_rules.solve.session import Assignment, Budget, Result, Sat, Solver, Unknown, Unsat
from verify_rules.solve.smtlib import to_smt2

__all__ = [
    "Assignment",
    "Assignments",
    "Budget",
    "Result",
    "Sat",
    "Solver",
    "Unknown",
    "Unsat",
    "all_assignments",
    "entails",
    "minimal_core",
    "to_smt2",
]
