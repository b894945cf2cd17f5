"""What a call of `ask` costs, against a Python process that only imports the libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.timing import median_of, subprocesses

OUT = Path(__file__).with_name("out")
QUESTIONS = {
    "ask": ("x : creature; enter(x)", "can attack(x, player)"),
    "ask, longer": (
        "x : psychic, y : creature of opponent in play; enter(x); awaken(x); apply(may_attack_untapped, x); release(x)",
        "can attack(x, _)",
    ),
}  # fmt: skip


def tool() -> str:
    """The installed console script that belongs to this Python."""
    script = Path(sys.executable).with_name("verify-rules")
    if not script.exists():
        raise SystemExit(f"{script} is not there; install the project: make bench")
    return str(script)


def environment() -> dict[str, str]:
    """As a user has it: Python may keep compiled files; caches of our own, so that nothing else warms them."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")}
    return kept | {
        "PYTHONPYCACHEPREFIX": str(OUT / "compiled"),
        "VERIFY_RULES_CACHE": str(OUT / "cache"),
        "NO_COLOR": "1",
    }


def measure(quick: bool) -> dict[str, Any]:
    """See README.md, `cold`."""
    here = environment()
    commands = {"python -c 'import z3, click'": ([sys.executable, "-c", "import z3, click"], here)}
    for name, (given, question) in QUESTIONS.items():
        commands[name] = ([tool(), "ask", "--given", given, question], here)
    given, question = QUESTIONS["ask"]
    commands["ask --no-cache"] = ([tool(), "ask", "--no-cache", "--given", given, question], here)
    commands["ask, no cache of any kind"] = (
        [tool(), "ask", "--given", given, question],
        here | {"VERIFY_RULES_CACHE": "off"},
    )
    commands["python -c pass"] = ([sys.executable, "-c", "pass"], here)
    spent = {name: median_of(s) for name, s in subprocesses(commands, 5 if quick else 21).items()}
    base = spent["python -c 'import z3, click'"]
    imported = _imported([tool(), "ask", "--given", given, question])
    assert not any(name == "z3" or name.startswith("z3.") for name in imported), "ask imports z3"
    return {
        "milliseconds": {name: round(1000 * s.wall) for name, s in spent.items()},
        "processor milliseconds": {name: round(1000 * s.cpu) for name, s in spent.items()},
        "ratio": {name: round(s.wall / base.wall, 2) for name, s in spent.items()},
        "ratio of processor time": {name: round(s.cpu / base.cpu, 2) for name, s in spent.items()},
        "modules that ask imports": len(imported),
        "ask imports z3": False,
        "goal": "ratio ≤ 4 with the cache; z3 is not imported",
    }


def _imported(command: list[str]) -> list[str]:
    """The modules that a call imports, by `-X importtime`."""
    here = environment() | {"PYTHONPROFILEIMPORTTIME": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=here, check=True)
    return [line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
