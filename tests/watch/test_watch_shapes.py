"""Clusters of other shapes than three members: four, one that grows, five servers that nobody has counted; and a member
that asks its leader more than once who leads."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutating import fields, of_kind, renumbered

from gristmill.watch.alarms import Alarm
from gristmill.watch.applying import Actions
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording
from gristmill.watch.watching import watch_recordings

RECORDINGS = Path(__file__).parent / "recordings"
EXAMPLES = Path(__file__).parents[2] / "examples"
READS = RECORDINGS / "etcd-3.7-reads.trace.xz"


def mapping_of(system: str) -> WatchMap:
    return read_watch_map(EXAMPLES / system / "watch.map.toml")


@pytest.mark.parametrize(
    ("system", "name", "nodes"),
    [
        ("etcd", "etcd-3.6-four", 4),
        ("etcd", "etcd-3.5-grown", 2),  # it was alone, and has asked the other one for its vote before it sent entries
        ("zookeeper", "zookeeper-3.9.5-five", 5),
    ],
)
def test_how_many_there_are_is_told_by_the_first_messages(system: str, name: str, nodes: int) -> None:
    found = watch_recordings(mapping_of(system), [RECORDINGS / f"{name}.trace.xz"])
    assert (found.verdict, found.trouble) == ("ok", ())
    assert len(found.nodes) == nodes


def test_any_of_the_tokens_may_be_answered() -> None:
    """A member whose leader is not sure yet asks once more, with another token, and the first one is answered."""
    assert watch_recordings(mapping_of("etcd"), [READS]).verdict == "ok"


def test_a_read_that_was_asked_after_the_token_is_not_answered_by_it() -> None:
    mapping = mapping_of("etcd")
    with mapping.specification.world.active():
        run = list(Reading(mapping).messages(read_recording(READS)))
        began, wrong = _read_begun_late(run)
        monitor = NodeMonitor(mapping, Actions(mapping.specification, mapping.monitor), wrong.source)
        for message in began:
            if monitor.name in (message.source, message.target):
                monitor.see(message)
        monitor.decide()
    assert [(type(each), each.message.number) for each in monitor.ends] == [(Alarm, wrong.number)]


def _read_begun_late(run: list[Message]) -> tuple[list[Message], Message]:
    """Two tokens in a row, the first of which is answered; what the client had asked before comes between them."""
    for at, told in of_kind(run, 0, "MsgReadIndexResp"):
        own = [
            (k, each) for k, each in enumerate(run[:at]) if each.kind == "MsgReadIndex" and each.source == told.target
        ]
        if len(own) > 1 and fields(own[-2][1])["token"] == fields(told)["token"]:
            answer = next(each for _, each in of_kind(run, at, "ClientReadResp") if each.source == told.target)
            asked = next(k for k, each in enumerate(run) if fields(each).get("id") == fields(answer)["id"])
            between = own[-2][0]
            moved = [*run[:asked], *run[asked + 1 : between + 1], run[asked], *run[between + 1 :]]
            end = next(k for k, each in enumerate(moved) if each is answer)
            return renumbered(moved[: end + 1], answer)
    raise LookupError("no token was sent twice")
