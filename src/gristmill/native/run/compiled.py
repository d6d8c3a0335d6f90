"""Generated C, compiled together with the runtime and the search core, and what ctypes must know of it."""

from __future__ import annotations

import ctypes
import os
import shlex
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from gristmill.cc import Loaded, Program, Stop, load_alone
from gristmill.native.run import units
from gristmill.search.core.search import CORE_FOLDER

RUNTIME_FOLDER = Path(__file__).parents[1] / "runtime"
RUNTIME_SOURCES = tuple(sorted(RUNTIME_FOLDER.rglob("*.c")))
CORE_SOURCES = tuple(sorted(CORE_FOLDER.rglob("*.c")))

FAST = ("-O1",)
FASTER = ("-O2",)
FLAGS_VARIABLE = "GRISTMILL_CFLAGS"  # further flags for the compiler: sanitizers, warnings
# -Og inlines the runtime's small functions, as -O1 does: on a protocol of 1 MB of C, a third of -O1's compile time, and
# 3 to 4 times the speed of -O0 in the search.
SOON = ("-Og",)
SECONDS_A_CHARACTER = 3e-6  # of text, that it takes to compile it so
_BY_COST = ((250, FASTER), (6_000, FAST), (1 << 62, SOON))  # nodes of the IR: one becomes about 50 characters of C
_SMALL = 15_000  # characters of C: compiled in a tenth of a second, however well

_Words = POINTER(c_uint32)
ExpandCall = CFUNCTYPE(c_int, c_void_p, _Words)
TakeCall = CFUNCTYPE(c_int, c_void_p, c_uint32, _Words)
PredicateCall = CFUNCTYPE(c_int, c_uint32, c_uint32, _Words, _Words)
PrimitiveCall = CFUNCTYPE(c_size_t, c_uint32, POINTER(c_uint8), c_size_t, POINTER(c_uint8), c_size_t)


UndoCall = CFUNCTYPE(None)
SaidCall = CFUNCTYPE(None, c_void_p, c_size_t)


class Turn(Structure):
    """`gm_turn`: what is being evaluated, in a search in order."""

    _fields_ = (
        ("number", c_uint64),
        ("candidate", _Words),
        ("action", c_uint32),
        ("stored", c_uint32),
        ("family", c_uint32),
        ("refused", c_uint32),
        ("first", c_uint64),
    )


class Reference(Structure):
    """`gm_reference`: what the reference evaluator answers."""

    _fields_ = (
        ("expand", ExpandCall),
        ("take", TakeCall),
        ("predicate", PredicateCall),
        ("primitive", PrimitiveCall),
        ("undo", UndoCall),
        ("said", SaidCall),
    )


class BatchResult(Structure):
    """`gm_batch_result`: the steps of a batch of states."""

    _fields_ = (
        ("first", POINTER(c_uint64)),
        ("left", POINTER(c_uint8)),
        ("states", c_void_p),
        ("actions", POINTER(c_uint32)),
        ("parameters", c_void_p),
    )


_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "gm_engine_new": (c_void_p, (c_void_p, c_void_p, c_uint64)),
    "gm_engine_free": (None, (c_void_p,)),
    "gm_engine_heap": (c_void_p, (c_void_p,)),
    "gm_engine_link": (c_int, (c_void_p, ctypes.c_char_p, c_size_t, c_uint32)),
    "gm_engine_symmetry": (None, (c_void_p, POINTER(c_void_p), _Words, c_uint32)),
    "gm_engine_canonical": (None, (c_void_p, c_void_p)),
    "gm_engine_order": (None, (c_void_p, _Words)),
    "gm_engine_model": (None, (c_void_p, c_void_p)),
    "gm_engine_in_order": (None, (c_void_p,)),
    "gm_engine_aloud": (None, (c_void_p,)),
    "gm_engine_turn": (POINTER(Turn), (c_void_p,)),
    "gm_engine_follow": (None, (c_void_p, c_void_p)),
    "gm_engine_initial": (c_int, (c_void_p, c_void_p)),
    "gm_engine_bad": (_Words, (c_void_p,)),
    "gm_engine_values": (c_size_t, (c_void_p, _Words, c_void_p, c_size_t)),
    "gm_engine_some_values": (c_size_t, (c_void_p, _Words, _Words, c_uint32, c_void_p, c_size_t, POINTER(c_size_t))),
    "gm_engine_words": (c_int, (c_void_p, ctypes.c_char_p, c_size_t, _Words)),
    "gm_engine_misfit": (c_int, (c_void_p,)),
    "gm_engine_full": (c_uint32, (c_void_p,)),
    "gm_engine_words_count": (c_uint32, (c_void_p,)),
    "gm_engine_fallbacks": (c_uint64, (c_void_p,)),
    "gm_engine_between": (c_uint64, (c_void_p,)),
    "gm_engine_callbacks": (c_uint64, (c_void_p,)),
    "gm_engine_met": (POINTER(c_uint8), (c_void_p,)),
    "gm_engine_states": (c_bool, (c_void_p, c_void_p, c_void_p, c_uint64, c_uint64, c_void_p, c_uint64)),
    "gm_engine_ever": (None, (c_void_p, c_void_p, POINTER(c_void_p), c_uint32, c_uint64, c_uint64, POINTER(c_uint8))),
    "gm_engine_steps": (
        c_bool,
        (c_void_p, c_void_p, c_void_p, c_uint64, c_uint64, c_void_p, c_void_p, c_void_p, c_void_p, c_uint64),
    ),
    "gm_engine_link_more": (c_int, (c_void_p, c_void_p, ctypes.c_char_p, c_size_t, c_uint32)),
    "gm_engine_exchange": (c_int, (c_void_p, c_void_p, ctypes.c_char_p, c_size_t, c_uint32)),
    "gm_engine_widen": (None, (c_void_p, c_void_p)),
    "gm_engine_take_over": (c_bool, (c_void_p, c_void_p, c_void_p)),
    "gm_engine_project": (c_uint64, (c_void_p, c_void_p, c_void_p, c_uint32, c_uint64, c_void_p, c_void_p)),
    "gm_engine_slot": (None, (c_void_p, c_void_p, c_uint32, c_void_p, c_uint64, c_void_p)),
    "gm_batch_new": (c_void_p, (c_void_p, c_uint32)),
    "gm_batch_free": (None, (c_void_p,)),
    "gm_batch_run": (c_bool, (c_void_p, ctypes.c_char_p, c_uint32, ctypes.c_char_p, c_void_p)),
    "gm_batch_read": (None, (c_void_p, POINTER(BatchResult))),
    "gm_engine_value": (c_size_t, (c_void_p, c_uint64, c_void_p, c_size_t)),
    "gm_engine_keep": (c_uint64, (c_void_p, ctypes.c_char_p, c_size_t)),
    "gm_taker_new": (c_void_p, (c_void_p, ctypes.c_char_p, ctypes.c_char_p, c_uint32, c_uint32, c_uint32)),
    "gm_taker_free": (None, (c_void_p,)),
    "gm_take": (
        ctypes.c_int64,
        (c_void_p, c_uint32, ctypes.c_char_p, c_uint32, ctypes.c_char_p, c_uint32, c_void_p, c_uint32),
    ),
    "gm_plan_new": (c_void_p, (c_void_p, ctypes.c_char_p, c_uint32, c_uint32, c_uint32, c_uint32, c_bool)),
    "gm_plan_take": (ctypes.c_int64, (c_void_p, ctypes.c_char_p, ctypes.c_char_p, c_void_p, c_uint32)),
    "gm_follower_new": (c_void_p, (c_void_p, c_uint32, c_uint32, c_uint32)),
    "gm_follower_free": (None, (c_void_p,)),
    "gm_follower_dump": (c_uint64, (c_void_p, c_void_p, c_uint64)),
    "gm_follower_load": (None, (c_void_p, ctypes.c_char_p)),
    "gm_follower_see": (c_bool, (c_void_p, c_void_p, ctypes.c_char_p, ctypes.c_char_p)),
    "gm_hearing_new": (c_void_p, (c_void_p, c_void_p, c_uint32)),
    "gm_hearing_free": (None, (c_void_p,)),
    "gm_hearing_route": (
        None,
        (
            *(c_void_p, c_uint32, c_uint32, c_void_p, c_uint64, c_uint64),
            *(ctypes.c_char_p, c_uint32, ctypes.c_char_p, c_uint32),
        ),
    ),
    "gm_hearing_follow": (
        c_uint64,
        (c_void_p, c_void_p, c_uint64, c_uint64, POINTER(c_uint64), POINTER(c_uint32)),
    ),
    "gm_hearing_forget": (None, (c_void_p,)),
    "gm_hearing_hear": (None, (c_void_p, c_uint64, c_uint64)),
    "gm_hearing_dump": (c_uint64, (c_void_p, c_void_p, c_uint64)),
    "gm_hearing_load": (None, (c_void_p, ctypes.c_char_p)),
    "gm_engine_number": (c_uint32, (c_void_p, ctypes.c_char_p, c_size_t)),
    "gm_engine_made": (c_uint32, (c_void_p, c_uint32, ctypes.c_char_p, c_uint32)),
    "gm_engine_parts": (c_uint32, (c_void_p, c_uint32, c_void_p, c_uint32)),
    "gm_engine_numbered": (c_size_t, (c_void_p, c_uint32, c_void_p, c_size_t)),
    "gm_grow": (ctypes.c_bool, (c_void_p,)),
    "gm_set_model_value_type": (None, (c_void_p, c_uint64, c_uint32)),
    "gm_heap_bytes": (c_uint64, (c_void_p,)),
    "gm_heap_values": (c_uint64, (c_void_p,)),
    "gm_permutation_new": (c_void_p, (c_void_p, POINTER(c_uint64), POINTER(c_uint64), c_uint32)),
    "gm_begin_branch": (None, (c_void_p,)),
    "gm_say": (None, (c_void_p, ctypes.c_char_p, c_size_t)),
    "gm_emit": (None, (c_void_p, c_uint32, _Words, c_uint32)),
}


def _flags(cost: int) -> tuple[str, ...]:
    """Lower optimisation levels where there is more to compile, so that compiling does not outlast the search."""
    return next(flags for bound, flags in _BY_COST if cost < bound)


def compile_text(text: str, cost: int, stop: Stop | None = None) -> Path:
    """A shared library of the generated C. What is the same for every model is compiled once on a machine.

    `cost`: how much there is to compile (`Generated.cost`). `stop` ends it.
    """
    return _program(text, _flags(cost)).build(stop)


def compile_soon(text: str, cost: int, stop: Stop | None = None) -> tuple[Path, bool]:
    """The same for a search that may be short, and whether there is a better version: `compile_better`.

    If that was compiled in an earlier run, it is taken.
    """
    if len(text) < _SMALL:
        return compile_text(text, cost, stop), False
    better = _program(text, FAST)
    known = better.known()
    return (known, False) if known is not None else (better.with_text_flags(_all_flags(SOON)).build(stop), True)


def expected_seconds(text: str) -> float | None:
    """Of the processor, for `compile_soon`; None if the runtime has to be compiled, too."""
    return len(text) * SECONDS_A_CHARACTER if runtime_program().needs_only_texts() else None


def compile_better(text: str, stop: Stop | None = None, is_patient: bool = False) -> Path:
    program = _program(text, FAST)
    return (program.patient() if is_patient else program).build(stop)


def _all_flags(flags: tuple[str, ...]) -> tuple[str, ...]:
    return (*flags, *shlex.split(os.environ.get(FLAGS_VARIABLE, "")))


def runtime_program() -> Program:
    """What is the same for every model."""
    return _program("", ())


def _program(text: str, own_flags: tuple[str, ...]) -> Program:
    return Program(
        units.cut(text, os.cpu_count() or 1) if text else {},
        (*RUNTIME_SOURCES, *CORE_SOURCES),
        include=(RUNTIME_FOLDER, CORE_FOLDER),
        flags=_all_flags(FASTER),
        text_flags=_all_flags(own_flags),
        libraries=("pthread",),
    )


def open_library(path: Path) -> Loaded:
    """For one engine: the generated code keeps constants and caches in static variables."""
    loaded = load_alone(path)
    library = loaded.library
    for name, (returned, taken) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = returned, taken
    return loaded
