"""Looking for what only whole behaviours show, while the search is still under way.

A behaviour in the part of the graph that is known is one of the whole graph: what is wrong with it is wrong. That
nothing is wrong can be said only of the whole graph, at the end.
"""

from __future__ import annotations

from typing import Protocol

from gristmill.search.result import Graph, Violation

FIRST_AFTER = 5.0  # seconds of search
GROWTH = 2  # times as many states as the last time
SHARE = 4  # times as long as the last look took


class Interim(Protocol):
    """What a search asks now and then."""

    def look(self, graph: Graph, expanded: int) -> Violation | None:
        """At the steps from the first `expanded` states; of the others only the states are known."""


class Intervals:
    """When to look: at geometric intervals, so that all looks together cost about as much as the last one."""

    def __init__(self) -> None:
        self._states = 0
        self.not_before = FIRST_AFTER

    def are_over(self, states: int, seconds: float) -> bool:
        return seconds >= self.not_before and states >= GROWTH * self._states

    def begin(self, states: int, started: float, ended: float) -> None:
        """After a look at so many states."""
        self._states = states
        self.not_before = ended + SHARE * (ended - started)
