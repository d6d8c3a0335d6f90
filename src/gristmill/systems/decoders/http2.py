"""HTTP/2, one direction of a connection at a time: headers, data and ends of its streams (RFC 9113).

Both directions are in one connection; settings and windows are of no interest to who only looks on. Headers of all
streams must be read in order, as each may lean on those before.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from gristmill.systems.decoders.conversation import DecodingError
from gristmill.systems.decoders.hpack import HeaderReader

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RESET, _PUSH, _CONTINUATION = 0, 1, 3, 5, 9
_END_STREAM, _END_HEADERS, _PADDED, _PRIORITY = 0x1, 0x4, 0x8, 0x20
_LOOKED_AT = (_DATA, _HEADERS, _RESET, _PUSH, _CONTINUATION)
_HEAD = 9


class Headers(NamedTuple):
    """The first ones of a stream, or the last ones behind its data."""

    stream: int
    fields: dict[str, str]
    ends: bool


class Data(NamedTuple):
    stream: int
    data: bytes
    ends: bool


class Reset(NamedTuple):
    stream: int


Frame: TypeAlias = Headers | Data | Reset


class Http2Reader:
    """`dialing`: the direction that begins with the preface."""

    def __init__(self, dialing: bool) -> None:
        self.buffer = bytearray()
        self.preface = PREFACE if dialing else b""
        self.headers = HeaderReader()
        self.block = bytearray()  # headers that go on in the next frame
        self.block_of = 0
        self.block_ends = False

    def feed(self, data: bytes) -> list[Frame]:
        self.buffer += data
        if self.preface:
            if len(self.buffer) < len(self.preface):
                return []
            if not self.buffer.startswith(self.preface):
                raise DecodingError("this is no HTTP/2: it does not begin as it must")
            del self.buffer[: len(self.preface)]
            self.preface = b""
        found: list[Frame] = []
        whole, at = bytes(self.buffer), 0
        while at + _HEAD <= len(whole):
            inside = at + _HEAD
            end = inside + int.from_bytes(whole[at : at + 3], "big")
            if len(whole) < end:
                break
            kind = whole[at + 3]
            if kind in _LOOKED_AT:
                stream = int.from_bytes(whole[at + 5 : inside], "big") & 0x7FFFFFFF
                found += self._frame(kind, whole[at + 4], stream, whole[inside:end])
            at = end
        del self.buffer[:at]
        return found

    def _frame(self, kind: int, flags: int, stream: int, payload: bytes) -> list[Frame]:
        if kind == _DATA:
            return [Data(stream, _unpadded(flags, payload), bool(flags & _END_STREAM))]
        if kind == _RESET:
            return [Reset(stream)]
        if kind in (_HEADERS, _PUSH):
            payload = _unpadded(flags, payload)
            skipped = 4 if kind == _PUSH else 5 if flags & _PRIORITY else 0
            self.block, self.block_of = bytearray(payload[skipped:]), stream
            self.block_ends = bool(flags & _END_STREAM)
        elif kind == _CONTINUATION:
            self.block += payload
        else:
            return []
        if not flags & _END_HEADERS:
            return []
        fields = dict(self.headers.read(bytes(self.block)))
        return [Headers(self.block_of, fields, self.block_ends)] if kind != _PUSH else []


def _unpadded(flags: int, payload: bytes) -> bytes:
    if not flags & _PADDED:
        return payload
    if not payload or payload[0] >= len(payload):
        raise DecodingError("a frame of HTTP/2 has more padding than bytes")
    return payload[1 : len(payload) - payload[0]]
