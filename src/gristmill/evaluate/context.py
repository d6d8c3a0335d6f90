"""What one run shares: the state it looks at, the state it builds, and its effects on the world."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, Final

from gristmill.library.permissions import NOTHING_ALLOWED, Permissions
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import EvaluationError, Value, make_record, show


class Unassigned(Enum):
    """The value of a variable that has none yet. An enumeration, so that `is UNASSIGNED` tells mypy what is left."""

    UNASSIGNED = "UNASSIGNED"

    def __repr__(self) -> str:
        return "UNASSIGNED"


UNASSIGNED: Final = Unassigned.UNASSIGNED

State = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Warning:
    """Something that is no error, but worth telling once."""

    id: str
    message: str
    span: Any = None


def _print(text: str) -> None:
    print(text, flush=True)


def _ignore(warning: Warning) -> None:
    pass


def _perform(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


def _nothing_known(name: str) -> Value:
    raise EvaluationError("unknown-statistic", f'TLCGet("{name}") has no value here')


def _no_request(name: str, value: Value) -> None:
    pass


def _no_trace() -> Sequence[State]:
    raise EvaluationError("no-trace", "Trace has no value here: no behaviour leads to this evaluation")


def _no_counterexample() -> Value:
    return make_record({"action": frozenset(), "state": frozenset()})


def _no_definition(name: str) -> Value:
    raise EvaluationError("unknown-definition", f"there is no definition {name} without parameters to evaluate")


@dataclass(eq=False)
class Context:
    """`current` and `next` stay the same lists, so that compiled code can hold on to them.

    `reads` counts the readings of variables whose value may still change while an action is solved. Who evaluates
    something and finds the count unchanged may keep the result.
    """

    variable_names: Sequence[str] = ()
    output: Callable[[str], None] = _print  # Print, PrintT
    warn: Callable[[Warning], None] = _ignore
    statistic: Callable[[str], Value] = _nothing_known  # TLCGet("level") and its like
    request: Callable[[str, Value], None] = _no_request  # TLCSet("exit", TRUE)
    trace: Callable[[], Sequence[State]] = _no_trace  # Trace: the states up to the current one
    counterexample: Callable[[], Value] = _no_counterexample  # CounterExample
    definition: Callable[[str], Value] = _no_definition  # TLCEvalDefinition
    permissions: Permissions = NOTHING_ALLOWED
    seed: int | None = None
    registers: dict[Value, Value] = field(default_factory=dict)  # TLCGet, TLCSet
    started: float = field(default_factory=time.time)

    def __post_init__(self) -> None:
        count = len(self.variable_names)
        self.current: list[Any] = [UNASSIGNED] * count
        self.next: list[Any] = [UNASSIGNED] * count
        self.blank: tuple[Any, ...] = (UNASSIGNED,) * count
        self.own: list[Any] = []  # next values inside ENABLED that no variable of the specification has
        self.enabling = 0  # how many ENABLED are being evaluated, one inside the other
        self.reads: list[int] = [0]
        self.action = 0  # the number of the action whose disjunct was come to last, while the next state is sought
        self.intermediate = 0  # states between the two actions of \\cdot: TLC counts them as generated
        self.random = random.Random(self.seed)
        self.perform: Callable[..., Any] = _perform  # something is done outside, or depends on that
        self._warned: set[tuple[str, object]] = set()

    def outside(self, function: Callable[..., Any], *args: Any) -> Any:
        """Hook for external effects; `Journal` replaces `perform`."""
        return self.perform(function, *args)

    def reserve(self, index: int) -> None:
        """Make sure that there is a place for a next value inside ENABLED, also in the one being evaluated."""
        while len(self.variable_names) + len(self.own) <= index:
            self.own.append(UNASSIGNED)
        if self.enabling:
            self.next.extend([UNASSIGNED] * (index + 1 - len(self.next)))

    def warn_once(self, id: str, message: str, span: object) -> None:
        if (id, span) not in self._warned:
            self._warned.add((id, span))
            self.warn(Warning(id, message, span))

    def warn_outside_domain(self, function: Value, argument: Value, span: object) -> None:
        """EXCEPT at an argument outside the domain leaves the function as it is; TLC warns, and so do we."""
        if ("except-outside-domain", span) not in self._warned:
            message = f"EXCEPT changes nothing: {show(argument)} is not in the domain of {show(function)}"
            self.warn_once("except-outside-domain", message, span)
