"""What can be told of a model's clauses without running them: unranked norms, unreachable and doubled clauses."""

from __future__ import annotations

from collections.abc import Iterator

from verify_rules.diagnostics import Related, Reporter
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.types import EnumType, IntType

Clause = m.StatusClause | m.Norm | m.Lift


def check(model: m.Model, reporter: Reporter) -> None:
    """Report all findings."""
    _precedence(model, reporter)
    for clause in clauses(model):
        if clause.condition is not None and contradictory(clause.condition):
            reporter.report(
                "unreachable-clause",
                "this clause never applies: its condition can't be true",
                clause.span,
                "Mend the condition, or remove the clause.",
            )
    _doubled(model, reporter)


def clauses(model: m.Model) -> Iterator[Clause]:
    """All clauses, statuses first, each group in source order."""
    for status in model.status_clauses.values():
        yield from status
    for norms in model.norms.values():
        yield from norms
    for lifts in model.lifts.values():
        yield from lifts


def _precedence(model: m.Model, reporter: Reporter) -> None:
    seen = set()
    for norms in model.norms.values():
        for norm in norms:
            if norm.word in ("require", "steer"):
                continue
            word: m.NormWord = "forbid" if norm.word == "price" else norm.word
            if (norm.strength, word) not in model.precedence and (norm.strength, word) not in seen:
                seen.add((norm.strength, word))
                reporter.report(
                    "missing-precedence",
                    f"the precedence doesn't rank `{norm.strength} {word}`, so this norm would never count",
                    norm.span,
                    f"Put it in its place: `precedence … > {norm.strength} {word} > …`.",
                )


def conjuncts(expr: e.Expr) -> list[e.Expr]:
    """The formulas that are all true if `expr` is."""
    if isinstance(expr, e.And):
        return [x for item in expr.items for x in conjuncts(item)]
    if isinstance(expr, e.Not) and isinstance(expr.body, e.Or):
        return [x for item in expr.body.items for x in conjuncts(_negated(item))]
    return [expr]


def _negated(expr: e.Expr) -> e.Expr:
    return expr.body if isinstance(expr, e.Not) else e.Not(expr)


def contradictory(expr: e.Expr) -> bool:
    """Whether a formula is plainly false: a false part, a formula and its negation, two values of one thing."""
    parts = conjuncts(expr)
    values: dict[e.Expr, e.Expr] = {}
    for part in parts:
        if _false(part) or _negated(part) in parts:
            return True
        if isinstance(part, e.Or) and all(contradictory(item) for item in part.items):
            return True
        if isinstance(part, e.Equal) and isinstance(part.right, e.Const):
            first = values.setdefault(part.left, part.right)
            if isinstance(first, e.Const) and first.value != part.right.value:
                return True
    return False


def _false(part: e.Expr) -> bool:
    match part:
        case e.Const(value):
            return value is False
        case e.Not(e.Const(value)):
            return value is True
        case e.Not(body):
            return _always(body)
        case e.In(_, e.Const(value)) | e.Meets(_, e.Const(value)) | e.Meets(e.Const(value), _):
            return value == frozenset()
        case e.AtMost(left, right) if isinstance(left.type, IntType) and isinstance(right.type, IntType):
            return left.type.low > right.type.high
        case e.Equal(e.Const(a), e.Const(b)):
            return a != b
        case e.Equal(left, e.Const(value)) if isinstance(left.type, IntType) and isinstance(value, int):
            return not left.type.low <= value <= left.type.high
        case _:
            return False


def _always(part: e.Expr) -> bool:
    match part:
        case e.AtMost(left, right) if isinstance(left.type, IntType) and isinstance(right.type, IntType):
            return left.type.high <= right.type.low
        case e.Equal(left, right):
            return left == right and not isinstance(left.type, EnumType)
        case _:
            return False


def _doubled(model: m.Model, reporter: Reporter) -> None:
    first: dict[object, Clause] = {}
    for clause in clauses(model):
        block = model.blocks[clause.block]
        # A rule may say again what another says only by mistake; two abilities may well say the same.
        home = "" if block.what == "rule" else clause.block
        match clause:
            case m.StatusClause():
                key: object = (home, clause.status, clause.negative, clause.patterns, clause.condition)
            case m.Norm():
                key = (home, clause.action, clause.word, clause.strength, clause.patterns, clause.condition)
            case m.Lift():
                key = (home, clause.action, clause.victims, clause.patterns, clause.condition)
        other = first.setdefault(key, clause)
        if other is not clause:
            reporter.report(
                "doubled-clause",
                "this clause stands twice",
                clause.span,
                "Remove one of the two.",
                [Related(other.span, "the other one")],
            )
