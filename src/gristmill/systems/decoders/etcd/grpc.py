"""A client of etcd that speaks gRPC: calls on streams of HTTP/2, protocol buffers in them."""

from __future__ import annotations

import zlib

from gristmill.systems.decoders.conversation import Conversation, DecodingError, Piece, Record
from gristmill.systems.decoders.etcd.clients import (
    CALLS,
    OTHER,
    Asked,
    Clients,
    change_asked,
    range_asked,
    transaction_asked,
    write_asked,
)
from gristmill.systems.decoders.etcd.handing_calls import Call, calls_state, put_calls_state
from gristmill.systems.decoders.fields import text
from gristmill.systems.decoders.http2 import Data, Frame, Headers, Http2Reader, Reset
from gristmill.systems.decoders.protobuf import content, contents, fields_of, number

_LARGEST = 1 << 28
_GZIP = 16 + zlib.MAX_WBITS


class GrpcConversation(Conversation):
    def __init__(self, number: int) -> None:
        self.clients = Clients(number)
        self.requests, self.responses = Http2Reader(dialing=True), Http2Reader(dialing=False)
        self.calls: dict[int, Call] = {}

    def dialed(self, data: bytes) -> list[Piece]:
        found = [record for frame in self.requests.feed(data) for record in self._said(frame)]
        return [Piece(data), *(Piece(b"", each) for each in found)]

    def answered(self, data: bytes) -> list[Piece]:
        found = [record for frame in self.responses.feed(data) for record in self._told(frame)]
        self.acceptor = self.clients.acceptor
        return [Piece(data), *(Piece(b"", each) for each in found)]

    def heard_dialed(self, data: bytes) -> list[Record]:
        return [record for frame in self.requests.feed(data) for record in self._said(frame)]

    def heard_answered(self, data: bytes) -> list[Record]:
        found = [record for frame in self.responses.feed(data) for record in self._told(frame)]
        self.acceptor = self.clients.acceptor
        return found

    def handed_over(self) -> bytes | None:
        return calls_state(self)

    def taken_back(self, state: bytes) -> None:
        put_calls_state(self, state)

    def closed(self) -> list[Piece]:
        return [Piece(b"", each) for each in self.clients.gone()]

    def _said(self, frame: Frame) -> list[Record]:
        if isinstance(frame, Headers):
            path = frame.fields.get(":path", "")
            if path:
                service, _, name = path.strip("/").partition("/")
                known = service.split(".")[-1] in ("KV", "Cluster") and name in CALLS
                self.calls[frame.stream] = Call(name if known else "")
            return []
        call = self.calls.get(frame.stream)
        if call is None:
            return []
        if isinstance(frame, Reset):
            del self.calls[frame.stream]
            return self.clients.gone(call.id) if call.id else []
        if not call.name or call.id is not None:
            return []
        call.request += frame.data
        message = _message(call.request)
        if message is None:
            return []
        call.id, record = self.clients.ask(_asked(call.name, message))
        return [record]

    def _told(self, frame: Frame) -> list[Record]:
        call = self.calls.get(frame.stream)
        if call is None:
            return []
        found: list[Record] = []
        if call.id is not None and not isinstance(frame, Reset):
            answer = self._answer(call, call.id, frame)
            found = [] if answer is None else [answer]
        if isinstance(frame, Reset) or frame.ends:
            del self.calls[frame.stream]
        return found

    def _answer(self, call: Call, id: str, frame: Headers | Data) -> Record | None:
        if isinstance(frame, Headers):
            return self.clients.answer(id, error=True) if frame.fields.get("grpc-status", "0") != "0" else None
        call.response += frame.data
        message = _message(call.response)
        if message is None:
            return None
        if self.clients.acceptor is not None and call.name != "MemberAdd":  # a connection leads to one member
            return self.clients.answer(id, False)
        fields = fields_of(message)
        answerer = number(fields_of(content(fields, 1)), 2)
        added = number(fields_of(content(fields, 2)), 1) if call.name == "MemberAdd" else None
        return self.clients.answer(id, False, answerer, added)


def _message(buffer: bytearray) -> bytes | None:
    """A byte that says whether it is packed, a length, and so many bytes; None if it is not complete."""
    if len(buffer) < 5:
        return None
    length = int.from_bytes(buffer[1:5], "big")
    if length > _LARGEST:
        raise DecodingError(f"a message of {length} bytes in gRPC")
    if len(buffer) < 5 + length:
        return None
    message = bytes(buffer[5 : 5 + length])
    if not buffer[0]:
        return message
    try:
        return zlib.decompress(message, _GZIP)
    except zlib.error:
        raise DecodingError("a message of gRPC is packed, but not by gzip") from None


def _asked(call: str, message: bytes) -> Asked:
    fields = fields_of(message)
    match call:
        case "Range":
            return range_asked(number(fields, 7) != 0)
        case "Put":
            put = {"kind": "put", "key": text(content(fields, 1)), "value": text(content(fields, 2))}
            return write_asked(put)
        case "DeleteRange":
            return write_asked({"kind": "delete", "key": text(content(fields, 1)), "end": text(content(fields, 2))})
        case "Txn":
            writes, serializable = _looks(message)
            return transaction_asked(writes, serializable)
        case "MemberAdd":
            return change_asked(call, None, number(fields, 2) != 0)
        case "MemberRemove" | "MemberPromote":
            return change_asked(call, number(fields, 1), False)
    return OTHER


def _looks(transaction: bytes) -> tuple[bool, bool]:
    """Whether a transaction may write; and whether all of its reads are serializable, if it only reads."""
    fields = fields_of(transaction)
    writes, serializable = False, True
    for operation in contents(fields, 2) + contents(fields, 3):
        for kind, values in fields_of(operation).items():
            inner = values[-1]
            if kind == 1 and isinstance(inner, bytes):
                serializable = serializable and number(fields_of(inner), 7) != 0
            elif kind == 4 and isinstance(inner, bytes):
                deeper = _looks(inner)
                writes, serializable = writes or deeper[0], serializable and deeper[1]
            else:
                writes = True
    return writes, serializable
