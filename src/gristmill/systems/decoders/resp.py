"""RESP, the protocol of Redis and of modules for it: commands, and an answer to each in its order.

{"kind": "SET", "words": ("SET", "x", "1")}                  a command (the name of it in capitals)
{"kind": "reply", "to": "SET", "value": "OK"}                its answer; an error has "error" instead of "value"
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

from gristmill.systems.decoders.conversation import Conversation, Decoder, DecodingError, Piece, Record
from gristmill.systems.decoders.fields import text

_LINES = b"+-:$*"
_STATUS, _ERROR, _NUMBER, _BULK, _ARRAY = _LINES

Readable: TypeAlias = Callable[[bytes], str]  # how bytes become text


class Resp(Decoder):
    def conversation(self, taking: bool = False) -> Conversation:
        return RespConversation()


class RespConversation(Conversation):
    """`readable`: how words become text. What is no text is written with backslashes if nothing else is said."""

    def __init__(self, readable: Readable = text) -> None:
        self.readable = readable
        self.from_dialer, self.from_acceptor = bytearray(), bytearray()
        self.waiting: deque[str] = deque()  # commands that have no answer yet

    def dialed(self, data: bytes) -> list[Piece]:
        data = bytes(self.from_dialer) + data
        pieces, at = [], 0
        for value, end in _values(data, self.from_dialer, self.readable):
            command = self._command(value)
            pieces.append(Piece(data[at:end]) if command is None else Piece(data[at:end], command, encode=_command))
            at = end
        return pieces

    def answered(self, data: bytes) -> list[Piece]:
        data = bytes(self.from_acceptor) + data
        pieces, at = [], 0
        for value, end in _values(data, self.from_acceptor, self.readable):
            pieces.append(Piece(data[at:end], self._reply(value)))
            at = end
        return pieces

    def heard_dialed(self, data: bytes) -> list[Record]:
        data = bytes(self.from_dialer) + data if self.from_dialer else data
        found = [self._command(value) for value, _ in _values(data, self.from_dialer, self.readable)]
        return [each for each in found if each is not None]

    def heard_answered(self, data: bytes) -> list[Record]:
        data = bytes(self.from_acceptor) + data if self.from_acceptor else data
        return [self._reply(value) for value, _ in _values(data, self.from_acceptor, self.readable)]

    def _command(self, value: Any) -> Record | None:
        """Commands may be typed by hand: then they are words in a line."""
        words = value if type(value) is tuple else tuple(str(value).split())
        if not words:
            return None
        name = str(words[0]).upper()
        self.waiting.append(name)
        return {"kind": name, "words": words}

    def _reply(self, value: Any) -> Record:
        command = self.waiting.popleft() if self.waiting else None
        if type(value) is _Error:
            return {"kind": "reply", "to": command, "error": value.message}
        return {"kind": "reply", "to": command, "value": value}


class _Error:
    def __init__(self, message: str) -> None:
        self.message = message


def _command(record: Record) -> bytes:
    words = [str(each).encode() for each in record["words"]]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(each), each) for each in words)


def _values(data: bytes, rest: bytearray, readable: Readable) -> list[tuple[Any, int]]:
    """The values that are complete, each with where it ends. `rest` is what is left of the bytes then."""
    found, at = [], 0
    try:
        while (one := _value(data, at, readable)) is not None:
            found.append(one)
            at = one[1]
    finally:
        rest[:] = data[at:]
    return found


def _value(data: bytes, at: int, readable: Readable) -> tuple[Any, int] | None:
    """The value that begins here and where it ends; None if it is not complete."""
    end = data.find(b"\n", at)
    if end < 0:
        return None
    kind, after = data[at], end + 1
    if kind == _BULK:
        number = _number(data[at + 1 : end])
        if number < 0:
            return None, after  # null
        whole = after + number + 2
        return (readable(data[after : after + number]), whole) if len(data) >= whole else None
    if kind == _ARRAY:
        number = _number(data[at + 1 : end])
        return (None, after) if number < 0 else _elements(data, after, number, readable)
    if kind == _NUMBER:
        return _number(data[at + 1 : end]), after
    line = data[at:end].rstrip(b"\r")
    if kind == _ERROR:
        return _Error(text(line[1:])), after
    return text(line[1:] if kind == _STATUS else line), after


def _elements(data: bytes, at: int, count: int, readable: Readable) -> tuple[Any, int] | None:
    values = []
    for _ in range(count):
        found = _value(data, at, readable)
        if found is None:
            return None
        value, at = found
        values.append(value.message if type(value) is _Error else value)
    return tuple(values), at


def _number(digits: bytes) -> int:
    """There may be a carriage return behind it."""
    try:
        return int(digits)
    except ValueError:
        shown = text(digits.rstrip(b"\r")[:20])
        raise DecodingError(f"this is no RESP: a number was expected, not {shown!r}") from None
