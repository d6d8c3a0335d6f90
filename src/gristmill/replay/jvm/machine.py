"""A running Java virtual machine, attached to: what can be asked of it, and the events that come from it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import TypeVar

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.calls import Calls
from gristmill.replay.jvm.classes import Classes
from gristmill.replay.jvm.connection import Connection, Disconnected, NoAnswer
from gristmill.replay.jvm.events import Happened, Prepared, Requests, Started, decode
from gristmill.replay.jvm.objects import Objects
from gristmill.replay.jvm.reading import Reading
from gristmill.replay.jvm.tasks import Task, run
from gristmill.replay.jvm.threads import Threads
from gristmill.replay.jvm.wire import Command, Reply

T = TypeVar("T")


class Machine:
    """`happened` has the events, in their order; None at the end, when the machine is gone."""

    def __init__(self, host: str, port: int, seconds: float = 10.0) -> None:
        """Raises `OSError` if nobody listens there, or if it is not a debug port."""
        self.happened: SimpleQueue[Happened | None] = SimpleQueue()
        self.count = 0  # how often something was put there
        self.connection = Connection.open(host, port, self._on_event, self._on_end, seconds)
        pack = self.connection.pack
        self.pack = pack
        self.classes = Classes(pack)
        self.objects = Objects(self.classes, pack)
        self.calls = Calls(self.objects, pack)
        self.threads = Threads(self.classes, pack)
        self.requests = Requests(pack)
        self.connection.listen()

    def run(self, task: Task[T]) -> T:
        """Raises `JdwpError`, `Disconnected`, `NoAnswer`."""
        return run(self.connection, task)

    def reading(
        self,
        aliases: Mapping[str, str],
        is_class: Callable[[str], bool] = lambda name: False,
        thread: int | None = None,
    ) -> Reading:
        return Reading(self.objects, self.calls, aliases, is_class, thread)

    def wait_for_start(self, seconds: float) -> None:
        """With `suspend=y`, the machine says when it is ready; resumed before that, it would stop again.

        Raises `NoAnswer` and `Disconnected`.
        """
        try:
            first = self.happened.get(timeout=seconds)
        except Empty:
            raise NoAnswer(seconds) from None
        if first is None:
            raise Disconnected
        self.count -= 1
        if not any(isinstance(event, Started) for event in first.events):
            self.count += 1
            self.happened.put(first)

    def catch_up(self) -> int:
        """How often something has happened until now. An answer comes behind all events that were sent before it."""
        with contextlib.suppress(Disconnected):
            self.connection.ask([Command(protocol.VM_VERSION)])
        return self.count

    def resume_all(self) -> None:
        self.connection.ask([Command(protocol.VM_RESUME)])[0].checked()

    def resume(self, thread: int) -> None:
        """Raises `JdwpError` if the thread is gone."""
        self.connection.ask([self.threads.resume(thread)])[0].checked()

    def close(self) -> None:
        self.connection.close()

    # ----------------------------------------------------------------------------------- called by the reading thread

    def _on_event(self, reply: Reply) -> None:
        happened = decode(reply)
        if happened.thread in self.calls.calling:
            happened = self._let_go_on(happened)
        if happened.events:
            self.count += 1
            self.happened.put(happened)

    def _let_go_on(self, happened: Happened) -> Happened:
        """A thread that calls a method for us must not be stopped by what it meets there. Classes still get points."""
        if happened.suspended:
            with contextlib.suppress(Disconnected):
                self.connection.send([self.threads.resume(happened.thread)])
        return Happened(False, [event for event in happened.events if isinstance(event, Prepared)])

    def _on_end(self) -> None:
        self.happened.put(None)
