"""What is printed: JSON as the schemas say, the same bytes each time, and answers as they were reviewed.

The cases under `tests/cases/` are Markdown: a heading is a case, a `rules` block the file `mine.md`, and a `console`
block commands with what they print. Write them anew, and review the difference, with

    REWRITE=1 pytest tests/test_report.py
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from toy import ROBOTS
from verify_rules.cli.main import run
from verify_rules.report import jsons

CASES = Path(__file__).resolve().parent / "cases"
REWRITE = os.environ.get("REWRITE") == "1"


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Models are kept for the tests of this file, not in the folder of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIFY_RULES_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


# ---------------------------------------------------------------- cases

SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
BLOCK = re.compile(r"^```(rules|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The model's lines move with every edit of its prose.
MODEL_LINE = re.compile(r"\b(duel-masters/[\w/.-]+\.md):\d+(:\d+)?")


@dataclass(frozen=True)
class Section:
    """A case: its heading, its file if it has one, and its console block."""

    file: Path
    title: str
    rules: str | None
    console: str

    @property
    def commands(self) -> list[str]:
        """The commands of the console block."""
        return [line[2:] for line in self.console.split("\n") if line.startswith("$ ")]


def sections() -> list[Section]:
    """All cases of all files."""
    found = []
    for file in sorted(CASES.glob("*.md")):
        _, *parts = SECTION.split(file.read_text(encoding="utf-8"))
        for title, text in zip(parts[::2], parts[1::2], strict=True):
            blocks: dict[str, str] = dict(BLOCK.findall(text))
            assert len(blocks) == len(BLOCK.findall(text)), f"{title}: two blocks of one kind"
            found.append(Section(file, title, blocks.get("rules"), blocks["console"]))
    return found


SECTIONS = sections()


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The command and what it prints: output, messages, the exit code if it isn't 0."""
    program, *arguments = shlex.split(command)
    assert program == "verify-rules"
    capsys.readouterr()
    code = run(arguments)
    out, err = capsys.readouterr()
    told = f"(exit code {int(code)})\n" if code else ""
    return f"$ {command}\n" + MODEL_LINE.sub(r"\1:…", out + err) + told


@pytest.mark.parametrize("section", SECTIONS, ids=lambda s: f"{s.file.stem}: {s.title}")
def test_case(
    section: Section, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if section.rules is not None:
        Path("mine.md").write_text(f"```rules\n{section.rules}```\n", encoding="utf-8")
    found = "".join(printed(command, capsys) for command in section.commands)
    if REWRITE:
        assert "PYTEST_XDIST_WORKER" not in os.environ, "several processes would write one file: leave out -n"
        text = section.file.read_text(encoding="utf-8")
        start = text.index(f"## {section.title}\n")
        block = text.index("```console\n", start) + len("```console\n")
        end = text.index("\n```", block - 1) + 1
        section.file.write_text(text[:block] + found + text[end:], encoding="utf-8")
    else:
        assert found == section.console


def test_cases_have_names_of_their_own() -> None:
    names = [(section.file, section.title) for section in SECTIONS]
    assert len(names) == len(set(names)) >= 25
    assert all(section.commands for section in SECTIONS)


# ---------------------------------------------------------------- schemas


def validator(name: str) -> Draft202012Validator:
    """Checks a result against the published schema."""
    return Draft202012Validator(jsons.schema(name))


@pytest.mark.parametrize("name", jsons.SCHEMAS)
def test_schema_is_one(name: str) -> None:
    schema = jsons.schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["schema"]["const"] == f"verify-rules/{name}/{jsons.VERSION}"
    assert schema["$id"].endswith(f":{name}:{jsons.VERSION}")


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a JSON value."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner)


@pytest.mark.parametrize("name", jsons.SCHEMAS)
def test_schema_explains_every_key_and_allows_no_other(name: str) -> None:
    schema = jsons.schema(name)
    for node in nodes(schema):
        if node.get("type") == "object" and "properties" in node:
            assert node["additionalProperties"] is False
            assert set(node["required"]) <= set(node["properties"])
            assert node["description"]


def test_schemas_share_their_parts() -> None:
    parts: dict[str, Any] = {}
    for name in jsons.SCHEMAS:
        for part, schema in jsons.schema(name)["$defs"].items():
            assert parts.setdefault(part, schema) == schema, part


def asked(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The JSON that a command prints."""
    capsys.readouterr()
    run([*arguments, "--format", "json"])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def json_commands() -> list[tuple[Section, list[str]]]:
    """The commands of all cases that give JSON."""
    found: dict[tuple[str, ...], tuple[Section, list[str]]] = {}
    for section in SECTIONS:
        for command in section.commands:
            arguments = shlex.split(command)[1:]
            answered = "(exit code 2)" not in section.console and "(exit code 4)" not in section.console
            if answered or arguments[0] == "audit":
                found[(section.title, *arguments)] = (section, arguments)
    return list(found.values())


@pytest.mark.parametrize(("section", "arguments"), json_commands(), ids=lambda x: getattr(x, "title", ""))
def test_json_is_as_the_schema_says(
    section: Section,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if section.rules is not None:
        Path("mine.md").write_text(f"```rules\n{section.rules}```\n", encoding="utf-8")
    found = asked(arguments, capsys)
    kind = found["schema"].split("/")[1]
    assert kind == arguments[0] or (kind == "check" and "model" not in found)
    validator(kind).validate(found)


def test_json_of_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(["check"], capsys)
    validator("check").validate(found)
    assert found["findings"] == []
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text("```rules\nruling a\n  cards x : creture\n", encoding="utf-8")
    Path("b.md").write_bytes(b"\xff")
    Path("c.md").write_text("prose", encoding="utf-8")
    Path("d.md").write_text("", encoding="utf-8")
    for paths in (["a.md"], ["b.md"], ["c.md"], ["d.md"], ["e.md"], ["a.md", "b.md", "c.md", "d.md", "e.md"]):
        found = asked(["check", *paths], capsys)
        validator("check").validate(found)
        assert found["findings"]
        places = [(f["places"][0]["file"], f["places"][0]["line"]) for f in found["findings"]]
        assert places == sorted(places)


def test_json_of_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value out of range, in another game: a charge is 3 at most."""
    (tmp_path / "robots.md").write_text(f"```rules\n{ROBOTS}```\n", encoding="utf-8")
    given = "a : drone; boot(a); load(a); load(a); load(a); load(a)"
    found = asked(["ask", "--model", str(tmp_path), "--given", given, "ready(a)"], capsys)
    validator("ask").validate(found)
    stopped = found["answers"][0]["cases"][0]["stopped"]
    assert found["answers"][0]["answer"] == "impossible"
    assert (stopped["step"], stopped["text"]) == (5, "load(a)")
    assert "`charge` would become 4" in stopped["fault"]
    assert stopped["reason"] is None


def ask(given: str, question: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The answer to one question."""
    found = asked(["ask", "--given", given, question], capsys)
    answer: dict[str, Any] = found["answers"][0]
    return answer


def test_json_of_ask_has_the_keys_that_others_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask("x : creature; enter(x)", "can attack(x, player)", capsys)
    assert answer["question"] == "can attack(x, player)"
    assert answer["answer"] == "no"
    assert answer["readings"] == []
    (pair,) = answer["pairs"]
    assert pair["action"] == "attack(x, player)"
    assert pair["verdict"] == "forbidden"
    (by,) = pair["by"]
    assert by["name"] == "sickness"
    assert by["cites"] == ['CR "301.5"']
    assert by["file"] == "duel-masters/301-creatures.md"
    assert by["line"] > 0
    assert pair["because"][0]["fact"] == "x is sick (召喚酔い)"


def test_json_of_audit_has_the_keys_that_others_rely_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.md"
    path.write_text(
        '```rules\nruling a "t" cites "c"\n  cards\n    x : creature\n  script\n    enter(x)\n'
        '    expect can attack(x, player)\n    unchecked "u"\n```\n',
        encoding="utf-8",
    )
    found = asked(["audit", str(path)], capsys)
    assert {"name", "hash", "version"} <= set(found["model"])
    assert {"confirmed", "refuted", "impossible", "depends", "disputed", "stale", "out_of_scope"} <= set(
        found["summary"]
    )
    (ruling,) = found["rulings"]
    assert (ruling["name"], ruling["file"], ruling["line"]) == ("a", str(path), 2)
    assert (ruling["outcome"], ruling["unchecked"]) == ("refuted", ["u"])
    (expectation,) = ruling["expectations"]
    assert (expectation["line"], expectation["text"]) == (7, "can attack(x, player)")
    assert (expectation["outcome"], expectation["verdict"]) == ("refuted", "forbidden")
    assert expectation["by"] == ["sickness"]
    (finding,) = found["findings"]
    assert (finding["kind"], finding["severity"]) == ("refuted", "error")
    assert finding["places"] == [{"file": str(path), "line": 2}, {"file": str(path), "line": 7}]


# ---------------------------------------------------------------- the same bytes


def test_same_input_same_bytes(tmp_path: Path) -> None:
    """Whatever the order of hashes, with the cache and without."""
    (tmp_path / "mine.md").write_text(
        "".join(f"```rules\n{s.rules}```\n" for s in SECTIONS if s.title in ("Refuted", "Impossible", "Depends")),
        encoding="utf-8",
    )
    given = "x : creature with tap_ability, must_attack, y : creature with draws_attacks of opponent in play tapped"
    board = f"{given}; enter(x); apply(attack_on_player_freed, me); apply(may_attack, x)"
    commands = [
        ["ask", "--given", board, "can attack(x, _)", "can use_tap_ability(x)", "sick(x)", "--all"],
        ["ask", "--given", board, "can attack(x, _)", "can use_tap_ability(x)", "--format", "json"],
        ["audit", "mine.md", "--all", "--format", "json"],
        ["check", "mine.md", "--format", "json"],
        ["dump", "--stage", "model"],
    ]
    code = f"""
from verify_rules.cli.main import run
for command in {commands!r}:
    print(run(command))
"""
    found = []
    for seed, cache in (("0", "off"), ("1", "kept"), ("2", "kept")):
        environment = os.environ | {"PYTHONHASHSEED": seed, "VERIFY_RULES_CACHE": cache}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, check=True
        )
        found.append(done.stdout)
    assert len(found[0]) > 10_000
    assert all(output == found[0] for output in found)
