"""What `compose verify` found: plain data, for every kind of report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gristmill.compose.system import Composition
from gristmill.search.result import Result
from gristmill.source import Diagnostic
from gristmill.trace import Blocked, Shown, Trace

Condition = Literal[
    "O0",  # the same initial states
    "O1",  # reads
    "O2",  # frames: who writes what another module keeps to itself
    "O3",  # steps
    "bounds",  # no constraint, no symmetry
    "ghosts",
    "variables",
    "IPA",  # conditions of the papers, by the letter
    "Remix",
]
Severity = Literal["rejects", "undecided", "told"]
Outcome = Literal["proven", "rejected", "incomplete"]

EXIT_CODES: dict[Outcome, int] = {"proven": 0, "incomplete": 3, "rejected": 13}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a grain, or cannot be decided, or is worth telling.

    `unit`: whose coarse grain it is about; None if it is about the system.
    """

    condition: Condition
    severity: Severity
    unit: str | None
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Change:
    """A variable in a step, as text: before, after the fine step, after the coarse one (None: not asked)."""

    variable: str
    before: str
    fine: str
    coarse: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A coarse action that a step might have been: it is not possible there, or it leads elsewhere.

    `blocked`: why not possible; `parameters` and `differences`: of the coarse step that comes nearest.
    """

    action: str
    blocked: tuple[Blocked, ...] = ()
    parameters: Shown = ()
    differences: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class FailingStep:
    """A step of a fine action that is no step of its coarse grain, and that others can see. The last one of `trace`."""

    unit: str
    action: str
    parameters: Shown
    changes: tuple[Change, ...]
    candidates: tuple[Candidate, ...]
    trace: Trace


@dataclass(frozen=True, slots=True)
class Mapped:
    """What steps of a fine action were found to be: coarse actions, in the order of the grain, or nothing visible."""

    action: str
    to: tuple[str, ...]
    invisible: bool
    given: bool  # by the manifest
    taken: int  # how many steps there were


@dataclass(frozen=True, slots=True)
class UnitResult:
    """One module (or several with one coarse grain) at its fine grain, in a composition with all others coarse.

    `observed`: what others can see of it, as texts; `internal`: what only it reads; `foreign`: variables that only
    others read and that it writes. `explored`: the search of the composition; None if there could be none.
    """

    name: str
    modules: tuple[str, ...]
    fine: tuple[str, ...]
    coarse: str
    composition: Composition | None
    observed: tuple[str, ...] = ()
    internal: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    explored: Result | None = None
    action_map: tuple[Mapped, ...] = ()
    unused: tuple[str, ...] = ()  # coarse actions that no fine step was
    failures: tuple[FailingStep, ...] = ()
    violated: Mapping[str, Result] = field(default_factory=dict)  # invariants of the composition, with a behaviour


@dataclass(frozen=True, slots=True)
class InvariantResult:
    """Of the whole system: `in_`: the compositions that it was checked in. `holds`: None if nothing follows."""

    name: str
    holds: bool | None
    in_: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """`argument`: what follows and why, in sentences."""

    system: str
    constants: Shown
    outcome: Outcome
    units: tuple[UnitResult, ...]
    findings: tuple[Finding, ...]
    invariants: tuple[InvariantResult, ...]
    argument: tuple[str, ...]
    seconds: float = 0.0
    more: Mapping[str, Any] = field(default_factory=dict)  # of other strengths: traces, summaries

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]
