"""While temporal properties are checked: tell about it, and end it when a limit is reached."""

from __future__ import annotations

import time

from gristmill.search import Limits, OnProgress, Progress
from gristmill.search.budget.limits import LimitReached
from gristmill.search.budget.memory import resident_bytes

_TICK = 0.2  # seconds between looks at the clock's consequences


class Pace:
    """To be called often. `seconds` of the limits count from `started`, the beginning of the whole check."""

    def __init__(self, limits: Limits, on_progress: OnProgress | None, started: float) -> None:
        self._limits, self._on_progress, self._started = limits, on_progress, started
        self._next_tick = 0.0
        self._counts = (0, 0, 0, 0)

    def begin(self, distinct: int, generated: int, queue: int, depth: int) -> None:
        """What progress tells about the search."""
        self._counts = (distinct, generated, queue, depth)

    def __call__(self) -> None:
        now = time.monotonic()
        if now < self._next_tick:
            return
        self._next_tick = now + _TICK
        memory, seconds = resident_bytes(), now - self._started
        if self._on_progress is not None:
            self._on_progress(Progress(*self._counts, seconds, memory, "checking temporal properties"))
        reason = self._limits.exceeded(seconds, memory)
        if reason is not None:
            raise LimitReached(reason)
