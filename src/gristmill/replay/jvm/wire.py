"""Packets of the Java Debug Wire Protocol: how ids, texts and values are written in them.

Values of Java are Python's here: bool, int, float and str (of a char) for primitive ones, None for null, and `Ref` for
objects, texts among them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gristmill.replay.jvm.protocol import ERRORS

HEADER = struct.Struct(">IIBH")  # length, id, flags, and the error or the number of the command
REPLY = 0x80

OBJECTS = frozenset("L[stglc")  # tags of values that are ids of objects
_PRIMITIVES = {
    "B": struct.Struct(">b"),
    "S": struct.Struct(">h"),
    "I": struct.Struct(">i"),
    "J": struct.Struct(">q"),
    "F": struct.Struct(">f"),
    "D": struct.Struct(">d"),
    "Z": struct.Struct(">?"),
    "C": struct.Struct(">H"),
}
_INT, _LONG = struct.Struct(">i"), struct.Struct(">q")


class Ref(NamedTuple):
    """An object, by its id; the tag tells texts, arrays and threads from other objects."""

    tag: str
    id: int


Value: TypeAlias = bool | int | float | str | Ref | None


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many bytes ids take. A machine tells it; all known ones say 8."""

    field: int = 8
    method: int = 8
    object: int = 8
    type: int = 8
    frame: int = 8


class Location(NamedTuple):
    """A place in bytecode."""

    kind: int  # of the type: 1 class, 2 interface
    type: int
    method: int
    offset: int


class Command(NamedTuple):
    number: tuple[int, int]
    data: bytes = b""


class JdwpError(Exception):
    """The machine has answered with an error."""

    def __init__(self, code: int) -> None:
        super().__init__(ERRORS.get(code, f"error {code} of the debug protocol"))
        self.code = code


class Reply:
    """An answer, or an event, read from left to right."""

    __slots__ = ("at", "data", "error", "sizes")

    def __init__(self, data: bytes, sizes: Sizes, error: int = 0) -> None:
        self.data, self.sizes, self.error, self.at = data, sizes, error, 0

    def checked(self) -> Reply:
        if self.error:
            raise JdwpError(self.error)
        return self

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def flag(self) -> bool:
        return self.byte() != 0

    def number(self) -> int:
        self.at += 4
        return int.from_bytes(self.data[self.at - 4 : self.at], "big", signed=True)

    def long(self) -> int:
        self.at += 8
        return int.from_bytes(self.data[self.at - 8 : self.at], "big", signed=True)

    def text(self) -> str:
        return self.raw(self.number()).decode("utf-8", "replace")

    def raw(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]

    def _id(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "big")

    def object_id(self) -> int:
        return self._id(self.sizes.object)

    def type_id(self) -> int:
        return self._id(self.sizes.type)

    def method_id(self) -> int:
        return self._id(self.sizes.method)

    def field_id(self) -> int:
        return self._id(self.sizes.field)

    def frame_id(self) -> int:
        return self._id(self.sizes.frame)

    def location(self) -> Location:
        return Location(self.byte(), self.type_id(), self.method_id(), self.long())

    def value(self) -> Value:
        return self.untagged(chr(self.byte()))

    def untagged(self, tag: str) -> Value:
        if tag in OBJECTS:
            found = self.object_id()
            return Ref(tag, found) if found else None
        if tag == "V":
            return None
        form = _PRIMITIVES[tag]
        (value,) = form.unpack_from(self.data, self.at)
        self.at += form.size
        return chr(value) if tag == "C" else value

    def array(self) -> list[Value]:
        """A region of an array: one tag for all elements that are primitive, one for each that is an object."""
        tag = chr(self.byte())
        count = self.number()
        if tag in OBJECTS:
            return [self.value() for _ in range(count)]
        return [self.untagged(tag) for _ in range(count)]


class Packer:
    """Writes the data of commands."""

    __slots__ = ("sizes",)

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes

    def byte(self, number: int) -> bytes:
        return bytes((number,))

    def number(self, number: int) -> bytes:
        return _INT.pack(number)

    def text(self, text: str) -> bytes:
        encoded = text.encode("utf-8", "surrogatepass")
        return _INT.pack(len(encoded)) + encoded

    def object_id(self, number: int) -> bytes:
        return number.to_bytes(self.sizes.object, "big")

    def type_id(self, number: int) -> bytes:
        return number.to_bytes(self.sizes.type, "big")

    def method_id(self, number: int) -> bytes:
        return number.to_bytes(self.sizes.method, "big")

    def field_id(self, number: int) -> bytes:
        return number.to_bytes(self.sizes.field, "big")

    def frame_id(self, number: int) -> bytes:
        return number.to_bytes(self.sizes.frame, "big")

    def location(self, place: Location) -> bytes:
        ids = self.type_id(place.type) + self.method_id(place.method)
        return self.byte(place.kind) + ids + _LONG.pack(place.offset)

    def untagged(self, tag: str, value: Value) -> bytes:
        """A value as one of a type with this tag. Raises `ValueError` if it is none."""
        if tag in OBJECTS:
            if value is None or isinstance(value, Ref):
                return self.object_id(value.id if value else 0)
            raise ValueError(f"{value!r} is no object")
        if isinstance(value, Ref) or value is None or isinstance(value, bool) != (tag == "Z"):
            raise ValueError(f"{value!r} is no value of the type {tag}")
        try:
            return _PRIMITIVES[tag].pack(ord(value) if tag == "C" and isinstance(value, str) else value)
        except (struct.error, TypeError, OverflowError):
            raise ValueError(f"{value!r} is no value of the type {tag}") from None

    def value(self, tag: str, value: Value) -> bytes:
        return tag.encode() + self.untagged(tag, value)


def packet(number: int, command: Command) -> bytes:
    of_set, of_command = command.number
    return HEADER.pack(HEADER.size + len(command.data), number, 0, of_set << 8 | of_command) + command.data
