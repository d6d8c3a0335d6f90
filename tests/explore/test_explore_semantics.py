"""What processes, channels and faults do."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import pytest
from explore_protocols import Liar, One, Sender, Store, clocks, election, store
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cc import NoCompilerError
from gristmill.explore import (
    Bounds,
    Faults,
    Network,
    Options,
    Process,
    System,
    Violated,
    api,
    check,
    end_state,
    eventually,
    explore,
    history,
    invariant,
    on,
)
from gristmill.explore.api import Exploration
from gristmill.explore.data import NotData, freeze, rename, show, thaw
from gristmill.explore.model import State
from gristmill.explore.properties import View
from gristmill.search.linearizability import Register, linearizable
from gristmill.source import SourceError


class Color(Enum):
    RED = 1


class Pair(NamedTuple):
    left: int
    right: list[int]


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
hashables = st.recursive(
    scalars, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5
)
values = st.recursive(
    hashables,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hashables, inner, max_size=3) | st.tuples(inner),
    max_leaves=8,
)


@given(values)
def test_thawing_gives_what_was_frozen(value: object) -> None:
    assert freeze(thaw(freeze(value))) == freeze(value)
    assert thaw(freeze(value)) == value


def test_freezing_tells_apart_what_python_does_not() -> None:
    assert len({freeze(one) for one in (True, 1, 1.0, [1], (1,), {1}, frozenset({1}))}) == 7
    assert thaw(freeze([Color.RED, Pair(1, [2]), One(3)])) == [Color.RED, Pair(1, [2]), One(3)]


@pytest.mark.parametrize("value", [object(), lambda: 0, float("nan"), iter([])])
def test_what_is_no_data_cannot_be_frozen(value: object) -> None:
    with pytest.raises(NotData):
        freeze(value)


def test_renaming_reaches_everywhere() -> None:
    before = freeze({"a": ["b", ("a", 1)], "c": frozenset({"a"})})
    after = freeze({"b": ["a", ("b", 1)], "c": frozenset({"b"})})
    assert rename(before, {"a": "b", "b": "a"}) == after


def states(system: System) -> set[State]:
    exploration = Exploration(system, Options("dfs", engine="python"))
    _, reached = exploration.run()
    return {state for state in reached if isinstance(state, State)}


def stores(system: System) -> set[tuple[str, ...]]:
    found = set()
    for state in states(system):
        local = state.locals[0]
        fields = {name: thaw(value) for name, value in local.fields}
        found.add((local.status, *(f"{name}={fields[name]}" for name in sorted(fields))))
    return found


def test_what_is_persistent_survives_a_crash() -> None:
    assert stores(store(Faults(("store",), 1, 1))) == {
        ("up", "cached=0", "kept=0", "restarts=0"),
        ("up", "cached=7", "kept=7", "restarts=0"),
        ("down", "kept=0"),
        ("down", "kept=7"),
        ("up", "cached=0", "kept=0", "restarts=1"),
        ("up", "cached=0", "kept=7", "restarts=1"),
        ("up", "cached=7", "kept=7", "restarts=1"),
    }


def test_without_a_restart_a_crash_is_for_good() -> None:
    assert {status for status, *_ in stores(store(Faults(("store",), 1)))} == {"up", "gone"}


def test_loss_duplication_and_partition_are_bounded() -> None:
    def ends(network: Network) -> set[int]:
        return {
            thaw(dict(state.locals[0].fields)["kept"])
            for state in states(store(Faults(), network))
            if not any(state.inboxes)
        }

    assert ends(Network()) == {7}
    assert ends(Network(loss=1)) == {0, 7}
    counts = [len(states(store(Faults(), Network(duplication=bound)))) for bound in range(3)]
    assert counts == [2, 4, 6]
    divided = Network(partitions=(frozenset({"store"}),), partition_changes=1)
    # Together, divided and together again; each before and after the message.
    assert len(states(store(Faults(), divided))) == 6


def test_ordered_channels_keep_the_order() -> None:
    class Twice(Process):
        def start(self) -> None:
            self.send("store", One(1))
            self.send("store", One(2))

    for ordered, last in ((True, {2}), (False, {1, 2})):
        system = System({"store": Store(), "twice": Twice()}, network=Network(ordered=ordered))
        assert {
            thaw(dict(state.locals[0].fields)["kept"]) for state in states(system) if not any(state.inboxes)
        } == last


def test_a_quorum_is_of_distinct_senders_that_agree() -> None:
    assert explore(election()).ok
    assert explore(election().substitute("v3", Liar())).failure is not None


def test_a_guard_keeps_a_message_waiting() -> None:
    class Patient(Process):
        def __init__(self) -> None:
            self.seen = 0

        @on(One, guard=lambda self, one: one.value == self.seen + 1)
        def one(self, one: One, sender: str) -> None:
            self.seen = one.value

    class Backwards(Process):
        def start(self) -> None:
            for value in (3, 2, 1):
                self.send("patient", One(value))

    system = System({"patient": Patient(), "backwards": Backwards()})
    assert len(states(system)) == 4
    # Over an ordered channel, the first message, whose guard is false, holds up the others.
    assert len(states(replace(system, network=Network(ordered=True)))) == 1


@eventually
def midnight(state: View) -> bool:
    return bool(state["c0"].hour == 0)


@eventually
def both_at_noon(state: View) -> bool:
    return bool(state["c0"].hour == 2 and state["c1"].hour == 2)


def test_always_eventually() -> None:
    assert explore(replace(clocks(1), properties=(midnight,))).ok
    found = explore(replace(clocks(2), properties=(both_at_noon,))).failure
    assert found is not None
    assert found.kind == "eventually"
    assert found.loop is not None


class Client(Process):
    """Writes to a register that forgets, and reads."""

    def __init__(self) -> None:
        self.read = -1

    def start(self) -> None:
        self.invoke("write", 1)
        self.respond("write")
        self.invoke("read")
        self.respond("read", self.choose([0, 1]))


def test_histories_are_checked() -> None:
    wanted = history("linearizable", lambda records: linearizable(records, Register(0)))
    found = explore(System({"client": Client()}, (wanted,)))
    assert found.failure is not None
    assert found.failure.kind == "linearizability"


@invariant
def nothing_kept(state: View) -> bool:
    return bool(state["store"].kept == 0)


@pytest.mark.parametrize("search", ["dfs", "dbss", "bfs", "stateless", "deepening", "random", "pct"])
def test_every_search_finds_a_violation(search: str) -> None:
    system = replace(store(Faults()), properties=(nothing_kept,))
    found = explore(system, Options(search, runs=5, bounds=Bounds(depth=10)))  # type: ignore[arg-type]
    assert found.failure is not None
    assert [str(event) for event in found.failure.schedule] == ["start", "deliver store.one(One(7) from sender)"]


def test_a_failure_in_a_test_shows_the_run() -> None:
    with pytest.raises(Violated, match="deliver store"):
        check(replace(store(Faults()), properties=(nothing_kept,)))


def test_the_same_seed_gives_the_same_runs_whatever_the_workers() -> None:
    results = [
        explore(election(), Options("pct", runs=20, seed=seed, workers=workers))
        for seed, workers in ((1, 1), (1, 2), (2, 1))
    ]
    assert results[0].counts.distinct == results[1].counts.distinct
    assert results[0].counts.transitions == results[1].counts.transitions


def test_workers_of_a_breadth_first_search_change_nothing() -> None:
    one, two = (explore(election(), Options("bfs", workers=workers)) for workers in (1, 2))
    assert (one.verdict, one.counts.distinct) == (two.verdict, two.counts.distinct)


def test_bounds_make_a_result_incomplete() -> None:
    for options in (Options("dfs", engine="python"), Options("dfs"), Options("bfs")):
        cut = explore(clocks(3), replace(options, bounds=Bounds(states=5)))
        assert (cut.verdict, cut.counts.distinct) == ("incomplete", 5)
        cut = explore(clocks(3), replace(options, bounds=Bounds(depth=2)))
        assert (cut.verdict, cut.counts.distinct) == ("incomplete", 4)


def test_end_states_are_those_without_a_next_step() -> None:
    @end_state
    def kept(state: View) -> bool:
        return bool(state["store"].kept == 7)

    system = System({"store": Store(), "sender": Sender()}, (kept,))
    assert explore(system).ok
    assert explore(replace(system, network=Network(loss=1))).failure is not None


def test_what_is_shown_does_not_depend_on_the_order_of_sets() -> None:
    for number in range(3):
        names = [f"n{(index + number) % 3}" for index in range(3)]
        assert show(frozenset(names)) == "{'n0', 'n1', 'n2'}"
        assert show(dict.fromkeys(names, (1,))) == "{'n0': (1,), 'n1': (1,), 'n2': (1,)}"
    assert show([One(1), Pair(1, [2]), set(), None]) == "[One(1), Pair(left=1, right=[2]), {}, None]"


def test_without_a_compiler_the_search_in_python_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    native = explore(election())

    def none() -> None:
        raise NoCompilerError("There is no C compiler here")

    monkeypatch.setattr(api, "library", none)
    naive = explore(election())
    assert (native.engine, naive.engine) == ("native", "python")
    assert (native.verdict, native.counts.distinct) == (naive.verdict, naive.counts.distinct)
    assert any("no C compiler" in caveat for caveat in naive.caveats)
    with pytest.raises(SourceError, match="There is no C compiler here"):
        explore(election(), Options(engine="native"))


@pytest.mark.parametrize("search", ["bfs", "random", "pct"])
def test_what_a_worker_finds_is_found(search: str) -> None:
    system = replace(store(Faults()), properties=(nothing_kept,))
    found = explore(system, Options(search, runs=6, workers=2))  # type: ignore[arg-type]
    assert found.failure is not None
    assert found.failure.name == "nothing_kept"
