"""Graphs that come from an engine in compressed rows, with the truth of some predicates, and not of others."""

import random
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from test_temporal_twin import verdict_of

from gristmill.evaluate.temporal import Temporal
from gristmill.search import Graph


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

    def of_states(self, code: Any, start: int, end: int) -> bytes | None:
        holds, states = self.evaluator.state_predicate(code), self.graph.states
        return None if self.refuses(code) else bytes(holds(states[state]) for state in range(start, end))

    def of_steps(self, code: Any, start: int, end: int, among: bytes | None = None) -> bytes | None:
        holds, states = self.evaluator.action_predicate(code), self.graph.states
        if self.refuses(code):
            return None
        return bytes(
            (among is None or among[source - start]) and holds(states[source], states[self.targets[edge]])
            for source in range(start, end)
            for edge in range(self.first[source], self.first[source + 1])
        )

    def of_stuttering(self, code: Any, start: int, end: int) -> bytes | None:
        holds, states = self.evaluator.action_predicate(code), self.graph.states
        return None if self.refuses(code) else bytes(holds(states[state], states[state]) for state in range(start, end))


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
