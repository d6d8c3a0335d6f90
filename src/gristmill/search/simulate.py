"""Simulation: random behaviours, checked along the way.

Behaviour number k depends on the seed and k only. So a run can be repeated, continued and divided among any number of
processes, and its result is that of one process: behaviours are counted in order, up to the first that violates
something.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from array import array
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from multiprocessing.pool import AsyncResult, Pool

from gristmill.search.budget.limits import NO_LIMITS, LimitReached, Limits
from gristmill.search.budget.memory import resident_bytes
from gristmill.search.model import Model
from gristmill.search.progress import OnProgress, Progress
from gristmill.search.result import NO_ERROR, Lengths, Result, Simulation, Violation
from gristmill.search.statistics import coverage
from gristmill.search.store import NONE
from gristmill.search.verdict import Verdict
from gristmill.search.walk import Behaviour, OnTrace, Walker
from gristmill.source import Diagnostic

_MESSAGES = {"ok": NO_ERROR, "error": "There is no initial state to begin with"}
_TICK = 0.2  # seconds between looks at the clock's consequences
_CHUNK = 16  # behaviours that a process makes at a time


def simulate(
    model: Model,
    *,
    seed: int,
    behaviours: int | None = None,
    depth: int = 100,
    first: int = 1,
    workers: int = 1,
    only_taken: bool = False,
    keep_going: bool = False,
    limits: Limits = NO_LIMITS,
    on_progress: OnProgress | None = None,
    on_trace: OnTrace | None = None,
) -> Simulation:
    """Check random behaviours `first`, `first` + 1, … of at most `depth` states: so many, or until something ends it.

    All successors of their states are checked, or `only_taken`: those that the behaviours go on with.
    `on_trace` is given each behaviour in which nothing is wrong. Several `workers` are processes that start as copies
    of this one; where the system has no such thing, there is one.
    """
    walker = Walker(model, depth, only_taken, on_trace)
    return _Simulator(model, walker, seed, keep_going, limits, on_progress).run(first, behaviours, workers)


class _Stop(Exception):
    """What has been found ends the simulation."""


class _Simulator:
    def __init__(
        self,
        model: Model,
        walker: Walker,
        seed: int,
        keep_going: bool,
        limits: Limits,
        on_progress: OnProgress | None,
    ) -> None:
        self._model = model
        self._walker = walker
        self._seed = seed
        self._keep_going = keep_going
        self._limits = limits
        self._on_progress = on_progress
        self._started = self._ticked = time.monotonic()
        self._generated = array("q", bytes(8 * len(model.actions)))
        self._taken = array("q", bytes(8 * len(model.actions)))
        self._cut = 0
        self._lengths = _RunningLengths()
        self._violations: dict[tuple[Verdict, str | None], Violation] = {}
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._incomplete: str | None = None

    def run(self, first: int, behaviours: int | None, workers: int) -> Simulation:
        numbers: Iterator[int] = count(first) if behaviours is None else iter(range(first, first + behaviours))
        try:
            wrong = self._walker.find_initial_states()
            if wrong is not None:
                self._add(wrong)
            elif self._walker.start.states:
                with _walks(self._walker, self._seed, numbers, workers) as walks:
                    for behaviour in walks:
                        self._add(behaviour)
                        self._tick()
                        if behaviour.stopped:
                            break
        except _Stop:
            pass
        except LimitReached as reached:
            self._incomplete = str(reached)
        except KeyboardInterrupt:
            self._incomplete = "Interrupted"
        return Simulation(self._result(), self._lengths.summary(), self._seed)

    def _add(self, behaviour: Behaviour) -> None:
        self._lengths.add(behaviour.length)
        self._cut += behaviour.cut
        for action, generated in enumerate(behaviour.generated):
            self._generated[action] += generated
            self._taken[action] += behaviour.taken[action]
        found = behaviour.violation
        if found is not None:
            self._diagnostics = self._diagnostics or behaviour.diagnostics
            self._keep(found)
            if not self._keep_going or found.verdict in ("error", "assert"):
                raise _Stop

    def _keep(self, found: Violation) -> None:
        """Of several violations of a property, the shortest."""
        key = found.verdict, found.property
        known = self._violations.get(key)
        if known is None:
            self._violations[key] = found
            return
        shorter = found if len(found.trace or ()) < len(known.trace or ()) else known
        self._violations[key] = Violation(
            shorter.verdict, shorter.property, shorter.message, shorter.trace, known.count + 1, shorter.location
        )

    def _tick(self) -> None:
        now = time.monotonic()
        if now - self._ticked < _TICK:
            return
        self._ticked = now
        memory, seconds = resident_bytes(), now - self._started
        if self._on_progress is not None:
            self._on_progress(Progress(0, sum(self._generated), 0, self._lengths.maximum, seconds, memory))
        reason = self._limits.exceeded(seconds, memory)
        if reason is not None:
            raise LimitReached(reason)

    def _result(self) -> Result:
        start, first = self._walker.start, next(iter(self._violations.values()), None)
        verdict: Verdict = "incomplete" if self._incomplete else "ok" if start.states else "error"
        taken = Counter({NONE: self._lengths.behaviours, **dict(enumerate(self._taken))})
        return Result(
            verdict=first.verdict if first else verdict,
            property=first.property if first else None,
            message=first.message if first else self._incomplete or _MESSAGES[verdict],
            generated=start.generated + sum(self._generated),
            depth=self._lengths.maximum,
            seconds=time.monotonic() - self._started,
            trace=first.trace if first else None,
            coverage=coverage(self._model.actions, taken, self._generated, start.generated),
            caveats=() if first else tuple(self._caveats()),
            violations=tuple(self._violations.values()),
            diagnostics=self._diagnostics,
        )

    def _caveats(self) -> Iterator[str]:
        if self._walker.start.states:
            yield f"{self._lengths.behaviours:,} behaviours were chosen at random: there are others."
        if self._cut + self._walker.start.cut:
            yield f"{self._cut + self._walker.start.cut:,} generated states were never taken because of a constraint."


class _RunningLengths:
    """Mean and variance by Welford's method."""

    def __init__(self) -> None:
        self.behaviours, self.minimum, self.maximum = 0, 0, 0
        self._mean, self._squares = 0.0, 0.0

    def add(self, length: int) -> None:
        self.behaviours += 1
        self.minimum = min(self.minimum or length, length)
        self.maximum = max(self.maximum, length)
        delta = length - self._mean
        self._mean += delta / self.behaviours
        self._squares += delta * (length - self._mean)

    def summary(self) -> Lengths:
        variance = self._squares / self.behaviours if self.behaviours else 0.0
        return Lengths(self.behaviours, self._mean, variance, self.minimum, self.maximum)


# ------------------------------------------------------------------------------------------------------- processes

# What worker processes inherit, by the number of the simulation: a model need not be picklable.
_inherited: dict[int, Walker] = {}
_numbers = count()


@contextmanager
def _walks(walker: Walker, seed: int, numbers: Iterator[int], workers: int) -> Iterator[Iterator[Behaviour]]:
    """Behaviours in the order of their numbers."""
    if workers <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield (walker.walk(number, seed) for number in numbers)
        return
    own = next(_numbers)
    _inherited[own] = walker
    try:
        with multiprocessing.get_context("fork").Pool(workers, _ignore_interrupts) as pool:
            yield _in_order(pool, own, numbers, seed, 2 * workers)
    finally:
        del _inherited[own]


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that has started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _in_order(pool: Pool, own: int, numbers: Iterator[int], seed: int, ahead: int) -> Iterator[Behaviour]:
    """The numbers may have no end, so only some chunks are handed out in advance."""
    pending: deque[AsyncResult[list[Behaviour]]] = deque()
    while chunk := list(islice(numbers, _CHUNK)):
        pending.append(pool.apply_async(_walk_chunk, (own, chunk, seed)))
        if len(pending) >= ahead:
            yield from pending.popleft().get()
    while pending:
        yield from pending.popleft().get()


def _walk_chunk(own: int, numbers: list[int], seed: int) -> list[Behaviour]:
    return [_inherited[own].walk(number, seed) for number in numbers]
