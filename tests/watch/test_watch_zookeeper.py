"""Recordings of ZooKeeper, as they are and mutated: 3.8.0 under load, and ensembles of 3.9.1 and 3.9.3 with faults.

`benchmarks/watch_zookeeper.py` has made those of 3.9: transactions that only a leader has which is then killed (trunc),
servers that are cut off and need a snapshot (partition), five servers of which some are killed (kill).
"""

from functools import cache
from pathlib import Path

import pytest
from mutating import after, changed, fields, in_place
from zab_mutations import EVERY, Mutation, said

from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording
from gristmill.watch.watching import judged, watch_recordings

RECORDINGS = Path(__file__).parent / "recordings"
MAPPING = Path(__file__).parents[2] / "examples" / "zookeeper" / "watch.map.toml"
FIVE = {"Server": '{"1", "2", "3", "4", "5"}'}
RUNS = {"3.8.0": {}, "3.9.1-trunc": {}, "3.9.3-partition": {}, "3.9.3-kill": FIVE}


def recording(run: str) -> Path:
    return RECORDINGS / f"zookeeper-{run}.trace.xz"


@cache
def mapping(run: str) -> WatchMap:
    return read_watch_map(MAPPING, RUNS.get(run))


@cache
def messages(run: str) -> tuple[Message, ...]:
    with mapping(run).specification.world.active():
        return tuple(Reading(mapping(run)).messages(read_recording(recording(run))))


@pytest.mark.parametrize("run", RUNS)
def test_a_healthy_run(run: str) -> None:
    found = watch_recordings(mapping(run), [recording(run)])
    assert (found.verdict, found.trouble) == ("ok", ())
    assert found.messages > 500
    assert all(each.counts.sent > 50 for each in found.nodes)
    # How many servers have a vote is not known before the first one; from then on, there is one state.
    assert all(each.counts.most_states <= 6 and each.counts.states < each.counts.sent + 10 for each in found.nodes)


def test_what_the_recordings_have_in_them() -> None:
    kinds = {each.kind for run in RUNS for each in messages(run)}
    assert {"DIFF", "TRUNC", "SNAP", "NOTIFICATION", "Connected", "Reply"} <= kinds


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


def test_what_is_sent_once_more_is_no_alarm() -> None:
    """A transaction that the follower has, and a commit that it knows of: it takes no notice of either."""
    run = "3.9.1-trunc"
    with mapping(run).specification.world.active():
        for kind in ("PROPOSAL", "COMMIT"):
            sent = [(at, each) for at, each, _ in said(messages(run), kind) if each.target == "1"]
            (_, old), (at, new) = sent[2], sent[10]
            again = changed(old, link=fields(new)["link"], number=fields(new)["number"] + 1)
            mutated, harmless = after(messages(run), at, again)
            result = judged(mapping(run), Reading(mapping(run)), mutated[: harmless.number], [str(harmless.source)])
            assert result.nodes[0].end is None


@pytest.mark.parametrize("state", ["LEADING", "FOLLOWING"])
def test_the_vote_of_the_last_election_is_no_alarm(state: str) -> None:
    """A server sets its state before its vote: whoever asks in between is told that it leads, and has voted for
    another one; or that it follows, and has voted for itself. A soak of 3.9.5 had the first."""
    run = "3.9.3-kill"
    with mapping(run).specification.world.active():
        at, each, own = next(one for one in said(messages(run), "NOTIFICATION") if one[2]["state"] == state)
        other = next(server for server in "12345" if server not in (each.source, own["leader"]))
        mutated, _ = in_place(messages(run), at, changed(each, leader=other if state == "LEADING" else each.source))
        result = judged(mapping(run), Reading(mapping(run)), mutated[: at + 200], [str(each.source)])
    assert result.nodes[0].end is None


def test_zookeeper_1154() -> None:
    """Live on 3.9.1, with TRUNC made DIFF by a proxy: the leader leaves a follower what it does not have itself."""
    found = watch_recordings(mapping("3.9.1-trunc"), [recording("3.9.1-bug-1154")])
    assert found.verdict == "alarm"
    alarm = found.alarms[0]  # what follows on that connection is wrong, too
    assert alarm.message.kind == "DIFF"
    assert alarm.candidates[0].action == "SendDiff"
    assert any("Reaches" in str(each) for each in alarm.candidates[0].lacks)


def test_a_server_is_judged_by_its_own_messages() -> None:
    run = "3.9.1-trunc"
    with mapping(run).specification.world.active():
        own = [each for each in messages(run) if "2" in (each.source, each.target)]
        alone = judged(mapping(run), Reading(mapping(run)), own, ["2"])
        among = judged(mapping(run), Reading(mapping(run)), messages(run), ["2"])
    assert (alone.nodes[0].counts, alone.nodes[0].end) == (among.nodes[0].counts, None)
