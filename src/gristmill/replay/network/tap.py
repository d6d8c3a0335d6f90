"""The tap: every link of a cluster goes through it, message by message. Lives in the thread of the network."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gristmill.replay.driver import DriverError, Node
from gristmill.replay.network.channel import Channel
from gristmill.replay.network.connection import Connection
from gristmill.replay.network.letters import Inbox, Letter
from gristmill.replay.network.names import Names
from gristmill.replay.network.settings import Settings
from gristmill.systems.decoders import Decoder, DecodingError, Piece, Record, part
from gristmill.systems.running.ports import HOST

_NOBODY: Node = "?"  # a message whose sender is not known


class Tap:
    """`real_port(node, name)`: where a node really listens."""

    def __init__(self, settings: Settings, real_port: Callable[[Node, str], int]) -> None:
        self.decoder: Decoder = settings.decoder
        self.settings, self.real_port = settings, real_port
        self.kept_order = settings.kept_order
        self.names, self.inbox = Names(), Inbox()
        self.cut: set[tuple[Node, Node]] = set()
        self.down: set[Node] = set()  # what is on its way to these is lost
        self.newest: dict[Node, dict[str, Record]] = defaultdict(dict)  # the last message of each kind a node has sent
        self.problems: list[str] = []  # what could not be understood
        self.to_read: set[Node | None] = set()  # nodes that have got something that is no message
        self.activity = 0  # grows whenever bytes come
        self.deliveries = 0  # messages apart that are being delivered
        self._servers: list[asyncio.Server] = []
        self._connections: dict[Connection, asyncio.Task[Any]] = {}
        self._order: dict[tuple[Node, Node], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._posted: set[asyncio.Task[str | None]] = set()
        self._count = 0

    # -------------------------------------------------------------------------------------------- beginning and end

    async def listen(self, at: int, destination: Node, port: str, source: Node | None = None) -> None:
        """In front of that port of the destination; for one source, or for everybody."""

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            conversation = self.decoder.conversation(taking=True)
            await self._connected(reader, writer, Connection(self, destination, port, source, conversation))

        try:
            self._servers.append(await asyncio.start_server(connected, HOST, at))
        except OSError as error:
            help = "another replay may run: end it, and try again"
            raise DriverError(f"the tap cannot listen on {HOST}:{at}: {error.strerror}", help) from None

    async def end(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()
        await self.forget()

    async def forget(self) -> None:
        """As it was before anything came: all connections end, and what was on its way is lost."""
        tasks = [*self._connections.values(), *self._posted]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.inbox.clear()
        self.cut.clear()
        self.to_read.clear()
        self.newest.clear()
        self.problems.clear()
        self.names.forget()

    async def _connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: Connection
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[connection] = task
        try:
            await connection.serve(reader, writer)
        except DecodingError as error:
            self.problems.append(connection.misunderstood(error))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            del self._connections[connection]

    # ------------------------------------------------------------------------------------------------------- messages

    def named_in(self, record: Record) -> Node | None:
        """From whom a message says that it is."""
        found = None if self.settings.source is None else part(record, self.settings.source)
        return self.names.of_nodes(found) if isinstance(found, str) else None

    def letter(
        self, source: Node | None, destination: Node | None, port: str, piece: Piece, channel: Channel | None
    ) -> Letter:
        assert piece.record is not None
        record = dict(self.names.of_nodes(piece.record))
        self._count += 1
        letter = Letter(self._count, source or _NOBODY, destination or _NOBODY, port, record, piece, channel)
        sent = self.newest[letter.source]
        sent.pop(letter.kind, None)  # so that the newest one stands last
        sent[letter.kind] = record
        return letter

    def arrived(self, letter: Letter) -> None:
        """A message is on its way: it goes on, is lost, or waits for a decision."""
        cut = (letter.source, letter.destination) in self.cut or letter.destination in self.down
        if cut or letter.kind in self.settings.dropped:
            self.lose(letter)
        elif letter.kind in self.settings.passed:
            self.post(letter)
        else:
            self.inbox.put(letter)

    def waits(self, letter: Letter) -> bool:
        return letter.channel is None or letter.channel.has(letter)

    def lose(self, letter: Letter) -> None:
        if letter.channel is not None:
            letter.channel.decide(letter, b"")

    def copy(self, letter: Letter) -> None:
        """The message is there twice from now on."""
        self._count += 1
        copy = replace(letter, number=self._count)
        if letter.channel is None:
            self.inbox.put(copy)
        else:
            letter.channel.again(letter, copy)

    def post(self, letter: Letter, wire: bytes | None = None) -> None:
        """Deliver it, in the course of time."""
        task = asyncio.ensure_future(self.deliver(letter, wire))
        self._posted.add(task)  # nobody else would keep it alive
        task.add_done_callback(self._posted.discard)

    async def deliver(self, letter: Letter, wire: bytes | None = None) -> str | None:
        """None when it has been delivered; else why it has not been."""
        wire = letter.piece.wire if wire is None else wire
        if letter.channel is not None:
            return None if letter.channel.decide(letter, wire) else "its connection is gone"
        async with self._order[letter.source, letter.destination]:
            return await self.hand_over(letter.destination, letter.port, wire)

    async def hand_over(self, destination: Node, port: str, wire: bytes) -> str | None:
        """On a connection of its own, until it was accepted."""
        self.deliveries += 1
        writer: asyncio.StreamWriter | None = None
        try:
            reader, writer = await asyncio.open_connection(HOST, self.real_port(destination, port))
            writer.write(wire)
            answer = b""
            while (accepted := self.decoder.accepted(answer)) is None:
                data = await reader.read(1 << 16)
                if not data:
                    return "the connection was closed before there was an answer"
                answer += data
            return None if accepted else f"the answer was {answer[:200].decode('utf-8', 'replace')!r}"
        except OSError as error:
            return error.strerror or str(error)
        finally:
            self.deliveries -= 1
            if writer is not None:
                writer.close()

    # ---------------------------------------------------------------------------------------------------------- links

    def cut_link(self, source: Node, destination: Node, reset: bool) -> None:
        self.cut.add((source, destination))
        if reset:
            for connection in list(self._connections):
                if {connection.source, connection.destination} == {source, destination}:
                    connection.close()

    def gone(self, node: Node) -> None:
        """A node has died. Nothing can get to it by the connections that it had."""
        self.down.add(node)
        for connection in list(self._connections):
            connection.close_towards(node)
