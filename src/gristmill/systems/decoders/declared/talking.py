"""Connections whose messages are declared: bytes cut into messages, each with a length in front or without."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gristmill.systems.decoders.conversation import Conversation, Decoder, DecodingError, Piece, Record
from gristmill.systems.decoders.fields import part
from gristmill.systems.decoders.framing import LengthPrefixed
from gristmill.systems.decoders.jute import LARGEST, MissingError

Frames = Callable[[bytearray], Iterator[tuple[bytes, bytes]]]


class Declared(Decoder):
    """
    - `message`: what each message is declared as; `answer`: those of the side which was dialed, if something else.
    - `kind`: the field that says what a message is; `names`: names for its values.
    - `frames`: takes complete messages off a buffer; None: where one ends, its fields tell.
    """

    def __init__(self, message: str, answer: str, kind: str, names: Mapping[str, str], frames: Frames | None) -> None:
        self.message, self.answer, self.kind, self.frames = message, answer, kind, frames
        self.names = {str(key): str(name) for key, name in names.items()}

    def conversation(self, taking: bool = False) -> Conversation:
        return _Declared(self)

    def called(self, record: Mapping[str, Any]) -> str:
        """The kind of a message."""
        value = part(record, self.kind)
        return "message" if value is None else self.names.get(str(value), str(value))

    @abstractmethod
    def record(self, data: bytes | bytearray, declared: str) -> tuple[Record, int]:
        """The message at the beginning of these bytes, and where it ends. Raises `MissingError` if it does not."""


class _Declared(Conversation):
    def __init__(self, decoder: Declared) -> None:
        self.decoder = decoder
        self.from_dialer, self.from_acceptor = bytearray(), bytearray()

    def dialed(self, data: bytes) -> list[Piece]:
        self.from_dialer += data
        return list(self._pieces(self.from_dialer, self.decoder.message))

    def answered(self, data: bytes) -> list[Piece]:
        self.from_acceptor += data
        return list(self._pieces(self.from_acceptor, self.decoder.answer))

    def _pieces(self, buffer: bytearray, declared: str) -> Iterator[Piece]:
        if self.decoder.frames is None:
            yield from self._unframed(buffer, declared)
            return
        for wire, content in self.decoder.frames(buffer):
            try:
                record, end = self.decoder.record(content, declared)
            except MissingError:
                raise DecodingError(f"a message of {len(content)} bytes is too short for {declared}") from None
            if end != len(content):
                raise DecodingError(f"{len(content) - end} bytes are behind the fields of {record['kind']}")
            yield Piece(wire, record)

    def _unframed(self, buffer: bytearray, declared: str) -> Iterator[Piece]:
        while buffer:
            try:
                record, end = self.decoder.record(buffer, declared)
            except MissingError:
                return
            wire = bytes(buffer[:end])
            del buffer[:end]
            yield Piece(wire, record)


def framing(length: str, inclusive: bool) -> Frames:
    """By what stands in front of each message: `varint`, or as for the decoder `length-prefixed`."""
    if length == "varint":
        return _varint_frames
    return LengthPrefixed(length=length, inclusive=inclusive, content="hex").frames


def _varint_frames(buffer: bytearray) -> Iterator[tuple[bytes, bytes]]:
    while True:
        size = next((at + 1 for at, byte in enumerate(buffer[:10]) if byte < 0x80), 0)
        if size == 0:
            if len(buffer) >= 10:
                raise DecodingError("a length does not end: is it a varint?")
            return
        end = size + sum((byte & 0x7F) << 7 * at for at, byte in enumerate(buffer[:size]))
        if end > LARGEST:
            raise DecodingError(f"a message of {end} bytes: is its length a varint?")
        if len(buffer) < end:
            return
        wire = bytes(buffer[:end])
        del buffer[:end]
        yield wire, wire[size:]
