"""The state graph that the native engine has found, and the truth of formulas in all of it."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from ctypes import c_uint8
from typing import Any

from gristmill.cc import CacheError, CompilerError
from gristmill.ir.nodes import Code
from gristmill.native.codec import NoNativeFormError
from gristmill.native.engine import Engine
from gristmill.native.generate import generate_predicates
from gristmill.native.library import compile_text
from gristmill.search.native_core import NativeSearch
from gristmill.values import Value


class NativeRows:
    """`Rows` of a search by the core. `evaluate` is the reference evaluator's, for constants."""

    def __init__(self, engine: Engine, core: NativeSearch, states: int, evaluate: Callable[[Code], Value]) -> None:
        self._engine, self._core, self._evaluate = engine, core, evaluate
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
        generated = zip(engine.generated.predicates, engine.predicates(), strict=True)
        self._known: dict[int, tuple[Code, int | None]] = {id(code): (code, found) for code, found in generated}

    def of_states(self, code: Code, start: int, end: int) -> bytes | None:
        found = self._compiled(code, of_steps=False)
        if found is None:
            return None
        out = (c_uint8 * (end - start))()
        done = self._engine.library.gm_engine_states(self._engine.handle, self._core.handle, found, start, end, out)
        return bytes(out) if done == end - start else None

    def of_steps(self, code: Code, start: int, end: int) -> bytes | None:
        count = self.first[end] - self.first[start]
        return self._steps(code, start, end, _address(self.first), _address(self.targets), count)

    def of_stuttering(self, code: Code, start: int, end: int) -> bytes | None:
        first, targets = array("Q", range(end - start + 1)), array("I", range(start, end))
        at_first = _address(memoryview(first)) - start * first.itemsize  # where that of state 0 would be
        return self._steps(code, start, end, at_first, _address(memoryview(targets)), end - start)

    def _steps(self, code: Code, start: int, end: int, first: int, targets: int, count: int) -> bytes | None:
        found = self._compiled(code, of_steps=True)
        if found is None:
            return None
        engine, out = self._engine, (c_uint8 * count)()
        done = engine.library.gm_engine_steps(engine.handle, self._core.handle, found, start, end, first, targets, out)
        return bytes(out) if done == count else None

    def prepare(self, codes: Sequence[tuple[Code, bool]]) -> None:
        """Compile predicates, with whether they are of steps; those that are known already are left out."""
        new = [(code, of_steps) for code, of_steps in codes if id(code) not in self._known]
        if not new:
            return
        self._known.update({id(code): (code, None) for code, _ in new})
        generated = self._engine.generated
        try:
            predicates = generate_predicates(
                self._engine.searchable.specified, generated.layouts, generated.widths, self._evaluate, new
            )
            pointers = self._engine.add_predicates(predicates, compile_text(predicates.text))
        except (NoNativeFormError, CompilerError, CacheError):
            return
        for (code, _), pointer in zip(new, pointers, strict=True):
            self._known[id(code)] = (code, pointer)

    def _compiled(self, code: Code, of_steps: bool) -> int | None:
        """The native predicate; None if there is none."""
        self.prepare([(code, of_steps)])
        return self._known[id(code)][1]


def _address(view: memoryview) -> int:
    return ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(view.cast("B"))) if view.nbytes else 0


__all__ = ["NativeRows"]
