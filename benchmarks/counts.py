"""Counts that repeat exactly: terms built and the solver's work for a fixed set of encodings."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from benchmarks.boards import ACTION, fillings, opened, shipped
from verify_rules.encode import Encoding, size_of
from verify_rules.solve import Sat, Solver

FILLINGS = 6


def measure(quick: bool) -> dict[str, Any]:
    """See README.md, `counts`."""
    model = shipped()
    rows: dict[str, dict[str, int | str]] = {}
    for name, group in groupby(fillings(model, FILLINGS), key=lambda filled: filled.shape.name):
        encoding = Encoding(model, opened(list(group)))
        objects = encoding.board.objects
        verdicts = [encoding.verdict(ACTION, (actor, "player")) for actor in objects[:3]]
        legal = [encoding.factory.any_of([v["permitted"], v["required"]]) for v in verdicts]
        solver = Solver(encoding.constraints)
        answers = [isinstance(solver.check(encoding.reached(), term), Sat) for term in legal]
        rows[name] = {
            "terms made": len(encoding.factory),
            "terms of the questions": size_of(*legal),
            "variables": len(encoding.factory.variables),
            "z3 rlimit": solver.work,
            "answers": "".join("-+"[answer] for answer in answers),
        }
    total = {key: sum(int(row[key]) for row in rows.values()) for key in ("terms made", "z3 rlimit")}
    return {"encodings": rows, "total": total}
