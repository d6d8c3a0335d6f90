"""The state graph that the native engine has found, and the truth of formulas in all of it."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from ctypes import c_uint8
from typing import Any

from gristmill.ir.nodes import Code
from gristmill.native.engine import Engine
from gristmill.search.native_core import NativeSearch


class NativeRows:
    """`Rows` of a search by the core."""

    def __init__(self, engine: Engine, core: NativeSearch, states: int) -> None:
        self._engine, self._core = engine, core
        edges = core.edges()
        self.states = states
        self.run: object = core
        self.first: Any = edges.first
        self.targets: Any = edges.targets
        self.actions: Any = edges.actions
        expanded = len(self.first) - 1
        if expanded < states:  # of the others no steps are known
            padded = array("Q", self.first)
            padded.extend([padded[-1]] * (states - expanded))
            self.first = memoryview(padded)

    def of_states(self, code: Code, start: int, end: int) -> bytes | None:
        found = self._engine.further.address(code, of_steps=False)
        if found is None:
            return None
        out = (c_uint8 * (end - start))()
        done = self._engine.library.gm_engine_states(self._engine.handle, self._core.handle, found, start, end, out)
        return bytes(out) if done == end - start else None

    def of_steps(self, code: Code, start: int, end: int, among: bytes | None = None) -> bytes | None:
        count = self.first[end] - self.first[start]
        return self._steps(code, start, end, _address(self.first), _address(self.targets), count, among)

    def of_stuttering(self, code: Code, start: int, end: int) -> bytes | None:
        first, targets = array("Q", range(end - start + 1)), array("I", range(start, end))
        at_first = _address(memoryview(first)) - start * first.itemsize  # where that of state 0 would be
        return self._steps(code, start, end, at_first, _address(memoryview(targets)), end - start)

    def _steps(
        self, code: Code, start: int, end: int, first: int, targets: int, count: int, among: bytes | None = None
    ) -> bytes | None:
        found = self._engine.further.address(code, of_steps=True)
        if found is None:
            return None
        engine, core, out = self._engine, self._core.handle, (c_uint8 * count)()
        done = engine.library.gm_engine_steps(engine.handle, core, found, start, end, first, targets, among, out)
        return bytes(out) if done == count else None

    def prepare(self, codes: Sequence[tuple[Code, bool]]) -> None:
        self._engine.further.prepare(codes)


def _address(view: memoryview) -> int:
    return ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(view.cast("B"))) if view.nbytes else 0


__all__ = ["NativeRows"]
