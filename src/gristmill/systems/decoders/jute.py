"""Jute, the serialization of ZooKeeper: numbers are big-endian, texts and buffers have their length in front.

A reader goes along bytes that may not all have come yet: `MissingError` says that the value is not complete.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeVar

from gristmill.systems.decoders.conversation import DecodingError
from gristmill.systems.decoders.fields import text

LARGEST = 1 << 28  # a length beyond this is one that was misunderstood

_INT, _LONG = struct.Struct(">i"), struct.Struct(">q")
T = TypeVar("T")


class MissingError(Exception):
    """More bytes are needed."""


class JuteReader:
    """`at` is where the next value begins."""

    def __init__(self, data: bytes | bytearray, at: int = 0) -> None:
        self.data, self.at = data, at

    def integer(self) -> int:
        return self._number(_INT)

    def long(self) -> int:
        return self._number(_LONG)

    def boolean(self) -> bool:
        value = self.raw(1)[0]
        if value > 1:
            raise DecodingError(f"the byte {value} is no Boolean")
        return value == 1

    def buffer(self) -> bytes | None:
        length = self.length()
        return None if length is None else self.raw(length)

    def string(self) -> str | None:
        found = self.buffer()
        return None if found is None else text(found)

    def vector(self, element: Callable[[], T]) -> list[T]:
        return [element() for _ in range(self.length() or 0)]

    def length(self) -> int | None:
        """None stands for -1: there is nothing."""
        length = self.integer()
        if not -1 <= length <= LARGEST:
            raise DecodingError(f"{length} is no length")
        return None if length == -1 else length

    def raw(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise MissingError
        found = bytes(self.data[self.at : end])
        self.at = end
        return found

    def _number(self, form: struct.Struct) -> int:
        if self.at + form.size > len(self.data):
            raise MissingError
        (value,) = form.unpack_from(self.data, self.at)
        self.at += form.size
        return int(value)


def jute_int(value: int) -> bytes:
    return _INT.pack(value)


def jute_long(value: int) -> bytes:
    return _LONG.pack(value)


def jute_buffer(data: bytes | None) -> bytes:
    return _INT.pack(-1) if data is None else _INT.pack(len(data)) + data
