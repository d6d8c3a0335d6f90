"""Kept values of native code as Python has them, each part decoded once: many states share most of what they hold.

The contents of a network, say, are many sets of few messages. Equal kept values are the same word, so what was decoded
is found by that. Only for values that are compared: the order of the elements of sets is not remembered.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterable

from gristmill.native.codec import decode
from gristmill.native.run.engine import Engine
from gristmill.values import Value

_HEADER = struct.Struct("<BBHIQ")  # gm_object: kind, flags, recipe, size, hash
_SET, _SEQUENCE = 1, 2  # enum gm_kind
_KEPT, _SELECTED = 1, 128  # flags
_TAGS = 7  # of a word; 0: it is the address of an object


class SharedValues:
    """Of one engine. The world of its values must be active."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[int, Value] = {}
        self._buffer = (ctypes.c_uint8 * 4096)()

    def values(self, words: Iterable[int]) -> list[Value]:
        return [self.value(word) for word in words]

    def value(self, word: int) -> Value:
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._shared(word) if word & _TAGS == 0 else self._whole(word)
        return found

    def _shared(self, word: int) -> Value:
        kind, flags, _, size, _ = _HEADER.unpack(ctypes.string_at(word, _HEADER.size))
        if flags & (_KEPT | _SELECTED) != _KEPT or kind not in (_SET, _SEQUENCE):
            return self._whole(word)
        items = self.values(struct.unpack(f"<{size}Q", ctypes.string_at(word + _HEADER.size, 8 * size)))
        return frozenset(items) if kind == _SET else tuple(items)

    def _whole(self, word: int) -> Value:
        while True:
            room = len(self._buffer)
            needed = self._engine.library.gm_engine_value(self._engine.handle, word, self._buffer, room)
            if 0 < needed <= room:
                return decode(bytes(self._buffer[:needed]))
            if needed == 0:
                raise MemoryError("a value cannot be decoded")
            self._buffer = (ctypes.c_uint8 * (2 * needed))()


__all__ = ["SharedValues"]
