"""Records as they are made fast, compared with what `record_of` makes of the same messages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.systems.decoders import Record
from gristmill.values import EvaluationError, Value, World
from gristmill.watch.making import Maker
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.messages import Reading
from gristmill.watch.recording import read_recording
from gristmill.watch.records import Field, RecordMap, UnreadableError, record_of

HERE = Path(__file__).parent
MAPPING = HERE.parents[1] / "examples" / "etcd" / "watch.map.toml"

PARTS = {"term": Field("path", "term"), "data": Field("digest", "data")}
DESCRIBED = RecordMap(
    "MsgApp",
    {
        "zeta": Field("path", "term"),
        "index": Field("path", "snapshot.index"),
        "granted": Field("not", "reject"),
        "token": Field("digest", "token"),
        "entries": Field("each", "entries", PARTS),
        "some": Field("path", "words"),
        "member": Field("node", "words", constant="nobody"),
        "members": Field("nodes", "snapshot.members"),
        "same": Field("constant", "", constant=5),
        "alpha": Field("each", "entries", {"inner": Field("each", "inner", PARTS)}),
    },
)
WORDS = st.none() | st.integers(-5, 1 << 70) | st.booleans() | st.text(max_size=3) | st.tuples(st.integers(0, 3))
ENTRIES = st.fixed_dictionaries({}, optional={"term": WORDS, "data": st.text(max_size=300), "inner": st.just(())})
MESSAGES = st.fixed_dictionaries(
    {"kind": st.just("MsgApp")},
    optional={
        "term": st.integers(0, 9),
        "snapshot": st.none() | st.fixed_dictionaries({}, optional={"index": WORDS}),
        "reject": st.booleans() | st.none(),
        "token": st.text(max_size=4) | st.none(),
        "entries": st.lists(ENTRIES, max_size=3).map(tuple) | st.none(),
        "words": WORDS,
    },
)


def called(name: str) -> Value:
    return f"node {name}"


def made(make: Callable[..., Value], *of: Any) -> tuple[Any, ...]:
    """The record with its fields in their order, or why there is none."""
    try:
        record: Any = make(*of)
    except UnreadableError as error:
        return (str(error),)
    except EvaluationError as error:
        return (error.id,)
    return tuple(record.items())


@given(MESSAGES, MESSAGES)
def test_the_same_records(first: Record, second: Record) -> None:
    with World().active():
        maker = Maker(DESCRIBED, "kind", ("from", "to"), called)
        ends = {"from": "s1", "to": "s2"}
        for message in (first, second):
            assert made(maker, message, ends) == made(record_of, message, DESCRIBED, "kind", ends, called)


def test_a_field_of_the_mapping_goes_before_sender_and_receiver() -> None:
    described = RecordMap("Vote", {"to": Field("path", "candidate"), "kind": Field("path", "sort")})
    message = {"kind": "Vote", "candidate": "c", "sort": "x"}
    with World().active():
        ends = {"from": "s1", "to": "s2"}
        found = Maker(described, "kind", ("from", "to"), called)(message, ends)
        assert found == record_of(message, described, "kind", ends, called) == {"kind": "x", "from": "s1", "to": "c"}


@pytest.mark.parametrize("version", ["etcd-3.4", "etcd-3.5"])
def test_recordings(version: str) -> None:
    mapping = read_watch_map(MAPPING)
    with mapping.specification.world.active():
        reading = Reading(mapping)
        messages = list(reading.messages(read_recording(HERE / "recordings" / f"{version}.trace.xz")))
        for each in messages:
            ends = {"from": each.source, "to": each.target}
            expected = record_of(each.raw, mapping.records[each.kind], mapping.kind, ends, reading.names.__getitem__)
            assert tuple(each.record.items()) == tuple(expected.items())  # type: ignore[union-attr]
    assert len(messages) > 500
