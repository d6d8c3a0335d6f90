"""Operators written in Python: those of the language that are no nodes of their own, and those of the modules.

The meaning is that of TLC's Java overrides, including what they accept and what they refuse.
"""

# each module enters its operators into the table
from gristmill.library import (
    arithmetic,
    bags,
    files,
    functions,
    graphs,
    integers_ext,
    language,
    pictures,
    randomness,
    sequences,
    sequences_ext,
    tlc,
)
from gristmill.library.registry import PRIMITIVES, Implementation, effects, is_cheap, is_primitive

__all__ = [
    "PRIMITIVES",
    "Implementation",
    "arithmetic",
    "bags",
    "effects",
    "files",
    "functions",
    "graphs",
    "integers_ext",
    "is_cheap",
    "is_primitive",
    "language",
    "pictures",
    "randomness",
    "sequences",
    "sequences_ext",
    "tlc",
]
