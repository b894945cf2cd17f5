"""The Python in `src/` knows no game: no name that the shipped model declares stands there as a word.

A word is a whole identifier: `has_attacked` is found in `c.has_attacked`, `has` is not found in `has_value`. Comments,
docstrings and the grammar are searched like code: an example there is best told without a game.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from verify_rules.diagnostics import Reporter, render
from verify_rules.parse import tree as t
from verify_rules.parse.parser import parse_file
from verify_rules.source import SourceFile, discover, read_source

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "verify_rules"
MODEL = ROOT / "models" / "duel-masters"
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Words that the model declares and that `src/` needs for something else. Each is plain English; the reason says what
# `src/` means by it. A word that is no longer in both has to go (a test below).
ALLOWED: dict[str, str] = {
    # words of the language itself
    "Card": "the tree's class for a `card`, an item of the language",
    "Step": "the class for a step of a script",
    "abilities": "`lifts … from abilities`; the blocks called `ability`",
    "block": "a rule, an ability or an effect: clauses under one name; a `rules` block",
    "clock": "the mark of a field",
    "effects": "`lifts … from effects`; the blocks called `effect`",
    "forbidden": "a verdict",
    "never": "`claim … never`",
    "open": "`expect open`, an open point",
    "step": "`step ?`, and the steps of a script",
    "types": "`types` in a setup; the types of the language",
    # words of programs and of logic
    "apply": "of a norm: that its condition holds; to carry out an event",
    "below": "what a setup's `over` names; further down on a page",
    "element": "a member of a set",
    "field": "a variable of a kind; the function of dataclasses",
    "head": "the part of a clause before its condition",
    "leaves": "what a tree ends in; to leave",
    "owner": "that which has a field",
    "place": "a position in a file; the left side of an assignment",
    "top": "the upper of two cards in `under`",
    # everyday English, in sentences
    "closed": "of a fence or a text: that it has an end",
    "command": "the command line",
    "declared": "of a name: that a model declares it",
    "elsewhere": "in another place",
    "has": "to have",
    "joined": "of texts: put together",
    "lost": "of a comment: left out by mistake",
    "there": "in “there is”",
}


def declared(item: t.Item) -> set[str]:
    """The names that an item of a rulebook brings into the game's vocabulary; no parameters, no rules."""
    match item:
        case t.Enum():
            return {item.name, *(m.name for m in item.members)}
        case t.Kind():
            return {item.name, *(name for field in item.fields for name in field.names)}
        case t.Var():
            return set(item.field.names)
        case t.Union():
            return {item.name, *item.members}
        case t.Define() | t.Status() | t.Event():
            return {item.name}
        case t.Block():
            return set() if item.what == "rule" else {item.name}
        case t.Reading():
            return {item.name, *(option.name for option in item.options)}
        case t.Setup():
            return {flag.name for flag in item.flags}
        case t.Source():
            return {item.name}
        case _:
            return set()


def vocabulary(files: list[SourceFile]) -> set[str]:
    """All names of a model; it must have no syntax error, or a name might be missed."""
    reporter = Reporter()
    documents = [parse_file(file, reporter) for file in files]
    by_path = {file.path: file for file in files}
    assert not reporter.failed, "\n".join(render(d, by_path) for d in reporter.diagnostics)
    return {name for document in documents for item in document.items for name in declared(item)}


def words(folder: Path) -> dict[str, list[str]]:
    """Every word of the Python and grammar files below a folder, with its places."""
    found: dict[str, list[str]] = {}
    for path in sorted(p for p in folder.rglob("*") if p.suffix in {".py", ".lark"}):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            for word in WORD.findall(line):
                found.setdefault(word, []).append(f"{path.relative_to(folder)}:{number}")
    return found


@pytest.fixture(scope="module")
def of_the_model() -> set[str]:
    return vocabulary([read_source(path) for path in discover([MODEL])])


@pytest.fixture(scope="module")
def of_the_source() -> dict[str, list[str]]:
    return words(SOURCE)


def test_no_word_of_the_game_in_the_source(of_the_model: set[str], of_the_source: dict[str, list[str]]) -> None:
    found = sorted((of_the_model & of_the_source.keys()) - ALLOWED.keys())
    assert not found, "\n".join(f"{word}: {', '.join(of_the_source[word][:5])}" for word in found)


def test_the_model_declares_a_vocabulary(of_the_model: set[str]) -> None:
    """The search above would pass on an empty model."""
    assert len(of_the_model) > 100
    assert {"attack", "has_attacked", "speed_attacker", "sick", "turn_player", "battle_zone"} <= of_the_model


@pytest.mark.parametrize("word", sorted(ALLOWED))
def test_an_allowed_word_is_needed_and_plain(
    word: str, of_the_model: set[str], of_the_source: dict[str, list[str]]
) -> None:
    assert word in of_the_model, "the model no longer declares it: take it off the list"
    assert word in of_the_source, "the source no longer uses it: take it off the list"
    assert re.fullmatch(r"[A-Za-z]{2,10}", word), "only plain English words of at most ten letters can be allowed"
    assert ALLOWED[word].strip()


def test_every_kind_of_declaration_is_collected() -> None:
    text = """```rules
enum Colour "c" { red, blue(Side) }
kind Piece { rank : int 0..9 = 0
             var tired, held : bool = false }
var turn_owner : Colour = red
union Aim = Piece | table
define fresh(p) = not p.tired
status weary(p: Piece)
event rest(p: Piece)
  rule inner_rule sets p.tired := false
action strike(p: Piece, q: Piece)
rule outer_rule "…" weary(p) when p.tired
ability swift(n: Colour) not weary(self)
effect slow on Colour weary(p) when p.held
reading doubt { yes_so (default), not_so }
setup for c: Piece
  flag worn rest(c)
invariant inv: all z: Piece. z.rank >= 0
```
"""
    assert vocabulary([SourceFile("toy.md", text)]) == {
        *("Colour", "red", "blue", "Piece", "rank", "tired", "held", "turn_owner", "Aim", "table", "fresh", "weary"),
        *("rest", "strike", "swift", "slow", "doubt", "yes_so", "not_so", "worn"),
    }


def test_words_are_whole_identifiers(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = c.has_attacked  # not_sick, the-mark\nhas_value('tired')\n", encoding="utf-8")
    (tmp_path / "b.lark").write_text('flag: "worn" NAME\n', encoding="utf-8")
    (tmp_path / "c.md").write_text("ignored\n", encoding="utf-8")
    found = words(tmp_path)
    assert found["has_attacked"] == ["a.py:1"]
    assert found["worn"] == ["b.lark:1"]
    assert {"tired", "mark", "the"} <= found.keys()
    assert not {"has", "attacked", "sick", "ignored"} & found.keys()
