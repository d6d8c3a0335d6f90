"""The state graph that the native engine has found, and the truth of formulas in all of it."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Any

from gristmill.ir.nodes import Code
from gristmill.native.plan.layout import Leaf
from gristmill.native.run.engine import Engine
from gristmill.native.run.shared_values import SharedValues
from gristmill.search.core.search import NativeSearch
from gristmill.values import Value


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

    def project(self, variables: Collection[int]) -> tuple[array[int], array[int]]:
        """A number for each state, by the values of some variables; and for each number the first state that has it."""
        engine, wanted = self._engine, set(variables)
        starts = accumulate((layout.size for layout in engine.generated.layouts), initial=0)
        slots = [
            start + each
            for variable, (start, layout) in enumerate(zip(starts, engine.generated.layouts, strict=False))
            if variable in wanted
            for each in range(layout.size)
        ]
        numbers, examples = array("I", bytes(4 * self.states)), array("I", bytes(4 * self.states))
        given = (ctypes.c_uint32 * max(1, len(slots)))(*slots)
        count = engine.library.gm_engine_project(
            engine.handle,
            self._core.handle,
            given,
            len(slots),
            self.states,
            _address(memoryview(numbers)),
            _address(memoryview(examples)),
        )
        if self.states and not count:
            raise MemoryError("what states look like")
        return numbers, examples[:count]

    def values(self, variable: int, states: array[int]) -> list[Value] | None:
        """The values of a variable in some states, to compare them; None if it is cut into slots."""
        engine, layouts = self._engine, self._engine.generated.layouts
        if not isinstance(layouts[variable], Leaf):
            return None
        slot = sum(layout.size for layout in layouts[:variable])
        words = array("Q", bytes(8 * len(states)))
        engine.library.gm_engine_slot(
            engine.handle,
            self._core.handle,
            slot,
            _address(memoryview(states)),
            len(states),
            _address(memoryview(words)),
        )
        return SharedValues(engine).values(words)

    def by_actions(self, actions: Collection[int], start: int, end: int, bits: bytearray, at: int) -> None:
        self._engine.library.gm_steps_by(self._core.handle, self._wanted(actions), start, end, _cells(bits), at)

    def sources_by_actions(self, actions: Collection[int], start: int, end: int, bits: bytearray, at: int) -> None:
        self._engine.library.gm_sources_by(self._core.handle, self._wanted(actions), start, end, _cells(bits), at)

    def _wanted(self, actions: Collection[int]) -> bytes:
        return bytes(action in actions for action in range(self._core.model.actions))

    def of_states(self, code: Code, start: int, end: int, bits: bytearray, at: int) -> bool:
        found, engine, core = self._engine.further.address(code, of_steps=False), self._engine, self._core.handle
        if found is None:
            return False
        return bool(engine.library.gm_engine_states(engine.handle, core, found, start, end, _cells(bits), at))

    def of_steps(
        self, code: Code, start: int, end: int, bits: bytearray, at: int, among: bytearray | None = None
    ) -> bool:
        return self._steps(code, start, end, _address(self.first), _address(self.targets), bits, at, among)

    def of_stuttering(self, code: Code, start: int, end: int, bits: bytearray, at: int) -> bool:
        first, targets = array("Q", range(end - start + 1)), array("I", range(start, end))
        at_first = _address(memoryview(first)) - start * first.itemsize  # where that of state 0 would be
        return self._steps(code, start, end, at_first, _address(memoryview(targets)), bits, at)

    def _steps(
        self,
        code: Code,
        start: int,
        end: int,
        first: int,
        targets: int,
        bits: bytearray,
        at: int,
        among: bytearray | None = None,
    ) -> bool:
        found, engine, core = self._engine.further.address(code, of_steps=True), self._engine, self._core.handle
        if found is None:
            return False
        possible = None if among is None else _cells(among)
        return bool(
            engine.library.gm_engine_steps(
                engine.handle, core, found, start, end, first, targets, possible, _cells(bits), at
            )
        )

    def prepare(self, codes: Sequence[tuple[Code, bool]]) -> None:
        self._engine.further.prepare(codes)


_AT_ONCE = 1 << 16  # states, between two moments at which Ctrl-C is heard
_NOT, _MET = range(2)  # enum gm_ever; else it cannot be told


def ever_true(engine: Engine, core: NativeSearch, codes: Sequence[Code], states: int) -> list[bool | None]:
    """Of each predicate, whether it is true of any state; None if compiled code cannot tell."""
    found = [engine.further.address(code, of_steps=False) for code in codes]
    addresses = [address for address in found if address is not None]
    given, met = (ctypes.c_void_p * len(addresses))(*addresses), (ctypes.c_uint8 * len(addresses))()
    for start in range(0, states, _AT_ONCE):
        if all(met):
            break
        end = min(states, start + _AT_ONCE)
        engine.library.gm_engine_ever(engine.handle, core.handle, given, len(addresses), start, end, met)
    known = {_NOT: False, _MET: True}
    answers = iter(met)
    return [None if address is None else known.get(next(answers)) for address in found]


def _cells(bits: bytearray) -> Any:
    return (ctypes.c_char * len(bits)).from_buffer(bits)


def _address(view: memoryview) -> int:
    return ctypes.addressof((ctypes.c_char * view.nbytes).from_buffer(view.cast("B"))) if view.nbytes else 0


__all__ = ["NativeRows", "ever_true"]
