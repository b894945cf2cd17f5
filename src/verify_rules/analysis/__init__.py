"""One function per question. Each docstring says exactly what its answer claims; all of them are listed here."""

from verify_rules.analysis.ask import Answer, Case, ask
from verify_rules.analysis.audit import Audit, Checked, RulingResult, audit, audit_ruling
from verify_rules.analysis.check import broken_invariants

ANALYSES = (ask, audit, broken_invariants)

__all__ = [
    "ANALYSES",
    "Answer",
    "Audit",
    "Case",
    "Checked",
    "RulingResult",
    "ask",
    "audit",
    "audit_ruling",
    "broken_invariants",
]
