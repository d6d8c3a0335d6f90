"""The states that a specification may be in, given what has been observed of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from gristmill.search.frontier import Cut, Frontier, Verdict
from gristmill.search.observation import Observation
from gristmill.specification.states import State

T = TypeVar("T")


class OpenFrontier:
    """A `search.frontier.Frontier` of a specification: see there.

    `advance` takes what `Specification.follow` takes: an `Observation`, the name of an action, a pair of that and its
    parameters, or the values of some variables.
    """

    def __init__(
        self,
        frontier: Frontier,
        run: Callable[[Callable[[], Any]], Any],
        observation: Callable[[Any], Observation],
        state: Callable[[Any], State],
    ) -> None:
        self._frontier, self._run, self._observation, self._state = frontier, run, observation, state

    def advance(self, observed: Any) -> bool:
        """Whether some behaviour goes on with this; if none does, the states stay as they are."""
        return bool(self._run(lambda: self._frontier.advance(self._observation(observed))))

    @property
    def states(self) -> Collection[State]:
        return [self._state(each) for each in self._frontier.states]

    @property
    def advanced(self) -> int:
        """How many observations were matched."""
        return self._frontier.advanced

    @property
    def verdict(self) -> Verdict:
        """ "matched"; "left" if no behaviour fits; "unknown" if none was found, and `cuts` says what was left out."""
        return self._frontier.verdict

    @property
    def cuts(self) -> tuple[Cut, ...]:
        return tuple(self._frontier.cuts)

    def __len__(self) -> int:
        return len(self._frontier.states)
