"""Errors for the author of a model: a code, a place, what is wrong in the game's words, and the way out."""

from verify_rules.diagnostics.catalogue import CATALOGUE, Code
from verify_rules.diagnostics.diagnostic import (
    Diagnostic,
    Related,
    Reporter,
    in_order,
    known_words,
    nearest,
    suggestion,
    way_out,
)
from verify_rules.diagnostics.render import render

__all__ = [
    "CATALOGUE",
    "Code",
    "Diagnostic",
    "Related",
    "Reporter",
    "in_order",
    "known_words",
    "nearest",
    "render",
    "suggestion",
    "way_out",
]
