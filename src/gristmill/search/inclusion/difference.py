"""What one graph does and another does not, as two behaviours beside each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.search.inclusion.graph import ObservedGraph


@dataclass(frozen=True, slots=True)
class Run:
    """States of a graph, from an initial one, and the edges between them."""

    states: tuple[int, ...]
    edges: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Possible:
    """An observation that can be seen next: by an edge from a state, for example."""

    observation: int
    state: int
    edge: int


@dataclass(frozen=True, slots=True)
class Difference:
    """`run`, of the first graph, has a trace that the second does not have; no shorter trace differs.

    `matched`: a behaviour of the second that has all of the trace but its last observation; None if that is the first.
    `possible`: what can be seen next in the second, after any behaviour with that trace; of each observation, one way.
    """

    run: Run
    matched: Run | None
    possible: tuple[Possible, ...]


def difference(first: ObservedGraph, second: ObservedGraph, found: Sequence[int]) -> Difference:
    """Of a run of the first graph whose trace is a shortest one that the second does not have."""
    trace = trace_of(first, found)
    ways = _Ways(first, trace)
    end = ways.ends[0]
    if len(trace) == 1:
        return Difference(ways.run(end), None, _initial(second))
    other = _Ways(second, trace[:-1])
    return Difference(ways.run(end), other.run(other.ends[0]), other.possible())


def trace_of(graph: ObservedGraph, states: Sequence[int]) -> list[int]:
    trace: list[int] = []
    for state in states:
        if not trace or graph.observations[state] != trace[-1]:
            trace.append(graph.observations[state])
    return trace


def _initial(graph: ObservedGraph) -> tuple[Possible, ...]:
    found: dict[int, Possible] = {}
    for state in graph.initial:
        seen = graph.observations[state]
        found.setdefault(seen, Possible(seen, state, -1))
    return tuple(found.values())


class _Ways:
    """All runs with a trace: pairs of a position in it and a state, in the order of their distance.

    `ends`: the pairs at its end, the nearest first.
    """

    def __init__(self, graph: ObservedGraph, trace: Sequence[int]) -> None:
        self.graph, self.trace = graph, trace
        self.parents: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {}
        waiting: deque[tuple[int, int]] = deque()
        for state in graph.initial:
            if graph.observations[state] == trace[0] and (0, state) not in self.parents:
                self.parents[0, state] = None
                waiting.append((0, state))
        while waiting:
            pair = waiting.popleft()
            for edge, target in graph.steps(pair[1]):
                following = self._after(pair[0], target)
                if following is not None and following not in self.parents:
                    self.parents[following] = pair, edge
                    waiting.append(following)
        self.ends = [pair for pair in self.parents if pair[0] == len(trace) - 1]

    def _after(self, position: int, target: int) -> tuple[int, int] | None:
        seen = self.graph.observations[target]
        if seen == self.trace[position]:
            return position, target
        if position + 1 < len(self.trace) and seen == self.trace[position + 1]:
            return position + 1, target
        return None

    def run(self, end: tuple[int, int]) -> Run:
        states, edges = [end[1]], []
        at = self.parents[end]
        while at is not None:
            pair, edge = at
            states.append(pair[1])
            edges.append(edge)
            at = self.parents[pair]
        return Run(tuple(reversed(states)), tuple(reversed(edges)))

    def possible(self) -> tuple[Possible, ...]:
        found: dict[int, Possible] = {}
        for _, state in self.ends:
            for edge, target in self.graph.steps(state):
                seen = self.graph.observations[target]
                if seen != self.trace[-1]:
                    found.setdefault(seen, Possible(seen, state, edge))
        return tuple(found.values())
