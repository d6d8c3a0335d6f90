"""What the book says of its counterexamples, beyond that there are some."""

from __future__ import annotations

from typing import Any

import pytest
from pages import result_of

from gristmill.examples.catalogue import Run, examples
from gristmill.search import Result

RUNS: dict[str, Run] = {each.name: each for example in examples() for each in example.runs()}


def states_of(result: Result) -> list[Any]:
    return list(result)


def loop_of(result: Result) -> list[Any]:
    """The states of the loop; one, if nothing happens any more."""
    assert result.trace is not None
    if result.trace.stuttering:
        return states_of(result)[-1:]
    assert result.trace.loop_start is not None
    return states_of(result)[result.trace.loop_start :]


def is_stuck(result: Result) -> bool:
    return result.trace is not None and result.trace.stuttering


def test_the_clock_stops_before_midnight() -> None:
    result = result_of(RUNS["Clock-unfair"])
    assert is_stuck(result)
    assert states_of(result)[-1] == {"hour": 23, "minute": 59}


@pytest.mark.parametrize("name", ["Dining-left", "Dining-starve"])
def test_all_philosophers_hold_their_left_forks(name: str) -> None:
    states = states_of(result_of(RUNS[name]))
    assert len(states) == 4
    assert states[-1]["holder"] == {0: 0, 1: 1, 2: 2}
    assert not any(states[-1]["fed"].values())


def test_the_components_that_the_book_prints() -> None:
    result = result_of(RUNS["Components-answer"])
    found = states_of(result)[-1]["to"]
    assert found == {0: 0, 1: 1, 2: 2, 3: 11, 4: 10, 5: 5, 6: 7, 7: 7, 8: 11, 9: 9, 10: 10, 11: 11}


def test_the_lock_is_kept_for_ever() -> None:
    loop = loop_of(result_of(RUNS["Scheduler-unfair"]))
    owners = {state["owner"] for state in loop}
    assert len(owners) == 1
    assert owners != {"nobody"}
    assert all(state["waiting"] for state in loop)


def test_a_packet_is_lost_again_and_again() -> None:
    lost = [state["missing"] for state in loop_of(result_of(RUNS["Retransmit-livelock"]))]
    assert {0, 1} <= set(lost)


def test_a_whole_window_is_lost() -> None:
    last = states_of(result_of(RUNS["Retransmit-tail"]))[-1]
    assert last["missing"] == 2
    assert last["network"] == last["buffer"] == set()


def test_the_watched_peer_never_gets_beyond_a_few_pieces() -> None:
    loop = loop_of(result_of(RUNS["BitTorrent-progress"]))
    assert 0 < max(len(state["has"]["b"]) for state in loop) < 3


@pytest.mark.parametrize("name", ["Election-keep", "Election-stuck"])
def test_a_leader_whom_nobody_tells_of_the_new_term(name: str) -> None:
    last = states_of(result_of(RUNS[name]))[-1]
    behind = [server for server, term in last["term"].items() if term == 0]
    assert [last["role"][server] for server in behind] == ["leader"]
    assert not last["messages"]


def test_two_leaders_of_one_term() -> None:
    last = states_of(result_of(RUNS["Election-votetwice"]))[-1]
    leaders = [server for server, role in last["role"].items() if role == "leader"]
    assert len(leaders) == 2
    assert len({last["term"][server] for server in leaders}) == 1


def test_two_nodes_that_leave_at_once_wait_for_each_other() -> None:
    result = result_of(RUNS["Ring-stuck"])
    last = loop_of(result)[0]["ring"]
    assert {last[node][node]["state"] for node in last} == {"leaving"}


def test_the_elevator_stays_on_the_first_floor() -> None:
    result = result_of(RUNS["Elevator-unfair"])
    assert is_stuck(result)
    assert states_of(result) == [{"floor": 1}]


@pytest.mark.parametrize("name", ["Elevator-weak", "Elevator-strong", "Elevator-listed"])
def test_the_elevator_goes_between_the_first_two_floors(name: str) -> None:
    assert [state["floor"] for state in loop_of(result_of(RUNS[name]))] == [1, 2]


def test_the_counter_goes_between_two_and_three() -> None:
    assert {state["count"] for state in loop_of(result_of(RUNS["Counter-forgood"]))} == {2, 3}


def test_what_never_begins_is_said_to_be_vacuous() -> None:
    assert any("FromFour" in caveat for caveat in result_of(RUNS["Counter-vacuous"]).caveats)


def test_an_invariant_of_nothing_is_said_to_be_vacuous() -> None:
    assert any("ReadsWhatWasWritten is vacuous" in caveat for caveat in result_of(RUNS["Workload-listed"]).caveats)


def test_everybody_moves_and_nobody_passes() -> None:
    loop = loop_of(result_of(RUNS["Corridor-polite"]))
    assert len(loop) == 2
    assert not any(state["passed"] for state in loop)


def test_both_syntaxes_are_the_same_algorithm() -> None:
    for one, other in [("SPSC", "SPSCinC"), ("SPMC", "SPMCinP")]:
        assert RUNS[one].expected == RUNS[other].expected
