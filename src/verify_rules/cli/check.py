"""`verify-rules check`."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify_rules.cli.common import Named, format_options, model_options, note_day, number, show_diagnostics, write
from verify_rules.cli.exits import Exit

if TYPE_CHECKING:
    from verify_rules.model.model import Model


@click.command("check")
@click.argument("paths", nargs=-1, type=Named(), metavar="[PATH]...")
@click.option("--strict", is_flag=True, help="Warnings count too (exit 1).")
@format_options
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
    interrupted = False
    if loaded.model is not None and not loaded.failed:
        from verify_rules.analysis.check import broken_invariants

        note_day(loaded.model)
        try:
            for broken in broken_invariants(loaded.model):
                event = loaded.model.events.get(broken.event)
                related = [] if event is None else [Related(event.span, f"`{broken.event}` breaks it")]
                reporter.report(
                    "invariant-broken",
                    f"the invariant `{broken.invariant.name}` is false after: {broken.given}",
                    broken.invariant.span,
                    "Mend the event, or the invariant.",
                    related,
                )
        except KeyboardInterrupt:
            interrupted = True
    found = reporter.diagnostics
    errors = sum(d.severity == "error" for d in found)
    warnings = len(found) - errors

    def text() -> list[str]:
        show_diagnostics(found, loaded.files)
        count = f"{number(errors, 'error')}, {number(warnings, 'warning')}"
        model = loaded.model
        if model is not None and not errors:
            return [f"{model.name}: {_contents(model)}; {count}"]
        return [count]

    def json() -> list[str]:
        from verify_rules.report import jsons

        return [jsons.dumps(jsons.check(loaded.model, found))]

    write(formats, outputs, {"text": text, "json": json}, loaded.files)
    if interrupted:
        click.echo("interrupted: not all invariants were tried", err=True)
        return Exit.INTERRUPTED
    if errors:
        unnamed = all(d.code == "file-not-found" for d in found if d.severity == "error")
        return Exit.USAGE if unnamed else Exit.MODEL_ERRORS
    return Exit.FINDING if strict and warnings else Exit.WELL


def _contents(model: Model) -> str:
    """How many there are of everything: the groups inside events hold no clauses, so they count apart."""
    from verify_rules.model import lints

    blocks = [block.what for block in model.blocks.values()]
    groups, clauses = (
        blocks.count("group"),
        sum(1 for _ in lints.clauses(model)),
    )
    events = number(len(model.events), "event") + (f" ({number(groups, 'rule')} inside)" if groups else "")
    counts = [
        number(blocks.count("rule"), "rule"),
        number(blocks.count("ability"), "ability"),
        number(blocks.count("effect"), "effect"),
        f"{number(clauses, 'clause')} in them",
        events,
        number(len(model.readings), "reading"),
        number(len(model.rulings), "ruling"),
    ]
    return ", ".join(counts)
