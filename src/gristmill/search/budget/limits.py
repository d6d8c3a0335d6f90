"""When to stop although there is more to explore."""

from __future__ import annotations

from dataclasses import replace

from gristmill.source.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`depth`: states at this depth are checked but have no successors explored; initial states have depth 1.

    `seconds` and `memory` (bytes of the whole process) are looked at between states, some times a second. `states` is
    looked at between two levels, so that it does not depend on the time what was found. `asked_seconds`: the limit that
    the user gave, where `seconds` are what is left of it.
    """

    depth: int | None = None
    seconds: float | None = None
    memory: int | None = None
    states: int | None = None
    asked_seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("depth", "seconds", "memory", "states"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"a limit of {name} must be more than 0, not {value}")

    def exceeded(self, seconds: float, memory: int) -> str | None:
        """Which budget is used up, in a sentence, or None."""
        if self.seconds is not None and seconds >= self.seconds:
            return self.time_is_up()
        if self.memory is not None and memory >= self.memory:
            return f"The memory limit of {self.memory >> 20} MB was reached"
        return None

    def too_many(self, states: int) -> str | None:
        """Whether there are too many states to go on, in a sentence."""
        if self.states is not None and states > self.states:
            return f"There are more than {self.states:,} states"
        return None

    def time_is_up(self) -> str:
        """A sentence about the limit that was given."""
        return f"The time limit of {self.asked_seconds or self.seconds:g} s was reached"

    def after(self, seconds: float, at_least: float) -> Limits:
        """What is left when so many have passed; `at_least` so much."""
        if self.seconds is None:
            return self
        left = max(at_least, self.seconds - seconds)
        return replace(self, seconds=left, asked_seconds=self.asked_seconds or self.seconds)


NO_LIMITS = Limits()
NO_MEMORY = "There is no more memory"


class LimitReached(Exception):
    """Ends a search that is to be reported as incomplete; the message is a sentence."""
