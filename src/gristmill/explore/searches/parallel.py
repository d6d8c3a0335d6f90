"""Searches by several processes: forked, so that they have the system without its having to be picklable. Those of a
cluster load it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import TypeVar

from gristmill.cluster.hands import Hands, hands
from gristmill.explore.model import Model, State, Transition
from gristmill.explore.options import Options
from gristmill.explore.result import Counts, Found, Meter
from gristmill.explore.searches.breadth_first import breadth_first
from gristmill.explore.searches.sampling import sample
from gristmill.explore.system import System
from gristmill.explore.views import Checker
from gristmill.search.budget.deadline import Deadline
from gristmill.search.budget.limits import LimitReached
from gristmill.search.forked import Workers, forked

# How many states a worker expands, and how many runs it samples, before it tells.
_STATES, _RUNS = 64, 25

Sampled = tuple[Found | LimitReached | None, Counts, set[Hashable]]
Part = tuple[int, int]  # the first of some runs, and how many they are
Job = TypeVar("Job")
Answer = TypeVar("Answer")


def parallel_breadth_first(model: Model, checker: Checker, meter: Meter, workers: int) -> set[Hashable]:
    def expand(level: list[State]) -> Iterator[list[Transition]]:
        pieces = (level[at : at + _STATES] for at in range(0, len(level), _STATES))
        for piece in team.perform(pieces, meter.deadline.check_workers):
            yield from piece

    team: Workers[list[State], list[list[Transition]]]
    with forked(repeat(_opening(model, meter.deadline, _transitions), workers)) as team:
        return breadth_first(model, checker, meter, expand=expand)


def parallel_samples(model: Model, meter: Meter, options: Options, depth: int) -> set[Hashable]:
    """Workers take turns, each with some runs; which runs there are does not depend on it."""
    parts = ((1 + at, min(_RUNS, options.runs - at)) for at in range(0, options.runs, _RUNS))
    reached: set[Hashable] = set()
    with _samplers(model, meter, options, depth) as team:
        for ended, counts, states in team.perform(parts, meter.deadline.check_workers):
            meter.counts.transitions += counts.transitions
            meter.counts.runs += counts.runs
            meter.at_depth(counts.depth)
            reached |= states
            meter.counts.distinct = max(len(reached), counts.distinct)  # a part that was stopped has no set
            if ended is not None:
                raise ended
    return reached


def _samplers(
    model: Model, meter: Meter, options: Options, depth: int
) -> AbstractContextManager[Workers[Part, Sampled] | Hands[Part, Sampled]]:
    deadline = meter.deadline
    if options.cluster is None:
        return forked(repeat(_opening(model, deadline, partial(_sample, options, deadline, depth)), options.workers))
    if options.load is None:
        raise ValueError("a cluster must be told where the system is")
    left = None if deadline.seconds is None else deadline.seconds - deadline.elapsed
    plain = replace(options, on_progress=None, cluster=None, load=None)
    return hands(options.cluster, options.workers, partial(_away, options.load, plain, left, depth))


@contextmanager
def _away(
    load: Callable[[], System], options: Options, seconds: float | None, depth: int
) -> Iterator[Callable[[Part], Sampled]]:
    """In the process of an actor."""
    deadline = Deadline(seconds)
    with _opening(Model(load()), deadline, partial(_sample, options, deadline, depth))() as answer:
        yield answer


def _opening(
    model: Model, deadline: Deadline, answer: Callable[[Model, Job], Answer]
) -> Callable[[], AbstractContextManager[Callable[[Job], Answer]]]:
    """A worker answers from its own copy of the model, which remembers what handlers did."""

    @contextmanager
    def opened() -> Iterator[Callable[[Job], Answer]]:
        with deadline.watching():
            yield partial(answer, model)

    return opened


def _transitions(model: Model, states: list[State]) -> list[list[Transition]]:
    return [model.transitions(state) for state in states]


def _sample(options: Options, deadline: Deadline, depth: int, model: Model, part: Part) -> Sampled:
    meter, ended = Meter(options.bounds, deadline), None
    states: set[Hashable] = set()
    try:
        states = sample(model, Checker(model.rules), meter, options.seed, *part, depth)
    except (Found, LimitReached) as error:
        ended = error
    return ended, meter.counts, states
