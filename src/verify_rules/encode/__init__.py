"""The meaning of a rulebook for unknown boards: the second, independent writing, as logical terms."""

from verify_rules.encode.board import Board, NotSearched, State
from verify_rules.encode.compiled import Compiled
from verify_rules.encode.norms import VERDICTS, Norms
from verify_rules.encode.symbolic import Choice, Members, Sym, Symbolic
from verify_rules.encode.terms import Factory, SortError, Term
from verify_rules.encode.unroll import EncodedExpectation, EncodedStep, Encoding
from verify_rules.encode.walks import evaluate, render, size_of, variables

__all__ = [
    "VERDICTS",
    "Board",
    "Choice",
    "Compiled",
    "EncodedExpectation",
    "EncodedStep",
    "Encoding",
    "Factory",
    "Members",
    "Norms",
    "NotSearched",
    "SortError",
    "State",
    "Sym",
    "Symbolic",
    "Term",
    "evaluate",
    "render",
    "size_of",
    "variables",
]
