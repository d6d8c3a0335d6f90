"""Dynamic partial-order reduction: which orders matter is found out while runs are explored.

A process is scheduled, and then all that it can do at that moment is explored. What it can do grows when another
process sends to it. So the order of a step of p and a later step of another process matters in one case only: if that
one sends to p, and did not do so because of p's step. Then the sender, or a process that had to go before it, is
scheduled before p's step as well (Flanagan and Godefroid's backtracking sets). Besides, steps that change what an
invariant reads are kept in all orders.

With a set of visited states, a run ends early; then all that was ever done from the state reached there is held against
the steps of the run, without knowing what caused what, so conservatively. That needs what was done to be known in full.
On a cycle it is not: so where a run comes back to itself, or to a state from which another did, everything is scheduled
in all states of the cycle. That is the cycle proviso, too: nothing is put off for ever. The states of a strongly
connected component share what was done from them, as all of it can be done from each (Tarjan's algorithm finds them).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from gristmill.explore.analysis.flow import fields_read
from gristmill.explore.model import Model, State, Transition
from gristmill.explore.program import Envelope
from gristmill.explore.reductions.interference import NotReducible
from gristmill.explore.result import Meter
from gristmill.explore.searches.stateless import checked_transitions
from gristmill.explore.transitions import sent
from gristmill.explore.views import Checker

Clock = tuple[int, ...]  # how many steps of each process came before

# A change of what an invariant reads: stands for a receiver in summaries.
VISIBLE = -1


# What was done from a state on: (process, whom it sent to).
Summary = set[tuple[int, int]]


class _Component:
    """States that are known to reach one another, and what was done from them. Two that turn out to be one are joined.

    `lowest` is the first of them on the path; the component is open, and what was done not yet all, while it is there.
    """

    __slots__ = ("_joined", "cyclic", "lowest", "open", "summary")

    def __init__(self, lowest: int) -> None:
        self.lowest, self.open, self.cyclic = lowest, True, False
        self.summary: Summary = set()
        self._joined: _Component | None = None

    def find(self) -> _Component:
        found = self
        while found._joined is not None:
            found = found._joined
        return found

    def join(self, other: _Component) -> _Component:
        one, two = self.find(), other.find()
        if one is not two:
            two._joined = one
            one.lowest = min(one.lowest, two.lowest)
            one.cyclic |= two.cyclic
            one.summary |= two.summary
        return one


@dataclass(slots=True)
class _Point:
    """A state of the run, with what is to be scheduled in it."""

    state: State
    enabled: dict[int, list[Transition]]
    clocks: tuple[Clock, ...]  # of each process
    flying: list[tuple[Envelope, Clock]]
    component: _Component
    scheduled: set[int] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    left: list[Transition] = field(default_factory=list)
    # The step taken from here at present.
    process: int = -1
    number: int = 0  # which of its process's steps it is
    visible: bool = False

    @property
    def summary(self) -> Summary:
        return self.component.find().summary


def stateless_dynamic(model: Model, checker: Checker, meter: Meter) -> set[Hashable]:
    """All runs up to equivalence; on a cycle, up to the bound on depth."""
    return _Dynamic(model, checker, meter, None).run()


def stateful_dynamic(model: Model, checker: Checker, meter: Meter, key: Callable[[State], Hashable]) -> set[Hashable]:
    return _Dynamic(model, checker, meter, key).run()


class _Dynamic:
    def __init__(self, model: Model, checker: Checker, meter: Meter, key: Callable[[State], Hashable] | None) -> None:
        if any(one.kind in ("eventually", "history") for one in model.system.properties):
            raise NotReducible("partial-order reduction preserves invariants and end states, not runs")
        self.model, self.checker, self.meter, self.key = model, checker, meter, key
        self.processes = len(model.rules.names)
        self.reached: set[Hashable] = set()
        self.components: dict[Hashable, _Component] = {}  # of what is stored
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
        self.meter.clock()
        self.meter.counts.transitions += 1
        clocks, flying = self.take(point, transition)
        self.find_races(transition, clocks[transition.process])
        self.arrive(transition, clocks, flying)

    def leave(self) -> None:
        point = self.points.pop()
        self.path.pop()
        component = point.component.find()
        if component.lowest == len(self.points):
            component.open = False
            if component.cyclic:
                self.hold_against_path(component.summary)
        if self.points:
            self.points[-1].summary.update(component.summary)

    def arrive(self, transition: Transition, clocks: tuple[Clock, ...], flying: list[tuple[Envelope, Clock]]) -> None:
        self.path.append(transition)
        known = self.key(transition.target) if self.key else transition.target
        if transition.problem is None and self.key is not None and known in self.components:
            self.revisit(self.components[known].find())
            self.path.pop()
            return
        if self.key is None or known not in self.reached:
            self.meter.state()
        self.reached.add(known)
        self.meter.at_depth(len(self.path))
        enabled = checked_transitions(self.model, self.checker, self.path)
        component = _Component(len(self.points))
        if self.key is not None:
            self.components[known] = component
        if not enabled or self.meter.too_deep(len(self.path)):
            self.meter.counts.runs += 1
            component.open = False
            self.path.pop()
            return
        self.points.append(self.point(transition.target, enabled, clocks, flying, component))

    def point(
        self,
        state: State,
        enabled: list[Transition],
        clocks: tuple[Clock, ...],
        flying: list[tuple[Envelope, Clock]],
        component: _Component,
    ) -> _Point:
        by_process: dict[int, list[Transition]] = {}
        for one in enabled:
            by_process.setdefault(one.process, []).append(one)
        made = _Point(state, by_process, clocks, flying, component)
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
        """At the last (visible) step of these that did not cause this one, schedule one that leads to it."""
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

    def revisit(self, component: _Component) -> None:
        if component.open:
            self.close_cycle(component)
        else:
            self.hold_against_path(component.summary)

    def hold_against_path(self, summary: Summary) -> None:
        """All this is done from the end of the path on: schedule what may have to come before a step of the path."""
        for point in self.points:
            point.summary.update(summary)
            for process, receiver in summary:
                if receiver == point.process or (receiver == VISIBLE and point.visible and process != point.process):
                    point.scheduled |= point.enabled.keys()

    def close_cycle(self, component: _Component) -> None:
        """The path has come back to a state of the component, and so to the first of it that is on the path.

        What is done from there is not all known yet: it is held against the rest of the path when it is.
        """
        component.cyclic = True
        for point in self.points[component.lowest :]:
            point.scheduled |= point.enabled.keys()
            component = component.join(point.component)

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
