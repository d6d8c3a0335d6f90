"""When nodes run, and when they have come to rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from gristmill.replay.driver import Node
from gristmill.replay.network.background import Background
from gristmill.replay.network.quiet import Look, look, stopped
from gristmill.replay.network.tap import Tap
from gristmill.systems.running.processes import Processes

_BETWEEN_LOOKS = 0.002
_STOP_SECONDS = 1.0


class Rest:
    """With `pause_idle`, a node that has nothing to do does not run: then no clock of its own makes it do something."""

    def __init__(
        self, nodes: Sequence[Node], processes: Processes, background: Background, tap: Tap, pause_idle: bool
    ) -> None:
        self.nodes, self.processes, self.background, self.tap = nodes, processes, background, tap
        self.pause_idle = pause_idle
        self.paused: set[Node] = set()  # by a fault: these stay as they are

    def wake(self, node: Node) -> bool:
        """A node gets something to do. False if it will not do it: it is down, or was paused, or nobody knows it."""
        if node in self.paused or node not in self.nodes or not self.processes.running(node):
            return False
        if self.processes.is_paused(node):
            self.processes.resume(node)
        return True

    def awake(self) -> list[Node]:
        return [each for each in self.nodes if self.processes.running(each) and not self.processes.is_paused(each)]

    def put_to_rest(self) -> None:
        if not self.pause_idle:
            return
        nodes = self.awake()
        for node in nodes:
            self.processes.pause(node)
        for node in nodes:
            self.wait_until_stopped(node)

    def wait_until_stopped(self, node: Node) -> None:
        """A signal is on its way for a while, and the process runs on."""
        pid, deadline = self.processes.pid(node), time.monotonic() + _STOP_SECONDS
        while pid is not None and not stopped(pid) and time.monotonic() < deadline:
            time.sleep(_BETWEEN_LOOKS / 10)

    def settle(self, seconds: float, attend: Callable[[], bool]) -> bool:
        """`attend` sees to what has come meanwhile, and tells whether something had. False: it took longer."""
        deadline = time.monotonic() + seconds
        before: tuple[int, Look] | None = None
        while True:
            self.background.read_all()
            busy = attend() or self._wake_readers()
            now = self._look()
            if now is not None and now == before and not busy:
                self.put_to_rest()
                return True
            before = now
            if time.monotonic() > deadline:
                return False
            time.sleep(_BETWEEN_LOOKS)

    def _wake_readers(self) -> bool:
        """Not only messages are something to do. Tells whether somebody had to be woken up."""
        woken = False
        while self.tap.to_read:
            node = self.tap.to_read.pop()
            if node is not None and self.processes.running(node) and self.processes.is_paused(node):
                woken = self.wake(node) or woken
        return woken

    def _look(self) -> tuple[int, Look] | None:
        """None if something moves: bytes through the tap, a message that is being delivered, a thread of a node."""
        awake = self.awake()
        if self.tap.deliveries:
            return None
        found = look([pid for pid in map(self.processes.pid, awake) if pid is not None])
        return None if found is None else (self.tap.activity, found)
