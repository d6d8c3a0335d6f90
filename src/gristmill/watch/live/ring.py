"""The memory that records pass through, from the tap or the capture to us (`native/ring.h`)."""

from __future__ import annotations

import ctypes
import mmap
import os
from ctypes import POINTER, Structure, c_bool, c_char_p, c_int, c_uint64, c_void_p
from functools import cache
from pathlib import Path

from gristmill.cc import build, load

NATIVE = Path(__file__).parent / "native"
FLAGS = ("-O2", "-Wall", "-Wextra", "-Werror")
SIZE = 64 << 20  # bytes: some seconds of a busy system
_AT_ONCE = 1 << 20


class Shared(Structure):
    """`ring_shared`: counts that the other process keeps."""

    _fields_ = tuple(
        (name, c_uint64)
        for name in (
            "head", "tail", "sequence", "connections", "open", "missed", "missed_bytes", "told", "told_bytes",
            "refused", "dropped", "torn", "writers", "shrugged",
        )
    )  # fmt: skip

    head: int
    tail: int
    sequence: int
    connections: int
    open: int
    missed: int
    missed_bytes: int
    told: int
    told_bytes: int
    refused: int
    dropped: int
    torn: int
    writers: int
    shrugged: int


class _Ring(Structure):
    _fields_ = (("shared", POINTER(Shared)), ("data", c_void_p), ("size", c_uint64))


@cache
def _library() -> ctypes.CDLL:
    loaded = load(build(paths=[NATIVE / "ring.c"], flags=FLAGS))
    loaded.ring_map.restype, loaded.ring_map.argtypes = c_bool, [POINTER(_Ring), c_int, c_uint64]
    loaded.ring_unmap.restype, loaded.ring_unmap.argtypes = None, [POINTER(_Ring)]
    loaded.ring_take.restype, loaded.ring_take.argtypes = c_uint64, [POINTER(_Ring), c_char_p, c_uint64]
    return loaded


class Ring:
    """The reader's end. `descriptor` is for the process that writes; the memory lives as long as either has it."""

    def __init__(self, size: int = SIZE) -> None:
        if size % mmap.PAGESIZE or size <= 0:
            raise ValueError("the size of a ring is a multiple of the page")
        self.size = size
        self._library = _library()
        self.descriptor = os.memfd_create("gristmill-ring", os.MFD_CLOEXEC)
        self._ring = _Ring()
        try:
            os.ftruncate(self.descriptor, mmap.PAGESIZE + size)
            if not self._library.ring_map(self._ring, self.descriptor, size):
                raise OSError("the memory for records cannot be mapped")
        except BaseException:
            os.close(self.descriptor)
            raise
        self._buffer = ctypes.create_string_buffer(_AT_ONCE)

    @property
    def counts(self) -> Shared:
        shared: Shared = self._ring.shared.contents
        return shared

    @property
    def waiting(self) -> int:
        """Bytes that have not been taken."""
        return self.counts.head - self.counts.tail

    def take(self) -> bytes:
        """Whole records, as a recording has them; empty if there are none."""
        length = self._library.ring_take(self._ring, self._buffer, _AT_ONCE)
        return ctypes.string_at(self._buffer, length)

    def close(self) -> None:
        if self.descriptor >= 0:
            self._library.ring_unmap(self._ring)
            os.close(self.descriptor)
            self.descriptor = -1
