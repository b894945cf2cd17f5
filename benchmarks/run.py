"""Measure: `make bench`, or `python benchmarks/run.py [--only NAME]... [--quick]`.

Results are printed, and written to benchmarks/out as JSON. README.md says what each figure means.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable, Mapping
from importlib import import_module, metadata
from pathlib import Path
from time import perf_counter
from typing import Any

HERE = Path(__file__).resolve().parent
NAMES = ("cold", "warm", "loading", "growth", "counts")


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description="Measure verify-rules; README.md says what the figures mean.")
    parser.add_argument("--only", action="append", choices=NAMES, help="only this measure (may be given several times)")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions and smaller sizes: to try it out")
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
        _show(result)
        write_json(HERE / "out" / f"{name}.json", {"machine": machine, "quick": arguments.quick, "result": result})


def _measure(name: str) -> Callable[[bool], dict[str, Any]]:
    found: Callable[[bool], dict[str, Any]] = import_module(f"benchmarks.{name}").measure
    return found


def _machine() -> dict[str, Any]:
    packages = ("verify-rules", "z3-solver", "clingo", "lark", "click")
    versions = {name: metadata.version(name) for name in packages}
    return {"processors": os.cpu_count(), "python": platform.python_version(), "versions": versions}


def _show(result: Mapping[str, Any], indent: str = "  ") -> None:
    """A table: one line for each figure."""
    width = max(len(name) for name in result)
    for name, value in result.items():
        if isinstance(value, Mapping):
            print(f"{indent}{name}")
            _show(value, indent + "    ")
        else:
            text = f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
            print(f"{indent}{name.ljust(width)}  {text.rjust(12)}")


if __name__ == "__main__":
    main()
