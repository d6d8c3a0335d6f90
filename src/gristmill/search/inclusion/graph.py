"""A graph whose states an observer sees in part."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class ObservedGraph:
    """Edges in compressed rows: those from state s are number `first[s]` … `first[s + 1] - 1`, and lead to `targets`.

    `observations`: what is seen of each state. `labels`: the action of each edge, for those who show behaviours. An
    edge may be there twice, or lead from a state to itself.
    """

    initial: Sequence[int]
    first: Sequence[int]
    targets: Sequence[int]
    observations: Sequence[int]
    labels: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if len(self.first) != len(self.observations) + 1 or self.first[0] != 0 or self.first[-1] != len(self.targets):
            raise ValueError("the rows of a graph do not fit its states and edges")

    @property
    def states(self) -> int:
        return len(self.observations)

    @property
    def edges(self) -> int:
        return len(self.targets)

    def steps(self, state: int) -> Iterator[tuple[int, int]]:
        """The edges from a state, each with its target."""
        for edge in range(self.first[state], self.first[state + 1]):
            yield edge, self.targets[edge]

    def label(self, edge: int) -> int | None:
        return None if self.labels is None else self.labels[edge]

    @cached_property
    def arrays(self) -> tuple[Any, Any, Any, Any]:
        """`initial`, `first`, `targets` and `observations` as C reads them: copied only if they have another form."""
        given = (self.initial, "I"), (self.first, "Q"), (self.targets, "I"), (self.observations, "I")
        initial, first, targets, observations = (_typed(numbers, code) for numbers, code in given)
        return initial, first, targets, observations


def _typed(numbers: Sequence[int], code: str) -> Any:
    if isinstance(numbers, array | memoryview) and memoryview(numbers).format == code:
        return numbers
    return array(code, numbers)
