"""Recordings of ZooKeeper 3.9.3 with observers, and with members that change, as they are and mutated.

`benchmarks/watch_zookeeper_members.py` has made them: an observer and the leader are killed and come back (observers);
a server joins and another one leaves (join); a server joins when the leader leaves, which says who leads then (lead); a
server becomes an observer and has a vote again, and another observer joins (roles).
"""

from functools import cache
from pathlib import Path

import pytest
from zab_member_mutations import EVERY
from zab_mutations import Mutation

from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording
from gristmill.watch.watching import judged, watch_recordings

RECORDINGS = Path(__file__).parent / "recordings"
MAPPING = Path(__file__).parents[2] / "examples" / "zookeeper" / "watch.map.toml"
RUNS = {"observers": '{"1", "2", "3", "4", "5"}', **dict.fromkeys(("join", "lead", "roles"), '{"1", "2", "3", "4"}')}


def recording(run: str) -> Path:
    return RECORDINGS / f"zookeeper-3.9.3-{run}.trace.xz"


@cache
def mapping(run: str) -> WatchMap:
    return read_watch_map(MAPPING, {"Server": RUNS[run], "Voters": '{{"1", "2", "3"}}'})


@cache
def messages(run: str) -> tuple[Message, ...]:
    with mapping(run).specification.world.active():
        return tuple(Reading(mapping(run)).messages(read_recording(recording(run))))


@pytest.mark.parametrize("run", RUNS)
def test_a_healthy_run(run: str) -> None:
    found = watch_recordings(mapping(run), [recording(run)])
    assert (found.verdict, found.trouble) == ("ok", ())
    assert found.messages > 400
    assert all(each.counts.most_states <= 2 for each in found.nodes)


def test_what_the_recordings_have_in_them() -> None:
    kinds = {each.kind for run in RUNS for each in messages(run)}
    assert {"OBSERVERINFO", "INFORM", "RECONFIG", "COMMITANDACTIVATE", "INFORMANDACTIVATE"} <= kinds


@pytest.mark.parametrize("mutation", EVERY, ids=lambda each: each.__name__)
def test_a_mutated_run(mutation: Mutation) -> None:
    """In every run in which it can be made: at the message that is wrong, with what it lacked."""
    action, lack = EVERY[mutation]
    runs = 0
    for run in RUNS:
        with mapping(run).specification.world.active():
            found = mutation(messages(run))
            if found is None:
                continue
            mutated, wrong = found
            result = judged(mapping(run), Reading(mapping(run)), mutated[: wrong.number + 20], [str(wrong.source)])
        runs += 1
        (verdict,) = result.nodes
        assert isinstance(verdict.end, Alarm), run
        assert verdict.end.message.number == wrong.number, run
        ways = [each for each in verdict.end.candidates if each.action == action]
        lacks = [str(each) for candidate in ways for each in candidate.lacks]
        assert any(lack in each for each in lacks), (run, lacks)
    assert runs


def test_who_has_a_vote_is_told_by_votes() -> None:
    assert watch_recordings(read_watch_map(MAPPING), [recording("observers")]).verdict == "ok"


def test_who_has_a_vote_must_be_right() -> None:
    """Where observers are taken for voters, the first vote of one of them is an alarm, rather than a wrong verdict."""
    everybody = RUNS["observers"]
    told = read_watch_map(MAPPING, {"Server": everybody, "Voters": f"{{{everybody}}}"})
    assert watch_recordings(told, [recording("observers")]).verdict == "alarm"
