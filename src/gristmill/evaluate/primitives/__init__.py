"""Operators written in Python: those of the language that are no nodes of their own, and those of the modules.

The meaning is that of TLC's Java overrides, including what they accept and what they refuse.
"""

from gristmill.evaluate.primitives import arithmetic, language, sequences
from gristmill.evaluate.primitives.registry import (
    PRIMITIVES,
    Implementation,
    is_cheap,
    is_primitive,
    is_pure,
)

__all__ = [
    "PRIMITIVES",
    "Implementation",
    "arithmetic",
    "is_cheap",
    "is_primitive",
    "is_pure",
    "language",
    "sequences",
]
