"""What looks right and would mean something else, or nothing, is refused where it stands."""

from __future__ import annotations

import pytest

from laws import check
from toy import ROBOTS, model_of, scenario
from verify_rules.semantics import run
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
