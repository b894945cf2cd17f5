"""Every diagnostic code, once: its severity and its rule in a sentence. Examples stand in docs/diagnostics.md."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Code(NamedTuple):
    """A kind of diagnostic."""

    severity: Literal["error", "warning"]
    summary: str


CATALOGUE: dict[str, Code] = {
    # files
    "file-not-found": Code("error", "A path that was named doesn't exist or can't be read."),
    "file-encoding": Code("error", "A model file is not UTF-8 text."),
    "file-empty": Code("error", "A model file is empty."),
    "file-without-rules": Code("warning", "A Markdown file has no `rules` block."),
    "folder-without-model": Code("error", "A folder that should hold a model has no `rules` block in it."),
    "fence-unclosed": Code("error", "A `rules` block is not closed."),
    "fence-unread": Code("warning", "What looks like a `rules` block is none, so it isn't read."),
    # syntax
    "syntax": Code("error", "The text can't be read as the language's grammar says."),
    "syntax-date": Code("error", "A date that the calendar doesn't have."),
    "margin": Code("error", "A block begins with an indented line, so it belongs to no item."),
    "too-deep": Code("error", "A formula or event is nested too deeply, or definitions use each other too deeply."),
    # names
    "unknown-name": Code("error", "A name in a formula that nothing declares."),
    "unknown-type": Code("error", "A type that nothing declares."),
    "unknown-field": Code("error", "A field that the kind doesn't have."),
    "unknown-event": Code("error", "An event or action that nothing declares."),
    "unknown-action": Code("error", "An action that nothing declares."),
    "unknown-status": Code("error", "A status that nothing declares."),
    "unknown-rule": Code("error", "A rule, ability or effect that nothing declares."),
    "unknown-ability": Code("error", "An ability that nothing declares."),
    "unknown-effect": Code("error", "An effect that nothing declares."),
    "unknown-strength": Code("error", "A strength that the precedence doesn't list."),
    "unknown-source": Code("error", "A citation of a source that the model doesn't declare."),
    "unknown-version": Code("error", "A citation of a version that the source doesn't list."),
    "unknown-citation": Code("error", "`by` names a paragraph that no rule cites."),
    "unknown-card": Code("error", "A card, in a scenario or among the named cards, that nothing declares."),
    "idle-card": Code("warning", "A card of a scenario that is neither in play nor in any step."),
    "unknown-flag": Code("error", "A word after `in play` that the setup doesn't know."),
    "unknown-label": Code("error", "A label that no parameter has."),
    "duplicate": Code("error", "Two declarations of one name, or two of what there may be one of."),
    "taken-name": Code("error", "A name for something new that has a meaning already."),
    "not-of-scenarios": Code("error", "An item of a rulebook in a place where only a scenario can stand."),
    # types
    "wrong-type": Code("error", "An expression of one type where another is needed."),
    "wrong-arity": Code("error", "Too few or too many arguments."),
    "not-narrowed": Code("error", "A field of something that may be no object of the kind."),
    "out-of-range": Code("error", "A value outside the range of its field or parameter."),
    "no-default": Code("error", "A field that has no value to begin with."),
    "not-constant": Code("error", "A formula where a constant is needed."),
    "no-self": Code("error", "`self` outside an ability or effect."),
    "wildcard": Code("error", "`_` where a value is needed."),
    "too-many-values": Code("error", "Parameters or a `per` that give more values than the tool can handle."),
    # structure
    "missing-declaration": Code("error", "Something that a model can't do without."),
    "cyclic-definition": Code("error", "A definition or an enumeration that uses itself."),
    "status-cycle": Code("error", "Statuses that depend on each other in a circle."),
    "action-cycle": Code("error", "Actions whose norms ask for each other's verdict in a circle."),
    "event-cycle": Code("error", "An event that does itself."),
    "trigger-cycle": Code("error", "Whether something triggers on an event depends on itself."),
    "asks-verdict": Code("error", "A verdict asked for where verdicts can't yet be known."),
    "misplaced-by": Code("error", "`by` behind a question that no single rule decides."),
    "sets-fixed": Code("error", "`sets` on a field that is fixed for a scenario."),
    "sets-twice": Code("error", "One field set twice at once."),
    "missing-precedence": Code("error", "Norms or amendments of a strength that the precedence doesn't rank."),
    "unreachable-clause": Code("warning", "A clause whose condition can never be true."),
    "idle-trigger": Code("warning", "A question whether something triggers on an event of which it says nothing."),
    "doubled-clause": Code("warning", "A clause that stands twice."),
    "invariant-broken": Code("error", "An event that breaks an invariant."),
    "dates": Code("error", "`until` is not later than `since`."),
    "uncited": Code("warning", "A rule without a citation."),
    # scenarios
    "no-mistake": Code("error", "An expectation about a mistake where none was made."),
    "placed-below": Code("error", "Cards that lie under each other in a circle, or under one that isn't in play."),
}
