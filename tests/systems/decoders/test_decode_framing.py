"""JSON lines, and messages with a length in front."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pieces import fed, records

from gristmill.systems.decoders import DecodingError
from gristmill.systems.decoders.framing import JsonLines, LengthPrefixed

MESSAGES = [{"kind": "Ping", "n": 1}, {"kind": "Pong", "list": [1, [2]], "nothing": None}, {"n": 2}]
RECORDS = [
    {"kind": "Ping", "n": 1},
    {"kind": "Pong", "list": (1, (2,)), "nothing": None},
    {"kind": "message", "n": 2},
]
SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@given(SIZES)
def test_json_lines_in_pieces_of_any_size(sizes):
    wire = b"".join(json.dumps(each).encode() + b"\n" for each in MESSAGES)
    pieces = fed(JsonLines().conversation().dialed, wire, sizes)
    assert records(pieces) == RECORDS
    assert b"".join(piece.wire for piece in pieces) == wire


@given(SIZES, st.sampled_from(["u16be", "u32be", "u32le", "u64le"]), st.booleans())
def test_lengths_in_front_in_pieces_of_any_size(sizes, length, inclusive):
    decoder = LengthPrefixed(length=length, inclusive=inclusive)
    wire = b"".join(decoder.frame(json.dumps(each).encode()) for each in MESSAGES)
    pieces = fed(decoder.conversation().answered, wire, sizes)
    assert records(pieces) == RECORDS
    assert b"".join(piece.wire for piece in pieces) == wire


def test_the_length_is_written_as_it_is_read():
    assert LengthPrefixed(length="u16le", inclusive=True).frame(b"abc") == b"\x05\x00abc"
    assert LengthPrefixed(length="u32be").frame(b"abc") == b"\x00\x00\x00\x03abc"


def test_a_message_can_be_changed():
    (piece,) = fed(JsonLines().conversation().dialed, b'{"kind": "Ping", "deep": {"list": [1, 2]}}\n')
    assert piece.encode is not None
    changed = piece.encode({**piece.record, "deep": {"list": (3,)}})
    assert json.loads(changed) == {"kind": "Ping", "deep": {"list": [3]}}
    assert changed.endswith(b"\n")


def test_the_kind_may_be_another_field():
    pieces = fed(JsonLines(kind="body.type").conversation().dialed, b'{"body": {"type": "Vote"}}\n\n')
    assert records(pieces) == [{"body": {"type": "Vote"}, "kind": "Vote"}]
    assert len(pieces) == 2  # an empty line is no message


def test_other_content():
    wire = LengthPrefixed().frame(b"\x00\xff")
    assert records(fed(LengthPrefixed(content="hex").conversation().dialed, wire)) == [
        {"kind": "message", "content": "00ff"}
    ]
    (piece,) = fed(LengthPrefixed(content="hex").conversation().dialed, wire)
    assert piece.encode({**piece.record, "content": "01"}) == LengthPrefixed().frame(b"\x01")


def test_what_is_none_of_the_protocol():
    with pytest.raises(DecodingError, match="no JSON"):
        JsonLines().conversation().dialed(b"GET / HTTP/1.1\n")
    with pytest.raises(DecodingError, match="form of its length"):
        LengthPrefixed().conversation().dialed(b"GET / HTTP/1.1\n")
