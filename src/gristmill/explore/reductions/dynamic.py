"""Dynamic partial-order reduction: which orders matter is found out while runs are explored.

A process is scheduled, and then all that it can do at that moment is explored. What it can do grows when somebody sends
to it. So the order of a step of p and a later step of another process matters in one case only: if that one sends to p,
and did not do so because of p's step. Then the sender, or whoever had to go before it, is scheduled before p's step as
well (Flanagan and Godefroid's backtracking sets). Besides, steps that change what an invariant reads are kept in all
orders.

With a set of visited states, a run ends early; then all that was ever done from the state reached there is held against
the steps of the run, without knowing what caused what, so conservatively. That needs what was done to be known in full:
on a cycle it is not, and the search must do without the reduction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from gristmill.explore.analysis.flow import fields_read
from gristmill.explore.model import Model, State, Transition
from gristmill.explore.program import Envelope
from gristmill.explore.reductions.interference import NotReducible
from gristmill.explore.result import Watch
from gristmill.explore.searches.stateless import checked_transitions
from gristmill.explore.transitions import sent
from gristmill.explore.views import Checker

Clock = tuple[int, ...]  # how many steps of each process came before

# Somebody changed what an invariant reads: stands for a receiver in summaries.
VISIBLE = -1


@dataclass(slots=True)
class _Point:
    """A state of the run, with what is to be scheduled in it."""

    state: State
    enabled: dict[int, list[Transition]]
    clocks: tuple[Clock, ...]  # of each process
    flying: list[tuple[Envelope, Clock]]
    scheduled: set[int] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    left: list[Transition] = field(default_factory=list)
    # The step taken from here at present.
    process: int = -1
    number: int = 0  # which of its process's steps it is
    visible: bool = False
    # Everything done from here on: (process, whom it sent to).
    summary: set[tuple[int, int]] = field(default_factory=set)


def stateless_dynamic(model: Model, checker: Checker, watch: Watch) -> set[Hashable]:
    """All runs up to equivalence; on a cycle, up to the bound on depth."""
    return _Dynamic(model, checker, watch, None).run()


def stateful_dynamic(model: Model, checker: Checker, watch: Watch, key: Callable[[State], Hashable]) -> set[Hashable]:
    return _Dynamic(model, checker, watch, key).run()


class _Dynamic:
    def __init__(self, model: Model, checker: Checker, watch: Watch, key: Callable[[State], Hashable] | None) -> None:
        if any(one.kind in ("eventually", "history") for one in model.system.properties):
            raise NotReducible("partial-order reduction preserves invariants and end states, not runs")
        self.model, self.checker, self.watch, self.key = model, checker, watch, key
        self.processes = len(model.rules.names)
        self.reached: set[Hashable] = set()
        self.summaries: dict[Hashable, set[tuple[int, int]] | None] = {}  # None while it is on the path
        self.points: list[_Point] = []
        self.path: list[Transition] = []
        self.visible_fields = self._visible_fields()

    def run(self) -> set[Hashable]:
        nothing = tuple((0,) * (self.processes + 1) for _ in range(self.processes + 1))
        for first in self.model.initial():
            self.arrive(first, nothing, [(envelope, nothing[0]) for envelope in first.sends])
            while self.points:
                self.advance()
        return self.reached

    def advance(self) -> None:
        point = self.points[-1]
        if not point.left:
            process = min(point.scheduled - point.done, default=None)
            if process is None:
                self.leave()
                return
            point.done.add(process)
            point.left = list(reversed(point.enabled[process]))
        transition = point.left.pop()
        self.watch.counts.transitions += 1
        clocks, flying = self.take(point, transition)
        self.find_races(transition, clocks[transition.process])
        self.arrive(transition, clocks, flying)

    def leave(self) -> None:
        point = self.points.pop()
        self.path.pop()
        if self.key is not None:
            self.summaries[self.key(point.state)] = point.summary
        if self.points:
            self.points[-1].summary |= point.summary

    def arrive(self, transition: Transition, clocks: tuple[Clock, ...], flying: list[tuple[Envelope, Clock]]) -> None:
        self.path.append(transition)
        known = self.key(transition.target) if self.key else transition.target
        if transition.problem is None and self.key is not None and known in self.summaries:
            self.revisit(known)
            self.path.pop()
            return
        if self.key is None or known not in self.reached:
            self.watch.state()
        self.reached.add(known)
        self.watch.at_depth(len(self.path))
        enabled = checked_transitions(self.model, self.checker, self.path)
        if not enabled or self.watch.too_deep(len(self.path)):
            self.watch.counts.runs += 1
            if self.key is not None:
                self.summaries[known] = set()
            self.path.pop()
            return
        if self.key is not None:
            self.summaries[known] = None
        self.points.append(self.point(transition.target, enabled, clocks, flying))

    def point(
        self, state: State, enabled: list[Transition], clocks: tuple[Clock, ...], flying: list[tuple[Envelope, Clock]]
    ) -> _Point:
        by_process: dict[int, list[Transition]] = {}
        for one in enabled:
            by_process.setdefault(one.process, []).append(one)
        made = _Point(state, by_process, clocks, flying)
        faults = any(part > 0 for part in state.spare) or state.spare.side >= 0
        # Bounds on faults are shared by all processes.
        made.scheduled = set(by_process) if faults else {min(by_process, key=lambda one: (len(by_process[one]), one))}
        return made

    def take(self, point: _Point, transition: Transition) -> tuple[tuple[Clock, ...], list[tuple[Envelope, Clock]]]:
        """Clocks and messages after a step. Of equal messages, the oldest is taken, with what all of them follow."""
        process, flying = transition.process, list(point.flying)
        clock = point.clocks[process]
        for one in transition.event.received if transition.event.kind in ("deliver", "lose") else ():
            alike = [at for at, (envelope, _) in enumerate(flying) if sent(envelope) == one]
            if alike:
                clock = _join(clock, _meet([flying[at][1] for at in alike]))
                del flying[alike[0]]
        clock = (*clock[:process], clock[process] + 1, *clock[process + 1 :])
        point.process, point.number = process, clock[process]
        point.visible = self.is_visible(point.state, transition)
        flying += [(envelope, clock) for envelope in transition.sends]
        return (*point.clocks[:process], clock, *point.clocks[process + 1 :]), flying

    # Races

    def find_races(self, transition: Transition, clock: Clock) -> None:
        """Hold the step just taken, the last of the path, against those before it."""
        last = self.points[-1]
        receivers = {self.model.rules.index[envelope.receiver] for envelope in transition.sends} - {last.process}
        for receiver in receivers:
            last.summary.add((last.process, receiver))
            self.backtrack({receiver}, False, clock)
        if last.visible:
            last.summary.add((last.process, VISIBLE))
            self.backtrack(set(range(self.processes + 1)) - {last.process}, True, clock)

    def backtrack(self, processes: set[int], visible: bool, clock: Clock) -> None:
        """At the last (visible) step of these that did not cause this one, schedule somebody who leads to this one."""
        for at in range(len(self.points) - 2, -1, -1):
            point = self.points[at]
            conflicts = point.process in processes and (point.visible or not visible)
            if not conflicts or clock[point.process] >= point.number:
                continue
            leading = {
                one.process for one in self.points[at + 1 :] if clock[one.process] >= one.number
            } & point.enabled.keys()
            if not leading:
                point.scheduled |= point.enabled.keys()
            elif not leading & point.scheduled:
                point.scheduled.add(min(leading))
            return

    def revisit(self, known: Hashable) -> None:
        summary = self.summaries[known]
        if summary is None:
            raise NotReducible("the state graph has a cycle")
        for point in self.points:
            point.summary |= summary
            for process, receiver in summary:
                if receiver == point.process or (receiver == VISIBLE and point.visible and process != point.process):
                    point.scheduled |= point.enabled.keys()

    # What invariants see

    def _visible_fields(self) -> frozenset[str] | None:
        found: set[str] = set()
        for one in self.checker.invariants:
            names = fields_read(one.holds)
            if names is None or "network" in names:
                return None
            found |= names
        return frozenset(found)

    def is_visible(self, state: State, transition: Transition) -> bool:
        if not self.checker.invariants:
            return False
        if self.visible_fields is None:
            return True
        if transition.process == self.processes:
            return False
        before, after = (dict(one.locals[transition.process].fields) for one in (state, transition.target))
        return any(before.get(name) != after.get(name) for name in self.visible_fields)


def _join(one: Clock, other: Clock) -> Clock:
    return tuple(map(max, one, other))


def _meet(clocks: list[Clock]) -> Clock:
    return tuple(map(min, *clocks)) if len(clocks) > 1 else clocks[0]
