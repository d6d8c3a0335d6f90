"""ZooKeeper's three ports: whole and in pieces, changed, broken off, and spoiled."""

import struct
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.systems.decoders import DecodingError, Link, decoder_called
from gristmill.systems.decoders.conversation import Conversation, Piece
from gristmill.systems.decoders.jute import JuteReader, MissingError, jute_buffer, jute_int, jute_long


def conversation(name: str = "q2-1") -> Conversation:
    return decoder_called("zookeeper", {}, Path()).conversation_on(Link(name))


def packet(kind: int, zxid: int = 0, data: bytes | None = None) -> bytes:
    return jute_int(kind) + jute_long(zxid) + jute_buffer(data) + jute_int(-1)


INFO = packet(11, 1 << 32, jute_long(2) + jute_int(0x10000) + jute_long(0))
HEADER = struct.pack(">qiqqi", 77, 5, 9, 1000, 1)
FROM_LEADER = (
    packet(17, 2 << 32, jute_int(0x10000))
    + packet(15, 9)
    + b"a database\x00\x00\x00\nBenWasHere, which is not its end"
    + jute_buffer(b"BenWasHere")
    + packet(10, 2 << 32)
    + packet(2, (2 << 32) + 1, HEADER + b"the rest")
    + packet(12, -1)
)


def told(pieces: list[Piece]) -> list[str]:
    return [str(each.record["kind"]) for each in pieces if each.record is not None]


@given(cuts=st.lists(st.integers(1, len(FROM_LEADER) - 1), max_size=8))
def test_a_leader_whose_bytes_come_in_pieces(cuts: list[int]) -> None:
    link, found = conversation(), list[Piece]()
    assert told(link.dialed(INFO)) == ["FOLLOWERINFO"]
    places = [0, *sorted(set(cuts)), len(FROM_LEADER)]
    for start, end in pairwise(places):
        found += link.answered(FROM_LEADER[start:end])
    assert told(found) == ["LEADERINFO", "SNAP", "NEWLEADER", "PROPOSAL", "UPTODATE"]
    assert b"".join(each.wire for each in found) == FROM_LEADER
    proposal = found[-2].record
    assert proposal is not None
    assert (proposal["from"], proposal["to"], proposal["session"], proposal["cxid"]) == ("1", "2", 77, 5)
    assert (proposal["epoch"], proposal["counter"], proposal["operation"]) == (2, 1, 1)


def test_a_packet_is_changed() -> None:
    link = conversation()
    link.dialed(INFO)
    (trunc,) = link.answered(packet(14, 5))
    assert trunc.encode is not None
    assert trunc.encode({**(trunc.record or {}), "kind": "DIFF"}) == packet(13, 5)


def notification(state: int, leader: int = 3, zxid: int = 9) -> bytes:
    return jute_buffer(struct.pack(">iqqqqi", state, leader, zxid, 4, 1, 2) + jute_buffer(b"server.1=x:1:2"))


def test_an_election() -> None:
    link = conversation("e3-1")
    hello = jute_long(-65536) + jute_long(3) + jute_buffer(b"127.0.0.1:3888")
    first, vote = link.dialed(hello + notification(0))
    assert first.record == {"kind": "INITIAL", "from": "3", "to": "1", "address": "127.0.0.1:3888"}
    assert first.encode is not None
    assert first.encode({**first.record, "address": "127.0.0.1:9999"}) == hello.replace(b"3888", b"9999")
    assert vote.record is not None
    assert (vote.record["state"], vote.record["leader"], vote.record["zxid"]) == ("LOOKING", "3", 9)
    assert vote.encode is not None
    assert vote.encode({**vote.record, "zxid": 10}) == notification(0, zxid=10)
    (answer,) = link.answered(notification(2))
    assert answer.record is not None
    assert (answer.record["from"], answer.record["to"], answer.record["state"]) == ("1", "3", "LEADING")


CONNECT = jute_buffer(struct.pack(">iqiq", 0, 17, 4000, 0) + jute_buffer(bytes(16)) + b"\0")
CONNECTED = jute_buffer(struct.pack(">iiq", 0, 4000, 88) + jute_buffer(bytes(16)) + b"\0")


def test_a_client() -> None:
    link = conversation("c1")
    (connect,) = link.dialed(CONNECT)
    assert connect.record == {"kind": "Connect", "from": "client", "to": "1", "session": 0, "seen": 17}
    link.answered(CONNECTED)
    link.dialed(jute_buffer(struct.pack(">ii", 1, 5)) + jute_buffer(struct.pack(">ii", -2, 11)))
    event = jute_buffer(struct.pack(">iqi", -1, -1, 0))
    pong, told_of, reply = link.answered(
        jute_buffer(struct.pack(">iqi", -2, 18, 0)) + event + jute_buffer(struct.pack(">iqi", 1, 18, 0))
    )
    assert [told([each]) for each in (pong, told_of, reply)] == [["Pong"], ["Event"], ["Reply"]]
    assert reply.record is not None
    assert (reply.record["session"], reply.record["operation"], reply.record["changes"]) == (88, "setData", True)


def test_a_question_of_an_operator() -> None:
    link = conversation("c1")
    assert told(link.dialed(b"srvr")) == []
    assert told(link.answered(b"Zookeeper version: 3.9\nMode: leader\n")) == []


def test_a_word_that_comes_in_pieces_waits() -> None:
    link = conversation("c1")
    assert link.dialed(b"ru") == []
    assert [each.wire for each in link.dialed(b"ok")] == [b"ruok"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (packet(99), "at byte 4 of what the leader has sent on a quorum port: there is no packet of type 99"),
        (jute_int(2) + jute_long(1) + jute_int(-7), "-7 is no length"),
        (packet(2, 1, b"short"), "the data of PROPOSAL are too short"),
    ],
)
def test_bytes_that_are_none_of_the_protocol(bad: bytes, message: str) -> None:
    link = conversation()
    link.dialed(INFO)
    good = packet(17, 2 << 32)
    with pytest.raises(DecodingError) as error:
        link.answered(good + bad)
    assert message.replace("at byte 4", f"at byte {len(good) + 4}") in str(error.value)


def test_other_spoiled_bytes() -> None:
    election = conversation("e3-1")
    hello = jute_long(-65536) + jute_long(3) + jute_buffer(b"127.0.0.1:3888")
    with pytest.raises(DecodingError, match="a server is in no state 9"):
        election.dialed(hello + notification(9))
    client = conversation("c1")
    client.dialed(CONNECT)
    client.answered(CONNECTED)
    with pytest.raises(DecodingError, match="an answer to request 4, but nothing was asked"):
        client.answered(jute_buffer(struct.pack(">iqi", 4, 18, 0)))
    with pytest.raises(DecodingError, match="there is no operation 999"):
        client.dialed(jute_buffer(struct.pack(">ii", 1, 999)))
    with pytest.raises(DecodingError, match="the beginning of the connection is missing"):
        conversation().answered(packet(17))


def test_whose_port_it_is() -> None:
    decoder = decoder_called("zookeeper", {"servers": {"7": [2181, 2888]}}, Path())
    (named,) = decoder.conversation_on(Link("any", port=2888)).dialed(INFO)
    (mapped,) = decoder.conversation_on(Link("any", node="4")).dialed(INFO)
    (digits,) = decoder.conversation_on(Link("q23")).dialed(INFO)
    assert [each.record["to"] for each in (named, mapped, digits) if each.record] == ["7", "4", "3"]
    with pytest.raises(DecodingError, match="it is not known which server was dialed"):
        decoder.conversation().dialed(INFO)


def test_values_of_jute() -> None:
    reader = JuteReader(jute_int(2) + jute_int(5) + jute_int(6) + jute_buffer(None) + b"\x01\x02")
    assert reader.vector(reader.integer) == [5, 6]
    assert reader.string() is None
    assert reader.boolean()
    with pytest.raises(DecodingError, match="the byte 2 is no Boolean"):
        reader.boolean()
    with pytest.raises(MissingError):
        reader.long()
