"""`verify-rules dump`."""

from __future__ import annotations

import pprint
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verify_rules.cli.common import Named, model_options, require_model, show_diagnostics
from verify_rules.cli.exits import Exit

if TYPE_CHECKING:
    from verify_rules.model.model import Model, Ruling


class InOrder(pprint.PrettyPrinter):
    """Prints sets in the order of their members, also where they fit on a line: the same input gives the same bytes."""

    def format(self, object: Any, context: dict[int, int], maxlevels: int, level: int) -> tuple[str, bool, bool]:
        """A value on one line."""

        def line(value: Any) -> str:
            return self.format(value, context, maxlevels, level)[0]

        if isinstance(object, frozenset) and object:
            return "frozenset({" + ", ".join(sorted(map(line, object))) + "})", True, False
        if is_dataclass(object) and not isinstance(object, type):
            parts = [f"{f.name}={line(getattr(object, f.name))}" for f in fields(object) if f.repr]
            return f"{type(object).__name__}({', '.join(parts)})", True, False
        return super().format(object, context, maxlevels, level)


@click.command("dump")
@click.argument("paths", nargs=-1, type=Named(), metavar="[PATH]...")
@click.option("--stage", type=click.Choice(["tree", "model", "terms", "smt2"]), help="Which stage to print.")
@click.option("--ruling", "name", metavar="NAME", help="Which ruling (stages terms and smt2).")
@click.option("--schema", type=click.Choice(["ask", "audit", "check"]), help="Print the schema of a JSON result.")
@model_options
def command(
    paths: tuple[Path, ...],
    stage: str | None,
    name: str | None,
    schema: str | None,
    folder: Path | None,
    as_of: date | None,
    no_cache: bool,
) -> int:
    """Print what a stage of the pipeline makes of the model: for learning, and for reports of bugs.

    \b
    tree    the syntax tree of the files named
    model   the model with every name and type resolved
    terms   a ruling's expectations as terms, simplified
    smt2    the same for an SMT solver

    \b
    Examples:
      verify-rules dump --stage tree my-rulings.md
      verify-rules dump --stage terms --ruling NAME
      verify-rules dump --schema audit
    """
    if schema is not None:
        from verify_rules.report import jsons

        click.echo(jsons.dumps(jsons.schema(schema)))
        return Exit.WELL
    if stage is None:
        raise click.UsageError("say which stage: --stage tree, model, terms or smt2")
    if name is not None and stage in ("tree", "model"):
        raise click.UsageError(f"--stage {stage} is of all that there is: --ruling goes with --stage terms or smt2")
    if stage == "tree":
        return _tree(paths)
    from verify_rules.model.load import load

    loaded = load(folder, paths, as_of, cache=not no_cache)
    model = require_model(loaded)
    if stage == "model":
        InOrder(width=118, sort_dicts=False).pprint({k: v for k, v in vars(model).items() if k != "files"})
        return Exit.WELL
    return _encoded(model, stage, name, [r for r in model.rulings if not paths or r.span.path in loaded.own])


def _tree(paths: tuple[Path, ...]) -> int:
    from verify_rules.diagnostics import Reporter
    from verify_rules.model.load import shipped_model
    from verify_rules.parse.parser import parse_file
    from verify_rules.source import NotText, discover, read_source

    try:
        files = [read_source(path) for path in discover(paths or [shipped_model()])]
    except FileNotFoundError as error:
        raise click.UsageError(f"there is no file or folder `{error}`") from error
    except NotText as error:
        click.echo(f"{error.path}:{error.line}: this file is not UTF-8 text", err=True)
        return Exit.MODEL_ERRORS
    except OSError as error:
        raise click.UsageError(f"`{error.filename}` can't be read: {error.strerror}") from error
    if not files:
        click.echo("there is no `.md` file in what was named", err=True)
        return Exit.NOTHING_CHECKED
    reporter = Reporter()
    for file in files:
        click.echo(f"-- {file.path}")
        for item in parse_file(file, reporter).items:
            InOrder(width=118).pprint(item)
    show_diagnostics(reporter.diagnostics, {file.path: file for file in files})
    return Exit.MODEL_ERRORS if reporter.failed else Exit.WELL


def _encoded(model: Model, stage: str, name: str | None, rulings: list[Ruling]) -> int:
    from verify_rules.diagnostics import suggestion
    from verify_rules.encode import Encoding, NotSearched, render

    if name is None:
        raise click.UsageError("name a ruling with --ruling")
    ruling = next((r for r in rulings if r.name == name), None)
    if ruling is None and any(claim.name == name for claim in model.claims):
        click.echo(f"`{name}` is a claim: this stage can't show claims, which aren't searched yet", err=True)
        return Exit.UNDECIDED
    if ruling is None:
        hint = suggestion(name, [r.name for r in rulings])
        raise click.UsageError(f"there is no ruling `{name}`. {hint}".rstrip())
    try:
        encoding = Encoding(model, ruling.scenario)
    except NotSearched as error:
        click.echo(f"{error}: this stage can't show what is unknown yet", err=True)
        return Exit.UNDECIDED
    named = {f"line {x.source.span.line}: {x.source.text}": x.term for x in encoding.expectations}
    if stage == "terms":
        click.echo(render(*named.values(), names=list(named)))
        return Exit.WELL
    from verify_rules.solve import to_smt2

    click.echo(to_smt2(named, encoding.constraints, f"{ruling.name}: {ruling.title or ''}"))
    return Exit.WELL
