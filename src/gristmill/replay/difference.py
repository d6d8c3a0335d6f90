"""Where two values differ inside: `log[1][2].term`: 3 in one, 4 in the other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from gristmill.trace.difference import Change, changes, path_text
from gristmill.values import show

_MOST = 8


@dataclass(frozen=True, slots=True)
class Difference:
    """`path` leads to the part; "" is the whole. What only one side has is "" on the other."""

    path: str
    model: str
    real: str

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        if not self.real:
            return f"{where}{self.model} is missing"
        if not self.model:
            return f"{where}{self.real} is too much"
        return f"{where}{self.model} in the model, {self.real} in the system"


def differences(model: Any, real: Any) -> tuple[Difference, ...]:
    """The first few, from left to right. Values of the world that is active."""
    return tuple(_difference(each) for each in islice(changes(model, real, shifts=False), _MOST))


def _difference(change: Change) -> Difference:
    return Difference(path_text(change.path), _text(change.before), _text(change.after))


def _text(value: Any) -> str:
    return "" if value is None else show(value)
