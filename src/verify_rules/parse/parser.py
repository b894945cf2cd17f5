"""Text → syntax tree. Every item is parsed by itself, so all syntax errors of all files are found at once."""

from __future__ import annotations

import difflib
import functools
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from verify_rules.diagnostics import Related, Reporter, suggestion
from verify_rules.parse import slips
from verify_rules.parse import tree as t
from verify_rules.parse.build import Build
from verify_rules.parse.build_pieces import Unreadable
from verify_rules.parse.slips import NO_MODEL, Lexicon
from verify_rules.source import SourceFile, Span
from verify_rules.source.cache import cache_folder

if TYPE_CHECKING:
    from verify_rules.parse.markdown import Chunk

Start = Literal["item", "given", "question"]

LEVELS = 100

# The words that items begin with.
ITEMS = (
    *("game", "source", "enum", "kind", "var", "union", "invariant", "define", "status", "event", "action"),
    *("rule", "ability", "effect", "precedence", "reading", "setup", "card", "ruling", "scenario", "claim"),
)
# Items of which no more than their name and the groups inside are known elsewhere.
_NAMED = frozenset(("source", "invariant", "define", "status", "event", "action", "rule", "ability", "effect"))
_WORD = re.compile(r"[^\W\d]\w*")

# What a user calls the terminals of the grammar, for "expected …".
_TERMINALS = {
    "NAME": "a name",
    "LABEL": "a name and a colon",
    "HNAME": "a name",
    "STRING": "a text in quotes",
    "INT": "a number",
    "DECIMAL": "a version such as 1.50",
    "DATE": "a date such as 2026-04-10",
    "NORM": "`permit`, `forbid`, `require`, `steer` or `price`",
    "COMPARE": "a comparison",
    "SIGN": "`+` or `-`",
    "MODALITY": "`can`, `cannot`, `must`, …",
    "QUANTIFIER": "`some` or `all`",
    "UNKNOWN": "`?`",
    "STOP": "a full stop",
    "DOT": "`.`",
    "IN_PLAY": "`in play`",
    "OUT_OF_SCOPE": "`out of scope`",
    "LIVE": "`makes live`",
    "DEFAULT": "`(default)`",
    "RULING": "`ruling`",
    "CLAIM": "`always`, `never` or `possible`",
    "UP_TO": "`up to`",
    "FORBIDS": "`forbids`",
    "CARD_SEP": "a comma",
    "REPAIRED": "`mistake repaired by`",
    "NOT_REPAIRABLE": "`mistake not repairable`",
    "$END": "the end",
}


@functools.cache
def _lark(starts: tuple[Start, ...]) -> Lark:
    grammar = Path(__file__).with_name("rulebook.lark").read_text(encoding="utf-8")
    folder = cache_folder()
    cache: bool | str = False
    if folder is not None:
        # Building the tables takes a quarter of a second; the grammar's own text decides whether they are still right.
        digest = hashlib.sha256(grammar.encode()).hexdigest()[:16]
        cache = str(folder / f"grammar-{starts[0]}-{digest}.lark")
    return Lark(
        grammar,
        parser="lalr",
        start=list(starts),
        propagate_positions=True,
        maybe_placeholders=False,
        cache=cache,
    )


def _parser(start: Start) -> Lark:
    # A question needs a quarter of the tables, and they are loaded whenever one is asked.
    return _lark(("item",) if start == "item" else ("given", "question"))


def parse_text(
    text: str,
    start: Start,
    path: str,
    reporter: Reporter,
    line: int = 1,
    indent: int = 0,
    lexicon: Lexicon = NO_MODEL,
) -> Any:
    """Parse one item, a `--given` or a question; None when there is an error, which is reported.

    `line` is the line of the file on which `text` begins, `indent` the columns cut off before it; `lexicon` has the
    words of the model, if one is loaded, for hints.
    """
    parser = _parser(start)
    try:
        tree = parser.parse(text, start=start)
    except UnexpectedInput as error:
        _report(error, text, start, path, reporter, line, indent, parser, lexicon)
        return None
    build = Build(path, line - 1, indent)
    deep = _too_deep(tree)
    if deep is not None:
        reporter.report(
            "too-deep",
            f"this is nested more than {LEVELS} levels deep",
            build.span(deep.meta),
            "Name a part of it with `define`, and use the name.",
        )
        return None
    try:
        result = build.build(tree)
    except Unreadable as unreadable:
        span = build.token_span(unreadable.token)
        reporter.report(unreadable.code, unreadable.message, span, unreadable.help)
        return None
    for what, first, again in build.repeated:
        message = f"`{what}` stands in one item twice"
        reporter.report("duplicate", message, again, "Remove one of the two.", [Related(first, "the other one")])
    return result


def _too_deep(tree: Tree[Token]) -> Tree[Token] | None:
    """A part that is nested deeper than all later stages, which call themselves for each level, can follow."""
    level: list[Tree[Token]] = [tree]
    for _ in range(LEVELS):
        long = next((node for node in level if node.data == "sum" and len(node.children) > 2 * LEVELS), None)
        if long is not None:
            return long  # each sign of a sum is a level of its own
        level = [child for node in level for child in node.children if isinstance(child, Tree)]
        if not level:
            return None
    return level[0]


def parses(text: str, start: Start) -> bool:
    """Whether a text can be read."""
    try:
        _parser(start).parse(text, start=start)
    except UnexpectedInput:
        return False
    return True


def _accepted(error: UnexpectedInput) -> frozenset[str]:
    """The terminals that could stand at an error."""
    names = set(cast(Any, getattr(error, "accepts", None) or getattr(error, "expected", None) or ()))
    return frozenset(names | set(getattr(error, "allowed", None) or ()))


def _expected(names: frozenset[str], parser: Lark) -> list[str]:
    terminals = {x.name: x for x in parser.terminals}
    words = set()
    for name in names:
        if name in _TERMINALS:
            words.add(_TERMINALS[name])
        elif name in terminals:
            words.add(f"`{terminals[name].pattern.value}`".replace("\\", ""))
    return sorted(words)


_WHOLE = {"item": "item", "given": "board", "question": "question"}


def _report(
    error: UnexpectedInput,
    text: str,
    start: Start,
    path: str,
    reporter: Reporter,
    line: int,
    indent: int,
    parser: Lark,
    lexicon: Lexicon,
) -> None:
    lines = text.split("\n")
    token = error.token if isinstance(error, UnexpectedToken) else None
    if token is not None and token.type == "$END":
        row = max((i for i, x in enumerate(lines) if x.strip()), default=0)
        span = Span(path, line + row, len(lines[row].rstrip()) + 1 + indent, line + row, len(lines[row]) + 2 + indent)
        found, message = "", f"the {_WHOLE[start]} ends too early here"
    else:
        row, column = max(error.line, 1) - 1, max(error.column, 1)
        rest = lines[row][column - 1 :] if row < len(lines) else ""
        found = str(token) if token is not None else _word(rest)
        end = column + max(1, len(found))
        span = Span(path, line + row, column + indent, line + row, end + indent)
        message = f"`{found}` can't stand here" if found.strip() else "this can't stand here"
    accepted = _accepted(error)
    expected = _expected(accepted, parser)
    hint = suggestion(found, [x.strip("`") for x in expected if x.startswith("`")]) if found.isidentifier() else ""
    help = " ".join(x for x in (hint, f"Expected {_list(expected)}." if expected else "") if x)
    if isinstance(error, UnexpectedCharacters) and found.startswith('"'):
        reporter.report("syntax", "this text has no closing quote on its line", span, 'Close it with `"`.')
        return
    offset = sum(len(x) + 1 for x in lines[:row]) + span.column - 1 - indent
    spot = slips.Spot(start, text, offset, found, accepted, hint, lexicon, lambda x: parses(x, "question"))
    slip = slips.find(spot)
    if slip is None and not hint:
        ended = found == "" and start == "item"
        before = "" if ended else _slip_before(lines, row, span.column - indent, parser)
        slip = slips.Slip(before) if before else slips.find_late(spot)
    if slip is not None:
        if slip.place is not None:
            at, length = slip.place
            row = text.count("\n", 0, at)
            column = at - (text.rfind("\n", 0, at) + 1) + 1 + indent
            span = Span(path, line + row, column, line + row, column + length)
        message, help = slip.message or message, slip.help
    elif found == "" and start == "item":
        help = f"{help} What belongs to an item is indented."
    reporter.report("syntax", message, span, help)


def _words(parser: Lark) -> list[str]:
    """The words of the language: all that the grammar has in quotes."""
    return [x.pattern.value for x in parser.terminals if x.pattern.value.isalpha()]


def _slip_before(lines: list[str], row: int, column: int, parser: Lark) -> str:
    """“Did you mean …?” where the word before is nearly one of the language: it was taken for a name."""
    before = re.search(r"(\w+)\W*$", " ".join([*lines[max(0, row - 1) : row], lines[row][: column - 1]]))
    known = _words(parser)
    near = difflib.get_close_matches(before[1], known, n=1, cutoff=0.8) if before and before[1] not in known else []
    return f"Did you mean `{near[0]}` instead of `{before[1]}` before it?" if near and before else ""


def _word(rest: str) -> str:
    word = ""
    for character in rest:
        if not (character.isalnum() or character == "_"):
            break
        word += character
    return word or rest[:1]


def _list(words: list[str], most: int = 8) -> str:
    if len(words) > most:
        words = [*words[:most], "…"]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def parse_chunk(chunk: Chunk, path: str, reporter: Reporter, lexicon: Lexicon = NO_MODEL) -> t.Item | None:
    """One item of a file, or None if it has a syntax error."""
    return cast("t.Item | None", parse_text(chunk.text, "item", path, reporter, chunk.line, chunk.indent, lexicon))


def _broken(text: str) -> t.Broken:
    """What an item that can't be read may have declared: its name, or all its words if it may be a list of names."""
    bare = re.sub(r"--[^\n]*", "", text)
    words = _WORD.findall(re.sub(r'"[^"\n]*"', " ", bare))
    keyword = words[0] if words else ""
    if keyword in _NAMED:
        words = [*words[1:2], *re.findall(r"\brule\s+(\w+)", bare)]
    keyword = next(iter(difflib.get_close_matches(keyword, ITEMS, n=1)), keyword)
    return t.Broken(keyword, frozenset([*words, *re.findall(r'"([^"\n]*)"', bare)]))


def _torn(text: str) -> tuple[t.Broken, ...]:
    """The same for the text of a whole block."""
    keywords = re.findall(r"^\w+", text, re.MULTILINE)
    every = frozenset([*_WORD.findall(text), *re.findall(r'"([^"\n]*)"', text)])
    return tuple(t.Broken(keyword, every) for keyword in dict.fromkeys(keywords))


def _no_item(chunk: Chunk, path: str, reporter: Reporter) -> None:
    """Report that a chunk begins with no word that an item begins with."""
    found = _word(chunk.text)
    hint = suggestion(found, ITEMS) or "If it belongs to the item above, indent it."
    if found in _words(_parser("item")):
        hint = "It belongs to an item: indent it."
    if not found.isascii() and found.isalpha():
        hint = f"Items begin with a word of the language: {_list([f'`{x}`' for x in ITEMS[-4:]], 4)}, …"
    span = Span(path, chunk.line, 1 + chunk.indent, chunk.line, 1 + chunk.indent + len(found))
    what = f"no item begins with `{found}`" if found.isprintable() else "no item begins with this"
    reporter.report("syntax", what, span, hint)


def parse_file(file: SourceFile, reporter: Reporter, lexicon: Lexicon = NO_MODEL) -> t.Document:
    """All items of a file, in order; those that have a syntax error are reported, and told apart as broken.

    `lexicon` has the words of the model that the file is put on top of, for hints.
    """
    from verify_rules.parse.markdown import blocks, chunks

    items: list[t.Item] = []
    broken: list[t.Broken] = []
    if not file.text.strip():
        reporter.report(
            "file-empty", "this file is empty", Span(file.path, 0, 0, 0, 0), "Write a `rules` block, or remove it."
        )
        return t.Document(file.path, ())
    found = blocks(file, reporter)
    for text in found.torn:
        broken += _torn(text)
    for fence in found.fences:
        strayed = False
        for chunk in chunks(file, fence, reporter):
            if _word(chunk.text) in ITEMS:
                strayed = False
                item = parse_chunk(chunk, file.path, reporter, lexicon)
                if item is not None:
                    items.append(item)
                    continue
                strayed = True
            elif not strayed:
                # What was not indented, though it belongs to the item above, is one mistake, and not one for each line.
                strayed = True
                _no_item(chunk, file.path, reporter)
            broken.append(_broken(chunk.text))
    if not found.fences and not any(d.span.path == file.path for d in reporter.diagnostics):
        reporter.report(
            "file-without-rules",
            "this file has no `rules` block, so nothing in it is read",
            Span(file.path, 0, 0, 0, 0),
            "Open a block with ```rules at the left margin.",
        )
    return t.Document(file.path, tuple(items), tuple(broken))


def parse_path(path: Path, reporter: Reporter) -> t.Document:
    """Read and parse a file by its path (for tools and tests)."""
    from verify_rules.source import read_source

    return parse_file(read_source(path), reporter)
