"""What a run cost and who did the work: for those who want it faster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, ParamSpec, TypeVar

from gristmill.source.quick_dataclass import dataclass

PhaseName = Literal[
    "parse", "assumptions", "prepare", "sample", "generate", "wait", "compile", "search", "symmetry", "temporal"
]
Kind = Literal[
    "initial",
    "action",
    "invariant",
    "implied_init",
    "constraint",
    "action_constraint",
    "implied_action",
    "obligation",
    "operator",
    "state",
]
What = tuple[Kind, str]

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Phase:
    """`beside`: it took place while others did, and is no part of their sum."""

    name: PhaseName
    seconds: float
    beside: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """An action, a formula, an operator of a library; of the kind "state": states that native code gave up on.

    `native`: compiled to C; if not, `reason` may say why. `calls`, `seconds`: how often the reference evaluator was
    asked for it, and how long that took. Of an action, `generated` and `distinct` states.
    """

    kind: Kind
    name: str
    native: bool
    reason: str | None = None
    calls: int = 0
    seconds: float = 0.0
    generated: int | None = None
    distinct: int | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes: of a state as the native engine stores it, of all states with the table that finds them, of their values.

    What has gone to disk is not counted.
    """

    state: int
    table: int
    values: int


@dataclass(frozen=True, slots=True)
class Profile:
    """`reason`: why the reference evaluator has explored the states, if it has. `layouts`: how many were tried.

    `first_native_state`: seconds from the start of the process until native code began to search.
    """

    phases: tuple[Phase, ...]
    parts: tuple[Part, ...] = ()
    reason: str | None = None
    layouts: int = 0
    memory: Memory | None = None
    first_native_state: float | None = None


class Costs:
    """Calls and seconds, by what they were for."""

    def __init__(self) -> None:
        self.calls: dict[What, int] = {}
        self.seconds: dict[What, float] = {}

    def add(self, what: What, seconds: float, calls: int = 1) -> None:
        self.calls[what] = self.calls.get(what, 0) + calls
        self.seconds[what] = self.seconds.get(what, 0.0) + seconds

    def include(self, other: Costs) -> None:
        for what, calls in other.calls.items():
            self.add(what, other.seconds[what], calls)

    def measured(self, what: What, function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        """The function, every call of which is counted."""
        clock = time.perf_counter

        def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Answer:
            started = clock()
            try:
                return function(*arguments, **named)
            finally:
                self.add(what, clock() - started)

        return call

    def part(self, what: What, native: bool, reason: str | None = None) -> Part:
        return Part(*what, native, reason, self.calls.get(what, 0), self.seconds.get(what, 0.0))


class Stopwatch:
    """Seconds by phase. What happens in a phase inside another one counts for the inner one only."""

    def __init__(self) -> None:
        self._seconds: dict[PhaseName, float] = {}
        self._beside: dict[PhaseName, float] = {}
        self._running: list[PhaseName] = []
        self._since = 0.0

    @contextmanager
    def during(self, phase: PhaseName) -> Iterator[None]:
        self._switch()
        self._running.append(phase)
        try:
            yield
        finally:
            self._switch()
            self._running.pop()

    @contextmanager
    def beside(self, phase: PhaseName) -> Iterator[None]:
        """In another thread."""
        started = time.monotonic()
        try:
            yield
        finally:
            self._beside[phase] = self._beside.get(phase, 0.0) + time.monotonic() - started

    def rename(self, phase: PhaseName, other: PhaseName) -> None:
        """It has turned out to be another phase."""
        self._seconds[other] = self._seconds.get(other, 0.0) + self._seconds.pop(phase, 0.0)

    def phases(self) -> tuple[Phase, ...]:
        own = [Phase(name, seconds) for name, seconds in self._seconds.items()]
        return (*own, *(Phase(name, seconds, beside=True) for name, seconds in self._beside.items()))

    def _switch(self) -> None:
        now = time.monotonic()
        if self._running:
            self._seconds[self._running[-1]] = self._seconds.get(self._running[-1], 0.0) + now - self._since
        self._since = now
