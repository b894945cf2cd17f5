"""`verify-rules check`."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from verify_rules.cli.common import format_options, model_options, show_diagnostics, write
from verify_rules.cli.exits import Exit


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--strict", is_flag=True, help="Warnings count too (exit 1).")
@format_options("text", "json")
@model_options
def command(
    paths: tuple[Path, ...],
    strict: bool,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    folder: Path | None,
    as_of: date | None,
    no_cache: bool,
) -> int:
    """Is the model well-formed? Syntax, names, types, strata, clauses; nothing is solved.

    PATHs are files and folders with rulings, cards, abilities and effects on top of the model. All errors of all files
    are shown at once, in source order. What a few steps on small boards show of the invariants is checked too.

    \b
    Examples:
      verify-rules check
      verify-rules check my-rulings.md
      verify-rules check --model my-game/
    """
    from verify_rules.diagnostics import Related, Reporter
    from verify_rules.model.load import load

    loaded = load(folder, paths, as_of, cache=not no_cache)
    reporter = Reporter()
    for d in loaded.diagnostics:
        reporter.report(d.code, d.message, d.span, d.help, d.related)
    if loaded.model is not None and not loaded.failed:
        from verify_rules.analysis.check import broken_invariants

        for broken in broken_invariants(loaded.model):
            event = loaded.model.events.get(broken.event)
            steps = ", ".join(broken.trace) if broken.trace else "at the start"
            related = [] if event is None else [Related(event.span, f"`{broken.event}` breaks it")]
            reporter.report(
                "invariant-broken",
                f"the invariant `{broken.invariant.name}` is false after: {steps}",
                broken.invariant.span,
                "Mend the event, or the invariant.",
                related,
            )
    found = reporter.diagnostics
    errors = sum(d.severity == "error" for d in found)
    warnings = len(found) - errors

    def text() -> list[str]:
        show_diagnostics(found, loaded.files)
        model = loaded.model
        if model is not None and not errors:
            clauses = sum(len(c) for t in (model.status_clauses, model.norms, model.lifts) for c in t.values())
            what = (
                f"{len(model.blocks)} rules, abilities and effects with {clauses} clauses, {len(model.events)} events"
            )
            what += f", {len(model.readings)} readings, {len(model.rulings)} rulings"
            return [f"{model.name}: {what}; {errors} errors, {warnings} warnings"]
        return [f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}"]

    def json() -> list[str]:
        from verify_rules.report import jsons

        return [jsons.dumps(jsons.check(loaded.model, found))]

    write(formats, outputs, {"text": text, "json": json})
    if errors:
        return Exit.MODEL_ERRORS
    return Exit.FINDING if strict and warnings else Exit.WELL
