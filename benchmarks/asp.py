"""The boards as facts for `sickness.lp`, and three ways to have clingo answer: each gives the verdicts of all pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import clingo

from verify_rules.semantics import Args, Moment

PROGRAM = Path(__file__).with_name("sickness.lp").read_text(encoding="utf-8")
KINDS = ("impossible", "not permitted", "forbidden", "permitted", "required")
LASTING = ("turn_end", "start_of(me)", "start_of(opponent)", "never")
TRUTHS = {"settled": "settled", "entered_this_turn": "entered", "tapped": "tapped", "flipped": "flipped"} | {
    "awakened": "awakened",
    "sealed": "sealed",
}
SETS = {"types": "type", "abilities": "printed", "other_face": "other_face", "gain_latest": "gained_later"}
SETS_FOR_A_TIME = {"gained": "gained", "lost": "lost", "effects": "effect"}


def facts(moment: Moment) -> list[str]:
    """The state of a board, as facts."""
    found = [f"turn({moment.read('turn_player')})"]
    for card in moment.board.objects:
        found += [f"card({card})", f"owner({card},{moment.read('owner', card)})"]
        found.append(f"attacks({card},{moment.read('attacks', card)})")
        if moment.read("zone", card) == "battle_zone":
            found.append(f"zone({card})")
        element = moment.read("element", card)
        if element is not None:
            role = "under" if moment.read("role", card) == "below" else "joined"
            found.append(f"{role}({card},{element})")
        found += [f"{fact}({card})" for name, fact in TRUTHS.items() if moment.read(name, card)]
        found += [f"{fact}({card},{v})" for name, fact in SETS.items() for v in _members(moment.read(name, card))]
        for until in LASTING:
            if moment.read("ignored", card, (until,)):
                found.append(f"ignored({card})")
            for name, fact in SETS_FOR_A_TIME.items():
                found += [f"{fact}({card},{v})" for v in _members(moment.read(name, card, (until,)))]
    return sorted(set(found))


def _members(value: object) -> list[str]:
    assert isinstance(value, frozenset)
    return sorted(map(str, value))


def atom(pair: Args, kind: str) -> clingo.Symbol:
    """`verdict(A,T,KIND)`."""
    arguments = [clingo.Function(str(x)) for x in (*pair, kind.replace(" ", "_"))]
    return clingo.Function("verdict", arguments)


# What each atom of an answer says: a pair and a kind of verdict.
Names = dict[clingo.Symbol, tuple[Args, str]]


def _names(pairs: Sequence[Args]) -> Names:
    return {atom(pair, kind): (pair, kind) for pair in pairs for kind in KINDS}


def _grounded(board: Sequence[str], names: Names) -> dict[Args, str]:
    """Read the program, ground it for a board, and solve it once."""
    control = clingo.Control(["--warn=none"])
    control.add("base", [], PROGRAM + "".join(f"{fact}." for fact in board))
    control.ground([("base", [])])
    return _answer(control, names)


def _answer(control: clingo.Control, names: Names) -> dict[Args, str]:
    with control.solve(yield_=True) as handle:
        model = handle.model()
        assert model is not None
        return dict(names[symbol] for symbol in model.symbols(shown=True))


def ground_each(boards: Sequence[Sequence[str]], pairs: Sequence[Args]) -> list[list[str]]:
    """The program is read and grounded anew for each board, and solved once."""
    names = _names(pairs)
    found = []
    for board in boards:
        kinds = _grounded(board, names)
        found.append([kinds[pair] for pair in pairs])
    return found


def ground_each_verdict(boards: Sequence[Sequence[str]], pairs: Sequence[Args]) -> list[list[str]]:
    """The program is read, grounded and solved anew for each verdict."""
    names = _names(pairs)
    return [[_grounded(board, names)[pair] for pair in pairs] for board in boards]


class GroundedOnce:
    """The program is grounded once: facts that some boards don't have are externals, switched for each board."""

    def __init__(self, boards: Sequence[Sequence[str]], pairs: Sequence[Args]) -> None:
        every = {fact for board in boards for fact in board}
        always = set(boards[0]).intersection(*boards)
        self.control = clingo.Control(["--warn=none"])
        text = "".join(f"{f}." for f in sorted(always)) + "".join(f"#external {f}." for f in sorted(every - always))
        self.control.add("base", [], PROGRAM + text)
        self.control.ground([("base", [])])
        self.pairs = tuple(pairs)
        self.names = _names(pairs)
        symbols = {fact: clingo.parse_term(fact) for fact in every - always}
        self.switches = [{symbols[fact] for fact in board if fact in symbols} for board in boards]
        self.now: set[clingo.Symbol] = set()
        atoms = self.control.symbolic_atoms
        self.legal = [[a.literal for k in KINDS[3:] if (a := atoms[atom(pair, k)]) is not None] for pair in pairs]

    def _switch(self, wanted: set[clingo.Symbol]) -> None:
        for symbol in self.now - wanted:
            self.control.assign_external(symbol, False)
        for symbol in wanted - self.now:
            self.control.assign_external(symbol, True)
        self.now = wanted

    def solve_each_board(self) -> list[list[str]]:
        """One solve for each board; the verdicts are read from its model."""
        found = []
        for wanted in self.switches:
            self._switch(wanted)
            kinds = _answer(self.control, self.names)
            found.append([kinds[pair] for pair in self.pairs])
        return found

    def solve_each_verdict(self) -> list[list[bool]]:
        """One solve for each pair: may it be?"""
        found = []
        for wanted in self.switches:
            self._switch(wanted)
            found.append([any(self._holds(literal) for literal in literals) for literals in self.legal])
        return found

    def _holds(self, literal: int) -> bool:
        return bool(self.control.solve(assumptions=[literal]).satisfiable)


def legal(verdicts: Iterable[Sequence[str]]) -> list[list[bool]]:
    """Whether each pair may be."""
    return [[kind in KINDS[3:] for kind in board] for board in verdicts]
