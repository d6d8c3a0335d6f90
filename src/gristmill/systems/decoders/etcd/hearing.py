"""The same records as in `raft.py`, for those who hear a lot and need little of it.

Messages as etcd writes them are read in one pass, and of entries what they are about is found out when somebody asks.
Whatever looks otherwise is left to `raft.py`, which also knows what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.systems.decoders.conversation import DecodingError
from gristmill.systems.decoders.etcd.raft import KINDS, entry_record, message_record
from gristmill.systems.decoders.fields import text

_FIRST_KEYS = b"\x08\x10"  # of the type of a message, which is one byte, and of the member that it is to
_ENDS = slice(2, 24)  # two ids of up to 10 bytes, each with its key
_SENDER = 0x18
_MOST_KNOWN = 1_024
_MOST_ENTRIES, _LARGEST_KNOWN = 4_096, 512  # that are remembered, and bytes of one
_NUMBERS = {0x20: "term", 0x28: "logTerm", 0x30: "index", 0x40: "commit", 0x50: "reject", 0x58: "rejectHint"}
_ENTRY, _SNAPSHOT, _CONTEXT, _VOTE = 0x3A, 0x4A, 0x62, 0x68  # the last one is of messages that stay in a member
_ENTRY_TYPE, _ENTRY_TERM, _ENTRY_INDEX, _ENTRY_DATA = 0x08, 0x10, 0x18, 0x22


class _OtherwiseError(Exception):
    """It does not look as etcd writes it."""


class Entry(Mapping[str, Any]):
    """Of which only the most wanted is decoded, until something else is asked for."""

    __slots__ = ("_bytes", "_known")

    def __init__(self, known: dict[str, Any], whole: bytes) -> None:
        self._known = known
        self._bytes: bytes | None = whole

    def _all(self) -> dict[str, Any]:
        if self._bytes is not None:
            self._known, self._bytes = entry_record(self._bytes), None
        return self._known

    def __getitem__(self, name: str) -> Any:
        known = self._known
        return known[name] if name in known else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


class Hearing:
    """Of all connections between members. Remembers what comes again and again: who speaks to whom, snapshots of
    messages that have none, and entries, which a leader sends to every other member."""

    def __init__(self) -> None:
        self._entries: dict[bytes, Mapping[str, Any]] = {}
        self._ends: dict[bytes, tuple[str, str, int]] = {}
        self._snapshots: dict[bytes, bool] = {}  # whether it tells something
        self._contexts: dict[bytes, tuple[str, str]] = {}  # as text and digits

    def message(self, data: bytes) -> dict[str, Any]:
        """As `message_record`, but that entries may be of another type."""
        try:
            return self._message(data)
        except (_OtherwiseError, IndexError, DecodingError):  # the first mistake is the one to be told
            return message_record(data)

    def _message(self, data: bytes) -> dict[str, Any]:
        if data[0:3:2] != _FIRST_KEYS or data[1] >= len(KINDS):
            raise _OtherwiseError
        key = data[_ENDS]
        target, source, at = self._ends.get(key) or self._new_ends(key)
        record = {
            "kind": KINDS[data[1]], "from": source, "to": target, "term": 0, "logTerm": 0, "index": 0, "commit": 0,
            "rejectHint": 0, "reject": 0, "context": "", "token": "", "entries": (),
        }  # fmt: skip
        size, entries = len(data), []
        while at < size:
            field, value = data[at], data[at + 1]
            at += 2
            if value > 0x7F:
                value, at = _long(value, data, at)
            name = _NUMBERS.get(field)
            if name is not None:
                record[name] = value
                continue
            if field == _VOTE:
                continue
            end = at + value
            if end > size:
                raise _OtherwiseError
            if field == _ENTRY:
                entries.append(self.entry(data[at:end]))
            elif field == _CONTEXT:
                record["context"], record["token"] = self._context(data[at:end])
            elif field != _SNAPSHOT or self._tells(data[at:end]):
                raise _OtherwiseError
            at = end
        record["reject"] = record["reject"] != 0
        if entries:
            record["entries"] = tuple(entries)
        return record

    def entry(self, data: bytes) -> Mapping[str, Any]:
        """As `entry_record`, but that it may be of another type."""
        found = self._entries.get(data)
        if found is None:
            found = entry(data)
            if len(data) <= _LARGEST_KNOWN:
                if len(self._entries) >= _MOST_ENTRIES:
                    self._entries.clear()
                self._entries[data] = found
        return found

    def _new_ends(self, key: bytes) -> tuple[str, str, int]:
        target, at = _number(key, 1)
        if key[at] != _SENDER:
            raise _OtherwiseError
        source, at = _number(key, at + 1)
        if len(self._ends) >= _MOST_KNOWN:
            self._ends.clear()
        found = self._ends[key] = f"{target:x}", f"{source:x}", at + _ENDS.start
        return found

    def _context(self, data: bytes) -> tuple[str, str]:
        """A leader's token goes to every member, and comes back from each."""
        found = self._contexts.get(data)
        if found is None:
            if len(self._contexts) >= _MOST_KNOWN or len(data) > _LARGEST_KNOWN:
                self._contexts.clear()
            found = self._contexts[data] = text(data), data.hex()
        return found

    def _tells(self, snapshot: bytes) -> bool:
        found = self._snapshots.get(snapshot)
        if found is None:
            if len(self._snapshots) >= _MOST_KNOWN or len(snapshot) > _MOST_KNOWN:
                self._snapshots.clear()
            alone = message_record(b"\x4a" + bytes((len(snapshot),)) + snapshot) if len(snapshot) <= 0x7F else None
            found = self._snapshots[snapshot] = alone is None or "snapshot" in alone
        return found


def entry(data: bytes) -> Mapping[str, Any]:
    try:
        return _entry(data)
    except (_OtherwiseError, IndexError):
        return entry_record(data)


def _entry(data: bytes) -> Entry:
    index = term = at = 0
    said, size = b"", len(data)
    while at < size:
        field, value = data[at], data[at + 1]
        at += 2
        if value > 0x7F:
            value, at = _long(value, data, at)
        if field == _ENTRY_TERM:
            term = value
        elif field == _ENTRY_INDEX:
            index = value
        elif field == _ENTRY_DATA:
            said = data[at : at + value]
            at += value
            if at > size:
                raise _OtherwiseError
        elif field != _ENTRY_TYPE or value:
            raise _OtherwiseError
    return Entry({"index": index, "term": term, "data": said.hex()}, data)


def _number(data: bytes, at: int) -> tuple[int, int]:
    first = data[at]
    return (first, at + 1) if first <= 0x7F else _long(first, data, at + 1)


def _long(first: int, data: bytes, at: int) -> tuple[int, int]:
    """The rest of a number whose first byte is not its last one."""
    value, shift = first & 0x7F, 7
    while shift <= 63:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise _OtherwiseError
