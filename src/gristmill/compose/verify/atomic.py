"""A composition in which one module is never interrupted: what a grain that merges steps takes the others to see.

Of a state graph whose states are observed in part, and a set of actions, the module's:

- A state is *stable* if no run of module steps alone changes what is seen, however far it goes: the module is idle, or
  goes on where nobody looks.
- *Entry states*: the initial states; whatever a step of another module, or of the environment, leads to from an entry
  state; the exits from an entry state; and whatever any step leads to from a stable entry state.
- An *uninterrupted run* begins in an entry state that is not stable and consists of module steps alone. It ends with
  the first stable state, its *exit*. The states before that, but for the entry state, are *in flight*: nobody else
  takes a step there.

So entry states and those in flight are the states of the composition with the module's runs made atomic, which is
what a coarse action in the place of the module claims to be. For Remix's ZooKeeper: in an entry state a quorum is
looking for a leader; Election has begun a run, and the exit is where all of them are in the phase SYNCHRONIZATION; a
crash between is no part of it. A run that can no longer come to an exit has none: such entry states *diverge*.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from gristmill.checking.graphs import StateGraph

Way = tuple[int, int]  # from a state by an edge


class Runs:
    """The runs of a module in a graph. `seen`: what is observed of each state. `tick` is called in loops."""

    def __init__(
        self, graph: StateGraph, seen: Sequence[int], actions: Collection[int], tick: Callable[[], None]
    ) -> None:
        self.graph, self.seen, self._tick = graph, seen, tick
        wanted = bytes(number in actions for number in range(len(graph.actions)))
        self.is_own = wanted  # by number of an action
        self.unstable = self._unstable()
        self._exits: dict[int, frozenset[int]] = {}

    def own(self, state: int) -> Iterator[tuple[int, int]]:
        """Module steps from a state that change something: edge and target."""
        for edge, label, target in self.graph.steps(state):
            if self.is_own[label] and target != state:
                yield edge, target

    def _unstable(self) -> bytearray:
        """From where module steps lead to one that can be seen: by states, 1 if they do."""
        found = bytearray(len(self.seen))
        sources: dict[int, list[int]] = {}
        waiting = []
        for state in range(len(self.seen)):
            self._tick()
            for _, target in self.own(state):
                sources.setdefault(target, []).append(state)
                if self.seen[target] != self.seen[state] and not found[state]:
                    found[state] = 1
                    waiting.append(state)
        while waiting:
            self._tick()
            for source in sources.get(waiting.pop(), ()):
                if not found[source]:
                    found[source] = 1
                    waiting.append(source)
        return found

    def run(self, entry: int) -> Run:
        """All uninterrupted runs from a state that is not stable."""
        run = Run(entry)
        waiting = deque([entry])
        while waiting:
            self._tick()
            state = waiting.popleft()
            for edge, target in self.own(state):
                if target in run.ways or target == entry:
                    continue
                run.ways[target] = state, edge
                if self.unstable[target]:
                    waiting.append(target)
                else:
                    run.exits.append(target)
        return run

    def exits(self, entry: int) -> frozenset[int]:
        """What is seen at the exits of runs from a state; of a stable one, what is seen there."""
        if not self.unstable[entry]:
            return frozenset((self.seen[entry],))
        found = self._exits.get(entry)
        if found is None:
            found = self._exits[entry] = frozenset(self.seen[each] for each in self.run(entry).exits)
        return found


@dataclass(slots=True)
class Run:
    """The uninterrupted runs from `entry`. `ways`: how each state was reached first; `exits`: the nearest first."""

    entry: int
    ways: dict[int, Way] = field(default_factory=dict)
    exits: list[int] = field(default_factory=list)

    def to(self, state: int) -> tuple[list[int], list[int]]:
        """The states, `entry` included, and the edges of a shortest run to a state."""
        states, edges = [state], []
        while states[-1] != self.entry:
            source, edge = self.ways[states[-1]]
            states.append(source)
            edges.append(edge)
        return states[::-1], edges[::-1]


class Atomic:
    """The composition with the module's runs made atomic. `entries`: in the order in which they were found.

    `ways`: how each entry state was reached: by an edge, or by a run whose exit it is (edge -1); None for initial ones.
    `flying`: states in flight, each with the entry state of a run that it is in.
    """

    def __init__(self, runs: Runs, tick: Callable[[], None]) -> None:
        self.runs = runs
        self.ways: dict[int, Way | None] = dict.fromkeys(range(runs.graph.initial))
        self.flying: dict[int, int] = {}
        self.diverging: list[int] = []
        waiting = deque(self.ways)
        while waiting:
            tick()
            state = waiting.popleft()
            for target, way in self._after(state):
                if target not in self.ways:
                    self.ways[target] = way
                    waiting.append(target)

    @property
    def entries(self) -> list[int]:
        return list(self.ways)

    def _after(self, state: int) -> Iterator[tuple[int, Way]]:
        """The entry states that come next."""
        runs, is_unstable = self.runs, bool(self.runs.unstable[state])
        for edge, label, target in runs.graph.steps(state):
            if not (is_unstable and runs.is_own[label]):
                yield target, (state, edge)
        if not is_unstable:
            return
        run = runs.run(state)
        if not run.exits:
            self.diverging.append(state)
        for each in run.ways:
            if runs.unstable[each]:
                self.flying.setdefault(each, state)
        for target in run.exits:
            yield target, (state, -1)

    def path(self, entry: int) -> tuple[list[int], list[int]]:
        """The states and edges of a behaviour from an initial state to an entry state."""
        parts: list[tuple[list[int], list[int]]] = []
        at = entry
        while (way := self.ways[at]) is not None:
            source, edge = way
            parts.append(([source, at], [edge]) if edge >= 0 else self.runs.run(source).to(at))
            at = source
        states, edges = [at], []
        for more_states, more_edges in reversed(parts):
            states += more_states[1:]
            edges += more_edges
        return states, edges
