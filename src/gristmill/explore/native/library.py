"""The C search as a library: its types and functions, as ctypes sees them."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path

from gristmill.cc import build, load

ABSENT = 0xFFFFFFFF
DONE, PAUSED, VIOLATED, VIOLATED_END, PROBLEM, LIMIT, FAILED = range(7)
STEP_FAULT, STEP_PROBLEM = 1, 2
JUDGE_ALWAYS, JUDGE_AT_END = 0, 1

# The last argument is where the answer goes.
EXPAND = CFUNCTYPE(None, c_uint32, c_uint32, c_uint32, POINTER(c_uint32))
PUT = CFUNCTYPE(None, c_uint32, c_uint32, c_uint32, POINTER(c_uint32))
SLOT = CFUNCTYPE(None, c_uint32, c_uint32, POINTER(c_uint32))
JUDGE = CFUNCTYPE(None, c_uint32, POINTER(c_uint32), POINTER(c_uint32))
PERMUTE = CFUNCTYPE(None, c_uint32, c_uint32, POINTER(c_uint32))


class Callbacks(Structure):
    _fields_ = (("expand", EXPAND), ("put", PUT), ("slot", SLOT), ("judge", JUDGE), ("permute", PERMUTE))


class Step(Structure):
    _fields_ = tuple(
        (name, c_uint32) for name in ("process", "cell", "spare", "sends", "send_count", "action", "flags")
    )


class Report(Structure):
    _fields_ = (
        *((name, c_uint64) for name in ("states", "transitions", "depth", "pushes", "bytes", "cut", "path_length")),
        ("stack_bytes", c_uint64),
        ("left_out", c_uint64),
        ("verdict", c_uint32),
    )


Numbers = POINTER(c_uint32)
Words = POINTER(c_uint64)

_SIGNATURES = {
    "search_new": (c_void_p, [c_uint32, c_uint32, c_uint32, POINTER(Callbacks)]),
    "search_free": (None, [c_void_p]),
    "search_options": (None, [c_void_p, c_uint32, c_uint32, c_uint32, c_uint64, c_uint64]),
    "search_begin": (None, [c_void_p, Numbers, c_uint32]),
    "search_run": (ctypes.c_int, [c_void_p, c_uint64]),
    "breadth_reach": (ctypes.c_int, [c_void_p, Numbers, c_uint32, c_uint32]),
    "breadth_run": (ctypes.c_int, [c_void_p, c_uint64]),
    "breadth_keyed": (None, [c_void_p]),
    "together_begin": (None, [c_void_p, c_uint32, c_uint32]),
    "together_run": (ctypes.c_int, [c_void_p, c_uint64]),
    "search_report": (POINTER(Report), [c_void_p]),
    "search_path": (Numbers, [c_void_p]),
    "search_vector": (None, [c_void_p, c_uint64, Numbers]),
    "search_judge": (c_void_p, [c_void_p]),
    "add_cell": (None, [c_void_p, c_uint32, c_uint32]),
    "add_step": (c_uint32, [c_void_p, POINTER(Step), Numbers]),
    "add_expansion": (c_uint32, [c_void_p, c_uint32, c_uint32, c_uint32, Words]),
    "set_actions": (None, [c_void_p, Numbers, Numbers, Words]),
    "set_permutations": (None, [c_void_p, c_uint32, Numbers]),
    "judge_insert": (None, [c_void_p, c_uint32, c_uint32, Numbers, Numbers, c_uint32]),
    "judge_add_slot": (None, [c_void_p, c_uint32]),
}


@cache
def library() -> ctypes.CDLL:
    """Built on first use. Raises `cc.CompilerError` where there is no C compiler."""
    folder = Path(__file__).parent
    loaded = load(build(paths=sorted(folder.glob("*.c")), flags=("-O2",)))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded
