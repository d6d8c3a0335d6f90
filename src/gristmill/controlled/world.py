"""A world: nodes, a network, a clock, and the events that can happen next in it."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gristmill.controlled import current, event
from gristmill.controlled.connections import Connection
from gristmill.controlled.errors import (
    Uncontrolled,
    Violation,
    describe_error,
    kind_of_error,
    place_of_error,
    verdict_of_error,
)
from gristmill.controlled.event import Event
from gristmill.controlled.loop import ControlledLoop, Main
from gristmill.controlled.network import Network, Packet
from gristmill.controlled.node import Node
from gristmill.controlled.settings import Settings
from gristmill.search.budget.deadline import TookTooLong
from gristmill.search.linearizability import History
from gristmill.search.verdict import Verdict

Check = Callable[[], object]

NO_END = "no end"  # the name of what fails when a run takes too much real time


@dataclass(frozen=True, slots=True)
class Record:
    """What happened in a step, or was noted during it, for the chart."""

    step: int
    now: float
    what: Event | str
    node: Node | None = None


class World:
    """One run of a program. The program gets it to set up nodes and properties."""

    def __init__(self, settings: Settings, seed: int, root: str, starts_nodes: bool = True) -> None:
        self.settings = settings
        self.root = root
        self.starts_nodes = starts_nodes  # if not, somebody else starts each
        self.entropy = random.Random(seed)
        self.now = 0.0
        self.step = 0
        self.running = True
        self.nodes: list[Node] = []
        self.network = Network(self)
        self.history = History(self._tick)
        self.records: list[Record] = []
        self.used: Counter[str] = Counter()  # faults
        self.packets: list[Packet] = []  # all that were ever sent
        self.violation: Violation | None = None
        self.uncontrolled: list[Uncontrolled] = []
        self.outside: set[str] = set()
        self.describe: Callable[[bytes], str] = describe_bytes
        self._always: list[tuple[str, Check]] = []
        self._at_end: list[tuple[str, Check, bool]] = []
        self._until: list[Callable[[], bool]] = []
        self._tolerated: tuple[type[BaseException], ...] = ()
        self._buried: list[Any] = []
        self._ticks = 0
        self._directory: Node | None = None  # whose directory is the working directory
        self.divisions: tuple[int, list[Event]] | None = None  # the ways to fall apart, for so many nodes

    # What a program calls.

    def node(self, name: str, main: Main, *, daemon: bool = False, may_crash: bool = True) -> Node:
        """A node that runs `main(node)`. The run ends when the mains of all nodes that are no daemons have ended."""
        if name in self.network.nodes:
            raise ValueError(f"there is a node called {name!r} already")
        node = Node(self, name, main, len(self.nodes), daemon, may_crash)
        self.nodes.append(node)
        self.network.add(node)
        if self.starts_nodes:
            node.start()
        return node

    def always(self, name: str, check: Check) -> None:
        """A property of every state: `check` returns False, or raises AssertionError, where it does not hold."""
        self._always.append((name, check))

    def at_end(self, name: str, check: Check, *, even_if_cut: bool = False) -> None:
        """A property of the state in which a run ends, if it did not end at a bound, or else `even_if_cut`."""
        self._at_end.append((name, check, even_if_cut))

    def until(self, reached: Callable[[], bool]) -> None:
        """The run ends as soon as this is so."""
        self._until.append(reached)

    def tolerate(self, *errors: type[BaseException]) -> None:
        """Unhandled exceptions are failures, except these."""
        self._tolerated += errors

    def fail(
        self, name: str, message: str = "", kind: str = "", verdict: Verdict = "invariant", node: Node | None = None
    ) -> None:
        """The run fails here."""
        if self.violation is None and self.running:
            self.violation = Violation(name, message, kind, verdict, "" if node is None else node.name)

    def note(self, text: str) -> None:
        """A remark for the chart, at the node that runs now."""
        self.records.append(Record(self.step, self.now, text, current.node))

    # What happens.

    def perform(self, chosen: Event) -> None:
        self.step += 1
        self.records.append(Record(self.step, self.now, chosen))
        if chosen.kind in event.FAULTS:
            self.used[chosen.kind] += 1
        _PERFORM[chosen.kind](self, chosen.subject)
        if self.violation is None and chosen.kind in _CHANGES_NODES:
            self._check_always()

    def turn(self, node: Node, number: int | None = None) -> None:
        if self._directory is not node:
            self._directory = node
            os.chdir(node.directory)
        node.ready_since = None
        current.node = node
        try:
            if number is None:
                node.loop.turn()
            else:
                node.loop.turn_one(number)
        finally:
            current.node = None
        task = node.main_task
        if task is not None and not node.done and task.done():
            self._main_ended(node, task)

    def fire(self, node: Node) -> None:
        when = node.loop.next_timer
        assert when is not None
        self.now = max(self.now, self.now + when - node.loop.time())
        while node.loop.time() < when:  # the sums of fractions may have been rounded down
            self.now += 1e-9
        node.loop.fire_timers()

    def pass_time(self, seconds: float) -> None:
        """The code of a node sleeps: only its clock advances."""
        self.now += max(0.0, seconds)

    @property
    def finished(self) -> bool:
        """Whether every main that is waited for has ended. A node that is down for good is not waited for."""
        if any(reached() for reached in self._until):
            return True
        awaited = [node for node in self.nodes if not node.daemon]
        return bool(awaited) and all(node.done or not node.up for node in awaited)

    # Properties.

    def _main_ended(self, node: Node, task: asyncio.Task[Any]) -> None:
        node.done = True
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.note_error(node, "main", error)

    def note_error(self, node: Node, message: str, error: BaseException | None) -> None:
        if not node.can_act or isinstance(error, (Uncontrolled, *self._tolerated)):
            return
        if isinstance(error, Violation):
            self.violation = self.violation or error
        elif isinstance(error, TookTooLong):  # a task has caught it
            self.fail_slow(error)
        elif error is None:
            self.fail("exception", f"{message} (node {node.name})", verdict="error", node=node)
        else:
            text = f"{describe_error(error)} (node {node.name})"
            self.fail("exception", text, kind_of_error(error), verdict_of_error(error), node)

    def fail_slow(self, error: TookTooLong) -> None:
        limit = self.settings.real_seconds
        text = f"the run took more than {limit:g} s of real time; it was at {place_of_error(error)}"
        self.fail(NO_END, text, verdict="error")

    def _check_always(self) -> None:
        for name, check in self._always:
            self._check(name, check)

    def check_end(self, cut: bool) -> None:
        for name, check, even_if_cut in self._at_end:
            if even_if_cut or not cut:
                self._check(name, check)
        for node in self.nodes:
            for task in node.loop.tasks if node.up else ():
                if task.done() and not task.cancelled() and task._log_traceback:
                    self.note_error(node, "an exception that was never retrieved", task.exception())

    def _check(self, name: str, check: Check) -> None:
        if self.violation is not None:
            return
        try:
            if check() is False:
                self.fail(name)
        except Violation as violation:
            self.violation = violation
        except AssertionError as error:
            self.fail(name, str(error))

    # What is not under control.

    def report_uncontrolled(self, what: str, place: str) -> None:
        """Noted in any case; an error unless it is allowed."""
        found = Uncontrolled(what, place)
        if self.running:
            self.uncontrolled.append(found)
        if not self.running or not self.is_allowed(found):
            raise found  # after the run, when coroutines are closed, it just does not happen

    def is_allowed(self, found: Uncontrolled) -> bool:
        return any(word in found.what for word in self.settings.allow)

    def read_outside(self, path: str) -> None:
        self.outside.add(path)

    # The end.

    def leave_directory(self) -> None:
        """The working directory is no longer that of a node."""
        self._directory = None

    def bury(self, loop: ControlledLoop) -> None:
        """Kept until the end of the run: freed earlier, its coroutines would clean up after themselves."""
        self._buried.append((loop, list(loop.tasks)))

    def dispose(self) -> None:
        """After the run, coroutines are closed, where nothing they do has an effect any more."""
        self.running = False
        for node in self.nodes:
            self.bury(node.loop)
        for loop, tasks in self._buried:
            current.node = loop.node
            for task in tasks:
                dispose_task(task)
            loop.ready.clear()
        current.node = None
        self._buried.clear()

    def _tick(self) -> int:
        self._ticks += 1
        return self._ticks


def dispose_task(task: asyncio.Task[Any]) -> None:
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    if task.done():
        if not task.cancelled():
            task.exception()  # marks it as retrieved
        return
    coroutine = task.get_coro()
    try:
        assert coroutine is not None
        coroutine.close()
    except BaseException:
        pass  # what a program does when it is taken down is no part of the run


def describe_bytes(data: bytes) -> str:
    """The words in it, as far as there are any."""
    if data.isascii() and data.decode().isprintable():
        return data.decode()[:32]
    text = "".join(chr(byte) if 32 <= byte < 127 else " " for byte in data)
    words = " ".join(word for word in text.split() if len(word) > 2)
    return words[:32] if words else f"{len(data)} bytes"


def _run(world: World, subject: Any) -> None:
    if isinstance(subject, tuple):
        world.turn(*subject)
    else:
        world.turn(subject)


def _deliver(world: World, packet: Packet) -> None:
    world.network.take(packet)
    packet.arrive(packet.data)


def _split(world: World, packet: Packet) -> None:
    """The first half arrives, the rest stays at the head of its lane."""
    middle = len(packet.data) // 2
    first, packet.data = packet.data[:middle], packet.data[middle:]
    packet.arrive(first)


def _reset(world: World, connection: Connection) -> None:
    connection.reset()


# Events after which properties are checked: packets and timers by themselves change no node.
_CHANGES_NODES = ("run", "crash", "restart")

_PERFORM: dict[str, Callable[[World, Any], None]] = {
    "run": _run,
    "timer": World.fire,
    "deliver": _deliver,
    "drop": lambda world, packet: world.network.take(packet),
    "duplicate": lambda world, packet: world.network.duplicate(packet),
    "split": _split,
    "reset": _reset,
    "crash": lambda world, node: node.crash(),
    "restart": lambda world, node: node.restart(),
    "partition": lambda world, side: world.network.divide(side),
    "heal": lambda world, _: world.network.heal(),
}
