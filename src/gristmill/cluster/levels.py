"""The levels of one partition in files, from which it can be made again.

A file has blocks, each with its size and checksum in front, and at its end the number of states. It is complete or not
there at all: it gets its name when everything is in it. Files that are to survive their machine are on the disk before.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

_BLOCK = struct.Struct("<QI")
_END = struct.Struct("<8sQ")
_MARK = b"gm-level"


class LevelError(Exception):
    """A level cannot be read or written; the message is a sentence."""


class Levels:
    def __init__(self, folder: Path, number: int, is_shared: bool = False) -> None:
        self.folder = folder / f"partition-{number}"
        self.is_shared = is_shared  # another machine may have to read it when this one is gone

    def path(self, level: int) -> Path:
        return self.folder / f"level-{level:06}"

    def save(self, level: int, count: int, blocks: Iterable[bytes]) -> int:
        """The bytes written."""
        path = self.path(level)
        unfinished = path.with_suffix(".new")
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with unfinished.open("wb") as file:
                for block in blocks:
                    file.write(_BLOCK.pack(len(block), zlib.crc32(block)))
                    file.write(block)
                file.write(_END.pack(_MARK, count))
                if self.is_shared:
                    file.flush()
                    os.fsync(file.fileno())
                size = file.tell()
            unfinished.replace(path)
        except OSError as error:
            raise LevelError(f"{path} cannot be written: {error.strerror or error}") from error
        return size

    def load(self, level: int) -> Iterator[bytes]:
        """Its blocks. Raises `LevelError`."""
        path = self.path(level)
        try:
            with path.open("rb") as file:
                left = path.stat().st_size - _END.size
                while left > 0:
                    size, checksum = _BLOCK.unpack(file.read(_BLOCK.size))
                    left -= _BLOCK.size + size
                    block = file.read(size) if left >= 0 else b""
                    if len(block) != size or zlib.crc32(block) != checksum:
                        raise LevelError(f"{path} is damaged")
                    yield block
                if left != 0 or _END.unpack(file.read(_END.size))[0] != _MARK:
                    raise LevelError(f"{path} is damaged")
        except OSError as error:
            raise LevelError(
                f"{path} cannot be read: {error.strerror or error}. A partition on another machine must find "
                "what the lost one has saved: --checkpoint names a folder that all machines share"
            ) from error
        except struct.error as error:
            raise LevelError(f"{path} is damaged") from error
