"""Random runs: uniformly chosen transitions, or PCT's random priorities with a few places where they change."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable

from gristmill.explore.model import Model, Transition
from gristmill.explore.result import Meter
from gristmill.explore.searches.stateless import checked_transitions
from gristmill.explore.views import Checker

Pick = Callable[[int, list[Transition]], Transition]
DEFAULT_DEPTH = 200


def sample(model: Model, checker: Checker, meter: Meter, seed: int, first: int, runs: int, pct: int) -> set[Hashable]:
    """Runs number `first` … of a seed; run k of a seed is always the same. `pct` is the bug depth d, 0 for uniform."""
    seen: set[Hashable] = set()
    try:
        for number in range(first, first + runs):
            source = random.Random(f"{seed}/{number}")
            pick = _priorities(model, meter, source, pct) if pct else _uniform(source)
            _run(model, checker, meter, pick, source, seen)
            meter.counts.runs += 1
            meter.counts.distinct = len(seen)
    finally:
        meter.counts.distinct = len(seen)
    return seen


def _run(model: Model, checker: Checker, meter: Meter, pick: Pick, source: random.Random, seen: set[Hashable]) -> None:
    path = [source.choice(model.initial())]
    limit = meter.bounds.depth or DEFAULT_DEPTH
    while True:
        meter.clock()
        seen.add(path[-1].target)
        enabled = checked_transitions(model, checker, path)
        meter.counts.depth = max(meter.counts.depth, len(path))
        if not enabled or len(path) >= limit:
            return
        path.append(pick(len(path), enabled))
        meter.counts.transitions += 1


def _uniform(source: random.Random) -> Pick:
    return lambda step, enabled: source.choice(enabled)


def _priorities(model: Model, meter: Meter, source: random.Random, depth: int) -> Pick:
    """PCT: the process with the highest priority moves; at d - 1 random steps, the one that would move falls behind.

    A bug that needs d ordering constraints among n processes and k steps is found with probability 1/(n k^(d-1)) or
    more in each run (Burckhardt et al., ASPLOS 2010). Which of its own transitions a process takes is random.
    """
    count = len(model.rules.names) + 1  # the network is one more
    priority = [depth + place for place in source.sample(range(count), count)]
    changes = source.sample(range(1, meter.bounds.depth or DEFAULT_DEPTH), depth - 1) if depth > 1 else []
    lowered = {step: depth - 1 - number for number, step in enumerate(changes)}

    def pick(step: int, enabled: list[Transition]) -> Transition:
        moving = max({one.process for one in enabled}, key=lambda process: priority[process])
        if step in lowered:
            priority[moving] = lowered[step]
            moving = max({one.process for one in enabled}, key=lambda process: priority[process])
        return source.choice([one for one in enabled if one.process == moving])

    return pick
