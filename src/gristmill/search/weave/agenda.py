"""What a search still has to look at, what is worth most first."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush


@dataclass(slots=True)
class Entry:
    """A pair, by its number, and the moves from it that have not been tried, the best one last."""

    pair: int
    moves: list[int]


class Agenda:
    """A stack for each worth. What is `doubtful` waits until there is nothing else."""

    def __init__(self) -> None:
        self._sides: tuple[_Side, _Side] = _Side(), _Side()

    def __bool__(self) -> bool:
        return any(side.stacks for side in self._sides)

    @property
    def has_certain(self) -> bool:
        """Whether there is something that is not doubtful."""
        return bool(self._sides[False].stacks)

    def put(self, entry: Entry, worth: int, doubtful: bool) -> None:
        if entry.moves:
            self._sides[doubtful].put(entry, worth)

    def take(self, most: int) -> list[Entry]:
        """Some of those that are worth most, the latest first; none if there is nothing left."""
        for side in self._sides:
            if side.stacks:
                return side.take(most)
        return []


class _Side:
    def __init__(self) -> None:
        self.stacks: dict[int, list[Entry]] = {}  # by worth; none is empty
        self._worths: list[int] = []  # a heap of them, with the greatest first, as they are negative

    def put(self, entry: Entry, worth: int) -> None:
        if worth not in self.stacks:
            self.stacks[worth] = []
            heappush(self._worths, -worth)
        self.stacks[worth].append(entry)

    def take(self, most: int) -> list[Entry]:
        worth = -self._worths[0]
        stack = self.stacks[worth]
        taken = stack[-most:][::-1]
        del stack[-most:]
        if not stack:
            del self.stacks[worth]
            heappop(self._worths)
        return taken
