"""Values as numbers of 32 bits, as native code has them in its states, and back.

Records that are alike come and go in great numbers: what their fields are is looked up once.
"""

from __future__ import annotations

from ctypes import c_uint8, c_uint32
from struct import Struct
from typing import TypeVar

from gristmill.native.codec import Encoder, decode
from gristmill.native.errors import NoNativeFormError
from gristmill.native.run.engine import Engine
from gristmill.values import Fn, Value

T = TypeVar("T")

_SMALL = 1 << 29  # integers below are their own numbers
_INTEGER, _OBJECT = 1, 0  # of the last two bits of a number
_MOST_KNOWN = 4_096
_MOST_PARTS = 64  # of a record or a sequence that is converted part by part


class Numbers:
    """Of the values that an engine keeps. For one thread, with the world of the model active."""

    def __init__(self, engine: Engine) -> None:
        self._handle, self._library = engine.handle, engine.library
        self._encode = Encoder().encode
        self._numbers: dict[Value, int] = {}
        self._atoms: dict[Value, int] = {}  # texts: most of them come again and again
        self._values: dict[int, Value] = {}
        self._domains: dict[int, tuple[Value, ...]] = {}
        self._records: dict[Value, tuple[int, tuple[int, ...]]] = {}
        self._sets: dict[tuple[Value, ...], int] = {}  # numbers of domains
        self._packs = [Struct(f"<{count}I").pack for count in range(_MOST_PARTS + 1)]
        self._parts = (c_uint32 * _MOST_PARTS)()

    def number(self, value: Value) -> int:
        """Equal values have equal numbers. Raises `NoNativeFormError`."""
        if type(value) is int and -_SMALL <= value < _SMALL:
            return value << 2 & 0xFFFF_FFFF | _INTEGER
        if type(value) is Fn and len(value) <= _MOST_PARTS:
            return self.record(value)[0]
        found = self._numbers.get(value)
        if found is None:
            data = self._encode(value)
            found = self._library.gm_engine_number(self._handle, data, len(data))
            self._remember(self._numbers, value, found, found)
            if type(value) is str:
                if len(self._atoms) >= _MOST_KNOWN:
                    self._atoms.clear()
                self._atoms[value] = found
        return found

    def record(self, value: Fn) -> tuple[int, tuple[int, ...]]:
        """Of a function with few arguments: its number, and those of its values. Raises `NoNativeFormError`."""
        found = self._records.get(value)
        if found is None:
            number, count = self.number, len(value)
            parts = tuple([
                each << 2 | _INTEGER if type(each) is int and 0 <= each < _SMALL else number(each)
                for each in value.values()
            ])  # fmt: skip
            domain = self.domain(tuple(value))
            made = self._library.gm_engine_made(self._handle, domain, self._packs[count](*parts), count)
            found = made, parts
            self._remember(self._records, value, made, found)
        return found

    def parts(self, value: Fn) -> bytes:
        """The numbers of the values of a function with few arguments. Raises `NoNativeFormError`."""
        known, number = self._atoms, self.number
        return self._packs[len(value)](*[
            each << 2 | _INTEGER if type(each) is int and 0 <= each < _SMALL
            else known[each] if type(each) is str and each in known
            else number(each)
            for each in value.values()
        ])  # fmt: skip

    def domain(self, arguments: tuple[Value, ...]) -> int:
        """The number of the set of these. Raises `NoNativeFormError`."""
        found = self._sets.get(arguments)
        if found is None:
            if len(self._sets) >= _MOST_KNOWN:
                self._sets.clear()
            found = self._sets[arguments] = self.number(frozenset(arguments))
        return found

    def _remember(self, where: dict[Value, T], value: Value, number: int, what: T) -> None:
        if not number:
            raise NoNativeFormError("a value has no native form")
        self._forget()
        where[value] = what
        self._values[number] = value

    def _forget(self) -> None:
        if len(self._values) >= _MOST_KNOWN:
            self._numbers.clear()
            self._values.clear()
            self._records.clear()

    def value(self, number: int) -> Value:
        if number & 3 == _INTEGER:
            return number >> 2 if number >> 31 == 0 else (number >> 2) - 2 * _SMALL
        found = self._values.get(number)
        if found is None:
            self._forget()
            found = self._values[number] = self._of_parts(number) if number & 3 == _OBJECT else self._decoded(number)
        return found

    def _of_parts(self, number: int) -> Value:
        count = self._library.gm_engine_parts(self._handle, number, self._parts, _MOST_PARTS)
        if not count:
            return self._decoded(number)
        domain, *parts = self._parts[:count]
        if not domain:
            return tuple(map(self.value, parts))
        arguments = self._domains.get(domain)
        if arguments is None:
            if len(self._domains) >= _MOST_KNOWN:
                self._domains.clear()
            found = self._decoded(number)
            assert type(found) is Fn
            self._domains[domain] = tuple(found)
            return found
        return Fn(zip(arguments, map(self.value, parts), strict=True))

    def _decoded(self, number: int) -> Value:
        room = 256
        while True:
            out = (c_uint8 * room)()
            needed = self._library.gm_engine_numbered(self._handle, number, out, room)
            if needed <= room:
                break
            room = needed
        if not needed:
            raise MemoryError("a value cannot be decoded")
        return decode(bytes(out[:needed]))
