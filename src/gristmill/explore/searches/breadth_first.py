"""Breadth-first search: the first violation found is one with the fewest steps. Also what "always eventually" needs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from gristmill.explore.model import Model, State, Transition, is_end
from gristmill.explore.properties import Property
from gristmill.explore.result import Found, Meter
from gristmill.explore.views import Checker, StateReader, Violation

Graph = dict[State, list[Transition]]
Expand = Callable[[list[State]], Iterable[list[Transition]]]


def breadth_first(
    model: Model,
    checker: Checker,
    meter: Meter,
    key: Callable[[State], Hashable] = lambda state: state,
    expand: Expand | None = None,
) -> set[Hashable]:
    """Level by level. `expand` gives the transitions of all states of a level: in this process, or by workers."""
    expand = expand or (lambda states: map(model.transitions, states))
    search = _BreadthFirst(checker, meter, key)
    level = [transition.target for transition in model.initial() if search.is_new(None, transition)]
    depth = 1
    while level:
        meter.at_depth(depth)
        following: list[State] = []
        for state, enabled in zip(level, expand(level), strict=True):
            meter.clock()
            search.check_end(state, enabled)
            meter.counts.transitions += len(enabled)
            if not enabled or not meter.too_deep(depth):
                following += [one.target for one in enabled if search.is_new(state, one)]
        level = following
        depth += 1
    return search.reached


class _BreadthFirst:
    def __init__(self, checker: Checker, meter: Meter, key: Callable[[State], Hashable]) -> None:
        self.checker, self.meter, self.key = checker, meter, key
        self.reached: set[Hashable] = set()
        self.parents: dict[State, tuple[State | None, Transition]] = {}

    def is_new(self, parent: State | None, transition: Transition) -> bool:
        if transition.problem:
            raise Found(None, [*(self.path(parent) if parent else []), transition])
        known = self.key(transition.target)
        if known in self.reached:
            return False
        self.meter.state()
        self.reached.add(known)
        self.parents[transition.target] = (parent, transition)
        violation = self.checker.violation(transition.target)
        if violation is not None:
            raise Found(violation, self.path(transition.target))
        return True

    def check_end(self, state: State, enabled: list[Transition]) -> None:
        if is_end(enabled):
            violation = self.checker.violation_at_end(state)
            if violation is not None:
                raise Found(violation, self.path(state))

    def path(self, state: State) -> list[Transition]:
        return path_to(state, self.parents)


def path_to(state: State, parents: dict[State, tuple[State | None, Transition]]) -> list[Transition]:
    path: list[Transition] = []
    at: State | None = state
    while at is not None:
        at, transition = parents[at]
        path.append(transition)
    return path[::-1]


def check_eventually(model: Model, meter: Meter, checker: Checker, one: Property) -> None:
    """Raises `Found` for a run on which `one` holds only finitely often: one that ends, or circles, where it does not.

    Such a run exists iff, among the states where `one` does not hold, there is one without a next step or a cycle.
    """
    graph, parents = _graph(model, meter)
    bad = {state for state in graph if not _holds(checker, meter, one, state)}
    message = f"from here on, {one.name} never holds again"
    for state in graph:
        if state in bad and not graph[state]:
            raise Found(Violation("eventually", one.name, message), path_to(state, parents))
    cycle = _cycle(bad, graph, meter)
    if cycle:
        stem = path_to(cycle[0], parents)
        loop = _around(cycle, graph)
        raise Found(Violation("eventually", one.name, message), [*stem, *loop], loop=len(stem))


def _holds(checker: Checker, meter: Meter, one: Property, state: State) -> bool:
    meter.clock()
    return checker.holds(one, StateReader(state))


def _graph(model: Model, meter: Meter) -> tuple[Graph, dict[State, tuple[State | None, Transition]]]:
    graph: Graph = {}
    parents: dict[State, tuple[State | None, Transition]] = {}
    level = []
    for first in model.initial():
        if first.target not in parents:
            parents[first.target] = (None, first)
            level.append(first.target)
    for state in level:  # grows while it is read
        meter.clock()
        if meter.bounds.states is not None and len(graph) >= meter.bounds.states:
            meter.stop_at_states()
        graph[state] = model.transitions(state)
        for one in graph[state]:
            if one.target not in parents:
                parents[one.target] = (state, one)
                level.append(one.target)
    return graph, parents


def _cycle(states: set[State], graph: Graph, meter: Meter) -> list[State]:
    """A cycle within these states, or nothing."""
    done: set[State] = set()
    for root in graph:
        if root not in states or root in done:
            continue
        path: list[State] = [root]
        on_path = {root}
        left = [iter([one.target for one in graph[root]])]
        while left:
            meter.clock()
            following = next((state for state in left[-1] if state in states and state not in done), None)
            if following is None:
                left.pop()
                done.add(path[-1])
                on_path.discard(path.pop())
            elif following in on_path:
                return path[path.index(following) :]
            else:
                path.append(following)
                on_path.add(following)
                left.append(iter([one.target for one in graph[following]]))
    return []


def _around(cycle: list[State], graph: Graph) -> list[Transition]:
    following = [*cycle[1:], cycle[0]]
    return [
        next(one for one in graph[state] if one.target == after) for state, after in zip(cycle, following, strict=True)
    ]
