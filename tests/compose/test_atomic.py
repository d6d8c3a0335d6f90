"""Uninterrupted runs on random graphs, against their definition taken literally."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from gristmill.compose.verify.atomic import Atomic, Runs

OWN, OTHER = 0, 1  # actions


class Graph:
    """As much of a state graph as runs need."""

    actions = ("own", "other")

    def __init__(self, rows: Sequence[Sequence[tuple[int, int]]], initial: int) -> None:
        self.rows, self.initial = rows, initial

    def steps(self, state: int) -> Iterator[tuple[int, int, int]]:
        before = sum(map(len, self.rows[:state]))
        for number, (label, target) in enumerate(self.rows[state]):
            yield before + number, label, target


def random_case(seed: int) -> tuple[Graph, list[int]]:
    rng = random.Random(f"atomic:{seed}")
    count = rng.randrange(1, 9)
    rows = [
        [(rng.choice((OWN, OWN, OTHER)), rng.randrange(count)) for _ in range(rng.randrange(4))] for _ in range(count)
    ]
    return Graph(rows, rng.randrange(1, min(count, 2) + 1)), [rng.randrange(3) for _ in range(count)]


class Literally:
    def __init__(self, graph: Graph, seen: Sequence[int]) -> None:
        self.graph, self.seen = graph, seen

    def own(self, state: int) -> list[int]:
        return [target for label, target in self.graph.rows[state] if label == OWN and target != state]

    def reachable(self, state: int) -> set[int]:
        found = {state}
        while True:
            more = {target for each in found for target in self.own(each)} - found
            if not more:
                return found
            found |= more

    def is_stable(self, state: int) -> bool:
        return all(self.seen[each] == self.seen[state] for each in self.reachable(state))

    def runs(self, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Paths of module steps without repetitions, each up to its first stable state."""
        for target in self.own(path[-1]):
            if target not in path:
                yield (*path, target)
                if not self.is_stable(target):
                    yield from self.runs((*path, target))

    def exits(self, entry: int) -> set[int]:
        if self.is_stable(entry):
            return {entry}
        return {run[-1] for run in self.runs((entry,)) if self.is_stable(run[-1])}

    def entries(self) -> set[int]:
        found = set(range(self.graph.initial))
        while True:
            more = set()
            for state in found:
                stable = self.is_stable(state)
                more |= {target for label, target in self.graph.rows[state] if stable or label == OTHER}
                more |= set() if stable else self.exits(state)
            if more <= found:
                return found
            found |= more

    def flying(self) -> set[int]:
        return {
            run[-1]
            for entry in self.entries()
            if not self.is_stable(entry)
            for run in self.runs((entry,))
            if not self.is_stable(run[-1])
        }


def test_runs_are_as_they_are_defined() -> None:
    lengths = set()
    for seed in range(1_500):
        graph, seen = random_case(seed)
        literally = Literally(graph, seen)
        runs = Runs(graph, seen, {OWN}, lambda: None)  # type: ignore[arg-type]
        atomic = Atomic(runs, lambda: None)
        states = range(len(seen))
        assert [bool(each) for each in runs.unstable] == [not literally.is_stable(state) for state in states]
        for state in states:
            assert runs.exits(state) == {seen[each] for each in literally.exits(state)}, seed
        assert set(atomic.entries) == literally.entries(), seed
        assert set(atomic.flying) == literally.flying(), seed
        assert set(atomic.diverging) == {
            each for each in literally.entries() if not literally.is_stable(each) and not literally.exits(each)
        }
        lengths.add(len(atomic.flying))
        check_paths(graph, atomic)
    assert len(lengths) > 3


def check_paths(graph: Graph, atomic: Atomic) -> None:
    edges: dict[int, Any] = {
        edge: (state, target) for state in range(len(graph.rows)) for edge, _, target in graph.steps(state)
    }
    for entry in atomic.entries:
        states, steps = atomic.path(entry)
        assert states[0] < graph.initial
        assert states[-1] == entry
        assert [edges[edge] for edge in steps] == list(itertools.pairwise(states))
