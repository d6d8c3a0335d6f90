"""Nodes followed by native code, beside the same judged in Python: the same states, debts, history and verdicts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from followed_twin import compared, compared_packed
from watch_mutations import MUTATIONS, Mutation

from gristmill.watch.mapping import WatchMap, read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import read_recording

_EXAMPLES = Path(__file__).parents[2] / "examples"
_RECORDINGS = Path(__file__).parent / "recordings"
_FIVE = {"Server": '{"1", "2", "3", "4", "5"}'}

_OF_FIVE = ("zookeeper-3.9.3-kill",)


@cache
def mapping_of(recording: str) -> WatchMap:
    system = recording.split("-")[0]
    return read_watch_map(_EXAMPLES / system / "watch.map.toml", _FIVE if recording in _OF_FIVE else {})


def messages_of(recording: str) -> list[Message]:
    mapping = mapping_of(recording)
    with mapping.specification.world.active():
        return list(Reading(mapping).messages(read_recording(_RECORDINGS / f"{recording}.trace.xz")))


@pytest.mark.parametrize(
    "recording",
    [
        "etcd-3.4",
        "etcd-3.6-clients",
        "etcd-3.6-stalled",
        "redisraft",
        "zookeeper-3.9.1-bug-1154",
        "zookeeper-3.9.3-kill",
        "zookeeper-3.9.3-partition",
    ],
)
def test_a_recording(recording: str) -> None:
    mapping, messages, followed = mapping_of(recording), messages_of(recording), 0
    with mapping.specification.world.active():
        for seed, node in enumerate(mapping.nodes):
            followed += compared(mapping, messages, node, seed)
    assert followed > len(messages) / 2


@pytest.mark.parametrize("recording", ["etcd-3.4", "etcd-3.6-clients", "etcd-3.6-stalled", "redisraft"])
def test_many_messages_at_a_time(recording: str) -> None:
    mapping, chunks, followed = mapping_of(recording), list(read_recording(_RECORDINGS / f"{recording}.trace.xz")), 0
    with mapping.specification.world.active():
        for seed, node in enumerate(mapping.nodes[:3]):
            followed += compared_packed(mapping, chunks, node, seed)
    assert (followed > 300) == recording.startswith("etcd")


@pytest.mark.parametrize("mutation", MUTATIONS[::9], ids=lambda each: each.__name__)
def test_a_mutated_recording(mutation: Mutation) -> None:
    mapping, messages = mapping_of("etcd-3.4"), messages_of("etcd-3.4")
    with mapping.specification.world.active():
        mutated = mutation(messages, 400) or mutation(messages, 0)
        if mutated is None:
            pytest.skip("there is no place for this mutation in the recording")
        compared(mapping, mutated[0], mutated[1].source, seed=1)
