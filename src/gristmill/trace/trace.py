"""A behaviour: states, and the actions between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gristmill.source import Span
from gristmill.values import World, current_or_new


@dataclass(frozen=True, slots=True)
class Step:
    """A state, and the action that led to it.

    `action` is None for an initial state. `parameters` are the values the action was taken with, in the order in which
    the specification binds them. `state` maps the name of each variable to its value. `algorithm` is where the step
    stands in the PlusCal algorithm, if it comes from one.
    """

    state: Mapping[str, Any]
    action: str | None = None
    parameters: tuple[tuple[str, Any], ...] = ()
    location: Span | None = None
    algorithm: Span | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A finite behaviour or a lasso.

    - `loop_start`: the last step is followed by step number `loop_start` (from 0) again, and so on for ever.
    - `stuttering`: nothing happens any more after the last step.
    - `world`: the run that the values belong to; show them while it is active.
    """

    variables: tuple[str, ...]
    steps: tuple[Step, ...]
    loop_start: int | None = None
    stuttering: bool = False
    world: World = field(default_factory=current_or_new, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def changed(self, number: int) -> frozenset[str]:
        """The variables whose value in step `number` (from 0) is not the one before: none in an initial state."""
        if number == 0:
            return frozenset()
        before, after = self.steps[number - 1].state, self.steps[number].state
        return frozenset(name for name, value in after.items() if name not in before or before[name] != value)
