"""What can be told of a model's clauses without running them: unranked norms, unreachable and doubled clauses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from verify_rules.diagnostics import Related, Reporter
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.names import Names
from verify_rules.model.types import EnumType, IntType, Type

Clause = m.StatusClause | m.Norm | m.Lift | m.Amendment | m.Trigger


def check(model: m.Model, reporter: Reporter, whole: bool = True, ranked: bool = True) -> None:
    """Report all findings.

    Not `whole` is a model of which something with an error is left out: warnings wait. Not `ranked` is one whose
    precedence is there, but can't be read.
    """
    if ranked:
        _precedence(model, reporter)
        _unranked(model, reporter)
    if not whole:
        return
    names = Names.of(model)
    for clause in clauses(model):
        if clause.condition is not None and contradictory(clause.condition, names):
            reporter.report(
                "unreachable-clause",
                "this clause never applies: its condition can't be true",
                clause.span,
                "Mend the condition, or remove the clause.",
            )
    _doubled(model, reporter)
    _idle_triggers(model, reporter)


def clauses(model: m.Model) -> Iterator[Clause]:
    """All clauses, statuses first, each group in source order."""
    for status in model.status_clauses.values():
        yield from status
    for norms in model.norms.values():
        yield from norms
    for lifts in model.lifts.values():
        yield from lifts
    for amendments in model.amendments.values():
        yield from amendments
    for triggers in model.triggers.values():
        yield from triggers


def _precedence(model: m.Model, reporter: Reporter) -> None:
    if not model.precedence:
        ranked = [x for norms in model.norms.values() for x in norms if x.word not in ("require", "steer")]
        first = min(ranked, key=lambda norm: norm.span, default=None)
        if first is not None:
            word: m.NormWord = "forbid" if first.word == "price" else first.word
            reporter.report(
                "missing-precedence",
                "the model has no `precedence`, so no norm would ever count",
                first.span,
                f"Say which goes first: `precedence … > {first.strength} {word} > …`.",
            )
        return
    seen = set()
    for norms in model.norms.values():
        for norm in norms:
            if norm.word in ("require", "steer"):
                continue
            word = "forbid" if norm.word == "price" else norm.word
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


def contradictory(expr: e.Expr, names: Names) -> bool:
    """Whether a formula is plainly false: a false part, a formula and its negation, or a thing left without a value."""
    parts = conjuncts(expr)
    shapes = {shape(part) for part in parts}
    left: dict[object, set[object]] = {}
    for part in parts:
        if _false(part) or shape(_negated(part)) in shapes:
            return True
        if isinstance(part, e.Or) and all(contradictory(item, names) for item in part.items):
            return True
        told = _told(part)
        if told is None:
            continue
        thing, values, holds = told
        possible = left.get(shape(thing))
        if possible is None:
            possible = _values(thing.type, names)
        if possible is not None:
            left[shape(thing)] = possible = possible & values if holds else possible - values
            if not possible:
                return True
    return False


LARGEST_RANGE = 1000


def _values(type: Type, names: Names) -> set[object] | None:
    """All values of a small type."""
    match type:
        case IntType(low, high):
            return set(range(low, high + 1)) if high - low < LARGEST_RANGE else None
        case EnumType(name):
            return {x.value for x in names.enums[name].values()} or None
        case _:
            return None


def _told(part: e.Expr) -> tuple[e.Expr, set[object], bool] | None:
    """What a part says of one thing: its value is (or, with False, isn't) among these."""
    match part:
        case e.Not(body):
            told = _told(body)
            return None if told is None else (told[0], told[1], not told[2])
        case e.Equal(thing, e.Const(value)) | e.Equal(e.Const(value), thing):
            return thing, {value}, True
        case e.In(thing, e.Const(values)) if isinstance(values, frozenset):
            return thing, set(values), True
        case e.AtMost(thing, e.Const(int(most))) if isinstance(thing.type, IntType) and _small(thing.type):
            return thing, set(range(thing.type.low, most + 1)), True
        case e.AtMost(e.Const(int(least)), thing) if isinstance(thing.type, IntType) and _small(thing.type):
            return thing, set(range(least, thing.type.high + 1)), True
        case _:
            return None


def _small(type: IntType) -> bool:
    return type.high - type.low < LARGEST_RANGE


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


def shape(part: object, bound: tuple[str, ...] = ()) -> object:
    """What a formula says, whatever its bound names are called and in whatever order its parts stand."""
    match part:
        case e.Local(name):
            return ("name", bound[::-1].index(name)) if name in bound else ("free", name)
        case e.Some(of, body) | e.All(of, body) | e.Count(of, body) | e.UnionOver(of, body):
            inner = (*bound, of.name)
            return (type(part), of.type, shape(of.domain, bound), shape(body, inner))
        case e.And(items) | e.Or(items):
            return (type(part), frozenset(shape(x, bound) for x in items))
        case e.Not(e.Not(body)):
            return shape(body, bound)
        case e.Equal(a, b):
            return (e.Equal, frozenset((shape(a, bound), shape(b, bound))))
        case e.Typed():
            return (type(part), *(shape(getattr(part, f.name), bound) for f in fields(part) if f.name != "span"))
        case tuple():
            return tuple(shape(x, bound) for x in part)
        case _:
            return part


def _clause_shape(model: m.Model, clause: Clause) -> object:
    """What a clause says; equal for two that say the same of the same block."""
    block = model.blocks[clause.block]
    # A rule may say again what another says only by mistake; two abilities may well say the same.
    home = "" if block.what == "rule" else clause.block
    owners = [v.owner for v in clause.victims if isinstance(v, m.ClassVictim)] if isinstance(clause, m.Lift) else []
    inside = [x for x in (clause.condition, *owners) if x is not None]
    inside += [p.value for p in clause.patterns if isinstance(p, m.Match)]
    if isinstance(clause, m.Amendment):
        inside += m.formulas_of(clause.parts)
    used = {x.name for formula in inside for x in e.walk(formula) if isinstance(x, e.Local)}
    bound: tuple[str, ...] = ()
    patterns: list[object] = []
    for pattern in clause.patterns:
        match pattern:
            case m.Wild():
                patterns.append(None)
            case m.Bind(name, _, only):
                # A name that nothing uses is as good as `_`.
                patterns.append(only)
                bound = (*bound, name) if name in used else bound
            case m.Match(value):
                patterns.append(shape(value, bound))
    said = (home, tuple(patterns), shape(clause.condition, bound))
    match clause:
        case m.StatusClause():
            return ("status", clause.status, clause.negative, *said)
        case m.Norm():
            return ("norm", clause.action, clause.word, clause.strength, *said)
        case m.Lift():
            victims = frozenset(
                v.blocks if isinstance(v, m.NamedVictim) else (v.word, v.strength, v.origin, shape(v.owner, bound))
                for v in clause.victims
            )
            return ("lift", clause.action, victims, *said)
        case m.Amendment():
            return (
                "amendment",
                clause.event,
                clause.replaces,
                clause.strength,
                _part_shape(clause.parts, bound),
                *said,
            )
        case m.Trigger():
            return ("trigger", clause.event, clause.after, *said)


def _part_shape(part: object, bound: tuple[str, ...]) -> object:
    """What parts of an event say, wherever they stand."""
    match part:
        case tuple():
            return tuple(_part_shape(x, bound) for x in part)
        case m.ForEach(name, _, condition, parts):
            return (m.ForEach, shape(condition, (*bound, name)), _part_shape(parts, (*bound, name)))
        case m.Reset() | m.Assign() | m.Carry() | m.Do():
            return (type(part), *(_part_shape(getattr(part, f.name), bound) for f in fields(part) if f.name != "span"))
        case _:
            return shape(part, bound)


def _unranked(model: m.Model, reporter: Reporter) -> None:
    """Report amendments of one event whose strengths differ where the precedence doesn't say which is stronger."""
    for amendments in model.amendments.values():
        if len({x.strength for x in amendments}) < 2:
            continue
        for amendment in amendments:
            if amendment.strength not in model.strengths:
                reporter.report(
                    "missing-precedence",
                    f"the precedence doesn't rank `{amendment.strength}`: which amendment goes before this one?",
                    amendment.span,
                    f"Put it in its place, `precedence … > {amendment.strength} … > …`, or name another strength.",
                )


def _formulas(model: m.Model) -> Iterator[e.Expr]:
    """All formulas of a model, those of its rulings too."""
    yield from (define.body for define in model.defines.values())
    yield from (invariant.formula for invariant in model.invariants)
    for event in model.events.values():
        yield from m.formulas_of(event.parts)
    for clause in clauses(model):
        if clause.condition is not None:
            yield clause.condition
        if isinstance(clause, m.Amendment):
            yield from m.formulas_of(clause.parts)
    for ruling in model.rulings:
        yield from (line.formula for line in ruling.scenario.lines if isinstance(line, m.ExpectFormula))
    yield from (claim.formula for claim in model.claims)


def _idle_triggers(model: m.Model, reporter: Reporter) -> None:
    """Report questions about a trigger that isn't there: `not triggers …` would be true for the wrong reason."""
    for formula in _formulas(model):
        for inner in e.walk(formula):
            if not isinstance(inner, e.Triggers):
                continue
            blocks = [model.blocks[id] for id in inner.by.blocks]
            # On another day they may say something of it.
            if not blocks or any(b.since is not None or b.until is not None for b in blocks):
                continue
            if not any(x.block in inner.by.blocks for x in model.triggers[inner.event]):
                reporter.report(
                    "idle-trigger",
                    f"`{inner.by.text}` says of no `{inner.event}` that it triggers on it, so this is never true",
                    inner.span,
                    f"Add a clause to it, `triggers on {inner.event}(…)` or `triggers after {inner.event}(…)`.",
                )


def _doubled(model: m.Model, reporter: Reporter) -> None:
    same: dict[object, list[Clause]] = {}
    for clause in clauses(model):
        same.setdefault(_clause_shape(model, clause), []).append(clause)
    for found in same.values():
        if len(found) == 1:
            continue
        first, second, *more = sorted(found, key=lambda clause: clause.span)
        times = "twice" if not more else f"{len(found)} times"
        reporter.report(
            "doubled-clause",
            f"this clause stands {times}",
            second.span,
            "Keep one of them.",
            [Related(first.span, "the first one"), *(Related(x.span, "another") for x in more[:3])],
        )
