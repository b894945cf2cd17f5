"""`verify-rules audit`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify_rules.cli.common import (
    Named,
    format_options,
    language_option,
    model_options,
    require_model,
    show_diagnostics,
    write,
)
from verify_rules.cli.exits import Exit

if TYPE_CHECKING:
    from verify_rules.analysis import Audit
    from verify_rules.explain.texts import Language
    from verify_rules.model.load import Loaded
    from verify_rules.model.model import Model


@click.command("audit")
@click.argument("paths", nargs=-1, type=Named(), metavar="[PATH]...")
@click.option("-v", "--verbose", is_flag=True, help="List confirmed rulings too.")
@click.option("--all", "everything", is_flag=True, help="Show every exception that doesn't apply.")
@click.option("--no-progress", is_flag=True, help="No progress bar, even on a terminal.")
@language_option
@format_options
@model_options
def command(
    paths: tuple[Path, ...],
    verbose: bool,
    everything: bool,
    no_progress: bool,
    language: Language,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    folder: Path | None,
    as_of: date | None,
    no_cache: bool,
) -> int:
    """Do the published rulings agree with the rules?

    Checks every ruling of the model, or those of the files and folders named. Each is confirmed, refuted (with what was
    expected, what came out and why), impossible (which step, which requirement), or depends on a reading. Files may
    define cards, abilities and effects of their own on top of the model.

    \b
    Examples:
      verify-rules audit
      verify-rules audit my-rulings.md
      verify-rules audit --as-of 2019-01-01
      verify-rules audit rulings/ --format text --format json --output - --output audit.json
    """
    from verify_rules.analysis.audit import Audit, audit
    from verify_rules.explain import Words
    from verify_rules.model.load import load, with_rulings

    # A user's ruling may well have the name of one of the model's own, which aren't asked about then.
    loaded = load(folder, paths, as_of, rulings=not paths, cache=not no_cache)
    model = require_model(loaded, formats, outputs)
    show_diagnostics(loaded.diagnostics, loaded.files)
    named = [r for r in model.rulings if not paths or r.span.path in loaded.own]
    # A scenario is there to be asked about; one that expects something wants that checked all the same.
    chosen = [r for r in named if r.word == "ruling" or r.expectations]

    @cache
    def rulebook(day: date) -> Loaded:
        return load(folder, paths, day, rulings=False, cache=not no_cache)

    @cache
    def older(day: date, path: str) -> Model | None:
        # Of the model's own rulings only those of the one file are wanted.
        return with_rulings(rulebook(day), loaded.files[path])

    done = Audit(claims=tuple(c for c in model.claims if not paths or c.span.path in loaded.own))
    interrupted = False
    results = audit(model, chosen, Words(model, language), older)
    hidden = no_progress or not sys.stderr.isatty() or len(chosen) < 2
    with click.progressbar(length=len(chosen), label="audit", file=sys.stderr, hidden=hidden) as bar:
        try:
            for result in results:
                done.results.append(result)
                bar.update(1)
        except KeyboardInterrupt:
            interrupted = True
    _report(model, done, interrupted, verbose, everything, language, formats, outputs, loaded)
    if interrupted:
        click.echo(f"interrupted after {len(done.results)} of {len(chosen)} rulings", err=True)
        return Exit.INTERRUPTED
    return exit_code(done)


def _report(
    model: Model,
    done: Audit,
    interrupted: bool,
    verbose: bool,
    everything: bool,
    language: Language,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    loaded: Loaded,
) -> None:
    def text() -> Iterable[str]:
        from verify_rules.report.text import Text

        writer = Text(language, everything, model)
        for result in done.results:
            if verbose or result.outcome != "confirmed":
                yield from writer.ruling(result)
        yield from writer.claims(done.claims)
        yield from writer.unchecked(done.results)
        yield from writer.summary(done)

    def json() -> Iterable[str]:
        from verify_rules.report import jsons

        return [jsons.dumps(jsons.audit(model, done, loaded.diagnostics, interrupted))]

    makers: dict[str, Callable[[], Iterable[str]]] = {"text": text, "json": json}
    write(formats, outputs, makers, loaded.files)


def exit_code(done: Audit) -> int:
    """1 if a ruling is refuted or impossible, or if it holds under some readings but not as they are read by default.

    4 or 5 if that can't be told of one, or of none; else 0. Claims aren't searched yet, which is no pass either.
    """
    counts = done.summary
    if counts["refuted"] or counts["impossible"] or any(result.against_defaults for result in done.results):
        return Exit.FINDING
    if counts["not_searched"] or done.claims:
        return Exit.UNDECIDED
    if counts["nothing_checked"] or not done.expectations:
        click.echo("nothing was checked" if not done.expectations else "some rulings check nothing", err=True)
        return Exit.NOTHING_CHECKED
    return Exit.WELL
