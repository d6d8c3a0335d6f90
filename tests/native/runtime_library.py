"""The runtime of values, compiled, with the operations of harness.c on top."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import gristmill.native
from gristmill.cc import build, load
from gristmill.native.codec import decode, encode
from gristmill.values import ModelValue, Value, current

HERE = Path(__file__).parent
RUNTIME = Path(gristmill.native.__file__).parent / "runtime"
SOURCES = [
    *sorted((RUNTIME / "values").glob("*.c")),
    *sorted((RUNTIME / "collections").glob("*.c")),
    RUNTIME / "symmetry" / "permute.c",
]

SCRATCH, KEPT, KEPT_RESULT, MIXED = 0, 1, 3, 4  # how arguments and results are held
TWO_OBJECTS = 99  # of harness.c
FULL = 5  # GM_FULL: grow, then try again
CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_size_t,
    ctypes.c_uint32,
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_uint8),
    ctypes.c_size_t,
)


class Failure(Exception):
    """The runtime gave up; `why` is a number of enum gm_failure."""

    def __init__(self, why: int) -> None:
        super().__init__(why)
        self.why = why


def paths() -> list[Path]:
    return list(SOURCES)


@cache
def library(*flags: str) -> ctypes.CDLL:
    built = build(
        paths=[*paths(), HERE / "harness.c"], include=[RUNTIME], flags=flags or ("-O2", "-Wall", "-Wextra", "-Werror")
    )
    found = load(built)
    pointer, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64
    for name, result, arguments in [
        ("gm_heap_new", pointer, [number]),
        ("gm_heap_free", None, [pointer]),
        ("gm_worker_new", pointer, [pointer, ctypes.c_uint32]),
        ("gm_worker_free", None, [pointer]),
        ("gm_must_grow", ctypes.c_bool, [pointer]),
        ("gm_grow", ctypes.c_bool, [pointer]),
        ("gm_heap_values", number, [pointer]),
        ("gm_heap_bytes", number, [pointer]),
        ("gm_set_model_value_type", None, [pointer, number, ctypes.c_uint32]),
        ("gm_permutation_new", pointer, [pointer, ctypes.POINTER(number), ctypes.POINTER(number), ctypes.c_uint32]),
        ("gm_permutation_free", None, [pointer]),
        ("harness_call_with", None, [CALLBACK]),
        ("harness_keep", ctypes.c_int64, [pointer, ctypes.c_char_p, size]),
        ("harness_permute", ctypes.c_int64, [pointer, pointer, ctypes.c_char_p, size, ctypes.c_char_p, size]),
        (
            "harness_run",
            ctypes.c_int64,
            [pointer, ctypes.c_char_p, ctypes.c_char_p, size, ctypes.c_int, ctypes.c_char_p, size],
        ),
    ]:
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments
    return found


class Runtime:
    """A heap and one worker."""

    def __init__(self, lib: ctypes.CDLL, max_bytes: int = 1 << 28) -> None:
        self.lib: Any = lib
        self.heap = lib.gm_heap_new(max_bytes)
        self.worker = lib.gm_worker_new(self.heap, 4)
        self.room = 1 << 23
        self.out = ctypes.create_string_buffer(self.room)

    def type_model_values(self, values: Sequence[ModelValue]) -> None:
        for value in values:
            if value.type is not None:
                self.lib.gm_set_model_value_type(self.heap, current().positions[value.name], ord(value.type))

    def call(self, name: str, *arguments: Value, how: int = SCRATCH) -> Value:
        data = b"".join(map(encode, arguments))
        while True:
            size = self.lib.harness_run(self.worker, name.encode(), data, len(data), how, self.out, self.room)
            if size != -FULL:
                return self._result(size)
            assert self.lib.gm_grow(self.heap)

    def permute(self, permutation: int, value: Value) -> Value:
        data = encode(value)
        return self._result(self.lib.harness_permute(self.worker, permutation, data, len(data), self.out, self.room))

    def number(self, value: Value) -> int:
        data = encode(value)
        found: int = self.lib.harness_keep(self.worker, data, len(data))
        if found < 0:
            raise Failure(-found)
        return found

    def _result(self, size: int) -> Value:
        assert size != -TWO_OBJECTS
        if size < 0:
            raise Failure(-size)
        assert size <= self.room
        return decode(ctypes.string_at(self.out, size))

    def close(self) -> None:
        self.lib.gm_worker_free(self.worker)
        self.lib.gm_heap_free(self.heap)
