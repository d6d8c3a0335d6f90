"""What came of replaying a trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gristmill.replay.difference import Difference
from gristmill.replay.driver import Failure

Kind: TypeAlias = Literal["differs", "never-came", "unexpected", "failed", "start"]

KINDS: dict[Kind, str] = {
    "differs": "a variable has another value",
    "never-came": "an action never came",
    "unexpected": "something came that the model does not enable",
    "failed": "the system failed",
    "start": "the system did not get to the initial state",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A variable of a node (or of the whole system) as the model has it and as it was observed. Values as text."""

    variable: str
    node: str | None
    model: str
    real: str
    equal: bool
    reading: str = ""  # the path that it was read by
    differences: tuple[Difference, ...] = ()  # inside of the values


@dataclass(frozen=True, slots=True)
class Moved:
    """What the coordinator did, in words: an actor from one point to another, a fault, an operation."""

    what: Literal["release", "await", "fault", "call", "open", "hold", "settle"]
    node: str | None
    text: str
    other: str | None = None  # the node that a message came from, or that a link was cut to
    message: str = ""


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """Where the system does not do what the model says.

    - `comparisons`: what differs. `waiting`: what was held instead; `doing`: what every thread or link was doing.
    """

    kind: Kind
    step: int  # 0: the initial state
    action: str
    message: str
    node: str | None = None
    variable: str | None = None
    comparisons: tuple[Comparison, ...] = ()
    waiting: tuple[str, ...] = ()
    doing: tuple[str, ...] = ()
    failure: Failure | None = None

    @property
    def signature(self) -> tuple[str, ...]:
        """What makes two discrepancies the same one, in different traces."""
        return self.kind, self.action.partition("(")[0], self.variable or "", self.failure.kind if self.failure else ""


@dataclass(frozen=True, slots=True)
class StepRun:
    """A step of the trace, as it was replayed."""

    number: int
    action: str
    moves: tuple[Moved, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    run_seconds: float = 0.0
    observe_seconds: float = 0.0
    own_seconds: float = 0.0  # of ours, without waiting for the system
    unexpected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One trace on the system. `conforms`: the system did all of it, and every observed variable agreed.

    `initial`: the comparison with the initial state, before the first step.
    """

    name: str
    steps: tuple[StepRun, ...]
    discrepancy: Discrepancy | None = None
    length: int = 0  # steps of the trace
    seconds: float = 0.0
    start_seconds: float = 0.0
    failures: tuple[Failure, ...] = field(default=())
    initial: tuple[Comparison, ...] = ()

    @property
    def conforms(self) -> bool:
        return self.discrepancy is None
