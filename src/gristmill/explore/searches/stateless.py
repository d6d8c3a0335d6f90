"""Stateless depth-first search: every run, nothing remembered. And iterative deepening."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from gristmill.explore.model import Model, State, Transition, is_end
from gristmill.explore.result import Found, Meter
from gristmill.explore.views import Checker


def stateless(model: Model, checker: Checker, meter: Meter) -> set[Hashable]:
    """Follows every path to its end or to the bound on depth; without one, a cycle is followed for ever.

    Gives the distinct states seen, which the search itself does not use.
    """
    seen: set[Hashable] = set()
    for first in model.initial():
        _follow(model, checker, meter, first, seen)
    return seen


def _follow(model: Model, checker: Checker, meter: Meter, first: Transition, seen: set[Hashable]) -> None:
    path: list[Transition] = []
    todo: list[tuple[int, Transition]] = [(0, first)]
    while todo:
        depth, transition = todo.pop()
        del path[depth:]
        path.append(transition)
        if depth:
            meter.counts.transitions += 1
        meter.state()
        seen.add(transition.target)
        meter.at_depth(len(path))
        enabled = checked_transitions(model, checker, path)
        if not enabled or meter.too_deep(len(path)):
            meter.counts.runs += 1
            continue
        todo += [(depth + 1, one) for one in reversed(enabled)]


def checked_transitions(model: Model, checker: Checker, path: list[Transition]) -> list[Transition]:
    """The transitions of the last state of a path, after asking the properties about it."""
    if path[-1].problem:
        raise Found(None, path)
    state = path[-1].target
    enabled = model.transitions(state)
    violation = checker.violation(state)
    if violation is None and is_end(enabled):
        violation = checker.violation_at_end(state)
    if violation is not None:
        raise Found(violation, path)
    return enabled


def deepening(model: Model, checker: Checker, meter: Meter, step: int = 1) -> set[Hashable]:
    """Depth-first search with growing bounds: finds a shortest violation with the memory of a depth-first search.

    A state is entered again when it is reached on a shorter path than before: more may be within the bound from there.
    """
    limit = 0
    reached: dict[State, int] = {}
    while True:
        limit += step
        if meter.bounds.depth is not None:
            limit = min(limit, meter.bounds.depth)
        inner = meter.again(replace(meter.bounds, depth=limit))
        reached = {}
        try:
            for first in model.initial():
                _bounded(model, checker, inner, first, reached)
        finally:
            meter.counts.transitions += inner.counts.transitions
            meter.counts.distinct = len(reached)
            meter.counts.depth = inner.counts.depth
            meter.counts.runs += 1
        if not inner.cut:
            return set(reached)
        if limit == meter.bounds.depth:
            meter.cut += inner.cut
            return set(reached)


def _bounded(model: Model, checker: Checker, meter: Meter, first: Transition, reached: dict[State, int]) -> None:
    path: list[Transition] = []
    todo: list[tuple[int, Transition]] = [(0, first)]
    while todo:
        meter.clock()
        depth, transition = todo.pop()
        del path[depth:]
        path.append(transition)
        if depth:
            meter.counts.transitions += 1
        if transition.problem is None and reached.get(transition.target, depth + 1) <= depth:
            continue
        if transition.target not in reached:
            meter.state()
        reached[transition.target] = depth
        meter.at_depth(len(path))
        enabled = checked_transitions(model, checker, path)
        if enabled and not meter.too_deep(len(path)):
            todo += [(depth + 1, one) for one in reversed(enabled)]
