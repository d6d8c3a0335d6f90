"""Clients of etcd: what they ask and are told, by gRPC and by JSON."""

import base64
import json
from pathlib import Path

import pytest

from gristmill.systems.decoders import ACCEPTOR, CLIENT, Conversation, DecodingError, Record, decoder_called
from gristmill.systems.decoders.etcd.raft import entry_record
from gristmill.systems.decoders.http2 import PREFACE
from gristmill.systems.decoders.protobuf import write_content, write_number

_DATA, _HEADERS, _RESET = 0, 1, 3
HEADER = write_content(1, write_number(2, 0xABC))  # of every answer: the member that gives it


def records(conversation: Conversation, data: bytes, answers: bool = False, step: int = 0) -> list[Record]:
    """`step`: so many bytes at a time."""
    take = conversation.answered if answers else conversation.dialed
    parts = [data[at : at + step] for at in range(0, len(data), step)] if step else [data]
    return [each.record for part in parts for each in take(part) if each.record is not None]


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def literal(name: str, value: str) -> bytes:
    return b"\x00" + bytes((len(name),)) + name.encode() + bytes((len(value),)) + value.encode()


def message(data: bytes) -> bytes:
    return b"\x00" + len(data).to_bytes(4, "big") + data


def call(stream: int, path: str, body: bytes) -> bytes:
    headers = frame(_HEADERS, 0x4, stream, literal(":path", path))
    return headers + frame(_DATA, 0x1, stream, message(body))


def answer(stream: int, body: bytes, status: str = "0") -> bytes:
    data = frame(_DATA, 0, stream, message(body)) if status == "0" else b""
    headers = frame(_HEADERS, 0x4, stream, literal(":status", "200"))
    return headers + data + frame(_HEADERS, 0x5, stream, literal("grpc-status", status))


def conversation() -> Conversation:
    return decoder_called("etcd", {}, Path()).conversation()


PUT = write_content(1, b"x") + write_content(2, b"1")


@pytest.mark.parametrize("step", [0, 1, 7])
def test_grpc(step: int) -> None:
    talk = conversation()
    (asked,) = records(talk, PREFACE + call(1, "/etcdserverpb.KV/Put", PUT), step=step)
    assert asked == {"kind": "ClientWrite", "from": CLIENT, "to": ACCEPTOR, "id": "1.1", "asks": "put x 1"}
    assert talk.acceptor is None
    (told,) = records(talk, answer(1, HEADER), answers=True, step=step)
    assert told == {"kind": "ClientWriteResp", "from": ACCEPTOR, "to": CLIENT, "id": "1.1"}
    assert talk.acceptor is not None
    assert talk.acceptor.name == "abc"


def test_an_entry_says_what_was_asked() -> None:
    """The same words, so that the entry of a request is known."""
    entry = entry_record(write_number(2, 1) + write_content(4, write_content(4, PUT)))
    assert entry["asks"] == "put x 1"
    delete = entry_record(write_content(4, write_content(5, write_content(1, b"x"))))
    (asked,) = records(conversation(), PREFACE + call(1, "/etcdserverpb.KV/DeleteRange", write_content(1, b"x")))
    assert asked["asks"] == delete["asks"] == "delete x "


def operation(kind: int, body: bytes) -> bytes:
    return write_content(2, write_content(kind, body))


KEY = write_content(1, b"x")


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("KV/Range", KEY, "ClientRead"),
        ("KV/Range", KEY + write_number(7, 1), "ClientOther"),
        ("KV/Txn", operation(1, KEY), "ClientRead"),
        ("KV/Txn", operation(1, KEY + write_number(7, 1)), "ClientOther"),
        ("KV/Txn", operation(1, KEY) + operation(2, PUT), "ClientWrite"),
        ("KV/Txn", operation(4, operation(3, KEY)), "ClientWrite"),
        ("Cluster/MemberAdd", write_content(1, b"http://x"), "ClientJoin"),
        ("Cluster/MemberRemove", write_number(1, 7), "ClientLeave"),
    ],
)
def test_what_is_asked(path: str, body: bytes, kind: str) -> None:
    (asked,) = records(conversation(), PREFACE + call(1, f"/etcdserverpb.{path}", body))
    assert asked["kind"] == kind


def test_members() -> None:
    talk = conversation()
    records(talk, PREFACE + call(1, "/etcdserverpb.Cluster/MemberAdd", write_number(2, 1)))
    (joined,) = records(talk, answer(1, HEADER + write_content(2, write_number(1, 0xBEEF))), answers=True)
    assert (joined["kind"], joined["member"], joined["learns"]) == ("ClientJoined", "beef", True)
    records(talk, call(3, "/etcdserverpb.Cluster/MemberRemove", write_number(1, 0xBEEF)))
    (left,) = records(talk, answer(3, HEADER), answers=True)
    assert (left["kind"], left["member"]) == ("ClientLeft", "beef")


def test_calls_that_come_to_nothing() -> None:
    talk = conversation()
    first = call(1, "/etcdserverpb.KV/Put", PUT) + call(3, "/etcdserverpb.KV/Range", KEY)
    records(talk, PREFACE + first + call(5, "/etcdserverpb.Lease/LeaseGrant", b""))
    (refused,) = records(talk, answer(1, b"", status="14"), answers=True)
    assert (refused["kind"], refused["id"]) == ("ClientRefused", "1.1")
    (gone,) = records(talk, frame(_RESET, 0, 3, bytes(4)))
    assert (gone["kind"], gone["id"]) == ("ClientGone", "1.2")
    records(talk, call(7, "/etcdserverpb.KV/Put", PUT))
    assert [each.record["id"] for each in talk.closed() if each.record] == ["1.3"]


def post(path: str, body: object) -> bytes:
    data = json.dumps(body).encode()
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data


def reply(body: object, status: str = "200 OK") -> bytes:
    data = json.dumps(body).encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("step", [0, 5])
def test_json(step: int) -> None:
    talk = conversation()
    (asked,) = records(talk, post("/v3/kv/put", {"key": b64("x"), "value": b64("1")}), step=step)
    assert (asked["kind"], asked["asks"]) == ("ClientWrite", "put x 1")
    (told,) = records(talk, reply({"header": {"member_id": str(0xABC)}}), answers=True, step=step)
    assert told["kind"] == "ClientWriteResp"
    assert talk.acceptor is not None
    assert talk.acceptor.name == "abc"
    (read,) = records(talk, post("/v3/kv/range", {"key": b64("x")}), step=step)
    (refused,) = records(talk, reply({"error": "no leader"}, "503 Unavailable"), answers=True, step=step)
    assert (read["kind"], refused["kind"]) == ("ClientRead", "ClientRefused")


def test_transactions_in_json() -> None:
    read = {"success": [{"requestRange": {"key": b64("x")}}]}
    write = {"failure": [{"request_txn": {"success": [{"request_put": {"key": b64("x")}}]}}]}
    kinds = [records(conversation(), post("/v3/kv/txn", each))[0]["kind"] for each in (read, write)]
    assert kinds == ["ClientRead", "ClientWrite"]


def test_connections_of_members_are_told_apart() -> None:
    talk = conversation()
    body = write_number(1, 8) + write_number(2, 1) + write_number(3, 2)
    head = f"POST /raft HTTP/1.1\r\nX-Server-From: 2\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    (beat,) = records(talk, head + body, step=3)
    assert (beat["kind"], beat["from"], beat["to"]) == ("MsgHeartbeat", "2", "1")


def test_what_is_no_client_of_etcd() -> None:
    with pytest.raises(DecodingError, match="encrypted"):
        conversation().dialed(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00")
    with pytest.raises(DecodingError, match="no JSON"):
        conversation().dialed(b"POST /v3/kv/put HTTP/1.1\r\nContent-Length: 2\r\n\r\n{x")
    with pytest.raises(DecodingError, match="speaks first"):
        conversation().answered(b"HTTP/1.1 200 OK\r\n\r\n")


def test_changes_of_members_in_entries() -> None:
    first = write_number(2, 1) + write_number(3, 0xBEEF)  # the first version: remove
    second = write_content(2, write_number(1, 3) + write_number(2, 0xBEEF))  # the second: a learner
    both = [
        entry_record(write_number(1, kind) + write_number(2, 4) + write_content(4, data))
        for kind, data in ((1, first), (2, second))
    ]
    assert [(each["change"], each["member"]) for each in both] == [("remove", "beef"), ("learner", "beef")]
    two = second + second
    assert entry_record(write_number(1, 2) + write_content(4, two))["change"] == "2 at once"
