"""Time and memory of `audit` for 100, 1,000 and 10,000 rulings."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

from benchmarks.cold import environment, tool
from benchmarks.timing import median_of, spend, subprocesses

OUT = Path(__file__).with_name("out")
GENERATE = Path(__file__).with_name("generate_rulings.py")


def measure(quick: bool) -> dict[str, Any]:
    """See README.md, `growth`."""
    sizes = (100, 1_000) if quick else (100, 1_000, 10_000)
    commands = {}
    for size in sizes:
        folder = OUT / f"rulings-{size}"
        # In a process of its own: a process's greatest memory counts that of the process which started it.
        spend([sys.executable, str(GENERATE), str(folder), str(size)], environment())
        commands[str(size)] = ([tool(), "audit", "--no-progress", str(folder)], environment())
    # A command that finds anything but confirmed rulings ends with another exit code, and that is an error here.
    spent = {name: median_of(s) for name, s in subprocesses(commands, 1 if quick else 3, ["100"]).items()}
    each = {name: (s.cpu - spent["100"].cpu) / (int(name) - 100) for name, s in spent.items() if name != "100"}
    per_ruling = {name: s.cpu / int(name) for name, s in spent.items()}
    first, last = str(sizes[-2]), str(sizes[-1])
    return {
        "seconds": {name: round(s.wall, 2) for name, s in spent.items()},
        "processor seconds": {name: round(s.cpu, 2) for name, s in spent.items()},
        "milliseconds per ruling": {name: round(1000 * t, 2) for name, t in per_ruling.items()},
        "milliseconds per further ruling": {name: round(1000 * t, 2) for name, t in each.items()},
        "most memory in MB": {name: round(s.memory) for name, s in spent.items()},
        f"per ruling, {last} against {first}": round(per_ruling[last] / per_ruling[first], 2),
        "exponent": round(math.log(spent[last].cpu / spent[first].cpu) / math.log(int(last) / int(first)), 2),
        "goal": "linear: an exponent of about 1",
    }
