"""Lark's parse tree → the syntax tree of `tree.py`: one method per rule of the grammar, nothing else.

The methods stand in one class per chapter of the grammar; Lark finds them by the names of the rules.
"""

from __future__ import annotations

from verify_rules.parse.build_declarations import Declarations
from verify_rules.parse.build_formulas import Formulas
from verify_rules.parse.build_scenarios import Scenarios


class Build(Formulas, Declarations, Scenarios):
    """Builds the syntax tree; `line` and `column` are what to add to the positions that the parser saw."""
