"""Is every trace of one graph a trace of another?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from gristmill.search.budget.limits import NO_LIMITS, NO_MEMORY, LimitReached, Limits
from gristmill.search.budget.memory import resident_bytes
from gristmill.search.inclusion.core import core
from gristmill.search.inclusion.difference import Difference, difference
from gristmill.search.inclusion.graph import ObservedGraph
from gristmill.search.inclusion.naive import Naive

Engine = Literal["auto", "native", "python"]


@dataclass(frozen=True, slots=True)
class Inclusion:
    """`message`: of an incomplete decision, why. `product_steps`: steps of the first graph that were followed."""

    verdict: Literal["included", "different", "incomplete"]
    message: str = ""
    difference: Difference | None = None
    product_steps: int = 0
    nodes: int = 0
    subsets: int = 0
    seconds: float = 0.0
    engine: Literal["native", "python"] = "native"


def decide(
    first: ObservedGraph,
    second: ObservedGraph,
    *,
    limits: Limits = NO_LIMITS,
    engine: Engine = "auto",
    poll: Callable[[], None] | None = None,
) -> Inclusion:
    """Whether every trace of `first` is one of `second`. Of a difference, one with a shortest trace is told.

    `poll` is called some times a second; what it raises ends the decision and is raised. Limits, Ctrl-C and a lack of
    memory make it incomplete. `seconds` and `memory` of the limits count, the latter of the whole process.
    """
    started = time.monotonic()

    def look() -> None:
        if poll is not None:
            poll()
        reached = limits.exceeded(time.monotonic() - started, 0)
        if reached is not None:
            raise LimitReached(reached)

    try:
        look()
        found = _decided(first, second, limits, engine, look)
    except LimitReached as reached:
        found = Inclusion("incomplete", str(reached))
    except KeyboardInterrupt:
        found = Inclusion("incomplete", "Interrupted")
    except MemoryError:
        found = Inclusion("incomplete", NO_MEMORY)
    return replace(found, seconds=time.monotonic() - started)


def _decided(
    first: ObservedGraph, second: ObservedGraph, limits: Limits, engine: Engine, poll: Callable[[], None]
) -> Inclusion:
    native = core() if engine != "python" else None
    if native is None:
        return _naively(first, second, limits, poll)
    answer = native.decide(first, second, poll, _budget(limits))
    if answer.out_of_memory:
        why = NO_MEMORY if limits.memory is None else _memory_limit(limits)
        return Inclusion("incomplete", why, None, answer.product_steps, answer.nodes, answer.subsets)
    counted = Inclusion("included", "", None, answer.product_steps, answer.nodes, answer.subsets)
    return _with_difference(counted, first, second, answer.run)


def _naively(first: ObservedGraph, second: ObservedGraph, limits: Limits, poll: Callable[[], None]) -> Inclusion:
    def look() -> None:
        poll()
        if limits.memory is not None and resident_bytes() >= limits.memory:
            raise LimitReached(_memory_limit(limits))

    naive = Naive(first, second, look)
    naive.decide()
    counted = Inclusion("included", "", None, naive.steps, len(naive.parents), len(naive.subsets), engine="python")
    return _with_difference(counted, first, second, naive.run)


def _with_difference(found: Inclusion, first: ObservedGraph, second: ObservedGraph, run: list[int] | None) -> Inclusion:
    if run is None:
        return found
    return replace(found, verdict="different", difference=difference(first, second, run))


def _memory_limit(limits: Limits) -> str:
    assert limits.memory is not None
    return f"The memory limit of {limits.memory >> 20} MB was reached"


def _budget(limits: Limits) -> int | None:
    """Of the limit, which is the whole process's, what is left of it."""
    return None if limits.memory is None else max(limits.memory - resident_bytes(), limits.memory // 4)
