"""Redis Raft: its servers and their clients, on one port."""

from pathlib import Path

import pytest

from gristmill.systems.decoders import ACCEPTOR, CLIENT, Conversation, DecodingError, Record, decoder_called

MEMBER = (0x732C1414).to_bytes(4, "little") + b"\xc6m127.0.0.1\x00\x00"


def conversation() -> Conversation:
    return decoder_called("redis-raft", {}, Path()).conversation()


def command(*words: str | bytes) -> bytes:
    parts = [each if isinstance(each, bytes) else each.encode() for each in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(each), each) for each in parts)


def numbers(*values: int) -> bytes:
    return b"*%d\r\n" % len(values) + b"".join(b":%d\r\n" % each for each in values)


def said(talk: Conversation, data: bytes) -> list[Record]:
    return [each.record for each in talk.dialed(data) if each.record is not None]


def told(talk: Conversation, data: bytes) -> list[Record]:
    return [each.record for each in talk.answered(data) if each.record is not None]


def test_entries_and_their_answer() -> None:
    talk = conversation()
    write = "*0\n$0\n\n*1\n*3\n$3\nSET\n$2\nk1\n$3\n1-1\n"
    entries = ("1:5:18:0", write, "1:6:0:2", MEMBER, "1:0:0:4", "")
    (append,) = said(talk, command("RAFT.AE", "2", "1", "1:1:6:1:6:70", "3", *entries))
    assert append["kind"] == "MsgApp"
    assert (append["from"], append["to"], append["term"], append["index"], append["token"]) == ("1", "2", 1, 6, 70)
    normal, adds, first = append["entries"]
    assert (normal["asks"], normal["change"]) == ("SET k1 1-1", "none")
    assert (adds["change"], adds["member"]) == ("add", "1932268564")
    assert (first["type"], first["data"]) == ("no-op", "")
    assert talk.acceptor is not None
    assert talk.acceptor.name == "2"
    (answer,) = told(talk, numbers(1, 1, 9, 70))
    assert answer == {
        "kind": "MsgAppResp", "from": "2", "to": "1", "term": 1, "index": 9, "reject": False, "token": 70,
    }  # fmt: skip


def test_entries_before_there_were_sessions() -> None:
    (append,) = said(conversation(), command("RAFT.AE", "2", "1", "1:1:6:1:6:70", "1", "1:6:3", MEMBER))
    assert (append["entries"][0]["change"], append["entries"][0]["member"]) == ("remove", "1932268564")


def test_votes() -> None:
    talk = conversation()
    (before,) = said(talk, command("RAFT.REQUESTVOTE", "3", "2", "1:2:2:5168:1"))
    (would,) = told(talk, numbers(1, 2, 1, 1))
    (asks,) = said(talk, command("RAFT.REQUESTVOTE", "3", "2", "0:2:2:5168:1"))
    (votes,) = told(talk, numbers(0, 2, 2, 1))
    assert [each["kind"] for each in (before, would, asks, votes)] == [
        "MsgPreVote", "MsgPreVoteResp", "MsgVote", "MsgVoteResp",
    ]  # fmt: skip
    assert (before["term"], would["term"], asks["term"], votes["term"]) == (2, 2, 2, 2)
    assert would["reject"] is votes["reject"] is False


def test_snapshots() -> None:
    talk = conversation()
    assert said(talk, command("RAFT.SNAPSHOT", "3", "2", "4:2:99:1000:3:0:0", b"\x00\x01")) == []
    assert told(talk, numbers(4, 99, 2, 1, 0)) == []
    (last,) = said(talk, command("RAFT.SNAPSHOT", "3", "2", "4:2:100:1000:3:2:1", b"\x02"))
    assert (last["kind"], last["snapshot"]) == ("MsgSnap", {"index": 1000, "term": 3})
    assert told(talk, numbers(4, 100, 3, 1, 1))[0]["kind"] == "MsgSnapResp"


def test_leaders_that_hand_over() -> None:
    """The command itself says nothing: the connection does."""
    talk = conversation()
    said(talk, command("RAFT.AE", "2", "1", "1:5:6:1:6:70", "0"))
    (now,) = said(talk, command("RAFT.TIMEOUT_NOW"))
    assert now == {"kind": "MsgTimeoutNow", "from": "1", "to": "2", "term": 5}
    assert [each["kind"] for each in told(talk, numbers(5, 1, 6, 70) + b"+OK\r\n")] == ["MsgAppResp"]


def test_clients() -> None:
    talk = conversation()
    asked = said(talk, command("SET", "k", "v") + command("get", "k") + command("INFO") + command("SET", "k", "w"))
    assert [each["kind"] for each in asked] == ["ClientWrite", "ClientRead", "ClientOther", "ClientWrite"]
    assert asked[0]["asks"] == "SET k v"
    assert (asked[1]["from"], asked[1]["to"]) == (CLIENT, ACCEPTOR)
    answers = told(talk, b"+OK\r\n$1\r\nv\r\n$0\r\n\r\n")
    assert [each["kind"] for each in answers] == ["ClientWriteResp", "ClientReadResp", "ClientOtherResp"]
    assert [each["id"] for each in answers] == [each["id"] for each in asked[:3]]
    assert [each.record["id"] for each in talk.closed() if each.record] == [asked[3]["id"]]


def test_those_who_are_sent_elsewhere() -> None:
    talk = conversation()
    said(talk, command("SET", "k", "v"))
    (refused,) = told(talk, b"-MOVED 0 127.0.0.1:28101\r\n")
    assert (refused["kind"], refused["error"]) == ("ClientRefused", "MOVED 0 127.0.0.1:28101")


def test_servers_that_join_and_leave() -> None:
    talk = conversation()
    said(talk, command("RAFT.NODE", "ADD", "0", "127.0.0.1:28102") + command("RAFT.NODE", "REMOVE", "7"))
    joined, left = told(talk, b"*2\r\n:1932268564\r\n$2\r\nab\r\n+OK\r\n")
    assert (joined["kind"], joined["member"]) == ("ClientJoined", "1932268564")
    assert (left["kind"], left["member"]) == ("ClientLeft", "7")


def test_what_is_no_redis_raft() -> None:
    with pytest.raises(DecodingError, match="6 numbers are expected"):
        conversation().dialed(command("RAFT.AE", "2", "1", "1:1:6", "0"))
    with pytest.raises(DecodingError, match="announces 2 entries"):
        conversation().dialed(command("RAFT.AE", "2", "1", "1:1:6:1:6:70", "2", "1:5:18:0", "x"))
    with pytest.raises(DecodingError, match="an answer to no command"):
        conversation().answered(b"+OK\r\n")
