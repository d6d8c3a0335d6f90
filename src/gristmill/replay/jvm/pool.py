"""Constant pools of class files; a running machine hands them out in the same form."""

from __future__ import annotations

import struct
from typing import TypeAlias

_UTF8, _LONG, _DOUBLE, _CLASS, _NAME_AND_TYPE = 1, 5, 6, 7, 12
_LENGTHS = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
_Entry: TypeAlias = tuple[int, bytes]  # a tag and what follows it


class BadClassFile(Exception):
    """Bytes that are not what a Java compiler writes."""


class Pool:
    def __init__(self, entries: dict[int, _Entry]) -> None:
        self._entries = entries

    @classmethod
    def parse(cls, data: bytes, at: int, count: int) -> tuple[Pool, int]:
        """The pool whose entries begin at `at`, and where they end."""
        entries: dict[int, _Entry] = {}
        index = 1
        try:
            while index < count:
                tag = data[at]
                start, length = at + 1, _LENGTHS.get(tag)
                if tag == _UTF8:
                    start, length = at + 3, int.from_bytes(data[at + 1 : at + 3], "big")
                if length is None:
                    raise BadClassFile(f"a constant of the unknown kind {tag}")
                entries[index] = (tag, data[start : start + length])
                at = start + length
                index += 2 if tag in (_LONG, _DOUBLE) else 1
        except IndexError:
            raise BadClassFile("the constants end too soon") from None
        return cls(entries), at

    def text(self, index: int) -> str:
        return self._entry(index, _UTF8).decode("utf-8", "replace")

    def class_name(self, index: int) -> str:
        """With dots."""
        return self.text(_short(self._entry(index, _CLASS))).replace("/", ".")

    def member(self, index: int) -> tuple[str, str]:
        """The class and the name of a method that is called; a dynamic call has no class."""
        tag, data = self._entries[index]
        owner, name_and_type = struct.unpack(">HH", data)
        name = self.text(_short(self._entry(name_and_type, _NAME_AND_TYPE)))
        return ("" if tag in (17, 18) else self.class_name(owner)), name

    def _entry(self, index: int, tag: int) -> bytes:
        found = self._entries.get(index)
        if found is None or found[0] != tag:
            raise BadClassFile(f"constant {index} is not of the kind {tag}")
        return found[1]


def _short(data: bytes) -> int:
    return int.from_bytes(data[:2], "big")
