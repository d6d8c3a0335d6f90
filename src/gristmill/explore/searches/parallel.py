"""Searches by several processes: forked, so that they have the system without its having to be picklable."""

from __future__ import annotations

import multiprocessing
from collections.abc import Hashable
from concurrent.futures import ProcessPoolExecutor

from gristmill.explore.model import Model, State, Transition
from gristmill.explore.options import Options
from gristmill.explore.result import Counts, Found, Stop, Watch
from gristmill.explore.searches.breadth_first import breadth_first, by_workers
from gristmill.explore.searches.sampling import sample
from gristmill.explore.system import System
from gristmill.explore.views import Checker

# What a worker has from the process it was forked from, and made of it.
_system: System | None = None
_models: dict[int, Model] = {}

Sampled = tuple[Found | None, Counts, set[Hashable]]


def parallel_breadth_first(model: Model, checker: Checker, watch: Watch, workers: int) -> set[Hashable]:
    with _pool(model.system, workers) as pool:
        return breadth_first(model, checker, watch, expand=by_workers(pool, workers, _transitions_of))


def parallel_samples(model: Model, watch: Watch, options: Options, depth: int) -> set[Hashable]:
    """Each worker takes a part of the runs; which runs there are does not depend on it."""
    size = -(-options.runs // options.workers)
    jobs = [(options, 1 + at, min(size, options.runs - at), depth) for at in range(0, options.runs, size)]
    reached: set[Hashable] = set()
    with _pool(model.system, options.workers) as pool:
        for found, counts, states in pool.map(_sample, jobs):
            watch.counts.transitions += counts.transitions
            watch.counts.runs += counts.runs
            watch.at_depth(counts.depth)
            reached |= states
            watch.counts.states = len(reached)
            if found is not None:
                raise found
    return reached


def _pool(system: System, workers: int) -> ProcessPoolExecutor:
    global _system
    _system = system
    return ProcessPoolExecutor(workers, multiprocessing.get_context("fork"))


def _model() -> Model:
    assert _system is not None
    return _models.setdefault(id(_system), Model(_system))


def _transitions_of(states: list[State]) -> list[list[Transition]]:
    model = _model()
    return [model.transitions(state) for state in states]


def _sample(job: tuple[Options, int, int, int]) -> Sampled:
    options, first, runs, depth = job
    model, watch = _model(), Watch(options.bounds)
    try:
        states = sample(model, Checker(model.rules), watch, options.seed, first, runs, depth)
    except Found as found:
        return found, watch.counts, set()
    except Stop:
        return None, watch.counts, set()
    return None, watch.counts, states
