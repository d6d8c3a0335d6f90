"""Recordings of what went over connections, byte for byte.

A file is a sequence of records: little-endian, a sequence number and a time in nanoseconds (64 bits each), the number
of a connection (32), a direction (8), a length (32), and so many bytes. Direction 0 is from who has opened the
connection, 1 the way back, 2 an opened connection and 3 a closed one (about which the bytes tell, as JSON), 4 a note
about the recording itself (JSON, too: what is missing). A file may be packed (.xz). What is broken off in the middle of
a record is readable up to there.
"""

from __future__ import annotations

import json
import lzma
import struct
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, NamedTuple

from gristmill.source import Diagnostic, SourceError

HEAD = struct.Struct("<QQIBI")
DIALED, ANSWERED, OPENED, CLOSED, NOTE = range(5)
_LONGEST = 1 << 30
_AT_ONCE = 1 << 18  # bytes


class Chunk(NamedTuple):
    sequence: int
    time: int
    connection: int
    direction: int
    data: bytes


def read_recording(path: Path, broken: Callable[[int], None] = lambda count: None) -> Iterator[Chunk]:
    """Raises `SourceError` if it is no recording. `broken`: told after how many records it is broken off, if it is."""
    with _opened(path) as stream:
        data, at, number, size = b"", 0, 0, HEAD.size
        while more := _read(stream, path):
            data, at = data[at:] + more, 0
            while at + size <= len(data):
                sequence, time, connection, direction, length = HEAD.unpack_from(data, at)
                if direction > NOTE or length > _LONGEST:
                    raise _no_recording(path, f"record {number} has the direction {direction} and {length} bytes")
                end = at + size + length
                if end > len(data):
                    data, at = data[at:] + _rest(stream, end - len(data), path), 0
                    end = size + length
                    if end > len(data):
                        break
                yield Chunk(sequence, time, connection, direction, data[at + size : end])
                at = end
                number += 1
        if at < len(data):
            broken(number)


def read_blocks(path: Path, broken: Callable[[int], None] = lambda count: None) -> Iterator[bytes]:
    """The same as `read_recording`, many records at a time, as they are."""
    with _opened(path) as stream:
        data, number, size, missing = b"", 0, HEAD.size, 1
        while more := _rest(stream, missing, path):
            data, at, missing = data + more, 0, 1
            while at + size <= len(data):
                _, _, _, direction, length = HEAD.unpack_from(data, at)
                if direction > NOTE or length > _LONGEST:
                    if at:
                        yield data[:at]
                    raise _no_recording(path, f"record {number} has the direction {direction} and {length} bytes")
                missing = at + size + length - len(data)
                if missing > 0:
                    break
                at, number = at + size + length, number + 1
            if at:
                yield data[:at]
            data, missing = data[at:], max(1, missing)
        if data:
            broken(number)


def _no_recording(path: Path, why: str) -> SourceError:
    help = "a recording is what `gristmill watch --record` writes; docs/reference/watch.md has its format"
    return SourceError(Diagnostic("no-recording", f"{path} is no recording: {why}", None, help=help))


def _rest(stream: lzma.LZMAFile | BufferedReader, missing: int, path: Path) -> bytes:
    """So many bytes or more, if there are."""
    parts: list[bytes] = []
    while missing > 0 and (part := _read(stream, path)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def records_in(data: bytes) -> Iterator[Chunk]:
    """Of bytes that are whole records."""
    at = 0
    while at < len(data):
        sequence, time, connection, direction, length = HEAD.unpack_from(data, at)
        at += HEAD.size + length
        yield Chunk(sequence, time, connection, direction, data[at - length : at])


def facts(chunk: Chunk) -> dict[str, Any]:
    """What a record that is no traffic tells; nothing if it is no JSON of ours."""
    try:
        found = json.loads(chunk.data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def write_chunk(stream: IO[bytes], chunk: Chunk) -> None:
    head = HEAD.pack(chunk.sequence, chunk.time, chunk.connection, chunk.direction, len(chunk.data))
    stream.write(head + chunk.data)


def _opened(path: Path) -> lzma.LZMAFile | BufferedReader:
    try:
        return lzma.open(path) if path.suffix == ".xz" else path.open("rb")
    except OSError as error:
        raise SourceError(Diagnostic("cannot-read", f"{path} cannot be read: {error.strerror}", None)) from None


def _read(stream: lzma.LZMAFile | BufferedReader, path: Path) -> bytes:
    """Some bytes; none at the end."""
    try:
        return stream.read1(_AT_ONCE)
    except EOFError:  # a packed file that is broken off
        return b""
    except (OSError, lzma.LZMAError) as error:
        help = "a file whose name ends in .xz must be packed so" if isinstance(error, lzma.LZMAError) else None
        raise SourceError(Diagnostic("cannot-read", f"{path} cannot be read: {error}", None, help=help)) from None
