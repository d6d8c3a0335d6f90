"""Several members of Raft that change at once, by a joint configuration: a quorum of both halves is needed.

etcd's library can do so, its servers never do: so there is no recording of it. It is checked within small bounds, and
messages of the specification itself, and messages by hand, are judged by the monitor that is derived from it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from specification_traces import RAFT, Walker, message_of

import gristmill
from gristmill.source import SourceFile
from gristmill.values import from_python, to_python
from gristmill.watch.judging import Alarm
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.watching import judged

MAPPING = RAFT.parent / "etcd" / "watch.map.toml"
CONFIG = (RAFT / "RaftMessagesJoint.cfg").read_text()
TRACES, STEPS = 40, 12
BOTH = " /\\ (conf.outgoing = {} \\/ Majority(servers, conf.outgoing))"


@pytest.mark.parametrize("when_applied", [True, False])
@pytest.mark.parametrize("target", [("s1",), ("s2", "s3")])
def test_joint_configurations_are_safe(when_applied: bool, target: tuple[str, ...]) -> None:
    constants = {"WhenApplied": when_applied, "Targets": {frozenset(target)}, "MaxMessages": 5}
    result = gristmill.check(
        RAFT / "RaftMessagesJoint.tla", config=RAFT / "RaftMessagesJoint.cfg", constants=constants, seconds=240
    )
    assert result.verdict == "ok"
    assert result.distinct > 5_000


@pytest.mark.parametrize("when_applied", [True, False])
def test_a_quorum_of_one_half_is_found(tmp_path: Path, when_applied: bool) -> None:
    raft = (RAFT / "RaftMessages.tla").read_text()
    assert BOTH in raft
    (tmp_path / "RaftMessages.tla").write_text(raft.replace(BOTH, ""))
    for name in ("RaftMessagesBounded.tla", "RaftMessagesJoint.tla"):
        (tmp_path / name).write_text((RAFT / name).read_text())
    config = SourceFile("joint.cfg", CONFIG)
    constants = {"WhenApplied": when_applied}
    result = gristmill.check(tmp_path / "RaftMessagesJoint.tla", config=config, constants=constants, seconds=240)
    assert (result.verdict, result.property) == ("invariant", "LeaderCompleteness")


# ------------------------------------------------------------------------------------------------------------ judged

FIVE = '{"s1", "s2", "s3", "s4", "s5"}'


@cache
def mapping(servers: str, when_applied: bool) -> WatchMap:
    """As the bounded model is made. Its messages have no order."""
    constants = {
        "Server": servers, "Founders": '{{"s1", "s2", "s3"}}', "Seeded": "FALSE", "Retain": "9", "Joint": "TRUE",
        "WhenApplied": str(when_applied).upper(),
    }  # fmt: skip
    return replace(read_watch_map(MAPPING, constants), in_order=False)


@cache
def traces() -> list[list[Message]]:
    """Of the specification, which begins when s1 leads: so the messages by which it has come to that are before."""
    constants = {"Targets": {frozenset(("s1",)), frozenset(("s2", "s3"))}}
    config = RAFT / "RaftMessagesJoint.cfg"
    with gristmill.open(RAFT / "RaftMessagesJoint.tla", config=config, constants=constants) as specification:
        walker = Walker(specification)
        return [walker.trace(seed, STEPS) for seed in range(TRACES)]


def elected() -> list[dict[str, Any]]:
    first = {"term": 1, "data": 0, "asks": 0, "change": "none", "member": "nobody"}
    append = {"kind": "MsgApp", "from": "s1", "term": 1, "token": 0}
    answer = {"kind": "MsgAppResp", "to": "s1", "term": 1, "index": 1, "reject": False, "token": 0}
    others = ("s2", "s3")
    votes = [{"kind": "MsgVote", "from": "s1", "to": each, "term": 1, "lastTerm": 0, "last": 0} for each in others]
    granted = [{"kind": "MsgVoteResp", "from": each, "to": "s1", "term": 1, "granted": True} for each in others]
    begun = [{**append, "to": each, "prev": 0, "prevTerm": 0, "entries": (first,), "commit": 0} for each in others]
    told = [{**append, "to": each, "prev": 1, "prevTerm": 1, "entries": (), "commit": 1} for each in others]
    answers = [{**answer, "from": each} for each in others]
    return [*votes, *granted, *begun, *answers, *told, *answers]


def changes_in(trace: list[Message]) -> set[str]:
    sent = [to_python(each.record) for each in trace if each.kind == "MsgApp"]
    return {entry["change"] for each in sent for entry in each["entries"]}


def test_no_trace_of_the_specification_alarms() -> None:
    told = mapping('{"s1", "s2", "s3"}', True)
    entered = left = 0
    for trace in traces():
        with told.specification.world.active():
            sent = [*elected(), *(to_python(each.record) for each in trace)]
            own = [message_of(number, from_python(each)) for number, each in enumerate(sent, 1)]
            found = judged(told, Reading(told), own)
        assert [each.end for each in found.nodes] == [None] * 3
        entered += "enter" in changes_in(trace)
        left += "leave" in changes_in(trace)
    assert entered > 2
    assert left


class Run:
    """Messages by hand. s1 is elected by the founders, s1 to s3, and enters a joint configuration with `target`, which
    is committed by s2 and s4, and is known to s1 to s5."""

    def __init__(self, target: frozenset[str]) -> None:
        self.sent: list[dict[str, Any]] = []
        self.entries = [self.entry("none", "nobody", 0)]
        for other in ("s2", "s3"):
            self.vote("s1", other, 1, 0, 0)
        self.votes("s2", "s1", 1)
        self.append("s2", 0, 0)
        self.acknowledged("s2")
        self.entries.append(self.entry("enter", target, 1))
        for other in ("s2", "s3", "s4", "s5"):
            self.append(other, 0, 1)
        self.acknowledged("s2")
        self.acknowledged("s4")
        for other in ("s2", "s3", "s4", "s5"):
            self.append(other, 2, 2)

    def entry(self, change: str, member: object, data: int) -> dict[str, Any]:
        return {"term": 1, "data": data, "asks": 0, "change": change, "member": member}

    def say(self, kind: str, source: str, target: str, **values: Any) -> None:
        self.sent.append({"kind": kind, "from": source, "to": target, **values})

    def append(self, to: str, prev: int, commit: int) -> None:
        entries = tuple(self.entries[prev:])
        values = {"term": 1, "prev": prev, "prevTerm": 1 if prev else 0, "commit": commit, "token": 0}
        self.say("MsgApp", "s1", to, entries=entries, **values)

    def acknowledged(self, by: str) -> None:
        self.say("MsgAppResp", by, "s1", term=1, index=len(self.entries), reject=False, token=0)

    def vote(self, by: str, to: str, term: int, last: int, last_term: int) -> None:
        self.say("MsgVote", by, to, term=term, lastTerm=last_term, last=last)

    def votes(self, by: str, to: str, term: int) -> None:
        self.say("MsgVoteResp", by, to, term=term, granted=True)

    def written(self, acknowledging: tuple[str, ...]) -> Run:
        """One more entry, which these acknowledge; then it is said to be committed."""
        self.entries.append(self.entry("none", "nobody", 7))
        for other in ("s2", "s3", "s4", "s5"):
            self.append(other, 2, 2)
        for other in acknowledging:
            self.acknowledged(other)
        self.append("s2", 3, 3)
        return self

    def elected(self, voting: tuple[str, ...]) -> Run:
        """s2 wants to lead, and does so when these have voted for it."""
        for other in ("s1", "s3", "s4", "s5"):
            self.vote("s2", other, 2, 2, 1)
        for other in voting:
            self.votes(other, "s2", 2)
        first = {"term": 2, "data": 0, "asks": 0, "change": "none", "member": "nobody"}
        values = {"term": 2, "prev": 2, "prevTerm": 1, "commit": 2, "token": 0}
        self.say("MsgApp", "s2", "s3", entries=(first,), **values)
        return self

    def judged(self, node: str, when_applied: bool) -> Alarm | None:
        told = mapping(FIVE, when_applied)
        with told.specification.world.active():
            messages = [message_of(number, from_python(each)) for number, each in enumerate(self.sent, 1)]
            (verdict,) = judged(told, Reading(told), messages, [node]).nodes
        assert verdict.end is None or isinstance(verdict.end, Alarm)
        if verdict.end is not None:
            assert verdict.end.message.number == len(messages)
        return verdict.end


NEW = frozenset(("s1", "s4", "s5"))


@pytest.mark.parametrize("when_applied", [True, False])
@pytest.mark.parametrize(
    ("acknowledging", "allowed"), [(("s2", "s4"), True), (("s3", "s5"), True), (("s4", "s5"), False), ((), False)]
)
def test_what_is_committed(acknowledging: tuple[str, ...], allowed: bool, when_applied: bool) -> None:
    """By a quorum of s1 to s3 and one of s1, s4 and s5."""
    alarm = Run(NEW).written(acknowledging).judged("s1", when_applied)
    assert (alarm is None) == allowed
    if alarm is not None:
        lacks = [str(each) for candidate in alarm.candidates for each in candidate.lacks]
        assert any("committed <= known" in each for each in lacks)


def test_the_old_half_is_enough_only_before_it_is_applied() -> None:
    """Nobody sees when a change is applied, if it does not count as soon as it is there."""
    assert Run(NEW).written(("s2", "s3")).judged("s1", True) is None
    assert Run(NEW).written(("s2", "s3")).judged("s1", False) is not None


OTHERS = frozenset(("s2", "s4", "s5"))


@pytest.mark.parametrize("when_applied", [True, False])
@pytest.mark.parametrize(
    ("voting", "allowed"), [(("s3", "s4"), True), (("s1", "s5"), True), (("s1", "s3"), False), (("s4", "s5"), False)]
)
def test_who_leads(voting: tuple[str, ...], allowed: bool, when_applied: bool) -> None:
    """s2, by quorums of s1 to s3 and of s2, s4 and s5: whoever campaigns has applied what it knows to be committed."""
    alarm = Run(OTHERS).elected(voting).judged("s2", when_applied)
    assert (alarm is None) == allowed


@pytest.mark.parametrize(("change", "member"), [("leave", "nobody"), ("enter", frozenset(("s1", "s2"))), ("add", "s4")])
def test_a_joint_configuration_is_left_and_nothing_else(change: str, member: object) -> None:
    run = Run(NEW)
    run.entries.append(run.entry(change, member, 3))
    run.append("s2", 2, 2)
    assert (run.judged("s1", True) is None) == (change == "leave")


def test_nothing_is_left_that_was_not_entered() -> None:
    run = Run(NEW)
    run.sent, run.entries = run.sent[:5], [*run.entries[:1], run.entry("leave", "nobody", 3)]
    run.append("s2", 1, 1)
    assert run.judged("s1", True) is not None
