"""A client of etcd that speaks JSON: POST /v3/kv/put and the like, over HTTP/1.1."""

from __future__ import annotations

import base64
import binascii
import json
from collections import deque
from typing import Any

from gristmill.systems.decoders.conversation import Conversation, DecodingError, Piece, Record
from gristmill.systems.decoders.etcd.clients import (
    OTHER,
    Asked,
    Clients,
    change_asked,
    range_asked,
    transaction_asked,
    write_asked,
)
from gristmill.systems.decoders.fields import text
from gristmill.systems.decoders.http1 import Body, End, Head, HttpReader

_CALLS = {
    "kv/range": "Range", "kv/put": "Put", "kv/deleterange": "DeleteRange", "kv/txn": "Txn",
    "cluster/member/add": "MemberAdd", "cluster/member/remove": "MemberRemove",
    "cluster/member/promote": "MemberPromote",
}  # fmt: skip


class JsonConversation(Conversation):
    def __init__(self, number: int) -> None:
        self.clients = Clients(number)
        self.requests, self.responses = HttpReader(responses=False), HttpReader(responses=True)
        self.asking: Head | None = None
        self.request, self.response = bytearray(), bytearray()
        self.status = ""
        self.waiting: deque[tuple[str, str]] = deque()  # the ids and names of calls that have no answer yet

    def dialed(self, data: bytes) -> list[Piece]:
        found: list[Record] = []
        for event in self.requests.feed(data):
            if isinstance(event, Head):
                self.asking, self.request = event, bytearray()
            elif isinstance(event, Body):
                self.request += event.data
            elif isinstance(event, End) and self.asking is not None:
                found.append(self._ask(self.asking, bytes(self.request)))
        return [Piece(data), *(Piece(b"", each) for each in found)]

    def answered(self, data: bytes) -> list[Piece]:
        found: list[Record] = []
        for event in self.responses.feed(data):
            if isinstance(event, Head):
                self.status, self.response = event.first[1], bytearray()
            elif isinstance(event, Body):
                self.response += event.data
            elif isinstance(event, End) and not self.status.startswith("1") and self.waiting:
                answer = self._answer(bytes(self.response))
                found += [] if answer is None else [answer]
        self.acceptor = self.clients.acceptor
        return [Piece(data), *(Piece(b"", each) for each in found)]

    def heard_dialed(self, data: bytes) -> list[Record]:
        found = self.requests.whole(data)
        return super().heard_dialed(data) if found is None else [self._ask(*found)]

    def heard_answered(self, data: bytes) -> list[Record]:
        found = self.responses.whole(data)
        if found is None:
            return super().heard_answered(data)
        head, body = found
        self.status = head.first[1]
        if self.status.startswith("1") or not self.waiting:
            return []
        answer = self._answer(body)
        self.acceptor = self.clients.acceptor
        return [] if answer is None else [answer]

    def closed(self) -> list[Piece]:
        return [Piece(b"", each) for each in self.clients.gone()]

    def _ask(self, head: Head, body: bytes) -> Record:
        path = head.first[1].partition("?")[0].strip("/")
        name = _CALLS.get(path.partition("/")[2], "")  # behind the version
        id, record = self.clients.ask(_asked(name, _object(body)) if name else OTHER)
        self.waiting.append((id, name))
        return record

    def _answer(self, body: bytes) -> Record | None:
        id, name = self.waiting.popleft()
        if not name or self.status != "200":
            return self.clients.answer(id, error=True)
        said = _object(body)
        header, member = said.get("header") or {}, said.get("member") or {}
        added = _number(member, "ID") if name == "MemberAdd" else None
        return self.clients.answer(id, "error" in said, _number(header, "member_id", "memberId"), added)


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body.decode() or "{}")
    except ValueError as error:
        raise DecodingError(f"this is no JSON ({error}): {text(body[:80])}") from None
    if not isinstance(found, dict):
        raise DecodingError(f"this is no request of etcd: {text(body[:80])}")
    return found


def _part(said: Any, *names: str) -> Any:
    """Fields have two names each: as in protocol buffers, and as usual in JSON."""
    return next((said[name] for name in names if isinstance(said, dict) and name in said), None)


def _number(said: Any, *names: str) -> int:
    found = _part(said, *names)
    try:
        return int(found or 0)
    except (TypeError, ValueError):
        raise DecodingError(f"{names[0]} is no number: {found!r}") from None


def _bytes(said: Any, *names: str) -> str:
    found = _part(said, *names) or ""
    try:
        return text(base64.b64decode(str(found), altchars=b"-_" if set(str(found)) & set("-_") else None))
    except (binascii.Error, ValueError):
        raise DecodingError(f"{names[0]} is not in base 64: {found!r}") from None


def _asked(call: str, said: dict[str, Any]) -> Asked:
    match call:
        case "Range":
            return range_asked(bool(said.get("serializable")))
        case "Put":
            return write_asked({"kind": "put", "key": _bytes(said, "key"), "value": _bytes(said, "value")})
        case "DeleteRange":
            end = _bytes(said, "range_end", "rangeEnd")
            return write_asked({"kind": "delete", "key": _bytes(said, "key"), "end": end})
        case "Txn":
            return transaction_asked(*_looks(said))
        case "MemberAdd":
            return change_asked(call, None, bool(_part(said, "isLearner", "is_learner")))
        case _:
            return change_asked(call, _number(said, "ID"), False)


def _looks(transaction: Any) -> tuple[bool, bool]:
    """Whether a transaction may write; and whether all of its reads are serializable, if it only reads."""
    writes, serializable = False, True
    for operation in [*(_part(transaction, "success") or ()), *(_part(transaction, "failure") or ())]:
        read = _part(operation, "request_range", "requestRange")
        inner = _part(operation, "request_txn", "requestTxn")
        if read is not None:
            serializable = serializable and bool(read.get("serializable"))
        elif inner is not None:
            deeper = _looks(inner)
            writes, serializable = writes or deeper[0], serializable and deeper[1]
        else:
            writes = True
    return writes, serializable
