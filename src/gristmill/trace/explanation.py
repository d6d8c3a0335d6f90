"""Why a formula has the truth value it has, and why an action cannot be taken: plain data, for every kind of report."""

from __future__ import annotations

from typing import Literal

from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass

# Names or expressions with their values, all as text: some values make sense only in the state they were computed in.
Shown = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A formula, and the parts of it that decide its truth.

    - `text`: the formula as it is written, on one line; `truth`: None if it could not be evaluated.
    - `bindings`: the values of the names that are bound around it, here.
    - `values`: what its subexpressions are.
    - `note`: what else there is to say.
    """

    text: str
    truth: bool | None
    span: Span | None = None
    bindings: Shown = ()
    values: Shown = ()
    note: str | None = None
    parts: tuple[Explanation, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocked:
    """An action that is not possible in a state: what is false for which parameters, in how many cases (`count`)."""

    action: str
    guard: Explanation
    parameters: Shown = ()
    count: int = 1
    location: Span | None = None


@dataclass(frozen=True, slots=True)
class Fairness:
    """How a behaviour that repeats itself meets a fairness condition: `WF_v(A)`, or `SF_v(A)`, as `text`.

    `taken`: the states of the loop, numbered from 1, in which a step of A begins. `disabled`: those in which no step of
    A is possible. There is one of the first, or, of weak fairness, of the second; strong fairness without steps of A is
    met only if A is disabled in all.
    """

    kind: Literal["WF", "SF"]
    text: str
    bindings: Shown
    taken: tuple[int, ...]
    disabled: tuple[int, ...]
    location: Span | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """An action that is possible in a state of the loop, numbered from 1, and is not what happens there."""

    state: int
    action: str
    location: Span | None = None
    parameters: Shown = ()


@dataclass(frozen=True, slots=True)
class Remedy:
    """A fairness condition that would exclude a behaviour that repeats itself: `WF_vars(A)`, or `SF_vars(A)`.

    `bindings`: of which A that is meant, if others are taken. `possible`: the states of the loop, numbered from 1, in
    which such a step is possible; none of its steps is one.
    """

    text: str
    bindings: Shown
    possible: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mapped:
    """A variable of a more abstract specification: its value, as text, before and after a step.

    In a state that was not reached by a step, or where the step does not matter, `before` is None.
    """

    name: str
    before: str | None
    after: str
