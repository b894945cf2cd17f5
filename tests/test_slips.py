"""Slips that people make when they write their first boards, questions and rulings, and the help that each gets."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from verify_rules.cli.exits import Exit
from verify_rules.cli.main import run
from verify_rules.diagnostics import suggestion
from verify_rules.parse.slips import plain, with_parentheses
from verify_rules.report import jsons

FRESH = "x : creature; enter(x)"
ORDER = "The order is `NAME : TYPE, … with ABILITY, … of OWNER in play FLAG … under NAME { field = value }`."


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Models are kept for the tests of this file, not in the folder of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIFY_RULES_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """What `ask` does."""
    capsys.readouterr()
    code = run(["ask", *arguments])
    out, err = capsys.readouterr()
    for name in re.findall(r"(?:called|find|no) `([^`]+)`", err):
        assert f"Did you mean `{name}`?" not in err, "suggests the word itself"
    return code, out, err


@pytest.mark.parametrize(
    ("given", "helped"),
    [
        # names in Japanese
        ("x : クリーチャー; enter(x)", ["names are in Latin letters", "Did you mean `creature`?"]),
        ("x : サイキック・クリーチャー; enter(x)", ["Did you mean `psychic`?"]),
        ("x : creature with スピードアタッカー; enter(x)", ["Did you mean `speed_attacker`?"]),
        ("x : creature with スピードアタッカ; enter(x)", ["Did you mean `speed_attacker`?"]),
        ("x : creature with ガードマン; enter(x)", ["Did you mean `guardman` or `guard`?"]),
        ("x : creature of 相手; enter(x)", ["Did you mean `opponent`?"]),
        ("x : ボルシャック; enter(x)", ["names are in Latin letters", "stands in quotes"]),
        ("ボルシャック : creature; enter(x)", ["names are in Latin letters", "letters a to z"]),
        # characters of other sorts
        ("x ： creature; enter(x)", ["`：` (fullwidth colon) can't stand here", "Write `:` for `：`."]),
        ("x : creature； enter(x)", ["Write `;` for `；`."]),
        ("x : creature; enter（x）", ["Write `(` for `（` and `)` for `）`."]),
        ("x : creature， psychic; enter(x)", ["(fullwidth comma)", "Write `,` for `，`."]),
        ("x : “ボルシャック”; enter(x)", ["left double quotation mark", 'Write `"` for `“` and `"` for `”`.']),
        ("x : 「ボルシャック」; enter(x)", ['Write `"` for `「` and `"` for `」`.']),
        ("ｘ : creature; enter(x)", ["Write `x` for `ｘ`."]),
        # the order of a card's words
        ("x : creature in play with speed_attacker", ["`with` stands before `in play`", ORDER]),
        ("x : creature in play of opponent", ["`of` stands before `in play`", ORDER]),
        ("x : creature of opponent with speed_attacker", [ORDER]),
        ("x : creature tapped in play", ["`tapped` stands behind `in play`.", ORDER]),
        ("x : creature, y : creature tapped", ["`tapped` stands behind `in play`.", ORDER]),
        ("x : creature psychic in play", ["put a comma between them: `creature, psychic`", ORDER]),
        ("x : in play", ["A type comes first.", ORDER]),
        ("x : of opponent in play", ["A type comes first.", ORDER]),
        ("x : creature { power = 3000 } in play", [ORDER]),
        # steps
        ("x : creature; end_turn", ["Write `end_turn()`."]),
        ("x : creature; end_turn; enter(x)", ["Write `end_turn()`."]),
        ("x : creature; enter x", ["Write `enter(x)`."]),
        ("x : creature; enter x; end_turn()", ["Write `enter(x)`."]),
        ("x, y : creature; attack x player", []),
        ("x : creature; attack x player", ["Write `attack(x, player)`."]),
        ("x : creature; enter", ["Write `enter(c)`."]),
        ("x : creature; enter(x); can attack(x, player)", ["This is a question", '`"can attack(x, player)"`']),
        ("x : creature; enter(x); x.tapped", ["This is a question"]),
        ("x : creature; enter(x); sick(x)", ["`sick` is a status, and doesn't happen", "`expect sick(…)`"]),
        ("x : creature; step ?", ["unknown steps aren't searched yet", "Write the steps"]),
        ("x : creature; enter(x); steps ? up to 3", ["`steps ?` can't stand here: unknown steps"]),
        # large and small letters
        ("x : creature; enter(X)", ["Did you mean `x`?"]),
        ("x : CREATURE; enter(x)", ["Did you mean `creature`?"]),
        ("x : creature; ENTER(x)", ["Did you mean `enter`?"]),
    ],
)
def test_boards(given: str, helped: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = asked(capsys, "--given", given, "sick(x)")
    assert code == Exit.USAGE
    assert out == ""
    assert [x for x in helped if x not in err] == [], err


@pytest.mark.parametrize(
    ("question", "helped"),
    [
        ("can 攻撃(x, player)", "Did you mean `attack`?"),
        ("can attack（x, player)", "Write `(` for `（`."),
        ("can attack(x、player)", "Write `,` for `、`."),
        ("can attack x player", "Write `attack(x, player)`."),
        ("can attack x, player", "Write `attack(x, player)`."),
        ("can attack", "Write `attack("),
        ("attack", "`attack` is something that happens: ask `can attack(…)`."),
        ("sick", "`sick` is a status: ask `sick(…)`."),
        ("x is sick", "Write `sick(x)`."),
        ("x is creature", "Write `creature(x)`."),
        ("x is tapped", "Write `x.tapped`."),
        ("x is dragon", "Write `dragon in x.races`."),
        ("x is opponent", "Write `x.owner = opponent`."),
        ("expect sick(x)", "Leave `expect` out: `sick(x)`."),
        ("sick(x)?", "Leave `?` out: `sick(x)`."),
        ("can attack(x, player)？", "Leave `？` out: `can attack(x, player)`."),
        ("expect sick(x) ?", "Leave `expect` and `?` out: `sick(x)`."),
        ("some c: Card.sick(c)", "Put a space behind it: `c: Card. sick…`."),
        ("seal = clock_runs", "ask `seals = clock_runs`."),
        ("can attack(x, opponent)", "A Target is a Card or `player`."),
        ("can attack(x, Player)", "Did you mean `player`?"),
        ("Sick(x)", "Did you mean `sick`?"),
    ],
)
def test_questions(question: str, helped: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = asked(capsys, "--given", FRESH, question)
    assert code == Exit.USAGE
    assert out == ""
    assert helped in err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("can attack(x, player)", '"can attack(x, player)"'),
        ("can attack x player", '"can attack(x, player)"'),
        ("need not attack x _", '"need not attack(x, _)"'),
        ("sick(x) and creature(x)", '"sick(x) and creature(x)"'),
        ('forbidden attack(x, player) by CR "301.5"', "'forbidden attack(x, player) by CR \"301.5\"'"),
    ],
)
def test_a_question_without_quotes(words: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = asked(capsys, "--given", FRESH, *words.split(" "))
    assert code == Exit.USAGE
    assert f"put the question in quotes: verify-rules ask --given … {meant}" in err


def test_several_questions_are_several(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "--given", FRESH, "sick(x)", "creature(x)")[0] == Exit.WELL
    assert "put the question in quotes" not in asked(capsys, "--given", FRESH, "sick(x", "creature(x)")[2]


RULING = 'ruling mine "t" cites "CR 301.5"\n  cards\n    x : creature\n  script\n    enter(x)\n    '


@pytest.mark.parametrize(
    ("text", "line", "helped"),
    [
        (RULING + "can attack(x, player)", 7, "Write `expect can attack(x, player)`."),
        (RULING + "need not attack(x, _)  -- why", 7, "Write `expect need not attack(x, _)`."),
        (RULING + "not sick(x)", 7, "Write `expect not sick(x)`."),
        (RULING + "x.tapped", 7, "Write `expect x.tapped`."),
        (RULING + "sick(x)", 7, "`expect sick(…)`"),
        (RULING + "end_turn\n    expect sick(x)", 7, "Write `end_turn()`."),
        (RULING + "end_turn", 7, "Write `end_turn()`."),
        (RULING + "tap x\n    expect sick(x)", 7, "Write `tap(x)`."),
        (RULING + "expct sick(x)", 7, "Did you mean `expect`"),
        (RULING + "expect x is sick", 7, "Write `sick(x)`."),
        (RULING.replace("creature", "クリーチャー"), 4, "Did you mean `creature`?"),
        (RULING.replace("creature", "creature in play with blocker"), 4, ORDER),
        (RULING.replace("creature", "creature blocker in play"), 4, "`creature, blocker`"),
        (
            RULING.replace("creature", "creature\n    y creature"),
            5,
            "A card begins with its name and a colon: `y : …`.",
        ),
        (RULING.replace('"t"', "“t”"), 2, 'Write `"` for `“` and `"` for `”`.'),
        (RULING.replace("mine", "my first ruling"), 2, "join the words with hyphens, `my-first-ruling`"),
        (RULING.replace("mine", "最初"), 2, "names are in Latin letters"),
        (RULING.replace('"CR 301.5"', 'CR "301.5"'), 2, '`cites "CR 301.5"`'),
        (RULING.replace('"CR 301.5"', 'CR 1.40 "301.5"'), 2, '`cites "CR 301.5"`'),
        ('ability mine "m" cites "CR 301.5"\n  not sick(self)', 2, '`cites CR "301.5"`'),
        ("ability mine\n  permit attack(self, _) if self.tapped", 3, "Did you mean `when`?"),
        ("ability mine\n  not sick(self) where self.tapped", 3, "Did you mean `when`?"),
        ("ability mine\n  lifts cannot_attack_player for attack(self, _)", 3, "Write `ability cannot_attack_player`"),
        ("ability mine\n  lifts ability sicknes for attack(self, _)", 3, "Did you mean `sickness`?"),
        ("ability mine\n  lifts rule_of_all for attack(self, _)", 3, "Known: "),
        (RULING + "expect sick(x) since", 7, "Dates stand above the `cards`: `since 2024-01-31`."),
        (RULING + "expect x.tapped now\n    expect sick(x)", 7, "Join formulas with `and`"),
        (RULING + "expect all c: Card.creature(c)", 7, "Put a space behind it: `c: Card. creature…`."),
        ('裁定 mine "t"', 2, "Items begin with a word of the language"),
    ],
)
def test_files(text: str, line: int, helped: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.md"
    file.write_text(f"```rules\n{text}\n```\n", encoding="utf-8")
    assert run(["audit", str(file)]) == Exit.MODEL_ERRORS
    err = capsys.readouterr().err
    assert helped in err
    assert f"mine.md:{line}:" in err
    assert err.count("error[") == 1


def test_a_block_that_is_never_closed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.md"
    file.write_text(f"```rules\n{RULING}\n", encoding="utf-8")
    assert run(["audit", str(file)]) == Exit.MODEL_ERRORS
    assert "a line that is nothing but three backticks, ```." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reading", "helped"),
    [
        ("seals=clock_stop", "clock_runs, clock_stops. Did you mean `clock_stops`?"),
        ("seals=CLOCK_STOPS", "Did you mean `clock_stops`?"),
        ("seal=clock_stops", "Did you mean `seals`?"),
        ("moon=full", "there is no reading `moon`. There are: seals, "),
    ],
)
def test_readings(reading: str, helped: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = asked(capsys, "--given", FRESH, "sick(x)", "--reading", reading)
    assert code == Exit.USAGE
    assert helped in err


OWN = 'ability runs "走る"\n  not sick(self)\n\ncard "Hare" : creature with runs\n'


def test_a_board_with_the_cards_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.md"
    file.write_text(f"```rules\n{OWN}```\n", encoding="utf-8")
    for card in ('"Hare"', "creature with runs"):
        code, out, err = asked(capsys, str(file), "--given", f"x : {card}; enter(x)", "sick(x)", "creature(x)")
        assert (code, err) == (Exit.WELL, "")
        assert out.startswith("sick(x): no\n")
        assert "creature(x): yes\n" in out
    assert "there is nothing to ask" in asked(capsys, str(file), "--given", FRESH)[2]
    assert "there is no file `none.md`" in asked(capsys, "none.md", "--given", FRESH, "sick(x)")[2]
    assert "either that of --given or" in asked(capsys, str(file), "--given", FRESH, "sick(x)", "--ruling", "x")[2]
    assert run(["ask", "--help"]) == Exit.WELL
    assert "the cards and abilities of FILE" in " ".join(capsys.readouterr().out.split())


def test_a_question_too_long_for_the_name_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    long = " and ".join(["sick(x)"] * 99)
    assert asked(capsys, "--given", FRESH, long)[0] == Exit.WELL
    assert "there is no file" in asked(capsys, long, long)[2]


@pytest.mark.parametrize("arguments", [["--given", "x : creture", "sick(x)"], ["--given", FRESH, "sick(x", "sik(x)"]])
def test_errors_as_json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = asked(capsys, *arguments, "--format", "json")
    assert code == Exit.USAGE
    result = json.loads(out)
    Draft202012Validator(jsons.schema("check")).validate(result)
    assert len(result["findings"]) == err.count("error[") > 0
    assert asked(capsys, *arguments)[1] == ""


def test_check_counts_what_is_of_one_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check"]) == Exit.WELL
    said = capsys.readouterr().out
    counts = re.search(
        r"(\d+) rules, (\d+) abilities, (\d+) effects, (\d+) clauses in them, .* \(\d+ rules inside\)", said
    )
    assert counts is not None
    assert int(counts[4]) >= int(counts[1]) + int(counts[2])


@pytest.mark.parametrize("command", [["ask", "--given", FRESH, "sick(x)"], ["check"]])
def test_a_day_before_the_oldest_rulebook(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "--as-of", "1999-01-01"]) == Exit.WELL
    assert "note: the oldest version of CR that the model knows is" in capsys.readouterr().err
    assert run([*command, "--as-of", "2024-05-01"]) == Exit.WELL
    assert "note" not in capsys.readouterr().err


CLAIM = 'claim mine "m" always all c: Card. creature(c)\n'


def test_a_ruling_for_a_stage_that_shows_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.md"
    file.write_text(f"```rules\n{CLAIM}```\n", encoding="utf-8")
    assert run(["dump", "--stage", "model", "--ruling", "mine", str(file)]) == Exit.USAGE
    assert "--ruling goes with --stage terms or smt2" in capsys.readouterr().err
    assert run(["dump", "--stage", "terms", "--ruling", "mine", str(file)]) == Exit.UNDECIDED
    assert "`mine` is a claim" in capsys.readouterr().err


INTERRUPTED = """\
import sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
from verify_rules.__main__ import main
main()
"""


def test_an_interruption_while_the_program_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (Exit.INTERRUPTED, "", "interrupted\n")


def test_suggestions() -> None:
    assert suggestion("X", ["x", "y"]) == "Did you mean `x`?"
    assert suggestion("fire", ["fire"]) == ""
    assert suggestion("fire", ["fire", "fired"]) == "Did you mean `fired`?"
    assert suggestion("moon", ["fire"]) == ""


def test_plain_forms() -> None:
    assert [plain(x) for x in ("：", "“", "（", "ｘ１", "　", "：x")] == [":", '"', "(", "x1", " ", ":x"]
    assert [plain(x) for x in ("", "x", "≠", "ボ", "…x")] == ["", "", "", "", "...x"]


def test_questions_in_words() -> None:
    assert with_parentheses("must fire a b") == "must fire(a, b)"
    assert with_parentheses("heavy a") == "heavy(a)"
    assert with_parentheses("heavy") == ""
