"""The states found so far, each with the step that first reached it."""

from __future__ import annotations

from array import array
from collections.abc import Hashable

from gristmill.search.model import State

NONE = -1  # in place of a parent and of an action: an initial state


class Store:
    """Exact: a dictionary from a state, or what stands for it, to its number. Some 130 bytes beside the state itself.

    `states` in the order of discovery is also the queue of a breadth-first search. The lists are public because the
    search appends to them in its innermost loop.
    """

    __slots__ = ("actions", "index", "parents", "states")

    def __init__(self) -> None:
        self.index: dict[Hashable, int] = {}
        self.states: list[State] = []
        self.parents = array("q")
        self.actions = array("i")

    def __len__(self) -> int:
        return len(self.states)

    def path(self, number: int) -> list[tuple[int | None, State]]:
        """Actions and states from an initial state to this one."""
        path: list[tuple[int | None, State]] = []
        while number != NONE:
            action = self.actions[number]
            path.append((None if action == NONE else action, self.states[number]))
            number = self.parents[number]
        path.reverse()
        return path
