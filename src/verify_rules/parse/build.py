"""Lark's parse tree → the syntax tree of `tree.py`: one method per rule of the grammar, nothing else.

The methods stand in one class per chapter of the grammar; `build` finds them by the names of the rules. (Lark's own
`Transformer` does the same, but wraps each method anew at each call, which takes a tenth of the time of parsing.)
"""

from __future__ import annotations

from typing import Any

from lark import Token, Tree

from verify_rules.parse.build_declarations import Declarations
from verify_rules.parse.build_formulas import Formulas
from verify_rules.parse.build_scenarios import Scenarios

# Rules whose names are words of Python.
RENAMED = {"or": "or_", "and": "and_"}


class Build(Formulas, Declarations, Scenarios):
    """Builds the syntax tree; `line` and `column` are what to add to the positions that the parser saw."""

    def build(self, tree: Tree[Token]) -> Any:
        """The node of a rule, from the bottom up; `Unreadable` for a token that means nothing."""
        children = [self.build(child) if isinstance(child, Tree) else child for child in tree.children]
        return getattr(self, RENAMED.get(tree.data, tree.data))(tree.meta, children)
