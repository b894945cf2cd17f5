"""`verify-rules fmt`."""

from __future__ import annotations

from pathlib import Path

import click

from verify_rules.cli.common import Named, number, show_diagnostics
from verify_rules.cli.exits import Exit


@click.command("fmt")
@click.argument("paths", nargs=-1, required=True, type=Named(), metavar="PATH...")
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit 1 if a file would change.")
def command(paths: tuple[Path, ...], only_check: bool) -> int:
    """Format the `rules` blocks of files and folders; prose and comments are kept as they are.

    \b
    Examples:
      verify-rules fmt my-rulings.md
      verify-rules fmt --check models/
    """
    from verify_rules.diagnostics import Reporter
    from verify_rules.parse.printer import format_file
    from verify_rules.source import NotText, discover, read_source, write_source

    try:
        files = discover(paths)
    except FileNotFoundError as error:
        raise click.UsageError(f"there is no file or folder `{error}`") from error
    except OSError as error:
        raise click.UsageError(f"`{error.filename}` can't be read: {error.strerror}") from error
    changed = 0
    failed = False
    for path in files:
        reporter = Reporter()
        try:
            file = read_source(path)
        except NotText as error:
            click.echo(f"{path}:{error.line}: this file is not UTF-8 text", err=True)
            failed = True
            continue
        except OSError as error:
            raise click.UsageError(f"`{path}` can't be read: {error.strerror}") from error
        text = format_file(file, reporter)
        if text is None:
            show_diagnostics(reporter.diagnostics, {file.path: file})
            failed = True
        elif text != file.text:
            changed += 1
            click.echo(f"{'would change' if only_check else 'formatted'}: {path}")
            if not only_check:
                try:
                    write_source(path, text)
                except OSError as error:
                    raise click.UsageError(f"`{path}` can't be written: {error.strerror}") from error
    click.echo(f"{number(len(files), 'file')}, {changed} {'to change' if only_check else 'changed'}", err=True)
    if not files:
        return Exit.NOTHING_CHECKED
    if failed:
        return Exit.MODEL_ERRORS
    return Exit.FINDING if only_check and changed else Exit.WELL
