"""What `core.h` declares, for ctypes: structures, signatures, numbers. And which files the core is."""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_bool,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from enum import IntEnum
from pathlib import Path
from typing import Any

CORE_FOLDER = Path(__file__).parent
CORE_SOURCES = (*sorted(CORE_FOLDER.glob("*.c")), *sorted((CORE_FOLDER / "storage").glob("*.c")))

NO_STATE = 2**64 - 1
NO_ACTION = 2**32 - 1
REASONS = 64  # GM_REASONS

Expand = CFUNCTYPE(c_int, c_void_p, POINTER(c_uint32), c_void_p)
Check = CFUNCTYPE(c_int, c_void_p, POINTER(c_uint32), POINTER(c_uint32))
Key = CFUNCTYPE(c_int, c_void_p, POINTER(c_uint32), POINTER(c_uint32))
NewWorker = CFUNCTYPE(c_void_p, c_void_p, c_uint32)
FreeWorker = CFUNCTYPE(None, c_void_p)
Pause = CFUNCTYPE(None, c_void_p)
Bytes = CFUNCTYPE(c_uint64, c_void_p)
Take = CFUNCTYPE(c_int, c_void_p, POINTER(c_uint32), c_uint32, c_void_p)
Judge = CFUNCTYPE(c_int, c_void_p, POINTER(c_uint32), POINTER(c_uint32), c_uint32, c_int, POINTER(c_uint32))
Reasons = CFUNCTYPE(c_int, c_void_p, POINTER(c_uint32), POINTER(c_uint32), POINTER(c_uint64))
SaveOrLoad = CFUNCTYPE(c_int, c_void_p, c_int)
Said = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class Mark(IntEnum):
    CUT = 1
    BAD_STEP = 2
    UNKNOWN = 4
    UNKNOWN_STEP = 8
    UNMET = 16


class Outcome(IntEnum):
    DONE = 0
    BAD_STATE = 1
    BAD_STEP = 2
    DEADLOCK = 3
    FAILED = 4
    FAILED_CHECK = 5
    LIMIT = 6
    INTERRUPTED = 7
    MISFIT = 8
    UNMET = 9


class Limit(IntEnum):
    NONE = 0
    DEPTH = 1
    SECONDS = 2
    MEMORY = 3
    DISK = 4
    STATES = 5


class Resumed(IntEnum):
    """`gm_resumed`."""

    DONE = 1
    NONE = 0
    DAMAGED = -1
    NO_MEMORY = -2
    OTHER = -3


class GmModel(Structure):
    """`gm_model`."""

    _fields_ = (
        ("words", c_uint32),
        ("actions", c_uint32),
        ("branches", c_uint32),
        ("key_words", c_uint32),
        ("check_deadlock", c_bool),
        ("keep_edges", c_bool),
        ("keep_labels", c_bool),
        ("context", c_void_p),
        ("worker_new", NewWorker),
        ("worker_free", FreeWorker),
        ("expand", Expand),
        ("check", Check),
        ("key", Key),
        ("pause", Pause),
        ("save", SaveOrLoad),
        ("load", SaveOrLoad),
        ("identity", c_uint64),
        ("bytes", Bytes),
        ("ordered", c_bool),
        ("take", Take),
        ("judge", Judge),
        ("reasons", Reasons),
        ("said", Said),
    )


class GmLimits(Structure):
    _fields_ = (
        ("workers", c_uint32),
        ("max_depth", c_uint32),
        ("seconds", c_double),
        ("memory", c_uint64),
        ("spill_directory", c_char_p),
        ("checkpoint_directory", c_char_p),
        ("checkpoint_seconds", c_double),
        ("keep_going", c_bool),
        ("fingerprints_only", c_bool),
        ("each_unmet", c_bool),
        ("foreign_parents", c_bool),
    )


class GmProgress(Structure):
    _fields_ = tuple((name, c_uint64) for name in ("distinct", "generated", "queue", "depth", "cut", "bytes"))


class GmReport(Structure):
    _fields_ = (
        ("outcome", c_int),
        ("parent", c_uint64),
        ("action", c_uint32),
        *((name, c_uint64) for name in ("distinct", "generated", "depth", "queue", "cut")),
        *((name, c_uint64) for name in ("initial_generated", "initial_distinct", "expanded")),
        ("limit", c_int),
        ("incidents", c_uint64),
        ("state", c_uint64),
        ("level", c_uint64),
    )


class GmIncident(Structure):
    _fields_ = (("kind", c_int), ("action", c_uint32), ("parent", c_uint64), ("state", c_uint64))


class GmTally(Structure):
    _fields_ = (("count", c_uint64), ("first", c_uint64))


class GmEdges(Structure):
    _fields_ = (
        ("count", c_uint64),
        ("first", POINTER(c_uint64)),
        ("targets", POINTER(c_uint32)),
        ("actions", c_void_p),
        ("action_bytes", c_uint32),
    )


_WORDS = POINTER(c_uint32)
_COUNTS = POINTER(c_uint64)
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "gm_core_new": (c_void_p, (c_void_p, c_void_p)),
    "gm_core_free": (None, (c_void_p,)),
    "gm_add_initial": (c_int, (c_void_p, _WORDS, c_uint32)),
    "gm_add_known": (c_int, (c_void_p, _WORDS, c_uint64, c_uint32, c_uint32)),
    "gm_continue_at": (None, (c_void_p, c_uint64, c_uint64, c_uint64, _COUNTS, _COUNTS)),
    "gm_resume": (c_int, (c_void_p,)),
    "gm_allow": (None, (c_void_p, c_double, c_uint64)),
    "gm_run": (c_int, (c_void_p,)),
    "gm_interrupt": (None, (c_void_p,)),
    "gm_read_progress": (None, (c_void_p, c_void_p)),
    "gm_read_report": (None, (c_void_p, c_void_p)),
    "gm_read_incident": (c_int, (c_void_p, c_uint64, c_void_p)),
    "gm_incident_state": (_WORDS, (c_void_p, c_uint64)),
    "gm_tally_incidents": (c_uint64, (c_void_p, c_int, POINTER(GmTally))),
    "gm_refused": (_WORDS, (c_void_p,)),
    "gm_state": (_WORDS, (c_void_p, c_uint64, c_void_p)),
    "gm_follow": (c_int, (c_void_p, _WORDS, c_uint64, _WORDS)),
    "gm_parent": (c_uint64, (c_void_p, c_uint64)),
    "gm_action": (c_uint32, (c_void_p, c_uint64)),
    "gm_find": (c_uint64, (c_void_p, _WORDS)),
    "gm_fingerprint_gap": (c_uint64, (c_void_p,)),
    "gm_level_start": (c_uint64, (c_void_p, c_uint32)),
    "gm_taken": (_COUNTS, (c_void_p,)),
    "gm_found": (_COUNTS, (c_void_p,)),
    "gm_read_edges": (None, (c_void_p, c_void_p)),
    "gm_steps_by": (None, (c_void_p, c_char_p, c_uint64, c_uint64, c_void_p, c_uint64)),
    "gm_sources_by": (None, (c_void_p, c_char_p, c_uint64, c_uint64, c_void_p, c_uint64)),
}


def declare(library: ctypes.CDLL) -> ctypes.CDLL:
    """Tell ctypes what the functions of the core take and return."""
    for name, (returned, taken) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = returned, taken
    return library
