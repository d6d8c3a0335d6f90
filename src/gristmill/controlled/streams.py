"""Opening connections: `loop.create_connection`, `loop.create_server`, and so `asyncio.open_connection` and the like.

It takes a packet there and one back.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gristmill.controlled.connections import Connection, StreamTransport
from gristmill.controlled.network import Address

if TYPE_CHECKING:
    from gristmill.controlled.node import Node

ProtocolFactory = Callable[[], asyncio.BaseProtocol]


class Listener(asyncio.AbstractServer):
    """A port on which a node accepts connections."""

    def __init__(self, node: Node, local: Address, factory: ProtocolFactory) -> None:
        self.node = node
        self.factory = factory
        self.incarnation = node.incarnation
        self.host = local[0]
        self.port = node.stream_ports.bind(local[1], self)
        self._open: dict[Connection, None] = {}
        self._serving = False
        self._closed = False
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def sockets(self) -> tuple[ListeningSocket, ...]:
        return () if self._closed else (ListeningSocket((self.host, self.port)),)

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return self.node.loop

    def is_serving(self) -> bool:
        return self._serving

    def accept(self, connection: Connection) -> None:
        protocol = self.factory()
        transport = StreamTransport(connection, self.node, protocol, True, lambda: self._detach(connection))
        self._open[connection] = None
        self.node.loop.call_soon(transport.made)

    def _detach(self, connection: Connection) -> None:
        self._open.pop(connection, None)
        self._wake()

    def close(self) -> None:
        if not self._closed:
            self._closed, self._serving = True, False
            if self.node.incarnation == self.incarnation:
                self.node.stream_ports.release(self.port, self)
            self._wake()

    def _wake(self) -> None:
        if self._closed and not self._open:
            for waiter in self._waiters:
                if not waiter.done():
                    waiter.set_result(None)

    async def start_serving(self) -> None:
        self._serving = True

    async def serve_forever(self) -> None:
        await self.start_serving()
        await self.node.loop.create_future()

    async def wait_closed(self) -> None:
        if self._closed and not self._open:
            return
        waiter: asyncio.Future[None] = self.node.loop.create_future()
        self._waiters.append(waiter)
        await waiter


class ListeningSocket:
    """What programs ask of `server.sockets`."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def getsockname(self) -> Address:
        return self._address


async def connect(node: Node, host: str, port: int, factory: ProtocolFactory) -> tuple[Any, Any]:
    """A packet there (is anybody listening?), a packet back (yes or no)."""
    target = node.network.find(node, host)
    if target is None:
        raise OSError(errno.EHOSTUNREACH, f"{os.strerror(errno.EHOSTUNREACH)}: {host}")
    connection = Connection(node, target, node.next_connection(target), port)
    answer: asyncio.Future[bool] = node.loop.create_future()
    node.network.send(node, target, "connect", b"", lambda _: _knock(connection, answer), connection.to_server)
    try:
        accepted = await answer
    except BaseException:  # given up: the other side may have accepted
        connection.release()
        connection.tell(True, "reset")
        raise
    if not accepted:
        connection.release()
        raise ConnectionRefusedError(errno.ECONNREFUSED, f"Connect call failed ('{host}', {port})")
    protocol = factory()
    transport = StreamTransport(connection, node, protocol, False, connection.release)
    transport.made()
    return transport, protocol


def _knock(connection: Connection, answer: asyncio.Future[bool]) -> None:
    """At the server. Nothing more is read from a lane until the transport at its end is made."""
    server, client = connection.server, connection.client
    listener = server.stream_ports.get(connection.port) if server.up else None
    accepted = False
    if isinstance(listener, Listener) and listener.is_serving():
        accepted = True
        connection.to_server.paused = True
        server.connections[connection] = None
        server.loop.io_event(listener.accept, connection)

    def arrive(_: bytes) -> None:
        if client.up and answer.get_loop() is client.loop:
            connection.to_client.paused = accepted
            client.loop.io_event(_answer, answer, accepted)

    client.network.send(
        server, client, "accept" if accepted else "refuse", b"", arrive, connection.to_client, by_system=True
    )


def _answer(future: asyncio.Future[bool], accepted: bool) -> None:
    if not future.done():
        future.set_result(accepted)
