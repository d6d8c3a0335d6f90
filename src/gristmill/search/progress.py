"""How far a search is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Progress:
    distinct: int
    generated: int
    queue: int
    depth: int
    seconds: float
    memory: int  # bytes; 0 if unknown


OnProgress: TypeAlias = Callable[[Progress], None]
