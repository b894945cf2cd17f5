"""Reading, parsing and checking the shipped model, with and without the cache, and what of it takes how long."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

from benchmarks.cold import environment, tool
from benchmarks.timing import interleaved, median_of, subprocesses
from verify_rules.diagnostics import Reporter
from verify_rules.model import lints, strata
from verify_rules.model.elaborate import elaborate
from verify_rules.model.load import forget_parsed, load, shipped_model
from verify_rules.parse.parser import parse_file
from verify_rules.source import discover, read_source

OUT = Path(__file__).with_name("out")


def measure(quick: bool) -> dict[str, Any]:
    """See README.md, `loading`."""
    os.environ["VERIFY_RULES_CACHE"] = str(OUT / "cache")
    reporter = Reporter()
    files = [read_source(path) for path in discover([shipped_model()])]
    documents = [parse_file(file, reporter) for file in files]
    named = {file.path: file for file in files}
    model = elaborate(documents, named, reporter, None, "")
    assert model is not None
    built = model
    items = sum(len(document.items) for document in documents)

    def check() -> None:
        strata.check(built, Reporter())
        lints.check(built, Reporter())

    def load_anew() -> None:
        forget_parsed()
        load(cache=False)

    times = interleaved(
        {
            "load, from the cache": load,
            "load, from the cache, without rulings": lambda: load(rulings=False),
            "load, no cache": load_anew,
            "of it: reading": lambda: [read_source(path) for path in discover([shipped_model()])],
            "of it: parsing": lambda: [parse_file(file, Reporter()) for file in files],
            "of it: names and types": lambda: elaborate(documents, named, Reporter(), None, ""),
            "of it: strata and lints": check,
        },
        3 if quick else 9,
    )
    here = environment()
    check_command = [tool(), "check"]
    commands = {"check": (check_command, here), "check --no-cache": ([*check_command, "--no-cache"], here)}
    spent = {name: median_of(s) for name, s in subprocesses(commands, 3 if quick else 9).items()}
    lines = sum(file.text.count("\n") for file in files)
    without = load(rulings=False).model
    return {
        "files": len(files),
        "lines": lines,
        "items": items,
        "rulings": len(model.rulings),
        "milliseconds": {name: round(1000 * t, 1) for name, t in times.items()},
        "cache is faster by": round(times["load, no cache"] / times["load, from the cache"], 1),
        "lines parsed per second": round(lines / times["of it: parsing"]),
        "kilobytes kept": round(len(pickle.dumps(model, protocol=5)) / 1024),
        "kilobytes kept, without rulings": round(len(pickle.dumps(without, protocol=5)) / 1024),
        "command, milliseconds": {name: round(1000 * s.wall) for name, s in spent.items()},
    }
