"""Looking for what only whole behaviours show, while the search is still under way.

A behaviour in the part of the graph that is known is one of the whole graph: what is wrong with it is wrong. That
nothing is wrong can be said only of the whole graph, at the end.
"""

from __future__ import annotations

from typing import Protocol

from gristmill.search.profile import Stopwatch
from gristmill.search.result import Graph, Violation

FIRST = 1_000  # states
GROWTH = 10  # times as many states as the last time


class Interim(Protocol):
    """Asked by a search at intervals."""

    def look(self, graph: Graph, expanded: int) -> Violation | None:
        """At the steps from the first `expanded` states; of the others only the states are known."""


class TimedInterim:
    """The same, as a phase of its own inside of the search."""

    def __init__(self, interim: Interim, stopwatch: Stopwatch) -> None:
        self._interim, self._stopwatch = interim, stopwatch

    def look(self, graph: Graph, expanded: int) -> Violation | None:
        with self._stopwatch.during("temporal"):
            return self._interim.look(graph, expanded)


class Intervals:
    """When to look: between two levels of the search, at geometric intervals, so that all looks together cost no more
    than a part of the last one.

    By the number of states, not by the clock: what is found must not depend on how fast the engine is, or the machine.
    """

    def __init__(self) -> None:
        self.states = FIRST  # as soon as there are so many, at the end of a level

    def are_over(self, states: int) -> bool:
        return states >= self.states

    def begin(self, states: int) -> None:
        """After a look at so many states."""
        self.states = max(GROWTH * states, states + 1)
