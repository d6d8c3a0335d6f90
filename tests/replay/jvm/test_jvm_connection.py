"""Connections that go wrong: no hang, one clear error."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from gristmill.replay.jvm.connection import Connection, Disconnected, NoAnswer
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.protocol import HANDSHAKE, VM_VERSION
from gristmill.replay.jvm.wire import Command, Reply

HEADER = 11


@contextmanager
def peer(behave: Callable[[socket.socket], None]) -> Iterator[int]:
    """Somebody who listens on a port and behaves in a way of its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            stream, _ = server.accept()
            with stream:
                behave(stream)

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def answer_sizes(stream: socket.socket, size: int = 8) -> None:
    stream.sendall(stream.recv(len(HANDSHAKE)))
    number = struct.unpack(">II", stream.recv(HEADER)[:8])[1]
    reply(stream, number, struct.pack(">5i", *[size] * 5))


def reply(stream: socket.socket, number: int, data: bytes, error: int = 0) -> None:
    stream.sendall(struct.pack(">IIBH", HEADER + len(data), number, 0x80, error) + data)


def opened(port: int, on_event: Callable[[Reply], None] = lambda reply: None) -> Connection:
    ended = threading.Event()
    connection = Connection.open("127.0.0.1", port, on_event, ended.set, seconds=5.0)
    connection.listen()
    return connection


def test_who_does_not_speak_the_protocol_is_told_apart() -> None:
    with (
        peer(lambda stream: stream.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")) as port,
        pytest.raises(ConnectionError, match=f"what listens on port {port} does not speak"),
    ):
        opened(port)


def test_who_closes_at_once_is_told_apart() -> None:
    with peer(lambda stream: None) as port, pytest.raises(OSError, match=r"does not speak|reset|closed"):
        opened(port)


def test_answers_come_to_those_who_asked_in_any_order() -> None:
    def behave(stream: socket.socket) -> None:
        answer_sizes(stream)
        requests = stream.recv(3 * HEADER, socket.MSG_WAITALL)
        numbers = [struct.unpack_from(">I", requests, at + 4)[0] for at in range(0, len(requests), HEADER)]
        for number in reversed(numbers):
            reply(stream, number, struct.pack(">I", number))
        stream.recv(1)

    with peer(behave) as port:
        connection = opened(port)
        replies = connection.ask([Command(VM_VERSION)] * 3)
        assert [each.number() for each in replies] == [1, 2, 3]
        connection.close()


def test_a_machine_that_dies_ends_the_wait() -> None:
    def behave(stream: socket.socket) -> None:
        answer_sizes(stream)
        stream.recv(HEADER)

    with peer(behave) as port:
        connection = opened(port)
        with pytest.raises(Disconnected):
            connection.ask([Command(VM_VERSION)])
        with pytest.raises(Disconnected):
            connection.ask([Command(VM_VERSION)])
        assert connection.ended
        connection.close()
        connection.close()


def test_a_machine_that_does_not_answer() -> None:
    def behave(stream: socket.socket) -> None:
        answer_sizes(stream)
        stream.recv(HEADER)
        stream.recv(1)  # the end

    with peer(behave) as port:
        connection = opened(port)
        with pytest.raises(NoAnswer, match=r"has not answered within 0\.05 s"):
            connection.ask([Command(VM_VERSION)], seconds=0.05)
        connection.close()


def test_events_before_the_sizes_of_ids_are_understood_with_them() -> None:
    """A machine may say that it has started before it has said how long its ids are."""
    started = struct.pack(">BI", 2, 1) + struct.pack(">BiI", 90, 0, 77)  # ids of four bytes

    def behave(stream: socket.socket) -> None:
        stream.sendall(stream.recv(len(HANDSHAKE)))
        stream.sendall(struct.pack(">IIBBB", HEADER + len(started), 9, 0, 64, 100) + started)
        number = struct.unpack(">II", stream.recv(HEADER)[:8])[1]
        reply(stream, number, struct.pack(">5i", *[4] * 5))
        stream.recv(1)

    with peer(behave) as port:
        machine = Machine("127.0.0.1", port)
        found = machine.happened.get(timeout=5.0)
        assert found is not None
        assert found.thread == 77
        machine.close()
