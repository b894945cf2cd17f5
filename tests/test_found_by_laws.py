"""What the laws on generated rulebooks have found, each as a small case: both meanings say what is right."""

from __future__ import annotations

from collections import Counter

import pytest

from laws import check, compare
from verify_rules.model.model import Model
from verify_rules.semantics import run
from verify_rules.source import SourceFile

PIECES = """
game "Pieces"
enum Side { left, right }
kind Piece {
  owner    : Side = left
  sorts    : set of Side = {}
  skills   : set of Ability = {}
  worth    : int 0..9 = 9
  var here : bool = false
  var hot  : bool = false
}
union Goal = Piece | Side | edge
var last : Goal? = none
status has(p: Piece, A: Ability) makes live
rule printed  has(p, A) when A in p.skills
precedence card forbid > card permit > rule forbid > rule permit
setup for p: Piece over below
  types p.sorts
  with p.skills
  of p.owner
  in play place(p)
event place(p)  sets p.here := true
ability heavy(n: int 1..2)  forbid go(self, _)
"""


def checked(rules: str) -> tuple[Model | None, list[str]]:
    model, diagnostics = check([SourceFile("case.md", f"```rules\n{PIECES}\n{rules}\n```\n")])
    return model, [f"{d.code}: {d.message}" for d in diagnostics if d.severity == "error"]


def agreed(rules: str, cards: str, script: str) -> None:
    """All expectations hold in the reference, and the encoding says the same of everything."""
    model, errors = checked(f"{rules}\nscenario s\n  cards {cards}\n  script\n{script}")
    assert model is not None, errors
    scenario = model.rulings[0].scenario
    assert [e.line.text for e in run(model, scenario).expectations if e.holds is not True] == []
    difference = compare(model, "s", scenario, Counter())
    assert difference is None, f"{difference}"


GO = """
action go(p: Piece, n: int 1..2)
  requires p.here
rule free
  permit go(_, _)
"""


def test_a_name_bound_over_a_union_takes_all_its_values() -> None:
    script = """
      expect some g: Goal. g is edge
      expect some g: Goal. g is Side and g = right
      expect count(g: Goal. true) = 4
      expect not all g: Goal. g is Piece
    """
    agreed(GO, "x : left", script)


def test_what_a_for_changes_may_ask_for_the_verdict_that_needs_the_event() -> None:
    rules = """
    action go(p: Piece, n: int 1..2)
      requires possible warm(p)
    event warm(p)
      for q: Piece where cannot go(q, 1)
        sets q.hot := true
    rule free  permit go(p, _) when not p.hot
    """.replace("\n    ", "\n")
    script = """
      expect can go(x, 1)
      warm(x)
      expect not x.hot
    """
    agreed(rules, "x : left in play", script)


def test_a_member_that_does_not_exist_is_none() -> None:
    script = """
      expect not has(x, heavy(x.worth))
      expect not has(x, heavy(y.worth - 7))
      expect has(x, heavy(y.worth - 8))
      expect forbidden go(x, _) by heavy
      expect not (heavy(y.worth) in {heavy(1), heavy(2)})
      expect not harmful(3)
      expect harmful(2)
    """
    rules = GO + "define harmful(n: int 0..9) = some A in {heavy(n)}. A forbids go\n"
    agreed(rules, "x : left with heavy(1) in play\n y : left", script)


def test_a_number_outside_its_range_is_no_argument() -> None:
    script = """
      expect can go(x, x.worth - 7)
      expect cannot go(x, x.worth)
      expect not forbidden go(x, x.worth)
      expect impossible go(x, x.worth)
      expect can go(x, _)
      expect must go(x, _)
      expect need not go(x, x.worth)
      expect not large(x, x.worth)
    """
    rules = GO + "status large(p, n: int 0..5)\nrule sizes  large(p, n) when n ≥ 2\nrule duty\n  require go(_, _)\n"
    agreed(rules, "x : left in play", script)


@pytest.mark.parametrize(
    ("rules", "path"),
    [
        (
            """
            action go(p: Piece, n: int 1..2)
            event warm(p)  requires can go(p, 1)
            rule free  permit go(p, _) when possible warm(p)
            """,
            "go → warm → go",
        ),
        (
            """
            action go(p: Piece, n: int 1..2)  requires possible go(p, n)
            """,
            "go → go",
        ),
        (
            """
            action go(p: Piece, n: int 1..2)
            event warm(p)
              does cool(p) when p.here
            event cool(p)
              rule slow
                requires impossible warm(p)
            """,
            "cool → warm → cool",
        ),
    ],
)
def test_circles_of_verdicts_through_events_are_errors(rules: str, path: str) -> None:
    model, errors = checked(rules.replace("\n            ", "\n"))
    assert model is None
    assert len(errors) == 1
    around = f"{errors[0].rsplit(': ')[-1]}"
    assert errors[0].startswith("action-cycle: these actions ask for each other's verdict: ")
    assert set(around.split(" → ")) == set(path.split(" → "))


def test_a_bound_name_is_not_the_name_of_the_loop_around_it() -> None:
    rules = """
    event warm(p)
      for q: Piece
        sets p.hot := some q: Piece. q.here
    event cool(p)
      for q: Piece
        sets p.hot := q.here and some q: Piece. q.here
    """.replace("\n    ", "\n")
    _, errors = checked(GO + rules)
    assert errors == ["sets-twice: `hot` would be set to the value of every `q` at once"]


def test_what_is_done_within_a_group_requires_within_it() -> None:
    rules = """
    event cool(p: Piece)
      requires p.hot
      rule by_day
        requires not p.here
    event warm(p: Piece)
      rule gently
        does cool(p) when p.owner = left
    """.replace("\n    ", "\n")
    script = """
      expect impossible warm(x) by gently
      expect not impossible cool(x) by gently
      expect not impossible warm(x) by by_day
      expect possible warm(y)
    """
    agreed(GO + rules, "x : left\n    y : right of right", script)


def test_a_block_that_may_be_none_is_looked_into_like_another() -> None:
    rules = """
    var spare : Ability? = none
    event keep(A: Ability)  sets spare := A
    """.replace("\n    ", "\n")
    script = """
      expect not (spare forbids go)
      keep(heavy(2))
      expect spare forbids go
      expect not (spare permits go)
    """
    agreed(GO + rules, "x : left", script)
