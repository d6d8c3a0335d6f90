"""What members of etcd say to each other, and what they have on disk."""

import pytest
from etcd_wire import (
    LINK_HEARTBEAT_OF_APPENDS,
    LINK_HEARTBEAT_OF_MESSAGES,
    app_entries,
    app_message,
    counted,
    entry,
    hard_state,
    message,
    put,
    wal_record,
)
from hypothesis import given
from hypothesis import strategies as st
from pieces import fed, records

from gristmill.systems.decoders import DecodingError, Introduction
from gristmill.systems.decoders.etcd import EtcdPeers, write_ahead_log
from gristmill.systems.decoders.etcd.raft import message_bytes, message_record
from gristmill.systems.decoders.http1 import chunk

APP, APP_RESP, VOTE, READ_INDEX = 3, 4, 5, 15
SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=5)


def asks(stream: str) -> bytes:
    """Member b asks a for a stream."""
    return (
        f"GET /raft/stream/{stream}/b HTTP/1.1\r\nHost: x\r\nX-Etcd-Cluster-Id: c\r\nX-Peerurls: http://127.0.0.1:7,http://h:8"
        "\r\nX-Raft-To: a\r\nX-Server-From: b\r\nX-Server-Version: 3.6.5\r\nX-Min-Cluster-Version: 3.0.0\r\n\r\n"
    ).encode()


ANSWERS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def test_a_message():
    data = message(APP, 0xB, 0xA, [entry(5, 2, put(b"x", b"1")), entry(6, 2)], term=2, log_term=1, index=4, commit=3)
    assert message_record(data) == {
        "kind": "MsgApp", "from": "a", "to": "b", "term": 2, "logTerm": 1, "index": 4, "commit": 3,
        "reject": False, "rejectHint": 0, "context": "", "token": "",
        "entries": (
            {"index": 5, "term": 2, "type": "normal", "data": put(b"x", b"1").hex(),
             "request": {"kind": "put", "key": "x", "value": "1"}, "asks": "put x 1", "change": "none", "member": ""},
            {"index": 6, "term": 2, "type": "normal", "data": "", "request": {"kind": "empty"}, "asks": "",
             "change": "none", "member": ""},
        ),
    }  # fmt: skip


@given(st.integers(0, 18), st.integers(0, 2**64 - 1), st.integers(0, 300), st.booleans(), st.binary(max_size=3))
def test_messages_there_and_back(kind, term, index, reject, data):
    entries = [entry(index, 1, data)]
    record = message_record(message(kind, 2**63, 1, entries, term=term, index=index, reject=int(reject)))
    assert message_record(message_bytes(record)) == record
    assert (record["term"], record["index"], record["reject"]) == (term, index, reject)


def test_a_snapshot_is_named():
    data = message(7, 2, 1) + bytes.fromhex("4a0612041005" + "1803")  # snapshot, metadata, index 5, term 3
    assert message_record(data)["snapshot"] == {"index": 5, "term": 3, "voters": ()}


@given(SIZES)
def test_the_stream_of_messages(sizes):
    vote = message(VOTE, 0xB, 0xA, term=7, index=3, log_term=2)
    body = LINK_HEARTBEAT_OF_MESSAGES + counted(vote) + counted(message(APP_RESP, 0xB, 0xA, term=7, reject=1, hint=2))
    conversation = EtcdPeers().conversation(taking=True)
    assert records(fed(conversation.dialed, asks("message"), sizes)) == []
    pieces = fed(conversation.answered, ANSWERS + chunk(body[:100]) + chunk(body[100:]), sizes)
    assert [each["kind"] for each in records(pieces)] == ["MsgVote", "MsgAppResp"]
    assert records(pieces)[1]["rejectHint"] == 2
    passed = b"".join(each.wire for each in pieces if each.record is None)
    assert passed == ANSWERS + chunk(LINK_HEARTBEAT_OF_MESSAGES)
    assert conversation.goes_on


@given(SIZES)
def test_the_stream_of_appends_is_terse(sizes):
    """Of what follows directly on the message before, only entries and the commit index are written."""
    first = message(APP, 0xB, 0xA, [entry(4, 2), entry(5, 2)], term=2, log_term=1, index=3, commit=3)
    body = LINK_HEARTBEAT_OF_APPENDS + app_message(first) + app_entries([], 4) + app_entries([entry(6, 2)], 5)
    body += app_entries([entry(7, 2), entry(8, 2)], 6) + LINK_HEARTBEAT_OF_APPENDS + app_entries([], 8)
    conversation = EtcdPeers().conversation(taking=True)
    fed(conversation.dialed, asks("msgapp"))
    found = records(fed(conversation.answered, ANSWERS + chunk(body), sizes))
    assert [(each["logTerm"], each["index"], len(each["entries"]), each["commit"]) for each in found] == [
        (1, 3, 2, 3),
        (2, 5, 0, 4),
        (2, 5, 1, 5),
        (2, 6, 2, 6),
        (2, 8, 0, 8),
    ]
    assert all((each["from"], each["to"], each["term"]) == ("a", "b", 2) for each in found)


@given(SIZES)
def test_every_message_can_be_delivered_by_itself(sizes):
    """Those of streams become posts, which are understood as the same messages."""
    body = app_message(message(APP, 0xB, 0xA, [entry(4, 2)], term=2, log_term=1, index=3))
    body += app_entries([entry(5, 2)], 4)
    conversation = EtcdPeers().conversation(taking=True)
    fed(conversation.dialed, asks("msgapp"))
    for piece in fed(conversation.answered, ANSWERS + chunk(body), sizes):
        if piece.record is not None:
            assert piece.apart
            again = EtcdPeers().conversation(taking=True)
            assert records(fed(again.dialed, piece.wire)) == [piece.record]
            changed = {**piece.record, "commit": 2}
            assert records(fed(EtcdPeers().conversation().dialed, piece.encode(changed))) == [changed]


@given(SIZES)
def test_messages_that_are_posted(sizes):
    data = message(VOTE, 0xB, 0xA, term=7)
    head = b"POST /raft HTTP/1.1\r\nX-Server-From: a\r\nX-PeerURLs: http://127.0.0.1:5\r\n"
    head += b"Content-Length: %d\r\n\r\n" % len(data)
    probe = b"GET /raft/probing HTTP/1.1\r\n\r\n"
    conversation = EtcdPeers().conversation(taking=True)
    pieces = fed(conversation.dialed, head + data + probe, sizes)
    assert [(each.wire, each.apart, each.receipt[:12]) for each in pieces if each.record] == [
        (head + data, True, b"HTTP/1.1 204")
    ]
    assert b"".join(each.wire for each in pieces if each.record is None) == probe
    assert conversation.dialer == Introduction("a", ("127.0.0.1:5",))
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    assert b"".join(each.wire for each in fed(conversation.answered, answer, sizes)) == answer


def test_who_is_who():
    conversation = EtcdPeers().conversation()
    fed(conversation.dialed, asks("message"))
    assert conversation.dialer == Introduction("b", ("127.0.0.1:7", "h:8"))
    assert conversation.acceptor == Introduction("a")


def test_whether_a_message_was_accepted():
    accepted = EtcdPeers().accepted
    assert accepted(b"HTTP/1.1 204 No") is None
    assert accepted(b"HTTP/1.1 204 No Content\r\n\r\n") is True
    assert accepted(b"HTTP/1.1 412 Precondition Failed\r\nContent-Length: 1\r\n\r\nx") is False


def test_a_message_of_our_own_needs_somebody_to_imitate():
    decoder = EtcdPeers()
    record = {"kind": "MsgTimeoutNow", "from": "b", "to": "a"}
    with pytest.raises(DecodingError, match="imitated"):
        decoder.parcel(record, Introduction("b"))
    fed(decoder.conversation().dialed, asks("message"))
    posted = decoder.parcel(record, Introduction("b"))
    assert b"\r\nx-server-from: b\r\n" in posted
    (found,) = records(fed(EtcdPeers().conversation().dialed, posted))
    assert (found["kind"], found["term"], found["to"]) == ("MsgTimeoutNow", 0, "a")


def test_damaged_messages():
    for data in (b"\x08", b"\x0c", b"\x3a\x7f", b"\x3a\x02\x08"):
        with pytest.raises(DecodingError):
            message_record(data)


# ---------------------------------------------------------------------------------------------------------------- disk


def test_the_write_ahead_log(tmp_path):
    first = wal_record(4, b"") + wal_record(1, b"metadata") + wal_record(5, b"")
    first += wal_record(2, entry(1, 1, kind=1)) + wal_record(2, entry(2, 2))
    first += wal_record(2, entry(3, 2, put(b"x", b"1")))
    first += wal_record(3, hard_state(2, 0xA, 1))
    second = wal_record(4, b"") + wal_record(2, entry(2, 3, put(b"y", b"22"))) + wal_record(3, hard_state(3, 0, 2))
    half = wal_record(3, hard_state(9, 9, 9))
    (tmp_path / "0000000000000000-0000000000000000.wal").write_bytes(first)
    (tmp_path / "0000000000000001-0000000000000004.wal").write_bytes(second + bytes(4096))
    found = write_ahead_log(tmp_path)
    assert (found["term"], found["vote"], found["commit"]) == (3, None, 2)
    assert [(each["index"], each["term"], each["request"]["kind"]) for each in found["entries"]] == [
        (1, 1, "configuration"),
        (2, 3, "put"),
    ]
    (tmp_path / "0000000000000001-0000000000000004.wal").write_bytes(second + half[:12])
    assert write_ahead_log(tmp_path) == found


def test_no_write_ahead_log(tmp_path):
    with pytest.raises(DecodingError, match="no write-ahead log"):
        write_ahead_log(tmp_path)


def test_a_context_that_is_no_text():
    record = {"kind": "MsgHeartbeat", "from": "a", "to": "b", "context": "\\x93\\xf5", "token": "93f5"}
    again = message_record(message_bytes(record))
    assert (again["context"], again["token"]) == ("\\x93\\xf5", "93f5")
    assert message_record(message_bytes({**record, "context": "x"}))["token"] == "78"


def test_who_passes_on_a_read_is_not_who_has_asked():
    """A member that does not lead leaves the name of who has asked on what it passes on."""
    asked = message(READ_INDEX, 0xB, 0xC, [entry(0, 0, b"token")])
    conversation = EtcdPeers().conversation(taking=True)
    fed(conversation.dialed, asks("message"))
    (piece,) = [each for each in fed(conversation.answered, ANSWERS + chunk(counted(asked))) if each.record is not None]
    assert (piece.record["origin"], piece.record["from"], piece.record["to"]) == ("c", "a", "b")
    again = EtcdPeers().conversation()
    (posted,) = records(fed(again.dialed, piece.wire))
    assert posted["origin"] == "c"
    heard = EtcdPeers().conversation()
    heard.heard_dialed(asks("message"))
    (record,) = heard.heard_answered(ANSWERS + chunk(counted(asked)))
    assert (record["origin"], record["from"]) == ("c", "a")
