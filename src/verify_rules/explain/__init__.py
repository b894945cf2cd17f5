"""Why a verdict is what it is: computed from the reference, fact by fact, each with the step that made it so.

`Explainer` gives the reasons as data (`reasons`), `Words` says them in English or Japanese (`words`).
"""

from verify_rules.explain.absences import Pair, mistake, no_duty
from verify_rules.explain.explainer import Explainer
from verify_rules.explain.reasons import Absent, Decider, Fact, Origin, Reason, Source
from verify_rules.explain.texts import LANGUAGES
from verify_rules.explain.words import Words

__all__ = [
    "LANGUAGES",
    "Absent",
    "Decider",
    "Explainer",
    "Fact",
    "Origin",
    "Pair",
    "Reason",
    "Source",
    "Words",
    "mistake",
    "no_duty",
]
