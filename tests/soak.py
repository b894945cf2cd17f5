"""Law 1 for as long as asked: `python tests/soak.py N [--seed S] [--jobs J]` compares the two meanings on N boards.

Progress goes to stderr, the summary to stdout. Exit codes: 0 no difference, 1 a difference (with the seed, a rulebook
made small, the board and what differs), 130 interrupted (with what was done).
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from generate import Rulebook, dice_of, rulebook
from laws import BOARDS, Loaded, compare, load, recorded, shrink, text_of

SHRINK_SECONDS = 120.0
Loading = Callable[[Rulebook], Loaded]


@dataclass
class Result:
    """What came of a rulebook."""

    seed: int
    stats: Counter[str] = field(default_factory=Counter)
    failure: str = ""


def failure_of(book: Rulebook, stats: Counter[str], loading: Loading = load) -> str:
    """What is wrong with a rulebook; empty if nothing is."""
    try:
        loaded = loading(book)
        if loaded.model is None:
            stats["rulebooks refused"] += 1
            for code in {d.code for d in loaded.errors}:
                stats[f"rulebooks refused: {code}"] += 1
            return ""
        for ruling in loaded.model.rulings:
            difference = compare(loaded.model, ruling.name, ruling.scenario, stats)
            if difference is not None:
                return str(difference)
    except Exception:  # whatever goes wrong is a finding
        return traceback.format_exc(limit=-8)
    return ""


def work(seed: int, loading: Loading = load) -> Result:
    """Law 1 on the boards of one rulebook."""
    result = Result(seed)
    result.stats["rulebooks"] += 1
    result.failure = failure_of(rulebook(dice_of(seed), BOARDS), result.stats, loading)
    return result


def begin() -> None:
    """A worker leaves ctrl-C to its parent, and looks for garbage seldom, as the program does: a sixth of the time."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(300_000)


def explain(result: Result, seconds: float = SHRINK_SECONDS) -> str:
    """The failure of a seed, and a small rulebook with a failure of its own."""
    print("a difference; making its rulebook smaller …", file=sys.stderr, flush=True)
    kind = result.failure.splitlines()[-1].split(":")[0] if result.failure.startswith("Traceback") else ""

    def fails(book: Rulebook) -> bool:
        failure = failure_of(book, Counter())
        return bool(failure) and kind in failure

    small = shrink(recorded(result.seed), fails, seconds)
    failure = failure_of(small, Counter())
    text = text_of([*small.items, *small.scenarios])
    return f"seed {result.seed}\n{result.failure}\n\nmade smaller:\n{text}\n{failure}"


def summary(stats: Counter[str], seconds: float) -> str:
    """What was looked at."""
    lines = [f"{stats['pairs']} boards of {stats['rulebooks']} rulebooks in {seconds:.0f} s"]
    return "\n".join([*lines, *(f"  {name}: {number}" for name, number in sorted(stats.items()))])


def main(arguments: list[str] | None = None) -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("boards", type=int, metavar="N", help="how many boards to compare")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first rulebook")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    given = parser.parse_args(arguments)
    stats: Counter[str] = Counter()
    began = shown = time.monotonic()
    seeds = range(given.seed, sys.maxsize)
    pool = multiprocessing.Pool(max(1, given.jobs), begin, maxtasksperchild=500)
    try:
        # Refused rulebooks have no boards, so seeds are handed out in rounds until there are enough boards.
        at = 0
        while stats["pairs"] < given.boards:
            wanted = -(-(given.boards - stats["pairs"]) // BOARDS)
            for result in pool.imap_unordered(work, seeds[at : at + wanted], chunksize=4):
                stats += result.stats
                if result.failure:
                    pool.terminate()
                    print(explain(result))
                    print(summary(stats, time.monotonic() - began))
                    return 1
                if time.monotonic() - shown > 5:
                    shown = time.monotonic()
                    speed = stats["pairs"] / (shown - began)
                    print(
                        f"{stats['pairs']} of {given.boards} boards, {speed:.1f} a second", file=sys.stderr, flush=True
                    )
            at += wanted
    except KeyboardInterrupt:
        print(f"interrupted after seed {given.seed + stats['rulebooks']}")
        print(summary(stats, time.monotonic() - began))
        return 130
    finally:
        pool.terminate()
    print(summary(stats, time.monotonic() - began))
    return 0


if __name__ == "__main__":
    sys.exit(main())
