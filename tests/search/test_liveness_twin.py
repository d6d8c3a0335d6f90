"""The search for behaviours against twins too simple to be wrong, on random graphs and formulas."""

import random
import sys
from dataclasses import replace

import pytest
from naive_liveness import Case, holds, is_behaviour, is_satisfiable, random_case, some_lasso

from gristmill.search.liveness import core as liveness_core
from gristmill.search.liveness.emptiness import (
    GrowingGraph,
    Hunt,
    Lasso,
    StepGraph,
    StepTruth,
    Valuation,
    bits_of,
    find_behaviour,
)
from gristmill.search.liveness.formula import And

CASES = 1200


@pytest.fixture(params=["python", "c"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both searches, on graphs that are much too small for the one in C."""
    monkeypatch.setattr(liveness_core, "WORTH_LOADING", 0 if request.param == "c" else sys.maxsize)
    if request.param == "c" and liveness_core._core() is None:
        pytest.skip("there is no C compiler")


def found(case: Case) -> Lasso | None:
    graph, valuation = of(case)
    return find_behaviour(graph, valuation, case.formula)


def found_step_by_step(case: Case) -> list[Lasso | None]:
    """Behaviours that satisfy ever more conjuncts of the formula, found by one search."""
    graph, valuation = of(case)
    conjuncts = case.formula.items if isinstance(case.formula, And) else (case.formula,)
    hunt = Hunt(graph, valuation, And(conjuncts[:1]))
    lassos = [hunt.behaviour()]
    for each in conjuncts[1:]:
        hunt.demand(each)
        lassos.append(hunt.behaviour())
    return lassos


def of(case: Case) -> tuple[StepGraph, Valuation]:
    growing = GrowingGraph()
    edges = [(s, t) for s, following in enumerate(case.successors) for t in sorted(following)]
    growing.extend([s for s, _ in edges], [t for _, t in edges], [0 for _ in edges])
    graph = growing.graph(len(case.successors), case.initial)
    atoms = [truth(graph, atom) for atom in case.atoms]
    return graph, Valuation(graph, atoms)


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


def test_a_search_goes_on_when_more_is_asked_of_behaviours() -> None:
    answers = []
    for seed in range(CASES // 4):
        case = random_case(random.Random(f"more:{seed}"), states=8)
        conjuncts = case.formula.items if isinstance(case.formula, And) else (case.formula,)
        for count, lasso in enumerate(found_step_by_step(case), 1):
            part = replace(case, formula=And(conjuncts[:count]))
            assert (lasso is not None) == is_satisfiable(part)
            if lasso is not None:
                assert is_behaviour(part, list(lasso.states), lasso.loop)
                assert holds(part, list(lasso.states), lasso.loop, part.formula)
            answers.append((count > 1, lasso is not None))
    assert all(answers.count((later, answer)) > 30 for later in (False, True) for answer in (False, True))


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
