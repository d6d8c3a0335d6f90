"""One connection through a tap: what a side sends is cut into pieces, and each piece goes on, waits, or gets lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from gristmill.replay.driver import Node
from gristmill.replay.network.channel import Channel
from gristmill.systems.decoders import Conversation, DecodingError, Piece
from gristmill.systems.running.ports import HOST

if TYPE_CHECKING:
    from gristmill.replay.network.tap import Tap

_AT_ONCE = 1 << 16  # bytes


class Connection:
    """Somebody, the dialer, has connected to the tap in front of `destination`."""

    def __init__(self, tap: Tap, destination: Node, port: str, source: Node | None, conversation: Conversation) -> None:
        self.tap, self.destination, self.port = tap, destination, port
        self.known_source = source
        self.conversation = conversation
        self.forth, self.back = Channel(tap.arrived), Channel(tap.arrived)

    @property
    def source(self) -> Node | None:
        """The dialer, as soon as it is known."""
        return self.known_source or self.tap.names.node_of(self.conversation.dialer)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.back.writer = writer
        try:
            answers = await self._connect()
            if answers is None and not self.tap.decoder.lossy:
                return
            pumps = [self._pump(reader, self.conversation.dialed, self.forth)]
            if answers is not None:
                pumps.append(self._pump(answers, self.conversation.answered, self.back))
            await asyncio.gather(*pumps)
            await asyncio.gather(self.forth.done.wait(), self.back.done.wait())
        finally:
            self.close()

    async def _connect(self) -> asyncio.StreamReader | None:
        """A node that is down does not answer. Messages for it that need no connection are taken all the same."""
        port = self.tap.real_port(self.destination, self.port)
        try:
            reader, self.forth.writer = await asyncio.open_connection(HOST, port)
        except OSError:
            self.back.done.set()
            return None
        return reader

    async def _pump(self, reader: asyncio.StreamReader, cut: Callable[[bytes], list[Piece]], channel: Channel) -> None:
        """Ends when this side has nothing more to say. Then the other side is told, after all that is on its way."""
        with contextlib.suppress(OSError):
            while data := await reader.read(_AT_ONCE):
                self.tap.activity += 1
                pieces = cut(data)
                self.tap.names.learn(self.conversation.dialer)
                self.tap.names.learn(self.conversation.acceptor, self.destination)
                for piece in pieces:
                    self._handle(piece, channel)
        if channel is self.back:
            self.forth.close()  # nobody is there any more to whom it could go
            self.back.end()
        elif not self.conversation.goes_on:
            self.forth.end()
        else:
            self.forth.done.set()

    def _handle(self, piece: Piece, channel: Channel) -> None:
        forth = channel is self.forth
        if piece.record is None:
            if forth and channel.writer is None:
                self.close()  # this is for the node itself, and it is not there
            channel.put(piece.wire)
            self.tap.to_read.add(self.destination if forth else self.source)
            return
        if piece.receipt:
            (self.back if forth else self.forth).put(piece.receipt)
        if forth and self.source is None:
            self.known_source = self.tap.named_in(piece.record)
        source, destination = (self.source, self.destination) if forth else (self.destination, self.source)
        letter = self.tap.letter(source, destination, self.port, piece, None if piece.apart else channel)
        if letter.channel is None:
            self.tap.arrived(letter)
        elif self.tap.kept_order:
            channel.put(letter)
        else:
            channel.put_loose(letter)

    def misunderstood(self, error: DecodingError) -> str:
        return f"{self.source or 'somebody'} -> {self.destination}: {error}"

    def close_towards(self, node: Node) -> None:
        """That node is no more: what is on its way to it is lost."""
        if node == self.destination:
            self.forth.close()
        if node == self.source:
            self.back.close()

    def close(self) -> None:
        self.forth.close()
        self.back.close()
