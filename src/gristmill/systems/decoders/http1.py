"""HTTP/1.1, one direction of a connection at a time, as it comes: heads, stretches of bodies, ends.

All `raw` together are exactly the bytes that came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from gristmill.systems.decoders.conversation import DecodingError
from gristmill.systems.decoders.fields import text

_LONGEST_HEAD = 1 << 16
_MOST_HEADS = 16  # that are remembered
_DIGITS = re.compile(rb"[0-9a-fA-F]{1,15}")


@dataclass(frozen=True, slots=True)
class Head:
    raw: bytes
    first: tuple[str, ...]  # the three parts of the first line
    headers: Mapping[str, str]  # by names in small letters


@dataclass(frozen=True, slots=True)
class Body:
    """A stretch of a body: as it came, in chunks or not, and what it says."""

    raw: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class End:
    raw: bytes = b""


Event: TypeAlias = Head | Body | End
State = Literal["head", "length", "chunk size", "chunk", "chunk end", "trailer", "until close"]
_IN_CHUNKS = ("chunk size", "chunk", "chunk end")


class HttpReader:
    """`responses`: whether these are answers. Then a body may last until the connection is closed."""

    def __init__(self, responses: bool) -> None:
        self.responses = responses
        self.buffer = bytearray()
        self.state: State = "head"
        self.left = 0  # of the body, or of the chunk
        self._heads: dict[bytes, Head] = {}  # most are like one before

    def feed(self, data: bytes) -> list[Event]:
        self.buffer += data
        events: list[Event] = []
        while self._step(events):
            pass
        return events

    def whole(self, data: bytes) -> tuple[Head, bytes] | None:
        """The same as `feed`, if this is one message with a length, from its beginning to its end: its head and body.
        None if it is not: then nothing has happened."""
        end = data.find(b"\r\n\r\n") + 4
        if self.state != "head" or self.buffer or end < 4:
            return None
        head = self._known(data[:end])
        length = head.headers.get("content-length")
        if length is None or "transfer-encoding" in head.headers or end + _length(length) != len(data):
            return None
        return head, data[end:]

    @property
    def in_chunks(self) -> bool:
        """Whether this is the middle of a body that comes in chunks."""
        return self.state in _IN_CHUNKS

    def content(self, data: bytes) -> bytes:
        """The same as `feed` in the middle of a body that comes in chunks: what more there is of it. Where it ends, the
        rest is left to `feed`."""
        if self.state == "chunk size" and not self.buffer:  # mostly it is one whole chunk
            start = data.find(b"\r\n") + 2
            if start >= 2 and data[-2:] == b"\r\n" and start + 2 < len(data) == start + 2 + _chunk_length(data[:start]):
                return data[start:-2]
        rest = bytes(self.buffer) + data if self.buffer else data
        self.buffer.clear()
        found, at = [], 0
        while self.state in _IN_CHUNKS:
            if self.state == "chunk":
                part = rest[at : at + self.left]
                found.append(part)
                at += len(part)
                self.left -= len(part)
                if self.left:
                    break
                self.state = "chunk end"
            end = rest.find(b"\r\n", at) + 2
            if end < 2:
                break
            if self.state == "chunk end":
                self.state = "chunk size"
            else:
                self.left = _chunk_length(rest[at:end])
                self.state = "chunk" if self.left else "trailer"
            at = end
        if at < len(rest):
            self.buffer += rest[at:]
        return found[0] if len(found) == 1 else b"".join(found)

    def _step(self, events: list[Event]) -> bool:
        match self.state:
            case "head":
                return self._head(events)
            case "length" | "chunk":
                return self._stretch(events)
            case "chunk size":
                return self._chunk_size(events)
            case "chunk end" | "trailer":
                return self._line(events)
            case "until close":
                events += [Body(bytes(self.buffer), bytes(self.buffer))] if self.buffer else []
                self.buffer.clear()
                return False

    def _take(self, count: int) -> bytes:
        taken = bytes(self.buffer[:count])
        del self.buffer[:count]
        return taken

    def _head(self, events: list[Event]) -> bool:
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self.buffer) > _LONGEST_HEAD:
                raise DecodingError(f"this is no HTTP: {text(bytes(self.buffer[:40]))!r}")
            return False
        head = self._known(self._take(end + 4))
        events.append(head)
        self._body_begins(head.first, head.headers, events)
        return True

    def _known(self, raw: bytes) -> Head:
        head = self._heads.get(raw)
        if head is None:
            if len(self._heads) >= _MOST_HEADS:
                self._heads.clear()
            head = self._heads[raw] = self._parsed(raw)
        return head

    def _parsed(self, raw: bytes) -> Head:
        lines = raw.decode("latin-1").split("\r\n")
        first = tuple(lines[0].split(" ", 2))
        if len(first) < 2 or not (first[0] if self.responses else first[-1]).startswith("HTTP/1."):
            raise DecodingError(f"this is no HTTP: {lines[0][:40]!r}")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return Head(raw, first, headers)

    def _body_begins(self, first: tuple[str, ...], headers: Mapping[str, str], events: list[Event]) -> None:
        if self.responses and (first[1] in ("204", "304") or first[1].startswith("1")):
            events.append(End())
        elif headers.get("transfer-encoding", "").lower() == "chunked":
            self.state = "chunk size"
        elif "content-length" in headers:
            self.left = _length(headers["content-length"])
            self.state = "length" if self.left else "head"
            events += [] if self.left else [End()]
        elif self.responses:
            self.state = "until close"
        else:
            events.append(End())

    def _stretch(self, events: list[Event]) -> bool:
        if not self.buffer:
            return False
        data = self._take(min(self.left, len(self.buffer)))
        self.left -= len(data)
        events.append(Body(data, data))
        if not self.left:
            in_chunk = self.state == "chunk"
            self.state = "chunk end" if in_chunk else "head"
            events += [] if in_chunk else [End()]
        return True

    def _chunk_size(self, events: list[Event]) -> bool:
        end = self.buffer.find(b"\r\n")
        if end < 0:
            return False
        raw = self._take(end + 2)
        self.left = _chunk_length(raw)
        self.state = "chunk" if self.left else "trailer"
        events.append(Body(raw, b""))
        return True

    def _line(self, events: list[Event]) -> bool:
        """The line feed after a chunk, or a line after the last one, of which the last is empty."""
        end = self.buffer.find(b"\r\n")
        if end < 0:
            return False
        raw = self._take(end + 2)
        if self.state == "chunk end":
            self.state = "chunk size"
            events.append(Body(raw, b""))
        elif end == 0:
            self.state = "head"
            events.append(End(raw))
        else:
            events.append(Body(raw, b""))
        return True


@lru_cache(1024)
def _chunk_length(line: bytes) -> int:
    digits = line.split(b";")[0].strip()
    if not _DIGITS.fullmatch(digits):
        raise DecodingError(f"this is no chunk of HTTP: {text(line[:40])!r}")
    return int(digits, 16)


def _length(digits: str) -> int:
    if not digits.isascii() or not digits.isdigit():
        raise DecodingError(f"this is no length of a body of HTTP: {digits[:40]!r}")
    return int(digits)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)
