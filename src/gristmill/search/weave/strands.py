"""What several observers have seen of one behaviour, each in an order of its own.

A *strand* is what one of them has seen: events, in the order in which they happened. Between strands there may be no
order, or a partial one. What holds the strands together is one behaviour of a model, in which all events happen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gristmill.search.observation import same

Values: TypeAlias = tuple[Any, ...]  # of the variables of a model
Position: TypeAlias = tuple[int, ...]  # how many events of each strand have happened


@dataclass(frozen=True, slots=True)
class NoValue:
    """What is observed has no value in a state, and so not the one that was observed."""

    why: str

    def __str__(self) -> str:
        return f"(no value: {self.why})"


@dataclass(frozen=True, slots=True)
class Claim:
    """Something was seen to have the value `wanted`. `own` finds the one that it has in a state: it raises nothing.

    `reads`: the variables that it looks at, by their indices; None: all.
    """

    text: str
    wanted: Any
    own: Callable[[Values], Any]
    reads: tuple[int, ...] | None = None

    def holds(self, values: Values) -> bool:
        return same(self.own(values), self.wanted)


@dataclass(frozen=True, slots=True)
class Condition:
    """Of a step: `holds`, given the state before it and its parameters. `reads`: the variables that it looks at."""

    text: str
    holds: Callable[[Values, Mapping[str, Any]], bool]
    reads: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """A step by an action of this name (None: by any), with at least these parameters, of which a condition is true."""

    action: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    such_that: Condition | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as far as it was seen.

    - `ways`: the steps that it may have been, one after the other with nothing in between. Several ways are
      alternatives. A way without steps is an event in which nothing changes.
    - `before`, `after`: what was seen of the state before it and of the one after it.
    - `rank`: where no order is known, events with a lower rank are tried first.
    """

    ways: tuple[tuple[Act, ...], ...] = ((),)
    before: tuple[Claim, ...] = ()
    after: tuple[Claim, ...] = ()
    rank: float | None = None


@dataclass(frozen=True, slots=True)
class Strands:
    """`needs[s][n]`: how many events of each strand must have happened before event n of strand s. None: no order.

    The order must have no cycles; then there is always an event that may come next.
    """

    events: Sequence[Sequence[Event]]
    needs: Sequence[Sequence[Position | None]] | None = None

    @property
    def end(self) -> Position:
        return tuple(map(len, self.events))

    def next_at(self, position: Position) -> list[int]:
        """The strands whose next event may come now."""
        return [
            strand
            for strand, at in enumerate(position)
            if at < len(self.events[strand]) and self._may(strand, position)
        ]

    def _may(self, strand: int, position: Position) -> bool:
        needs = None if self.needs is None else self.needs[strand][position[strand]]
        return needs is None or all(has >= wanted for has, wanted in zip(position, needs, strict=True))


def after_one(position: Position, strand: int) -> Position:
    """The position when one more event of a strand has happened."""
    return (*position[:strand], position[strand] + 1, *position[strand + 1 :])
