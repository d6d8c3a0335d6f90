"""The state of a stream between members, handed to native code and back: in the order of `native/listening.c`."""

from __future__ import annotations

from gristmill.systems.decoders.etcd.streams import AppendStream, Stream
from gristmill.systems.decoders.http1 import HttpReader, State
from gristmill.systems.decoders.listening import LONG, Cursor, span

_MESSAGES, _APPENDS = 1, 2
_STATES: tuple[State, ...] = ("chunk size", "chunk", "chunk end")


def stream_state(reader: HttpReader, stream: Stream) -> bytes:
    """`reader` is in the middle of a body that comes in chunks, which is the stream."""
    term, index = (stream.term, stream.index) if isinstance(stream, AppendStream) else (0, 0)
    numbers = (_APPENDS if isinstance(stream, AppendStream) else _MESSAGES, _STATES.index(reader.state), reader.left)
    parts = [LONG.pack(each) for each in numbers]
    parts += [span(bytes(reader.buffer)), LONG.pack(term), LONG.pack(index), span(bytes(stream.buffer))]
    return b"".join(parts)


def put_stream_state(reader: HttpReader, stream: Stream, state: bytes) -> None:
    cursor = Cursor(state)
    cursor.number()
    reader.state, reader.left = _STATES[cursor.number()], cursor.number()
    reader.buffer = bytearray(cursor.span())
    term, index = cursor.number(), cursor.number()
    stream.buffer, stream.needed = bytearray(cursor.span()), 0
    if isinstance(stream, AppendStream):
        stream.term, stream.index = term, index
