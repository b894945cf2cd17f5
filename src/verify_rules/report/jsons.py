"""Results as JSON: plain dictionaries that the schemas in `schema/` describe. The order of keys and items is fixed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from importlib import metadata, resources
from typing import Any

import verify_rules
from verify_rules.analysis import Answer, Audit, Case, Checked, RulingResult
from verify_rules.analysis.ask import Stopped
from verify_rules.diagnostics import Diagnostic
from verify_rules.explain import Absent, Decider, Fact, Reason, Source
from verify_rules.model import model as m
from verify_rules.semantics import Verdict
from verify_rules.semantics.run import show
from verify_rules.source import Span

SCHEMAS = ("ask", "audit", "check")
VERSION = 1

Json = dict[str, Any]


def schema(name: str) -> Json:
    """The published schema of a kind of result."""
    text = resources.files("verify_rules.report").joinpath("schema", f"{name}.schema.json").read_text("utf-8")
    result: Json = json.loads(text)
    return result


def dumps(value: Json) -> str:
    """The text of a result."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def head(kind: str, model: m.Model | None) -> Json:
    """What every result begins with: schema, versions of tool and solver, the model by name and content."""
    try:
        solver = metadata.version("z3-solver")
    except metadata.PackageNotFoundError:
        solver = ""
    result: Json = {
        "schema": f"verify-rules/{kind}/{VERSION}",
        "tool": {"name": "verify-rules", "version": verify_rules.__version__, "solver": f"z3 {solver}".strip()},
    }
    if model is not None:
        result["model"] = {
            "name": model.name,
            "hash": model.hash,
            "version": model.version,
            "as_of": _date(model.as_of),
        }
    return result


def _date(value: date | None) -> str | None:
    return None if value is None else value.isoformat()


def _place(span: Span) -> Json:
    return {"file": span.path, "line": span.line}


# ---------------------------------------------------------------- reasons


def source(item: Source) -> Json:
    """A clause."""
    return {
        "name": item.name,
        "what": item.what,
        "title": item.title,
        "cites": list(item.cites),
        **_place(item.span),
    }


def decider(item: Decider) -> Json:
    """A norm that applies."""
    result = source(item.source) | {"word": item.word, "strength": item.strength, "carrier": item.carrier}
    if item.price is not None:
        result["price"] = item.price
    if item.lifted_by:
        result["lifted_by"] = [source(x) for x in item.lifted_by]
    return result


def fact(item: Fact) -> Json:
    """A fact and what it rests on."""
    since = None
    if item.origin is not None:
        since = {
            "step": item.origin.number,
            "prologue": item.origin.prologue,
            "supposed": item.origin.supposed,
            "text": item.origin.text,
            "amended_by": item.origin.by,
            **_place(item.origin.span),
        }
    return {
        "fact": item.text,
        "since": since,
        "by": None if item.source is None else source(item.source),
        "because": [fact(x) for x in item.because],
        "absent": [absent(x) for x in item.absent],
    }


def absent(item: Absent) -> Json:
    """An exception that doesn't apply."""
    return source(item.source) | {"lacks": [fact(x) for x in item.lacks]}


def reason(item: Reason) -> Json:
    """A pair with its verdict."""
    return {
        "action": item.action,
        "verdict": item.verdict,
        "stage": item.stage,
        "by": [decider(x) for x in item.by],
        "because": [fact(x) for x in item.because],
        "beats": [decider(x) for x in item.beats],
        "lifted": [decider(x) for x in item.lifted],
        "absent": [absent(x) for x in item.absent],
        "nearest": None if item.nearest is None else absent(item.nearest),
        "requirement": None if item.requirement is None else source(item.requirement),
        "toward": list(item.toward),
    }


def stopped(item: Stopped) -> Json:
    """A step that can't happen."""
    return {
        "step": item.number,
        "prologue": item.prologue,
        "text": item.text,
        **_place(item.span),
        "fault": item.fault or None,
        "reason": None if item.reason is None else reason(item.reason),
    }


def case(item: Case) -> Json:
    """An answer under some readings."""
    return {
        "readings": dict(item.readings),
        "value": item.value,
        "pairs": [reason(x) for x in item.pairs],
        "because": [fact(x) for x in item.because],
        "stopped": None if item.stopped is None else stopped(item.stopped),
    }


# ---------------------------------------------------------------- results


def ask(model: m.Model, answers: Iterable[Answer]) -> Json:
    """The result of `ask`."""
    return head("ask", model) | {"answers": [_answer(x) for x in answers]}


def _answer(item: Answer) -> Json:
    first = item.cases[0]
    return {
        "question": item.question,
        "answer": item.answer,
        "pairs": [reason(x) for x in first.pairs],
        "readings": list(item.depends),
        "cases": [case(x) for x in item.cases],
    }


def audit(model: m.Model, done: Audit, diagnostics: Iterable[Diagnostic] = (), interrupted: bool = False) -> Json:
    """The result of `audit`."""
    return head("audit", model) | {
        "complete": not interrupted,
        "summary": done.summary,
        "expectations": done.expectations,
        "unchecked": done.unchecked,
        "rulings": [_ruling(model, x) for x in done.results],
        "findings": [*map(finding, diagnostics), *_findings(done)],
    }


def _ruling(model: m.Model, item: RulingResult) -> Json:
    return {
        "name": item.ruling.name,
        "title": item.ruling.title,
        **_place(item.ruling.span),
        "outcome": item.outcome,
        "note": item.note or None,
        "readings": list(item.readings),
        "unchecked": list(item.ruling.unchecked),
        "expectations": [_checked(model, x) for x in item.expectations],
        "stopped": None if item.stopped is None else stopped(item.stopped),
    }


def _checked(model: m.Model, item: Checked) -> Json:
    kinds = list(dict.fromkeys(v.kind for v in item.verdicts))
    return {
        "line": item.span.line,
        "text": item.text,
        "outcome": item.outcome,
        "verdict": kinds[0] if len(kinds) == 1 else None,
        "by": list(dict.fromkeys(name for v in item.verdicts for name in _deciders(model, v))),
        "pairs": [
            {"action": f"{v.action}({', '.join(map(show, v.args))})", "verdict": v.kind, "by": _deciders(model, v)}
            for v in item.verdicts
        ],
        "readings": list(item.readings),
        "cases": [case(x) for x in item.cases],
    }


def _deciders(model: m.Model, verdict: Verdict) -> list[str]:
    names = [model.blocks[i.norm.block].name for i in verdict.deciding]
    if verdict.failing_group is not None:
        names.append(model.blocks[verdict.failing_group].name)
    return list(dict.fromkeys(names))


SEVERITY: Mapping[str, str] = {
    "refuted": "error",
    "impossible": "error",
    "depends": "note",
    "disputed": "note",
    "stale": "warning",
    "out_of_scope": "note",
    "nothing_checked": "error",
    "not_searched": "error",
}
TOLD: Mapping[str, str] = {
    "refuted": "is refuted",
    "impossible": "is impossible: one of its steps can't happen",
    "depends": "depends on how the rules are read",
    "disputed": "is not confirmed, and known to be disputed",
    "stale": "is confirmed by an earlier rulebook only",
    "out_of_scope": "is out of scope",
    "nothing_checked": "expects nothing, so that nothing was checked",
    "not_searched": "leaves something unknown, which can't be searched yet",
}


def _findings(done: Audit) -> list[Json]:
    found = []
    for result in done.results:
        if result.outcome == "confirmed":
            continue
        places = [_place(result.ruling.span)]
        places += [_place(x.span) for x in result.expectations if x.outcome != "confirmed"]
        if result.stopped is not None:
            places.append(_place(result.stopped.span))
        found.append(
            {
                "kind": result.outcome,
                "severity": SEVERITY[result.outcome],
                "message": f"the ruling `{result.ruling.name}` {TOLD[result.outcome]}",
                "help": None,
                "places": places,
            }
        )
    for claim in done.claims:
        found.append(
            {
                "kind": "not_searched",
                "severity": SEVERITY["not_searched"],
                "message": f"the claim `{claim.name}` can't be searched yet",
                "help": None,
                "places": [_place(claim.span)],
            }
        )
    return found


def finding(item: Diagnostic) -> Json:
    """A diagnostic."""
    return {
        "kind": item.code,
        "severity": item.severity,
        "message": item.message,
        "help": item.help or None,
        "places": [
            {**_place(item.span), "column": item.span.column},
            *({**_place(r.span), "column": r.span.column, "message": r.message} for r in item.related),
        ],
    }


def check(model: m.Model | None, diagnostics: Iterable[Diagnostic]) -> Json:
    """The result of `check`, and of any command whose model has errors."""
    return head("check", model) | {"findings": [finding(x) for x in diagnostics]}
