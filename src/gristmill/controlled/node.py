"""A node: a process of the distributed program, with a loop, an address and a disk of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
from typing import TYPE_CHECKING, Any

from gristmill.controlled import event
from gristmill.controlled.connections import Connection
from gristmill.controlled.loop import ControlledLoop, Main
from gristmill.controlled.network import Network, Ports

if TYPE_CHECKING:
    from gristmill.controlled.world import World


class Node:
    """`main(node)` is run when the node starts, and again when it restarts after a crash.

    What is in its directory, the working directory of its code, survives a crash; nothing else does.
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
        self.done = False
        self.ready_since: float | None = None
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
        for connection in list(self.connections):
            connection.lose(self)
        self.connections.clear()
        self.datagram_ports.clear()
        self.stream_ports.clear()

    def restart(self) -> None:
        self.incarnation += 1
        self.start()
