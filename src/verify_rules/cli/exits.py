"""Exit codes (design, section 4)."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What the exit code of a command means."""

    WELL = 0
    FINDING = 1
    USAGE = 2
    MODEL_ERRORS = 3
    UNDECIDED = 4
    NOTHING_CHECKED = 5
    BUG = 70
    INTERRUPTED = 130
    # Not one of ours, but what a shell tells of any program whose output is no longer read.
    UNREAD = 141


TABLE = """\b
Exit codes:
  0    done, all well
  1    a finding, a refuted claim, an unmet expectation
  2    wrong usage
  3    the model files have errors
  4    undecided (budget spent)
  5    nothing was checked
  70   a bug of ours
  130  interrupted (what is known so far is printed)"""
