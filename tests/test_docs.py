"""The documents are true: examples load and say what they claim, printed output is what the tool prints today.

In a page, each line of a `console` block that begins with `$ ` is run (it goes on in lines that begin with `> `), and
what stands below it has to be its output. A block behind `<!-- file: NAME -->` is a file that these commands find. To
write today's output into the pages: `REWRITE=1 pytest tests/test_docs.py`, then read the difference.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lark import Lark
from markdown_it import MarkdownIt

from verify_rules.analysis import audit
from verify_rules.diagnostics import Reporter, render
from verify_rules.explain import Words
from verify_rules.model.load import load
from verify_rules.model.model import Ruling
from verify_rules.parse.markdown import chunks, fences
from verify_rules.source import read_source

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LANGUAGE = DOCS / "language.md"
GRAMMAR = ROOT / "src" / "verify_rules" / "parse" / "rulebook.lark"
REWRITE = os.environ.get("REWRITE") == "1"

# ---------------------------------------------------------------- printed output


@dataclass(frozen=True)
class Console:
    """A command of a page and the lines (from 0, the second not included) where its output stands, and how deep."""

    command: str
    first: int
    last: int
    indent: str


@dataclass(frozen=True)
class Given:
    """A file that a page shows."""

    name: str
    text: str


def parts(text: str) -> Iterator[Console | Given]:
    """The commands and files of a page, in order."""
    lines = text.split("\n")
    name: str | None = None
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "html_block":
            found = re.fullmatch(r"<!-- file: (\S+) -->", token.content.strip())
            name = found[1] if found else None
        elif token.type == "fence" and token.map is not None:
            if name is not None:
                yield Given(name, token.content)
            elif token.info.strip() == "console":
                yield from _commands(lines, token.map[0] + 1, token.map[1] - 1)
            name = None


def _commands(lines: list[str], first: int, last: int) -> Iterator[Console]:
    indent = lines[first - 1].split("`")[0]
    at = first
    while at < last:
        assert lines[at].startswith(indent + "$ "), f"line {at + 1}: a console block begins with a command"
        command = lines[at].removeprefix(indent + "$ ")
        at += 1
        while at < last and lines[at].startswith(indent + "> "):
            command += "\n" + lines[at].removeprefix(indent + "> ")
            at += 1
        begin = at
        while at < last and not lines[at].startswith(indent + "$ "):
            at += 1
        yield Console(command, begin, at, indent)


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Models are kept for the tests of this file, not in the folder of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIFY_RULES_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def run_command(command: str, folder: Path) -> list[str]:
    """What a terminal would show."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=120,
    )
    return done.stdout.decode().rstrip("\n").split("\n") if done.stdout.strip() else []


def masked(lines: list[str]) -> list[str]:
    """Without the line numbers of the shipped model's files, which each change of a chapter would move."""
    return [re.sub(r"(duel-masters/[\w./-]+\.md):\d+", r"\1:N", line) for line in lines]


PAGES = ["README.md", "CONTRIBUTING.md", "docs/language.md", "docs/how-it-works.md", "docs/limitations.md"]


@pytest.mark.parametrize("page", PAGES)
def test_printed_output(page: str, tmp_path: Path) -> None:
    path = ROOT / page
    for name in ("docs", "models"):
        (tmp_path / name).symlink_to(ROOT / name)
    text = path.read_text(encoding="utf-8")
    today, stale = as_today(text, tmp_path)
    for _ in range(3):  # a page that prints its own line numbers may move them
        if REWRITE and today != text:
            path.write_text(today, encoding="utf-8")
            text = today
            today, stale = as_today(text, tmp_path)
    assert not stale, f"{page}: what these commands print is out of date (REWRITE=1 writes it):\n" + "\n".join(stale)


def as_today(text: str, folder: Path) -> tuple[str, list[str]]:
    """The page with what its commands print today, and the commands whose output is another than the page says."""
    lines = text.split("\n")
    new = list(lines)
    moved = 0
    stale = []
    for part in parts(text):
        if isinstance(part, Given):
            (folder / part.name).write_text(part.text, encoding="utf-8")
            continue
        printed = [(part.indent + line).rstrip() for line in run_command(part.command, folder)]
        if masked(printed) != masked(lines[part.first : part.last]):
            stale.append("\n".join([f"line {part.first}: {part.command}", *printed]))
        new[part.first + moved : part.last + moved] = printed
        moved += len(printed) - (part.last - part.first)
    return "\n".join(new), stale


def test_the_pages_have_examples() -> None:
    for page in ("README.md", "docs/language.md", "docs/how-it-works.md"):
        assert any(isinstance(part, Console) for part in parts((ROOT / page).read_text(encoding="utf-8"))), page


# ---------------------------------------------------------------- the language reference


def test_the_reference_is_a_model_without_errors_and_warnings() -> None:
    loaded = load(LANGUAGE, cache=False)
    assert not loaded.diagnostics, "\n".join(render(d, loaded.files) for d in loaded.diagnostics)


def test_the_rulings_of_the_reference_are_confirmed() -> None:
    loaded = load(LANGUAGE, cache=False)
    assert loaded.model is not None
    model = loaded.model
    rulings = [r for r in model.rulings if r.word == "ruling"]
    results = list(audit(model, rulings, Words(model), lambda day, _: load(LANGUAGE, (), day, cache=False).model))
    assert len(rulings) > 10
    assert {r.ruling.name: r.outcome for r in results} == {r.name: _announced(r) for r in rulings}


def _announced(ruling: Ruling) -> str:
    """What a ruling of the page says about itself."""
    if ruling.out_of_scope is not None:
        return "out_of_scope"
    if ruling.meta.disputed is not None:
        return "disputed"
    return "confirmed" if ruling.meta.until is None else "stale"


class Coverage:
    """Parses texts and notes which symbols each rule of the grammar was made of, and which words were used."""

    def __init__(self) -> None:
        self.lark = Lark(
            GRAMMAR.read_text(encoding="utf-8"),
            parser="lalr",
            start=["item", "given", "question"],
            maybe_placeholders=False,
        )
        self.used: set[tuple[str, str]] = set()
        self.words: set[tuple[str, str]] = set()
        callbacks = self.lark._callbacks
        for rule, callback in list(callbacks.items()):
            callbacks[rule] = self._noting(rule, callback)

    def _noting(self, rule: Any, callback: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
        def note(children: list[Any]) -> Any:
            self.used |= {(_name(rule), symbol.name) for symbol in rule.expansion}
            return callback(children)

        return note

    def parse(self, text: str, start: str) -> None:
        """Parse a text."""
        self.lark.parse(text, start=start)
        parser = self.lark.parse_interactive(text, start=start)
        for token in parser.exhaust_lexer():
            self.words.add((token.type, re.sub(r"\s+", " ", str(token))))

    def missing(self) -> list[str]:
        """The symbols of rules, and the words of terminals, that no text used."""
        wanted = {(_name(rule), symbol.name) for rule in self.lark.rules for symbol in rule.expansion}
        # The rules that lark makes for `x*` begin with two underscores; that they repeat themselves is nothing to show.
        found = [f"{rule}: {symbol}" for rule, symbol in sorted(wanted - self.used) if rule != symbol]
        for terminal in self.lark.terminals:
            pattern = terminal.pattern.value if terminal.pattern.type == "re" else ""
            for word in alternatives(pattern):
                if not any(name == terminal.name and re.fullmatch(word, text) for name, text in self.words):
                    found.append(f"{terminal.name}: {word}")
        return found


def _name(rule: Any) -> str:
    return str(rule.alias or rule.origin.name)


def alternatives(pattern: str) -> list[str]:
    """The words of a terminal such as `some\\b|all\\b`, without what has to follow; none if it is no list of words."""
    if pattern.startswith("(?:") and pattern.endswith(")"):
        pattern = pattern[3:-1]
    found = [""]
    depth = 0
    for character in pattern:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if character == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [word.split("(?=")[0] for word in found] if len(found) > 1 else []


def questions(command: str) -> tuple[str | None, list[str]]:
    """The board and the questions of an `ask`."""
    words = shlex.split(command)
    if words[:2] != ["verify-rules", "ask"]:
        return None, []
    given: str | None = None
    found = []
    rest = iter(words[2:])
    for word in rest:
        if word == "--given":
            given = next(rest)
        elif word.startswith("--"):
            next(rest)
        else:
            found.append(word)
    return given, found if given is not None else found[1:]


def test_the_reference_uses_the_whole_grammar() -> None:
    coverage = Coverage()
    file = read_source(LANGUAGE)
    reporter = Reporter()
    for fence in fences(file, reporter):
        for chunk in chunks(file, fence, reporter):
            coverage.parse(chunk.text, "item")
    for part in parts(file.text):
        if isinstance(part, Console):
            given, asked = questions(part.command)
            if given is not None:
                coverage.parse(given, "given")
            for question in asked:
                coverage.parse(question, "question")
    assert not coverage.missing(), "docs/language.md has no example of:\n" + "\n".join(coverage.missing())


def test_what_the_reference_leaves_out_is_found() -> None:
    """The test above would notice: a page with one rule in it leaves nearly everything out."""
    coverage = Coverage()
    coverage.parse('rule r "x" forbid f(a, _) when some x: T. x in s', "item")
    missing = coverage.missing()
    assert "victim_effect: EFFECT" in missing
    assert r"QUANTIFIER: all\b" in missing
    assert r"QUANTIFIER: some\b" not in missing
    assert "rule: STRING" not in missing


# ---------------------------------------------------------------- names of files and headings


LINKING = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def anchors(path: Path) -> set[str]:
    """The headings of a page, as they are linked to."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("path", LINKING, ids=lambda p: str(p.relative_to(ROOT)))
def test_links(path: Path) -> None:
    broken = []
    for token in MarkdownIt("commonmark").parse(path.read_text(encoding="utf-8")):
        for child in token.children or []:
            target = str(child.attrs.get("href", "")) if child.type == "link_open" else ""
            if not target or re.match(r"[a-z]+:", target):
                continue
            name, _, heading = target.partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.exists() or (heading and heading not in anchors(file)):
                broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/how-it-works.md", "docs/limitations.md"])
def test_files_that_are_named_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|models|benchmarks)/[\w./-]*)`", text)
    missing = sorted({name for name in named if not (ROOT / name).exists()})
    assert not missing
