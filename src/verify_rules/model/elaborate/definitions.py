"""Formulas that have a name: definitions and invariants."""

from __future__ import annotations

from verify_rules.diagnostics import Related
from verify_rules.model import model as m
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.elaborate.parameters import parameters_of, with_default
from verify_rules.model.lookup import Faulty
from verify_rules.model.scope import Scope
from verify_rules.parse import tree as t


class Definitions:
    """The definitions of a model: they may use each other in any order, so each is elaborated when first needed."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.defining: list[str] = []
        draft.typer.use_definitions(draft.define_trees, self.find)

    def find(self, name: str) -> m.Define | None:
        """The definition of this name; None if there is none such, `Faulty` if it has an error or uses itself."""
        draft = self.draft
        if name in draft.names.defines:
            return draft.names.defines[name]
        node = draft.define_trees.get(name)
        if node is None:
            return None
        if name in self.defining:
            circle = self.defining[self.defining.index(name) :]
            first = min(circle)
            if name == circle[0]:
                related = [Related(draft.define_trees[x].span, f"`{x}` is used here") for x in circle if x != first]
                path = " → ".join([*circle, name])
                message = f"this definition uses itself: {path}"
                draft.reporter.report("cyclic-definition", message, draft.define_trees[first].span, "", related)
            raise Faulty
        self.defining.append(name)
        try:
            parameters = tuple(with_default(draft, p) for p in parameters_of(draft, node.parameters))
            scope = Scope({p.name: p.type for p in parameters})
            body = draft.typer.expression(node.body, scope)
            draft.names.defines[name] = m.Define(name, parameters, body, node.term, node.span)
        finally:
            self.defining.pop()
        return draft.names.defines[name]

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
