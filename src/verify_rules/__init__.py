"""verify-rules: answers, explains and audits the rules of a trading card game by logic.

The packages are the stages of a pipeline, in this order; a module imports from its own package and from those before
it: source → diagnostics → parse → model → semantics → encode → solve → explain → analysis → report → cli.
"""

__version__ = "0.1.0"
