"""The search for fair behaviours in C (`core/liveness/components.h` and its neighbours), on plain arrays of numbers.

It is used for large graphs, if there is a C compiler; `product` does the same in Python.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from ctypes import POINTER, Structure, byref, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from gristmill.cc import CompilerError, Program, load
from gristmill.search.liveness.graph import StepGraph

SOURCES = ("components.c", "fairness.c", "lasso.c")

# Fewer steps than this are searched in Python before a library is loaded, unless another one was loaded already.
WORTH_LOADING = 5_000

_BUDGET = 20_000_000  # edges looked at to find a shorter behaviour than the first
_MANY_STATES = 100  # of an automaton
_STOPPED, _NO_MEMORY, _NONE = -2, -1, 0

Poll: TypeAlias = Callable[[], None]
"""Called some times a second during a search. What it raises ends the search."""


@dataclass(frozen=True, slots=True)
class PackedTransition:
    """`condition`: bits by step, None if it is always possible. `promises`: a bit for each eventuality put off."""

    condition: bytes | None
    target: int
    promises: int


@dataclass(frozen=True, slots=True)
class PackedClause:
    """See `gm_clause`: of `some` and `promise` one is given."""

    some: bytes | None
    promise: int
    all: tuple[bytes, ...]


def core(graph: StepGraph, times: int = 1) -> Core | None:
    """The search in C, if it is to be had and worth the while for a graph of so many times its steps."""
    return _core() if graph.in_c or graph.steps * times >= WORTH_LOADING else None


def program() -> Program:
    folder = Path(__file__).parents[1] / "core" / "liveness"
    return Program(paths=[folder / name for name in SOURCES], flags=("-O2",))


@cache
def _core() -> Core | None:
    try:
        return Core(load(program().build()))
    except CompilerError:
        return None


class Core:
    def __init__(self, library: ctypes.CDLL) -> None:
        self.new, self.free = library.gm_search_new, library.gm_search_free
        self.find, self.clear, self._spread = library.gm_find_lasso, library.gm_lasso_clear, library.gm_spread
        self.new.argtypes, self.new.restype = [POINTER(_Steps), POINTER(_Automaton), _PollFunction], c_void_p
        self.free.argtypes, self.free.restype = [c_void_p], None
        self.find.argtypes = [c_void_p, POINTER(_Clause), c_uint32, c_uint64, POINTER(_Lasso)]
        self.find.restype = c_int
        self.clear.argtypes, self.clear.restype = [POINTER(_Lasso)], None
        self._spread.argtypes, self._spread.restype = [POINTER(_Steps), c_void_p, c_void_p], None

    def spread(self, graph: StepGraph, states: int) -> int:
        """A predicate of states, by bits, as one of steps."""
        found = bytearray((graph.steps + 7) // 8)
        given = states.to_bytes((graph.states + 7) // 8, "little")
        keep: list[Any] = []
        self._spread(byref(_steps(graph, keep)), given, _address(found, keep))
        del keep
        return int.from_bytes(found, "little")

    def search(self, graph: StepGraph, automaton: Sequence[Sequence[PackedTransition]], poll: Poll) -> CoreSearch:
        return CoreSearch(self, graph, automaton, poll)


class CoreSearch:
    """For behaviours of a graph that an automaton accepts and that meet clauses, of which there may come more."""

    def __init__(
        self, core: Core, graph: StepGraph, automaton: Sequence[Sequence[PackedTransition]], poll: Poll
    ) -> None:
        self._core = core
        self._keep: list[Any] = []  # what C reads must not go away meanwhile
        self._caught: list[BaseException] = []
        self._clauses: list[_Clause] = []
        self._poll = _PollFunction(_guarded(poll, self._caught))
        steps, read = _steps(graph, self._keep), _automaton(passing_last(automaton), self._keep)
        self._search = core.new(byref(steps), byref(read), self._poll)

    def __del__(self) -> None:
        self._core.free(self._search)

    def find(self, more: Sequence[PackedClause]) -> tuple[list[int], list[int], int] | None:
        """The states, steps and loop of a behaviour that meets these clauses, too; None if there is none.

        Raises `MemoryError`, and what `poll` raises.
        """
        self._clauses += _clauses(more, self._keep)
        clauses, count = (_Clause * len(self._clauses))(*self._clauses), len(self._clauses)
        lasso = _Lasso()
        answer = self._core.find(self._search, clauses, count, _BUDGET, byref(lasso)) if self._search else _NO_MEMORY
        if self._caught:
            raise self._caught[0]
        if answer == _NO_MEMORY:
            raise MemoryError
        if answer == _NONE:
            return None
        try:
            return lasso.states[: lasso.count], lasso.steps[: lasso.count], lasso.loop
        finally:
            self._core.clear(byref(lasso))


def _guarded(poll: Poll, caught: list[BaseException]) -> Callable[[int], int]:
    """C cannot be left by an exception: it is told to stop, and the exception is raised when it has."""

    def called(edges: int) -> int:
        try:
            poll()
        except BaseException as error:
            caught.append(error)
            return 1
        return 0

    return called


# ------------------------------------------------------------------------------------------------- as C sees them


class _Steps(Structure):
    _fields_ = [("states", c_uint32), ("initial", c_uint32), ("first", c_void_p), ("targets", c_void_p)]


class _Automaton(Structure):
    _fields_ = [
        ("states", c_uint32), ("passing", c_uint32), ("start", c_uint32), ("first", c_void_p), ("targets", c_void_p),
        ("conditions", c_void_p), ("promises", c_void_p),
    ]  # fmt: skip


class _Clause(Structure):
    _fields_ = [("some", c_void_p), ("promise", c_uint64), ("all", c_void_p), ("all_count", c_uint32)]


class _Lasso(Structure):
    _fields_ = [
        ("states", POINTER(c_uint32)), ("steps", POINTER(c_uint64)), ("count", c_uint64), ("loop", c_uint64)
    ]  # fmt: skip


_PollFunction = ctypes.CFUNCTYPE(c_int, c_uint64)


def _steps(graph: StepGraph, keep: list[Any]) -> _Steps:
    first = _address(_typed(graph.first, "Q"), keep)
    return _Steps(graph.states, graph.initial, first, _address(_typed(graph.targets, "I"), keep))


@dataclass(frozen=True, slots=True)
class PassingLast:
    """An automaton whose last states are passing ones, which need not be the last to be reached."""

    states: Sequence[Sequence[PackedTransition]]
    passing: int
    start: int


def passing_last(states: Sequence[Sequence[PackedTransition]]) -> PassingLast:
    passes = passing(states)
    order = sorted(range(len(states)), key=passes.__getitem__)
    place = {state: number for number, state in enumerate(order)}
    moved = [[replace(each, target=place[each.target]) for each in states[state]] for state in order]
    return PassingLast(moved, sum(passes), place[0])


def _automaton(automaton: PassingLast, keep: list[Any]) -> _Automaton:
    states = automaton.states
    all_of = [each for state in states for each in state]
    first = array("I", [0])
    for state in states:
        first.append(first[-1] + len(state))
    return _Automaton(
        len(states),
        automaton.passing,
        automaton.start,
        _address(first, keep),
        _address(array("I", (each.target for each in all_of)), keep),
        _pointers([each.condition for each in all_of], keep),
        _address(array("Q", (each.promises for each in all_of)), keep),
    )


def passing(states: Sequence[Sequence[PackedTransition]]) -> list[bool]:
    """Of each state of an automaton: whether a run that comes back to it for ever puts off something for ever.

    Nodes of the product with such a state are in no fair component. (Not every such state is found.)
    """
    if len(states) > _MANY_STATES:
        return [False] * len(states)
    reached = [_reachable(states, start) for start in range(len(states))]
    found = []
    for state in range(len(states)):
        around = {other for other in reached[state] if state in reached[other]}
        inside = [each.promises for one in around for each in states[one] if each.target in around]
        put_off = -1 if not inside else inside[0]
        for promises in inside:
            put_off &= promises
        found.append(put_off != 0)
    return found


def _reachable(states: Sequence[Sequence[PackedTransition]], start: int) -> set[int]:
    """By at least one transition."""
    found: set[int] = set()
    waiting = [start]
    while waiting:
        new = {each.target for each in states[waiting.pop()]} - found
        found |= new
        waiting += new
    return found


def _clauses(clauses: Sequence[PackedClause], keep: list[Any]) -> list[_Clause]:
    return [_Clause(_pointer(c.some, keep), c.promise, _pointers(c.all, keep), len(c.all)) for c in clauses]


def _typed(numbers: Sequence[int], code: str) -> Any:
    """As they are if they are of that kind: a large graph is not copied."""
    if isinstance(numbers, array | memoryview | ctypes.Array):
        view = memoryview(numbers).cast("B")
        if view.nbytes == len(numbers) * array(code).itemsize:
            return view
    return array(code, numbers)


def _address(buffer: Any, keep: list[Any]) -> int:
    view = memoryview(buffer)
    if view.nbytes == 0:
        return 0
    cells = (c_uint8 * view.nbytes).from_buffer(view)
    keep.append(cells)
    return ctypes.addressof(cells)


def _pointer(data: bytes | None, keep: list[Any]) -> int | None:
    if data is None:
        return None
    keep.append(ctypes.c_char_p(data))
    return ctypes.cast(keep[-1], c_void_p).value


def _pointers(data: Sequence[bytes | None], keep: list[Any]) -> int:
    """The address of an array of addresses."""
    cells = (c_void_p * max(1, len(data)))(*(_pointer(each, keep) for each in data))
    keep.append(cells)
    return ctypes.addressof(cells)
