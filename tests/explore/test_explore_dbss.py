"""Decomposition-based stateful search: Algorithm 1 of the paper, and its theorems on random protocols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from explore_protocols import clocks, two_messages
from random_protocols import random_system

from gristmill.explore import Options, explore
from gristmill.explore.api import Exploration
from gristmill.explore.reductions.decomposition import key
from gristmill.explore.schedules import replay

Graph = Mapping[str, Sequence[str]]


def algorithm_1_as_printed(graph: Graph, first: str) -> set[str]:
    """The paper's pseudo-code to the letter, where h is the identity; line numbers are the paper's."""
    enabled = {state: list(following) for state, following in graph.items()}
    stack, reached, ce_stack = [first], set[str](), [first]  # 1-6
    s = first
    while stack:  # 7
        while enabled[s]:  # 8
            after = enabled[s].pop(0)  # 9-11
            if after not in reached:  # C1
                reached.add(after)
                ce_stack.append(after)
                if len(enabled[after]) != 1:  # C3
                    stack.append(after)
                s = after
        s = stack.pop()  # 19
        while ce_stack[-1] != s:  # 20
            ce_stack.pop()
    return reached


def test_as_printed_the_algorithm_forgets_transitions() -> None:
    """A state is popped while it has transitions left, so a branch is lost. Ours pops it when it has none."""
    star: Graph = {"root": ["a", "b", "c"], "a": [], "b": [], "c": []}
    assert algorithm_1_as_printed(star, "root") == {"a"}


def explored(seed: int, search: str, push: bool = True) -> tuple[Exploration, object, set[object]]:
    exploration = Exploration(random_system(seed), Options(search, engine="python", selective_push=push, shrink=False))  # type: ignore[arg-type]
    result, reached = exploration.run()
    return exploration, result, reached


def test_the_motivating_example() -> None:
    """Section II: histories of messages distinguish two states that do the same."""
    stateful, relevant = (explore(two_messages(), Options(search, engine="python")) for search in ("dfs", "dbss"))
    assert stateful.verdict == relevant.verdict == "ok"
    assert (stateful.counts.distinct, relevant.counts.distinct) == (7, 5)


@pytest.mark.parametrize("seed", range(12))
def test_theorems(seed: int) -> None:
    exploration, full, states = explored(seed, "dfs")
    again, found, relevant = explored(seed, "dbss")
    assert found.verdict == full.verdict  # type: ignore[attr-defined]  # theorem 1: soundness
    if found.failure is not None:  # type: ignore[attr-defined]
        # Theorem 2: the path is one of the system, and the property fails where it ends.
        run = replay(again.system, found.failure.schedule)  # type: ignore[attr-defined]
        assert run.failure is not None
    else:
        assert again.decomposition is not None
        # Lemma 2: of every reachable state the relevant part is reached.
        exploration.decomposition = again.decomposition
        assert relevant == {key(exploration.rules, again.decomposition, state) for state in states}  # type: ignore[arg-type]


def test_theorem_3_the_search_ends_on_cycles() -> None:
    assert explore(clocks(), Options("dbss", engine="python")).counts.distinct == 9


@pytest.mark.parametrize("seed", range(8))
def test_selective_push_visits_the_same_states_with_fewer_pushes(seed: int) -> None:
    _, with_push, states = explored(seed, "dbss", push=True)
    _, without, others = explored(seed, "dbss", push=False)
    assert states == others
    assert with_push.counts.pushes <= without.counts.pushes  # type: ignore[attr-defined]
