"""What a composition costs: measured by a short run, and estimated from how its frontier grows."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.compose.build.sources import config_source, module_source
from gristmill.compose.system import Composition
from gristmill.search import Result
from gristmill.search.progress import Progress

_LEVELS = 4  # as many must be known to say anything about how they grow
_COMPILING = 15.0  # seconds that suffice for the native engine to be compiled
_FURTHEST = 10_000  # levels; a search that would be deeper has no end in sight


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one composition. `growth`: how many times as large a level of the search is as the one before.

    `states` and `seconds` are those of the whole search: as they were, if it was finished, or else an estimate; None if
    there is no end in sight.
    """

    result: Result
    growth: float | None
    states: int | None
    seconds: float | None

    @property
    def is_finished(self) -> bool:
        return self.result.verdict != "incomplete"

    def fits(self, budget: float) -> bool:
        return self.seconds is not None and self.seconds <= budget


def measured(composed: Composition, seconds: float, options: Options) -> Cost:
    """Explores the composition for that long, or somewhat longer. Raises `SourceError`."""
    started = time.monotonic()
    result, samples = _explored(composed, seconds, options)
    if result.verdict == "incomplete" and result.engine != "native":
        # The compiler was not done in time, and the reference evaluator's pace says little.
        started = time.monotonic()
        result, samples = _explored(composed, max(_COMPILING, 3 * seconds), options)
    taken = time.monotonic() - started
    widths = widths_of(samples)
    growth = None if len(widths) < 2 or not widths[-2] else widths[-1] / widths[-2]
    if result.verdict != "incomplete":
        return Cost(result, growth, result.distinct, taken)
    states = estimated_states(result, widths)
    if states is None or not result.search_seconds or not result.distinct:
        return Cost(result, growth, states, None)
    rate = result.distinct / result.search_seconds
    return Cost(result, growth, states, max(taken, (states - result.distinct) / rate + taken))


def _explored(composed: Composition, seconds: float, options: Options) -> tuple[Result, list[Progress]]:
    samples: list[Progress] = []
    built = build(module_source(composed), config=config_source(composed), search_path=composed.search_path)
    limited = replace(options, limits=replace(options.limits, seconds=seconds), on_progress=samples.append)
    return check(built.model, limited), samples


def widths_of(samples: Sequence[Progress]) -> list[int]:
    """How many states levels have, of those that were seen: the frontier when the search goes on to the next one."""
    widths: dict[int, int] = {}
    for sample in samples:
        if sample.activity is None:
            widths[sample.depth] = max(widths.get(sample.depth, 0), sample.queue)
    depths = sorted(widths)
    return [widths[depth] for depth in depths[:-1]]  # the last one is not complete


def estimated_states(result: Result, widths: Sequence[int]) -> int | None:
    """Of the whole search, if levels go on to grow more slowly, as they did so far.

    State spaces grow and shrink like a bell: the growth of levels falls by about the same factor from level to level.
    """
    last = [width for width in widths if width > 0][-2 * _LEVELS :]
    if len(last) < _LEVELS:
        return None
    ratios = [after / before for before, after in pairwise(last)]
    slowing: float = (ratios[-1] / ratios[0]) ** (1 / (len(ratios) - 1))
    if slowing >= 1 and ratios[-1] >= 1:
        return None
    total, width, ratio = float(result.distinct), float(max(result.queue, 1)), min(ratios[-1], ratios[-1] * slowing)
    for _ in range(_FURTHEST):
        width *= ratio
        ratio *= min(slowing, 1.0)
        total += width
        if width < 1:
            return math.ceil(total)
    return None
