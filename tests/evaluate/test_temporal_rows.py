"""Graphs that come from an engine in compressed rows, with the truth of some predicates, and not of others."""

import random
from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from test_temporal_twin import verdict_of

from gristmill.search import Graph
from gristmill.temporal.properties import Temporal


class SomeRows:
    """The same edge may be there several times."""

    def __init__(self, graph: Graph, evaluator: Any, source: random.Random) -> None:
        self.graph, self.evaluator, self.source = graph, evaluator, source
        self.states, self.run = len(graph.states), object()
        self.first, self.targets, self.actions = array("Q", [0]), array("I"), array("I")
        rows: list[list[tuple[int, int]]] = [[] for _ in range(self.states)]
        assert graph.steps is not None
        steps = graph.steps.graph(self.states, graph.initial)
        for step in range(steps.edges):
            rows[steps.source(step)] += [(steps.target(step), steps.label(step))] * source.choice((1, 1, 2))
        for row in rows:
            self.targets.extend(target for target, _ in row)
            self.actions.extend(action for _, action in row)
            self.first.append(len(self.targets))
        self.refused: dict[int, bool] = {}

    def refuses(self, code: Any) -> bool:
        return self.refused.setdefault(id(code), self.source.random() < 0.4)

    def prepare(self, codes: Sequence[tuple[Any, bool]]) -> None:
        pass

    def by_actions(self, actions: Collection[int], start: int, end: int, bits: bytearray, at: int) -> None:
        edges = range(self.first[start], self.first[end])
        self.set(bits, at, [self.actions[edge] in actions for edge in edges])

    def sources_by_actions(self, actions: Collection[int], start: int, end: int, bits: bytearray, at: int) -> None:
        rows = [self.actions[self.first[state] : self.first[state + 1]] for state in range(start, end)]
        self.set(bits, at, [not set(actions).isdisjoint(row) for row in rows])

    def of_states(self, code: Any, start: int, end: int, bits: bytearray, at: int) -> bool:
        holds, states = self.evaluator.state_predicate(code), self.graph.states
        return self.tell(code, bits, at, (holds(states[state]) for state in range(start, end)))

    def of_steps(
        self, code: Any, start: int, end: int, bits: bytearray, at: int, among: bytearray | None = None
    ) -> bool:
        holds, states = self.evaluator.action_predicate(code), self.graph.states
        found = (
            (among is None or among[source // 8] >> source % 8 & 1)
            and holds(states[source], states[self.targets[edge]])
            for source in range(start, end)
            for edge in range(self.first[source], self.first[source + 1])
        )
        return self.tell(code, bits, at, found)

    def of_stuttering(self, code: Any, start: int, end: int, bits: bytearray, at: int) -> bool:
        holds, states = self.evaluator.action_predicate(code), self.graph.states
        return self.tell(code, bits, at, (holds(states[state], states[state]) for state in range(start, end)))

    def tell(self, code: Any, bits: bytearray, at: int, truth: Iterable[Any]) -> bool:
        values = [bool(each) for each in truth]
        if self.refuses(code):
            self.set(bits, at, [True for _ in values])  # which must not matter
            return False
        for number, value in enumerate(values, at):  # what was said to be known must be true
            assert value or not bits[number // 8] >> number % 8 & 1
        self.set(bits, at, values)
        return True

    def set(self, bits: bytearray, at: int, values: Sequence[bool]) -> None:
        for number, value in enumerate(values, at):
            bits[number // 8] |= value << number % 8


@pytest.mark.parametrize("part", range(2))
def test_verdicts_on_rows(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source, see, asked = random.Random(part), Temporal._see, []

    def in_rows(self: Temporal, graph: Graph, expanded: int) -> None:
        asked.append(SomeRows(graph, self._model.evaluator, source))
        see(self, replace(graph, rows=asked[-1]), expanded)

    monkeypatch.setattr(Temporal, "_see", in_rows)
    verdicts = [verdict_of(f"rows:{part}:{seed}") for seed in range(20)]
    assert {"ok", "liveness"} <= set(verdicts)
    refusals = [refused for rows in asked for refused in rows.refused.values()]
    assert 0.1 < sum(refusals) / len(refusals) < 0.9
