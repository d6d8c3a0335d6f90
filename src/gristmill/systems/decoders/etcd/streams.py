"""The two streams that a member of etcd writes to each other member, as answers that do not end.

`message`: every message with its length in front. `msgapp`: entries to be appended, written tersely: what follows
directly on the message before leaves out all that is known from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from gristmill.systems.decoders.conversation import DecodingError, Record
from gristmill.systems.decoders.etcd.hearing import Hearing
from gristmill.systems.decoders.etcd.raft import entry_record, message_bytes, message_record, sent_by

_LARGEST = 1 << 30
_LINK_HEARTBEAT, _ENTRIES, _MESSAGE = 0, 1, 2


class Stream(ABC):
    """Takes complete messages off what has come. A sign of life of the connection is no message."""

    def __init__(self, hearing: Hearing | None = None) -> None:
        self.buffer = bytearray()
        self.hearing = hearing or Hearing()
        self.needed = 0  # bytes, before there can be another message

    def heard(self, data: bytes) -> list[Record]:
        """The records alone, as `feed` has them."""
        found: list[Record] = []
        if len(self.buffer) + len(data) < self.needed:
            self.buffer += data
            return found
        rest = bytes(self.buffer) + data if self.buffer else data
        at = 0
        self.needed = 0
        while at < len(rest) and not self.needed:
            at = self.hear(rest, at, found)
        if self.buffer or at < len(rest):
            self.buffer = bytearray(rest[at:])
        self.needed -= at
        return found

    @abstractmethod
    def hear(self, data: bytes, at: int, found: list[Record]) -> int:
        """The next message, and where it ends; if it is not complete, where it begins, and `needed` says up to where it
        cannot be complete."""

    def end_of(self, data: bytes, at: int) -> int | None:
        """Of what has its length in front; None if that is not complete."""
        if at + 8 > len(data):
            self.needed = at + 8
            return None
        length = int.from_bytes(data[at : at + 8], "big")
        if length > _LARGEST:
            raise DecodingError(f"a message of {length} bytes in a stream of etcd")
        if at + 8 + length > len(data):
            self.needed = at + 8 + length
            return None
        return at + 8 + length

    def feed(self, data: bytes) -> list[tuple[bytes, dict[str, Any] | None]]:
        """Messages as protocol buffers, with their records; or the bytes of a sign of life, and None."""
        self.buffer += data
        found = []
        while (each := self.next()) is not None:
            found.append(each)
        return found

    @abstractmethod
    def next(self) -> tuple[bytes, dict[str, Any] | None] | None: ...

    def number(self, at: int) -> int | None:
        return int.from_bytes(self.buffer[at : at + 8], "big") if len(self.buffer) >= at + 8 else None

    def counted(self, at: int) -> bytes | None:
        """A length, and so many bytes."""
        length = self.number(at)
        if length is None:
            return None
        if length > _LARGEST:
            raise DecodingError(f"a message of {length} bytes in a stream of etcd")
        end = at + 8 + length
        return bytes(self.buffer[at + 8 : end]) if len(self.buffer) >= end else None

    def taken(self, count: int) -> bytes:
        wire = bytes(self.buffer[:count])
        del self.buffer[:count]
        return wire


class MessageStream(Stream):
    """`writer` is the id of the member, as far as it is known."""

    def __init__(self, hearing: Hearing | None = None, writer: str | None = None) -> None:
        super().__init__(hearing)
        self.writer = writer

    def next(self) -> tuple[bytes, dict[str, Any] | None] | None:
        message = self.counted(0)
        if message is None:
            return None
        wire, record = self.taken(8 + len(message)), sent_by(self.writer, message_record(message))
        return (wire, None) if _is_heartbeat_of_link(record) else (message, record)

    def hear(self, data: bytes, at: int, found: list[Record]) -> int:
        end = self.end_of(data, at)
        if end is None:
            return at
        record = self.hearing.message(data[at + 8 : end])
        if not _is_heartbeat_of_link(record):
            found.append(sent_by(self.writer, record))
        return end


class AppendStream(Stream):
    """`writer` and `reader` are the ids of the members."""

    def __init__(self, writer: str, reader: str, hearing: Hearing | None = None) -> None:
        super().__init__(hearing)
        self.writer, self.reader = writer, reader
        self.term = self.index = 0  # of the last message

    def next(self) -> tuple[bytes, dict[str, Any] | None] | None:
        kind = self.buffer[0] if self.buffer else None
        if kind == _LINK_HEARTBEAT:
            return self.taken(1), None
        if kind == _MESSAGE:
            return self._message()
        if kind == _ENTRIES:
            return self._entries()
        if kind is not None:
            raise DecodingError(f"there is no type {kind} in etcd's stream of entries")
        return None

    def hear(self, data: bytes, at: int, found: list[Record]) -> int:
        kind = data[at]
        if kind == _LINK_HEARTBEAT:
            return at + 1
        if kind == _ENTRIES:
            return self._hear_entries(data, at, found)
        if kind != _MESSAGE:
            raise DecodingError(f"there is no type {kind} in etcd's stream of entries")
        end = self.end_of(data, at + 1)
        if end is None:
            return at
        record = self.hearing.message(data[at + 9 : end])
        self._remember(record)
        found.append(record)
        return end

    def _hear_entries(self, data: bytes, start: int, found: list[Record]) -> int:
        at = start + 9
        if at > len(data):
            self.needed = at
            return start
        count = int.from_bytes(data[start + 1 : at], "big")
        entries = []
        for _ in range(count):
            end = self.end_of(data, at)
            if end is None:
                return start
            entries.append(self.hearing.entry(data[at + 8 : end]))
            at = end
        end = at + 8
        if end > len(data):
            self.needed = end
            return start
        found.append(self._appended(entries, int.from_bytes(data[at:end], "big")))
        return end

    def _message(self) -> tuple[bytes, dict[str, Any]] | None:
        message = self.counted(1)
        if message is None:
            return None
        self.taken(9 + len(message))
        record = message_record(message)
        self._remember(record)
        return message, record

    def _remember(self, record: Record) -> None:
        self.term = record["term"]
        self.index = record["entries"][-1]["index"] if record["entries"] else record["index"]

    def _entries(self) -> tuple[bytes, dict[str, Any]] | None:
        count, at = self.number(1), 9
        entries: list[Mapping[str, Any]] = []
        for _ in range(count or 0):
            entry = self.counted(at)
            if entry is None:
                return None
            at += 8 + len(entry)
            entries.append(entry_record(entry))
        commit = self.number(at)
        if count is None or commit is None:
            return None
        self.taken(at + 8)
        record = self._appended(entries, commit)
        return message_bytes(record), record

    def _appended(self, entries: list[Mapping[str, Any]], commit: int) -> dict[str, Any]:
        """It follows on the message before."""
        record = {
            "kind": "MsgApp", "from": self.writer, "to": self.reader,
            "term": self.term, "logTerm": self.term, "index": self.index, "commit": commit, "rejectHint": 0,
            "reject": False, "context": "", "token": "", "entries": tuple(entries),
        }  # fmt: skip
        self.index += len(entries)
        return record


def _is_heartbeat_of_link(record: dict[str, Any]) -> bool:
    """A heartbeat of Raft has a sender."""
    return (record["kind"], record["from"], record["to"]) == ("MsgHeartbeat", "0", "0")
