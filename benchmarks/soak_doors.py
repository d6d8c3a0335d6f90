"""Doors: proxies behind the tap, in front of the nodes, at which links are cut and slowed down.

What the tap has noted may wait here, or never arrive, as on a real network.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

HOST = "127.0.0.1"
_FROM = re.compile(rb"X-Server-From: ([0-9a-f]+)", re.IGNORECASE)  # how members of etcd say who dials
_POLL = 0.02  # seconds


@dataclass(eq=False)
class _Connection:
    owner: str
    dialer: str
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    def abort(self) -> None:
        for each in self.writers:
            each.transport.abort()


class Doors:
    """`cut`: nodes that nobody reaches, and that reach nobody; `silent`: the same, but connections stay.
    `slow`: seconds by which what a node is sent is held up."""

    def __init__(self) -> None:
        self.cut: set[str] = set()
        self.silent: set[str] = set()
        self.slow: dict[str, float] = {}
        self.identities: dict[str, str] = {}  # names of nodes, by what they call themselves where they dial
        self._connections: set[_Connection] = set()
        self._servers: list[asyncio.Server] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def open(self, owner: str, target: int, dialer: str = "") -> int:
        """A port that leads to another one. `dialer`: who comes by here; otherwise it says so itself."""
        return asyncio.run_coroutine_threadsafe(self._open(owner, target, dialer), self._loop).result(10)

    async def _open(self, owner: str, target: int, dialer: str) -> int:
        async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await self._pass(_Connection(owner, dialer, [writer]), target, reader)
            writer.transport.abort()

        server = await asyncio.start_server(accepted, HOST, 0)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def _pass(self, connection: _Connection, target: int, reader: asyncio.StreamReader) -> None:
        first = await reader.read(1 << 16)
        if not connection.dialer:
            found = _FROM.search(first)
            connection.dialer = self.identities.get(found[1].decode(), "?") if found else "?"
        if not first or self._is(connection, self.cut):
            return
        there, back = await asyncio.open_connection(HOST, target)
        connection.writers.append(back)
        self._connections.add(connection)
        pumps = [
            asyncio.ensure_future(self._pump(connection, connection.owner, reader, back, first)),
            asyncio.ensure_future(self._pump(connection, connection.dialer, there, connection.writers[0], b"")),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._connections.discard(connection)
            for each in pumps:
                each.cancel()
            connection.abort()

    async def _pump(
        self, connection: _Connection, to: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes
    ) -> None:
        with contextlib.suppress(OSError):
            while data or (data := await reader.read(1 << 16)):
                if to in self.slow:
                    await asyncio.sleep(self.slow[to])
                while self._is(connection, self.silent):
                    await asyncio.sleep(_POLL)
                writer.write(data)
                await writer.drain()
                data = b""

    @staticmethod
    def _is(connection: _Connection, among: set[str]) -> bool:
        return connection.owner in among or connection.dialer in among

    def isolate(self, node: str) -> None:
        self.cut.add(node)
        self._call(self._reset)

    def _reset(self) -> None:
        for each in list(self._connections):
            if self._is(each, self.cut):
                each.abort()

    def heal(self) -> None:
        self.cut.clear()
        self.silent.clear()
        self.slow.clear()

    def _call(self, what: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(what)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    async def _stop(self) -> None:
        for server in self._servers:
            server.close()
        tasks = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
