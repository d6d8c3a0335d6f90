"""What an exploration found, and what it was asked to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from gristmill.explore.model import Transition
from gristmill.explore.views import Violation
from gristmill.search.budget.deadline import Deadline
from gristmill.search.budget.limits import LimitReached
from gristmill.search.progress import OnProgress, Progress
from gristmill.search.verdict import EXIT_CODES, Verdict
from gristmill.trace.schedule import Event, Failure, FailureKind, Schedule

_TELL_EVERY = 0.2  # seconds
SearchName = Literal["dfs", "stateless", "bfs", "dbss", "random", "pct", "deepening"]
# Of failures. A property that must hold where a run ends, or of its history, is as false as an invariant.
VERDICTS: dict[FailureKind, Verdict] = {
    "invariant": "invariant",
    "end": "invariant",
    "linearizability": "invariant",
    "eventually": "liveness",
    "assertion": "assert",
    "exception": "error",
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """When to give up. What is cut off makes the verdict `incomplete`, or `ok` for the runs that were sampled."""

    depth: int | None = None
    states: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Counts:
    """`distinct` states stored (of stateless searches: visited), `pushes` onto the search stack."""

    distinct: int = 0
    transitions: int = 0
    depth: int = 0
    runs: int = 0
    pushes: int = 0
    handler_runs: int = 0
    bytes_per_state: float | None = None


@dataclass(slots=True)
class Result:
    verdict: Verdict
    search: str
    counts: Counts
    failure: Failure | None = None
    seconds: float = 0.0
    engine: str = "python"
    caveats: list[str] = field(default_factory=list)
    auxiliary: list[str] = field(default_factory=list)  # the fields that states are not told apart by

    @property
    def ok(self) -> bool:
        return self.verdict == "ok"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]


def verdict_of(failure: Failure | None, stopped: Sequence[str] = ()) -> Verdict:
    if failure is not None:
        return VERDICTS[failure.kind]
    return "incomplete" if stopped else "ok"


class Found(Exception):
    """Ends a search."""

    def __init__(self, violation: Violation | None, path: Sequence[Transition], loop: int | None = None) -> None:
        super().__init__(violation, tuple(path), loop)  # as they are, so that workers can send it
        self.violation, self.path, self.loop = violation, tuple(path), loop


class Meter:
    """Counts, and stops a search at its bounds."""

    def __init__(self, bounds: Bounds, deadline: Deadline | None = None, on_progress: OnProgress | None = None) -> None:
        self.bounds = bounds
        self.counts = Counts()
        self.deadline = deadline or Deadline(bounds.seconds)
        self.on_progress = on_progress
        # raises `LimitReached` if the search has to stop
        self.clock = self.deadline.check if on_progress is None else self._clock_and_tell
        self.cut: list[str] = []
        self._told = self.deadline.elapsed

    def _clock_and_tell(self) -> None:
        self.deadline.check()
        now = self.deadline.elapsed
        if self.on_progress is not None and now - self._told >= _TELL_EVERY:
            self._told = now
            counts = self.counts
            self.on_progress(Progress(counts.distinct, counts.transitions, 0, counts.depth, now, 0, self._runs()))

    def _runs(self) -> str | None:
        return f"{self.counts.runs:,} runs" if self.counts.runs else None

    def state(self) -> None:
        self.counts.distinct += 1
        if self.bounds.states is not None and self.counts.distinct > self.bounds.states:
            self.counts.distinct -= 1
            self.stop_at_states()
        self.clock()

    def stop_at_states(self) -> None:
        raise LimitReached(f"stopped after {self.bounds.states} states")

    def at_depth(self, depth: int) -> None:
        self.counts.depth = max(self.counts.depth, depth)

    def too_deep(self, depth: int) -> bool:
        """Whether a path of so many transitions, which could go on, is not to be followed any further."""
        if self.bounds.depth is None or depth < self.bounds.depth:
            return False
        note = f"runs were cut off after {self.bounds.depth} steps"
        if note not in self.cut:
            self.cut.append(note)
        return True

    def again(self, bounds: Bounds | None = None) -> Meter:
        """For another search: what is left of the time is all that it has."""
        return Meter(bounds or self.bounds, self.deadline, self.on_progress)


def failure_of(found: Found) -> Failure:
    """A failure without its steps; `replay` fills them in."""
    events: tuple[Event, ...] = tuple(transition.event for transition in found.path)
    problem = next((transition.problem for transition in found.path if transition.problem), None)
    if problem is not None:
        last = found.path[-1].event
        return Failure(problem.kind, f"{last.process}.{last.name}", problem.message, Schedule(events))
    assert found.violation is not None
    violation = found.violation
    return Failure(violation.kind, violation.name, violation.message, Schedule(events), loop=found.loop)
