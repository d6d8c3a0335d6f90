"""What native code hears of etcd (`native/messages.c`, `native/calls.c`), and what it means in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gristmill.systems.decoders.conversation import ACCEPTOR, CLIENT, Conversation, Record
from gristmill.systems.decoders.etcd.hearing import Hearing
from gristmill.systems.decoders.etcd.raft import KINDS, PASSED_ON, asks
from gristmill.systems.decoders.etcd.streams import AppendStream, MessageStream
from gristmill.systems.decoders.fields import text
from gristmill.systems.decoders.listening import LONG, Heard, Listening, Source

if TYPE_CHECKING:
    from gristmill.systems.decoders.etcd.connections import AnyConversation

_APPENDED = 64  # entries that follow on the message before
_CLIENTS = ("ClientRead", "ClientWrite", "ClientOther", "ClientReadResp", "ClientWriteResp", "ClientOtherResp")
_IN_MESSAGES, _ENTRIES, _ASKED, _TOLD, _IN_APPENDS = range(1, 6)  # the forms of what a message says
_PUT = 1
_ENTRY_PARTS = {
    "term": Source("number", 1), "index": Source("number", 3), "data": Source("text", 12), "asks": Source("text", 13),
    "type": Source("fixed", value="normal"), "change": Source("fixed", value="none"),
    "member": Source("fixed", value=""),
}  # fmt: skip
_PARTS = {
    "term": Source("number", 1), "logTerm": Source("number", 2), "index": Source("number", 3),
    "commit": Source("number", 4), "reject": Source("truth", 5, opposite=6), "rejectHint": Source("number", 7),
    "token": Source("text", 8), "context": Source("text", 9), "entries[0].data": Source("text", 10),
    "entries": Source("each", 11, parts=_ENTRY_PARTS),
}  # fmt: skip
_CLIENT_PARTS = {"id": Source("text", 14)}
_WRITE_PARTS = {**_CLIENT_PARTS, "asks": Source("text", 13)}


class EtcdListening(Listening):
    def __init__(self, hearing: Hearing) -> None:
        self.hearing = hearing

    def heard(self, conversation: Conversation, kind: int, source: int, target: int) -> Heard:
        known: AnyConversation = conversation  # type: ignore[assignment]
        if kind > _APPENDED:
            return _of_client(_CLIENTS[kind - _APPENDED - 1], known.number)
        stream = getattr(known.chosen, "stream", None)
        if kind == _APPENDED:
            assert isinstance(stream, AppendStream)
            return Heard("MsgApp", {"kind": "MsgApp", "from": stream.writer, "to": stream.reader})
        fixed = {"kind": KINDS[kind], "from": f"{source:x}", "to": f"{target:x}"}
        if isinstance(stream, MessageStream) and KINDS[kind] in PASSED_ON:
            fixed |= {"origin": fixed["from"], "from": stream.writer or fixed["from"]}
        return Heard(KINDS[kind], fixed)

    def sources(self, kind: str) -> Mapping[str, Source]:
        if kind in _CLIENTS:
            return _WRITE_PARTS if kind == "ClientWrite" else _CLIENT_PARTS
        return _PARTS

    def record(self, heard: Heard, data: bytes) -> Record:
        form, said = data[0], data[1:]
        if form in (_ASKED, _TOLD):
            return self._of_client(heard, form, said)
        if form == _ENTRIES:
            stream = AppendStream(heard.fixed["from"], heard.fixed["to"], self.hearing)
            (stream.term,), (stream.index,) = LONG.unpack_from(said), LONG.unpack_from(said, LONG.size)
            found: list[Record] = []
            stream.hear(b"\x01" + said[2 * LONG.size :], 0, found)
            return found[0]
        record = self.hearing.message(said)
        if form == _IN_MESSAGES and "origin" in heard.fixed:
            record |= {"origin": record["from"], "from": heard.fixed["from"]}
        return record

    def _of_client(self, heard: Heard, form: int, said: bytes) -> Record:
        (number,) = LONG.unpack_from(said)
        record = {**heard.fixed, "id": f"{heard.number}.{number}"}
        if form == _ASKED and heard.kind == "ClientWrite":
            at = LONG.size + 5
            middle = at + int.from_bytes(said[at - 4 : at], "little")
            key, rest = text(said[at:middle]), text(said[middle:])
            put = {"kind": "put", "key": key, "value": rest}
            record["asks"] = asks(put if said[at - 5] == _PUT else {"kind": "delete", "key": key, "end": rest})
        return record


def _of_client(kind: str, number: int) -> Heard:
    source, target = (ACCEPTOR, CLIENT) if kind.endswith("Resp") else (CLIENT, ACCEPTOR)
    return Heard(kind, {"kind": kind, "from": source, "to": target}, number)
