"""The command line: every command and option, every exit code, and what a user's mistake is answered with."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from toy import ROBOTS
from verify_rules import __version__
from verify_rules.cli.exits import Exit
from verify_rules.cli.main import COMMANDS, run

ROOT = Path(__file__).resolve().parent.parent
ACCEPTANCE = ROOT.parent / "shared" / "acceptance"

FRESH = "x : creature; enter(x)"
# A tap ability is open where there's nothing to attack (reading `could_attack`).
OPEN = "x : creature with tap_ability, cannot_attack_player; begin_turn(opponent); begin_turn(me); enter(x)"


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Models are kept for the tests of this file, not in the folder of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIFY_RULES_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@dataclass(frozen=True)
class Done:
    """What a command did."""

    code: int
    out: str
    err: str


Call = Callable[..., Done]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls the command line in this process."""

    def calling(*arguments: object) -> Done:
        capsys.readouterr()
        code = run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err or code == Exit.BUG
        return Done(int(code), out, err)

    return calling


def process(*arguments: object, cwd: Path | None = None, **environment: str) -> Done:
    """Calls the command line in a process of its own."""
    command = [sys.executable, "-m", "verify_rules.cli.main", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | environment, capture_output=True, encoding="utf-8", check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


def python(code: str, cwd: Path | None = None) -> Done:
    """Runs a few lines of Python in a process of their own."""
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def without_solver(arguments: list[str]) -> str:
    """Python code that runs a command and sees to it that nothing was loaded that it doesn't need."""
    return f"""
import sys
from verify_rules.cli.main import run
assert run({arguments!r}) == 0
heavy = [m for m in sys.modules if m.split(".")[0] in ("z3", "clingo", "rich", "pytest")]
assert not heavy, heavy
"""


def rules(text: str) -> str:
    """A model file with one block."""
    return f"# A file\n\nSome prose.\n\n```rules\n{text.strip()}\n```\n"


def ruling(script: str, name: str = "mine", cards: str = "x : creature", head: str = "") -> str:
    """A ruling with these lines in its script."""
    lines = "\n".join(f"    {line.strip()}" for line in script.strip().split("\n"))
    return f'ruling {name} "what it says" cites "a letter" {head}\n  cards\n    {cards}\n  script\n{lines}\n'


GOOD = ruling("enter(x)\nexpect sick(x)\nexpect cannot attack(x, player)")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Writes a file into the working folder, which is empty, and returns its name."""
    monkeypatch.chdir(tmp_path)

    def writing(text: str, name: str = "mine.md") -> str:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(rules(text), encoding="utf-8")
        return name

    return writing


File = Callable[..., str]

# ---------------------------------------------------------------- help, version, unknown words


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []], ids=["help", "h", "none"])
def test_help_lists_commands_examples_and_exit_codes(call: Call, arguments: list[str]) -> None:
    done = call(*arguments)
    assert done.code == (Exit.WELL if arguments else Exit.USAGE)
    text = done.out + done.err
    assert all(f"\n  {name} " in text for name in COMMANDS)
    assert "Examples:\n    verify-rules ask --given" in text
    for code in Exit:
        assert code == Exit.UNREAD or f"\n    {code.value:<4} " in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_examples(call: Call, command: str) -> None:
    done = call(command, "--help")
    assert done.code == Exit.WELL
    assert "Examples:\n    verify-rules " + command in done.out
    assert "Options:" in done.out
    for line in done.out.split("\n"):
        assert len(line) <= 120
    assert call(command, "-h").out == done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_is_explained(call: Call, command: str) -> None:
    text = call(command, "--help").out.split("Options:\n")[1]
    lines = [line for line in text.split("\n") if line.strip()]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.lstrip().startswith("-"):
            assert "  " in line.strip() or not following.lstrip().startswith("-"), f"{line} isn't explained"


def test_version(call: Call) -> None:
    assert call("--version").out == f"verify-rules, version {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["asks"], "there is no command `asks`. Did you mean `ask`?"),
        (["adit"], "Did you mean `audit`?"),
        (["nonsense"], "there is no command `nonsense`."),
        (["ask", "--givn", FRESH, "sick(x)"], "Did you mean '--given'?"),
        (["audit", "--formt", "json"], "Did you mean '--format'?"),
        (["ask", "--given", FRESH, "sick(x)", "--format", "yaml"], "'yaml' is not one of 'text', 'json'"),
        (["ask", "--given", FRESH, "sick(x)", "--lang", "de"], "'de' is not one of 'en', 'ja'"),
        (["ask", "--given", FRESH, "sick(x)", "--as-of", "soon"], "`soon` is no date; write it as 2026-04-10"),
        (["ask", "--given", FRESH, "sick(x)", "--as-of", "2026-02-30"], "is no date"),
        (["ask", "--given", FRESH, "sick(x)", "--reading", "seal=clock_runs"], "Did you mean `seals`?"),
        (["ask", "--given", FRESH, "sick(x)", "--reading", "seals=x"], "one of: clock_runs, clock_stops"),
        (["ask", "--given", FRESH, "sick(x)", "--reading", "seals"], "Write seals=clock_runs"),
        (["ask", "--given", FRESH, "sick(x)", "--expect", "maybe"], "'maybe' is not one of"),
        (["ask"], 'verify-rules ask --given "x : creature; enter(x)"'),
        (["ask", "--given", FRESH], "there is nothing to ask"),
        (["dump"], "say which stage"),
        (["dump", "--stage", "trees"], "'trees' is not one of"),
        (["dump", "--stage", "terms"], "name a ruling with --ruling"),
        (["dump", "--stage", "terms", "--ruling", "case-01-plane"], "Did you mean `case-01-plain`?"),
        (["dump", "--schema", "prove"], "'prove' is not one of"),
        (["fmt"], "Missing argument"),
    ],
    ids=lambda x: " ".join(x[:3] + x[-1:]) if isinstance(x, list) else None,
)
def test_wrong_usage(call: Call, arguments: list[str], told: str) -> None:
    done = call(*arguments)
    assert done.code == Exit.USAGE
    assert told in done.err
    assert done.out == ""


@pytest.mark.parametrize("command", ["ask", "audit", "check", "dump --stage tree", "fmt"])
def test_a_file_that_is_not_there(call: Call, file: File, command: str) -> None:
    file(GOOD, "rulings.md")
    words = command.split()
    question = ["sick(x)"] if command == "ask" else []
    done = call(*words, "ruling.md", *question)
    assert done.code == Exit.USAGE
    assert "there is no file" in done.err
    assert "ruling.md" in done.err
    if command in ("audit", "check"):
        assert "Did you mean `rulings.md`?" in done.err
    assert call(*words, "no/where.md", *question).code == Exit.USAGE


def test_a_forgotten_given_is_explained(call: Call) -> None:
    done = call("ask", "can attack(x, player)", "sick(x)")
    assert done.code == Exit.USAGE
    assert "describe the board with --given" in done.err


# ---------------------------------------------------------------- ask


def test_ask_answers_with_the_rule_and_its_place(call: Call) -> None:
    done = call("ask", "--given", FRESH, "can attack(x, player)")
    assert done.code == Exit.WELL
    assert done.err == ""
    assert done.out.startswith("can attack(x, player): no\n")
    assert 'CR "301.5"' in done.out
    assert "(duel-masters/301-creatures.md:" in done.out
    assert "since step 1, enter(x)" in done.out


def test_ask_several_questions_in_order(call: Call) -> None:
    done = call("ask", "--given", FRESH, "sick(x)", "can attack(x, _)", "x.power = 1000", "--format", "json")
    found = [(a["question"], a["answer"]) for a in json.loads(done.out)["answers"]]
    assert found == [("sick(x)", "yes"), ("can attack(x, _)", "no"), ("x.power = 1000", "yes")]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("can attack(x, player)", "no"),
        ("cannot attack(x, player)", "yes"),
        ("must attack(x, _)", "no"),
        ("need not attack(x, _)", "yes"),
        ("forbidden attack(x, player)", "yes"),
        ("forbidden attack(x, player) by sickness", "yes"),
        ('forbidden attack(x, player) by CR "301.5"', "yes"),
        ("forbidden attack(x, player) by targets", "no"),
        ("not permitted attack(x, player)", "no"),
        ("possible leave(x)", "yes"),
        ("impossible enter(x)", "yes"),
        ("impossible enter(x) by entering", "yes"),
        ("sick(x) and creature(x)", "yes"),
        ("some c: Card. sick(c)", "yes"),
        ("count(c: Card. sick(c)) >= 2", "no"),
        ("open sick(x)", "no"),
    ],
)
def test_ask_every_kind_of_question(call: Call, question: str, answer: str) -> None:
    done = call("ask", "--given", FRESH, question)
    assert done.code == Exit.WELL
    assert done.out.startswith(f"{question}: {answer}\n")


def test_ask_what_is_open(call: Call) -> None:
    sealed = "x : creature; enter(x); seal(x); begin_turn(opponent); begin_turn(me); unseal(x)"
    done = call("ask", "--given", sealed, "sick(x)", "open sick(x)")
    first, second = done.out.split("open sick(x): ")
    assert first.startswith("sick(x): depends\n")
    assert second.startswith("yes\n")
    for text in (first, second):
        assert re.search(r"^  open point `seals`: .+\?$", text, re.MULTILINE)
        assert re.search(r"^  if seals = clock_runs \(.+\): no$", text, re.MULTILINE)
        assert re.search(r"^  if seals = clock_stops \(.+\): yes$", text, re.MULTILINE)
    done = call("ask", "--given", sealed, "sick(x)", "open sick(x)", "--reading", "seals = clock_stops")
    assert "sick(x): yes\n" in done.out
    assert "open sick(x): no\n" in done.out


@pytest.mark.parametrize(
    ("given", "question", "answer"),
    [
        (FRESH, "sick(x)", "yes"),
        (FRESH, "not sick(x)", "no"),
        ("x : creature; enter(x); enter(x)", "sick(x)", "impossible"),
        ("x : creature; enter(x); seal(x); begin_turn(me); unseal(x)", "sick(x)", "depends"),
    ],
)
def test_ask_expect(call: Call, given: str, question: str, answer: str) -> None:
    for expected in ("yes", "no", "depends", "impossible"):
        done = call("ask", "--given", given, question, "--expect", expected)
        assert done.code == (Exit.WELL if expected == answer else Exit.FINDING)
        assert done.out.startswith(f"{question}: {answer}\n")


def test_ask_expect_of_several_questions_means_each(call: Call) -> None:
    assert call("ask", "--given", FRESH, "sick(x)", "not sick(x)", "--expect", "yes").code == Exit.FINDING
    assert call("ask", "--given", FRESH, "sick(x)", "creature(x)", "--expect", "yes").code == Exit.WELL


def test_ask_as_of(call: Call) -> None:
    given = ("ask", "--given", "x : dragheart_super; enter(x)", "sick(x)")
    assert call(*given).out.startswith("sick(x): no\n")
    assert call(*given, "--as-of", "2025-10-17").out.startswith("sick(x): no\n")
    assert call(*given, "--as-of", "2025-10-16").out.startswith("sick(x): yes\n")
    assert json.loads(call(*given, "--as-of", "2020-01-01", "--format", "json").out)["model"]["as_of"] == "2020-01-01"


def test_ask_in_japanese(call: Call) -> None:
    done = call("ask", "--given", FRESH, "can attack(x, player)", "sick(x)", "--lang", "ja")
    assert done.code == Exit.WELL
    assert done.out.startswith("can attack(x, player)：いいえ\n  attack(x, player)：禁止\n    根拠：sickness")
    assert "理由：xは召喚酔いである" in done.out
    assert "xはターンのはじめからいるわけではない — 手順1の enter(x) から" in done.out
    assert "次に優先する：targets" in done.out
    assert "「スピードアタッカー」、" in done.out
    assert not any(word in done.out for word in ("because", "stronger", "step", ": "))


def test_ask_all_shows_what_is_left_out_otherwise(call: Call) -> None:
    short = call("ask", "--given", FRESH, "sick(x)").out
    long = call("ask", "--given", FRESH, "sick(x)", "--all").out
    assert "more (--all)" in short
    assert "more (--all)" not in long
    assert len(long.split("\n")) > len(short.split("\n"))
    assert "psychic_super_not_sick" in long


def test_ask_about_a_step_that_cannot_happen(call: Call) -> None:
    done = call("ask", "--given", "x : creature; enter(x); enter(x)", "sick(x)")
    assert done.code == Exit.WELL
    assert done.out.startswith("sick(x): impossible\n  step 2, enter(x), can't happen  (--given:1)\n")
    assert "“the card is not in the battle zone”" in done.out


def test_ask_about_a_board_that_cannot_be(call: Call) -> None:
    done = call("ask", "--given", "x : creature in play awakened", "sick(x)")
    assert done.code == Exit.WELL
    assert done.out.startswith("sick(x): impossible\n  the board can't be: awaken(x) can't happen")


def test_ask_a_ruling_of_a_file(call: Call, file: File) -> None:
    name = file(GOOD)
    assert call("ask", name, "sick(x)").out.startswith("sick(x): yes\n")
    assert "since step 1, enter(x)" in call("ask", name, "sick(x)").out
    scenario = file(GOOD.replace('ruling mine "what it says" cites "a letter"', 'scenario mine "what it says"'))
    assert call("ask", scenario, "sick(x)").out.startswith("sick(x): yes\n")


def test_ask_one_of_several_rulings(call: Call, file: File) -> None:
    other = ruling("begin_turn(me)\nexpect not sick(x)", "other", "x : creature in play")
    name = file(GOOD + "\n" + other)
    done = call("ask", name, "sick(x)")
    assert done.code == Exit.USAGE
    assert "has 2 rulings; choose one with --ruling: mine, other" in done.err
    assert call("ask", name, "sick(x)", "--ruling", "mine").out.startswith("sick(x): yes\n")
    assert call("ask", name, "sick(x)", "--ruling", "other").out.startswith("sick(x): no\n")
    done = call("ask", name, "sick(x)", "--ruling", "othr")
    assert done.code == Exit.USAGE
    assert "Did you mean `other`?" in done.err


def test_ask_a_ruling_of_the_model(call: Call) -> None:
    path = ROOT / "models" / "duel-masters" / "rulings" / "cases-core.md"
    done = call("ask", path, "sick(x)", "--ruling", "case-01-plain")
    assert done.code == Exit.WELL
    assert done.out.startswith("sick(x): ")


def test_ask_a_file_without_a_ruling(call: Call, file: File) -> None:
    done = call("ask", file('card "誰か" cites QA "x" : creature'), "sick(x)")
    assert done.code == Exit.USAGE
    assert "there is no ruling or scenario in mine.md" in done.err


@pytest.mark.parametrize(
    ("given", "question", "message", "line", "caret", "help"),
    [
        ("x : creture", "sick(x)", "--given:1:5: error[unknown-name]", "x : creture", "    ^^^^^^^", "`creature`"),
        ("x : creature; entr(x)", "sick(x)", "--given:1:15: error[unknown-event]", "entr(x)", "^^^^", "`enter`"),
        ("x : creature with speed_atacker", "sick(x)", "--given:1:19", "speed_atacker", "^", "`speed_attacker`"),
        ("x : creature; enter(y)", "sick(x)", "--given:1:21: error[unknown-name]", "enter(y)", "^", ""),
        ("x : creature enter(x)", "sick(x)", "--given:1:", "x : creature enter(x)", "^", "semicolon: `; enter(…)`"),
        ("x : 「カード」; enter(x)", "sick(x)", "--given:1:5", "「カード」", "^", ""),
        (FRESH, "sck(x)", "question:1:1: error[unknown-name]", "sck(x)", "^^^", "`sick`"),
        (FRESH, "can atack(x, player)", "question:1:5: error[unknown-action]", "atack", "^", "`attack`"),
        (FRESH, "sick(y)", "question:1:6: error[unknown-name]", "sick(y)", "     ^", ""),
        (FRESH, "x.powr = 3", "question:1:3: error[unknown-field]", "x.powr", "^", "`power`"),
        (FRESH, "attack(x, player)", "question:1:1: error[wrong-type]", "attack(x, player)", "^", "can attack(…)"),
        (FRESH, "can attack(player, x)", "question:1:12: error[wrong-type]: `player` is no Card", "player", "^", ""),
        (FRESH, "can attack(x)", "error[wrong-arity]", "can attack(x)", "^", ""),
        (FRESH, "x.power", "this is a number, but true or false is needed", "x.power", "^", ""),
        (FRESH, "x.power = true", "question:1:", "x.power = true", "^", ""),
        (FRESH, "", "question:1:1: error[syntax]: the question ends too early", "", "^", "Expected"),
        (FRESH, "sick(x", "question:1:7: error[syntax]", "sick(x", "      ^", "Expected"),
        (FRESH, "sick(x) sick(x)", "error[syntax]", "sick(x) sick(x)", "        ^", ""),
        (FRESH, "forbidden attack(x, player) by sicknes", "error[unknown-rule]", "sicknes", "^", "`sickness`"),
        (FRESH, 'forbidden attack(x, player) by CR "9.9"', "error[unknown-citation]", '"9.9"', "^", ""),
        (FRESH, "mistake not repairable", "error[no-mistake]", "mistake not repairable", "^^^", "mistaken"),
    ],
    ids=lambda x: x or "-",
)
def test_ask_with_errors(call: Call, given: str, question: str, message: str, line: str, caret: str, help: str) -> None:
    done = call("ask", "--given", given, question)
    assert done.code == Exit.USAGE
    assert done.out == ""
    assert message in done.err
    assert line in done.err
    assert caret in done.err
    assert help in done.err


def test_all_errors_at_once_each_where_it_is(call: Call) -> None:
    done = call("ask", "--given", "x : creture; entr(x)", "sck(x)", "can atack(x, player)")
    assert done.code == Exit.USAGE
    places = ("--given:1:5", "--given:1:14", "question 1:1:1", "question 2:1:5")
    assert all(f"{place}: error[" in done.err for place in places)


def test_ask_what_it_cannot_search(call: Call) -> None:
    for given in ("x : creature with ?; enter(x)", "x : creature { power = ? }; enter(x)"):
        done = call("ask", "--given", given, "sick(x)")
        assert done.code == Exit.UNDECIDED
        assert "a question about something unknown can't be answered yet" in done.err
        assert done.out == ""


def test_ask_with_model_errors_writes_them_as_json_too(call: Call, file: File) -> None:
    done = call("ask", file(GOOD.replace("enter(x)", "entr(x)")), "sick(x)", "--format", "json")
    assert done.code == Exit.MODEL_ERRORS
    assert "error[unknown-event]" in done.err
    assert [f["kind"] for f in json.loads(done.out)["findings"]] == ["unknown-event"]


def test_the_examples_of_the_help_work(call: Call) -> None:
    """They are the model's own: the tool knows no game."""
    text = (ROOT / "models" / "duel-masters" / "examples.txt").read_text(encoding="utf-8")
    examples = [line for line in text.split("\n") if line.startswith("ask ")]
    assert len(examples) >= 3
    told = call("ask", "--help").out
    for line in examples:
        assert f"    verify-rules {line}\n" in told
        if "--given" in line:
            done = call(*shlex.split(line))
            assert done.code == Exit.WELL
            assert "impossible\n" not in done.out.split("  ")[0]


# ---------------------------------------------------------------- audit


def test_audit_of_the_shipped_model(tmp_path: Path) -> None:
    """Once for all there is to see in it, as it takes a while; in a process of its own, which loads no solver."""
    out, audit = tmp_path / "audit.json", tmp_path / "audit.txt"
    options = ["-v", "--format", "text", "--format", "json", "--output", str(audit), "--output", str(out)]
    done = python(without_solver(["audit", *options]), cwd=tmp_path)
    assert done == Done(0, "", "")

    found = json.loads(out.read_text(encoding="utf-8"))
    schema = json.loads((ROOT / "src/verify_rules/report/schema/audit.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(found)
    assert found["complete"]
    count, confirmed, depends = len(found["rulings"]), found["summary"]["confirmed"], found["summary"]["depends"]
    assert confirmed > 480
    assert sum(found["summary"].values()) == count
    assert found["expectations"] == sum(len(r["expectations"]) for r in found["rulings"])
    for ruling in found["rulings"]:
        for expectation in ruling["expectations"] if ruling["outcome"] == "confirmed" else ():
            assert expectation["outcome"] == "confirmed"
            assert expectation["cases"] == []
            assert all(pair["by"] for pair in expectation["pairs"] if pair["verdict"] not in ("not permitted"))

    text = audit.read_text(encoding="utf-8")
    assert f"{count} rulings: {confirmed} confirmed, 0 refuted, 0 impossible, {depends} depends" in text
    assert text.count("CONFIRMED") == confirmed


@pytest.mark.skipif(not ACCEPTANCE.is_dir(), reason="../shared is only there where the project is developed")
class TestAcceptance:
    def test_every_ruling_is_confirmed(self, call: Call) -> None:
        done = call("audit", ACCEPTANCE)
        assert done.code == Exit.WELL
        assert done.out.startswith("24 rulings: 24 confirmed, 0 refuted, 0 impossible, 0 depends\n")

    def test_an_expectation_turned_round_is_refuted(self, call: Call, tmp_path: Path) -> None:
        text = (ACCEPTANCE / "seed.md").read_text(encoding="utf-8")
        old = "    awaken(x)\n    expect not sick(x)\n"
        assert text.count(old) == 1
        number = text[: text.index(old)].count("\n") + 2
        turned = tmp_path / "turned.md"
        turned.write_text(text.replace(old, old.replace("not sick", "sick")), encoding="utf-8")
        done = call("audit", turned)
        assert done.code == Exit.FINDING
        assert "REFUTED seed-qa-psychic" in done.out
        assert f"expected: sick(x)  ({turned}:{number})" in done.out
        assert "got: it is not so" in done.out
        assert "awakened_not_sick" in done.out
        assert "(duel-masters/805-psychic.md:" in done.out
        assert "since step 2, awaken(x)" in done.out
        assert "24 rulings: 23 confirmed, 1 refuted, 0 impossible" in done.out

    def test_every_expectation_turned_round_is_refuted(self, call: Call, tmp_path: Path) -> None:
        """So none of them is passed over."""
        lines = (ACCEPTANCE / "seed.md").read_text(encoding="utf-8").split("\n")
        opposite = {"can ": "cannot ", "cannot ": "can ", "not sick": "sick", "sick": "not sick"}
        turned = []
        for number, line in enumerate(lines):
            said = line.strip().removeprefix("expect ")
            if (word := next((k for k in opposite if said.startswith(k)), None)) and said != line.strip():
                lines[number] = line.replace(word, opposite[word], 1)
                turned.append(number + 1)
        path = tmp_path / "turned.md"
        path.write_text("\n".join(lines), encoding="utf-8")
        done = call("audit", path)
        assert done.code == Exit.FINDING
        assert len(turned) > 60
        assert [n for n in turned if f"({path}:{n})" not in done.out] == []


def test_audit_shows_what_is_confirmed_if_asked_to(call: Call, file: File) -> None:
    name = file(GOOD)
    assert call("audit", name).out.startswith("1 ruling: 1 confirmed")
    assert call("audit", name, "--verbose").out.startswith("CONFIRMED mine “what it says”  (mine.md:6)\n1 ruling: 1")


def test_audit_refuted(call: Call, file: File) -> None:
    name = file(ruling("enter(x)\nexpect can attack(x, player)\nexpect sick(x)"))
    done = call("audit", name)
    assert done.code == Exit.FINDING
    assert done.out.startswith("REFUTED mine “what it says”  (mine.md:6)\n")
    assert "expected: can attack(x, player)  (mine.md:11)" in done.out
    assert "got: it is not so" in done.out
    assert "attack(x, player): forbidden" in done.out
    assert 'CR "301.5"  (duel-masters/301-creatures.md:' in done.out
    assert "expected: sick(x)" not in done.out
    assert "1 ruling: 0 confirmed, 1 refuted" in done.out
    assert "2 expectations checked" in done.out


def test_audit_impossible_step(call: Call, file: File) -> None:
    name = file(ruling("enter(x)\nenter(x)\nexpect sick(x)"))
    done = call("audit", name)
    assert done.code == Exit.FINDING
    assert done.out.startswith("IMPOSSIBLE mine")
    assert "step 2, enter(x), can't happen  (mine.md:11)" in done.out
    assert "entering “the card is not in the battle zone”" in done.out
    assert "(duel-masters/400-zones.md:" in done.out
    assert "since step 1, enter(x)" in done.out


def test_audit_an_action_that_is_barred_is_an_impossible_step(call: Call, file: File) -> None:
    done = call("audit", file(ruling("enter(x)\nattack(x, player)\nexpect x.tapped")))
    assert done.code == Exit.FINDING
    assert "step 2, attack(x, player), can't happen  (mine.md:11)" in done.out
    assert "sickness" in done.out


def test_audit_depends(call: Call, file: File) -> None:
    sealed = "enter(x)\nseal(x)\nbegin_turn(opponent)\nbegin_turn(me)\nunseal(x)\n"
    done = call("audit", file(ruling(sealed + "expect sick(x)")))
    assert done.out.startswith("DEPENDS mine")
    assert re.search(r"got: if seals = clock_runs \(.+\): it is not so\n", done.out)
    assert re.search(r"got: if seals = clock_stops \(.+\): it is so\n", done.out)
    assert "1 ruling: 0 confirmed, 0 refuted, 0 impossible, 1 depends" in done.out
    assert call("audit", file(ruling(sealed + "expect open sick(x)"))).code == Exit.WELL
    done = call("audit", file(ruling(sealed + "expect open creature(x)")))
    assert done.code == Exit.FINDING
    assert "REFUTED" in done.out


def test_audit_disputed(call: Call, file: File) -> None:
    done = call("audit", file(ruling("enter(x)\nexpect not sick(x)", head='disputed "two judges differ"')))
    assert done.out.startswith("DISPUTED mine")
    assert "two judges differ" in done.out
    assert "0 confirmed, 0 refuted, 0 impossible, 0 depends, 1 disputed" in done.out


def test_audit_stale(call: Call, file: File) -> None:
    """What an older rulebook confirms: by it, a super creature was sick."""
    old = ruling("enter(x)\nexpect sick(x)", cards="x : dragheart_super", head="until 2025-10-17")
    done = call("audit", file(old))
    assert done.out.startswith("STALE mine")
    assert "confirmed by the rules of 2025-10-16" in done.out
    assert call("audit", file(old), "--as-of", "2025-10-16").code == Exit.WELL


def test_audit_of_what_checks_nothing(call: Call, file: File) -> None:
    done = call("audit", file(ruling("enter(x)")))
    assert done.code == Exit.NOTHING_CHECKED
    assert "nothing was checked" in done.err
    assert "NOTHING CHECKED mine" in done.out
    done = call("audit", file(GOOD + "\n" + ruling("enter(x)", "idle")))
    assert done.code == Exit.NOTHING_CHECKED
    assert "some rulings check nothing" in done.err
    assert "1 confirmed" in done.out
    done = call("audit", file('ruling out "x" cites "y" out of scope "it is about hands"'))
    assert done.code == Exit.NOTHING_CHECKED
    assert "OUT OF SCOPE out" in done.out
    assert "it is about hands" in done.out
    done = call("audit", file('card "誰か" cites QA "x" : creature'))
    assert done.code == Exit.NOTHING_CHECKED


def test_audit_shows_what_stays_unchecked(call: Call, file: File) -> None:
    done = call("audit", file(ruling('enter(x)\nexpect sick(x)\nunchecked "and the shield is broken"')))
    assert done.code == Exit.WELL
    assert "unchecked: mine: and the shield is broken  (mine.md:6)" in done.out
    assert "1 expectation" in done.out
    assert "1 statement" in done.out


def test_audit_what_it_cannot_search(call: Call, file: File) -> None:
    done = call("audit", file(GOOD + "\n" + ruling("step ?\nexpect sick(x)", "unknown")))
    assert done.code == Exit.UNDECIDED
    assert "NOT SEARCHED unknown" in done.out
    assert "1 not searched" in done.out
    done = call("audit", file(GOOD + '\nclaim everybody "all are sick" always all c: Card. sick(c)'))
    assert done.code == Exit.UNDECIDED
    assert "NOT SEARCHED claim everybody “all are sick”  (mine.md:14)" in done.out


def test_audit_of_folders_and_several_paths(call: Call, file: File) -> None:
    file(GOOD, "folder/deep/one.md")
    file(ruling("enter(x)\nexpect sick(x)", "two"), "folder/two.md")
    file(ruling("enter(x)\nexpect sick(x)", "three"), "three.md")
    assert call("audit", "folder").out.startswith("2 rulings: 2 confirmed")
    assert call("audit", "folder", "three.md").out.startswith("3 rulings: 3 confirmed")
    assert call("audit", "folder", "folder/two.md").out.startswith("2 rulings: 2 confirmed")
    assert call("audit", ".").out.startswith("3 rulings: 3 confirmed")


def test_audit_of_files_with_abilities_of_their_own(call: Call, file: File) -> None:
    ability = 'ability never_sick "own" cites QA "own"\n  not sick(self)\n\n'
    name = file(ability + ruling("enter(x)\nexpect can attack(x, player)", cards="x : creature with never_sick"))
    assert call("audit", name).code == Exit.WELL


def test_audit_of_a_ruling_that_is_called_like_one_of_the_model(call: Call, file: File) -> None:
    assert call("audit", file(GOOD.replace("mine", "case-01-plain"))).code == Exit.WELL


def test_audit_of_two_rulings_of_one_name(call: Call, file: File) -> None:
    done = call("audit", file(GOOD + "\n" + GOOD))
    assert done.code == Exit.MODEL_ERRORS
    assert "error[duplicate]" in done.err
    assert done.out == ""


def test_audit_of_a_folder_without_files(call: Call, tmp_path: Path) -> None:
    done = call("audit", tmp_path)
    assert done.code == Exit.NOTHING_CHECKED
    assert "0 rulings" in done.out
    assert "nothing was checked" in done.err


def test_audit_of_files_that_are_no_rulebooks(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("", encoding="utf-8")
    assert call("audit", path).code == Exit.MODEL_ERRORS
    path.write_text("# Prose\n\nAnd no block.\n", encoding="utf-8")
    done = call("audit", path)
    assert done.code == Exit.NOTHING_CHECKED
    assert "warning[file-without-rules]" in done.err
    path.write_bytes(b"# Prose\n\xff\xfe")
    done = call("audit", path)
    assert done.code == Exit.MODEL_ERRORS
    assert f"{path}:2" in done.err
    path.write_text("```rules\nruling a\n", encoding="utf-8")
    assert call("audit", path).code == Exit.MODEL_ERRORS


def test_audit_in_japanese(call: Call, file: File) -> None:
    done = call("audit", file(ruling("enter(x)\nexpect not sick(x)")), "--lang", "ja")
    assert done.code == Exit.FINDING
    assert done.out.startswith("【不一致】 mine")
    assert "期待：not sick(x)" in done.out
    assert "召喚酔い" in done.out
    assert "裁定1件：一致0件、不一致1件" in done.out
    assert "ruling" not in done.out


def test_audit_all_shows_more(call: Call, file: File) -> None:
    name = file(ruling("enter(x)\nexpect not sick(x)"))
    assert len(call("audit", name, "--all").out) > len(call("audit", name).out)


def test_no_progress_and_no_colour_where_nobody_looks(file: File) -> None:
    name = file(GOOD + "\n" + ruling("enter(x)\nexpect not sick(x)", "other"))
    plain = process("audit", name)
    assert plain == process("audit", name, "--no-progress")
    assert plain == process("audit", name, NO_COLOR="1")
    assert plain == process("audit", name, FORCE_COLOR="1")
    assert "\x1b" not in plain.out + plain.err
    assert plain.err == ""


def interrupt_at_third(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C, while the third ruling is being checked."""
    module = importlib.import_module("verify_rules.analysis.audit")
    real = module.audit_ruling
    calls: list[str] = []

    def checking(model, ruling, words):  # type: ignore[no-untyped-def]
        calls.append(ruling.name)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(model, ruling, words)

    monkeypatch.setattr(module, "audit_ruling", checking)


def test_interrupted_audit_tells_what_it_knows(call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    interrupt_at_third(monkeypatch)
    out = tmp_path / "audit.json"
    done = call("audit", "-v", "--format", "text", "--format", "json", "--output", "-", "--output", out)
    assert done.code == Exit.INTERRUPTED
    assert done.out.count("CONFIRMED") == 2
    assert "2 rulings: 2 confirmed" in done.out
    assert "interrupted after 2 of " in done.err
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["complete"] is False
    assert len(found["rulings"]) == 2


def test_a_real_signal_interrupts(tmp_path: Path) -> None:
    code = """
import importlib, os, signal, sys
from verify_rules.cli.main import main
audit = importlib.import_module("verify_rules.analysis.audit")
real = audit.audit_ruling
def checking(model, ruling, words):
    if ruling.name.startswith("case-02"):
        os.kill(os.getpid(), signal.SIGINT)
    return real(model, ruling, words)
audit.audit_ruling = checking
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs the tests may have it ignored
sys.argv = ["verify-rules", "audit", "-v"]
main()
"""
    done = python(code)
    assert done.code == Exit.INTERRUPTED
    assert "CONFIRMED case-01-plain" in done.out
    assert "interrupted after" in done.err
    assert "Traceback" not in done.err


def test_interrupted_before_anything_is_known(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify_rules.model import load as module

    def loading(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "load", loading)
    done = call("audit")
    assert done.code == Exit.INTERRUPTED
    assert "interrupted" in done.err


def test_a_bug_of_ours_says_so(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify_rules.model import load as module

    def loading(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(module, "load", loading)
    done = call("ask", "--given", FRESH, "sick(x)")
    assert done.code == Exit.BUG
    assert "ZeroDivisionError: oh" in done.err
    assert f"This is a bug of verify-rules {__version__} (ZeroDivisionError), not your mistake." in done.err
    assert done.out == ""


# ---------------------------------------------------------------- formats and outputs


def test_several_formats_at_once(call: Call, file: File, tmp_path: Path) -> None:
    name = file(GOOD)
    done = call("audit", name, "--format", "json", "--output", "a.json", "--format", "text", "--output", "a.txt")
    assert done == Done(Exit.WELL, "", "")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == call("audit", name).out
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == call("audit", name, "--format", "json").out
    done = call("audit", name, "--format", "text", "--format", "json", "--output", "-", "--output", "b.json")
    assert done.out == call("audit", name).out
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()
    done = call("audit", name, "--format", "json", "--format", "text", "--output", "c.json")
    assert done.out == call("audit", name).out
    assert call("audit", name, "--output", "d.txt").out == ""
    assert (tmp_path / "d.txt").read_bytes() == (tmp_path / "a.txt").read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [["ask", "--given", FRESH, "sick(x)"], ["audit", "mine.md"], ["check", "mine.md"]],
    ids=["ask", "audit", "check"],
)
def test_outputs_that_cannot_be(call: Call, tmp_path: Path, file: File, arguments: list[str]) -> None:
    file(GOOD)
    before = sorted(tmp_path.iterdir())
    done = call(*arguments, "--format", "json", "--output", tmp_path / "a", "--output", tmp_path / "b")
    assert done.code == Exit.USAGE
    assert "more --output than --format" in done.err
    done = call(*arguments, "--format", "json", "--format", "text")
    assert done.code == Exit.USAGE
    assert "two formats can't both go to standard output" in done.err
    both = ("--output", tmp_path / "a", "--output", tmp_path / "a")
    done = call(*arguments, "--format", "json", "--format", "text", *both)
    assert done.code == Exit.USAGE
    done = call(*arguments, *both, "--format", "json", "--format", "text")
    assert done.code == Exit.USAGE
    assert sorted(tmp_path.iterdir()) == before
    done = call(*arguments, "--output", tmp_path / "no" / "where.txt")
    assert done.code == Exit.USAGE
    assert "can't be written" in done.err
    assert call(*arguments, "--output", tmp_path).code == Exit.USAGE


def test_a_pipe_that_nobody_reads(file: File) -> None:
    """Like `verify-rules audit -v | head -1`: no traceback, and not the exit code of a finding."""
    text = "\n".join(ruling("enter(x)\nexpect sick(x)", f"number-{n}") for n in range(300))
    command = [sys.executable, "-m", "verify_rules.cli.main", "audit", "-v", file(text)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        errors = child.stderr.read()
        code = child.wait()
    assert errors == b""
    assert code == Exit.UNREAD


def test_a_terminal_that_cannot_show_a_letter() -> None:
    done = process("ask", "--given", FRESH, "sick(x)", PYTHONIOENCODING="ascii")
    assert done.code == Exit.WELL
    assert done.out.startswith("sick(x): yes\n")


# ---------------------------------------------------------------- check


def test_check_of_the_shipped_model(call: Call) -> None:
    done = call("check", "--strict")
    assert done.code == Exit.WELL
    assert done.err == ""
    assert done.out.startswith("Duel Masters: ")
    assert done.out.endswith("0 errors, 0 warnings\n")


def test_check_finds_errors_of_all_files_in_order(call: Call, file: File) -> None:
    file(GOOD.replace("enter(x)", "entr(x)"), "b.md")
    file(GOOD.replace("creature", "creture").replace("mine", "other"), "a.md")
    done = call("check", "b.md", "a.md")
    assert done.code == Exit.MODEL_ERRORS
    assert done.out == "2 errors, 0 warnings\n"
    assert done.err.index("a.md:8:9: error[unknown-name]") < done.err.index("b.md:10:5: error[unknown-event]")
    assert "  8 |     x : creture\n    |         ^^^^^^^\n" in done.err


def test_check_strict_counts_warnings(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text("# Prose\n", encoding="utf-8")
    assert call("check", path).code == Exit.WELL
    done = call("check", path, "--strict")
    assert done.code == Exit.FINDING
    assert done.out.endswith("0 errors, 1 warning\n")
    assert "warning[file-without-rules]" in done.err


def test_check_as_json(call: Call, file: File) -> None:
    name = file(GOOD.replace("enter(x)", "entr(x)"))
    done = call("check", name, "--format", "json")
    assert done.code == Exit.MODEL_ERRORS
    finding = json.loads(done.out)["findings"][0]
    assert finding["kind"] == "unknown-event"
    assert finding["help"] == "Did you mean `enter`?"
    assert finding["places"] == [{"file": "mine.md", "line": 10, "column": 5}]


# ---------------------------------------------------------------- models of one's own


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    """The folder of another game."""
    folder = tmp_path / "robots"
    folder.mkdir()
    (folder / "robots.md").write_text(rules(ROBOTS), encoding="utf-8")
    return folder


def test_another_model(call: Call, robots: Path) -> None:
    assert call("check", "--model", robots).out.startswith("Robots: ")
    done = call("ask", "--model", robots, "--given", "a : drone; boot(a)", "can strike(a, base)", "--format", "json")
    assert json.loads(done.out)["model"]["name"] == "Robots"
    assert json.loads(done.out)["answers"][0]["pairs"][0]["by"][0]["name"] == "coldness"
    assert call("audit", "--model", robots).code == Exit.NOTHING_CHECKED


def test_models_that_are_none(call: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for command in (["check"], ["audit"], ["ask", "--given", FRESH, "sick(x)"]):
        done = call(*command, "--model", tmp_path / "empty")
        assert done.code == Exit.MODEL_ERRORS
        assert "error[folder-without-model]" in done.err
        assert call(*command, "--model", tmp_path / "emty").code == Exit.USAGE
        assert "Did you mean" in call(*command, "--model", tmp_path / "emty").err


def test_a_model_with_errors(call: Call, robots: Path) -> None:
    path = robots / "robots.md"
    path.write_text(path.read_text(encoding="utf-8").replace("when cold(b)", "when cald(b)"), encoding="utf-8")
    for command in (["audit"], ["ask", "--given", "a : drone", "ready(a)"], ["check"], ["dump", "--stage", "model"]):
        done = call(*command, "--model", robots)
        assert done.code == Exit.MODEL_ERRORS
        assert "Did you mean `cold`?" in done.err


def test_the_cache_makes_no_difference(call: Call, robots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = robots.parent / "cache"
    question = ("ask", "--model", robots, "--given", "a : drone; boot(a)", "cold(a)")
    monkeypatch.setenv("VERIFY_RULES_CACHE", str(cache))
    first = call(*question, "--no-cache")
    assert not cache.exists() or not list(cache.iterdir())
    assert call(*question) == first
    kept = list(cache.iterdir())
    assert len(kept) == 1
    assert call(*question) == first
    kept[0].write_bytes(b"damaged")
    assert call(*question) == first
    monkeypatch.setenv("VERIFY_RULES_CACHE", "off")
    assert call(*question) == first
    path = robots / "robots.md"
    path.write_text(path.read_text(encoding="utf-8").replace("not b.warm", "b.warm"), encoding="utf-8")
    monkeypatch.setenv("VERIFY_RULES_CACHE", str(cache))
    assert call(*question) != first


# ---------------------------------------------------------------- dump and fmt


def test_dump_tree(call: Call, file: File) -> None:
    done = call("dump", "--stage", "tree", file(GOOD))
    assert done.code == Exit.WELL
    assert done.out.startswith("-- mine.md\nRuling(")
    assert call("dump", "--stage", "tree", file("ruling of nothing")).code == Exit.MODEL_ERRORS


def test_dump_tree_of_what_is_no_text(call: Call, tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"\xff")
    assert call("dump", "--stage", "tree", tmp_path / "x.md").code == Exit.MODEL_ERRORS


def test_dump_model(call: Call, robots: Path) -> None:
    done = call("dump", "--stage", "model", "--model", robots)
    assert done.code == Exit.WELL
    assert "'name': 'Robots'" in done.out


@pytest.mark.parametrize("stage", ["terms", "smt2"])
def test_dump_of_a_ruling_as_terms(call: Call, file: File, stage: str) -> None:
    done = call("dump", "--stage", stage, "--ruling", "mine", file(GOOD))
    assert done.code == Exit.WELL
    assert "sick(x)" in done.out
    unknown = file(ruling("step ?\nexpect sick(x)"))
    assert call("dump", "--stage", stage, "--ruling", "mine", unknown).code == Exit.UNDECIDED


@pytest.mark.parametrize("name", ["ask", "audit", "check"])
def test_dump_schema(call: Call, name: str) -> None:
    done = call("dump", "--schema", name)
    assert done.code == Exit.WELL
    assert json.loads(done.out)["properties"]["schema"]["const"].startswith(f"verify-rules/{name}/")


def test_fmt(call: Call, file: File, tmp_path: Path) -> None:
    name = file(GOOD.replace("expect sick(x)", "expect   sick( x )"))
    before = (tmp_path / name).read_text(encoding="utf-8")
    done = call("fmt", "--check", name)
    assert done.code == Exit.FINDING
    assert done.out == "would change: mine.md\n"
    assert (tmp_path / name).read_text(encoding="utf-8") == before
    done = call("fmt", name)
    assert done.code == Exit.WELL
    assert done.out == "formatted: mine.md\n"
    assert "expect sick(x)\n" in (tmp_path / name).read_text(encoding="utf-8")
    done = call("fmt", "--check", name)
    assert done == Done(Exit.WELL, "", "1 file, 0 to change\n")
    assert call("audit", name).code == Exit.WELL


def test_fmt_of_what_has_errors_changes_nothing(call: Call, file: File, tmp_path: Path) -> None:
    name = file("ruling ruling ruling")
    before = (tmp_path / name).read_bytes()
    assert call("fmt", name).code == Exit.MODEL_ERRORS
    assert (tmp_path / name).read_bytes() == before
    (tmp_path / name).write_bytes(b"\xff")
    assert call("fmt", name).code == Exit.MODEL_ERRORS


# ---------------------------------------------------------------- how it runs


@pytest.mark.parametrize(
    "arguments",
    [["ask", "--given", FRESH, "can attack(x, _)"], ["check"], ["ask", "--help"]],
    ids=["ask", "check", "help"],
)
def test_what_needs_no_solver_loads_none(arguments: list[str]) -> None:
    done = python(without_solver(arguments))
    assert done.code == 0, done.err


def test_it_runs_in_any_folder_and_writes_nothing_there(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = process("ask", "--given", FRESH, "sick(x)", cwd=empty, VERIFY_RULES_CACHE=str(tmp_path / "cache"))
    assert done.code == Exit.WELL
    assert list(empty.iterdir()) == []
    assert str(tmp_path) not in done.out


def test_a_cache_that_cannot_be_written_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = process("ask", "--given", FRESH, "sick(x)", VERIFY_RULES_CACHE=str(tmp_path / "file" / "cache"))
    assert done.code == Exit.WELL


@pytest.mark.skipif(shutil.which("verify-rules") is None, reason="the script isn't on the path")
def test_the_script_is_installed() -> None:
    done = subprocess.run(["verify-rules", "--version"], capture_output=True, encoding="utf-8", check=True)
    assert "verify-rules, version" in done.stdout


def test_days_are_given_as_days(call: Call, file: File) -> None:
    done = call("audit", file(GOOD), "--as-of", date(2026, 4, 10).isoformat(), "--format", "json")
    assert json.loads(done.out)["model"]["as_of"] == "2026-04-10"


@pytest.mark.parametrize(("word", "code"), [("cannot", Exit.WELL), ("can", Exit.FINDING)])
def test_a_ruling_that_depends_is_a_finding_if_it_is_against_the_defaults(
    word: str, code: Exit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "open.md"
    script = f"script\n    enter(x)\n    expect {word} attack(x, y)\n"
    board = "cards\n    x : creature with attacks_untapped\n    y : creature of opponent in play\n  "
    path.write_text(f'```rules\nruling open-point "…" cites "a letter"\n  {board}{script}```\n', encoding="utf-8")
    assert run(["audit", str(path)]) == code
    out = capsys.readouterr().out
    assert "DEPENDS open-point" in out
    assert ("doesn't hold as the open points are read by default" in out) == (code == Exit.FINDING)


def test_every_analysis_says_what_it_claims() -> None:
    from verify_rules.analysis import ANALYSES

    assert all("Claims" in (analysis.__doc__ or "") for analysis in ANALYSES)
