"""The write-ahead log of a member of etcd: its entries, and the term, vote and commit index that it has stored.

It can be read while the member runs, is paused, or is down. The commit index is often behind: etcd stores it when it
has to store something else.

    {"term": 3, "vote": "8211f1d0f64f3269", "commit": 6, "entries": ({"index": 1, "term": 1, …}, …)}

A vote for nobody is None. A log that begins after a snapshot has the entries from there on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gristmill.systems.decoders.conversation import DecodingError
from gristmill.systems.decoders.etcd.raft import entry_record
from gristmill.systems.decoders.protobuf import content, fields_of, number

_ENTRY, _STATE = 2, 3  # types of records
_LENGTH = (1 << 56) - 1
_LONGEST = 1 << 30


def write_ahead_log(folder: Path) -> dict[str, Any]:
    """`folder`: where the files *.wal are. Raises `DecodingError` if there are none."""
    files = sorted(folder.glob("*.wal"))
    if not files:
        raise DecodingError(f"there is no write-ahead log of etcd in {folder}")
    state: dict[str, Any] = {"term": 0, "vote": None, "commit": 0}
    entries: list[dict[str, Any]] = []
    for file in files:
        with file.open("rb") as stream:
            for kind, data in _records(stream):
                if kind == _STATE:
                    state = _state(data)
                elif kind == _ENTRY:
                    _add(entries, entry_record(data))
    return {**state, "entries": tuple(entries)}


def _state(data: bytes) -> dict[str, Any]:
    fields = fields_of(data)
    vote = number(fields, 2)
    return {"term": number(fields, 1), "vote": f"{vote:x}" if vote else None, "commit": number(fields, 3)}


def _add(entries: list[dict[str, Any]], entry: dict[str, Any]) -> None:
    """It replaces what was written for this index, and all after it."""
    while entries and entries[-1]["index"] >= entry["index"]:
        entries.pop()
    entries.append(entry)


def _records(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """A length in 56 bits, 8 bits that tell of padding up to a multiple of 8 bytes, a record. Zeros follow the last
    one, as etcd takes the room for the file in advance; the last one may be half written."""
    while True:
        size = int.from_bytes(stream.read(8), "little")
        length, padding = size & _LENGTH, (size >> 56 & 7) if size >> 63 else 0
        record = stream.read(length) if 0 < length <= _LONGEST else b""
        if len(record) < length or not record:
            return
        try:
            fields = fields_of(record)
        except DecodingError:
            return
        yield number(fields, 1), content(fields, 3)
        stream.read(padding)
