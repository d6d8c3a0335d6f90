"""What members of etcd write to each other, written here a second time, in the test's own way: for comparison.

Protocol buffers of etcd's Message and Entry, and the two streams, from their published formats.
"""

import struct


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def content(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def entry(index: int, term: int, data: bytes = b"", kind: int = 0) -> bytes:
    return number(1, kind) + number(2, term) + number(3, index) + (content(4, data) if data else b"")


def put(key: bytes, value: bytes, request: int = 77) -> bytes:
    return content(4, content(1, key) + content(2, value)) + content(100, number(1, request))


def message(kind: int, to: int, source: int, entries: list[bytes] | None = None, **fields: int) -> bytes:
    numbers = {"term": 4, "log_term": 5, "index": 6, "commit": 8, "reject": 10, "hint": 11}
    written = number(1, kind) + number(2, to) + number(3, source)
    written += b"".join(number(field, fields.get(name, 0)) for name, field in numbers.items() if field < 7)
    written += b"".join(content(7, each) for each in entries or [])
    written += number(8, fields.get("commit", 0))
    written += content(9, content(2, content(1, number(5, 0)) + number(2, 0) + number(3, 0)))  # an empty snapshot
    return written + number(10, fields.get("reject", 0)) + number(11, fields.get("hint", 0))


def counted(data: bytes) -> bytes:
    return struct.pack(">Q", len(data)) + data


def app_message(data: bytes) -> bytes:
    return b"\x02" + counted(data)


def app_entries(entries: list[bytes], commit: int) -> bytes:
    return b"\x01" + struct.pack(">Q", len(entries)) + b"".join(map(counted, entries)) + struct.pack(">Q", commit)


LINK_HEARTBEAT_OF_MESSAGES = counted(message(8, 0, 0))
LINK_HEARTBEAT_OF_APPENDS = b"\x00"


def wal_record(kind: int, data: bytes) -> bytes:
    """A record of the write-ahead log: a length with padding, the record."""
    written = number(1, kind) + number(2, 12345) + (content(3, data) if data else b"")
    padding = -len(written) % 8
    length = len(written) | (0x80 | padding) << 56 if padding else len(written)
    return struct.pack("<Q", length) + written + bytes(padding)


def hard_state(term: int, vote: int, commit: int) -> bytes:
    return number(1, term) + number(2, vote) + number(3, commit)
