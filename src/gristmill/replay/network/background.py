"""A thread in which everything happens that has to do with sockets, so that nothing is locked: an asyncio loop.

What goes between it and the coordinator's thread goes through queues that are written in C. A signal may end the
coordinator at any point, and a lock of Python's that it has just taken would then never be given back.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from gristmill.replay.driver import DriverError

T = TypeVar("T")

_END_SECONDS = 10.0


class Begun(Generic[T]):
    """Something that was begun in the thread of the network."""

    def __init__(self) -> None:
        self.task: asyncio.Task[T] | None = None
        self.ended: SimpleQueue[asyncio.Task[T]] = SimpleQueue()

    @property
    def done(self) -> bool:
        return self.task is not None and self.task.done()


class Background:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.tasks: set[asyncio.Task[Any]] = set()  # nobody else would keep them alive
        self.thread = threading.Thread(target=self._run, name="gristmill network", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
        finally:
            self.loop.close()

    def begin(self, coroutine: Coroutine[Any, Any, T]) -> Begun[T]:
        """Run it there, without waiting."""
        begun: Begun[T] = Begun()

        def start() -> None:
            begun.task = task = self.loop.create_task(coroutine)
            self.tasks.add(task)
            task.add_done_callback(self._ended)
            task.add_done_callback(begun.ended.put)

        self.loop.call_soon_threadsafe(start)
        return begun

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled():
            task.exception()  # whoever has begun it may not be there any more to look at it

    def run(self, coroutine: Coroutine[Any, Any, T], seconds: float = _END_SECONDS, what: str = "the network") -> T:
        """Run it there, and wait for its result. `what` is being waited for, for messages."""
        begun = self.begin(coroutine)
        try:
            return begun.ended.get(timeout=seconds).result()
        except Empty:
            self.give_up(begun)
            raise DriverError(f"{what} did not come to an end within {seconds:g} s") from None
        except BaseException:
            self.give_up(begun)
            raise

    def give_up(self, begun: Begun[Any]) -> None:
        def cancel() -> None:
            if begun.task is not None:
                begun.task.cancel()

        self.loop.call_soon_threadsafe(cancel)

    def do(self, function: Callable[[], T], seconds: float = _END_SECONDS) -> T:
        """Call it there, and wait for its result."""

        async def call() -> T:
            return function()

        return self.run(call(), seconds)

    def read_all(self) -> None:
        """Come back when everything was read that was there to be read: the loop has looked at its sockets twice."""

        async def rounds() -> None:
            for _ in range(4):
                await asyncio.sleep(0)

        self.run(rounds())

    def end(self) -> None:
        if not self.thread.is_alive():
            return
        with contextlib.suppress(DriverError):
            self.run(self._cancel_tasks())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(_END_SECONDS)

    async def _cancel_tasks(self) -> None:
        tasks = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
