"""What a program is to the driver, of whichever kind: actors that can go on, and all else that moves by itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gristmill.replay.driver import DriverError, Failure, Node, Reading

At: TypeAlias = Literal["message", "timer"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A message that can be delivered next, or a timer that is set.

    `key`, which can be hashed, is the same as long as it is the same actor. `given` is what points bind without being
    asked, `bound` what their paths lead into.
    """

    key: Any
    text: str
    node: Node
    at: At
    kind: str
    given: Mapping[str, Any] = field(default_factory=dict)
    bound: Any = None


class Stage(ABC):
    """One run of a program. No method waits for anything."""

    @abstractmethod
    def begin(self) -> None:
        """Make the program. No node runs. Raises `DriverError`."""

    @abstractmethod
    def end(self) -> None:
        """The run is over, and nothing is left of it. May be called more than once."""

    @abstractmethod
    def close(self) -> None:
        """There will be no other run."""

    @abstractmethod
    def stir(self) -> None:
        """Let everything run that is no actor, until nothing does. Time stands still."""

    @abstractmethod
    def actors(self) -> list[Actor]:
        """Those that can go on now, the oldest first."""

    @abstractmethod
    def go_on(self, actor: Actor) -> None:
        """A message arrives, or a timer fires, and its node runs until it is quiet."""

    @abstractmethod
    def failures(self) -> list[Failure]:
        """What has gone wrong since this was last asked."""

    @abstractmethod
    def read(self, node: Node, readings: Sequence[Reading]) -> dict[str, Any]:
        """Plain values. Raises `DriverError`."""

    @abstractmethod
    def check_reading(self, reading: Reading) -> None:
        """Raises `DriverError` if there is something wrong with it that can be known before."""

    @abstractmethod
    def fault(self, kind: str, node: Node | None, details: Mapping[str, Any], actor: Actor | None) -> None:
        """`actor` is what it is to hit, for those that hit one."""

    @abstractmethod
    def call(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None: ...

    @abstractmethod
    def running(self, node: Node) -> bool: ...

    @abstractmethod
    def doing(self) -> list[str]: ...

    @abstractmethod
    def kinds(self) -> tuple[str, ...]:
        """The faults that there are."""

    def folder(self, node: Node) -> Path | None:
        return None

    def no_messages(self) -> tuple[str, str] | None:
        """Why messages cannot be told apart, and what helps."""
        return None


_LOSE = ("to", "from", "both", "none")


def check_lose(details: Mapping[str, Any]) -> str:
    """Of a node that is killed: which messages are lost, those to it (if nothing is said), those from it, or both."""
    lose = details.get("lose", _LOSE[0])
    if lose not in _LOSE:
        raise DriverError(f"`kill` cannot lose {lose!r}", f"lose is one of {', '.join(_LOSE)}")
    return str(lose)
