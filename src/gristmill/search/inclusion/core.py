"""The decision in C (`core/inclusion/inclusion.h`), from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, Structure, byref, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gristmill.cc import CompilerError, Program, load
from gristmill.search.inclusion.graph import ObservedGraph

FOLDER = Path(__file__).parents[1] / "core" / "inclusion"
SOURCES = tuple(sorted(FOLDER.glob("*.c")))

_DIFFERENT, _NO_MEMORY, _STOPPED = 1, -1, -2


@dataclass(frozen=True, slots=True)
class CoreAnswer:
    """`run`: states of the first graph whose trace is none of the second; None if there is no such run."""

    run: list[int] | None
    product_steps: int
    nodes: int
    subsets: int
    out_of_memory: bool = False


def core() -> Core | None:
    """None if there is no C compiler here."""
    try:
        return _core()
    except CompilerError:
        return None


@cache
def _core() -> Core:
    return Core(load(program().build()))


def program() -> Program:
    return Program(paths=SOURCES, flags=("-O2",))


class Core:
    def __init__(self, library: ctypes.CDLL) -> None:
        self._include, self._clear = library.gm_include, library.gm_inclusion_clear
        self._include.argtypes = [POINTER(_Graph), POINTER(_Graph), c_uint64, _PollFunction, POINTER(_Inclusion)]
        self._include.restype = c_int
        self._clear.argtypes, self._clear.restype = [POINTER(_Inclusion)], None

    def decide(
        self, first: ObservedGraph, second: ObservedGraph, poll: Callable[[], None], memory: int | None = None
    ) -> CoreAnswer:
        """`memory`: bytes that it may take. Raises what `poll` raises, which is called some times a second."""
        caught: list[BaseException] = []
        function = _PollFunction(_guarded(poll, caught))
        keep: list[Any] = []
        found = _Inclusion()
        answer = self._include(
            byref(_graph(first, keep)), byref(_graph(second, keep)), memory or 0, function, byref(found)
        )
        try:
            if caught:
                raise caught[0]
            run = found.run[: found.length] if answer == _DIFFERENT else None
            return CoreAnswer(run, found.product_steps, found.nodes, found.subsets, answer == _NO_MEMORY)
        finally:
            self._clear(byref(found))


def _guarded(poll: Callable[[], None], caught: list[BaseException]) -> Callable[[], int]:
    """C cannot be left by an exception: it is told to stop, and the exception is raised when it has."""

    def called() -> int:
        try:
            poll()
        except BaseException as error:
            caught.append(error)
            return 1
        return 0

    return called


# ------------------------------------------------------------------------------------------------- as C sees them


class _Graph(Structure):
    _fields_ = [
        ("states", c_uint32), ("initial_count", c_uint32), ("initial", c_void_p), ("first", c_void_p),
        ("targets", c_void_p), ("observations", c_void_p),
    ]  # fmt: skip


class _Inclusion(Structure):
    _fields_ = [
        ("product_steps", c_uint64), ("nodes", c_uint64), ("subsets", c_uint64), ("bytes", c_uint64),
        ("run", POINTER(c_uint32)), ("length", c_uint32),
    ]  # fmt: skip


_PollFunction = ctypes.CFUNCTYPE(c_int)


def _graph(graph: ObservedGraph, keep: list[Any]) -> _Graph:
    return _Graph(graph.states, len(graph.initial), *(_address(each, keep) for each in graph.arrays))


def _address(buffer: Any, keep: list[Any]) -> int | None:
    view = memoryview(buffer).cast("B")
    if view.nbytes == 0:
        return None
    cells = (c_uint8 * view.nbytes).from_buffer(view)
    keep.append(cells)
    return ctypes.addressof(cells)
