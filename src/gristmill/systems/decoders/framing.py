"""Protocols of the plainest kind: one JSON value a line, or a length in front of every message.

Their messages are independent of each other, so each can be passed on by itself.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from gristmill.systems.decoders.conversation import Conversation, Decoder, DecodingError, Piece, Record
from gristmill.systems.decoders.fields import part, plain, text

_LARGEST = 1 << 28  # a message beyond this is a length that was misunderstood


class Framed(Decoder):
    """Both sides send messages of one form. `kind`: the field of a message that says what it is."""

    def __init__(self, kind: str = "kind") -> None:
        self.kind = kind

    def conversation(self, taking: bool = False) -> Conversation:
        return _FramedConversation(self)

    @abstractmethod
    def frames(self, buffer: bytearray) -> Iterator[tuple[bytes, bytes]]:
        """Take the complete messages off the buffer: what carries each, and what it says."""

    @abstractmethod
    def frame(self, content: bytes) -> bytes:
        """What carries this content."""

    def record(self, content: bytes) -> Record | None:
        return json_record(content, self.kind)

    def content(self, record: Record) -> bytes:
        return json_content(record)

    def piece(self, wire: bytes, content: bytes) -> Piece:
        return Piece(wire, self.record(content), encode=lambda record: self.frame(self.content(record)))


class _FramedConversation(Conversation):
    def __init__(self, decoder: Framed) -> None:
        self.decoder = decoder
        self.from_dialer, self.from_acceptor = bytearray(), bytearray()

    def dialed(self, data: bytes) -> list[Piece]:
        return self._cut(self.from_dialer, data)

    def answered(self, data: bytes) -> list[Piece]:
        return self._cut(self.from_acceptor, data)

    def _cut(self, buffer: bytearray, data: bytes) -> list[Piece]:
        buffer += data
        return [self.decoder.piece(wire, content) for wire, content in self.decoder.frames(buffer)]


class JsonLines(Framed):
    """`{"kind": "Ping", …}` and a line feed."""

    def frames(self, buffer: bytearray) -> Iterator[tuple[bytes, bytes]]:
        while (end := buffer.find(b"\n") + 1) > 0:
            wire = bytes(buffer[:end])
            del buffer[:end]
            yield wire, wire.strip()

    def frame(self, content: bytes) -> bytes:
        return content + b"\n"

    def record(self, content: bytes) -> Record | None:
        return json_record(content, self.kind) if content else None


class LengthPrefixed(Framed):
    """A length of 1, 2, 4 or 8 bytes, and so many bytes: JSON, text, or what is shown in hexadecimal digits."""

    def __init__(
        self,
        kind: str = "kind",
        length: str = "u32be",
        inclusive: bool = False,  # whether the length counts itself
        content: Literal["json", "text", "hex"] = "json",
    ) -> None:
        super().__init__(kind)
        sizes = {f"u{8 * size}{order}": (size, order) for size in (1, 2, 4, 8) for order in ("be", "le")}
        if length not in sizes or content not in ("json", "text", "hex"):
            raise ValueError('length is "u32be" or alike (8, 16, 32, 64; be, le); content is "json", "text" or "hex"')
        self.size, order = sizes[length]
        self.order: Literal["big", "little"] = "big" if order == "be" else "little"
        self.counted = self.size if inclusive else 0
        self.form = content

    def frames(self, buffer: bytearray) -> Iterator[tuple[bytes, bytes]]:
        while len(buffer) >= self.size:
            end = self.size + int.from_bytes(buffer[: self.size], self.order) - self.counted
            if not self.size <= end <= _LARGEST:
                raise DecodingError(f"a message of {end} bytes: is this the form of its length?")
            if len(buffer) < end:
                return
            wire = bytes(buffer[:end])
            del buffer[:end]
            yield wire, wire[self.size :]

    def frame(self, content: bytes) -> bytes:
        return (len(content) + self.counted).to_bytes(self.size, self.order) + content

    def record(self, content: bytes) -> Record | None:
        if self.form == "json":
            return json_record(content, self.kind)
        return {"kind": "message", "content": text(content) if self.form == "text" else content.hex()}

    def content(self, record: Record) -> bytes:
        if self.form == "json":
            return json_content(record)
        return record["content"].encode() if self.form == "text" else bytes.fromhex(record["content"])


def json_record(content: bytes, kind: str) -> Record:
    try:
        value = json.loads(content)
    except ValueError as error:
        raise DecodingError(f"this is no JSON ({error}): {text(content[:80])}") from None
    record = plain(value) if isinstance(value, dict) else {"value": plain(value)}
    found = part(record, kind)
    return {**record, "kind": "message" if found is None else found}


def json_content(record: Record) -> bytes:
    return json.dumps(_unplain(record), ensure_ascii=False, separators=(",", ":")).encode()


def _unplain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _unplain(each) for key, each in value.items()}
    return [_unplain(each) for each in value] if isinstance(value, tuple) else value
