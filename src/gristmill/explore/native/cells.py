"""Numbers for what a search meets: cells, messages, what is left of the bounds, values that properties read."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from gristmill.explore.program import Local
from gristmill.explore.transitions import Inbox

T = TypeVar("T", bound=Hashable)


class Cell(NamedTuple):
    """The local state of a process and the messages on their way to it."""

    process: int
    local: Local
    inbox: Inbox


class Numbered(Generic[T]):
    """Values by number, in order of first appearance."""

    def __init__(self) -> None:
        self.numbers: dict[T, int] = {}
        self.values: list[T] = []

    def number(self, value: T) -> tuple[int, bool]:
        """The number of a value, and whether it is new."""
        found = self.numbers.get(value)
        if found is not None:
            return found, False
        self.numbers[value] = len(self.values)
        self.values.append(value)
        return len(self.values) - 1, True

    def __getitem__(self, number: int) -> T:
        return self.values[number]

    def __len__(self) -> int:
        return len(self.values)
