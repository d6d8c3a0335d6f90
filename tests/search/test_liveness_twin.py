"""The search for behaviours against twins too simple to be wrong, on random graphs and formulas."""

import random
import sys

import pytest
from naive_liveness import Case, holds, is_behaviour, is_satisfiable, random_case, some_lasso

from gristmill.search import liveness_core
from gristmill.search.liveness import (
    GrowingGraph,
    Lasso,
    StepGraph,
    StepTruth,
    Valuation,
    bits_of,
    find_behaviour,
)

CASES = 1200


@pytest.fixture(params=["python", "c"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both searches, on graphs that are much too small for the one in C."""
    monkeypatch.setattr(liveness_core, "WORTH_LOADING", 0 if request.param == "c" else sys.maxsize)
    if request.param == "c" and liveness_core._core() is None:
        pytest.skip("there is no C compiler")


def found(case: Case) -> Lasso | None:
    growing = GrowingGraph()
    edges = [(s, t) for s, following in enumerate(case.successors) for t in sorted(following)]
    growing.extend([s for s, _ in edges], [t for _, t in edges], [0 for _ in edges])
    graph = growing.graph(len(case.successors), case.initial)
    atoms = [truth(graph, atom) for atom in case.atoms]
    return find_behaviour(graph, Valuation(graph, atoms), case.formula)


def truth(graph: StepGraph, atom: set[tuple[int, int]]) -> StepTruth:
    states = range(graph.states)
    edges = [(s, graph.targets[e]) for s in states for e in range(graph.first[s], graph.first[s + 1])]
    return StepTruth(bits_of(edge in atom for edge in edges), bits_of((s, s) in atom for s in states))


def compare(case: Case) -> bool:
    lasso = found(case)
    assert (lasso is not None) == is_satisfiable(case)
    if lasso is not None:
        states = list(lasso.states)
        assert is_behaviour(case, states, lasso.loop)
        assert holds(case, states, lasso.loop, case.formula)
    return lasso is not None


@pytest.mark.parametrize("part", range(4))
def test_finds_a_behaviour_iff_there_is_one(part: int) -> None:
    answers = [compare(random_case(random.Random(f"{part}:{seed}"))) for seed in range(CASES // 4)]
    assert 0.2 < sum(answers) / len(answers) < 0.95  # else it compares little


def test_finds_one_if_trying_all_short_behaviours_does() -> None:
    for seed in range(100):
        case = random_case(random.Random(f"short:{seed}"), states=3)
        if some_lasso(case, 5):
            assert found(case) is not None


@pytest.mark.parametrize("seed", range(20))
def test_the_twins_agree(seed: int) -> None:
    case = random_case(random.Random(f"twins:{seed}"), states=3, most_parts=3)
    assert not some_lasso(case, 5) or is_satisfiable(case)
