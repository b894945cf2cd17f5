"""docs/diagnostics.md shows every code that there is, with what is really printed; and one mistake is one error.

`REWRITE=1 pytest tests/test_diagnostics.py` writes today's output into the page; then read the difference.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from lark import Lark
from markdown_it import MarkdownIt

from test_docs import as_today
from verify_rules.cli.main import run
from verify_rules.diagnostics import CATALOGUE, Diagnostic
from verify_rules.model.load import load
from verify_rules.parse.parser import ITEMS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "diagnostics.md"
SOURCE = ROOT / "src" / "verify_rules"
REWRITE = bool(os.environ.get("REWRITE"))


@dataclass(frozen=True)
class Example:
    """A block of the page, under which code it stands, and the lines (from 0) that its output takes."""

    code: str
    text: str
    without: str
    first: int
    last: int
    line: int


def prelude(text: str) -> str:
    """The model that completes the examples."""
    found = re.search(r"<!-- file: robots\.md -->\n+````markdown\n(.*?)````", text, re.DOTALL)
    assert found is not None
    return found[1]


def examples(text: str) -> list[Example]:
    """The examples of the page that are files, in order."""
    found: list[Example] = []
    code = without = block = ""
    tokens = MarkdownIt("commonmark").parse(text)
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            code = tokens[number + 1].content if token.tag == "h3" else ""
        elif token.type == "html_block":
            match = re.fullmatch(r"<!-- without: (\w+) -->", token.content.strip())
            without = match[1] if match else ""
        elif token.type == "fence" and token.map is not None:
            if token.info == "rules":
                block = token.content
            elif token.info == "text":
                found.append(Example(code, block, without, token.map[0] + 1, token.map[1] - 1, token.map[0]))
                without = ""
    return found


def items_without(text: str, word: str) -> str:
    """A model without its items that begin with `word`."""
    return re.sub(rf"^{word}\b.*\n(?:[ }}].*\n)*", "", text, flags=re.MULTILINE)


def printed(example: Example, model: str, folder: Path) -> list[str]:
    """What `check` says of an example, without the line that counts."""
    if example.without:
        model = items_without(model, example.without)
    (folder / "robots.md").write_text(model, encoding="utf-8")
    (folder / "yours.md").write_text(f"```rules\n{example.text}```\n", encoding="utf-8")
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stderr(out), contextlib.redirect_stdout(io.StringIO()):
        run(["check", "--model", ".", "--no-cache"])
    return out.getvalue().rstrip("\n").split("\n")


def test_printed_output(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    lines = text.split("\n")
    model = prelude(text)
    new, moved, stale = list(lines), 0, []
    for example in examples(text):
        today = printed(example, model, tmp_path)
        if today != lines[example.first : example.last]:
            stale.append("\n".join([f"line {example.line}:", *today]))
        new[example.first + moved : example.last + moved] = today
        moved += len(today) - (example.last - example.first)
    consoles, old = as_today("\n".join(new), tmp_path)
    if REWRITE and consoles != text:
        PAGE.write_text(consoles, encoding="utf-8")
        return
    assert not stale + old, "out of date (REWRITE=1 writes it):\n" + "\n".join(stale + old)


def test_the_model_of_the_examples_is_right(tmp_path: Path) -> None:
    (tmp_path / "robots.md").write_text(prelude(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    assert load(tmp_path, cache=False).diagnostics == ()


def test_every_code_has_an_example_that_reports_it_and_nothing_else() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sections = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    shown = {}
    for section in sections:
        code = section.split("\n", 1)[0]
        outputs = re.findall(r"^```(?:text|console)\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
        assert outputs, f"{code} has no example"
        for output in outputs:
            assert set(re.findall(r"(?:error|warning)\[([\w-]+)\]", output)) == {code}, f"in an example of {code}"
        shown[code] = section
    assert sorted(shown) == sorted(CATALOGUE)


# Codes that need no help line, each with the reason.
WITHOUT_HELP: dict[str, str] = {}


def test_every_example_says_what_to_do() -> None:
    text = PAGE.read_text(encoding="utf-8")
    outputs = re.findall(r"^```(?:text|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for output in outputs:
        for shown in re.split(r"^(?=\S+: (?:error|warning)\[)", output, flags=re.MULTILINE):
            code = re.match(r"\S+: (?:error|warning)\[([\w-]+)\]", shown)
            if code is not None and code[1] not in WITHOUT_HELP:
                assert "\n  help: " in shown, shown


def test_no_error_is_reported_without_a_word_about_what_to_do() -> None:
    bare = []
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            code = node.args[0] if node.func.attr in ("report", "fail") and node.args else None
            if not (isinstance(code, ast.Constant) and code.value in CATALOGUE) or code.value in WITHOUT_HELP:
                continue
            if len(node.args) < 4 and not any(k.arg == "help" for k in node.keywords):
                bare.append(f"{file.relative_to(SOURCE)}:{node.lineno}")
    assert not bare


def test_the_page_names_every_severity() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for code, known in CATALOGUE.items():
        assert f": {known.severity}[{code}]: " in text


def test_codes_are_reported_exactly_if_they_are_in_the_catalogue() -> None:
    sources = "\n".join(
        file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py") if file.name != "catalogue.py"
    )
    # Two codes are put together from what was looked for.
    kinds = ("rule", "ability", "effect")
    used = {code for code in CATALOGUE if f'"{code}"' in sources} | {f"unknown-{kind}" for kind in kinds}
    assert 'f"unknown-{node.what}"' in sources
    assert used == set(CATALOGUE)
    called = re.findall(r'(?:report|fail|unknown)\(\s*"([a-z]+(?:-[a-z]+)+)"', sources)
    assert set(called) <= set(CATALOGUE)


def test_items_are_those_of_the_grammar() -> None:
    grammar = (SOURCE / "parse" / "rulebook.lark").read_text(encoding="utf-8")
    lark = Lark(grammar, parser="lalr", start=["item"])
    words = set()
    for rule in re.search(r"^\?item:(.*?)\n\n", grammar, re.MULTILINE | re.DOTALL)[1].replace("|", " ").split():  # type: ignore[index]
        body = re.search(rf"^{rule}:\s+(?:\"(\w+)\"|(\w+))", grammar, re.MULTILINE)
        assert body is not None, rule
        terminal = None if body[1] else next(t for t in lark.terminals if t.name == body[2])
        words |= (
            {body[1]} if terminal is None else set(re.findall(r"[a-z]+", terminal.pattern.value.replace("\\b", " ")))
        )
    assert words == set(ITEMS)


# ---------------------------------------------------------------- all errors, and each only once


def found_in(folder: Path, *texts: str) -> list[Diagnostic]:
    """The errors of a model of these files (a.md, b.md, …), on top of the model of the page."""
    (folder / "0-robots.md").write_text(prelude(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    for name, text in zip("abcdef", texts, strict=False):
        block = text if "```" in text else f"```rules\n{text}\n```\n"
        (folder / f"{name}.md").write_text(block, encoding="utf-8")
    return [d for d in load(folder, cache=False).diagnostics if d.severity == "error"]


def places(found: list[Diagnostic]) -> list[tuple[str, int, str]]:
    """Where each is: file, line, code."""
    return [(Path(d.span.path).name, d.span.line, d.code) for d in found]


THREE_FILES = (
    """\
rule one cites BOOK "9.1"
  colt(b)

define two(b) = b.charge
define three(b) = two(b) and b.on
var four : Sied""",
    """\
Prose.

```rules
rule five cites BOOK "9.2"
  cold(b) when
```

```rules
event six(b: Bot)
  sets b.side := red
```
""",
    """\
scenario seven
  cards x : dron in play, y : tank with swfit
  script
    boot(y, y)
    expect cold(z)
    expect y.on = 3""",
)


def test_all_errors_of_all_files_in_order(tmp_path: Path) -> None:
    found = found_in(tmp_path, *THREE_FILES)
    assert places(found) == [
        ("a.md", 3, "unknown-status"),
        ("a.md", 6, "wrong-type"),
        ("a.md", 7, "unknown-type"),
        ("b.md", 5, "syntax"),
        ("b.md", 10, "sets-fixed"),
        ("c.md", 3, "unknown-name"),
        ("c.md", 3, "unknown-ability"),
        ("c.md", 5, "wrong-arity"),
        ("c.md", 6, "unknown-name"),
        ("c.md", 7, "wrong-type"),
    ]


USES = """
rule uses cites BOOK "9.1"
  cold(b) when {0}
  forbid strike(b, _) when {0} and b.on
define again(b) = {0}
event stop(b: Bot)
  requires {0}
  sets b.on := false
scenario s
  cards x : drone
  script
    expect all b: Bot. {0}
"""


@pytest.mark.parametrize(
    ("broken", "use", "code"),
    [
        ("var mood : Moood = red", "mood = red", "unknown-type"),
        ("var mood, tone : set of Moood = {}", "red in mood or blue in tone", "unknown-type"),
        ("status damp(b: Bto)", "damp(b)", "unknown-type"),
        ("status damp(b: Bot", "damp(b) and b.damp", "syntax"),
        ("define damp(b) = b.onn", "damp(b)", "unknown-field"),
        ("define damp(b = b.on", "damp(b)", "syntax"),
        ("enum Tone { warm, cool(Sied) }\nvar tone : Tone = warm", "tone = cool(red)", "unknown-type"),
        ("enum Tone { warm, cool\nvar tone : Tone = warm", "tone = cool", "syntax"),
        ("enmu Tone { warm, cool }\nvar tone : Tone = warm", "tone = cool", "syntax"),
        ("reading rain { yes, no }", "rain = yes", "missing-declaration"),
        ("reading rain { yes (default) no }", "rain = yes", "syntax"),
        ("union Spot = Bto | nowhere\nvar spot : Spot = nowhere", "spot = nowhere", "unknown-type"),
        ("var spot : Bot? = nome", "spot ≠ none", "unknown-name"),
        ("ability damp(A: Ability)", "has(b, damp(swift))", "wrong-type"),
        ("ability damp(n: int 0..99999)", "has(b, damp(3))", "too-many-values"),
        ("ability damp forbid\n", "has(b, damp)", "syntax"),
        ("effect damp on Bto\n  forbid strike(b, _)", "b.on", "unknown-type"),
        ("event melt(b: Bto)", "possible melt(b)", "unknown-type"),
        ("action melt(b Bot)", "can melt(b)", "syntax"),
        ("define damp(b) = b.on\ndefine damp(b, c) = b.on", "damp(b)", "duplicate"),
        ("source BUCK versions 1.0, 2.x\nrule more cites BUCK \"7\"\n  cold(b)", "b.on", "syntax"),
    ],
)  # fmt: skip
def test_what_uses_a_broken_declaration_is_no_further_error(broken: str, use: str, code: str, tmp_path: Path) -> None:
    # Statuses and norms can't ask for verdicts, so only those uses are tried that may.
    uses = USES if not re.search("can|possible", use) else "claim c always all b: Bot. {0}"
    assert [d.code for d in found_in(tmp_path, broken, uses.format(use))] == [code]


def test_an_item_that_was_not_indented_is_one_error(tmp_path: Path) -> None:
    text = "enum Tone {\nwarm,\ncool\n}\nvar tone : Tone = warm\ndefine nice() = tone = cool"
    assert places(found_in(tmp_path, text)) == [("a.md", 2, "syntax")]


def test_a_block_without_an_end_is_one_error(tmp_path: Path) -> None:
    text = "```rules\nenum Tone { warm }\n\nMore prose, which isn't rules.\n\n```rules\nvar tone : Tone = warm\n```\n"
    assert places(found_in(tmp_path, text, "define nice() = tone = warm")) == [("a.md", 1, "fence-unclosed")]


def test_an_unreadable_file_hides_no_syntax_error(tmp_path: Path) -> None:
    (tmp_path / "z.md").write_bytes(b"```rules\nenum Tone { \xff }\n```\n")
    found = found_in(tmp_path, "define a(b) = = b", "define nice() = tone = warm")
    assert places(found) == [("a.md", 2, "syntax"), ("z.md", 2, "file-encoding")]


def test_a_name_that_is_missing_everywhere_is_one_error_with_its_places(tmp_path: Path) -> None:
    clauses = "\n".join(f'rule r{i} cites BOK "{i}"\n  cold(b) when b.weight = {i}' for i in range(9))
    (only,) = found_in(tmp_path, clauses)
    assert (only.code, only.span.line, len(only.related)) == ("unknown-source", 2, 5)
    assert only.related[-1].message == "and here, and in 3 more places"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("effect e\n  lifts coldnes, ability swfit, effect foo, crd forbid for strike(slf, bsae) when zelf.on",
         ["coldnes", "swfit", "foo", "crd", "slf", "bsae", "zelf"]),
        ("ability a\n  forbid strike(slf, bsae) when zelf.on or zelf2 = zelf3",
         ["slf", "bsae", "zelf", "zelf2", "zelf3"]),
        # What is unknown for want of something else is no further error.
        ("ability a\n  forbid strikr(slf, t) when zelf.on and slf.on and t = base", ["strikr", "zelf"]),
        ("ability a\n  forbid strike(b = t) when zelf.on and b.on", ["strike(b = t)", "zelf"]),
        ("ability a\n  forbid strike(slf) when zelf.on and slf.on", ["strike(slf)", "zelf"]),
        ("rule r cites BOOK \"9\"\n  cold(b: Bto) when b.on and c.on", ["Bto", "c"]),
        ("ability a\n  on laod(c) also sets c.charge := 1, d.charge := 2", ["laod", "d"]),
        ("event e(b: Bot)\n  sets c.on := d.on when f.on\n  does laod(g) when h.on", ["c", "d", "f", "laod", "g", "h"]),
        ("event e(b: Bot)\n  for x: Bot where y.on  sets x.on := z.on", ["y", "z"]),
        ("event e(b: Bot)\n  resets b except chrge, onn", ["chrge", "onn"]),
        ("define d(b) = c = x1 and e in {x2, x3} and (if f then x4 else x5)",
         ["c", "x1", "e", "x2", "x3", "f", "x4", "x5"]),
        ("define d(b) = foo(x1, red) and (some x: Bto. x.on and y.on)", ["foo", "x1", "Bto", "y"]),
        ("claim c always forbidden strikr(a, base) by nobody", ["strikr", "a", "nobody"]),
        ("claim c always triggers nobody on laod(a)", ["nobody", "laod", "a"]),
    ],
)  # fmt: skip
def test_each_unknown_name_is_an_error(text: str, wrong: list[str], tmp_path: Path) -> None:
    found = found_in(tmp_path, text)
    lines = text.split("\n")
    marked = [lines[s.line - 2][s.column - 1 : s.end_column - 1] for d in found for s in [d.span]]
    assert sorted(marked) == sorted(wrong)


STRAY = [
    # near what may be meant
    ("ability a  forbid strike(slf, _)", True),
    ("ability a  forbid strike(sefl, base)", True),
    ("ability a  forbid strike(self, bse)", True),
    ("ability a(make: Make)  forbid strike(self, mke: Bot)", False),
    ("status tuned(b: Bot, s: Side)\nability a(side: Side)  tuned(self, sid)", True),
    ("status tuned(b: Bot, s: Side)\nrule r cites BOOK \"9\"  tuned(b, tur)", True),
    ("status tuned(b: Bot, s: Side)\nrule r cites BOOK \"9\"  tuned(b, re)", True),
    # used, or near nothing
    ("ability a  forbid strike(slf, _) when slf.on", False),
    ("ability a  forbid strike(slf, t) when t = slf", False),
    ("ability a  lifts forbid from abilities of slf for strike(slf, _)", False),
    ("ability a  on load(slf) also sets slf.spent := true", False),
    ("ability a  forbid strike(b, _)", False),
    ("ability a  forbid strike(other, _)", False),
    ("rule r cites BOOK \"9\"  forbid strike(slf, _)", False),
    ("rule r cites BOOK \"9\"  forbid strike(striker, target)", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), STRAY)
def test_a_new_name_that_is_nearly_a_known_one(text: str, found: bool, tmp_path: Path) -> None:
    assert [d.code for d in found_in(tmp_path, text)] == (["unknown-name"] if found else [])


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("status tired(b: Bot)\nrule r cites BOOK \"9\"\n  tired(b) when cold(b)\n  cold(b) when tired(b)\n"
         "  cold(b) when b.onn",
         ["status-cycle", "unknown-field"]),
        ("ability a\n  permit at card strength strike(self, base)\n  forbid strike(self, bsae)\n"
         "event ping(b: Bot)\n  does ping(b)",
         ["event-cycle", "unknown-name"]),
        ("ability a\n  price strike(self, _) \"p\" when self.onn", ["unknown-field"]),
        ("var odd : Sied = red\ndefine d(b) = = b\naction rest(b: Bot)\n  requires can rest(b)",
         ["action-cycle", "syntax", "unknown-type"]),
    ],
)  # fmt: skip
def test_circles_are_told_with_all_other_errors(text: str, codes: list[str], tmp_path: Path) -> None:
    assert sorted(d.code for d in found_in(tmp_path, text)) == codes


@pytest.mark.parametrize("line", ["precedence card forbid >", "precedense card forbid > card permit"])
def test_a_precedence_that_cannot_be_read_is_not_missing(line: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        re.sub(r"^precedence .*$", line, prelude(PAGE.read_text(encoding="utf-8")), flags=re.MULTILINE),
        encoding="utf-8",
    )
    assert [d.code for d in load(tmp_path, cache=False).diagnostics] == ["syntax"]


HELPED = [
    ('rule r cites XYZ "1"\n  cold(b) when b.on', "Known: BOOK."),
    ('rule r cites BOOK 7.7 "1"\n  cold(b) when b.on', "Known: 2.0, 1.0."),
    ("ability q\n  permit at quux strength strike(self, base)", "Known: card, rule."),
    ("define d(b) = b.side = qq", "Known: red, blue."),
    ("define d(b) = qqqqqqq(b)", "Known: has, cold, heavy, d, strike, "),
    ("define d(b) = b.qqqqqqq", "lists all."),
    ("effect e  lifts ability qqqqqqq for strike(self, _)", "Known: swift."),
    ("invariant all b: Bot. b.makes", "Ask what is in it: `drone in …`, `… ≠ {}`."),
    ("invariant all b: Bot. b.partner", "Compare it: `… ≠ none`."),
    ("invariant all b: Bot. b.side", "Compare it with a value: `… = red`."),
    ("define d(b) = b.side = 3", "Write one of `red`, `blue`."),
    ("define d(b) = red.on", "Write it behind a Bot: `c.on`."),
    ('claim c always all b: Bot. forbidden strike(b, base) by BOOK "2.3"', "Did you mean `2.1`?"),
    ('source LEAF versions 1.0\nclaim c never forbidden strike(_, _) by LEAF "1"', "There is none yet"),
    ('claim c always all b: Bot. forbidden strike(b, base) by BOOK "1.2"', "Did you mean `1.1`?"),
]


@pytest.mark.parametrize(("text", "help"), HELPED)
def test_helps_name_what_there_is(text: str, help: str, tmp_path: Path) -> None:
    (only,) = found_in(tmp_path, text)
    assert help in only.help


@pytest.mark.parametrize(
    ("second", "found"),
    [
        ('cold(x) when x.side = red and x.on', True),
        ('cold(x) when x.on and x.side = red', True),
        ('cold(y) when not not (red = y.side and y.on)', True),
        ('cold(x) when x.side = red', False),
        ('cold(x) when x.side = blue and x.on', False),
        ('not cold(b) when b.side = red and b.on', False),
        ('forbid strike(b, c) when some d: Bot. d.partner = b', True),
        ('forbid strike(b, _) when some b2: Bot. b2.partner = b', True),
        ('forbid strike(b, _) when some d: Bot. d.partner = d', False),
        ('permit strike(b, _) when some d: Bot. d.partner = b', False),
        ('forbid strike(b, base) when some d: Bot. d.partner = b', False),
    ],
)  # fmt: skip
def test_doubled_clauses(second: str, found: bool, tmp_path: Path) -> None:
    first = "cold(b) when b.side = red and b.on\n  forbid strike(a, t) when some c: Bot. c.partner = a"
    text = f'rule one cites BOOK "8"\n  {first}\nrule two cites BOOK "9"\n  {second}'
    found_in(tmp_path, text)
    codes = [d.code for d in load(tmp_path, cache=False).diagnostics]
    assert codes == (["doubled-clause"] if found else [])


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("b.on and not b.on", True),
        ("b.side = red and b.side = blue", True),
        ("b.side ≠ red and b.side ≠ blue", True),
        ("b.side ≠ red and b.charge > 0", False),
        ("b.charge ≥ 2 and b.charge < 2", True),
        ("b.charge > 1 and b.charge < 3", False),
        ("b.charge > 3", True),
        ("b.side in {red} and not b.side in {red, blue}", True),
        ("b.on and (b.side = red and b.side = blue or not b.on and b.on)", True),
        ("b.on and (b.side = red or b.side = blue)", False),
        ("(some c: Bot. c.on) and not (some d: Bot. d.on)", True),
    ],
)
def test_unreachable_clauses(condition: str, found: bool, tmp_path: Path) -> None:
    found_in(tmp_path, f'rule one cites BOOK "9"\n  cold(b) when {condition}')
    codes = [d.code for d in load(tmp_path, cache=False).diagnostics]
    assert codes == (["unreachable-clause"] if found else [])


# ---------------------------------------------------------------- invariants


# A pattern of what stands in a file of the shipped model, and what stands there with the fault.
FAULTS = [
    ("400-zones.md", "for x: Card where x = c or x.element = c  resets x\n", "for x: Card where x = c  resets x\n"),
    (
        "400-zones.md",
        "for x: Card where x = c or x.element = c  resets x\n",
        "for x: Card where x = c or x.element = c  resets x except tapped\n",
    ),
    ("400-zones.md", r"    does     \w+\(.*\n(?=    for x: Card where x = c or x.element = c  resets x\n)", ""),
    (
        "801-evolution.md",
        "    sets    stays.element := none, stays.role := top\n",
        "    sets    stays.element := none\n",
    ),
]


@pytest.mark.parametrize("fault", FAULTS, ids=["leave-rest", "leave-tapped", "leave-attack", "leave-top"])
def test_faults_that_are_planted_into_the_shipped_model_are_found(fault: tuple[str, str, str], tmp_path: Path) -> None:
    import shutil

    from verify_rules.analysis import broken_invariants
    from verify_rules.model.load import shipped_model

    name, before, after = fault
    shutil.copytree(shipped_model(), tmp_path / "model", ignore=shutil.ignore_patterns("rulings"))
    file = tmp_path / "model" / name
    text = file.read_text(encoding="utf-8")
    text, places = re.subn(before, after, text)
    assert places == 1
    file.write_text(text, encoding="utf-8")
    loaded = load(tmp_path / "model", cache=False)
    assert loaded.model is not None
    assert not loaded.failed
    assert broken_invariants(loaded.model)


def test_the_shipped_model_breaks_no_invariant() -> None:
    from verify_rules.analysis import broken_invariants

    loaded = load(rulings=False)
    assert loaded.model is not None
    assert broken_invariants(loaded.model) == []
