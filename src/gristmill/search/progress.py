"""How far a search is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gristmill.source.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """`activity`: what is being done, if it is not the search for states. `initial`: how many initial states there are,
    0 if that is not known.
    """

    distinct: int
    generated: int
    queue: int
    depth: int
    seconds: float
    memory: int  # bytes; 0 if unknown
    activity: str | None = None
    initial: int = 0


OnProgress: TypeAlias = Callable[[Progress], None]
