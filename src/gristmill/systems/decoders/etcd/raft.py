"""Messages and entries of etcd's Raft, from protocol buffers to records and back.

    {"kind": "MsgApp", "from": "8211f1d0f64f3269", "to": …, "term": 2, "logTerm": 1, "index": 4, "commit": 4,
     "reject": False, "rejectHint": 0, "context": "", "token": "", "entries": ({"index": 5, "term": 2, "type": "normal",
     "data": "1a04…", "request": {"kind": "put", "key": "x", "value": "1"}, "asks": "put x 1", "change": "none",
     "member": ""},)}

`token` is the context as it is, in hexadecimal digits. A message that carries a snapshot has also `snapshot`: {"index":
…, "term": …, "voters": (…)}. Members are called by their ids as etcd writes them, in hexadecimal digits. Data are
hexadecimal digits, too; `request` is what etcd means by them, `asks` what a client may have asked (`clients.py` has the
same words for requests). What members that do not lead pass on has as `origin` who it was that has asked. An entry that
changes the members has as `change` "add", "remove" or "learner", and whom.
"""

from __future__ import annotations

import random
from typing import Any

from gristmill.systems.decoders.conversation import DecodingError, Record
from gristmill.systems.decoders.fields import text
from gristmill.systems.decoders.protobuf import (
    Fields,
    content,
    contents,
    fields_of,
    number,
    numbers,
    write_content,
    write_number,
)

KINDS = tuple(
    (
        "MsgHup MsgBeat MsgProp MsgApp MsgAppResp MsgVote MsgVoteResp MsgSnap MsgHeartbeat MsgHeartbeatResp "
        "MsgUnreachable MsgSnapStatus MsgCheckQuorum MsgTransferLeader MsgTimeoutNow MsgReadIndex MsgReadIndexResp "
        "MsgPreVote MsgPreVoteResp MsgStorageAppend MsgStorageAppendResp MsgStorageApply MsgStorageApplyResp "
        "MsgForgetLeader"
    ).split()
)
PASSED_ON = frozenset(("MsgProp", "MsgReadIndex", "MsgTransferLeader"))  # by members that do not lead
_ENTRY_TYPES = ("normal", "confchange", "confchange2")
_V2 = 2
_CHANGES = ("add", "remove", "none", "learner")  # by their numbers; the third one is new addresses of a member
_NUMBERS = {"term": 4, "logTerm": 5, "index": 6, "commit": 8, "rejectHint": 11}

# The requests that clients make, by the number of their field in etcd's InternalRaftRequest.
_REQUESTS = {
    3: "range", 4: "put", 5: "delete", 6: "txn", 7: "compaction", 8: "lease grant", 9: "lease revoke",
    10: "alarm", 1300: "cluster version", 1301: "member attributes", 1302: "downgrade",
}  # fmt: skip


def message_record(data: bytes) -> dict[str, Any]:
    fields = fields_of(data)
    kind = number(fields, 1)
    record: dict[str, Any] = {
        "kind": KINDS[kind] if kind < len(KINDS) else f"type {kind}",
        "from": f"{number(fields, 3):x}",
        "to": f"{number(fields, 2):x}",
        **{name: number(fields, field) for name, field in _NUMBERS.items()},
        "reject": number(fields, 10) != 0,
        "context": text(content(fields, 12)),
        "token": content(fields, 12).hex(),
        "entries": tuple(entry_record(each) for each in contents(fields, 7)),
    }
    snapshot = fields_of(content(fields_of(content(fields, 9)), 2))
    if number(snapshot, 2):
        record["snapshot"] = {
            "index": number(snapshot, 2),
            "term": number(snapshot, 3),
            "voters": tuple(f"{each:x}" for each in numbers(fields_of(content(snapshot, 1)), 1)),
        }
    return record


def sent_by(sender: str | None, record: dict[str, Any]) -> dict[str, Any]:
    """A member that passes on what another one has asked for leaves that one's name on it: in the record, this is the
    `origin`, and who has sent it is known from the connection."""
    if record["kind"] in PASSED_ON:
        record["origin"] = record["from"]
        record["from"] = sender or record["from"]
    return record


def message_bytes(record: Record) -> bytes:
    """Of a message without a snapshot. What a record does not have is 0 or empty."""
    parts = [write_number(1, KINDS.index(record["kind"]))]
    parts += [write_number(2, int(record["to"], 16)), write_number(3, int(record.get("origin", record["from"]), 16))]
    parts += [write_number(field, record.get(name, 0)) for name, field in _NUMBERS.items()]
    parts += [write_content(7, entry_bytes(each)) for each in record.get("entries", ())]
    parts.append(write_number(10, int(record.get("reject", False))))
    context = _context_bytes(record)
    if context:
        parts.append(write_content(12, context))
    return b"".join(parts)


def _context_bytes(record: Record) -> bytes:
    """A context that is no text is known by its token alone."""
    token = bytes.fromhex(record.get("token", ""))
    said = record.get("context", "")
    return token if text(token) == said else str(said).encode()


def entry_record(data: bytes) -> dict[str, Any]:
    fields = fields_of(data)
    kind, said = number(fields, 1), content(fields, 4)
    request = request_record(said) if kind == 0 else {"kind": "configuration"}
    change, member = ("none", "") if kind == 0 else _change(said, kind == _V2)
    return {
        "index": number(fields, 3),
        "term": number(fields, 2),
        "type": _ENTRY_TYPES[kind] if kind < len(_ENTRY_TYPES) else f"type {kind}",
        "data": said.hex(),
        "request": request,
        "asks": asks(request),
        "change": change,
        "member": member,
    }


def _change(data: bytes, second: bool) -> tuple[str, str]:
    """One change of the members: etcd itself makes no others. Those of the second version may hold several."""
    fields = fields_of(data)
    if second:
        changes = contents(fields, 2)
        if len(changes) != 1:
            return (f"{len(changes)} at once" if changes else "leave"), ""
        fields = {field + 1: values for field, values in fields_of(changes[0]).items()}
    kind = number(fields, 2)
    name = _CHANGES[kind] if kind < len(_CHANGES) else f"type {kind}"
    return name, "" if name == "none" else f"{number(fields, 3):x}"


def asks(request: Record) -> str:
    """What a client may have asked for. Of transactions, it is not told what they are about."""
    match request["kind"]:
        case "put":
            return f"put {request['key']} {request['value']}"
        case "delete":
            return f"delete {request['key']} {request['end']}"
        case "txn":
            return "txn"
    return ""


def entry_bytes(record: Record) -> bytes:
    """What has no data but a request to put something gets the data of that request."""
    parts = [write_number(1, _type_number(record.get("type", "normal")))]
    parts += [write_number(2, record.get("term", 0)), write_number(3, record.get("index", 0))]
    data = bytes.fromhex(record["data"]) if "data" in record else _request_bytes(record.get("request", {}))
    if data:
        parts.append(write_content(4, data))
    return b"".join(parts)


def _type_number(name: str) -> int:
    return _ENTRY_TYPES.index(name) if name in _ENTRY_TYPES else int(name.removeprefix("type "))


def _request_bytes(request: Record) -> bytes:
    """Requests have a number of their own, by which those who wait for them know them: nobody waits for this one."""
    if not request:
        return b""
    if request.get("kind") != "put":
        raise DecodingError("of requests, only those to put something can be made up")
    pair = write_content(1, str(request["key"]).encode()) + write_content(2, str(request["value"]).encode())
    return write_content(4, pair) + write_content(100, write_number(1, random.getrandbits(63) | 1))


def request_record(data: bytes) -> dict[str, Any]:
    """What a normal entry is about. A new leader's first entry is empty; reads have entries that are mere numbers."""
    if not data:
        return {"kind": "empty"}
    try:
        fields = fields_of(data)
        found = next((each for each in _REQUESTS if each in fields), None)
        if found is not None:
            return {"kind": _REQUESTS[found], **_details(_REQUESTS[found], fields_of(content(fields, found)))}
    except DecodingError:
        return _old_request(data)
    return {"kind": "other"}


def _details(kind: str, fields: Fields) -> dict[str, Any]:
    if kind == "put":
        return {"key": text(content(fields, 1)), "value": text(content(fields, 2))}
    return {"key": text(content(fields, 1)), "end": text(content(fields, 2))} if kind == "delete" else {}


def _old_request(data: bytes) -> dict[str, Any]:
    """Members tell about themselves by requests in the form of etcd 2 until 3.5."""
    try:
        fields = fields_of(data)
        return {"kind": "v2", "method": text(content(fields, 2)), "path": text(content(fields, 3))}
    except DecodingError:
        return {"kind": "other"}
