"""Bugs that etcd and Redis Raft once had: an alarm at the message that shows them, for the right reason.

These are forged, from recordings of healthy systems (`watch_forged.py`); one is in a recording as it is.
`benchmarks/watch_bugs.py` has those that need a server.
"""

from pathlib import Path

import pytest
from watch_forged import ETCD, REDIS, Bug

from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Reading
from gristmill.watch.recording import read_recording
from gristmill.watch.watching import judged, watch_recordings

RECORDINGS = Path(__file__).parent / "recordings"
EXAMPLES = Path(__file__).parents[2] / "examples"

# Which action could have sent the message, and what must be among what it lacked, in the words of the specification.
VOTES = "a quorum has voted for it in this term"
REASONS = {
    "etcd_741": ("AnswerGet", "since this was asked, a quorum has said who leads"),
    "etcd_7331": ("SendHeartbeat", "before it asks for a read, it has committed an entry of its own term"),
    "etcd_7280": ("SendAppend", VOTES),
    "etcd_12133": ("SendAppend", VOTES),
    "redis_17": ("SendAppend", "the last change of members is committed, and an entry of its own term"),
    "redis_19": ("AnswerGet", "who leads has committed an entry of its own term"),
    "redis_52": ("HandleAppend", "reject would be FALSE, not TRUE"),
    "redis_256": ("AnswerJoin", "the entry by which it joins, with a vote if it wants one, is committed"),
}


@pytest.fixture(scope="module")
def etcd() -> WatchMap:
    return read_watch_map(EXAMPLES / "etcd" / "watch.map.toml")


@pytest.fixture(scope="module")
def redis() -> WatchMap:
    return read_watch_map(EXAMPLES / "redisraft" / "watch.map.toml")


def found_in(mapping: WatchMap, bug: Bug, recording: str) -> None:
    with mapping.specification.world.active():
        messages = list(Reading(mapping).messages(read_recording(RECORDINGS / f"{recording}.trace.xz")))
        forged, wrong = bug(messages)
        result = judged(mapping, Reading(mapping), forged, [str(wrong.source)])
    (verdict,) = result.nodes
    action, reason = REASONS[bug.__name__]
    assert isinstance(verdict.end, Alarm)
    assert verdict.end.message.number == wrong.number
    lacks = {each.action: [lack.words or lack.text for lack in each.obstacles] for each in verdict.end.candidates}
    assert reason in lacks[action]


@pytest.mark.parametrize("bug", ETCD, ids=lambda each: each.__name__)
def test_of_etcd(etcd: WatchMap, bug: Bug) -> None:
    found_in(etcd, bug, "etcd-3.6-clients" if bug.__name__ == "etcd_741" else "etcd-3.5")


@pytest.mark.parametrize("bug", REDIS, ids=lambda each: each.__name__)
def test_of_redis_raft(redis: WatchMap, bug: Bug) -> None:
    found_in(redis, bug, "redisraft")


def test_servers_that_are_told_too_early_that_they_have_joined() -> None:
    """Redis Raft does that in every recording: it is not called wrong unless one asks for it."""
    strict = read_watch_map(EXAMPLES / "redisraft" / "watch.map.toml", {"EarlyJoins": "FALSE"})
    result = watch_recordings(strict, [RECORDINGS / "redisraft.trace.xz"])
    assert {each.message.kind for each in result.alarms} == {"ClientJoined"}
    alarm = result.alarms[0]
    (obstacle,) = next(each for each in alarm.candidates if each.action == "AnswerJoin").obstacles
    assert obstacle.words == REASONS["redis_256"][1]


@pytest.mark.parametrize("name", ["redisraft", "etcd-3.6-clients"])
def test_healthy_runs_with_clients(etcd: WatchMap, redis: WatchMap, name: str) -> None:
    """A cluster that servers join; and one with clients by gRPC and JSON, a member that joins, one that leaves, and a
    leader that is killed and starts again."""
    mapping = redis if name == "redisraft" else etcd
    result = watch_recordings(mapping, [RECORDINGS / f"{name}.trace.xz"])
    assert result.verdict == "ok"
    assert len(result.nodes) == (3 if name == "redisraft" else 4)


def test_what_clients_do_is_judged(etcd: WatchMap) -> None:
    with etcd.specification.world.active():
        reading = Reading(etcd)
        messages = list(reading.messages(read_recording(RECORDINGS / "etcd-3.6-clients.trace.xz")))
    kinds = {each.kind for each in messages}
    assert kinds >= {"ClientWrite", "ClientWriteResp", "ClientRead", "ClientReadResp", "ClientJoined", "ClientLeft"}
    assert all(each.source != each.target for each in messages)
    assert reading.trouble == {}
