"""All searches agree on random protocols: on the verdict, on the relevant states, on the states where runs end."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from random_protocols import Maker, random_system, symmetric_system

from gristmill.explore import Bounds, Faults, Network, Options, Result, System
from gristmill.explore.api import Exploration
from gristmill.explore.model import State, is_end
from gristmill.explore.native import search as native_search
from gristmill.explore.reductions.decomposition import key
from gristmill.explore.reductions.symmetry import ProcessSymmetry
from gristmill.explore.schedules import replay

# Each kind of network and fault in turn.
SURROUNDINGS: list[tuple[Network, Faults]] = [
    (Network(), Faults()),
    (Network(loss=1), Faults()),
    (Network(ordered=True), Faults()),
    (Network(), Faults(("p0",), 1, 1)),
    (Network(duplication=1), Faults()),
    (Network(partitions=(frozenset({"p0"}),)), Faults()),
]
EXACT = [
    Options("dfs"),
    Options("bfs"),
    Options("bfs", engine="python"),
    Options("deepening"),
    Options("dbss", engine="python"),
    Options("dbss"),
    Options("dbss", selective_push=False),
]
REDUCED = [
    Options("dfs", por="static", engine="python"),
    Options("dfs", por="static"),
    Options("dbss", por="static", engine="python"),
    Options("dbss", por="static"),
    Options("dfs", por="dynamic"),
    Options("dbss", por="dynamic"),
]
# Found a mistake once: 322 (over an ordered channel, the order of sends matters).
SEEDS = [*range(30), 322, *range(5000, 5008), *range(6000, 6010)]


def run(system: System, options: Options) -> tuple[Exploration, Result, set[Hashable]]:
    exploration = Exploration(system, options)
    exploration.collect = True
    return exploration, *exploration.run()


def outcome(result: Result) -> str:
    """What all searches agree on: each may find another failure first."""
    return "violated" if result.failure is not None else result.verdict


def system_of(seed: int) -> System:
    network, faults = SURROUNDINGS[2 if seed == 322 else seed % len(SURROUNDINGS)]
    return random_system(seed, network, faults)


@pytest.mark.parametrize("seed", SEEDS)
def test_searches_agree(seed: int) -> None:
    system = system_of(seed)
    whole, expected, states = run(system, Options("dfs", engine="python", bounds=Bounds(states=3000)))
    if expected.verdict == "incomplete":
        pytest.skip("too large")
    for options in [*EXACT, *REDUCED]:
        exploration, result, reached = run(system, options)
        assert outcome(result) == outcome(expected), options
        if result.failure is not None:
            assert replay(system, result.failure.schedule).failure is not None, options
            continue
        stored = {state: _stored(exploration, state) for state in states if isinstance(state, State)}
        if options.por == "none":
            assert reached == set(stored.values()), options
        else:
            assert reached <= set(stored.values()), options
            ends = {stored[state] for state in stored if is_end(whole.model.transitions(state))}
            assert ends <= reached, options


@pytest.mark.parametrize("seed", [seed for seed in range(30, 200) if Maker(seed).cyclic][:16])
def test_dynamic_reduction_of_graphs_with_cycles(seed: int) -> None:
    system = system_of(seed)
    whole, expected, states = run(system, Options("dfs", engine="python", bounds=Bounds(states=600)))
    if expected.verdict == "incomplete":
        pytest.skip("too large")
    for search in ("dfs", "dbss"):
        exploration, result, reached = run(system, Options(search, por="dynamic"))  # type: ignore[arg-type]
        assert outcome(result) == outcome(expected)
        assert not any("no partial-order reduction" in caveat for caveat in result.caveats)
        if result.failure is None:
            stored = {state: _stored(exploration, state) for state in states if isinstance(state, State)}
            assert reached <= set(stored.values())
            assert {stored[one] for one in stored if is_end(whole.model.transitions(one))} <= reached


def test_breadth_first_in_c_and_in_python_find_the_same_shortest_run() -> None:
    for seed in (*range(12), 322):
        naive, native = (
            run(system_of(seed), Options("bfs", engine=engine, shrink=False, bounds=Bounds(states=2000)))[1]  # type: ignore[arg-type]
            for engine in ("python", "native")
        )
        assert naive.verdict == native.verdict
        assert (naive.failure and naive.failure.schedule) == (native.failure and native.failure.schedule)
        if naive.ok:
            for name in ("distinct", "transitions", "depth"):
                assert getattr(naive.counts, name) == getattr(native.counts, name), (seed, name)


SYMMETRIC = [
    Options("dfs", symmetry=True, engine="python"),
    Options("dfs", symmetry=True),
    Options("dbss", symmetry=True, engine="python"),
    Options("dbss", symmetry=True),
    Options("dbss", symmetry=True, workers=2),
    Options("dfs", por="static", symmetry=True, engine="python"),
    Options("dfs", por="static", symmetry=True),
    Options("dbss", por="static", symmetry=True),
]


@pytest.mark.parametrize("seed", range(24))
def test_searches_agree_up_to_symmetry(seed: int) -> None:
    surroundings = [(Network(), Faults()), (Network(ordered=True), Faults()), (Network(loss=1), Faults())]
    system = symmetric_system(seed, *surroundings[seed % 3])
    whole, expected, states = run(system, Options("dfs", engine="python", bounds=Bounds(states=3000)))
    if expected.verdict == "incomplete":
        pytest.skip("too large")
    orbit = ProcessSymmetry(whole.rules).orbit
    for options in SYMMETRIC:
        exploration, result, _ = run(system, options)
        assert outcome(result) == outcome(expected), options
        if result.failure is not None:
            assert replay(system, result.failure.schedule).failure is not None, options
            continue
        orbits = {orbit(_stored(exploration, state)) for state in states if isinstance(state, State)}
        if options.por == "none":
            assert result.counts.distinct == len(orbits), options
        else:
            assert result.counts.distinct <= len(orbits), options


@pytest.mark.parametrize("seed", [*range(18), 322, 5000, 5003, 6002, 6007])
def test_the_number_of_threads_makes_no_difference(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even in how many states were seen when an error was found. Every level is shared, however small."""
    monkeypatch.setattr(native_search, "WORTH_SHARING", 1)
    system = system_of(seed)
    for bounds in (Bounds(states=1500), Bounds(depth=4), Bounds(states=37)):
        _, alone, states = run(system, Options("bfs", shrink=False, bounds=bounds))
        for workers in (2, 3):
            _, shared, found = run(system, Options("bfs", workers=workers, shrink=False, bounds=bounds))
            if bounds.states:  # several may have asked for more than was then counted
                shared.counts.handler_runs = alone.counts.handler_runs
            assert (alone.verdict, alone.counts, alone.caveats) == (shared.verdict, shared.counts, shared.caveats)
            assert (alone.failure and alone.failure.schedule) == (shared.failure and shared.failure.schedule)
            assert states == found
    results = [run(system, Options("dbss", workers=workers, shrink=False)) for workers in (1, 2, 3)]
    assert len({outcome(result) for _, result, _ in results}) == 1
    assert results[1][1].counts == results[2][1].counts
    if results[0][1].ok:
        assert results[0][2] == results[1][2] == results[2][2]


def _stored(exploration: Exploration, state: State) -> State:
    return key(exploration.rules, exploration.decomposition, state) if exploration.decomposition else state


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed % len(SURROUNDINGS) == 0][:4])
def test_stateless_search_sees_the_same_states(seed: int) -> None:
    system = system_of(seed)
    _, expected, states = run(system, Options("dfs", engine="python"))
    bounds = Bounds(depth=9, states=20000)
    _, result, seen = run(system, Options("stateless", bounds=bounds))
    _, fewer, _ = run(system, Options("stateless", por="dynamic", bounds=bounds))
    if result.verdict == "incomplete" or expected.failure is not None:
        assert seen <= states or expected.failure is not None
        return
    assert (result.verdict, fewer.verdict) == (expected.verdict, expected.verdict)
    assert seen == states
    assert fewer.counts.transitions <= result.counts.transitions


@pytest.mark.parametrize("search", ["dfs", "dbss"])
@pytest.mark.parametrize("por", ["none", "static"])
def test_the_search_in_c_is_the_one_in_python_step_for_step(search: str, por: str) -> None:
    """Not only the same states: the same number of transitions and pushes, as the order is the same."""
    for seed in (0, 2, 3, 4, 7, 322):
        naive, native = (
            run(system_of(seed), Options(search, por, engine=engine, shrink=False))[1]  # type: ignore[arg-type]
            for engine in ("python", "native")
        )
        for name in ("distinct", "transitions", "depth", "pushes"):
            assert getattr(naive.counts, name) == getattr(native.counts, name), (seed, name)
        assert (naive.failure and naive.failure.schedule) == (native.failure and native.failure.schedule)
