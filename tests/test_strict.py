"""What looks right and would mean something else, or nothing, is refused where it stands."""

from __future__ import annotations

from datetime import date

import pytest

from laws import check
from toy import ROBOTS, model_of, scenario
from verify_rules.diagnostics import Reporter
from verify_rules.encode import Encoding
from verify_rules.model.elaborate import elaborate
from verify_rules.parse.parser import parse_file
from verify_rules.semantics import explore, run
from verify_rules.source import SourceFile


def errors(rules: str, base: str = ROBOTS) -> list[str]:
    """The codes of the errors of the rules after a base of them."""
    _, diagnostics = check([SourceFile("case.md", f"```rules\n{base}\n{rules}\n```\n")])
    return [d.code for d in diagnostics if d.severity == "error"]


def board(line: str, cards: str = "x : tank in play, y : drone of blue in play") -> str:
    return f"ruling r\n  cards {cards}\n  script\n    {line}\n"


REFUSED = [
    # `by` where no single rule decides
    ("misplaced-by", board("expect cannot strike(x, base) by coldness")),
    ("misplaced-by", board('expect cannot strike(x, base) by RB "7"')),
    ("misplaced-by", board("expect can strike(x, base) by aims")),
    ("misplaced-by", board("expect must strike(x, base) by aims")),
    ("misplaced-by", board("expect need not strike(x, base) by aims")),
    ("misplaced-by", board("expect not permitted strike(x, base) by aims")),
    ("misplaced-by", board("expect possible load(x) by aims")),
    ("misplaced-by", "ability ban2  forbid strike(self, _) when cannot rest(self) by coldness"),
    # a new name in a head that means something elsewhere
    ("taken-name", "rule r1  forbid strike(red, base)"),
    ("taken-name", "rule r1  forbid strike(_, soon)"),
    ("taken-name", "rule r1  forbid strike(_, start)"),
    ("taken-name", "rule r1  forbid strike(swift, base)"),
    ("taken-name", "rule r1  forbid strike(ban, base)"),
    ("taken-name", "rule r1  forbid strike(cold, base)"),
    ("taken-name", "rule r1  forbid strike(coldness, base)"),
    ("taken-name", "rule r1  cold(base)"),
    # cards that would hide something
    *(
        ("taken-name", board("boot(z)", f"z : tank, {name} : tank in play"))
        for name in ("base", "red", "swift", "turn", "weather", "nobody")
    ),
    # statuses that make nothing live
    ("wrong-type", "status has2(b: Bot, c: Bot, A: Ability) makes live"),
    ("wrong-type", "status has2(b: Bot) makes live"),
    ("wrong-type", "status has2(A: Ability, b: Bot) makes live"),
    ("wrong-type", "status has2(n: int 0..2, A: Ability) makes live"),
    ("duplicate", "status has2(b: Bot, A: Ability) makes live"),
    ("duplicate", "status has2(b: Bot, E: Effect) makes live"),
    # branches without a common type
    ("wrong-type", "define weight_of(b) = if b.on then none else 3"),
    ("wrong-type", "define state_of(b) = if b.on then true else none"),
    ("wrong-type", "define makes_of(b) = if b.on then none else b.makes"),
    # a variable with `per` as one value
    ("wrong-type", "invariant orders = orders"),
    ("wrong-type", "define all_orders = orders"),
    ("wrong-type", "define all_effects(b) = b.effects"),
    ("wrong-type", "define given(s: per Side set of Effect) = red"),
    ("wrong-type", "status given(s: per Side set of Effect)"),
    ("wrong-type", "event give(s: per Side set of Effect)"),
    ("wrong-type", "define chosen = (if turn = red then orders else orders)[red]"),
    # one name, two meanings
    ("duplicate", "define turn = red"),
    ("duplicate", "define weight(b) = 3"),
    ("duplicate", "status warm(b: Bot)"),
    ("duplicate", "var weather : Side = red"),
    ("duplicate", "define weather = red"),
    # words of the language as names
    ("duplicate", "define f1(self) = true"),
    ("duplicate", "event e1(none: Bot)"),
    ("duplicate", "status s1(true: Bot)"),
    ("duplicate", "invariant some self: Bot. true"),
    ("duplicate", "invariant some none in {red}. true"),
    ("duplicate", "rule r1  forbid strike(false: Bot, _)"),
    ("duplicate", "event e1()\n  for true: Bot where true\n    sets true.warm := false"),
    # parameters of abilities hidden
    ("taken-name", "ability ban3(m: Make)  forbid strike(m: Bot, base)"),
    ("taken-name", "ability ban3(m: Make)  forbid strike(self, base) when some m: Bot. m.on"),
    ("taken-name", "ability ban3(m: Make)  forbid strike(self, base) when count(m in self.makes. true) = 1"),
    # versions out of order
    ("dates", "source OLD versions 1.0 dated 2020-01-01, 2.0 dated 2021-01-01"),
    ("dates", "source OLD versions 2.0 dated 2020-01-01, 1.1, 1.0 dated 2020-01-01"),
    # lifts from abilities of what carries none
    ("wrong-type", "rule r1  lifts forbid from abilities of b.on for strike(b, _)"),
    ("wrong-type", "rule r1  lifts forbid from abilities of red for strike(b, _)"),
    # circles through events
    (
        "action-cycle",
        "event ee(b: Bot)\n  requires can strike(b, base)\nrule r1  permit strike(b, _) when possible ee(b)",
    ),
    ("action-cycle", "event ee(b: Bot)\n  requires can shoot(b)\naction shoot(b: Bot)\n  does ee(b)"),
    (
        "action-cycle",
        "event ee(b: Bot)\n  sets b.warm := true\naction shoot(b: Bot)\n  does ee(b) when can shoot(b)",
    ),
    ("action-cycle", "event ee(b: Bot)\n  requires possible ee(b)"),
    # actions about sets
    ("wrong-type", "action all_strike(bs: set of Bot)"),
]


@pytest.mark.parametrize(("code", "rules"), REFUSED)
def test_refused(code: str, rules: str) -> None:
    assert errors(f"define nobody = 3\n{rules}") == [code]


@pytest.mark.parametrize(
    "rules",
    [
        board("expect forbidden strike(x, base) by coldness"),
        board("expect barred strike(x, base) by coldness"),
        board("expect impossible strike(x, base) by coldness"),
        "rule r1  forbid strike(some_bot, base)",
        "define partner_of(b) = if b.on then none else b.partner",
        "event all_load(bs: set of Bot)",
        "define red_orders = orders[red]",
        "define turn(b) = red",
        "define weight(a, b) = 3",
        "var weight_now : int 0..9 = 1",
        "define on_at_all(b) = some b: Bot. b.on",
        "ability ban3(m: Make)  forbid strike(n: Bot, base) when m in n.makes",
        "source OLD versions 2.0 dated 2020-01-01, 1.1, 1.0 dated 2019-01-01",
        "rule r1  lifts forbid from abilities of b.partner for strike(b, _)",
        "effect r1 on Holder  lifts forbid from abilities of self for strike(b, _)",
        board("boot(x)", "\n    ".join(f"{name} : tank" for name in "xytouabgdw")),
    ],
)
def test_accepted(rules: str) -> None:
    assert errors(rules) == []


def test_another_rule_that_decides_refutes_by() -> None:
    model = model_of(
        "ruling s\n  cards x : tank\n  script\n    boot(x)\n"
        "    expect cannot strike(x, base)\n"
        "    expect forbidden strike(x, base) by coldness\n"
        "    expect forbidden strike(x, base) by aims\n"
        '    expect forbidden strike(x, base) by RB "7"\n'
    )
    held = [x.holds for x in run(model, scenario(model)).expectations]
    assert held == [True, True, False, True]


# ---------------------------------------------------------------- words of cards that the setup doesn't explain


def without(line: str) -> str:
    assert line in ROBOTS
    return ROBOTS.replace(line, "")


@pytest.mark.parametrize(
    ("base", "cards", "script", "expected"),
    [
        (without("  in play boot(b, onto: below)\n"), "x : tank in play", "boot(x)", ["unknown-flag"]),
        (without("  in play boot(b, onto: below)\n"), "x : tank", "boot(x)", []),
        (
            without(" over below").replace(", onto: below", ""),
            "x : tank in play\n    y : tank in play under x",
            "load(x)",
            ["unknown-flag"],
        ),
        (without(" over below").replace(", onto: below", ""), "x : tank in play", "load(x)", []),
        (ROBOTS, "x : tank in play\n    y : tank in play under x", "load(x)", []),
        # Only the mistake itself is reported, not all that it spoils.
        (ROBOTS.replace("in play boot(b", "in play bot(b"), "x : tank in play", "load(x)", ["unknown-event"]),
        (ROBOTS.replace("setup for b: Bot over below", "setup for b: Bot over self"), "x : tank", "boot(x)", None),
    ],
)
def test_words_of_cards_mean_what_the_setup_says(
    base: str, cards: str, script: str, expected: list[str] | None
) -> None:
    found = errors(board(script, cards), base)
    assert found == expected if expected is not None else found[0] == "duplicate"


@pytest.mark.parametrize(
    "levels", ["card price > card require", "card require > card permit", "card forbid > card permit > rule steer"]
)
def test_only_permit_and_forbid_are_ranked(levels: str) -> None:
    line = "precedence card forbid > card permit > rule forbid > rule permit"
    assert set(errors("", ROBOTS.replace(line, f"precedence {levels} > card forbid > rule forbid"))) >= {"wrong-type"}


# ---------------------------------------------------------------- readings have their time


@pytest.mark.parametrize(
    ("dates", "day", "is_open"),
    [
        ("", None, True),
        ("until 2022-01-01 ", None, False),
        ("until 2022-01-01 ", date(2021, 12, 31), True),
        ("until 2022-01-01 ", date(2022, 1, 1), False),
        ("since 2022-01-01 ", None, True),
        ("since 2022-01-01 ", date(2021, 12, 31), False),
        ("since 2022-01-01 ", date(2022, 1, 1), True),
    ],
)
def test_a_reading_that_is_not_in_force_is_read_by_its_default(dates: str, day: date | None, is_open: bool) -> None:
    question = '"does rain keep a bot cold?" '
    assert question in ROBOTS
    script = "ruling r\n  cards x : drone in play\n  script\n    expect cold(x)\n    expect not (weather = dry)\n"
    files = [SourceFile("case.md", f"```rules\n{ROBOTS.replace(question, question + dates)}\n{script}```\n")]
    reporter = Reporter()
    model = elaborate([parse_file(files[0], reporter)], {"case.md": files[0]}, reporter, day, "")
    assert model is not None, reporter.diagnostics
    assert not reporter.failed, reporter.diagnostics
    board = model.rulings[0].scenario
    leaves = explore(model, lambda readings: [x.holds for x in run(model, board, readings).expectations])
    assert leaves[0][1] == [False, False]
    assert (len(leaves) > 1) == is_open
    encoding = Encoding(model, board)
    assert (encoding.board.readings["weather"] == encoding.board.symbolic.atom("dry")) == (not is_open)
