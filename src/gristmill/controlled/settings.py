"""How far a run goes, and which faults it may meet."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Faults are bounded for each run: `drops=2` loses at most two datagrams.

    - `steps`, `seconds`: a run ends after that many events, or that much virtual time
    - `drops`, `duplicates`: of datagrams
    - `resets`: connections that break, with what is in flight on them
    - `splits`: pieces of a stream that arrive in two parts
    - `crashes`, `restarts`: of nodes (as many restarts as crashes, unless told otherwise)
    - `partitions`: times that the network falls apart in two, until it heals; `sides` names one of the two, for each
      way in which it may (unless told: every way there is for up to five nodes, each node alone for more)
    - `delay`: a packet arrives, or is lost, within so many virtual seconds
    - `lateness`: a timer fires, and a callback that is ready runs, at most so many virtual seconds late
    - `ready`: callbacks that are ready run in order ("fifo", as asyncio promises), or in any order ("any")
    - `hang_fails`: a run in which nothing can happen any more, with a main function still waiting, is a failure
    - `real_seconds`: real time that one run may take, so that a program that loops for ever is found out
    - `allow`: words; what is not controlled and contains one of them is let through, and noted
    """

    steps: int = 2000
    seconds: float = 120.0
    drops: int = 0
    duplicates: int = 0
    resets: int = 0
    splits: int = 0
    crashes: int = 0
    restarts: int | None = None
    partitions: int = 0
    sides: tuple[tuple[str, ...], ...] = ()
    delay: float = 10.0
    lateness: float = 0.2
    ready: Literal["fifo", "any"] = "fifo"
    hang_fails: bool = True
    real_seconds: float = 30.0
    allow: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int | float) and value < 0:
                raise ValueError(f"{field.name} is {value}: it must not be negative")
        if self.ready not in ("fifo", "any"):
            raise ValueError(f'ready is {self.ready!r}: it must be "fifo" or "any"')

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "allow": list(self.allow), "sides": [list(side) for side in self.sides]}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Settings:
        sides = tuple(tuple(side) for side in data.get("sides", ()))
        return Settings(**{**data, "allow": tuple(data.get("allow", ())), "sides": sides})
