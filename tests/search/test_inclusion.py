"""Trace inclusion: C against the explicit subset construction, that against the definition, and under sanitizers."""

from __future__ import annotations

import subprocess
import time
from array import array
from pathlib import Path

import pytest
from random_observed_graphs import larger_pair, random_pair, traces

from gristmill.cc import CompilerError, build
from gristmill.search import Limits
from gristmill.search.inclusion import Difference, ObservedGraph, Run, decide
from gristmill.search.inclusion import core as inclusion_core
from gristmill.search.inclusion.difference import trace_of

STRICT = ("-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror")
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

needs_c = pytest.mark.skipif(inclusion_core.core() is None, reason="there is no C compiler")


def chain(*observations: int, initial: int = 0) -> ObservedGraph:
    """States in a row."""
    count = len(observations)
    return ObservedGraph([initial], [*range(count), count - 1], [*range(1, count)], observations)


def is_run(graph: ObservedGraph, run: Run) -> bool:
    steps = zip(run.states, run.edges, run.states[1:], strict=False)
    return run.states[0] in graph.initial and all(
        graph.first[source] <= edge < graph.first[source + 1] and graph.targets[edge] == target
        for source, edge, target in steps
    )


def check_difference(first: ObservedGraph, second: ObservedGraph, found: Difference) -> int:
    """That it is one; the length of its trace."""
    trace = tuple(trace_of(first, found.run.states))
    others = traces(second, len(trace))
    assert is_run(first, found.run)
    assert trace not in others
    assert all(trace[:size] in others for size in range(1, len(trace)))
    if found.matched is not None:
        assert is_run(second, found.matched)
        assert tuple(trace_of(second, found.matched.states)) == trace[:-1]
    expected = {each[-1] for each in others if len(each) == len(trace) and each[:-1] == trace[:-1]}
    assert {each.observation for each in found.possible} == expected
    return len(trace)


# --- what is a trace ----------------------------------------------------------------------------------------------


def test_repeated_observations_are_collapsed() -> None:
    assert decide(chain(1, 1, 2, 2, 2, 3), chain(1, 2, 3)).verdict == "included"
    assert decide(chain(1, 2, 3), chain(1, 1, 2, 3, 3, 3, 4)).verdict == "included"


def test_a_step_that_the_second_cannot_take() -> None:
    found = decide(chain(1, 1, 2, 4), chain(1, 2, 2, 3))
    assert found.verdict == "different"
    assert found.difference is not None
    assert found.difference.run == Run((0, 1, 2, 3), (0, 1, 2))
    assert found.difference.matched == Run((0, 1), (0,))
    assert [(each.observation, each.state) for each in found.difference.possible] == [(3, 2)]


def test_an_initial_state_that_the_second_does_not_have() -> None:
    found = decide(chain(1, 2), chain(2, 1)).difference
    assert found is not None
    assert found.run == Run((0,), ())
    assert found.matched is None
    assert [each.observation for each in found.possible] == [2]


def test_nothing_is_included_in_everything() -> None:
    nothing = ObservedGraph([], [0], [], [])
    assert decide(nothing, chain(1)).verdict == "included"
    assert decide(nothing, nothing).verdict == "included"
    assert decide(chain(1), nothing).verdict == "different"


def test_a_choice_made_early_is_the_same_trace() -> None:
    """Traces, unlike simulations, do not see when a choice is made."""
    late = ObservedGraph([0], [0, 1, 3, 3, 3], [1, 2, 3], [0, 1, 2, 3])
    early = ObservedGraph([0], [0, 2, 3, 4, 4, 4], [1, 2, 3, 4], [0, 1, 1, 2, 3])
    assert decide(late, early).verdict == decide(early, late).verdict == "included"


def test_rows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="rows"):
        ObservedGraph([0], [0, 2], [0], [0])


# --- differential ---------------------------------------------------------------------------------------------------


def test_the_subset_construction_agrees_with_the_definition() -> None:
    verdicts = []
    for seed in range(400):
        first, second = random_pair(seed)
        found = decide(first, second, engine="python")
        missing = traces(first, 6) - traces(second, 6)
        if found.difference is not None:
            length = check_difference(first, second, found.difference)
            assert length == min(map(len, missing), default=length)
        else:
            assert not missing
        verdicts.append(found.verdict)
    assert {"included", "different"} == set(verdicts)


@needs_c
def test_c_agrees_with_the_subset_construction() -> None:
    different = 0
    for seed in range(5_000):
        first, second = random_pair(seed)
        found, twin = decide(first, second), decide(first, second, engine="python")
        assert (found.verdict, found.engine, twin.engine) == (twin.verdict, "native", "python"), seed
        assert found.nodes <= twin.nodes
        if found.difference is not None and twin.difference is not None:
            different += 1
            lengths = [len(trace_of(first, each.run.states)) for each in (found.difference, twin.difference)]
            assert lengths[0] == lengths[1], seed
            assert found.difference.matched is None or is_run(second, found.difference.matched)
    assert 1_000 < different < 4_000


@needs_c
def test_c_agrees_on_larger_graphs() -> None:
    verdicts = []
    for seed in range(60):
        first, second = larger_pair(seed)
        found = decide(first, second)
        twin = decide(first, second, engine="python")
        assert found.verdict == twin.verdict, seed
        if found.difference is not None and twin.difference is not None:
            assert len(trace_of(first, found.difference.run.states)) == len(trace_of(first, twin.difference.run.states))
        verdicts.append(found.verdict)
    assert {"included", "different"} == set(verdicts)


# --- limits ---------------------------------------------------------------------------------------------------------


def long_row(states: int) -> ObservedGraph:
    return ObservedGraph(
        [0], array("Q", [*range(states), states - 1]), array("I", range(1, states)), array("I", range(states))
    )


@needs_c
@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_a_limit_ends_is_incomplete(engine: str) -> None:
    row = long_row(200_000)
    found = decide(row, row, limits=Limits(seconds=1e-9), engine=engine)  # type: ignore[arg-type]
    assert (found.verdict, found.difference) == ("incomplete", None)
    assert "time limit" in found.message
    found = decide(row, row, limits=Limits(memory=1 << 20), engine=engine)  # type: ignore[arg-type]
    assert (found.verdict, found.message) == ("incomplete", "The memory limit of 1 MB was reached")


@needs_c
@pytest.mark.parametrize("engine", ["native", "python"])
def test_ctrl_c_ends_it(engine: str) -> None:
    row = long_row(2_000_000)
    calls = []

    def poll() -> None:
        calls.append(time.monotonic())
        if len(calls) > 2:
            raise KeyboardInterrupt

    found = decide(row, row, engine=engine, poll=poll)  # type: ignore[arg-type]
    assert (found.verdict, found.message) == ("incomplete", "Interrupted")


@needs_c
def test_a_difference_that_a_limit_hides_is_no_inclusion() -> None:
    row, shorter = long_row(50_000), long_row(49_999)
    assert decide(row, shorter).verdict == "different"
    assert decide(shorter, row).verdict == "included"
    core = inclusion_core.core()
    assert core is not None
    for memory in range(1, 8_000_000, 500_000):
        found = core.decide(row, shorter, lambda: None, memory)
        assert found.out_of_memory or found.run is not None


# --- C ---------------------------------------------------------------------------------------------------------------


@needs_c
def test_compiles_without_warnings() -> None:
    for path in inclusion_core.SOURCES:
        build(paths=[path], flags=(*STRICT, "-O2"))


def as_numbers(graph: ObservedGraph) -> list[int]:
    parts = [len(graph.initial)], graph.initial, graph.first, graph.targets, graph.observations
    return [graph.states, *(number for part in parts for number in part)]


@needs_c
def test_reads_and_writes_only_what_it_may() -> None:
    driver = Path(__file__).parent / "inclusion_driver.c"
    try:
        paths = [driver, *inclusion_core.SOURCES]
        program = build(paths=paths, include=[inclusion_core.FOLDER], flags=(*STRICT, *SANITIZED), kind="program")
    except CompilerError as error:
        if "sanitize" in str(error) or "asan" in str(error):
            pytest.skip("this compiler has no sanitizers")
        raise
    cases = [*map(random_pair, range(150)), *map(larger_pair, range(20))]
    lines = [" ".join(map(str, [*as_numbers(first), *as_numbers(second)])) for first, second in cases]
    text = "\n".join([str(len(cases)), *lines])
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
    core = inclusion_core.core()
    assert core is not None
    for (first, second), line in zip(cases, done.stdout.splitlines(), strict=True):
        found = core.decide(first, second, lambda: None)
        expected = [int(found.run is not None), found.product_steps, *(found.run or [])]
        assert line == " ".join(map(str, expected))
