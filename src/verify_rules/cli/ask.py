"""`verify-rules ask`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify_rules.cli.common import (
    examples,
    format_options,
    language_option,
    model_options,
    require_model,
    show_diagnostics,
    stop,
    write,
    write_examples,
)
from verify_rules.cli.exits import Exit

if TYPE_CHECKING:
    from verify_rules.explain.texts import Language
    from verify_rules.model.load import Loaded
    from verify_rules.model.model import Expectation, Model, Scenario
    from verify_rules.source import SourceFile


class Ask(click.Command):
    """Its help shows the model's own examples."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, and the examples."""
        super().format_help_text(ctx, formatter)
        write_examples(formatter, examples())


@click.command("ask", cls=Ask)
@click.argument("arguments", nargs=-1, metavar="[FILE] QUESTION...")
@click.option("--given", "boards", multiple=True, metavar="TEXT", help="What there is, and the steps, in one line.")
@click.option("--ruling", "name", metavar="NAME", help="Which ruling or scenario of FILE, if it has several.")
@click.option("--reading", "readings", multiple=True, metavar="NAME=OPTION", help="Read an open point in this way.")
@click.option("--expect", type=click.Choice(["yes", "no", "depends", "impossible"]), help="Exit 1 on any other answer.")
@click.option("--all", "everything", is_flag=True, help="Show every exception that doesn't apply.")
@language_option
@format_options
@model_options
def command(
    arguments: tuple[str, ...],
    boards: tuple[str, ...],
    name: str | None,
    readings: tuple[str, ...],
    expect: str | None,
    everything: bool,
    language: Language,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    folder: Path | None,
    as_of: date | None,
    no_cache: bool,
) -> int:
    """Is it so, and why? Answers questions about a board and the steps played on it.

    The board comes from --given, or from a ruling or scenario in FILE. With both, the board is that of --given, and may
    use the cards and abilities of FILE. A question is whatever may follow `expect` in a
    ruling: can, cannot, must, need not, forbidden … by R, not permitted, possible, impossible, or any formula.
    """
    from verify_rules.model.load import load

    if len(boards) > 1:
        raise _usage("there is one --given: put all cards and steps into it.")
    given = boards[0] if boards else None
    if given is None and not arguments:
        raise _usage("say what the board is, and what to ask.")
    # With --given a FILE need not be there, but what names one is no question.
    named = given is None or bool(arguments and (os.path.exists(arguments[0]) or arguments[0].endswith(".md")))
    file = Path(arguments[0]) if named else None
    questions = arguments[1:] if named else arguments
    if file is not None and not (arguments[0] and os.path.exists(file)):
        hint = "" if given is not None else " Without a file, describe the board with --given."
        raise _usage(f"there is no file `{arguments[0]}`.{hint}")
    if given is not None and name is not None:
        raise _usage("the board is either that of --given or that of --ruling.")
    if not questions:
        raise _usage("there is nothing to ask.")
    extra = [] if file is None else [file]
    loaded = load(folder, extra, as_of, rulings=False, cache=not no_cache)
    model = require_model(loaded, formats, outputs)
    chosen = _chosen(model, readings)
    _as_one(given, questions)
    scenario, asked = _resolve(model, loaded, file, given, name, questions, formats, outputs)
    return _answer(model, scenario, asked, chosen, expect, everything, language, formats, outputs, loaded.files)


def _usage(message: str) -> click.UsageError:
    """A mistake in the call, with an example of a right one."""
    shown = examples()
    return click.UsageError(f"{message} For example:\n  {shown[0]}" if shown else message)


def _as_one(given: str | None, questions: tuple[str, ...]) -> None:
    """Several questions that can't be read but are one if they are joined: its quotes are missing."""
    from verify_rules.parse.parser import parses
    from verify_rules.parse.slips import BETWEEN, with_parentheses

    if len(questions) < 2 or all(x not in BETWEEN and parses(x, "question") for x in questions):
        return
    joined = " ".join(questions)
    whole = next((x for x in (joined, with_parentheses(joined)) if x and parses(x, "question")), None)
    if whole is not None:
        board = "--given …" if given is not None else "FILE"
        text = f"'{whole}'" if '"' in whole else f'"{whole}"'
        raise click.UsageError(f"put the question in quotes: verify-rules ask {board} {text}")


def _resolve(
    model: Model,
    loaded: Loaded,
    file: Path | None,
    given: str | None,
    name: str | None,
    questions: tuple[str, ...],
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
) -> tuple[Scenario, list[Expectation]]:
    """The scenario and the questions, with every name resolved; errors are shown like those of a file."""
    from verify_rules.diagnostics import Reporter, suggestion
    from verify_rules.model.hints import lexicon
    from verify_rules.model.lookup import Faulty
    from verify_rules.model.scenario import Scenarios
    from verify_rules.parse.parser import parse_text
    from verify_rules.source import SourceFile

    reporter = Reporter()
    words = lexicon(model)
    texts = {f"question {i}" if len(questions) > 1 else "question": q for i, q in enumerate(questions, start=1)}
    if given is not None:
        texts["--given"] = given
    files = {path: SourceFile(path, text) for path, text in texts.items()}
    scenarios = Scenarios(model, {**loaded.files, **files}, reporter)
    scenario: Scenario | None = None
    if given is not None:
        tree = parse_text(given, "given", "--given", reporter, lexicon=words)
        scenario = scenarios.given(tree) if tree is not None else None
    else:
        found = [r for r in model.rulings if r.span.path in loaded.own]
        if name is not None:
            chosen = [r for r in found if r.name == name]
            if not chosen:
                hint = suggestion(name, [r.name for r in found])
                raise click.UsageError(f"there is no ruling or scenario `{name}` in {file}. {hint}".rstrip())
            found = chosen
        if not found:
            raise click.UsageError(f"there is no ruling or scenario in {file}")
        if len(found) > 1:
            names = ", ".join(r.name for r in found[:8]) + (" …" if len(found) > 8 else "")
            raise click.UsageError(f"{file} has {len(found)} rulings; choose one with --ruling: {names}")
        scenario = found[0].scenario
    asked = []
    if scenario is not None:
        from verify_rules.model.model import Step

        scope = scenarios.scope(scenario.entries)
        mistake = any(isinstance(line, Step) and line.mistaken for line in scenario.lines)
        for path, text in texts.items():
            if path == "--given":
                continue
            question = parse_text(text, "question", path, reporter, lexicon=words)
            if question is not None:
                try:
                    asked.append(scenarios.expectation(question, scope, mistake))
                except Faulty:
                    continue
    if given is not None and scenario is not None and not reporter.failed:
        scenarios.idle(scenario.entries, [*scenario.lines, *asked])
    show_diagnostics(reporter.diagnostics, files)
    if reporter.failed or scenario is None:
        stop(reporter.diagnostics, formats, outputs, Exit.USAGE, loaded.files)
    return scenario, asked


def _answer(
    model: Model,
    scenario: Scenario,
    asked: list[Expectation],
    readings: dict[str, str],
    expect: str | None,
    everything: bool,
    language: Language,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    files: Mapping[str, SourceFile],
) -> int:
    from verify_rules.analysis.ask import ask
    from verify_rules.explain import Words
    from verify_rules.semantics import NotSearched, TooManyReadings

    try:
        answers = ask(model, scenario, asked, Words(model, language), readings)
    except NotSearched as error:
        click.echo(
            f"{error.span}: {error.what}: a question about something unknown can't be answered yet. "
            "Say what it is, or ask once for each way it may be.",
            err=True,
        )
        return Exit.UNDECIDED
    except TooManyReadings as error:
        click.echo(f"{error}: choose some by --reading NAME=OPTION.", err=True)
        return Exit.UNDECIDED

    def text() -> list[str]:
        from verify_rules.report.text import Text

        writer = Text(language, everything, model)
        return [line for answer in answers for line in writer.answer(answer)]

    def json() -> list[str]:
        from verify_rules.report import jsons

        return [jsons.dumps(jsons.ask(model, answers))]

    write(formats, outputs, {"text": text, "json": json}, files)
    if expect is not None and any(answer.answer != expect for answer in answers):
        return Exit.FINDING
    return Exit.WELL


def _chosen(model: Model, readings: tuple[str, ...]) -> dict[str, str]:
    from verify_rules.diagnostics import suggestion

    chosen: dict[str, str] = {}
    for text in readings:
        name, sign, option = text.partition("=")
        name, option = name.strip(), option.strip()
        if name not in model.readings:
            hint = suggestion(name, model.readings) or f"There are: {', '.join(model.readings) or 'none'}"
            raise click.UsageError(f"there is no reading `{name}`. {hint}")
        options = [o.name for o in model.readings[name].options]
        if not sign or option not in options:
            hint = suggestion(option, options) or f"Write {name}={options[0]}"
            raise click.UsageError(f"`{name}` is read as one of: {', '.join(options)}. {hint}")
        if chosen.setdefault(name, option) != option:
            raise click.UsageError(f"`{name}` can't be read as {chosen[name]} and as {option} at once")
    return chosen
