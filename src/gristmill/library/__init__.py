"""Operators with a hand-written implementation: one declaration each, with the Python function beside it.

Those of the language that are no nodes of their own, and those of the modules that need more than their definition in
TLA+. The meaning is that of TLC's Java overrides, including what they accept and what they refuse.
"""

# each module declares its operators
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
from gristmill.library.declaration import OPERATORS, Form, Operator, find
from gristmill.library.effects import Effect

__all__ = [
    "OPERATORS",
    "Effect",
    "Form",
    "Operator",
    "arithmetic",
    "bags",
    "files",
    "find",
    "functions",
    "graphs",
    "integers_ext",
    "language",
    "pictures",
    "randomness",
    "sequences",
    "sequences_ext",
    "tlc",
]
