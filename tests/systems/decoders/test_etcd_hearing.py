"""What is heard of etcd by those who only listen, compared with what the conversation itself says: on recordings of
real members, on messages of every form, and on bytes that are broken."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from etcd_wire import (
    LINK_HEARTBEAT_OF_APPENDS,
    LINK_HEARTBEAT_OF_MESSAGES,
    app_entries,
    app_message,
    content,
    counted,
    entry,
    message,
    number,
    put,
)
from hypothesis import given
from hypothesis import strategies as st
from pieces import in_pieces

from gristmill.systems.decoders import DecodingError
from gristmill.systems.decoders.etcd import Etcd, EtcdPeers
from gristmill.systems.decoders.http1 import chunk
from gristmill.watch.recording import read_recording

RECORDINGS = Path(__file__).parents[2] / "watch" / "recordings"

NUMBERS = st.integers(0, 300) | st.integers(0, 2**64 - 1)
DATA = st.binary(max_size=12) | st.builds(put, st.binary(max_size=3), st.binary(max_size=3))
ENTRIES = st.builds(entry, NUMBERS, NUMBERS, DATA, st.integers(0, 3)) | st.binary(max_size=6)
FURTHER = st.sampled_from((
    b"",
    number(13, 0),  # what newer members write
    number(14, 5),
    content(12, b"token"),
    content(9, content(2, number(2, 5) + number(3, 4))),  # a snapshot
    content(9, b"\xff"),
    content(4, b"no number"),
    number(7, 1),
    b"\x20",
))  # fmt: skip
MESSAGES = st.builds(
    lambda kind, to, source, entries, further, **fields: message(kind, to, source, entries, **fields) + further,
    st.integers(0, 30), NUMBERS, NUMBERS, st.lists(ENTRIES, max_size=3), FURTHER,
    term=NUMBERS, log_term=NUMBERS, index=NUMBERS, commit=NUMBERS, reject=st.integers(0, 1), hint=NUMBERS,
)  # fmt: skip
OF_MESSAGES = st.just(LINK_HEARTBEAT_OF_MESSAGES) | MESSAGES.map(counted)
OF_APPENDS = (
    st.just(LINK_HEARTBEAT_OF_APPENDS)
    | MESSAGES.map(app_message)
    | st.builds(app_entries, st.lists(ENTRIES, max_size=3), NUMBERS)
)
STREAMS = st.tuples(st.just("message"), st.lists(OF_MESSAGES, max_size=4)) | st.tuples(
    st.just("msgapp"), st.lists(OF_APPENDS, max_size=4)
)
SIZES = st.lists(st.integers(1, 80), min_size=1, max_size=5)
ANSWERS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def asks(stream: str) -> bytes:
    return f"GET /raft/stream/{stream}/b HTTP/1.1\r\nHost: x\r\nX-Raft-To: a\r\nX-Server-From: b\r\n\r\n".encode()


def said(feed: Callable[[bytes], list[Any]], stretches: list[bytes]) -> list[Any]:
    """The records of each stretch, up to the first that is no etcd."""
    found: list[Any] = []
    for stretch in stretches:
        try:
            found.append(feed(stretch))
        except DecodingError as error:
            return [*found, str(error)]
    return found


def compare(stream: str, answer: bytes, sizes: list[int]) -> list[Any]:
    one, other = EtcdPeers().conversation(), EtcdPeers().conversation()
    one.dialed(asks(stream))
    assert other.heard_dialed(asks(stream)) == []
    stretches = in_pieces(answer, sizes)
    naive = said(lambda data: [each.record for each in one.answered(data) if each.record is not None], stretches)
    assert said(other.heard_answered, stretches) == naive
    return naive


@given(STREAMS, st.lists(st.integers(1, 50), max_size=3), SIZES)
def test_streams(stream: tuple[str, list[bytes]], chunks: list[int], sizes: list[int]) -> None:
    name, parts = stream
    body = b"".join(parts)
    compare(name, ANSWERS + b"".join(map(chunk, in_pieces(body, chunks))), sizes)


@given(STREAMS, SIZES, st.data())
def test_broken_streams(stream: tuple[str, list[bytes]], sizes: list[int], data: st.DataObject) -> None:
    """Bytes that are others, too many or too few, also those of HTTP around them."""
    name, parts = stream
    sent = bytearray(b"".join(map(chunk, parts)))
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, max(0, len(sent) - 1)))
        sent[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
    compare(name, ANSWERS + bytes(sent), sizes)


@given(SIZES)
def test_a_stream_that_ends(sizes: list[int]) -> None:
    """Another answer may follow on the same connection."""
    vote = counted(message(5, 0xB, 0xA, term=7))
    found = compare("message", ANSWERS + chunk(vote) + b"0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", sizes)
    assert [each["kind"] for stretch in found for each in stretch] == ["MsgVote"]


@pytest.mark.parametrize("recording", sorted(RECORDINGS.glob("etcd-*.xz")), ids=lambda path: path.stem)
def test_recordings(recording: Path) -> None:
    one, other, count = {}, {}, 0
    naive, hearing = Etcd(), Etcd()
    for each in read_recording(recording):
        if each.direction > 1:
            one[each.connection], other[each.connection] = naive.conversation(), hearing.conversation()
            continue
        ours, theirs = one[each.connection], other[each.connection]
        pieces = (ours.answered if each.direction else ours.dialed)(each.data)
        heard = (theirs.heard_answered if each.direction else theirs.heard_dialed)(each.data)
        assert heard == [piece.record for piece in pieces if piece.record is not None]
        count += len(heard)
    assert count > 300


def test_what_an_entry_is_about_is_told_when_asked() -> None:
    conversation = EtcdPeers().conversation()
    conversation.heard_dialed(asks("msgapp"))
    body = app_message(message(3, 0xB, 0xA, term=2)) + app_entries([entry(1, 2, put(b"x", b"1"))], 0)
    *_, appended = conversation.heard_answered(ANSWERS) + conversation.heard_answered(chunk(body))
    (found,) = appended["entries"]
    assert (found["index"], found.get("term"), found.get("data")) == (1, 2, put(b"x", b"1").hex())
    assert found["request"] == {"kind": "put", "key": "x", "value": "1"}
    assert "request" in found
    assert found.get("nothing") is None


@pytest.mark.parametrize("length", [b"-5", b"+5", b"1_0", b"x", b"", b"f" * 40])
def test_a_length_of_a_chunk_that_is_none(length: bytes) -> None:
    (_, error) = compare("message", ANSWERS + length + b"\r\nabcdefgh\r\n", [len(ANSWERS), 100])
    assert "no chunk" in error
