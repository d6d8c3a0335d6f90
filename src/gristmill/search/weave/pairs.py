"""The pairs of a position and a state that a search has found, and how it got there.

There may be hundreds of thousands. So positions, states and pairs have numbers, and each is kept once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from gristmill.search.model import State, Taken
from gristmill.search.weave.strands import Position

HIDDEN = -1  # in the place of a strand: steps that nobody has seen
NOWHERE = -1  # the origin of the pairs to begin with

Judge: TypeAlias = Callable[[State], int]  # the predicates that are false in a state, a bit for each


@dataclass(frozen=True, slots=True)
class Pair:
    position: Position
    state: State
    broken: int  # predicates that were false somewhere on the way here, a bit for each


@dataclass(frozen=True, slots=True)
class Stitch:
    """One event of a behaviour, or hidden steps (`strand` is None); `taken` are its steps, perhaps none."""

    strand: int | None
    number: int
    taken: tuple[Taken, ...]
    state: State  # after it


class Pairs:
    """Pairs differ in what is broken, too: a behaviour that has kept all predicates is another one."""

    def __init__(self, judge: Judge | None) -> None:
        self._judge = judge
        self._positions: list[Position] = []
        self._distances: list[int] = []  # of each position: how many events have happened
        self._position_numbers: dict[Position, int] = {}
        self._states: list[State] = []
        self._state_numbers: dict[State, int] = {}
        self._false: list[int] = []  # of each state: the predicates that are false in it
        self._of: list[tuple[int, int, int]] = []  # of each pair: the numbers of its position and state, what is broken
        self._numbers: dict[int, int] = {}
        self._origins = array("q")
        self._hidden = array("q")  # steps that nobody has seen, since the last event
        self._how: list[tuple[int, tuple[Taken, ...]]] = []

    def __len__(self) -> int:
        return len(self._of)

    def key(self, position: Position, state: State, origin: int, taken: tuple[Taken, ...]) -> tuple[int, int, int]:
        """What a pair is known by."""
        place, number = self._position_number(position), self._state_number(state)
        return place, number, 0 if self._judge is None else self._broken(number, origin, taken)

    def has(self, key: tuple[int, int, int]) -> bool:
        return _packed(key) in self._numbers

    def add(self, key: tuple[int, int, int], origin: int, strand: int, taken: tuple[Taken, ...]) -> int:
        pair = self._numbers[_packed(key)] = len(self._of)
        self._of.append(key)
        self._origins.append(origin)
        self._hidden.append(0 if strand != HIDDEN or origin == NOWHERE else self._hidden[origin] + 1)
        self._how.append((strand, taken))
        return pair

    def _broken(self, number: int, origin: int, taken: tuple[Taken, ...]) -> int:
        broken = 0 if origin == NOWHERE else self._of[origin][2]
        for each in taken[:-1]:
            broken |= self._false[self._state_number(each.state)]
        return broken | self._false[number]

    def _state_number(self, state: State) -> int:
        number = self._state_numbers.get(state)
        if number is None:
            false = 0 if self._judge is None else self._judge(state)
            number = self._state_numbers[state] = len(self._states)
            self._states.append(state)
            self._false.append(false)
        return number

    def _position_number(self, position: Position) -> int:
        number = self._position_numbers.get(position)
        if number is None:
            number = self._position_numbers[position] = len(self._positions)
            self._positions.append(position)
            self._distances.append(sum(position))
        return number

    # ---------------------------------------------------------------------------------------------------- what there is

    def __getitem__(self, number: int) -> Pair:
        place, state, broken = self._of[number]
        return Pair(self._positions[place], self._states[state], broken)

    def position(self, number: int) -> Position:
        return self._positions[self._of[number][0]]

    def state(self, number: int) -> State:
        return self._states[self._of[number][1]]

    def distance(self, number: int) -> int:
        """How many events have happened."""
        return self._distances[self._of[number][0]]

    def worth(self, number: int) -> int:
        """How far along it is. Hidden steps since the last event count against it, more of them less and less: where
        there is no end of them, what lies further and further back has its turn in between."""
        return self.distance(number) - self._hidden[number].bit_length()

    def at(self, distance: int) -> list[int]:
        """The pairs in which so many events have happened."""
        return [number for number, (place, _, _) in enumerate(self._of) if self._distances[place] == distance]

    def furthest(self) -> Position:
        """Of each strand, how many events have happened in some pair."""
        return tuple(map(max, zip(*self._positions, strict=True)))

    def way(self, number: int) -> list[int]:
        """The pairs from the one where it begins to this one."""
        way = [number]
        while (before := self._origins[way[-1]]) != NOWHERE:
            way.append(before)
        return way[::-1]

    def path(self, number: int) -> tuple[State, list[Stitch]]:
        """The state where it begins, and the events and hidden steps from there to a pair."""
        way = self.way(number)
        return self.state(way[0]), [self._stitch(before, after) for before, after in pairwise(way)]

    def _stitch(self, before: int, after: int) -> Stitch:
        strand, taken = self._how[after]
        if strand == HIDDEN:
            return Stitch(None, 0, taken, self.state(after))
        return Stitch(strand, self.position(before)[strand], taken, self.state(after))


def _packed(key: tuple[int, int, int]) -> int:
    """One number takes less room than three."""
    place, number, broken = key
    return number | place << 32 | broken << 64
