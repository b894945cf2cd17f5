"""The printer's laws, on arbitrary trees and on the rulings that are given; comments; layout."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies_tree as trees
from verify_rules.diagnostics import Reporter
from verify_rules.parse import tree as t
from verify_rules.parse.build import RENAMED, Build
from verify_rules.parse.parser import Start, _parser, parse_file, parse_text
from verify_rules.parse.printer import format_file, print_expr, print_given, print_item
from verify_rules.source import SourceFile, discover, read_source

settings.register_profile(
    "printer", max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
LAW = settings(settings.get_profile("printer"))

ROOT = Path(__file__).parents[1]
SEED = ROOT / "../shared/acceptance/seed.md"


def parsed(text: str, start: Start = "item") -> Any:
    reporter = Reporter()
    tree = parse_text(text, start, "test", reporter)
    assert not reporter.diagnostics, f"{text}\n{reporter.diagnostics}"
    return tree


def block(*items: str) -> str:
    return "Prose.\n\n```rules\n" + "\n".join(items) + "\n```\n\nMore  prose. \n"


def formatted(text: str) -> str:
    reporter = Reporter()
    result = format_file(SourceFile("test.md", text), reporter)
    assert not reporter.diagnostics, reporter.diagnostics
    assert result is not None
    return result


def inside(text: str) -> str:
    return text.split("```rules\n")[1].split("\n```")[0]


def comments(text: str) -> Counter[str]:
    return Counter(m.group().rstrip() for m in re.finditer(r'"[^"\n]*"|--.*', text) if m.group().startswith("--"))


# ---------------------------------------------------------------- laws


def test_every_rule_of_the_grammar_is_built() -> None:
    for start in ("item", "question"):
        for rule in _parser(start).rules:
            name = rule.alias or rule.origin.name
            inlined = name.startswith("_") or (rule.alias is None and rule.options.expand1)
            assert inlined or hasattr(Build, RENAMED.get(name, name)), name


def test_names_are_safe() -> None:
    assert not set(trees.NAMES + trees.TYPES) & trees.grammar_words()


@pytest.mark.parametrize("kind", sorted(trees.ITEMS))
def test_parsing_inverts_printing(kind: str) -> None:
    @LAW
    @given(trees.ITEMS[kind])
    def law(item: t.Item) -> None:
        text = print_item(item)
        assert parsed(text) == item, text
        assert all(line == line.rstrip() for line in text.split("\n"))
        assert all(line[0] in " }" for line in text.split("\n")[1:] if line), text

    law()


@LAW
@given(trees.exprs)
def test_formulas_stand_on_one_line(expr: t.Expr) -> None:
    text = print_expr(expr)
    assert "\n" not in text
    assert parsed(text, "question") == t.ExpectFormula(expr), text


@LAW
@given(trees.givens)
def test_parsing_inverts_printing_of_given(tree: t.Given) -> None:
    text = print_given(tree)
    assert "\n" not in text
    assert parsed(text, "given") == tree, text


@LAW
@given(st.data(), st.lists(trees.items, min_size=1, max_size=3))
def test_formatting_keeps_trees_and_comments_and_is_idempotent(data: st.DataObject, items: list[t.Item]) -> None:
    text = block(*(data.draw(trees.commented(print_item(item))) for item in items))
    before = parse_file(SourceFile("test.md", text), Reporter())
    assert list(before.items) == items, text
    result = formatted(text)
    assert parse_file(SourceFile("test.md", result), Reporter()) == before
    assert comments(result) == comments(text), result
    assert formatted(result) == result
    assert result.startswith("Prose.\n\n```rules\n")
    assert result.endswith("\n```\n\nMore  prose. \n")


# ---------------------------------------------------------------- layout


@pytest.mark.skipif(not SEED.exists(), reason="the rulings that are given lie outside of this checkout")
def test_the_given_rulings_are_in_the_layout_already() -> None:
    text = SEED.read_text(encoding="utf-8")
    assert formatted(text) == text


@pytest.mark.parametrize("path", discover([ROOT / "models"]), ids=lambda path: path.name)
def test_models_are_in_the_layout_already(path: Path) -> None:
    text = read_source(path).text
    assert formatted(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a and (b and c) and d",
        "(a or b) and c",
        "a or b and c",
        "not (a and b) or not c",
        "not a = b",
        "(not a) = b",
        "a implies b implies c",
        "(a implies b) implies c",
        "a iff (b iff c)",
        "(some x: Card. a) and b",
        "a and some x: Card. b and c",
        "a and (some x in y.z. b) and c",
        "a + (b + c) - d",
        "a - -1",
        "(a + b).zone",
        "(if a then b else c) + 1",
        "if a then if b then c else x else y",
        "count(x: Card. x = a) ≥ 3 and (can attack(a, _)).zone",
        "(some x: Card. x)[y]",
        "forbidden in c.types and {forbidden} = c.types and forbidden attack(x, y) by R",
    ],
)
def test_parentheses_are_as_few_as_can_be(text: str) -> None:
    assert print_expr(parsed(text, "question").formula) == text


def test_operators_are_canonical() -> None:
    assert print_expr(parsed("((a)) != 1 and b<=2 and (c >= +3)", "question").formula) == "a ≠ 1 and b ≤ 2 and c ≥ 3"


def test_a_default_before_a_term_is_no_citation() -> None:
    text = 'var x : bool = (forbidden attack(a, b) by R) "term"'
    assert print_item(parsed(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "enum Player { me, opponent }",
        'enum Until { turn_end "end", start_of(Player) "start", never }',
        'ability speed_attacker "スピードアタッカー"  not sick(self)',
        "effect freed on Player  lifts sickness, card forbid for attack(a, player) when a.owner = self",
        'event tap(c: Card) "タップ"  requires not c.tapped',
        "event tap(c: Card)\n  requires not c.tapped\n  sets     c.tapped := true",
        "event f(c)\n  for x: Card where x in c  sets x.element := c\n  sets attacker := c",
        "event f(c)\n  for x: Card\n    resets x except zone\n    sets   x.zone := y\n  for x: Card  resets x",
        'event f(c)\n  rule a "t"  cites CR "1"\n    sets c.a := b\n  rule b\n    sets c.b := a\n  resets c',
        "event f(c)\n  sets a := b when c,\n       b := c",
        'rule sickness "sick"  cites CR "301.5"\n  sick(c) when creature(c)\n  forbid attack(a, _) when sick(a)',
        "reading seals { runs (default), stops }",
        "kind Card {\n  owner     : Player = me\n  var ab, c : int 0..9 = 3 of creature clock\n}",
        'ruling a-b "t"\n  cites "x" url "y" dated 2020-01-01\n  since 2020-01-01\n  out of scope "z"',
        "scenario a\n  cards\n    x  : creature with a, b(c) of opponent in play tapped under yy\n    yy : forbidden",
        'rule r  cites CR "1", "2", CR 1.40 "3", "4", FAQ "5"\n  a(b)',
        'claim a "t"  always all c: Card. sick(c)',
        'card "カード"  cites CR "1" : creature with a { power = 7000 } text "t"',
    ],
)
def test_layout(text: str) -> None:
    assert print_item(parsed(text)) == text
    assert inside(formatted(block(text.replace(" ", "  ").replace("\n    ", "\n   ")))) == text


def test_long_lines_are_broken_where_they_may_be() -> None:
    long = " and ".join(f"has_attacked_this_turn(a{i}, player)" for i in range(5))
    assert print_item(parsed(f"rule r\n  sick(c) when {long}")) == (
        "rule r\n  sick(c)\n    when has_attacked_this_turn(a0, player)"
        + "".join(f"\n      and has_attacked_this_turn(a{i}, player)" for i in range(1, 5))
    )
    names = ", ".join(f"creature_type_{i}" for i in range(12))
    assert print_item(parsed(f"enum E {{{names}}}")) == (
        "enum E {\n  "
        + ", ".join(f"creature_type_{i}" for i in range(6))
        + ",\n  "
        + ", ".join(f"creature_type_{i}" for i in range(6, 12))
        + "\n}"
    )


# ---------------------------------------------------------------- parts of an event


def test_what_follows_a_for_or_a_rule_belongs_to_the_event() -> None:
    event = parsed(
        "event f(c)\n  for x: Card  resets x\n  sets a := b\n  rule r\n    sets a := c\n  rule q\n  resets c"
    )
    assert [type(part).__name__ for part in event.parts] == ["ForEach", "Sets", "Group", "Group", "Resets"]
    assert [len(part.parts) for part in event.parts if isinstance(part, t.ForEach | t.Group)] == [1, 1, 0]
    assert [(part.span.line, part.span.end_line) for part in event.parts] == [(2, 2), (3, 3), (4, 5), (6, 6), (7, 7)]


def test_what_is_deeper_than_a_for_or_on_its_line_belongs_to_it() -> None:
    event = parsed("event f(c)\n  for x: Card  resets x sets a := b\n   sets b := c")
    assert [len(part.parts) for part in event.parts] == [3]
    group = parsed("event f(c)\n  rule r requires a\n    rule q requires b\n    requires c").parts[0]
    assert [type(part).__name__ for part in group.parts] == ["Requires", "Group", "Requires"]


# ---------------------------------------------------------------- comments


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # between items
        ("game \"a\"\n-- below\nrule b", "game \"a\"\n-- below\nrule b"),
        ("-- first\n\n\n\ngame \"a\"\n  -- above\n-- below\n\nrule b\n-- last", None),
        ("game \"a\"\n-- below\n  -- also below\nrule b", "game \"a\"\n-- below\n-- also below\nrule b"),
        # behind a line, before a line
        ("rule r   -- head\n  a(b)-- clause\n     -- before\n  b(c)   -- last",
         "rule r  -- head\n  a(b)  -- clause\n  -- before\n  b(c)  -- last"),
        # the same column for neighbours
        ("scenario a\n  cards\n    x : b -- one\n    y : c in play -- two\n  script\n    f(x)",
         "scenario a\n  cards\n    x : b          -- one\n    y : c in play  -- two\n  script\n    f(x)"),
        # what could stand on one line stands on more, for the comment's sake
        ("enum E { a, -- one\n b }", "enum E {\n  a,  -- one\n  b\n}"),
        ("ability a -- why\n not sick(self)", "ability a  -- why\n  not sick(self)"),
        ("rule r\n  a(b) when c -- one\n and b -- two",
         "rule r\n  a(b)\n    when c  -- one\n      and b  -- two"),
        # there is no place for it: before the line that it stands in, or the next to it
        ("rule r\n  forbid -- here\n    a(b)", "rule r\n  forbid a(b)  -- here"),
        ("rule r\n  forbid -- one\n    a(b) -- two", "rule r\n  -- one\n  forbid a(b)  -- two"),
        ("rule -- one\n  r -- two\n  a(b)", "-- one\nrule r  -- two\n  a(b)"),
        # braces and keywords
        ("kind K { -- open\n  a : bool -- a\n  -- end\n}-- closed",
         "kind K {  -- open\n  a : bool  -- a\n  -- end\n}  -- closed"),
        ("ruling r -- name\n  -- from\n  cites \"a\" -- origin\n  cards -- cards\n    x : y\n"
         "  -- go\n  script -- script\n    f(x)",
         "ruling r  -- name\n  -- from\n  cites \"a\"  -- origin\n  cards      -- cards\n    x : y\n"
         "  -- go\n  script  -- script\n    f(x)"),
        # no comments
        ("game \"a -- b\" -- c \" d", "game \"a -- b\"  -- c \" d"),
        # empty lines
        ("scenario a\n\n\n  script\n    f(x)\n\n\n    -- g\n    g(x)\n\n    -- end\n\n\nrule b\nrule c",
         "scenario a\n\n  script\n    f(x)\n\n    -- g\n    g(x)\n\n    -- end\n\nrule b\nrule c"),
    ],
)  # fmt: skip
def test_comments(text: str, expected: str | None) -> None:
    result = inside(formatted(block(text)))
    if expected is not None:
        assert result == expected
    assert comments(result) == comments(text)
    assert inside(formatted(block(result))) == result


# ---------------------------------------------------------------- files


def test_prose_and_other_blocks_stay() -> None:
    text = (
        "# Title  \n\n```python\nrule   r\n```\n\n- item\n\n  ```rules\n  rule   r\n     a( b )  -- c\n\n  game \"x\"\n"
        "  ```\n~~~rules\n\nrule   q\n\n~~~\n```rules\n-- nothing   \n\n\n```\n```rules\n```\ntail\n\n\n"
    )  # fmt: skip
    assert formatted(text) == (
        "# Title  \n\n```python\nrule   r\n```\n\n- item\n\n  ```rules\n  rule r\n    a(b)  -- c\n\n  game \"x\"\n"
        "  ```\n~~~rules\nrule q\n~~~\n```rules\n-- nothing   \n\n\n```\n```rules\n```\ntail\n\n\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        block("rule   r", "rule {"),
        block("  rule r"),
        "```rules\nrule r\n",
        block("rule r since 2020-02-30"),
    ],
)
def test_nothing_is_changed_where_there_are_errors(text: str) -> None:
    reporter = Reporter()
    assert format_file(SourceFile("test.md", text), reporter) is None
    assert reporter.failed


def test_what_the_tree_has_no_place_for_is_not_dropped() -> None:
    reporter = Reporter()
    text = block('ruling a cites "x"', '  url "one"', '  url "two"')
    assert format_file(SourceFile("test.md", text), reporter) is None
    assert [(d.code, d.span.line, d.span.column) for d in reporter.diagnostics] == [("duplicate", 6, 3)]


def test_unknown_steps_of_given_are_an_error() -> None:
    reporter = Reporter()
    assert parse_text("x : creature; step ?", "given", "test", reporter) is None
    assert reporter.failed
