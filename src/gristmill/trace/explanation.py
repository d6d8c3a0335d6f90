"""Why a formula has the truth value it has, and why an action cannot be taken: plain data, for every kind of report."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.source import Span

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
