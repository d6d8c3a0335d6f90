"""The search core in C (`core.h` is its manual), from Python.

    library = load(build({"model.c": text}, CORE_SOURCES))
    with NativeSearch(library, model, CoreLimits(workers=2)) as search:
        search.add_initial([0, 0])
        report = search.run()

The meaning of a state's words is known to the model only.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from array import array
from collections.abc import Iterator, Sequence
from ctypes import c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from gristmill.search.budget.memory import resident_bytes
from gristmill.search.core.errors import CheckpointError
from gristmill.search.core.interface import (
    CORE_FOLDER,
    CORE_SOURCES,
    NO_ACTION,
    NO_STATE,
    REASONS,
    GmEdges,
    GmIncident,
    GmLimits,
    GmModel,
    GmProgress,
    GmReport,
    GmTally,
    Limit,
    Mark,
    Outcome,
    Resumed,
    declare,
)
from gristmill.search.progress import OnProgress, Progress
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import start_with_deep_stack

__all__ = [
    "CORE_FOLDER",
    "CORE_SOURCES",
    "CheckpointError",
    "CoreEdges",
    "CoreLimits",
    "CoreReport",
    "GmModel",
    "Incident",
    "Limit",
    "Mark",
    "NativeSearch",
    "Outcome",
    "Tally",
    "damaged",
    "declare",
]

_TICK = 0.2  # seconds between two looks at the progress


@dataclass(frozen=True, slots=True)
class CoreLimits:
    """`gm_limits`. `memory`: bytes for states, table and what the model takes; beyond that, states go to a file in
    `spill_directory`.
    """

    workers: int = 1
    depth: int | None = None
    seconds: float | None = None
    memory: int | None = None
    spill_directory: Path | None = None
    checkpoint_directory: Path | None = None
    checkpoint_seconds: float = 600.0
    keep_going: bool = False
    fingerprints_only: bool = False
    each_unmet: bool = False
    foreign_parents: bool = False


@dataclass(frozen=True, slots=True)
class CoreReport:
    """`gm_report`: how it ended, and the counts, as `breadth_first` counts."""

    outcome: Outcome
    parent: int | None  # the state at which it ended; None if it did not end at one
    action: int | None
    state: int | None  # the refused one, if it is stored
    distinct: int
    generated: int
    depth: int
    queue: int
    cut: int
    initial_generated: int
    initial_distinct: int
    expanded: int
    limit: Limit
    incidents: int
    level: int  # of the states expanded last; 0 before


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that is wrong with a state, or with a step to it. `words`: of the refused state, if there is one."""

    kind: Outcome
    parent: int
    action: int | None
    state: int | None
    words: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Tally:
    """Incidents of a kind that have a reason in common. `reason`: a bit of the model's, or an action if UNMET."""

    first: int  # the number of the first such incident
    kind: Outcome
    reason: int
    count: int


@dataclass(frozen=True, slots=True)
class CoreEdges:
    """Edges from state s < expanded are number `first[s]` … `first[s + 1] - 1`. Views of memory of the core."""

    first: memoryview
    targets: memoryview
    actions: memoryview


def damaged(folder: Path | None) -> str:
    return f"the checkpoint in {folder} is damaged, or of another version of Gristmill: begin anew, without --resume"


class NativeSearch:
    """One search by the core. What `model` refers to must live as long as this: `owner` is kept for that."""

    def __init__(
        self, library: ctypes.CDLL, model: GmModel, limits: CoreLimits | None = None, *, owner: object = None
    ) -> None:
        self._library = declare(library)
        self.model = model
        self._owner = owner
        self._done = threading.Event()
        self._done.set()  # nothing runs
        self._pausing = False
        self._limits = limits or CoreLimits()
        self._c_limits = _c_limits(self._limits)
        if self._limits.checkpoint_directory is not None:
            self._limits.checkpoint_directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._core: int | None = library.gm_core_new(ctypes.byref(model), ctypes.byref(self._c_limits))
        if not self._core:
            raise MemoryError("there is no memory for a search")
        self._started = time.monotonic()

    def __enter__(self) -> NativeSearch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._end()
        if self._core:
            self._library.gm_core_free(self._core)
            self._core = None

    @property
    def handle(self) -> int:
        """The `gm_core`, for those who speak to it from C."""
        assert self._core is not None
        return self._core

    # ---------------------------------------------------------------------------------------------- before the run

    def add_initial(self, words: Sequence[int], marks: int = 0) -> bool:
        """Whether it is new. Invariants of it are the caller's affair."""
        return self._added(self._library.gm_add_initial(self._core, self._vector(words), marks))

    def add_known(self, words: Sequence[int], parent: int | None, action: int | None, level: int) -> bool:
        """A state that another search has found, in the order in which it has."""
        who = NO_STATE if parent is None else parent
        how = NO_ACTION if action is None else action
        return self._added(self._library.gm_add_known(self._core, self._vector(words), who, how, level))

    def continue_at(self, expanded: int, generated: int, cut: int, taken: Sequence[int], found: Sequence[int]) -> None:
        """What the other search had done by then."""
        counts = c_uint64 * len(taken)
        self._library.gm_continue_at(self._core, expanded, generated, cut, counts(*taken), counts(*found))

    def resume(self) -> bool:
        """Take up the checkpoint in the checkpoint directory; False if there is none.

        `CheckpointError`: it is damaged, or of another model, and this search cannot be used.
        """
        answer = Resumed(self._library.gm_resume(self._core))
        folder = self._limits.checkpoint_directory
        match answer:
            case Resumed.NO_MEMORY:
                raise MemoryError("there is no room for the states of the checkpoint")
            case Resumed.DAMAGED:
                raise CheckpointError(damaged(folder))
            case Resumed.OTHER:
                raise CheckpointError(f"the checkpoint in {folder} is of another specification or configuration")
        return answer is Resumed.DONE

    # ------------------------------------------------------------------------------------------------------ the run

    def allow(self, seconds: float | None, states: int | None = None) -> None:
        """How long the next run may take, and after how many states it ends, at the end of a level.

        A run that this or an interrupt has ended goes on where it was.
        """
        self._library.gm_allow(self._core, seconds or 0.0, states or 0)

    def run(self, on_progress: OnProgress | None = None) -> CoreReport:
        """Search to the end. `on_progress` is called some times a second. Ctrl-C ends it, with `INTERRUPTED`."""
        self._done = threading.Event()
        self._pausing = False
        thread = threading.Thread(target=self._work, args=(self._done,), name="gristmill-search")
        try:  # Ctrl-C may come between any two instructions
            self._start(thread)
            while not self._done.wait(_TICK):
                if on_progress is not None:
                    on_progress(self.progress())
            thread.join()
        except BaseException as error:
            self._pausing = False
            self._end()
            if not isinstance(error, KeyboardInterrupt):
                raise
        return self.report()

    def _start(self, thread: threading.Thread) -> None:
        """It asks the reference evaluator, which may recurse as deeply there as elsewhere."""
        try:
            start_with_deep_stack(thread)
        except MemoryError:
            self._done.set()  # no worker will
            raise

    def _work(self, done: threading.Event) -> None:
        try:
            self._library.gm_run(self._core)
        finally:
            done.set()

    def _end(self) -> None:
        """Nothing else may happen as long as the core runs, however often Ctrl-C is pressed.

        (`Thread.join` cannot be trusted here: after Ctrl-C it takes a thread that runs for one that has ended.)
        """
        while not self._done.is_set():
            try:
                self.interrupt()
                self._done.wait()
            except KeyboardInterrupt:
                continue

    def pause(self) -> None:
        """From `on_progress`: end this run, so that another one goes on."""
        self._pausing = True
        self.interrupt()

    @property
    def is_paused(self) -> bool:
        """Whether the last run ended because of `pause`, and of nothing else."""
        return self._pausing and self.report().outcome is Outcome.INTERRUPTED

    @property
    def has_ended(self) -> bool:
        """From `on_progress`: whether the run has come to its end meanwhile."""
        return self._done.is_set()

    def interrupt(self) -> None:
        """From any thread: stop soon."""
        self._library.gm_interrupt(self._core)

    def progress(self) -> Progress:
        now = GmProgress()
        self._library.gm_read_progress(self._core, ctypes.byref(now))
        seconds = time.monotonic() - self._started
        return Progress(now.distinct, now.generated, now.queue, now.depth, seconds, resident_bytes())

    @property
    def bytes(self) -> int:
        """Of states and table, in memory."""
        now = GmProgress()
        self._library.gm_read_progress(self._core, ctypes.byref(now))
        return int(now.bytes)

    # ------------------------------------------------------------------------------------------------ what was found

    def report(self) -> CoreReport:
        raw = GmReport()
        self._library.gm_read_report(self._core, ctypes.byref(raw))
        return CoreReport(
            outcome=Outcome(raw.outcome),
            parent=_number(raw.parent),
            action=_action(raw.action) if raw.parent != NO_STATE else None,
            state=_number(raw.state),
            distinct=raw.distinct,
            generated=raw.generated,
            depth=raw.depth,
            queue=raw.queue,
            cut=raw.cut,
            initial_generated=raw.initial_generated,
            initial_distinct=raw.initial_distinct,
            expanded=raw.expanded,
            limit=Limit(raw.limit),
            incidents=raw.incidents,
            level=raw.level,
        )

    def incidents(self) -> Iterator[Incident]:
        """What is wrong, in order; more than one only with `keep_going`."""
        for number in range(self.report().incidents):
            yield self.incident(number)

    def incident(self, number: int) -> Incident:
        raw = GmIncident()
        if self._library.gm_read_incident(self._core, number, ctypes.byref(raw)) != 0:
            raise IndexError(f"there is no incident {number}")
        words = self._words(self._library.gm_incident_state(self._core, number))
        return Incident(Outcome(raw.kind), raw.parent, _action(raw.action), _number(raw.state), words)

    def tallies(self) -> list[Tally] | None:
        """Incidents by kind and reason, in the order of their first. None if the model has not told all reasons."""
        found = []
        for kind in Outcome:
            rows = (GmTally * max(REASONS, self.model.actions))()
            if self._library.gm_tally_incidents(self._core, kind, rows):
                return None
            found += [Tally(row.first, kind, reason, row.count) for reason, row in enumerate(rows) if row.count]
        return sorted(found, key=lambda each: (each.first, each.reason))

    def state(self, number: int) -> tuple[int, ...]:
        words = self._stored(number)
        if words is None:
            raise IndexError(f"there is no state {number}, or only its fingerprint was kept")
        return words

    def _stored(self, number: int) -> tuple[int, ...] | None:
        """None if only its fingerprint was kept."""
        room = (c_uint32 * max(1, self.model.words))()
        return self._words(self._library.gm_state(self._core, number, room))

    def parent(self, number: int) -> int | None:
        return _number(self._library.gm_parent(self._core, number))

    def action(self, number: int) -> int | None:
        return _action(self._library.gm_action(self._core, number))

    def path(self, number: int) -> list[tuple[int | None, tuple[int, ...]]]:
        """Actions and states from an initial state to this one."""
        numbers: list[int] = []
        at: int | None = number
        while at is not None:
            numbers.append(at)
            at = self.parent(at)
        path: list[tuple[int | None, tuple[int, ...]]] = []
        for each in reversed(numbers):
            known = self._stored(each)
            path.append((self.action(each), known if known is not None else self._follow(path[-1][1], each)))
        return path

    def _follow(self, parent: Sequence[int], number: int) -> tuple[int, ...]:
        """A state of which only the fingerprint was kept."""
        words = (c_uint32 * max(1, self.model.words))()
        if self._library.gm_follow(self._core, self._vector(parent), number, words) != 0:
            raise RuntimeError(f"state {number} is no successor of its parent: the model contradicts itself")
        return tuple(words[: self.model.words])

    def find(self, words: Sequence[int]) -> int | None:
        return _number(self._library.gm_find(self._core, self._vector(words)))

    def level_start(self, level: int) -> int:
        return int(self._library.gm_level_start(self._core, level))

    def collision_odds(self) -> tuple[float, float] | None:
        """How likely it is that two states had the same fingerprint, so that one was not explored. Two estimates.

        From the counts, which takes fingerprints for random, and from how close two of them came. None if states
        were compared themselves: then it is impossible.
        """
        if not self._limits.fingerprints_only:
            return None
        report, gap = self.report(), int(self._library.gm_fingerprint_gap(self._core))
        counted = report.distinct * (report.generated - report.distinct) / 2**64
        return counted, (1 / gap if gap > 0 else 0.0)

    @property
    def taken(self) -> array[int]:
        """States generated, by action."""
        return array("Q", self._library.gm_taken(self._core)[: self.model.actions])

    @property
    def found(self) -> array[int]:
        """New states, by action."""
        return array("Q", self._library.gm_found(self._core)[: self.model.actions])

    def edges(self) -> CoreEdges:
        raw = GmEdges()
        self._library.gm_read_edges(self._core, ctypes.byref(raw))
        count, expanded = raw.count, self.report().expanded
        return CoreEdges(
            _view(raw.first, c_uint64, expanded + 1),
            _view(raw.targets, c_uint32, count),
            _view(raw.actions, _NUMBERS.get(raw.action_bytes, c_uint32), count),
        )

    # ---------------------------------------------------------------------------------------------------- conversions

    def _vector(self, words: Sequence[int]) -> ctypes.Array[c_uint32]:
        if len(words) != self.model.words:
            raise ValueError(f"a state has {self.model.words} words, not {len(words)}")
        return (c_uint32 * max(1, len(words)))(*words)

    def _words(self, pointer: Any) -> tuple[int, ...] | None:
        return tuple(pointer[: self.model.words]) if pointer else None

    def _added(self, answer: int) -> bool:
        if answer < 0:
            raise MemoryError("there is no room for a state, or it has no key")
        return answer == 1


def _number(value: int) -> int | None:
    return None if value == NO_STATE else value


def _action(value: int) -> int | None:
    return None if value >= (1 << 24) - 1 else value


_NUMBERS: dict[int, Any] = {1: c_uint8, 2: c_uint16, 4: c_uint32}  # by bytes; without edges there are none
_CODES: dict[Any, Literal["B", "H", "I", "Q"]] = {c_uint8: "B", c_uint16: "H", c_uint32: "I", c_uint64: "Q"}


def _view(pointer: Any, kind: Any, count: int) -> memoryview:
    code = _CODES[kind]
    if not pointer:
        return memoryview(b"").cast(code)
    address = ctypes.cast(pointer, c_void_p).value
    assert address is not None
    return memoryview((kind * count).from_address(address)).cast("B").cast(code)


def _c_limits(limits: CoreLimits) -> GmLimits:
    return GmLimits(
        workers=limits.workers,
        max_depth=limits.depth or 0,
        seconds=limits.seconds or 0.0,
        memory=limits.memory or 0,
        spill_directory=_path(limits.spill_directory),
        checkpoint_directory=_path(limits.checkpoint_directory),
        checkpoint_seconds=limits.checkpoint_seconds,
        keep_going=limits.keep_going,
        fingerprints_only=limits.fingerprints_only,
        each_unmet=limits.each_unmet,
        foreign_parents=limits.foreign_parents,
    )


def _path(path: Path | None) -> bytes | None:
    return None if path is None else os.fsencode(path)
