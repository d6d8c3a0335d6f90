"""What stands between the coordinator and a running system: a small interface, and one implementation a kind of system.

A system consists of nodes. Inside of it there are *actors*: threads of a JVM, messages on their way over a link, tasks
and timers of a Python program. The mapping names *points* that actors reach. An actor that reaches a point which is
closed is held there until it is released; what passes an open point, or one that only tells (`Point.tells`), goes on
by itself and is merely noted. So nothing of what the mapping names happens without the coordinator.

Values that cross this interface are plain Python objects that `values.from_python` understands: bool, int, str, tuple,
dict, frozenset. Where a system has no value (null), it is None; the mapping says what that means.

Drivers do not know TLA+: conditions come as functions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from gristmill.source import Span
from gristmill.source.toml_places import Places
from gristmill.systems.running.failing import DriverError, Failure, Node

Bindings: TypeAlias = Mapping[str, Any]

__all__ = [
    "COMMON_OPTIONS", "Arrival", "Bindings", "Driver", "DriverError", "Failure", "Node", "Occurrence", "Point",
    "Reading", "Resolved", "Setup",
]  # fmt: skip


COMMON_OPTIONS = ("waits",)  # of points, that are the coordinator's and no driver's


@dataclass(frozen=True, slots=True)
class Point:
    """A place in the system that actors reach. `at`, `bind` and `options` are the driver's own language.

    - `bind`: names, and how to read their values when an actor is there.
    - `accepts(node, bindings)`: whether this arrival is meant at all; if not, the actor goes on as if there were no
      point. It raises nothing.
    - `tells`: an actor that comes here is not held, but the arrival is noted.
    """

    name: str
    at: str
    bind: Mapping[str, str] = field(default_factory=dict)
    accepts: Callable[[Node, Bindings], bool] = lambda node, bindings: True
    tells: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    span: Span | None = None  # where the mapping has it, for messages


@dataclass(frozen=True, slots=True)
class Reading:
    """How to observe something on a node; `how` is the driver's own language (such as root and path of fields)."""

    name: str
    how: Mapping[str, Any]
    span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """An actor has reached a point. If `held`, it stays there until it is released.

    `actor` is the same for all arrivals of one actor, and speaks to people ("QuorumPeer[1]", "s1 -> s2 #17").
    """

    node: Node
    point: str
    actor: str
    bindings: Bindings
    held: bool
    number: int  # arrivals are numbered in the order in which they happened

    def __str__(self) -> str:
        bound = ", ".join(f"{name} = {value!r}" for name, value in self.bindings.items())
        return f"{self.actor} of {self.node} at {self.point}" + (f" ({bound})" if bound else "")


Occurrence: TypeAlias = Arrival | Failure


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a point has come to, for `--explain`: places in the running system, or why there are none."""

    point: str
    places: tuple[str, ...] = ()
    problem: str | None = None
    help: str | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """What a driver is made from. `document` is the mapping as a whole, `places` has the spans of its keys and values.

    Of the document, a driver reads `[node]`, `[client.NAME]`, and the table that is called like the driver.
    """

    nodes: tuple[Node, ...]
    points: tuple[Point, ...]
    readings: tuple[Reading, ...]
    document: Mapping[str, Any]
    places: Places
    folder: Path  # of the mapping: relative paths start there


class Driver(ABC):
    """Drives one system. All methods are called by one thread, the coordinator's.

    `stop` may be called at any time and more than once; whatever was started is gone after it, whatever happened.
    """

    # Whether nothing happens but what is asked for: what has not come when all has settled never comes.
    instant = False
    # Whether values can be set where an actor is held (`changes` of `release`).
    sets_values = True

    @abstractmethod
    def start(self) -> None:
        """Make what is common to all nodes (folders, ports, taps). No node runs yet. All points are open.

        Raises `DriverError`.
        """

    @abstractmethod
    def stop(self) -> None:
        """End every process, free every port, remove every temporary folder."""

    def reset(self) -> None:
        """As after `start`: no node runs, and nothing is left of what was. For the next trace."""
        self.stop()
        self.start()

    def folder(self, node: Node) -> Path | None:
        """Where a node keeps its files, if it has any."""
        return None

    @abstractmethod
    def points(self) -> list[Resolved]:
        """Every point of the mapping, resolved against the system (running, or its class files)."""

    # ------------------------------------------------------------------------------------------------------- holding

    @abstractmethod
    def hold(self, points: Collection[str], node: Node | None = None) -> None:
        """Close these points, on one node or on all: from now on, actors that reach them are held."""

    @abstractmethod
    def open(self, points: Collection[str], node: Node | None = None) -> None:
        """Open these points. Actors that are held there are released."""

    @abstractmethod
    def held(self) -> list[Arrival]:
        """The actors that are held now, in the order in which they came."""

    @abstractmethod
    def release(self, arrival: Arrival, changes: Mapping[str, Any] | None = None) -> None:
        """Let a held actor go on. `changes`: values to be set where it is held, by the driver's own paths, first.

        Raises `DriverError` if it is not held any more (its node was killed).
        """

    @abstractmethod
    def next(self, seconds: float) -> Occurrence | None:
        """The next thing that happens, in order; None if nothing does for so long. Each is told once."""

    @abstractmethod
    def settle(self, seconds: float) -> bool:
        """Wait until nothing moves but what is held, as far as the driver can know. False: it took longer."""

    # --------------------------------------------------------------------------------------------- looking and acting

    @abstractmethod
    def observe(self, node: Node, readings: Sequence[Reading]) -> dict[str, Any]:
        """What is to be seen on a node, by the names of the readings.

        Raises `DriverError` if the node is down, or if there is no such thing to read.
        """

    @abstractmethod
    def fault(self, kind: str, node: Node | None = None, details: Mapping[str, Any] | None = None) -> None:
        """Do to the system what the world may do to it. Every driver has its own kinds; those that have a kind in
        common call it the same: `start` (a node that is not running), `kill`, `restart`, `pause`, `continue`,
        `cut` and `heal` (`details`: `to`, the other node), `drop` and `duplicate` (`details`: `arrival`).

        Raises `DriverError`, also for a kind that it does not have.
        """

    @abstractmethod
    def call(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        """Begin an operation of a client, as the mapping declares it, and do not wait for its end."""

    @abstractmethod
    def running(self, node: Node) -> bool:
        """Whether a node is up."""

    @abstractmethod
    def doing(self) -> list[str]:
        """A line for each thread, link or task that matters: what it is doing now. For messages."""

    def kinds(self) -> tuple[str, ...]:
        """The kinds of `fault` that there are."""
        return ()
