"""What a batch of runs came to: numbers that can be added up, whichever process counted them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gristmill.controlled.errors import Uncontrolled
from gristmill.controlled.run import Run


@dataclass(frozen=True, slots=True)
class FailedRun:
    """`run` is there only in the process in which it took place; elsewhere its events make it happen again."""

    number: int
    seed: int
    kind: str
    events: tuple[str, ...]
    run: Run | None = None


@dataclass(slots=True)
class Tally:
    runs: int = 0
    events: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    schedules: set[bytes] = field(default_factory=set)
    orders: set[bytes] = field(default_factory=set)
    failing_runs: Counter[str] = field(default_factory=Counter)
    uncontrolled: dict[str, Uncontrolled] = field(default_factory=dict)
    blocked: bool = False  # the search ended at something that is not controlled
    outside: set[str] = field(default_factory=set)
    unsteady: list[str] = field(default_factory=list)

    def note(self, run: Run) -> None:
        self.runs += 1
        self.events += len(run.events)
        self.outcomes[run.outcome] += 1
        self.faults.update(run.faults)
        self.schedules.add(run.digest)
        self.orders.add(run.order)
        self.outside |= run.outside
        if run.violation is not None:
            self.failing_runs[run.violation.kind] += 1
        for found in run.uncontrolled:
            self.uncontrolled.setdefault(str(found), found)

    def add(self, other: Tally) -> None:
        self.runs += other.runs
        self.events += other.events
        self.outcomes += other.outcomes
        self.faults += other.faults
        self.schedules |= other.schedules
        self.orders |= other.orders
        self.failing_runs += other.failing_runs
        self.uncontrolled = {**other.uncontrolled, **self.uncontrolled}
        self.blocked |= other.blocked
        self.outside |= other.outside
        self.unsteady += other.unsteady


# The choices of a run that were varied: which was taken, and among how many.
Choices = tuple[list[int], list[int]]


@dataclass(slots=True)
class BatchResult:
    tally: Tally = field(default_factory=Tally)
    failed: list[FailedRun] = field(default_factory=list)  # the first of each kind
    choices: list[Choices] = field(default_factory=list)  # of each run, where a search goes on from them
    stopped: str | None = None  # why not all runs of the batch have taken place

    def without_runs(self) -> BatchResult:
        """What can be sent to another process."""
        return replace(self, failed=[replace(one, run=None) for one in self.failed])


@dataclass(frozen=True, slots=True)
class Batch:
    """Runs number `first` … of a search; the prefixes of their choices, where these are varied."""

    first: int
    size: int
    prefixes: Sequence[tuple[int, ...]] = ()
