"""Messages in jute and protocol buffers, by declarations that stand in a mapping."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pieces import fed, records

from gristmill.systems.decoders import DecodingError, decoder_called
from gristmill.systems.decoders.declared import Jute, Protobuf
from gristmill.systems.decoders.jute import jute_buffer, jute_int, jute_long
from gristmill.systems.decoders.protobuf import varint, write_content, write_number

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)

QUORUM = """
module org.apache.zookeeper.server.quorum {  // what servers of ZooKeeper say to each other
    class QuorumPacket { int type; long zxid; buffer data; vector<org.apache.zookeeper.data.Id> authinfo; }
}
module org.apache.zookeeper.data { class Id { ustring scheme; ustring id; } }
"""
PACKETS = (
    jute_int(2) + jute_long(7) + jute_buffer(b"\x01\xff") + jute_int(-1)
    + jute_int(3) + jute_long(-1) + jute_buffer(None) + jute_int(1) + jute_buffer(b"ip") + jute_buffer(b"::1")
)  # fmt: skip
DECODED = [
    {"kind": "PROPOSAL", "type": 2, "zxid": 7, "data": "01ff", "authinfo": ()},
    {"kind": "3", "type": 3, "zxid": -1, "data": None, "authinfo": ({"scheme": "ip", "id": "::1"},)},
]


@given(SIZES)
def test_jute_without_lengths_in_pieces_of_any_size(sizes: list[int]) -> None:
    decoder = Jute(QUORUM, "QuorumPacket", kind="type", kinds={"2": "PROPOSAL"}, length="none")
    pieces = fed(decoder.conversation().dialed, PACKETS, sizes)
    assert records(pieces) == DECODED
    assert b"".join(piece.wire for piece in pieces) == PACKETS


CLIENTS = """
class RequestHeader { int xid; int type; }
class GetDataRequest { ustring path; boolean watch; }
class ReplyHeader { int xid; long zxid; int err; }
class Every { byte small; float third; double half; map<int,vector<ustring>> names; }
"""


def framed(*contents: bytes) -> bytes:
    return b"".join(jute_buffer(each) for each in contents)


@given(SIZES)
def test_a_kind_that_is_called_as_a_class_goes_on_with_its_fields(sizes: list[int]) -> None:
    options = {"classes": CLIENTS, "message": "RequestHeader", "answer": "ReplyHeader", "kind": "type"}
    decoder = decoder_called("jute", {**options, "kinds": {"4": "GetDataRequest", "11": "Ping"}}, Path())
    talk = decoder.conversation()
    asked = framed(jute_int(1) + jute_int(4) + jute_buffer(b"/a") + b"\x01", jute_int(-2) + jute_int(11))
    assert records(fed(talk.dialed, asked, sizes)) == [
        {"kind": "GetDataRequest", "xid": 1, "type": 4, "path": "/a", "watch": True},
        {"kind": "Ping", "xid": -2, "type": 11},
    ]
    told = framed(jute_int(1) + jute_long(9) + jute_int(-101))
    assert records(fed(talk.answered, told, sizes)) == [{"kind": "message", "xid": 1, "zxid": 9, "err": -101}]


def test_every_type_of_jute() -> None:
    names = jute_int(1) + jute_int(5) + jute_int(2) + jute_buffer(b"a") + jute_buffer(None)
    wire = framed(b"\xff" + struct.pack(">fd", 2.0, 0.5) + names)
    assert records(fed(Jute(CLIENTS, "Every").conversation().dialed, wire)) == [
        {"kind": "message", "small": -1, "third": 2, "half": "0.5", "names": ((5, ("a", None)),)}
    ]


@pytest.mark.parametrize(
    ("content", "why"),
    [(jute_int(1), "a message of 4 bytes is too short for RequestHeader"), (bytes(9), "1 bytes are behind the fields")],
)
def test_what_is_not_as_it_is_declared(content: bytes, why: str) -> None:
    with pytest.raises(DecodingError, match=why):
        Jute(CLIENTS, "RequestHeader").conversation().dialed(framed(content))


@pytest.mark.parametrize(
    ("classes", "message", "why"),
    [
        ("class A { int a }", "A", "line 1 of the declaration: ';' was expected, and not '}'"),
        ("class A {\n int a;\n", "A", "line 2 of the declaration: a name was expected, and not its end"),
        ("class A { string a; }", "A", "A.a is a string, which is neither declared nor one of byte"),
        ("class A { A a; }", "A", "A contains itself"),
        ("class A { }", "A", "A has no fields"),
        ("class A { int a; }", "B", "B is not declared; A is"),
        ("struct A", "A", "'class' or 'module' was expected, and not 'struct'"),
    ],
)
def test_declarations_of_jute_that_are_none(classes: str, message: str, why: str) -> None:
    with pytest.raises(DecodingError, match="the decoder jute cannot be made with these options") as error:
        decoder_called("jute", {"classes": classes, "message": message}, Path())
    assert why in str(error.value)


# ---------------------------------------------------------------------------------------------------- protocol buffers

RAFT = """
syntax = "proto3";
package raft;
option go_package = "raft";
service Raft { rpc Send(Message) returns (Message) { option deadline = 1; } }
enum Kind { VOTE = 0; APPEND = 3; }
message Message {
    Kind type = 1;  // what it is
    uint64 term = 2 [deprecated = true];
    repeated Entry entries = 3;
    message Entry { string data = 1; bytes raw = 2; }
    reserved 9, 10;
    oneof payload { Entry single = 4; sint64 step = 5; }
    repeated uint32 voters = 6;
    int32 offset = 7;
    double load = 8;
    repeated fixed32 ports = 11;
    bool last = 12;
}
"""
ENTRY = write_content(1, b"x") + write_content(2, b"\x00")
FULL = (
    write_number(1, 3) + write_number(2, 8) + write_content(3, ENTRY) + write_content(3, b"") + write_number(5, 3)
    + write_content(6, varint(1) + varint(300)) + write_number(7, -4) + varint(8 << 3 | 1) + struct.pack("<d", 0.5)
    + write_content(11, struct.pack("<II", 80, 81)) + write_number(12, 1)
)  # fmt: skip
FULL_RECORD = {
    "kind": "APPEND", "type": "APPEND", "term": 8, "entries": ({"data": "x", "raw": "00"}, {"data": "", "raw": ""}),
    "payload": "step", "single": None, "step": -2, "voters": (1, 300), "offset": -4, "load": "0.5",
    "ports": (80, 81), "last": True,
}  # fmt: skip
EMPTY_RECORD = {
    "kind": "VOTE", "type": "VOTE", "term": 0, "entries": (), "payload": None, "single": None, "step": None,
    "voters": (), "offset": 0, "load": 0, "ports": (), "last": False,
}  # fmt: skip


@given(SIZES, st.sampled_from(["u32be", "varint"]))
def test_protocol_buffers_in_pieces_of_any_size(sizes: list[int], length: str) -> None:
    decoder = decoder_called(
        "protobuf", {"messages": RAFT, "message": "Message", "kind": "type", "length": length}, Path()
    )
    contents = (FULL, b"", FULL)
    wire = b"".join((varint(len(each)) if length == "varint" else jute_int(len(each))) + each for each in contents)
    pieces = fed(decoder.conversation().answered, wire, sizes)
    assert records(pieces) == [FULL_RECORD, EMPTY_RECORD, FULL_RECORD]
    assert b"".join(piece.wire for piece in pieces) == wire


def test_the_kind_may_be_which_field_there_is() -> None:
    decoder = Protobuf(RAFT, "raft.Message", kind="payload", kinds={"single": "Entry"})
    wire = framed(write_content(4, ENTRY), FULL, b"")
    found = records(fed(decoder.conversation().dialed, wire))
    assert [each["kind"] for each in found] == ["Entry", "step", "message"]
    assert found[0]["single"] == {"data": "x", "raw": "00"}


def test_what_is_no_protocol_buffer() -> None:
    with pytest.raises(DecodingError, match="is its length a varint"):
        Protobuf(RAFT, "Message", length="varint").conversation().dialed(b"\xff\xff\xff\xff\x7f")
    with pytest.raises(DecodingError, match="a length does not end"):
        Protobuf(RAFT, "Message", length="varint").conversation().dialed(b"\xff" * 10)
    with pytest.raises(DecodingError, match="ends too early"):
        Protobuf(RAFT, "Message").conversation().dialed(framed(write_content(3, ENTRY)[:-1]))
    with pytest.raises(DecodingError, match="has no length"):
        Protobuf(RAFT, "Message").conversation().dialed(framed(write_number(4, 1)))


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        ("message A { uint64 a; }", "line 1 of the declaration: '=' was expected, and not ';'"),
        ("message A { map<string, int32> a = 1; }", "a type other than a map was expected, and not '<'"),
        ("message A { Other a = 1; }", "A.a is a Other, which is not declared"),
        ("message B { }", "A is not declared; B is"),
        ("message A {", "a name was expected, and not its end"),
        ("service S {", "'}' was expected, and not its end"),
    ],
)
def test_declarations_of_protocol_buffers_that_are_none(messages: str, why: str) -> None:
    with pytest.raises(DecodingError) as error:
        decoder_called("protobuf", {"messages": messages, "message": "A"}, Path())
    assert why in str(error.value)
