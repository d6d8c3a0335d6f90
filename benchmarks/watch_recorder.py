"""A recorder for experiments: links between programs, whose bytes are written to a recording before they are passed on.

It is Python and slow; `gristmill watch --record` does the same in C. What it has more: bytes may be changed after they
were recorded (`change`), so that a server can be made to misbehave as seen by those who look on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gristmill.watch.recording import ANSWERED, CLOSED, DIALED, OPENED, Chunk, write_chunk

Change = Callable[[str, int, bytes], bytes]  # the name of the link, the direction, what was sent


class Recorder:
    """Links may be added while it runs. `close` ends all of them, and the recording."""

    def __init__(self, path: Path, change: Change = lambda name, direction, data: data) -> None:
        self.stream = path.open("wb")
        self.change = change
        self.sequence = self.connections = 0
        self.slow = ""  # connections whose first request has this in it pass nothing on
        self.loop = asyncio.new_event_loop()
        self.servers: list[asyncio.Server] = []
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def link(self, name: str, listen: int, target: int) -> None:
        asyncio.run_coroutine_threadsafe(self._listen(name, listen, target), self.loop).result(10)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.stream.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def _listen(self, name: str, listen: int, target: int) -> None:
        async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._connection(name, target, reader, writer)

        self.servers.append(await asyncio.start_server(accepted, "127.0.0.1", listen))

    async def _stop(self) -> None:
        for server in self.servers:
            server.close()
        tasks = [each for each in asyncio.all_tasks(self.loop) if each is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connection(
        self, name: str, target: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            writer.close()
            return
        self.connections += 1
        number = self.connections
        self._write(number, OPENED, json.dumps({"name": name, "tport": target}).encode())
        asked: list[bytes] = []
        pumps = [
            asyncio.ensure_future(self._pump(name, number, DIALED, reader, back, asked)),
            asyncio.ensure_future(self._pump(name, number, ANSWERED, there, writer, asked)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            self._write(number, CLOSED, b"{}")
            writer.close()
            back.close()

    async def _pump(self, name: str, number: int, direction: int, reader: Any, writer: Any, asked: list[bytes]) -> None:
        try:
            while data := await reader.read(1 << 16):
                if not asked:
                    asked.append(data[:200])
                while self.slow and self.slow.encode() in asked[0]:
                    await asyncio.sleep(0.05)
                self._write(number, direction, data)
                writer.write(self.change(name, direction, data))
                await writer.drain()
        except OSError:
            return

    def _write(self, connection: int, direction: int, data: bytes) -> None:
        self.sequence += 1
        write_chunk(self.stream, Chunk(self.sequence, time.time_ns(), connection, direction, data))
