"""The state graph that the native engine has found, and the truth of formulas in all of it."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from ctypes import c_uint8, c_uint64
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
        self.first: Any = edges.first
        self.targets: Any = edges.targets
        self.actions: Any = edges.actions
        self.expanded = len(self.first) - 1
        if self.expanded < states:  # of the others no steps are known
            padded = array("Q", self.first)
            padded.extend([padded[-1]] * (states - self.expanded))
            self.first = memoryview(padded)
        generated = zip(engine.generated.predicates, engine.predicates(), strict=True)
        self._known: dict[int, tuple[Code, int | None]] = {id(code): (code, found) for code, found in generated}

    def of_states(self, code: Code) -> bytes | None:
        found = self._compiled(code, of_steps=False)
        if found is None:
            return None
        out = (c_uint8 * max(1, self.states))()
        done = self._engine.library.gm_engine_states(self._engine.handle, self._core.handle, found, 0, self.states, out)
        return bytes(out)[: self.states] if done == self.states else None

    def of_steps(self, code: Code) -> bytes | None:
        """Of each edge; then, for each state, of the step that changes nothing."""
        found = self._compiled(code, of_steps=True)
        if found is None:
            return None
        edges = len(self.targets)
        out = (c_uint8 * max(1, edges))()
        done = self._engine.library.gm_engine_steps(
            self._engine.handle,
            self._core.handle,
            found,
            0,
            self.expanded,
            _address(self.first),
            _address(self.targets),
            out,
        )
        return bytes(out)[:edges] if done == edges else None

    def of_stuttering(self, code: Code) -> bytes | None:
        """Of the step that changes nothing, for each state."""
        found = self._compiled(code, of_steps=True)
        if found is None:
            return None
        first = (c_uint64 * (self.states + 1))(*range(self.states + 1))
        targets = (ctypes.c_uint32 * max(1, self.states))(*range(self.states))
        out = (c_uint8 * max(1, self.states))()
        done = self._engine.library.gm_engine_steps(
            self._engine.handle, self._core.handle, found, 0, self.states, first, targets, out
        )
        return bytes(out)[: self.states] if done == self.states else None

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
