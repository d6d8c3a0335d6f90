"""What came of following a log: how far a specification goes along with it, and why it goes no further."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.replay.logs.lines import Line
from gristmill.search.verdict import EXIT_CODES, Verdict
from gristmill.search.weave import Difference, Lack, Repair
from gristmill.source import Diagnostic
from gristmill.trace import Explanation, Step, Trace

Status: TypeAlias = Literal["matched", "left", "unknown", "error"]


@dataclass(frozen=True, slots=True)
class FileMatch:
    """A file: how many of its lines are events, how many of these fit, and the number of the last line that does.

    `left_out`: how many lines are no events, by why.
    """

    path: str
    events: int
    matched: int
    last_line: int | None
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class NearestStep:
    """A behaviour's state before an event, the steps that come nearest to it, and what is different then."""

    state: Step
    steps: tuple[Step, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class StuckLine:
    """A line that may come next and that nothing fits. `states`: in how many; `looked_into`: those `lacks` speak of."""

    line: Line
    actions: tuple[str, ...]  # what it may be: `A`, or `A \\cdot B`
    states: int
    looked_into: int
    lacks: tuple[Lack, ...]
    nearest: NearestStep | None


@dataclass(frozen=True, slots=True)
class LogRepair:
    """A small change of the log after which more of it fits; see `search.weave.Repair`. `stuck`: where it leaves."""

    line: Line
    stuck: Line
    repair: Repair
    other: Line | None = None
    step: Step | None = None


@dataclass(frozen=True, slots=True)
class LogDeparture:
    """Where the log leaves the specification; if that is not known, how far the search has come.

    `states`: how many states fit what comes before, at `positions` different places; `never`: of each file that no
    behaviour gets through, the first line that none gets past.
    """

    states: int
    positions: int
    stuck: tuple[StuckLine, ...]
    repairs: tuple[LogRepair, ...]
    never: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class BrokenInvariant:
    """An invariant that is false in behaviours that fit: `by` all of them, or some.

    `number`: of the first such state in the trace of the result, from 0, after `line`; None if that trace keeps it.
    """

    name: str
    by: Literal["all", "some"]
    number: int | None = None
    line: Line | None = None
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class LogResult:
    """
    - `status`: "matched" if some behaviour fits the whole log; "left" if none does; "unknown" if none was found, and
      not all were tried; "error" if something could not be evaluated (`diagnostics`).
    - `verdict`: "ok"; "property" if it is no behaviour of the specification; "invariant" if all that fit violate one;
      "incomplete" if that is not known; "error", "assert".
    - `trace`: a behaviour that fits `matched` events, with the lines that tell of each of its states.
    - `pairs`: how many pairs of a place in the log and a state were looked at.
    """

    specification: str
    status: Status
    verdict: Verdict
    message: str
    files: tuple[FileMatch, ...]
    events: int
    matched: int
    pairs: int
    seconds: float
    trace: Trace
    lines: tuple[tuple[Line, ...], ...]
    departure: LogDeparture | None = None
    broken: tuple[BrokenInvariant, ...] = ()
    caveats: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        return self.verdict == "ok"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    @property
    def property(self) -> str | None:
        """What does not hold."""
        if self.verdict == "invariant":
            return next((each.name for each in self.broken if each.by == "all"), self.broken[0].name)
        return self.specification if self.verdict == "property" else None
