"""Documents → model: declarations collected, every formula typed, in passes that each need only the ones before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from verify_rules.diagnostics import Reporter
from verify_rules.model import model as m
from verify_rules.model.elaborate import clauses, events, headers, signatures, vocabulary
from verify_rules.model.elaborate.definitions import Definitions, invariants
from verify_rules.model.elaborate.draft import Draft
from verify_rules.model.elaborate.setup import setup
from verify_rules.model.scenario import Scenarios
from verify_rules.parse import tree as t
from verify_rules.source import SourceFile


def elaborate(
    documents: Sequence[t.Document],
    files: Mapping[str, SourceFile],
    reporter: Reporter,
    as_of: date | None,
    hash: str,
) -> m.Model | None:
    """The model, or None if something that it can't do without is missing.

    Errors go to the reporter; what has an error is left out, so that others are found too.
    """
    draft = Draft(documents, files, reporter, as_of)
    definitions = Definitions(draft)
    vocabulary.collect(draft)
    if not draft.names.kind:
        return None
    headers.read(draft)
    signatures.type_fields(draft)
    signatures.declare_all(draft)
    signatures.set_defaults(draft)
    definitions.find_all()
    clauses.read_all(draft)
    events.read_parts(draft)
    kept = invariants(draft)
    start = setup(draft)
    if start is None:
        return None
    model = _model(draft, kept, start, hash)
    return Scenarios(model, draft.files, reporter, draft.names.broken).add(draft.items)


def _model(draft: Draft, invariants: tuple[m.Invariant, ...], setup: m.Setup, hash: str) -> m.Model:
    return m.Model(
        draft.title,
        draft.names.kind,
        draft.names.sources,
        {name: tuple(table.values()) for name, table in draft.names.enums.items()},
        draft.names.unions,
        draft.names.variables,
        draft.names.defines,
        draft.names.statuses,
        draft.names.events,
        draft.names.blocks,
        {name: tuple(found) for name, found in draft.status_clauses.items()},
        {name: tuple(found) for name, found in draft.norms.items()},
        {name: tuple(found) for name, found in draft.lifts.items()},
        {name: tuple(found) for name, found in draft.amendments.items()},
        {name: tuple(found) for name, found in draft.triggers.items()},
        draft.precedence,
        draft.names.readings,
        setup,
        {},
        invariants,
        (),
        (),
        draft.terms,
        draft.names.constructors,
        draft.files,
        hash,
        draft.as_of,
        draft.names.dormant,
    )
