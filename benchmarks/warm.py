"""Verdicts per second: the reference, compiled terms, a solver call per verdict, and clingo with a program by hand.

All are asked about the same boards (fillings of `boards.SHAPES`) and about all pairs of attacker and target on each
board, and have to agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import process_time
from typing import Any

from benchmarks import asp
from benchmarks.boards import ACTION, FILLED_FIELDS, SHAPES, Filled, fillings, opened, shipped, shown
from benchmarks.timing import interleaved
from verify_rules.encode import VERDICTS, Compiled, Encoding, Term, size_of
from verify_rules.encode.norms import Verdict
from verify_rules.model.model import Model
from verify_rules.semantics import Args, Moment, Readings, Run, run
from verify_rules.solve.backend import Backend

COMPILED = "compiled terms, board by board"

ALONE = "solver, a call per verdict, each board encoded by itself"

PER_VERDICT = "clingo, grounded and solved per verdict"


@dataclass(frozen=True)
class Reached:
    """A filling, the run of its script, and the pairs to ask about."""

    filled: Filled
    run: Run
    pairs: tuple[Args, ...]


def reach(model: Model, filled: Iterable[Filled]) -> list[Reached]:
    """Play the scripts."""
    found = []
    for one in filled:
        done = run(model, one.scenario)
        assert done.stopped is None, f"{one.shape.name}: {done.stopped}"
        pairs = tuple(pair for actor in done.board.objects for pair in done.board.pairs(ACTION, (actor,)))
        found.append(Reached(one, done, pairs))
    return found


def by_reference(model: Model, reached: Sequence[Reached]) -> list[list[str]]:
    """A fresh moment for every board: nothing is remembered from the run."""
    found: list[list[str]] = []
    for one in reached:
        moment = Moment(one.run.board, one.run.final.state, Readings(model))
        found.append([moment.verdict(ACTION, pair).kind for pair in one.pairs])
    return found


def by_running(model: Model, reached: Sequence[Reached]) -> list[list[str]]:
    """The script is played too, from the empty battle zone on."""
    found: list[list[str]] = []
    for one in reached:
        final = run(model, one.filled.scenario).final
        found.append([final.verdict(ACTION, pair).kind for pair in one.pairs])
    return found


@dataclass(frozen=True)
class Session:
    """A solver session for all fillings of a shape: `legal` is a literal for each pair, `assumed` those of a board."""

    backend: Backend
    legal: list[Any]
    assumed: list[list[Any]]


class BySolver:
    """One encoding for each shape, with all that its fillings decide unknown; a board is a list of assumptions."""

    def __init__(self, model: Model, reached: Sequence[Reached]) -> None:
        defaults = {name: reading.default for name, reading in model.readings.items()}
        self.sessions: list[Session] = []
        self.made = 0
        self.size = 0
        for _, group in groupby(reached, key=lambda r: r.filled.shape.name):
            boards = list(group)
            encoding = Encoding(model, opened([b.filled for b in boards]), readings=defaults)
            legal = [_legal(encoding, pair) for pair in boards[0].pairs]
            backend = Backend(numbers=False)
            for term in encoding.constraints:
                backend.add(term)
            proxies = []
            for term in legal:
                proxies.append(backend.proxy("legal"))
                backend.add(term, only_if=proxies[-1])
            assumed = [[backend.expression(t) for t in _assumptions(encoding, board.filled)] for board in boards]
            self.sessions.append(Session(backend, proxies, assumed))
            self.made += len(encoding.factory)
            self.size += size_of(*legal)

    def ask(self) -> list[list[bool]]:
        """May this pair be? One call of the solver for every board and pair."""
        return [
            [session.backend.check([*known, legal], None, None) == "sat" for legal in session.legal]
            for session in self.sessions
            for known in session.assumed
        ]

    def work(self) -> int:
        """The solver's own count of its work, which repeats."""
        return sum(session.backend.used() for session in self.sessions)


@dataclass(frozen=True)
class Table:
    """The compiled verdicts of a shape, its boards one by one, and the columns of all of them together."""

    compiled: Compiled
    rows: list[dict[str, int]]
    columns: dict[str, int]
    pairs: int


class ByTerms:
    """The same encodings as the solver's, with the terms of all verdicts compiled; no solver."""

    def __init__(self, model: Model, reached: Sequence[Reached]) -> None:
        defaults = {name: reading.default for name, reading in model.readings.items()}
        self.tables: list[Table] = []
        for _, group in groupby(reached, key=lambda r: r.filled.shape.name):
            boards = list(group)
            encoding = Encoding(model, opened([b.filled for b in boards]), readings=defaults)
            verdicts = [_verdicts(encoding, pair) for pair in boards[0].pairs]
            compiled = Compiled([verdict[kind] for verdict in verdicts for kind in VERDICTS])
            rows = []
            for board in boards:
                wanted = {term.name for term in _assumptions(encoding, board.filled)}
                rows.append({name: int(name in wanted) for name in compiled.variables})
            columns = {n: sum(row[n] << i for i, row in enumerate(rows)) for n in compiled.variables}
            self.tables.append(Table(compiled, rows, columns, len(boards[0].pairs)))

    def one_by_one(self) -> list[list[str]]:
        """A call for every board."""
        return [
            [VERDICTS[values.index(1, at, at + len(VERDICTS)) - at] for at in range(0, len(values), len(VERDICTS))]
            for table in self.tables
            for values in map(table.compiled, table.rows)
        ]

    def together(self) -> list[tuple[int, ...]]:
        """A call for every shape: a bit vector over its boards for each pair and kind of verdict."""
        return [table.compiled(table.columns, len(table.rows)) for table in self.tables]

    def read(self, found: list[tuple[int, ...]]) -> list[list[str]]:
        """What `together` found, as verdicts of each board."""
        kinds = len(VERDICTS)
        return [
            [next(k for n, k in enumerate(VERDICTS) if values[p * kinds + n] >> i & 1) for p in range(table.pairs)]
            for table, values in zip(self.tables, found, strict=True)
            for i in range(len(table.rows))
        ]


def _verdicts(encoding: Encoding, pair: Args) -> dict[Verdict, Term]:
    return encoding.verdict(ACTION, [a for a in pair if not isinstance(a, frozenset)])


def _legal(encoding: Encoding, pair: Args) -> Term:
    verdicts = _verdicts(encoding, pair)
    return encoding.factory.any_of([verdicts["permitted"], verdicts["required"]])


def _assumptions(encoding: Encoding, filled: Filled) -> list[Term]:
    names = encoding.factory.variables
    cards = [entry.object.name for entry in filled.scenario.entries]
    wanted = (f"{card}.{field}={shown(filled.value(card, field))}" for card in cards for field in FILLED_FIELDS)
    # A field that has the same value on every board has no variable.
    return [names[name] for name in wanted if name in names]


def measure(quick: bool) -> dict[str, Any]:
    """See README.md, `warm`."""
    model = shipped()
    reached = reach(model, fillings(model, 4 if quick else 25))
    pairs = reached[0].pairs
    assert all(
        tuple(map(str, p)) == tuple(map(str, q)) for one in reached for p, q in zip(pairs, one.pairs, strict=True)
    )

    begun = process_time()
    solver = BySolver(model, reached)
    encoding_time = process_time() - begun
    begun = process_time()
    terms = ByTerms(model, reached)
    compiling_time = process_time() - begun
    boards = [asp.facts(Moment(one.run.board, one.run.final.state, Readings(model))) for one in reached]
    begun = process_time()
    grounded = asp.GroundedOnce(boards, pairs)
    grounding_time = process_time() - begun

    expected = by_reference(model, reached)
    assert by_running(model, reached) == expected
    assert asp.ground_each(boards, pairs) == expected, "clingo and the reference differ"
    assert grounded.solve_each_board() == expected
    assert grounded.solve_each_verdict() == asp.legal(expected)
    assert terms.one_by_one() == expected, "the compiled terms and the reference differ"
    assert terms.read(terms.together()) == expected
    before = solver.work()
    assert solver.ask() == asp.legal(expected), "the solver and the reference differ"
    work = solver.work() - before

    some = reached[:: len(reached) // len(SHAPES)]

    times = interleaved(
        {
            "reference": lambda: by_reference(model, reached),
            "reference, script played too": lambda: by_running(model, reached),
            COMPILED: terms.one_by_one,
            "compiled terms, all boards of a shape at once": terms.together,
            "solver, a call per verdict": solver.ask,
            ALONE: lambda: [BySolver(model, [r]).ask() for r in some],
            PER_VERDICT: lambda: asp.ground_each_verdict(boards[:: len(boards) // len(SHAPES)], pairs),
            "clingo, grounded per board, a solve per board": lambda: asp.ground_each(boards, pairs),
            "clingo, grounded once, a solve per verdict": grounded.solve_each_verdict,
            "clingo, grounded once, a solve per board": grounded.solve_each_board,
        },
        3 if quick else 7,
    )
    for name in (ALONE, PER_VERDICT):
        times[name] *= len(reached) / len(some)
    count = sum(len(board) for board in expected)
    own, fast = times["reference"], times[COMPILED]
    return {
        "boards": len(reached),
        "verdicts": count,
        "kinds": {kind: sum(board.count(kind) for board in expected) for kind in asp.KINDS},
        "verdicts per second": {name: round(count / spent) for name, spent in times.items()},
        "reference is faster by": {name: round(spent / own, 2) for name, spent in times.items() if name != "reference"},
        "compiled terms, board by board, are faster by": {
            name: round(spent / fast, 2) for name, spent in times.items() if name != COMPILED
        },
        "seconds to encode and compile": round(compiling_time, 3),
        "seconds to encode and assert": round(encoding_time, 3),
        "seconds to ground once": round(grounding_time, 3),
        "terms made": solver.made,
        "terms of the questions": solver.size,
        "z3 rlimit of all calls": work,
        "goal": "≥ 20 times a solver call per verdict, and clingo",
    }
