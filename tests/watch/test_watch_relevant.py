"""What an alarm needs where there is much to try: the messages that count, and not more patience than a stall needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from forking import Case, cases, judged_cases
from mutated_logs import acknowledged_one_too_many
from mutated_reads import invented_token

from gristmill.watch.alarms import Alarm
from gristmill.watch.derive.relevant import Relevance
from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Reading
from gristmill.watch.recording import read_recording

RECORDING = Path(__file__).parent / "recordings" / "etcd-3.5.trace.xz"
MAPPING = Path(__file__).parents[2] / "examples" / "etcd" / "watch.map.toml"
PAUSE = 2_000_000_000  # nanoseconds


@pytest.fixture(scope="module")
def mapping() -> Iterator[WatchMap]:
    found = read_watch_map(MAPPING)
    with found.specification.world.active():
        yield found


def test_what_clients_ask_does_not_count_for_votes(mapping: WatchMap) -> None:
    relevance = Relevance(mapping.specification, mapping.monitor)
    votes = relevance.kinds("MsgVoteResp")
    assert {"MsgVote", "MsgVoteResp", "MsgPreVoteResp", "MsgApp", "MsgSnap", "MsgHeartbeat"} <= votes
    assert not {"ClientWrite", "ClientWriteResp", "ClientRead", "MsgReadIndex"} & votes
    assert {"ClientWrite", "MsgApp", "MsgAppResp"} <= relevance.kinds("ClientWriteResp")
    assert {"ClientRead", "MsgHeartbeatResp", "MsgReadIndexResp"} <= relevance.kinds("ClientReadResp")


@pytest.mark.parametrize("mutation", [acknowledged_one_too_many, invented_token], ids=lambda each: each.__name__)
def test_what_is_wrong_soon_after_a_pause_is_an_alarm(mapping: WatchMap, mutation: object) -> None:
    """As after an election, before which nobody has sent anything for a second."""
    run = list(Reading(mapping).messages(read_recording(RECORDING)))
    case = next(iter(cases([mutation], run, [200])))  # type: ignore[list-item]
    own = [each.number for each in case.messages[: case.begins] if each.source == case.node]

    def later(number: int, time: int) -> int:
        return time + PAUSE * (number >= own[-4])

    run = [replace(each, time=later(each.number, each.time)) for each in run]
    paused = [replace(each, time=later(each.number, each.time)) for each in case.messages]
    wrong = paused[case.wrong.number - 1]
    (found,) = judged_cases(mapping, run, [Case(mutation, paused, wrong, case.begins)])  # type: ignore[arg-type]
    assert isinstance(found.end, Alarm)
    assert found.end.message.number == case.wrong.number
