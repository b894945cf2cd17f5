"""Order of meaning (design 2.4): what depends on what, and no circles.

Statuses depend on statuses; a status that enlivens blocks is one node for each block's name. Verdicts depend on the
verdicts that norms and requirements ask for. Events do other events. A circle in any of these is an error.
"""

from __future__ import annotations

import graphlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from verify_rules.diagnostics import Related, Reporter
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.types import ABILITY, EFFECT, EnumType
from verify_rules.source import Span

Node = tuple[str, str]
# The nodes of an event: what it requires, its verdict (of an action), what it does, and what triggers on it.
EVENT, VERDICT, EFFECTS, TRIGGERS = "event", "verdict", "effects", "triggers"


@dataclass
class Graph:
    """Edges from a node to what it depends on, with the places that make each."""

    edges: dict[Node, dict[Node, list[Span]]] = field(default_factory=dict)

    def add(self, head: Node, dependency: Node, span: Span) -> None:
        """Add an edge."""
        self.edges.setdefault(head, {}).setdefault(dependency, []).append(span)

    def circles(self) -> Iterator[list[Node]]:
        """Shortest circles, one after the other, until none is left; each place takes part in at most one."""
        edges = {head: {node: set(spans) for node, spans in found.items()} for head, found in self.edges.items()}
        while True:
            try:
                graphlib.TopologicalSorter(edges).prepare()
            except graphlib.CycleError as error:
                circle = _shortest(edges, error.args[1])
                yield circle
                used = set().union(*(edges[head][node] for head, node in itertools.pairwise(circle)))
                for found in edges.values():
                    for node in list(found):
                        found[node] -= used
                        if not found[node]:
                            del found[node]
            else:
                return


def _shortest(edges: Mapping[Node, Iterable[Node]], known: Iterable[Node]) -> list[Node]:
    """The shortest circle through one of the nodes of a known circle, from its least node on."""
    found: list[list[Node]] = []
    for start in sorted(set(known)):
        before: dict[Node, Node] = {}
        layer = [start]
        while layer and start not in before:
            following: list[Node] = []
            for head in layer:
                for node in sorted(edges.get(head, ())):
                    if node not in before:
                        before[node] = head
                        following.append(node)
            layer = following
        circle = [start]
        while len(circle) == 1 or circle[-1] != start:
            circle.append(before[circle[-1]])
        found.append(circle[::-1])
        if len(circle) == 2:
            break
    return min(found, key=len)


def check(model: m.Model, reporter: Reporter) -> None:
    """Report all circles."""
    _statuses(model, reporter)
    _actions(model, reporter)
    _events(model, reporter)


def expand(model: m.Model, expr: e.Expr, seen: frozenset[str] = frozenset()) -> Iterator[e.Expr]:
    """The formula, all formulas inside it, and those of the definitions that it uses."""
    for inner in e.walk(expr):
        yield inner
        if isinstance(inner, e.DefineIs) and inner.define not in seen and inner.define in model.defines:
            yield from expand(model, model.defines[inner.define].body, seen | {inner.define})


def live_enums(model: m.Model) -> dict[str, str]:
    """For each status that enlivens blocks, the enumeration of these blocks."""
    found = {}
    for status in model.statuses.values():
        last = status.parameters[-1].type if status.parameters else None
        if status.live and isinstance(last, EnumType):
            found[status.name] = last.name
    return found


def general_takers(model: m.Model) -> frozenset[str]:
    """The blocks (by id) that take abilities or effects away in general: the lowest stratum (design 2.4, 1)."""
    enums = live_enums(model)
    return frozenset(
        clause.block
        for status in enums
        for clause in model.status_clauses[status]
        if clause.negative
        and model.blocks[clause.block].what != "rule"
        and isinstance(clause.patterns[-1], m.Bind | m.Wild)
    )


def _names_of(model: m.Model, enum: str) -> list[str]:
    return list(dict.fromkeys(member.name for member in model.enums[enum]))


def _block_nodes(model: m.Model, enums: dict[str, str], block: m.Block) -> list[Node]:
    """What the block's being live depends on."""
    if block.what not in ("ability", "effect"):
        return []
    enum = ABILITY if block.what == "ability" else EFFECT
    return [(status, block.name) for status, of in enums.items() if of == enum]


def _constructor(model: m.Model, enum: str, value: object) -> str:
    return next((x.name for x in model.enums[enum] if x.value == value), str(value))


def _reads(model: m.Model, enums: dict[str, str], exprs: Iterable[e.Expr]) -> Iterator[tuple[Node, Span]]:
    for expr in exprs:
        for inner in expand(model, expr):
            if not isinstance(inner, e.StatusIs):
                continue
            enum = enums.get(inner.status)
            if enum is None:
                yield (inner.status, ""), inner.span
                continue
            last = inner.arguments[-1]
            if isinstance(last, e.Const):
                yield (inner.status, _constructor(model, enum, last.value)), inner.span
            elif isinstance(last, e.Construct):
                yield (inner.status, last.member), inner.span
            else:
                for name in _names_of(model, enum):
                    yield (inner.status, name), inner.span


def _statuses(model: m.Model, reporter: Reporter) -> None:
    enums = live_enums(model)
    takers = general_takers(model)
    taker_names = {model.blocks[id].name for id in takers}
    graph = Graph()
    for status, clauses in model.status_clauses.items():
        for clause in clauses:
            heads: list[Node] = [(status, "")]
            if status in enums:
                last = clause.patterns[-1]
                if isinstance(last, m.Match) and isinstance(last.value, e.Const):
                    heads = [(status, _constructor(model, enums[status], last.value.value))]
                elif isinstance(last, m.Match) and isinstance(last.value, e.Construct):
                    heads = [(status, last.value.member)]
                else:
                    names = _names_of(model, enums[status])
                    if clause.block in takers and clause.negative:
                        names = [name for name in names if name not in taker_names]
                    heads = [(status, name) for name in names]
            exprs = [p.value for p in clause.patterns if isinstance(p, m.Match)]
            if clause.condition is not None:
                exprs.append(clause.condition)
            reads = [node for node, _ in _reads(model, enums, exprs)]
            reads += _block_nodes(model, enums, model.blocks[clause.block])
            for head in heads:
                for node in dict.fromkeys(reads):
                    graph.add(head, node, clause.span)
            for expr in exprs:
                for inner in expand(model, expr):
                    if isinstance(inner, e.Ask | e.Happens | e.Triggers):
                        reporter.report(
                            "asks-verdict",
                            "a status can't depend on what is permitted: statuses come before norms",
                            clause.span,
                            "Ask for statuses and fields instead.",
                            [Related(inner.span, "the verdict is asked for here")],
                        )
    reported: set[frozenset[Span]] = set()
    for circle in graph.circles():
        spans: list[Span] = []
        for head, node in itertools.pairwise(circle):
            spans += graph.edges[head][node]
        places = sorted(set(spans))
        if frozenset(places) in reported:
            continue
        reported.add(frozenset(places))
        path = " → ".join(f"{status}({block})" if block else status for status, block in circle)
        reporter.report(
            "status-cycle",
            f"these statuses depend on each other in a circle: {path}",
            places[0],
            "Let one of the clauses read fields instead of a status.",
            [Related(span, "and this clause") for span in places[1:]],
        )


def _required(model: m.Model, event: m.Event, parts: Iterable[m.Part]) -> Iterator[tuple[Node, Span]]:
    """What the requirements of an event depend on: the verdicts they ask for, the events done at the same moment."""
    for part in parts:
        match part:
            case m.Require(formula):
                yield from _verdicts(model, [formula], part.span)
            case m.Group(_, inner):
                yield from _required(model, event, inner)
            case m.Do(name, arguments, condition):
                yield (EVENT, name), part.span
                yield from _verdicts(model, [*arguments, *([] if condition is None else [condition])], part.span)
            case m.Reset() | m.Assign() | m.Carry() | m.ForEach():
                # What an event changes may ask for any verdict: it is the one before the event.
                continue


def _possible(model: m.Model, event: str) -> Node:
    return (VERDICT if model.events[event].action else EVENT, event)


def _verdicts(model: m.Model, exprs: Iterable[e.Expr], span: Span) -> Iterator[tuple[Node, Span]]:
    for expr in exprs:
        for inner in expand(model, expr):
            match inner:
                case e.Ask(_, name) | e.Happens(name):
                    yield _possible(model, name), span
                case e.Triggers(_, _, name):
                    yield (TRIGGERS, name), span
                case _:
                    continue


def _effects(model: m.Model, event: m.Event) -> Iterator[tuple[Node, Span]]:
    """What an event's doing depends on, once it is known that it can happen: all that its formulas ask for."""
    for formula in m.formulas_of(event.parts):
        yield from _verdicts(model, [formula], formula.span)
    for do in _done(event.parts):
        yield (EFFECTS, do.event), do.span
    for amendment in model.amendments[event.name]:
        yield from _verdicts(model, [*_clause_formulas(amendment), *m.formulas_of(amendment.parts)], amendment.span)
        for do in _done(amendment.parts):
            yield (EFFECTS, do.event), do.span
            yield (EVENT, do.event), do.span


def _triggers(model: m.Model, event: m.Event) -> Iterator[tuple[Node, Span]]:
    """What it depends on whether something triggers on an event."""
    clauses = model.triggers[event.name]
    yield _possible(model, event.name), event.span
    # Asked before the event it matters only what it is replaced by; after it, all that it does.
    if model.amendments[event.name] or any(clause.after for clause in clauses):
        yield (EFFECTS, event.name), event.span
    for clause in clauses:
        yield from _verdicts(model, _clause_formulas(clause), clause.span)


def _clause_formulas(clause: m.Norm | m.Lift | m.Amendment | m.Trigger) -> list[e.Expr]:
    found = [p.value for p in clause.patterns if isinstance(p, m.Match)]
    if clause.condition is not None:
        found.append(clause.condition)
    if isinstance(clause, m.Lift):
        found += [v.owner for v in clause.victims if isinstance(v, m.ClassVictim) and v.owner is not None]
    return found


def _actions(model: m.Model, reporter: Reporter) -> None:
    """Circles of verdicts, also through what events require, what they do and what triggers on them."""
    graph = Graph()
    for event in model.events.values():
        for node, span in _required(model, event, event.parts):
            graph.add((EVENT, event.name), node, span)
        for node, span in _effects(model, event):
            graph.add((EFFECTS, event.name), node, span)
        for node, span in _triggers(model, event):
            graph.add((TRIGGERS, event.name), node, span)
        if not event.action:
            continue
        graph.add((VERDICT, event.name), (EVENT, event.name), event.span)
        clauses: list[m.Norm | m.Lift] = [*model.norms[event.name], *model.lifts[event.name]]
        for clause in clauses:
            for node, span in _verdicts(model, _clause_formulas(clause), clause.span):
                graph.add((VERDICT, event.name), node, span)
    for circle in graph.circles():
        edges = list(itertools.pairwise(circle))
        if all(head[0] == EVENT == node[0] and _does(model, head[1], node[1]) for head, node in edges):
            continue
        if all(head[0] == EFFECTS for head, _ in edges):
            continue  # events that do each other
        inherent = ((VERDICT, EVENT), (TRIGGERS, EVENT), (TRIGGERS, VERDICT), (TRIGGERS, EFFECTS))
        told = [(a, b) for a, b in edges if a[1] != b[1] or (a[0], b[0]) not in inherent]
        spans = sorted({span for a, b in told for span in graph.edges[a][b]})
        names = [name for name, _ in itertools.groupby(name for _, name in circle)]
        path = " → ".join(names if len(names) > 1 else names * 2)
        if any(head[0] == TRIGGERS for head, _ in edges):
            reporter.report(
                "trigger-cycle",
                f"it depends on itself what triggers here: {path}",
                spans[0],
                "Let one of them read statuses or fields instead.",
                [Related(span, "and here") for span in spans[1:]],
            )
            continue
        reporter.report(
            "action-cycle",
            f"these actions ask for each other's verdict: {path}",
            spans[0],
            "Let one of them read statuses or fields instead.",
            [Related(span, "and here") for span in spans[1:]],
        )


def _does(model: m.Model, event: str, other: str) -> bool:
    """Whether the event does the other one, so that a circle of the two is one of events."""
    return any(do.event == other for do in _done(model.events[event].parts))


def _done(parts: Iterable[m.Part]) -> Iterator[m.Do]:
    for part in parts:
        if isinstance(part, m.Do):
            yield part
        elif isinstance(part, m.Group | m.ForEach):
            yield from _done(part.parts)


def _events(model: m.Model, reporter: Reporter) -> None:
    graph = Graph()
    for event in model.events.values():
        amending = [part for amendment in model.amendments[event.name] for part in amendment.parts]
        for do in _done([*event.parts, *amending]):
            graph.add((event.name, ""), (do.event, ""), do.span)
    for circle in graph.circles():
        spans = sorted({s for a, b in itertools.pairwise(circle) for s in graph.edges[a][b]})
        reporter.report(
            "event-cycle",
            f"these events do each other: {' → '.join(name for name, _ in circle)}",
            spans[0],
            "Let one of them say itself what it sets.",
            [Related(span, "and here") for span in spans[1:]],
        )
