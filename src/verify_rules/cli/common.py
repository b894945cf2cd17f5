"""What the commands share: options, loading a model, showing diagnostics, writing several formats at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from verify_rules.cli.exits import Exit
from verify_rules.report import FORMATS

if TYPE_CHECKING:
    from verify_rules.diagnostics import Diagnostic
    from verify_rules.model.load import Loaded
    from verify_rules.model.model import Model
    from verify_rules.source import SourceFile

F = TypeVar("F", bound=Callable[..., Any])


def examples() -> list[str]:
    """The questions that the shipped model gives as examples: a tool that knows no game has none of its own."""
    from verify_rules.model.load import shipped_model

    try:
        text = (shipped_model() / "examples.txt").read_text(encoding="utf-8")
    except OSError:
        return []
    return [f"verify-rules {line}" for line in text.splitlines() if line and not line.startswith("#")]


def write_examples(formatter: click.HelpFormatter, lines: Iterable[str]) -> None:
    """The last part of a help text."""
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text("\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines))


class Day(click.ParamType[date]):
    """A date such as 2026-04-10."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """The day; click's own type would give a time of day with it."""
        if isinstance(value, date):
            return value
        try:
            return datetime.strptime(value, "%Y-%m-%d").date()
        except ValueError:
            self.fail(f"`{value}` is no date; write it as 2026-04-10", param, ctx)


class Named(click.Path):
    """A file or folder by its name. Without one, as a forgotten variable gives, it would be the current folder."""

    def __init__(self, dir_okay: bool = True) -> None:
        super().__init__(path_type=Path, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, if there is a name."""
        if value == "":
            self.fail("a file or folder has a name; `.` is the current folder", param, ctx)
        return super().convert(value, param, ctx)


def model_options(command: F) -> F:
    """`--model`, `--as-of`, `--no-cache`."""
    for option in (
        click.option("--no-cache", is_flag=True, help="Neither read nor write the cache of loaded models."),
        click.option("--as-of", type=Day(), help="The rules as they were on this day (default: the newest)."),
        click.option(
            "--model",
            "folder",
            type=Named(),
            help="Folder of the model (default: the one that comes with the tool).",
        ),
    ):
        command = option(command)
    return command


def _each_its_own(context: click.Context, _: click.Parameter, outputs: tuple[Path, ...]) -> tuple[Path, ...]:
    """The outputs, if there is one for each format at most and no two formats go to one place."""
    formats = context.params.get("formats") or ("text",)
    if len(outputs) > len(formats):
        raise click.UsageError("there are more --output than --format")
    places = [str(path) for path in outputs] + ["-"] * (len(formats) - len(outputs))
    for place in places:
        if places.count(place) > 1:
            where = "standard output" if place == "-" else f"`{place}`"
            raise click.UsageError(f"two formats can't both go to {where}: give each an --output of its own")
    return outputs


def format_options(command: F) -> F:
    """`--format` and `--output`, both repeatable: the first output is for the first format, and so on."""
    command = click.option(
        "--output",
        "outputs",
        multiple=True,
        type=Named(dir_okay=False),
        callback=_each_its_own,
        help="File for the format at the same place (- or none: standard output).",
    )(command)
    return click.option(
        "--format",
        "formats",
        multiple=True,
        is_eager=True,
        type=click.Choice(FORMATS),
        help="What to write, errors too; may be given several times. [default: text]",
    )(command)


def language_option(command: F) -> F:
    """`--lang`."""
    return click.option(
        "--lang",
        "language",
        type=click.Choice(["en", "ja"]),
        default="en",
        show_default=True,
        help="Language of explanations; terms are in Japanese where the model gives them.",
    )(command)


def write(
    formats: Sequence[str],
    outputs: Sequence[Path],
    makers: Mapping[str, Callable[[], Iterable[str]]],
    files: Mapping[str, SourceFile],
) -> None:
    """Write each format to its file, or to standard output; never over one of the `files` that were read."""
    read = {Path(path).resolve() for path in files}
    for output in outputs:
        if output.resolve() in read:
            raise click.UsageError(f"`{output}` was read, so it can't be the --output")
    for number, name in enumerate(formats or ("text",)):
        output = outputs[number] if number < len(outputs) else Path("-")
        if str(output) == "-":
            for line in makers[name]():
                click.echo(line)
        else:
            try:
                # Names of files need not be text.
                with output.open("w", encoding="utf-8", errors="backslashreplace") as stream:
                    stream.writelines(line + "\n" for line in makers[name]())
            except OSError as error:
                raise click.UsageError(f"`{output}` can't be written: {error.strerror}") from error


def number(count: int, noun: str) -> str:
    """A count with its noun, in the plural unless the count is one."""
    many = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count} {noun if count == 1 else many}"


def show_diagnostics(diagnostics: Iterable[Diagnostic], files: Mapping[str, SourceFile]) -> None:
    """Print diagnostics with their source lines to standard error."""
    from verify_rules.diagnostics import render

    for diagnostic in diagnostics:
        click.echo(render(diagnostic, files), err=True)


def require_model(loaded: Loaded, formats: Sequence[str] = (), outputs: Sequence[Path] = ()) -> Model:
    """The model that was loaded. If it has errors they are shown (in JSON too if asked for), and the command ends."""
    if loaded.model is not None and not loaded.failed:
        note_day(loaded.model)
        return loaded.model
    show_diagnostics((d for d in loaded.diagnostics if d.severity == "error"), loaded.files)
    count = sum(d.severity == "error" for d in loaded.diagnostics)
    # A path that leads nowhere is a mistake in the command, not in a model.
    unnamed = all(d.code == "file-not-found" for d in loaded.diagnostics if d.severity == "error")
    if unnamed:
        click.echo("Error: what was named isn't there, so nothing was done", err=True)
    else:
        click.echo(f"{number(count, 'error')} in the model files", err=True)
    code = Exit.USAGE if unnamed else Exit.MODEL_ERRORS
    stop(loaded.diagnostics, formats, outputs, code, loaded.files)


def stop(
    diagnostics: Iterable[Diagnostic],
    formats: Sequence[str],
    outputs: Sequence[Path],
    code: Exit,
    files: Mapping[str, SourceFile],
) -> NoReturn:
    """End the command because of errors that have been shown; in JSON they are the result."""
    if "json" in formats:
        from verify_rules.report import jsons

        text = jsons.dumps(jsons.check(None, diagnostics))
        write(formats, outputs, {"text": list, "json": lambda: [text]}, files)
    raise click.exceptions.Exit(code)


def note_day(model: Model) -> None:
    """Say so if the rules are wanted as of a day before the oldest version of the main source that the model knows."""
    main = next((s for s in model.sources.values() if s.versions), None)
    days = [v.dated for v in main.versions if v.dated is not None] if main is not None else []
    if main is not None and days and model.as_of is not None and model.as_of < min(days):
        oldest = next(v for v in main.versions if v.dated == min(days))
        click.echo(
            f"note: the oldest version of {main.name} that the model knows is {oldest.number}, of {oldest.dated}. "
            f"What held on {model.as_of} may have been otherwise.",
            err=True,
        )
