"""How much a monitor holds and tries. Whoever reaches a limit has lost track, and says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Limits:
    """
    - `states`: simulation states of a node at a time.
    - `tried`: states that are looked at for one message.
    - `window`: the last messages of a node that are kept.
    - `confirm`: the last messages over which an alarm is confirmed by the exact search.
    - `exact`: how often an exact search may evaluate an action.
    - `late`: by how many messages on other connections one that was sent before may be overtaken.
    - `settle`: the messages of a node within which it has answered what came before, or never will: so many are only
      collected where watching begins in the middle of a run.
    """

    states: int = 256
    tried: int = 2_000
    window: int = 192
    confirm: int = 12
    exact: int = 30_000
    late: int = 24
    settle: int = 64

    NAMES: ClassVar[tuple[str, ...]] = ("states", "tried", "window", "confirm", "exact", "late", "settle")
