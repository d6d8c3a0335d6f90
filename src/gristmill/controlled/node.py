"""A node: a process of the distributed program, with a loop, an address and a disk of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gristmill.controlled import event
from gristmill.controlled.connections import Connection
from gristmill.controlled.loop import ControlledLoop, Main
from gristmill.controlled.network import Network, Ports

if TYPE_CHECKING:
    from gristmill.controlled.world import World


class Node:
    """`main(node)` is run when the node starts, and again when it restarts after a crash.

    What is in its directory, the working directory of its code, survives a crash; nothing else does. In `app` its code
    may leave what others look at; that is gone after a crash.
    """

    def __init__(self, world: World, name: str, main: Main, index: int, daemon: bool, may_crash: bool) -> None:
        self.world = world
        self.name = name
        self.main = main
        self.index = index
        self.daemon = daemon
        self.may_crash = may_crash
        self.host = f"10.0.{index // 250}.{index % 250 + 1}"
        self.incarnation = 0
        self.up = False
        self.has_crashed = False
        self.done = False
        self.ready_since: float | None = None
        self.ahead = 0.0  # seconds: its clock is that much ahead of the world's
        self.app: Any = None
        self.loop = ControlledLoop(self)
        self.datagram_ports = Ports()
        self.stream_ports = Ports()
        self.connections: dict[Connection, None] = {}
        self.main_task: asyncio.Task[Any] | None = None
        self.run_event = event.make("run", name, self)
        self.timer_event = event.make("timer", name, self)
        self.crash_event = event.make("crash", name, self)
        self.restart_event = event.make("restart", name, self)
        self._connection_numbers: dict[Node, int] = {}
        self._directory: str | None = None

    def __repr__(self) -> str:
        return f"<node {self.name}>"

    @property
    def network(self) -> Network:
        return self.world.network

    @property
    def can_act(self) -> bool:
        return self.up and self.world.running

    @property
    def now(self) -> float:
        return self.world.now + self.ahead

    @property
    def directory(self) -> str:
        """Its disk: empty at the beginning of a run."""
        if self._directory is None:
            self._directory = os.path.join(self.world.root, self.name)
            shutil.rmtree(self._directory, ignore_errors=True)
            os.makedirs(self._directory)
        return self._directory

    def next_connection(self, target: Node) -> int:
        number = self._connection_numbers[target] = self._connection_numbers.get(target, 0) + 1
        return number

    def start(self) -> None:
        self.up = True
        self.done = False
        self.loop = ControlledLoop(self)
        self.loop.call_soon(self._begin)

    def _begin(self) -> None:
        self.main_task = self.loop.create_task(self.main(self), name=f"{self.name}-main")

    def crash(self) -> None:
        """Its process is killed: its code runs no more, not even to clean up."""
        self.world.bury(self.loop)
        self.up = False
        self.has_crashed = True
        self.app = None
        for connection in list(self.connections):
            connection.lose(self)
        self.connections.clear()
        self.datagram_ports.clear()
        self.stream_ports.clear()

    def restart(self) -> None:
        self.incarnation += 1
        self.start()

    def run_until_quiet(self) -> None:
        """Its callbacks run until none is ready; the clock stands still."""
        turns = self.world.settings.steps
        while self.up and self.loop.ready:
            if turns == 0:
                text = f"{self.name} does not come to rest: its loop has turned {self.world.settings.steps} times"
                self.world.fail("no rest", text, verdict="error", node=self)
                return
            turns -= 1
            self.world.perform(self.run_event)

    def pass_time(self, until: Callable[[], bool], seconds: float = 60.0) -> bool:
        """Time passes for this node alone: its timers fire, one moment after the other, until this is so.

        False if it is not after that many seconds, or as soon as there is no timer.
        """
        end = self.loop.time() + seconds
        while not until():
            when = self.loop.next_timer
            if when is None or when > end or not self.up:
                return False
            self.fire_next()
        return True

    def fire_next(self) -> None:
        """Time passes for this node alone until its next timer is due, and it runs until it is quiet."""
        when = self.loop.next_timer
        assert when is not None
        self.ahead += max(0.0, when - self.loop.time())
        while self.loop.time() < when:  # the sums of fractions may have been rounded down
            self.ahead += 1e-9
        self.loop.fire_timers()
        self.run_until_quiet()
