"""Measure: `make bench`, or `python benchmarks/run.py [--only NAME]... [--quick] [--write]`.

Results are printed, and written to benchmarks/out as JSON; `--write` puts those of all measures into README.md, which
says what each figure means.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping
from importlib import import_module, metadata
from pathlib import Path
from time import perf_counter
from typing import Any

HERE = Path(__file__).resolve().parent
HEADING = "## Figures\n"
NAMES = ("cold", "warm", "loading", "growth", "counts")


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description="Measure verify-rules; README.md says what the figures mean.")
    parser.add_argument("--only", action="append", choices=NAMES, help="only this measure (may be given several times)")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions and smaller sizes: to try it out")
    parser.add_argument("--write", action="store_true", help="put the figures in benchmarks/out into README.md")
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE.parent))
    from benchmarks.timing import write_json

    machine = _machine()
    for name in NAMES:
        if arguments.only and name not in arguments.only:
            continue
        measure: Callable[[bool], dict[str, Any]] = _measure(name)
        begun = perf_counter()
        result = measure(arguments.quick)
        print(f"\n{name} ({perf_counter() - begun:.0f} s)")
        print(_table(result))
        write_json(HERE / "out" / f"{name}.json", {"machine": machine, "quick": arguments.quick, "result": result})
    if arguments.write:
        _write_figures()


def _measure(name: str) -> Callable[[bool], dict[str, Any]]:
    found: Callable[[bool], dict[str, Any]] = import_module(f"benchmarks.{name}").measure
    return found


def _machine() -> dict[str, Any]:
    packages = ("verify-rules", "z3-solver", "clingo", "lark", "click")
    versions = {name: metadata.version(name) for name in packages}
    return {"processors": os.cpu_count(), "python": platform.python_version(), "versions": versions}


def _table(result: Mapping[str, Any], indent: str = "  ") -> str:
    """A table: one line for each figure."""
    width = max(len(name) for name in result)
    lines = []
    for name, value in result.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{name}", _table(value, indent + "    ")]
        else:
            text = f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
            lines.append(f"{indent}{name.ljust(width)}  {text.rjust(12)}")
    return "\n".join(lines)


def _write_figures() -> None:
    """The figures of the last run of each measure, at the end of README.md."""
    readme = HERE / "README.md"
    text = readme.read_text(encoding="utf-8")
    kept = text[: text.index(HEADING) + len(HEADING)]
    parts = []
    for name in NAMES:
        file = HERE / "out" / f"{name}.json"
        if not file.exists():
            sys.exit(f"{name} was not measured yet: python benchmarks/run.py --only {name}")
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["quick"]:
            sys.exit(f"{name} was measured with --quick only: python benchmarks/run.py --only {name}")
        machine = found["machine"]
        versions = ", ".join(f"{n} {v}" for n, v in machine["versions"].items())
        about = f"{machine['processors']} processors, Python {machine['python']}, {versions}"
        parts.append(f"### `{name}`\n\n{about}\n\n```text\n{_table(found['result'], '')}\n```\n")
    readme.write_text(kept + "\n" + "\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
