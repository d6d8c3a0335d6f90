"""The event loop of one node, controlled by the world: it runs when scheduled, in virtual time.

Callbacks that are ready run in the order in which they became ready, as asyncio promises; what the world decides is
what happens between two iterations of the loop, and when the next one is.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import itertools
import sys
import weakref
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from gristmill.controlled import datagrams, streams
from gristmill.controlled.errors import here
from gristmill.controlled.sockets import VirtualSocket
from gristmill.controlled.substitutes import MONOTONIC_START

if TYPE_CHECKING:
    from gristmill.controlled.node import Node


class SteadyFuture(asyncio.Future[Any]):
    """Its hash is a number of this run rather than an address in memory, so that sets of futures keep their order."""

    steady: int

    def __hash__(self) -> int:
        return self.steady


class SteadyTask(asyncio.Task[Any]):
    def __init__(self, coro: Any, *, loop: ControlledLoop, name: str | None, context: Any) -> None:
        self.steady = loop.next_number()  # before anything puts it into a set
        super().__init__(coro, loop=loop, name=name or f"{loop.node.name}-{self.steady}", context=context)

    def __hash__(self) -> int:
        return self.steady


# Its methods take what asyncio's take, but say less of their types than the declarations of that library do.
_AbstractLoop: Any = asyncio.AbstractEventLoop


class ControlledLoop(_AbstractLoop):  # type: ignore[misc]
    def __init__(self, node: Node) -> None:
        self.node = node
        self.ready: deque[tuple[int, asyncio.Handle]] = deque()
        self.tasks: weakref.WeakSet[SteadyTask] = weakref.WeakSet()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = itertools.count(1)
        self._context = contextvars.Context()  # of what arrives from outside
        self._asyncgens: weakref.WeakSet[Any] = weakref.WeakSet()
        self._exception_handler: Any = None
        self._task_factory: Any = None
        self._closed = False

    # What the world calls.

    def next_number(self) -> int:
        return next(self._numbers)

    def turn(self) -> None:
        """One iteration: everything that is ready now, and nothing that becomes ready by it."""
        self._run_handles([self.ready.popleft() for _ in range(len(self.ready))])

    def turn_one(self, number: int) -> None:
        """One callback, whichever it is."""
        chosen = next(entry for entry in self.ready if entry[0] == number)
        self.ready.remove(chosen)
        self._run_handles([chosen])

    def _run_handles(self, batch: list[tuple[int, asyncio.Handle]]) -> None:
        hooks = sys.get_asyncgen_hooks()
        outer = events._get_running_loop()  # exploration may be asked for by a coroutine
        sys.set_asyncgen_hooks(self._asyncgens.add, self._close_asyncgen)
        events._set_running_loop(self)
        try:
            for _, handle in batch:
                if not handle.cancelled():
                    handle._run()
        finally:
            events._set_running_loop(outer)
            sys.set_asyncgen_hooks(*hooks)

    @property
    def next_timer(self) -> float | None:
        """When the first timer is due that was not cancelled."""
        timers = self._timers
        while timers and timers[0][2].cancelled():
            heapq.heappop(timers)
        return timers[0][0] if timers else None

    @property
    def first_timer(self) -> asyncio.TimerHandle | None:
        """The one that is due then."""
        return self._timers[0][2] if self.next_timer is not None else None

    def fire_timers(self) -> None:
        """Every timer that is due becomes ready, in the order of their deadlines."""
        now = self.time()
        while self._timers and self._timers[0][0] <= now:
            _, number, handle = heapq.heappop(self._timers)
            if not handle.cancelled():
                self.ready.append((number, handle))

    def io_event(self, callback: Callable[..., object], *arguments: Any) -> None:
        self.ready.append((self.next_number(), asyncio.Handle(callback, arguments, self, self._context.copy())))

    # Callbacks, futures, tasks.

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self.ready.append((next(self._numbers), handle))
        return handle

    call_soon_threadsafe = call_soon

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._numbers), handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers are passed over when their time comes."""

    def time(self) -> float:
        return MONOTONIC_START + self.node.now

    def create_future(self) -> SteadyFuture:
        future = SteadyFuture(loop=self)
        future.steady = next(self._numbers)
        return future

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> Any:
        if self._task_factory is not None:
            return self._task_factory(self, coro)
        task = SteadyTask(coro, loop=self, name=name, context=context)
        self.tasks.add(task)
        return task

    def set_task_factory(self, factory: Any) -> None:
        self._task_factory = factory

    def get_task_factory(self) -> Any:
        return self._task_factory

    def _close_asyncgen(self, generator: Any) -> None:
        self._asyncgens.discard(generator)
        if self.node.can_act:
            self.call_soon(self.create_task, generator.aclose())

    async def shutdown_asyncgens(self) -> None:
        for generator in list(self._asyncgens):
            await generator.aclose()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """There is none."""

    # Errors.

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if self._exception_handler is not None:
            self._exception_handler(self, context)
        else:
            self.default_exception_handler(context)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        self.node.world.note_error(self.node, context.get("message", ""), context.get("exception"))

    def set_exception_handler(self, handler: Any) -> None:
        self._exception_handler = handler

    def get_exception_handler(self) -> Any:
        return self._exception_handler

    # The life of a loop.

    def get_debug(self) -> bool:
        return False

    def set_debug(self, enabled: bool) -> None:
        """Debug mode measures real time, which means nothing here."""

    def is_running(self) -> bool:
        return not self._closed

    def is_closed(self) -> bool:
        return self._closed

    def stop(self) -> None:
        self.node.world.report_uncontrolled("the event loop is stopped from inside", here())

    def close(self) -> None:
        self._closed = True

    def run_forever(self) -> None:
        raise RuntimeError("This event loop is already running")

    def run_until_complete(self, future: Any) -> Any:
        raise RuntimeError("This event loop is already running")

    # The network.

    async def getaddrinfo(
        self, host: Any, port: Any, *, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
    ) -> Any:
        return self.node.network.resolve(self.node, host, port, family, type, proto)

    async def getnameinfo(self, sockaddr: Any, flags: int = 0) -> tuple[str, str]:
        node = self.node.network.find(self.node, sockaddr[0])
        return (node.name if node is not None else sockaddr[0], str(sockaddr[1]))

    async def create_datagram_endpoint(
        self, protocol_factory: Any, local_addr: Any = None, remote_addr: Any = None, *, sock: Any = None, **_: Any
    ) -> tuple[Any, Any]:
        if isinstance(sock, VirtualSocket):
            local_addr = sock.getsockname()
            sock.close()
        elif sock is not None:
            self.node.world.report_uncontrolled("a real socket is used", here())
        local = datagrams.local_address(self.node, local_addr)
        protocol = protocol_factory()
        transport = datagrams.DatagramTransport(self.node, local, remote_addr, protocol)
        self.call_soon(protocol.connection_made, transport)
        await asyncio.sleep(0)
        return transport, protocol

    async def create_connection(
        self, protocol_factory: Any, host: Any = None, port: Any = None, *, ssl: Any = None, sock: Any = None, **_: Any
    ) -> tuple[Any, Any]:
        if ssl:
            self.node.world.report_uncontrolled("TLS is used", here())
        if sock is not None or host is None:
            self.node.world.report_uncontrolled("a real socket is used", here())
        address = self.node.network.resolve(self.node, host, port, 0, 0, 0)[0][4]
        return await streams.connect(self.node, address[0], address[1], protocol_factory)

    async def create_server(
        self,
        protocol_factory: Any,
        host: Any = None,
        port: Any = None,
        *,
        sock: Any = None,
        ssl: Any = None,
        start_serving: bool = True,
        **_: Any,
    ) -> asyncio.AbstractServer:
        if ssl:
            self.node.world.report_uncontrolled("TLS is used", here())
        if sock is not None:
            self.node.world.report_uncontrolled("a real socket is used", here())
        first = host[0] if isinstance(host, list | tuple) else host
        local = datagrams.local_address(self.node, (first, port or 0))
        listener = streams.Listener(self.node, local, protocol_factory)
        if start_serving:
            await listener.start_serving()
        return listener

    async def sock_recvfrom(self, sock: Any, bufsize: int) -> tuple[bytes, Any]:
        virtual = self._virtual(sock)
        virtual.setblocking(False)
        try:
            return virtual.recvfrom(bufsize)
        except BlockingIOError:
            future = self.create_future()
            virtual.waiting.append(future)
            data, source = await future
            return data[:bufsize], source

    async def sock_recv(self, sock: Any, nbytes: int) -> bytes:
        return (await self.sock_recvfrom(sock, nbytes))[0]

    async def sock_sendto(self, sock: Any, data: Any, address: Any) -> int:
        return self._virtual(sock).sendto(data, address)

    async def sock_sendall(self, sock: Any, data: Any) -> None:
        self._virtual(sock).send(data)

    async def sock_connect(self, sock: Any, address: Any) -> None:
        self._virtual(sock).connect(address)

    def _virtual(self, sock: Any) -> VirtualSocket:
        if not isinstance(sock, VirtualSocket):
            self.node.world.report_uncontrolled("a real socket is used", here())
        assert isinstance(sock, VirtualSocket)
        return sock

    # What is not controlled.

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        """Where it is allowed, the function runs as one callback: as another thread would, but atomically."""
        self.node.world.report_uncontrolled("a function is given to an executor (a thread or a process)", here())
        future = self.create_future()
        self.call_soon(_run_function, future, func, args)
        return future

    def set_default_executor(self, executor: Any) -> None:
        self.node.world.report_uncontrolled("an executor is set", here())

    def add_signal_handler(self, sig: int, callback: Any, *args: Any) -> None:
        """No signal arrives in here."""

    def remove_signal_handler(self, sig: int) -> bool:
        return False


def _run_function(future: SteadyFuture, function: Any, arguments: tuple[Any, ...]) -> None:
    try:
        result = function(*arguments)
    except Exception as error:
        if not future.cancelled():
            future.set_exception(error)
    else:
        if not future.cancelled():
            future.set_result(result)


def _refuse(name: str, what: str) -> None:
    def refused(self: ControlledLoop, *_: Any, **__: Any) -> None:
        self.node.world.report_uncontrolled(what, here())

    setattr(ControlledLoop, name, refused)


for _name, _what in {
    "subprocess_exec": "another process is started",
    "subprocess_shell": "another process is started",
    "connect_read_pipe": "a pipe is read",
    "connect_write_pipe": "a pipe is written",
    "create_unix_connection": "a Unix socket is used",
    "create_unix_server": "a Unix socket is used",
    "connect_accepted_socket": "a real socket is used",
    "start_tls": "TLS is used",
    "add_reader": "a file descriptor is watched",
    "add_writer": "a file descriptor is watched",
    "sock_accept": "a stream socket is used without the loop's own connections",
    "sock_recv_into": "a stream socket is used without the loop's own connections",
    "sock_recvfrom_into": "a stream socket is used without the loop's own connections",
    "sock_sendfile": "a file is sent by the system",
    "sendfile": "a file is sent by the system",
}.items():
    _refuse(_name, _what)

Main = Callable[["Node"], Coroutine[Any, Any, Any]]
