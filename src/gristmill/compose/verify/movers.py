"""Movers: what a composition cannot see whose coarse grain merges the steps of a module.

Between merged steps, nobody else takes a step. What another module or the environment does there in the fine
composition is nevertheless accounted for if it commutes with the module's steps: done before the step that precedes
it, or after the one that follows it, it leads to the same state (R. J. Lipton, Reduction, CACM 1975). For each action
of the others:

- *statically*: the variables by which it and the module's actions may not commute: what one writes and the other
  reads or writes. If there are none, it commutes, in every state.
- *on reachable states*: whether each of its steps from a state in flight (`atomic`) can be moved to the left over every
  module step that leads there, or to the right over every module step that follows: the diamond closes, by the same
  actions. `stuck`: those of which neither is true. `unseen`: those of them which lead to something that is seen in no
  state of the coarse composition.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gristmill.checking.graphs import View
from gristmill.compose.verify.atomic import Atomic, Runs, Way
from gristmill.compose.verify.sides import Clock, Side, observe
from gristmill.ir.passes.dependencies import dependencies
from gristmill.ir.places import Place
from gristmill.search.budget.limits import NO_LIMITS, LimitReached, Limits
from gristmill.trace import Trace

_FEW = 5  # variables that a sentence has room for


@dataclass(frozen=True, slots=True)
class Interruption:
    """An action of another module between merged steps; see above.

    `written`: variables that it writes and merged steps read or write; `read`: those that it reads and they write.
    `steps`: how many of its steps from states in flight were looked at. `behaviour`: to the first that is stuck, the
    last step being the one in question; `after` and `before`: module actions, the last one before it and one that
    would be next.
    """

    action: str
    module: str
    written: tuple[str, ...]
    read: tuple[str, ...]
    steps: int = 0
    stuck: int = 0
    unseen: int = 0
    behaviour: Trace | None = None
    after: str | None = None
    before: str | None = None

    @property
    def commutes(self) -> bool:
        return self.stuck == 0

    @property
    def sentence(self) -> str:
        """What the composition cannot see."""
        between = f"{self.action} between {self.after} and {self.before}"
        count = f"{self.stuck:,} of {self.steps:,} such steps do not commute with the merged ones"
        shared = _some(tuple(dict.fromkeys((*self.written, *self.read))))
        seen = f"; {self.unseen:,} lead to what the coarse composition never shows" if self.unseen else ""
        return f"{between} ({count}, by way of {shared}{seen})" if shared else f"{between} ({count}{seen})"


def _some(names: Sequence[str]) -> str:
    """All if they are few."""
    if len(names) <= _FEW:
        return ", ".join(names)
    return f"{', '.join(names[: _FEW - 1])} and {len(names) - _FEW + 1} more"


@dataclass(frozen=True, slots=True)
class Movers:
    """`interruptions`: of every action of the others that is taken in flight, or may not commute; `independent`: names
    of actions that commute whatever the state. `in_flight`: states in which others could interrupt.
    """

    fine: str
    coarse: str
    modules: tuple[str, ...]
    in_flight: int = 0
    interruptions: tuple[Interruption, ...] = ()
    independent: tuple[str, ...] = ()
    incomplete: str | None = None

    @property
    def hidden(self) -> tuple[Interruption, ...]:
        """What the composition cannot see: the most telling first."""
        found = [each for each in self.interruptions if not each.commutes]
        return tuple(sorted(found, key=lambda each: (-bool(each.unseen), -each.stuck)))

    @property
    def verdict(self) -> Literal["commutes", "hides", "incomplete"]:
        if self.hidden:
            return "hides"
        return "commutes" if self.incomplete is None else "incomplete"


def find_movers(
    fine: Side,
    coarse: Side,
    modules: Collection[str],
    variables: Sequence[str],
    *,
    ghosts: Collection[str] = (),
    limits: Limits = NO_LIMITS,
    views: Mapping[str, View] | None = None,
) -> Movers:
    """Which actions of the others do not commute with the steps of `modules`, in the fine composition.

    `ghosts`: variables that do not count: states that differ only there are the same.
    """
    found = Movers(fine.name, coarse.name, tuple(modules))
    own = fine.actions_of(modules)
    conflicts = conflicts_by_name(fine, own, ghosts)
    partial = next((each for each in (fine, coarse) if each.graph.incomplete is not None), None)
    if partial is not None:
        reason = f"Not all states of {partial.name} were explored: {partial.graph.incomplete}"
        return replace(found, incomplete=reason)
    clock = Clock(limits)
    finding: _Finding | None = None
    try:
        fine_seen, coarse_seen = observe((fine, coarse), variables, views)
        runs = Runs(fine.graph, fine_seen.seen, own, clock.tick)
        real = [name for name in fine.graph.variables if name not in ghosts]
        same = fine.graph.project(real).numbers if ghosts else range(len(fine.graph.states))
        finding = _Finding(fine, runs, frozenset(coarse_seen.seen), conflicts, same, clock.tick)
        finding.look()
    except LimitReached as reached:
        found = replace(found, incomplete=str(reached))
        clock.stop()
    if finding is None:
        return found
    return replace(  # what was found to be stuck before a limit was reached is stuck
        found,
        in_flight=len(finding.atomic.flying),
        interruptions=tuple(finding.interruptions()),
        independent=tuple(name for name, each in conflicts.items() if each.are_none),
    )


# ---------------------------------------------------------------------------------------------------------- statically


@dataclass(frozen=True, slots=True)
class Conflicts:
    """Of an action with some others: variables that it writes and they use, and those that it reads and they write."""

    module: str
    written: tuple[str, ...]
    read: tuple[str, ...]

    @property
    def are_none(self) -> bool:
        return not self.written and not self.read


def conflicts_by_name(side: Side, own: Collection[int], ghosts: Collection[str] = ()) -> dict[str, Conflicts]:
    """Of each action that is not among `own`, with those that are, but for what is written to ghosts."""
    found = [dependencies(side.model, action) for action in side.model.actions]
    mine = [found[number] for number in sorted(own)]
    written: dict[str, set[int]] = {}
    read: dict[str, set[int]] = {}
    modules: dict[str, str] = {}
    for number, (action, each) in enumerate(zip(side.model.actions, found, strict=True)):
        if number in own:
            continue
        modules[action.name] = side.modules[number]
        for other in mine:
            written.setdefault(action.name, set()).update(_touched(each.may_write, other.reads | other.may_write))
            read.setdefault(action.name, set()).update(_touched(each.reads, other.may_write))
    variables = side.model.variables

    def names(found: Collection[int]) -> tuple[str, ...]:
        return tuple(variables[each] for each in sorted(found) if variables[each] not in ghosts)

    return {
        name: Conflicts(
            module, names(written.get(name, set())), names(read.get(name, set()) - written.get(name, set()))
        )
        for name, module in modules.items()
    }


def _touched(some: Collection[Place], others: Collection[Place]) -> set[int]:
    return {place.variable for place in some if any(place.may_touch(other) for other in others)}


# ------------------------------------------------------------------------------------------------- on reachable states


@dataclass(slots=True)
class _Counted:
    """Of one action: its steps in flight. `example`: a state in flight, the edge from there, the edge to it."""

    steps: int = 0
    stuck: int = 0
    unseen: int = 0
    example: tuple[int, int, int] | None = None


class _Finding:
    def __init__(
        self,
        side: Side,
        runs: Runs,
        shown: Collection[int],
        conflicts: Mapping[str, Conflicts],
        same: Sequence[int],
        tick: Callable[[], None],
    ) -> None:
        """`shown`: what the coarse composition shows. `same`: numbers for states, equal for those that are the same."""
        self.side, self.runs, self.shown, self.conflicts, self._tick = side, runs, shown, conflicts, tick
        self.same = same
        self.graph = side.graph
        self.atomic = Atomic(runs, tick)
        self.counted: dict[str, _Counted] = {}
        self.leading: dict[int, list[Way]] = {}  # module steps to states in flight, from states of runs
        self._next: dict[int, dict[str, set[int]]] = {}

    def look(self) -> None:
        """At every step of the others from a state in flight."""
        for state in dict.fromkeys((*self.atomic.ways, *self.atomic.flying)):
            self._tick()
            if self.runs.unstable[state]:
                for edge, target in self.runs.own(state):
                    if target in self.atomic.flying:
                        self.leading.setdefault(target, []).append((state, edge))
        for state in self.atomic.flying:
            for edge, label, target in self.graph.steps(state):
                if not self.runs.is_own[label] and target != state:
                    self._look_at(state, edge, self.side.action_name(label), target)

    def _look_at(self, state: int, edge: int, name: str, target: int) -> None:
        self._tick()
        counted = self.counted.setdefault(name, _Counted())
        counted.steps += 1
        if self.conflicts[name].are_none or self._moves_left(state, name, target):
            return
        if self._moves_right(state, name, target):
            return
        counted.stuck += 1
        is_unseen = self.runs.seen[target] not in self.shown
        if counted.example is None or (is_unseen and not counted.unseen):
            counted.example = state, edge, self.leading[state][0][1]
        counted.unseen += is_unseen

    def _moves_left(self, state: int, name: str, target: int) -> bool:
        """Over every module step to the state: done before it, it leads to the same."""
        return all(
            any(self.same[target] in self._classes(each, self._name(edge)) for each in self._after(source, name))
            for source, edge in self.leading[state]
        )

    def _moves_right(self, state: int, name: str, target: int) -> bool:
        """Over every module step from the state: done after it, it leads to the same."""
        return all(
            self._classes(following, name) & self._classes(target, self._name(edge))
            for edge, following in self.runs.own(state)
        )

    def _classes(self, state: int, name: str) -> set[int]:
        return {self.same[each] for each in self._after(state, name)}

    def _name(self, edge: int) -> str:
        return self.side.action_name(self.graph.labels[edge])

    def _after(self, state: int, name: str) -> set[int]:
        """Where an action leads to from a state."""
        found = self._next.get(state)
        if found is None:
            found = self._next[state] = {}
            for _, label, target in self.graph.steps(state):
                found.setdefault(self.side.action_name(label), set()).add(target)
        return found.get(name, set())

    # ------------------------------------------------------------------------------------------------- what to say

    def interruptions(self) -> Iterator[Interruption]:
        for name, each in self.conflicts.items():
            counted = self.counted.get(name, _Counted())
            found = Interruption(
                name, each.module, each.written, each.read, counted.steps, counted.stuck, counted.unseen
            )
            if not each.are_none or counted.steps:
                yield self._with_example(found, counted)

    def _with_example(self, found: Interruption, counted: _Counted) -> Interruption:
        if counted.example is None:
            return found
        state, edge, led = counted.example
        entry = self.atomic.flying[state]
        states, edges = self.atomic.path(entry)
        more_states, more_edges = self.runs.run(entry).to(state)
        following, _ = next(self.runs.own(state))
        behaviour = self.graph.trace([*states, *more_states[1:], self.graph.targets[edge]], [*edges, *more_edges, edge])
        return replace(
            found,
            behaviour=behaviour,
            after=self._name(more_edges[-1] if more_edges else led),
            before=self._name(following),
        )
