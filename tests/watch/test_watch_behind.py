"""Nodes that are behind what has arrived, and links that stall: nobody is accused of what was only late.

The recording: three members of etcd 3.6.5; twice, all links of the leader pass nothing on for 2.5 seconds, and then all
that has waited. What it had sent before is seen when others have long elected another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gristmill.values import Fn, Value
from gristmill.watch.alarms import Alarm
from gristmill.watch.applying import Actions
from gristmill.watch.backlog import Backlog
from gristmill.watch.following import FollowedMonitor
from gristmill.watch.held_up import STALLED
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.limits import Limits
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording

FOLDER = Path(__file__).parent / "recordings"
EXAMPLE = Path(__file__).parents[2] / "examples" / "etcd" / "watch.map.toml"


@pytest.fixture(scope="module")
def mapping() -> Iterator[WatchMap]:
    found = read_watch_map(EXAMPLE)
    with found.specification.world.active():
        yield found


def messages_of(mapping: WatchMap, name: str, recording: str) -> list[Message]:
    read = Reading(mapping).messages(read_recording(FOLDER / recording))
    return [each for each in read if name in (str(each.source), str(each.target))]


def followed(mapping: WatchMap, name: str, messages: Sequence[Message]) -> NodeMonitor:
    node = next(each for each in mapping.nodes if str(each) == name)
    monitor = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor), node)
    for message in messages:
        monitor.see(message)
    monitor.decide()
    return monitor


@pytest.mark.parametrize("name", ["s1", "s2", "s3"])
def test_what_is_late_is_no_alarm(mapping: WatchMap, name: str) -> None:
    monitor = followed(mapping, name, messages_of(mapping, name, "etcd-3.6-stalled.trace.xz"))
    assert monitor.counts.sent > 400
    assert [each for each in monitor.ends if isinstance(each, Alarm)] == []


def with_token(message: Message, number: int) -> Message:
    record = message.record
    assert isinstance(record, Fn)
    changed = Fn({**record, "token": number})
    return replace(message, number=100_000 + number, record=changed)


def test_a_member_that_was_stopped_answers_thousands_of_messages(mapping: WatchMap) -> None:
    """All that has arrived meanwhile, in its order, however much that is."""
    messages = messages_of(mapping, "s2", "etcd-3.5.trace.xz")
    beat = max((each for each in messages if each.kind == "MsgHeartbeat"), key=lambda each: each.number)
    answer = max((each for each in messages if each.kind == "MsgHeartbeatResp"), key=lambda each: each.number)
    assert str(beat.target) == str(answer.source) == "s2"
    numbers = range(1, 2_501)
    asked, told = [with_token(beat, each) for each in numbers], [with_token(answer, each) for each in numbers]
    assert followed(mapping, "s2", [*messages, *asked, *told]).ends == []
    # It does not answer what nobody has asked.
    assert followed(mapping, "s2", [*messages, *asked, *told, with_token(answer, 2_501)]).ends != []


def field_of(message: Message, name: str) -> Value:
    assert isinstance(message.record, Fn)
    return message.record[name]


def index_of(message: Message) -> int:
    index = field_of(message, "index")
    assert isinstance(index, int)
    return index


def with_fields(message: Message, time: int, number: int, **fields: Value) -> Message:
    assert isinstance(message.record, Fn)
    return replace(message, time=time + number, number=100_000 + number, record=Fn({**message.record, **fields}))


@pytest.mark.parametrize("monitored", [NodeMonitor, FollowedMonitor])
@pytest.mark.parametrize("silent", [5_000_000_000, 1_000], ids=["after a silence", "as ever"])
def test_what_is_sent_after_a_silence_comes_in_any_order(
    mapping: WatchMap, monitored: type[NodeMonitor], silent: int
) -> None:
    """As a member that comes back sends on many connections at once: an acknowledgement after a later one."""
    messages = messages_of(mapping, "s2", "etcd-3.5.trace.xz")
    app = next(each for each in reversed(messages) if each.kind == "MsgApp" and str(each.target) == "s2")
    answer = next(each for each in reversed(messages) if each.kind == "MsgAppResp" and str(each.source) == "s2")
    last, now = index_of(answer), messages[-1].time
    entry = Fn({"term": field_of(app, "term"), "asks": 1, "change": "none", "member": "nobody", "data": 1})
    apps = [with_fields(app, now, each, prev=last + each, entries=(entry,)) for each in range(2)]
    answers = [with_fields(answer, now + silent, 2 + each, index=last + each) for each in (0, 2, 1)]
    monitor = monitored(mapping, Actions(mapping.specification, mapping.monitor), answer.source)
    for message in [*messages, *apps, *answers]:
        monitor.see(message)
    assert (monitor.counts.exact, monitor.ends) == (silent < STALLED, [])


@pytest.mark.parametrize("monitored", [NodeMonitor, FollowedMonitor])
@pytest.mark.parametrize("heartbeats", [200, 1_500])
def test_one_connection_is_not_looked_at_while_others_are(
    mapping: WatchMap, monitored: type[NodeMonitor], heartbeats: int
) -> None:
    """A member answers heartbeats, which have a connection of their own, and no entries, of which many come; at first
    an empty MsgApp that follows on what it has acknowledged already. Much later it acknowledges that once more, and
    then all. What it has not been sent yet it must not acknowledge: that is never silent."""
    messages = messages_of(mapping, "s2", "etcd-3.5.trace.xz")
    app = next(each for each in reversed(messages) if each.kind == "MsgApp" and str(each.target) == "s2")
    beat = next(each for each in reversed(messages) if each.kind == "MsgHeartbeat" and str(each.target) == "s2")
    alive = next(each for each in reversed(messages) if each.kind == "MsgHeartbeatResp" and str(each.source) == "s2")
    answer = next(each for each in reversed(messages) if each.kind == "MsgAppResp" and str(each.source) == "s2")
    last, now = index_of(answer), messages[-1].time
    entry = Fn({"term": field_of(app, "term"), "asks": 1, "change": "none", "member": "nobody", "data": 1})
    apps = [with_fields(app, now, 0, prev=last, entries=())]
    apps += [with_fields(app, now, 1 + each, prev=last + each, entries=(entry,)) for each in range(40)]
    alike = ((each, 100 + 2 * number) for number in range(heartbeats) for each in (beat, alive))
    beats = [with_fields(each, now, at + (each is alive), token=1_000 + at) for each, at in alike]
    late = [with_fields(answer, now, 10_000 + each, index=last + index) for each, index in enumerate((0, 0, 40))]
    monitor = monitored(mapping, Actions(mapping.specification, mapping.monitor), answer.source)
    for message in [*messages, *apps, *beats, *late]:
        monitor.see(message)
    assert (monitor.counts.exact, monitor.ends) == (0, [])
    monitor.see(with_fields(answer, now, 20_000, index=last + 41))
    monitor.decide()
    assert len(monitor.ends) == 1


# --------------------------------------------------------------------------------------------------------- the backlog


def test_age_is_counted_by_what_the_node_has_sent() -> None:
    backlog = Backlog(Limits())
    for seen in range(1, 5_001):
        backlog.see(seen <= 200, seen, seen)
    assert backlog.seen_before(128) == 200 - 127  # as long as it is silent, nothing becomes older
    assert backlog.seen_before(1_000) == 0


def test_a_node_that_answers_in_time_is_not_behind() -> None:
    backlog = Backlog(Limits())
    for seen in range(1, 500):
        backlog.see(False, seen, seen)
    assert backlog.most == 499
    assert not backlog.is_within(12, 192)
    for seen in range(500, 540):
        backlog.see(True, seen, seen)
        backlog.pay(3)
    assert backlog.most == 0
    assert backlog.is_within(12, 192)


def test_a_stall_is_a_silence_that_is_not_usual() -> None:
    second = 1_000_000_000
    backlog = Backlog(Limits())
    for number in range(1, 30):
        backlog.see(True, number, number * second)  # a node that has little to say
    assert not backlog.stalled
    for number in range(30, 60):
        backlog.see(True, number, 30 * second + number * 1_000)
    backlog.see(True, 60, 33 * second)
    assert backlog.stalled
