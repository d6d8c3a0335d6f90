"""The same processes, running: each listens on a TCP port of the loopback interface, messages go over connections.

    async with Cluster(system) as cluster:
        await cluster.until(lambda: cluster["l1"].learned)
        await cluster.crash("a1")

`run` does that for a while and gives the processes back.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Literal

from gristmill.explore.data import freeze
from gristmill.explore.process import Handler, Process
from gristmill.explore.program import Local
from gristmill.explore.system import System
from gristmill.explore.transitions import Rules
from gristmill.explore.wire import Codec
from gristmill.trace.schedule import Record

LOOPBACK = "127.0.0.1"


class HandlerFailed(Exception):
    """A handler of a running process raised; the message names process and handler."""


class Cluster:
    """All processes of a system, each with a server of its own. Timers last as long as they say, times `time_scale`."""

    def __init__(self, system: System, seed: int | None = None, time_scale: float = 1.0) -> None:
        self.rules = Rules(system)
        self.codec = Codec(
            {kind for program in self.rules.programs for kinds in program.accepted.values() for kind in kinds}
        )
        self.random = random.Random(seed)
        self.time_scale = time_scale
        self.nodes: dict[str, _Node] = {}
        self.ports: dict[str, int] = {}
        self.history: list[tuple[float, Record]] = []
        self.failure: HandlerFailed | None = None
        self.changed = asyncio.Event()

    def __getitem__(self, name: str) -> Process:
        """The process, live. Look, but leave its fields alone."""
        return self.nodes[name].process

    async def __aenter__(self) -> Cluster:
        for program in self.rules.programs:
            self.nodes[program.name] = _Node(self, program.name, program.first)
        for node in self.nodes.values():
            await node.listen()
        for node in self.nodes.values():
            node.call(node.process.start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for node in self.nodes.values():
            await node.close()

    async def until(self, condition: Callable[[], object], seconds: float = 10.0) -> bool:
        """Wait until something holds; whether it did in time. A handler that raised ends the wait with its error."""
        deadline = time.monotonic() + seconds
        while not condition():
            if self.failure is not None:
                raise self.failure
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), left)
            except TimeoutError:
                return bool(condition())
        return True

    async def crash(self, name: str) -> None:
        """The process stops; what was on its way to it, or not yet sent by it, is lost."""
        await self.nodes[name].close()

    async def restart(self, name: str) -> None:
        """It comes up with its persistent fields as they were, and others as at first."""
        before = self.nodes[name].process
        program = self.rules.programs[self.rules.index[name]]
        kept = {field: freeze(value) for field, value in vars(before).items() if _is_persistent(program.kind, field)}
        fields = tuple((field, kept.get(field, value)) for field, value in program.first.fields)
        node = self.nodes[name] = _Node(self, name, Local(fields))
        await node.listen()
        node.call(node.process.restart)


def _is_persistent(kind: type[Process], field: str) -> bool:
    return field in kind.declared and kind.declared[field].persistent


def run(
    system: System, seconds: float = 5.0, until: Callable[[Cluster], object] | None = None, seed: int | None = None
) -> dict[str, Process]:
    """Run a system over TCP on the loopback interface, for so long or until a condition holds; its processes then."""

    async def main() -> dict[str, Process]:
        async with Cluster(system, seed) as cluster:
            await cluster.until(lambda: until(cluster) if until else False, seconds)
            if cluster.failure is not None:
                raise cluster.failure
            return {name: node.process for name, node in cluster.nodes.items()}

    return asyncio.run(main())


class _Node:
    """A process with its server, its connections, its timers, and messages that wait. Also its context."""

    def __init__(self, cluster: Cluster, name: str, local: Local) -> None:
        self.cluster, self.name = cluster, name
        self.program = cluster.rules.programs[cluster.rules.index[name]]
        self.process = self.program.live(local)
        self.process._context = self
        self.inbox: list[tuple[str, Any]] = []
        self.outgoing: dict[str, asyncio.Queue[bytes]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.timers: dict[str, asyncio.TimerHandle] = {}
        self.writers: set[asyncio.StreamWriter] = set()
        self.up = False

    async def listen(self) -> None:
        port = self.cluster.ports.get(self.name, 0)
        self.server = await asyncio.start_server(self.accept, LOOPBACK, port)
        self.cluster.ports[self.name] = self.server.sockets[0].getsockname()[1]
        self.up = True

    async def close(self) -> None:
        self.up = False
        for handle in self.timers.values():
            handle.cancel()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.server.close()
        for writer in self.writers:
            writer.close()
        await self.server.wait_closed()

    # In

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.add(writer)
        try:
            while line := await reader.readline():
                sender, _, message = self.cluster.codec.decode(line)
                if self.up:
                    self.inbox.append((sender, message))
                    self.work()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    def work(self) -> None:
        """Handle what can be handled, until nothing can."""
        while self.up and self.cluster.failure is None and self.handle_one():
            pass

    def handle_one(self) -> bool:
        arriving = self.arriving()
        for method, handler in self.program.handlers.items():
            if handler.kind == "message":
                for at in arriving:
                    sender, message = self.inbox[at]
                    if isinstance(message, handler.messages) and self.allows(handler, message):
                        del self.inbox[at]
                        self.call(getattr(self.process, method), message, sender)
                        return True
            elif handler.kind == "quorum":
                chosen = self.quorum(handler, arriving)
                if chosen is not None:
                    messages = {self.inbox[at][0]: self.inbox[at][1] for at in chosen}
                    for at in sorted(chosen, reverse=True):
                        del self.inbox[at]
                    self.call(getattr(self.process, method), messages)
                    return True
        return False

    def arriving(self) -> list[int]:
        """Which messages may be handled next: the first from each sender, if channels are ordered."""
        if not self.cluster.rules.system.network.ordered:
            return list(range(len(self.inbox)))
        first: dict[str, int] = {}
        for at, (sender, _) in enumerate(self.inbox):
            first.setdefault(sender, at)
        return sorted(first.values())

    def quorum(self, handler: Handler, arriving: Sequence[int]) -> Sequence[int] | None:
        size = handler.size(self.process) if callable(handler.size) else handler.size
        groups: dict[Any, dict[str, int]] = {}
        for at in arriving:
            sender, message = self.inbox[at]
            if isinstance(message, handler.messages):
                agreed = (type(message), freeze(handler.by(message)) if handler.by else None)
                groups.setdefault(agreed, {}).setdefault(sender, at)
        for by_sender in groups.values():
            for senders in itertools.combinations(sorted(by_sender), size or 0):
                messages = {sender: self.inbox[by_sender[sender]][1] for sender in senders}
                if self.allows(handler, messages):
                    return [by_sender[sender] for sender in senders]
        return None

    def allows(self, handler: Handler, argument: object) -> bool:
        return handler.guard is None or bool(handler.guard(self.process, argument))

    def call(self, method: Callable[..., object], *arguments: Any) -> None:
        try:
            method(*arguments)
        except Exception as error:
            name = getattr(method, "__name__", "?")
            failed = HandlerFailed(f"process {self.name}, handler {name}: {type(error).__name__}: {error}")
            failed.__cause__ = error
            self.cluster.failure = self.cluster.failure or failed
        self.cluster.changed.set()

    # Out: the context of the process

    def send(self, sender: str, receiver: str, message: object) -> None:
        if receiver not in self.cluster.ports:
            raise ValueError(f"there is no process {receiver!r}")
        if receiver not in self.outgoing:
            self.outgoing[receiver] = asyncio.Queue()
            task = asyncio.get_running_loop().create_task(self.deliver(receiver, self.outgoing[receiver]))
            self.tasks.add(task)
        self.outgoing[receiver].put_nowait(self.cluster.codec.encode(sender, receiver, message))

    async def deliver(self, receiver: str, queue: asyncio.Queue[bytes]) -> None:
        """Over one connection, made anew when it breaks. What cannot be delivered is lost."""
        writer: asyncio.StreamWriter | None = None
        while True:
            line = await queue.get()
            try:
                if writer is None or writer.is_closing():
                    _, writer = await asyncio.open_connection(LOOPBACK, self.cluster.ports[receiver])
                writer.write(line)
                await writer.drain()
            except OSError:
                writer = None

    def choose(self, options: Sequence[Any]) -> Any:
        return self.cluster.random.choice(list(options))

    def set_timer(self, name: str, seconds: float) -> None:
        self.cancel_timer(name)
        loop = asyncio.get_running_loop()
        self.timers[name] = loop.call_later(seconds * self.cluster.time_scale, self.fire, name)

    def cancel_timer(self, name: str) -> None:
        handle = self.timers.pop(name, None)
        if handle is not None:
            handle.cancel()

    def fire(self, name: str) -> None:
        self.timers.pop(name, None)
        if self.up:
            self.call(getattr(self.process, self.program.timers[name]))
            self.work()

    def record(self, kind: Literal["invoke", "return"], operation: str, value: object) -> None:
        self.cluster.history.append((time.monotonic(), Record(self.name, kind, operation, value)))
