"""Where a breadth-first search is, for models that ask (`TLCGet("level")`, `Trace`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from gristmill.search.model import State

if TYPE_CHECKING:
    from gristmill.search.bfs import BreadthFirst
    from gristmill.search.model import Model


class SearchPosition:
    """Follows a search by wrapping its calls, so that other searches pay nothing."""

    def __init__(self, search: BreadthFirst) -> None:
        self._search = search
        self._candidate: State | None = None  # the state that a predicate is being evaluated in
        self.action: int | None = None
        self.behaviour = 0

    def follow_successors(self, model: Model) -> Callable[[State], Iterator[tuple[int, Sequence[State]]]]:
        def successors(state: State) -> Iterator[tuple[int, Sequence[State]]]:
            for action, states in model.successors(state):
                self.action = action
                for each in states:  # one by one, so that `generated` is exact
                    yield action, (each,)

        return successors

    def follow_predicate(self, holds: Callable[[State], bool]) -> Callable[[State], bool]:
        def check(state: State) -> bool:
            self._candidate = state
            try:
                return holds(state)
            finally:
                self._candidate = None

        return check

    @property
    def level(self) -> int:
        return self._search.level + (self._candidate is not None)

    @property
    def distinct(self) -> int:
        return len(self._search.store)

    @property
    def generated(self) -> int:
        return self._search.generated

    @property
    def queue(self) -> int:
        """A state that is being checked is not in the queue yet."""
        states = self._search.store.states
        return len(states) - self._search.expanded - (bool(states) and states[-1] is self._candidate)

    @property
    def depth(self) -> int:
        return self._search.depth

    @property
    def seconds(self) -> float:
        return self._search.seconds

    def path(self) -> Sequence[tuple[int | None, State]]:
        path = self._search.store.path(self._search.expanded - 1)
        if self._candidate is not None:
            path.append((self.action, self._candidate))
        return path

    def stop(self) -> None:
        self._search.stop()
