"""The state of a client's connection, handed to native code and back: in the order of `native/calls.c`."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gristmill.systems.decoders.etcd.clients import Asked
from gristmill.systems.decoders.http2 import Http2Reader
from gristmill.systems.decoders.listening import LONG, Cursor, span

if TYPE_CHECKING:
    from gristmill.systems.decoders.etcd.grpc import GrpcConversation

_CALLS = 3
_NAMES = ("", "Range", "Put", "DeleteRange")  # by their numbers; others are known, but not to native code
_ASKED = {"ClientRead": 65, "ClientWrite": 66, "ClientOther": 67}
_KINDS = {number: kind for kind, number in _ASKED.items()}
_PREFIX = 5  # bytes in front of an answer


@dataclass(slots=True)
class Call:
    """On one stream. `id`: when its request is complete."""

    name: str
    request: bytearray = field(default_factory=bytearray)
    response: bytearray = field(default_factory=bytearray)
    id: str | None = None


def calls_state(conversation: GrpcConversation) -> bytes | None:
    """None if something is under way that native code knows nothing of."""
    clients, readers = conversation.clients, (conversation.requests, conversation.responses)
    if clients.acceptor is None or any(each.preface for each in readers):
        return None
    parts = [LONG.pack(each) for each in (_CALLS, clients.number, clients.count)]
    for reader in readers:
        parts += _reader_state(reader)
    parts.append(LONG.pack(len(conversation.calls)))
    for stream, call in conversation.calls.items():
        asked = clients.open.get(call.id or "")
        kind = 0 if asked is None else _ASKED.get(asked.kind)
        if kind is None or (call.id is None and call.request) or (call.response and call.response[0]):
            return None
        name = _NAMES.index(call.name) if call.name in _NAMES else len(_NAMES)
        number = 0 if call.id is None else int(call.id.partition(".")[2])
        parts += [LONG.pack(each) for each in (stream, name, call.id is not None, number, kind)]
        parts += [span(bytes(call.response[:_PREFIX])), LONG.pack(len(call.response))]
    return b"".join(parts)


def _reader_state(reader: Http2Reader) -> list[bytes]:
    table = reader.headers.table
    parts = [span(bytes(reader.buffer)), LONG.pack(reader.headers.limit), LONG.pack(len(table))]
    parts += [span(text.encode("latin-1")) for header in reversed(table) for text in header]
    return [*parts, span(bytes(reader.block)), LONG.pack(reader.block_of), LONG.pack(reader.block_ends)]


def put_calls_state(conversation: GrpcConversation, state: bytes) -> None:
    cursor, clients, before = Cursor(state), conversation.clients, conversation.calls
    cursor.number()
    clients.number, clients.count = cursor.number(), cursor.number()
    for reader in (conversation.requests, conversation.responses):
        _put_reader_state(reader, cursor)
    calls: dict[int, Call] = {}
    open_now: dict[str, Asked] = {}
    for _ in range(cursor.number()):
        stream, name, has_id, number, kind = (cursor.number() for _ in range(5))
        head, got = cursor.span(), cursor.number()
        known = before.get(stream)  # of what native code does not tell apart, it has begun nothing itself
        called = _NAMES[name] if name < len(_NAMES) else known.name if known is not None else ""
        # What an answer says is not looked at, once it is known who answers.
        call = calls[stream] = Call(called, response=bytearray(head) + bytes(got - len(head)))
        if has_id:
            call.id = f"{clients.number}.{number}"
            if kind:
                open_now[call.id] = clients.open.get(call.id) or Asked(_KINDS[kind], {})
    answered = {call.id for call in before.values() if call.id is not None} - open_now.keys()
    found = {id: asked for id, asked in clients.open.items() if id not in answered} | open_now
    clients.open = dict(sorted(found.items(), key=lambda each: int(each[0].partition(".")[2])))
    conversation.calls = calls


def _put_reader_state(reader: Http2Reader, cursor: Cursor) -> None:
    reader.buffer = bytearray(cursor.span())
    headers = reader.headers
    headers.limit, count = cursor.number(), cursor.number()
    table: deque[tuple[str, str]] = deque()
    for _ in range(count):
        name, value = cursor.span().decode("latin-1"), cursor.span().decode("latin-1")
        table.appendleft((name, value))
    headers.put(table)
    reader.block = bytearray(cursor.span())
    reader.block_of, reader.block_ends = cursor.number(), cursor.number() != 0
