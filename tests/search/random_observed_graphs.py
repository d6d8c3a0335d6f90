"""Random graphs with observations, and the definition of their traces taken literally."""

from __future__ import annotations

import random

from gristmill.search.inclusion import ObservedGraph


def random_graph(rng: random.Random, states: int, degree: int, observations: int, initial: int) -> ObservedGraph:
    rows = [[rng.randrange(states) for _ in range(rng.randrange(degree + 1))] for _ in range(states)]
    first, targets = [0], []
    for row in rows:
        targets += row
        first.append(len(targets))
    begins = [rng.randrange(states) for _ in range(rng.randrange(1, initial + 1))]
    return ObservedGraph(begins, first, targets, [rng.randrange(observations) for _ in range(states)])


def random_pair(seed: int) -> tuple[ObservedGraph, ObservedGraph]:
    """Small, often included: the second has more steps than the first."""
    rng = random.Random(f"pair:{seed}")
    observations = rng.randrange(1, 4)
    first = random_graph(rng, rng.randrange(1, 9), rng.randrange(1, 3), observations, 2)
    return first, random_graph(rng, rng.randrange(2, 12), rng.randrange(1, 5), observations, 3)


def larger_pair(seed: int) -> tuple[ObservedGraph, ObservedGraph]:
    """The first is the second with every state doubled, and at times with an edge more: sets of states are large."""
    rng = random.Random(f"larger:{seed}")
    second = random_graph(rng, 60, 4, 5, 3)
    rows: list[list[int]] = []
    for state in range(second.states):
        targets = [target for _, target in second.steps(state)]
        rows += [[2 * each + rng.randrange(2) for each in targets if rng.random() < 0.9] for _ in range(2)]
    if rng.random() < 0.5:
        rows[rng.randrange(len(rows))].append(rng.randrange(len(rows)))
    first, all_targets = [0], []
    for row in rows:
        all_targets += row
        first.append(len(all_targets))
    seen = [each for each in second.observations for _ in range(2)]
    return ObservedGraph([2 * each for each in second.initial], first, all_targets, seen), second


def traces(graph: ObservedGraph, longest: int) -> set[tuple[int, ...]]:
    """All traces of up to so many observations, by following every run until nothing new is met."""
    found = set()
    waiting = [(state, (graph.observations[state],)) for state in graph.initial]
    known = set(waiting)
    while waiting:
        state, trace = waiting.pop()
        found.add(trace)
        for _, target in graph.steps(state):
            seen = graph.observations[target]
            following = (target, trace if seen == trace[-1] else (*trace, seen))
            if len(following[1]) <= longest and following not in known:
                known.add(following)
                waiting.append(following)
    return found
