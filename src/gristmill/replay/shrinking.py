"""A smaller trace with the same discrepancy: steps are left out as long as the rest is a behaviour that shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from gristmill.replay.driver import DriverError
from gristmill.replay.result import Run
from gristmill.replay.steps import ModelStep, again
from gristmill.search.shrink import shrink
from gristmill.specification import Specification

Replay = Callable[[Sequence[ModelStep]], Run]


def smaller(
    specification: Specification, trace: Sequence[ModelStep], run: Run, replay: Replay, seconds: float
) -> tuple[tuple[tuple[ModelStep, ...], Run] | None, int]:
    """The smallest trace found in so many seconds with its run, if it is smaller than the prefix that was replayed;
    and how many traces were tried on the system."""
    assert run.discrepancy is not None
    wanted, deadline = run.discrepancy.signature, time.monotonic() + seconds
    first, rest = trace[0], list(trace[1 : run.discrepancy.step + 1])
    best: list[tuple[tuple[ModelStep, ...], Run]] = []
    tries = 0

    def trial(steps: Sequence[ModelStep]) -> Sequence[ModelStep] | None:
        nonlocal tries
        if time.monotonic() > deadline:
            return None
        found = again(specification, [first, *steps])
        if found is None:
            return None
        tries += 1
        try:
            tried = replay(found)
        except DriverError:  # that is something else, and no reason to lose what was found
            return None
        if tried.discrepancy is None or tried.discrepancy.signature != wanted:
            return None
        kept = found[: tried.discrepancy.step + 1]
        best.append((tuple(kept), tried))
        return kept[1:]

    shortest = shrink(rest, trial)
    if len(shortest) >= len(rest) or not best:
        return None, tries
    return min(best, key=lambda each: len(each[0])), tries
