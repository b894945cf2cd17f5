"""The reference: what a scenario means, computed on concrete values, plainly, on demand, without a solver.

- `run(model, scenario, readings)` → `Run`: the board, all steps with the `Moment`s before and after, the expectations.
- `Moment`: what holds in a state: `value` of any formula, `status`, `verdict`, `duty`, `ask`, `happens`; for
  explanations `clause_instances`, `norm_instances`, `lift_instances`, `applying`, `live`.
- `apply(moment, event, args)` → `Happened | Impossible | Fault`.
- `Runs(model, scenario)`: for many runs of one scenario under different readings.
- `explore(model, f)`: all that `f` gives under the readings it looks at.

The package `encode` states the same meaning a second time, on its own; neither may use the other.
"""

from verify_rules.semantics.evaluate import WILD, Env
from verify_rules.semantics.events import (
    Fault,
    Happened,
    Impossible,
    Outcome,
    Slot,
    Write,
    additions,
    apply,
    obstacle,
    replacement,
)
from verify_rules.semantics.moment import CyclicRules, Moment
from verify_rules.semantics.readings import Readings, TooManyReadings, explore
from verify_rules.semantics.run import Expected, Run, Runs, RunStep, bottom_up, repaired, run, show
from verify_rules.semantics.state import Board, Index, Key, NotSearched, State, board_of
from verify_rules.semantics.verdict import (
    AmendmentInstance,
    Applying,
    Args,
    ClauseInstance,
    Failure,
    Instance,
    Kind,
    LiftInstance,
    Stage,
    TriggerInstance,
    Verdict,
)

__all__ = [
    "WILD",
    "AmendmentInstance",
    "Applying",
    "Args",
    "Board",
    "ClauseInstance",
    "CyclicRules",
    "Env",
    "Expected",
    "Failure",
    "Fault",
    "Happened",
    "Impossible",
    "Index",
    "Instance",
    "Key",
    "Kind",
    "LiftInstance",
    "Moment",
    "NotSearched",
    "Outcome",
    "Readings",
    "Run",
    "RunStep",
    "Runs",
    "Slot",
    "Stage",
    "State",
    "TooManyReadings",
    "TriggerInstance",
    "Verdict",
    "Write",
    "additions",
    "apply",
    "board_of",
    "bottom_up",
    "explore",
    "obstacle",
    "repaired",
    "replacement",
    "run",
    "show",
]
