"""Trace inclusion by the explicit subset construction, without pruning: for machines without a C compiler, and to
compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from gristmill.search.inclusion.graph import ObservedGraph

Subset: TypeAlias = frozenset[int]
Node: TypeAlias = tuple[int, Subset]  # a state of the first graph, and states of the second

_STEPS_BETWEEN_POLLS = 1 << 10


class Naive:
    """One decision. `run`: states of the first graph whose trace is none of the second, if there is one."""

    def __init__(self, first: ObservedGraph, second: ObservedGraph, poll: Callable[[], None]) -> None:
        self.first, self.second, self.poll = first, second, poll
        self.steps = 0
        self.parents: dict[Node, Node | None] = {}
        self.run: list[int] | None = None
        self.subsets: set[Subset] = set()

    def decide(self) -> None:
        level: list[Node] = []
        for state in self.first.initial:
            subset = self._of(self.second.initial, self.first.observations[state])
            if not subset:
                self.run = [state]
                return
            self._visit((state, subset), None, level)
        while level and self.run is None:
            level = self._next(level)

    def _next(self, level: list[Node]) -> list[Node]:
        """The nodes whose traces are longer by one; `level` has those that silent steps lead to added."""
        for node in level:
            for target in self._targets(node[0], visible=False):
                self._visit((target, node[1]), node, level)
        longer: list[Node] = []
        for node in level:
            for target in self._targets(node[0], visible=True):
                reached = (each for state in node[1] for _, each in self.second.steps(state))
                subset = self._of(reached, self.first.observations[target])
                if not subset:
                    self.run = [*self._path(node), target]
                    return []
                self._visit((target, subset), node, longer)
        return longer

    def _targets(self, state: int, visible: bool) -> Iterable[int]:
        seen = self.first.observations
        for _, target in self.first.steps(state):
            if (seen[target] != seen[state]) == visible:
                self.steps += 1
                if self.steps % _STEPS_BETWEEN_POLLS == 0:
                    self.poll()
                yield target

    def _visit(self, node: Node, parent: Node | None, level: list[Node]) -> None:
        if node not in self.parents:
            self.parents[node] = parent
            self.subsets.add(node[1])
            level.append(node)

    def _of(self, states: Iterable[int], observation: int) -> Subset:
        """Those with this observation, closed under silent steps."""
        seen = self.second.observations
        found = {state for state in states if seen[state] == observation}
        waiting = list(found)
        while waiting:
            for _, target in self.second.steps(waiting.pop()):
                if target not in found and seen[target] == observation:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)

    def _path(self, node: Node) -> list[int]:
        path = []
        at: Node | None = node
        while at is not None:
            path.append(at[0])
            at = self.parents[at]
        return path[::-1]
