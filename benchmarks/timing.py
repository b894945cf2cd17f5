"""Time and memory, measured so that they mean something on a busy machine."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

__all__ = ["Spent", "interleaved", "median", "median_of", "spend", "subprocesses", "write_json"]


@dataclass(frozen=True)
class Spent:
    """What a process used: seconds on the clock, seconds of the processor, the most memory it held (in MB)."""

    wall: float
    cpu: float
    memory: float


def interleaved(makers: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Median processor seconds of each; all are called in turn, so that a slow minute hits all alike."""
    spent: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(repetitions):
        for name, make in makers.items():
            gc.collect()
            begun = process_time()
            make()
            spent[name].append(process_time() - begun)
    return {name: median(times) for name, times in spent.items()}


def spend(command: Sequence[str], environment: Mapping[str, str]) -> Spent:
    """Run a command, which has to succeed, and say what it used."""
    begun = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        sys.stderr.write(errors.decode(errors="replace"))
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    # ru_maxrss is in kilobytes on Linux, in bytes on macOS.
    memory = usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
    return Spent(wall, usage.ru_utime + usage.ru_stime, memory)


def subprocesses(
    commands: Mapping[str, tuple[Sequence[str], Mapping[str, str]]], repetitions: int, warm: Sequence[str] = ()
) -> dict[str, list[Spent]]:
    """Run commands in turn, after each (or those of `warm`) has run once to warm the files and caches."""
    for name in warm or commands:
        spend(*commands[name])
    spent: dict[str, list[Spent]] = {name: [] for name in commands}
    for _ in range(repetitions):
        for name, (command, environment) in commands.items():
            spent[name].append(spend(command, environment))
    return spent


def median_of(spent: Sequence[Spent]) -> Spent:
    """The medians."""
    return Spent(median(s.wall for s in spent), median(s.cpu for s in spent), median(s.memory for s in spent))


def write_json(path: Path, value: object) -> None:
    """Write a value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
