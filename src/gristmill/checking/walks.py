"""Which random behaviours to look at."""

from gristmill.search.walk import OnTrace
from gristmill.source.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Walks:
    """Which behaviours: so many (or without end), of at most `depth` states, numbered from `first`.

    `only_taken`: check only the states that behaviours go through, not all their successors. TLC's -generate does so.
    `on_trace` is given each behaviour in which nothing is wrong, with its number, by the process that made it.
    """

    seed: int
    behaviours: int | None = None
    depth: int = 100
    first: int = 1
    workers: int = 1
    only_taken: bool = False
    on_trace: OnTrace | None = None
