"""As much of protocol buffers as is needed to look into messages of others: fields by number.

A varint is an int, a field with a length is bytes. Whoever asks knows what his fields are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from gristmill.systems.decoders.conversation import DecodingError

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5

Fields: TypeAlias = dict[int, list[int | bytes]]


def fields_of(data: bytes) -> Fields:
    """All fields of a message, each with all its values in order."""
    found: Fields = {}
    for number, value in _fields(data):
        found.setdefault(number, []).append(value)
    return found


def number(fields: Fields, field: int) -> int:
    """The last value counts; 0 if there is none."""
    value = fields.get(field, [0])[-1]
    if not isinstance(value, int):
        raise DecodingError(f"field {field} is no number: is this the message that it was taken for?")
    return value


def content(fields: Fields, field: int) -> bytes:
    value = fields.get(field, [b""])[-1]
    if not isinstance(value, bytes):
        raise DecodingError(f"field {field} has no length: is this the message that it was taken for?")
    return value


def contents(fields: Fields, field: int) -> list[bytes]:
    return [each for each in fields.get(field, []) if isinstance(each, bytes)]


def numbers(fields: Fields, field: int) -> list[int]:
    """Of a repeated field, each by itself or packed."""
    found: list[int] = []
    for each in fields.get(field, []):
        if isinstance(each, int):
            found.append(each)
        else:
            at = 0
            while at < len(each):
                value, at = _varint(each, at)
                found.append(value)
    return found


def write_number(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value)


def write_content(field: int, value: bytes) -> bytes:
    return varint(field << 3 | _BYTES) + varint(len(value)) + value


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers are written as 64 bits
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        value: int | bytes
        if kind == _VARINT:
            value, at = _varint(data, at)
        else:
            length, at = _length(kind, data, at)
            value, at = data[at : at + length], at + length
            if at > len(data):
                raise DecodingError("a message of protocol buffers ends too early")
            if kind != _BYTES:
                value = int.from_bytes(value, "little")
        yield key >> 3, value


def _length(kind: int, data: bytes, at: int) -> tuple[int, int]:
    if kind == _BYTES:
        return _varint(data, at)
    if kind not in (_FIXED64, _FIXED32):
        raise DecodingError(f"there is no type {kind} of fields in protocol buffers")
    return (8 if kind == _FIXED64 else 4), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise DecodingError("a number of protocol buffers does not end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
