"""Functions that cannot be written down, because their domain is infinite: they can be applied, and nothing else."""

from __future__ import annotations

from typing import NoReturn

from gristmill.values.equality import EQUAL
from gristmill.values.errors import EvaluationError
from gristmill.values.function import UnlistedFunction
from gristmill.values.kinds import KINDS
from gristmill.values.order import COMPARE, KEYS
from gristmill.values.shape import SHAPES


def cannot_be_listed(kind: type[UnlistedFunction]) -> None:
    """Values of this class are such functions. Comparing two of them is an error."""
    KINDS[kind] = "a function on an infinite set"
    SHAPES[kind] = lambda value: "lazy"
    EQUAL[kind] = COMPARE[kind] = _refuse
    KEYS[kind] = lambda value: (7,)


def _refuse(a: UnlistedFunction, b: UnlistedFunction) -> NoReturn:
    raise EvaluationError(
        "incomparable-values", "functions on an infinite set cannot be compared: {a} and {b}", a=a, b=b
    )
