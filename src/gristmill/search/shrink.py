"""Shrinking of a failing sequence: parts are left out as long as it fails (Zeller and Hildebrandt's ddmin).

What is tried need not be what then happens: events that cannot happen any more are passed over, and others may follow
from those left. So a trial answers with the sequence that was really run, and is a success if that one fails and is
shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

# Gives the sequence that was run if it failed in the same way, None if it did not.
Trial = Callable[[Sequence[T]], Sequence[T] | None]


def shrink(failing: Sequence[T], trial: Trial[T], *, trials: int = 2000) -> list[T]:
    """A sequence from which no single part can be left out, or the best one after so many trials."""
    best, left = list(failing), trials
    size = max(1, len(best) // 2)
    while left > 0:
        best, left, changed = _pass(best, trial, size, left)
        if size == 1 and not changed:
            break
        if not changed or size > len(best):
            size = max(1, min(size, len(best)) // 2)
    return best


def _pass(best: list[T], trial: Trial[T], size: int, left: int) -> tuple[list[T], int, bool]:
    """Leave out each slice of this size once, from the end: what comes late is least likely to be needed."""
    changed = False
    start = max(0, len(best) - size)
    while left > 0:
        left -= 1
        found = trial(best[:start] + best[start + size :])
        if found is not None and len(found) < len(best):
            best, changed = list(found), True
        if start == 0:
            break
        start = max(0, min(start, len(best)) - size)
    return best, left, changed
