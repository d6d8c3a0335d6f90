"""The steps of a state graph.

Every state has, besides its steps to others, the step that changes nothing: a system may always stutter. A step from a
state to itself by an action is that same step, since nothing that can be said of a step tells them apart.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence


class StepGraph:
    """Edges in compressed rows, as any engine may hand them over: `first` of 8 and `targets` of 4 bytes a number.

    Edge e leads to `targets[e]`; those from state s are `first[s] … first[s + 1] - 1`. The steps of the graph are its
    edges, and then, for each state in order, the step that changes nothing. The first `initial` states are the initial
    ones, and every state is reachable from them. An edge may be there twice, or lead nowhere. `labels[e]` is the action
    of an edge; it is for those who show behaviours. `in_c`: compiled code found it, and may search it, however small.
    """

    def __init__(
        self,
        initial: int,
        first: Sequence[int],
        targets: Sequence[int],
        labels: Sequence[int] | None = None,
        in_c: bool = False,
    ) -> None:
        self.initial, self.first, self.targets, self.labels, self.in_c = initial, first, targets, labels, in_c
        self.states, self.edges = len(first) - 1, len(targets)

    @property
    def steps(self) -> int:
        return self.edges + self.states

    def from_state(self, state: int) -> tuple[int, ...]:
        """The numbers of the steps from a state."""
        return (*range(self.first[state], self.first[state + 1]), self.edges + state)

    def source(self, step: int) -> int:
        return bisect_right(self.first, step) - 1 if step < self.edges else step - self.edges

    def target(self, step: int) -> int:
        return self.targets[step] if step < self.edges else step - self.edges

    def label(self, step: int) -> int:
        """The action of a step, -1 if it belongs to none."""
        return self.labels[step] if self.labels is not None and step < self.edges else -1

    def step(self, source: int, target: int) -> int | None:
        """The number of a step between two states."""
        if source == target:
            return self.edges + source
        row = range(self.first[source], self.first[source + 1])
        return next((edge for edge in row if self.targets[edge] == target), None)


class GrowingGraph:
    """The step graph of a search that is under way, or has ended: steps are added source by source, never changed.

    Of several edges between the same states one is kept, with the action that came first.
    """

    def __init__(self) -> None:
        self.first, self.targets, self.labels = array("Q", [0]), array("I"), array("i")
        self._row: set[int] = set()  # targets of the source at hand
        self._read = 0

    def add(self, source: int, action: int, target: int) -> None:
        """A step, from the same source as the last one or from a later one."""
        while len(self.first) <= source:
            self.first.append(len(self.targets))
            self._row.clear()
        if target != source and target not in self._row:
            self._row.add(target)
            self.targets.append(target)
            self.labels.append(action)

    def extend(self, sources: Sequence[int], targets: Sequence[int], actions: Sequence[int]) -> None:
        """All edges there are, those known already first."""
        for number in range(self._read, len(sources)):
            self.add(sources[number], actions[number], targets[number])
        self._read = len(sources)

    def graph(self, states: int, initial: int) -> StepGraph:
        """The graph so far. States whose steps are not known yet have none."""
        missing = states + 1 - len(self.first)
        return StepGraph(initial, self.first + array("Q", [len(self.targets)]) * missing, self.targets, self.labels)
