"""Files, folders, outputs and environments as they come: nothing named is passed over in silence, nothing crashes."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toy import ROBOTS
from verify_rules.analysis import check as invariants
from verify_rules.cli.exits import Exit
from verify_rules.cli.main import run
from verify_rules.diagnostics import Reporter, render
from verify_rules.parse.markdown import blocks
from verify_rules.source import SourceFile, Span, discover

BOARD = "  cards\n    x : tank in play\n  script\n    expect x.on\n"
GOOD = f'ruling good "it holds"\n{BOARD}'
BAD = f'ruling bad "it does not"\n{BOARD}'.replace("expect x.on", "expect not x.on")


def block(text: str, opening: str = "```rules", closing: str = "```") -> str:
    return f"{opening}\n{text}{closing}\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with a model beside it and a cache of its own."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("VERIFY_RULES_CACHE", str(tmp_path / "cache"))
    (tmp_path / "robots.md").write_text(block(ROBOTS), encoding="utf-8")
    return here


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """Runs a command on the toy model."""

    def calling(command: str, *arguments: str) -> tuple[int, str, str]:
        model = () if command in ("fmt", "dump") else ("--model", str(tmp_path / "robots.md"))
        code = run([command, *arguments, *model])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return calling


Call = Callable[..., tuple[int, str, str]]

# ---------------------------------------------------------------- blocks that Markdown doesn't see


def unread(text: str) -> list[int]:
    """The lines that look like the beginning of a block that isn't read."""
    reporter = Reporter()
    blocks(SourceFile("case.md", text), reporter)
    assert {d.code for d in reporter.diagnostics} <= {"fence-unread"}
    return [d.span.line for d in reporter.diagnostics]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"<details>\n{block(BAD)}</details>\n\n{block(GOOD)}", [2]),
        (f"<pre>\n\n{block(BAD)}</pre>\n\n{block(GOOD)}", [3]),
        (f"<!-- open\n{block(BAD)}\n{block(GOOD)}", [2, 10]),
        (f"{block(BAD, '``rules', '``')}\n{block(GOOD)}", [1]),
        (f"{block(BAD, '```{rules}')}\n{block(GOOD)}", [1]),
        (f"{block(BAD, '```rules,ignore')}\n{block(GOOD)}", [1]),
        (f"{block(BAD, chr(0x27) * 3 + 'rules', chr(0x27) * 3)}\n{block(GOOD)}", [1]),
        (f"{block(BAD, chr(0xFEFF) + '```rules')}\n{block(GOOD)}\n{block(GOOD)}", [1, 9]),
        (f"{block(BAD, chr(0x200B) + '```rules')}\n{block(GOOD)}\n{block(GOOD)}", [1, 9]),
        (f"Then: {block(BAD)}\n{block(GOOD)}\n{block(GOOD)}", [1, 9]),
        (f"```\nnever closed\n\n{block(GOOD)}", [4]),
        # What is meant as it is.
        (f"<!--\n{block(BAD)}-->\n\n{block(GOOD)}", []),
        (f"````markdown\n{block(GOOD)}````\n\n{block(GOOD)}", []),
        (f"~~~\n{block(GOOD)}~~~\n\n{block(GOOD)}", []),
        (f"<details>\n\n{block(GOOD)}\n</details>\n", []),
        (f"A ` ```rules ` block, ``rules`` and ```rules``` in a sentence\n\n{block(GOOD)}", []),
        (f"```rules-of-thumb\n```\n\n- {block(GOOD).replace(chr(10), chr(10) + '  ')}", []),
    ],
)
def test_what_looks_like_a_block_is_read_or_reported(text: str, lines: list[int]) -> None:
    assert unread(text) == lines


# ---------------------------------------------------------------- files and folders


def test_links_are_followed_and_end(place: Path, call: Call, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "bad.md").write_text(block(BAD))
    (place / "good.md").write_text(block(GOOD))
    (place / "there").symlink_to(tmp_path / "elsewhere")
    (place / "again").symlink_to(tmp_path / "elsewhere")
    (place / "up").symlink_to(place)
    assert [str(p) for p in discover([Path()])] == ["again/bad.md", "good.md"]
    assert call("audit", ".")[0] == Exit.FINDING


@pytest.mark.parametrize("command", ["audit", "check", "fmt"])
@pytest.mark.parametrize("target", ["nowhere.md", "link.md"])
def test_a_link_that_leads_nowhere_is_not_passed_over(place: Path, call: Call, command: str, target: str) -> None:
    (place / "good.md").write_text(block(GOOD))
    (place / "link.md").symlink_to(target)
    (place / ".#draft.md").symlink_to("an editor's lock")
    code, _, err = call(command, ".")
    assert code == Exit.USAGE
    assert "there is no file or folder `link.md`" in err


@pytest.mark.parametrize("command", ["audit", "check", "fmt"])
def test_a_folder_that_cannot_be_read_is_not_passed_over(
    place: Path, call: Call, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "closed").mkdir()
    (place / "good.md").write_text(block(GOOD))
    before = Path.iterdir

    def iterdir(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return before(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    code, _, err = call(command, ".")
    assert code == Exit.USAGE
    assert "`closed` can't be read: Permission denied" in err


def test_a_folder_without_files_is_pointed_out(place: Path, call: Call) -> None:
    (place / "empty.md").mkdir()
    for command in ("audit", "check"):
        assert "there is no `.md` file in `empty.md`" in call(command, "empty.md")[2]
    assert call("audit", "empty.md")[0] == Exit.NOTHING_CHECKED
    assert call("fmt", "--check", "empty.md")[0] == Exit.NOTHING_CHECKED
    assert call("dump", "--stage", "tree", "empty.md")[0] == Exit.NOTHING_CHECKED


@pytest.mark.parametrize("command", ["audit", "check", "fmt", "dump", "ask"])
def test_a_name_that_is_empty_is_not_the_current_folder(place: Path, call: Call, command: str) -> None:
    text = block(GOOD).replace("    x", "        x")
    (place / "good.md").write_text(text)
    rest = {"dump": ["--stage", "tree"], "ask": ["x.on"]}.get(command, [])
    code, out, _ = call(command, "", *rest)
    assert (code, out) == (Exit.USAGE, "")
    assert (place / "good.md").read_text() == text


def test_names_of_files_need_not_be_text(place: Path, call: Call) -> None:
    name = os.fsdecode(b"\xff.md")
    (place / name).write_text(block(BAD))
    for form in ("text", "json"):
        assert call("audit", ".", "--format", form, "--output", form)[0] == Exit.FINDING
    assert json.loads((place / "json").read_text("utf-8"))["rulings"][0]["file"] == name
    assert "\\udcff.md" in (place / "text").read_text("utf-8")


# ---------------------------------------------------------------- what is shown of long and strange lines


def test_of_a_long_line_the_part_with_the_mark_is_shown() -> None:
    line = "x" * 5000 + "HERE" + "y" * 5000
    reporter = Reporter()
    reporter.report("syntax", f"`{line}` can't stand here", Span("a.md", 1, 5001, 1, 5005))
    shown = render(reporter.diagnostics[0], {"a.md": SourceFile("a.md", line)}).split("\n")
    assert max(map(len, shown)) < 1200
    at = shown[2].index("^")
    assert shown[1][at : at + 4] == "HERE"
    assert shown[2].count("^") == 4
    reporter.report("syntax", "this can't stand here", Span("a.md", 1, 1, 1, 10001))
    shown = render(reporter.diagnostics[0], {"a.md": SourceFile("a.md", line)}).split("\n")
    assert max(map(len, shown)) < 300


def test_nothing_that_a_terminal_obeys_is_shown() -> None:
    line = "ab\x1b[2J\x00\u202ecd"
    reporter = Reporter()
    reporter.report("syntax", "`\u202e` can't stand here", Span("a.md", 1, 9, 1, 10))
    shown = render(reporter.diagnostics[0], {"a.md": SourceFile("a.md", line)})
    assert shown.split("\n")[:2] == [
        "a.md:1:9: error[syntax]: `U+202E` can't stand here",
        "  1 | ab�[2J��cd",
    ]


# ---------------------------------------------------------------- options


def test_what_was_read_is_not_overwritten(place: Path, call: Call) -> None:
    (place / "good.md").write_text(block(GOOD))
    (place / "link.txt").symlink_to("good.md")
    for command, question in (("audit", ()), ("check", ()), ("ask", ("x.on",))):
        for output in ("good.md", "./good.md", "link.txt"):
            code, _, err = call(command, "good.md", *question, "--output", output)
            assert code == Exit.USAGE
            assert "was read, so it can't be the --output" in err
    assert (place / "good.md").read_text() == block(GOOD)


def test_options_that_contradict_each_other(call: Call) -> None:
    code, _, err = call("ask", "--given", "x : tank", "--given", "y : tank", "x.on")
    assert code == Exit.USAGE
    assert "there is one --given" in err
    ask = ("ask", "--given", "x : tank in play", "x.on", "--reading", "weather=dry", "--reading")
    code, _, err = call(*ask, "weather=rain")
    assert code == Exit.USAGE
    assert "`weather` can't be read as dry and as rain at once" in err
    assert call(*ask, "weather = dry")[0] == Exit.WELL


# ---------------------------------------------------------------- streams, signals, caches


def process(arguments: list[str], redirect: str, tmp_path: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "verify_rules.cli.main", *arguments, "--model", str(tmp_path / "robots.md")]
    line = " ".join(f"'{x}'" for x in command) + " " + redirect
    done = subprocess.run(["sh", "-c", line], capture_output=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("redirect", "code"), [(">&-", 1), ("2>&-", 1), (">&- 2>&-", 1), ("<&- >&- 2>&-", 1), (">/dev/full", 2)]
)
def test_streams_that_are_closed_or_full(place: Path, tmp_path: Path, redirect: str, code: int) -> None:
    if "full" in redirect and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    (place / "both.md").write_text(block(GOOD + BAD))
    got, shown = process(["audit", "both.md"], redirect, tmp_path)
    assert got == code
    assert "Traceback" not in shown
    assert ("No space left on device" in shown) == (code == 2)


def test_an_interrupted_check_tells_what_it_knows(place: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "prose.md").write_text("prose\n")

    def interrupted(_: object) -> list[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(invariants, "broken_invariants", interrupted)
    code, out, err = call("check", "prose.md")
    assert code == Exit.INTERRUPTED
    assert "0 errors, 9 warnings" in out
    assert "interrupted: not all invariants were tried" in err


@pytest.mark.parametrize("kept", [b"", b"\x80", pickle.dumps((1, 2)), pickle.dumps((None, ())), None])
def test_a_cache_that_holds_something_else(place: Path, call: Call, tmp_path: Path, kept: bytes | None) -> None:
    ask = ("ask", "--given", "x : tank in play", "x.on")
    expected = call(*ask)
    files = list((tmp_path / "cache").glob("model-*"))
    assert len(files) == 1
    files[0].unlink()
    if kept is None:
        files[0].mkdir()
    else:
        files[0].write_bytes(kept)
    assert call(*ask) == expected
    assert list((tmp_path / "cache").glob("model-*")) == files


def test_the_name_of_the_cache_need_not_be_text(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIFY_RULES_CACHE", os.fsdecode(b"\xff"))
    from verify_rules.parse import parser

    parser._lark.cache_clear()
    assert call("ask", "--given", "x : tank in play", "x.on")[0] == Exit.WELL


# ---------------------------------------------------------------- what is the user's own


def test_a_name_that_the_model_uses_itself_is_told_where_the_user_chose_it(place: Path, call: Call) -> None:
    own = "ability b\n  forbid strike(self, base)\n\nenum Make { a }\n"
    (place / "own.md").write_text(block(own), encoding="utf-8")
    code, _, err = call("audit", "own.md")
    assert code == Exit.MODEL_ERRORS
    errors = [line for line in err.splitlines() if "error[" in line]
    assert errors
    assert all(line.startswith("own.md:") and "the model uses `" in line for line in errors), errors
