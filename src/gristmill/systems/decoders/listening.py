"""Messages heard by native code (`native/listening.h`): bytes of many records in, messages as numbers out.

A decoder in Python begins each connection, and native code goes on with it where it can; whatever it does not know is
the decoder's again. What a message says in full is read by the decoder, too, when somebody asks.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, c_bool, c_char_p, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple

from gristmill.cc import build, load
from gristmill.systems.decoders.conversation import Conversation, Record
from gristmill.systems.decoders.hpack import CODE_LENGTHS, FIXED_HEADERS

_NATIVE = Path(__file__).parent / "native"
_FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror")
END, OTHER, UNUSUAL, ROUTE, FULL = range(5)  # why it has stopped
LEFT_OUT, WANTED, NOT_HERE = range(3)  # what becomes of the messages of a route
LONG = Struct("<Q")
ITEM = Struct("<IIQQQII")  # size, route, number, sequence, time, how many numbers, how many bytes
_CHANNELS = Struct("<QQ")


class Source(NamedTuple):
    """Where native code finds a part of a message: the number of what it finds. `form`: "number", "truth", "text" (of
    which it finds the digest), "each" (a sequence, with the parts of its elements) or "fixed": always `value`."""

    form: str
    number: int = 0
    opposite: int = 0  # of a truth value
    parts: Mapping[str, Source] = {}
    value: Any = None


class Heard(NamedTuple):
    """What messages of one route have in common: `fixed` parts of them, and the number of their connection, if that is
    part of what they say."""

    kind: str
    fixed: Mapping[str, str]
    number: int = 0


class Listening(ABC):
    """Of one protocol."""

    @abstractmethod
    def heard(self, conversation: Conversation, kind: int, source: int, target: int) -> Heard:
        """What messages with these numbers are."""

    @abstractmethod
    def sources(self, kind: str) -> Mapping[str, Source]:
        """The parts of messages of a kind that native code finds, by paths."""

    @abstractmethod
    def record(self, heard: Heard, data: bytes) -> Record:
        """All that a message says."""


class _Result(Structure):
    _fields_ = (
        *((name, c_uint64) for name in ("used", "items", "messages", "ignored", "source", "target")),
        *((name, c_uint32) for name in ("why", "connection", "kind", "direction")),
    )

    used: int
    items: int
    messages: int
    ignored: int
    source: int
    target: int
    why: int
    connection: int
    kind: int
    direction: int


@cache
def _library() -> ctypes.CDLL:
    """Raises `CompilerError`."""
    found = load(build(paths=sorted(_NATIVE.glob("*.c")), flags=_FLAGS))
    for name, (result, arguments) in {
        "listener_new": (c_void_p, (c_char_p, c_char_p, c_size_t)),
        "listener_free": (None, (c_void_p,)),
        "listener_begin": (c_bool, (c_void_p, c_uint32, c_char_p, c_size_t)),
        "listener_state": (c_size_t, (c_void_p, c_uint32, c_void_p, c_size_t)),
        "listener_end": (None, (c_void_p, c_uint32)),
        "listener_route": (
            None,
            (c_void_p, c_uint32, c_uint32, c_uint64, c_uint64, c_uint32, c_uint32, c_char_p, c_uint32),
        ),
        "listener_forget_routes": (None, (c_void_p,)),
        "listener_hear": (None, (c_void_p, c_void_p, c_size_t, c_uint64, POINTER(_Result))),
        "listener_items": (c_void_p, (c_void_p,)),
        "listen_pick": (c_size_t, (c_char_p, c_size_t, c_char_p, c_uint32, c_void_p, POINTER(c_uint64))),
    }.items():
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments
    return found


class Listener:
    """Of any number of connections. Raises `CompilerError` if there is no native code."""

    def __init__(self) -> None:
        self._library = _library()
        headers = b"".join(text.encode("latin-1") + b"\0" for field in FIXED_HEADERS for text in field)
        self._handle = self._library.listener_new(bytes(CODE_LENGTHS), headers, len(headers))
        self._connections: set[int] = set()
        self.result = _Result()
        self._result_at = ctypes.byref(self.result)

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None:
            self._library.listener_free(handle)

    def __contains__(self, connection: int) -> bool:
        return connection in self._connections

    def begin(self, connection: int, state: bytes, channels: tuple[int, int]) -> bool:
        """From now on this connection is heard here, if its state is understood. `channels`: how many messages there
        were in each direction."""
        whole = state[: LONG.size] + _CHANNELS.pack(*channels) + state[LONG.size :]
        can: bool = self._library.listener_begin(self._handle, connection, whole, len(whole))
        if can:
            self._connections.add(connection)
        return can

    def taken_back(self, connection: int) -> tuple[bytes, tuple[int, int]]:
        """It is not heard here any more: its state, and how many messages there were in each direction."""
        self._connections.discard(connection)
        room = 4_096
        while True:
            out = ctypes.create_string_buffer(room)
            size = self._library.listener_state(self._handle, connection, out, room)
            if size <= room:
                break
            room = size
        whole = out.raw[:size]
        dialed, answered = _CHANNELS.unpack_from(whole, LONG.size)
        return whole[: LONG.size] + whole[LONG.size + _CHANNELS.size :], (dialed, answered)

    def end(self, connection: int) -> None:
        if connection in self._connections:
            self._connections.discard(connection)
            self._library.listener_end(self._handle, connection)

    def route(self, id: int, status: int, recipe: Sequence[int]) -> None:
        """What becomes of the messages that it has just stopped at."""
        found, words = self.result, array("I", recipe).tobytes()
        ends = found.connection, found.kind, found.source, found.target
        self._library.listener_route(self._handle, *ends, id, status, words, len(recipe))

    def forget_routes(self) -> None:
        """All of them are asked for again."""
        self._library.listener_forget_routes(self._handle)

    def hear(self, address: int, size: int, count: int) -> _Result:
        """Records in memory; `count`: messages before. It may stop before the end."""
        self._library.listener_hear(self._handle, address, size, count, self._result_at)
        return self.result

    def items(self) -> bytes:
        """The messages that it has just heard."""
        return ctypes.string_at(self._library.listener_items(self._handle), self.result.items)


def address_of(data: bytes) -> int:
    """Where they are, for as long as somebody holds them."""
    return ctypes.cast(c_char_p(data), c_void_p).value or 0


def picked(items: bytes, marks: bytes) -> tuple[bytes, int]:
    """Those whose routes are marked by a byte that is not 0, and how many these are."""
    out, count = (c_uint8 * max(1, len(items)))(), c_uint64()
    size = _library().listen_pick(items, len(items), marks, len(marks), out, ctypes.byref(count))
    return ctypes.string_at(out, size), count.value


def span(data: bytes) -> bytes:
    """As it stands in a state."""
    return LONG.pack(len(data)) + data


class Cursor:
    """Reads a state."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self) -> int:
        (found,) = LONG.unpack_from(self.data, self.at)
        self.at += LONG.size
        return int(found)

    def span(self) -> bytes:
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at]
