"""Formulas that have a name: definitions and invariants."""

from __future__ import annotations

from typing import NoReturn

from verify_rules.diagnostics import Related
from verify_rules.model import expr as e
from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.elaborate.parameters import parameters_of, with_default
from verify_rules.model.fitting import one_value
from verify_rules.model.lookup import Faulty
from verify_rules.model.scope import Scope
from verify_rules.parse import tree as t

LEVELS = 50


class Definitions:
    """The definitions of a model: they may use each other in any order, so each is elaborated when first needed."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.defining: list[str] = []
        self.depths: dict[str, int] = {}
        self.faulty: set[str] = set()
        self.deep = False
        draft.typer.use_definitions(draft.define_trees, self.find)

    def find(self, name: str) -> m.Define | None:
        """The definition of this name; None if there is none such, `Faulty` if it has an error or uses itself."""
        draft = self.draft
        if name in draft.names.defines:
            return draft.names.defines[name]
        node = draft.define_trees.get(name)
        if node is None:
            return None
        if name in self.faulty:
            raise Faulty
        if name in self.defining:
            self._report_circle(self.defining[self.defining.index(name) :])
            raise Faulty
        if len(self.defining) == LEVELS:
            self._too_deep(node)
        self.defining.append(name)
        try:
            parameters = tuple(with_default(draft, p) for p in parameters_of(draft, node.parameters))
            scope = Scope({p.name: p.type for p in parameters})
            body = draft.typer.expression(node.body, scope)
            one_value(draft.typer, body)
            self._measure(node, body)
            draft.names.defines[name] = m.Define(name, parameters, body, node.term, node.span)
        except Faulty:
            self.faulty.add(name)
            draft.names.broken.add(name)
            raise
        finally:
            self.defining.pop()
        return draft.names.defines[name]

    def _report_circle(self, circle: list[str]) -> None:
        places = {name: self.draft.word(name, self.draft.define_trees[name].span) for name in circle}
        start = circle.index(min(circle, key=places.__getitem__))
        circle = circle[start:] + circle[:start]
        self.draft.reporter.report(
            "cyclic-definition",
            f"this definition uses itself: {' → '.join([*circle, circle[0]])}",
            places[circle[0]],
            "Let one of them do without the others.",
            [Related(places[name], f"`{name}` is defined here") for name in circle[1:]],
        )

    def _measure(self, node: t.Define, body: e.Expr) -> None:
        """Definitions may use each other so deep, and no deeper, as every later stage can follow."""
        used = [self.depths.get(x.define, 0) for x in e.walk(body) if isinstance(x, e.DefineIs)]
        self.depths[node.name] = max(used, default=0) + 1
        if self.depths[node.name] > LEVELS:
            self._too_deep(node)

    def _too_deep(self, node: t.Define) -> NoReturn:
        """Report the first of these, which may well be the cause of others."""
        if not self.deep:
            self.deep = True
            place = self.draft.word(node.name, node.span)
            message = f"definitions use each other more than {LEVELS} levels deep here"
            self.draft.reporter.report("too-deep", message, place, "Say it with fewer definitions.")
        raise Faulty

    def find_all(self) -> None:
        """Elaborate those that nothing has needed."""
        for name in self.draft.define_trees:
            try:
                self.find(name)
            except Faulty:
                continue


def invariants(draft: Draft) -> tuple[m.Invariant, ...]:
    """The invariants, each with a name; those with an error are left out."""
    found = []
    for number, node in enumerate(draft.of(t.Invariant), start=1):
        name = node.name or f"invariant_{number}"
        if not draft.declare("invariant", name, node.span, "an invariant"):
            continue
        try:
            found.append(m.Invariant(name, node.title, draft.typer.formula(node.formula, Scope()), node.span))
        except Faulty:
            continue
    return tuple(found)
