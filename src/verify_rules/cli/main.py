"""Entry point: the group of commands, each imported only when it is called, and what happens when one fails."""

from __future__ import annotations

import gc
import io
import os
import sys
from typing import NoReturn

import click

import verify_rules
from verify_rules.cli.common import examples, write_examples
from verify_rules.cli.exits import TABLE, Exit

COMMANDS = ("ask", "audit", "check", "fmt", "dump")

# Formulas may be nested, and definitions may use each other, as deep as `parse` and `model` allow.
RECURSION = 6000


class Unread(Exception):
    """Whoever reads our output has closed it (`| head`)."""


class Commands(click.Group):
    """Imports a command when it is needed: `ask` starts faster without the others."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, and examples."""
        super().format_help_text(ctx, formatter)
        others = ["verify-rules audit", "verify-rules audit my-rulings.md", "verify-rules check"]
        write_examples(formatter, [*examples()[:1], *others])

    def invoke(self, ctx: click.Context) -> object:
        """As click does, which would end with 1 when nobody reads on: to us that is a finding."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise Unread from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        match cmd_name:
            case "ask":
                from verify_rules.cli import ask

                return ask.command
            case "audit":
                from verify_rules.cli import audit

                return audit.command
            case "check":
                from verify_rules.cli import check

                return check.command
            case "fmt":
                from verify_rules.cli import fmt

                return fmt.command
            case "dump":
                from verify_rules.cli import dump

                return dump.command
            case _:
                return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with “did you mean”."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from verify_rules.diagnostics import suggestion

            hint = suggestion(args[0], COMMANDS)
            ctx.fail(f"there is no command `{args[0]}`. {hint}".rstrip())
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=TABLE,
)
@click.version_option(verify_rules.__version__, prog_name="verify-rules")
def group() -> None:
    """Answers, explains and audits the rules of a trading card game by logic."""


def main() -> NoReturn:
    """Run the command line; the process ends with one of the exit codes of `Exit`."""
    # Nearly all that a command makes is kept until it ends, so looking for garbage often finds none.
    gc.set_threshold(50_000)
    # Whoever starts us may have closed them.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    # A terminal or pipe that can't show a letter is no reason to fail.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    try:
        result = group.main(args=arguments, prog_name="verify-rules", standalone_mode=False)
        return int(result) if isinstance(result, int) else Exit.WELL
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return Exit.INTERRUPTED
    except (Unread, BrokenPipeError):
        _drop_output()
        return Exit.UNREAD
    except OSError as error:
        # Files that are named are looked after where they are read and written, so it is standard output.
        _drop_output()
        click.echo(f"Error: `{error.filename or 'standard output'}` can't be used: {error.strerror}", err=True)
        return Exit.USAGE
    except RecursionError:
        click.echo(
            "error[too-deep]: definitions, statuses or events use each other more deeply than can be followed\n"
            "  help: Say it in fewer steps.",
            err=True,
        )
        return Exit.MODEL_ERRORS
    except Exception as error:
        import traceback

        click.echo(traceback.format_exc(), err=True)
        click.echo(
            f"This is a bug of verify-rules {verify_rules.__version__} ({type(error).__name__}), not your mistake. "
            "Please report it with the lines above and what you called.",
            err=True,
        )
        return Exit.BUG


def _drop_output() -> None:
    """What is still in the buffer must not fail once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
