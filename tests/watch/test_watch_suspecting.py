"""What a node has sent before may come later, on another connection or once more: until then nobody is accused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gristmill.values import TRUE, Fn
from gristmill.watch.alarms import Alarm, Lost
from gristmill.watch.applying import Actions
from gristmill.watch.following import FollowedMonitor
from gristmill.watch.held_up import Connections
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.limits import Limits
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording

FOLDER = Path(__file__).parent / "recordings"
EXAMPLE = Path(__file__).parents[2] / "examples" / "etcd" / "watch.map.toml"
SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def mapping() -> Iterator[WatchMap]:
    found = read_watch_map(EXAMPLE)
    found = replace(found, limits=replace(found.limits, exact=40_000))  # enough, and soon done
    with found.specification.world.active():
        yield found


@dataclass
class Leader:
    """The last leader of a recording, at its end; and messages that it sends then, each a millisecond later."""

    monitor: NodeMonitor
    app: Message  # its last one with an entry
    beat: Message
    now: int
    number: int = 100_000

    @property
    def last(self) -> int:
        """The index of its last entry."""
        record = self.app.record
        assert isinstance(record, Fn)
        prev, entries = record["prev"], record["entries"]
        assert isinstance(prev, int)
        assert isinstance(entries, tuple)
        return prev + len(entries)

    def sends(self, like: Message, connection: int | None = None, after: int = 1_000_000, **fields: Any) -> Message:
        self.now += after
        self.number += 1
        record = like.record
        assert isinstance(record, Fn)
        channel = like.channel if connection is None else (connection, 0)
        changed = Fn({**record, **fields})
        message = replace(like, number=self.number, time=self.now, channel=channel, record=changed)
        self.monitor.see(message)
        return message

    def follows_on(self, connection: int | None = None) -> Message:
        """An empty MsgApp behind an entry that nobody has seen."""
        return self.sends(self.app, connection, prev=self.last + 1, entries=())

    def entry(self, connection: int | None = None) -> Message:
        """That entry."""
        record = self.app.record
        assert isinstance(record, Fn)
        entries = record["entries"]
        assert isinstance(entries, tuple)
        return self.sends(self.app, connection, prev=self.last, entries=entries[-1:])


@pytest.fixture(params=[NodeMonitor, FollowedMonitor])
def leader(mapping: WatchMap, request: pytest.FixtureRequest) -> Leader:
    messages = list(Reading(mapping).messages(read_recording(FOLDER / "etcd-3.5.trace.xz")))
    apps = [each for each in messages if each.kind == "MsgApp" and has_entries(each)]
    node = apps[-1].source
    beat = next(each for each in reversed(messages) if each.kind == "MsgHeartbeat" and each.source == node)
    monitor = request.param(mapping, Actions(mapping.specification, mapping.monitor), node)
    for message in messages:
        if node in (message.source, message.target):
            monitor.see(message)
    assert monitor.ends == []
    return Leader(monitor, apps[-1], beat, messages[-1].time)


def has_entries(message: Message) -> bool:
    return isinstance(message.record, Fn) and bool(message.record["entries"])


@pytest.mark.parametrize("connection", [None, 77], ids=["once more, on the same connection", "on another connection"])
def test_what_it_follows_on_comes_later(leader: Leader, connection: int | None) -> None:
    leader.follows_on()
    assert leader.monitor.ends == []
    leader.sends(leader.beat)
    leader.entry(connection)
    assert leader.monitor.suspicion is None
    leader.follows_on()
    leader.monitor.decide()
    assert leader.monitor.ends == []


def test_what_it_follows_on_never_comes(leader: Leader) -> None:
    """After a second it is called wrong, and what came meanwhile is judged."""
    wrong = leader.follows_on()
    leader.sends(leader.beat)
    assert leader.monitor.ends == []
    leader.sends(leader.beat, after=2 * SECOND)
    assert [(type(each), each.message) for each in leader.monitor.ends] == [(Alarm, wrong)]
    second = leader.follows_on()
    leader.monitor.decide()
    assert [each.message for each in leader.monitor.ends] == [wrong, second]


def test_it_is_called_wrong_when_nothing_more_comes(leader: Leader) -> None:
    wrong = leader.follows_on()
    leader.monitor.decide()
    assert [(type(each), each.message) for each in leader.monitor.ends] == [(Alarm, wrong)]


def test_what_comes_later_does_not_excuse_everything(leader: Leader) -> None:
    """That a leader has told of a later commit does not explain that it told of it too early."""
    record = leader.beat.record
    assert isinstance(record, Fn)
    wrong = leader.sends(leader.beat, commit=leader.last + 5)
    leader.entry(77)
    leader.sends(leader.beat)
    leader.monitor.decide()
    assert [(type(each), each.message) for each in leader.monitor.ends] == [(Alarm, wrong)]


def test_what_comes_on_a_connection_that_was_held_up_is_no_alarm(leader: Leader) -> None:
    for _ in range(20):
        leader.sends(leader.beat, connection=78)
    for _ in range(30):
        leader.sends(leader.beat, after=SECOND // 10)
    held_up = leader.follows_on(78)
    assert [(type(each), each.message) for each in leader.monitor.ends] == [(Lost, held_up)]


@pytest.mark.parametrize("connection", [None, 77], ids=["as before", "new"])
def test_what_it_follows_on_may_have_been_lost_with_a_connection(leader: Leader, connection: int | None) -> None:
    """A leader that is cut off has sent entries to nobody, and leads no longer when it is heard again. If the
    connection is as it was, nothing was lost."""
    found = leader.follows_on(connection)
    leader.sends(leader.beat)
    leader.monitor.decide()
    assert [(type(each), each.message) for each in leader.monitor.ends] == [(Lost if connection else Alarm, found)]


@pytest.mark.parametrize(
    ("kind", "wrong"), [("beat", {"commit": 1_000_000}), ("app", {"term": 1})], ids=["commit of nobody", "past term"]
)
def test_a_new_connection_does_not_excuse_everything(leader: Leader, kind: str, wrong: dict[str, int]) -> None:
    """Whatever was lost, that changes nothing of these."""
    sent = leader.sends(getattr(leader, kind), 77, **wrong)
    leader.monitor.decide()
    assert [(type(each), each.message) for each in leader.monitor.ends] == [(Alarm, sent)]


def test_several_messages_that_were_overtaken(leader: Leader) -> None:
    """A leader that votes for another one; heartbeats that it has sent before, on other connections, come after that. A
    soak of etcd 3.5.17 had this."""
    beat = leader.beat
    assert isinstance(beat.record, Fn)
    term, others = beat.record["term"], [each for each in ("s1", "s2", "s3") if each != leader.monitor.name]
    assert isinstance(term, int)
    vote = {"kind": "MsgVote", "from": others[0], "to": leader.monitor.name, "term": term + 1}
    asks = replace(leader.app, kind="MsgVote", source=others[0], target=leader.monitor.name, channel=(901, 0))
    record = Fn({**vote, "last": leader.last, "lastTerm": term})
    leader.number, leader.now = leader.number + 1, leader.now + 1_000_000
    leader.monitor.see(replace(asks, number=leader.number, time=leader.now, record=record))
    answer = Fn({"kind": "MsgVoteResp", "from": vote["to"], "to": others[0], "term": term + 1, "granted": TRUE})
    told = replace(leader.beat, kind="MsgVoteResp", target=others[0], record=answer)
    leader.sends(told, 902)
    for number, other in enumerate((*others, *others)):
        commit = leader.last - 10 - number
        leader.sends(replace(beat, target=other), 903 + number, to=other, commit=commit, token=0)
    leader.monitor.decide()
    assert leader.monitor.ends == []


# ------------------------------------------------------------------------------------------------------- connections


def test_a_connection_is_held_up_if_it_is_silent_for_unusually_long() -> None:
    connections, busy, quiet = Connections(Limits()), (1, 0), (2, 0)
    for number in range(100):
        connections.hear(busy, number * SECOND // 100)
        if number % 10 == 0:
            connections.hear(quiet, number * SECOND)
    assert not connections.is_held_up(busy)
    assert not connections.is_held_up(quiet)
    connections.hear(busy, 4 * SECOND)
    assert connections.is_held_up(busy)
    for number in range(100):
        connections.hear(busy, 4 * SECOND + number)
    assert not connections.is_held_up(busy)
    assert not connections.is_held_up((3, 0))
