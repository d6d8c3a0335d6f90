"""One connection to a Java virtual machine: commands and their answers, and events as they come.

One thread reads. Answers go to whoever waits for them, events to a function that is called by that thread and must be
quick. When the machine ends, whoever waits is told so.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from gristmill.replay.jvm.protocol import EVENT_COMPOSITE, HANDSHAKE, VM_ID_SIZES
from gristmill.replay.jvm.wire import HEADER, REPLY, Command, Packer, Reply, Sizes, packet

_EVENT = EVENT_COMPOSITE[0] << 8 | EVENT_COMPOSITE[1]
_CHUNK = 1 << 16
_LOOK_AGAIN = 1.0  # seconds
_MOST_AT_ONCE = 500  # commands: as many as surely fit into the buffers on the way, so that sending never waits
_Packet: TypeAlias = tuple[int, int, int, bytes]  # number, flags, code, data


class Disconnected(Exception):
    """The machine has ended, or has closed the connection."""

    def __init__(self) -> None:
        super().__init__("the Java virtual machine has ended, or has closed the connection to its debug port")


class NoAnswer(Exception):
    """The machine has not answered in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the Java virtual machine has not answered within {seconds:g} s")


class Pending:
    """Commands that were sent together; done when all of them are answered, or the connection has ended."""

    __slots__ = ("_missing", "done", "replies")

    def __init__(self, count: int) -> None:
        self.replies: list[Reply | None] = [None] * count
        self._missing = count
        self.done = threading.Event()

    def answer(self, index: int, reply: Reply | None) -> None:
        self.replies[index] = reply
        self._missing -= 1
        if self._missing == 0:
            self.done.set()


class Connection:
    """`on_event` gets the data of each packet with events; `on_end` is called once, when there are no more."""

    def __init__(self, stream: socket.socket, on_event: Callable[[Reply], None], on_end: Callable[[], None]) -> None:
        self.sizes = Sizes()
        self._stream, self._on_event, self._on_end = stream, on_event, on_end
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[Pending, int]] = {}
        self._lock = threading.Lock()  # of sending, and of what waits
        self._ended = False
        self.paused = False  # the whole process is: then it is no wonder that it does not answer
        self._buffer = bytearray()
        self._early: list[_Packet] = []  # what came before the sizes of ids were known
        self._thread = threading.Thread(target=self._read, name="jdwp-reader", daemon=True)

    @classmethod
    def open(
        cls, host: str, port: int, on_event: Callable[[Reply], None], on_end: Callable[[], None], seconds: float = 10.0
    ) -> Connection:
        """Raises `OSError` if nobody listens there, or if it is not a debug port."""
        stream = socket.create_connection((host, port), seconds)
        try:
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream.sendall(HANDSHAKE)
            if _receive(stream, len(HANDSHAKE)) != HANDSHAKE:
                raise ConnectionError(f"what listens on port {port} does not speak the Java Debug Wire Protocol")
            connection = cls(stream, on_event, on_end)
            connection._learn_sizes(seconds)
        except BaseException:
            stream.close()
            raise
        stream.settimeout(None)
        return connection

    def listen(self) -> None:
        """Begin to read. Before this, there are neither answers nor events."""
        self._thread.start()

    def _learn_sizes(self, seconds: float) -> None:
        """Before anything else is read, as events can only be understood with them."""
        self._stream.settimeout(seconds)
        self._stream.sendall(packet(0, Command(VM_ID_SIZES)))
        for number, flags, code, data in self._packets():
            if flags & REPLY and number == 0:
                reply = Reply(data, self.sizes, code).checked()
                self.sizes = Sizes(*(reply.number() for _ in range(5)))
                return
            self._early.append((number, flags, code, data))
        raise ConnectionError("the Java virtual machine has closed the connection to its debug port")

    @property
    def pack(self) -> Packer:
        return Packer(self.sizes)

    @property
    def ended(self) -> bool:
        return self._ended

    # ------------------------------------------------------------------------------------------------------- commands

    def ask(self, commands: Sequence[Command], seconds: float = 30.0) -> list[Reply]:
        """Send all, then wait for all answers, which may be errors. Raises `Disconnected` and `NoAnswer`."""
        if len(commands) <= _MOST_AT_ONCE:
            return self.wait(self.send(commands), seconds)
        parts = (commands[at : at + _MOST_AT_ONCE] for at in range(0, len(commands), _MOST_AT_ONCE))
        return [reply for part in parts for reply in self.wait(self.send(part), seconds)]

    def send(self, commands: Sequence[Command]) -> Pending:
        """Send without waiting. Raises `Disconnected`."""
        pending = Pending(len(commands))
        if not commands:
            pending.done.set()
            return pending
        data = bytearray()
        with self._lock:
            if self._ended:
                raise Disconnected
            for index, command in enumerate(commands):
                number = next(self._numbers)
                self._waiting[number] = (pending, index)
                data += packet(number, command)
            try:
                self._stream.sendall(data)
            except OSError:
                raise Disconnected from None
        return pending

    def wait(self, pending: Pending, seconds: float) -> list[Reply]:
        left = seconds
        while not pending.done.wait(min(left, _LOOK_AGAIN)):
            if not self.paused:
                left -= _LOOK_AGAIN
            if left <= 0:
                raise NoAnswer(seconds)
        replies = [reply for reply in pending.replies if reply is not None]
        if len(replies) < len(pending.replies):
            raise Disconnected
        return replies

    def close(self) -> None:
        """May be called more than once, and by any thread."""
        with contextlib.suppress(OSError):
            self._stream.shutdown(socket.SHUT_RDWR)
        if threading.current_thread() is not self._thread and self._thread.is_alive():
            self._thread.join(10.0)
        self._stream.close()

    # -------------------------------------------------------------------------------------------------------- reading

    def _read(self) -> None:
        try:
            for each in self._early:
                self._dispatch(*each)
            with contextlib.suppress(OSError):
                for each in self._packets():
                    self._dispatch(*each)
        finally:
            self._end()

    def _packets(self) -> Iterator[_Packet]:
        while True:
            yield from self._complete()
            chunk = self._stream.recv(_CHUNK)
            if not chunk:
                return
            self._buffer += chunk

    def _complete(self) -> Iterator[_Packet]:
        """The packets that have come as a whole."""
        while len(self._buffer) >= HEADER.size:
            length, number, flags, code = HEADER.unpack_from(self._buffer)
            if len(self._buffer) < length:
                return
            data = bytes(self._buffer[HEADER.size : length])
            del self._buffer[:length]
            yield number, flags, code, data

    def _dispatch(self, number: int, flags: int, code: int, data: bytes) -> None:
        if flags & REPLY:
            found = self._waiting.pop(number, None)
            if found is not None:
                found[0].answer(found[1], Reply(data, self.sizes, code))
        elif code == _EVENT:
            self._on_event(Reply(data, self.sizes))

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            waiting, self._waiting = list(self._waiting.values()), {}
        for pending, index in waiting:
            pending.answer(index, None)
        self._on_end()


def _receive(stream: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        more = stream.recv(length - len(data))
        if not more:
            break
        data += more
    return data
