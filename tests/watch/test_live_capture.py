"""Passive capture: packets of loopback put together; also with random packets, under the sanitizers."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_servers import HOST, SECONDS, Taker, bytes_of, dialed, echo, received, serving, taken, until
from live_watch import ask, assign, watching

from gristmill.cc import CompilerError, build
from gristmill.source import SourceError
from gristmill.watch.live.capture import Capture
from gristmill.watch.live.links import Address, Link
from gristmill.watch.live.ring import FLAGS, NATIVE, Ring
from gristmill.watch.recording import ANSWERED, CLOSED, DIALED, NOTE, OPENED, facts

SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def may_capture() -> bool:
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0).close()
    except OSError:
        return False
    return True


needs_capture = pytest.mark.skipif(not may_capture(), reason="packets cannot be captured here: no CAP_NET_RAW")


@pytest.mark.parametrize("sanitizers", [(), SANITIZERS], ids=["plain", "sanitized"])
def test_random_packets(sanitizers: tuple[str, ...]) -> None:
    """What comes out is what was sent; what was lost tears a connection, and nothing else does."""
    try:
        build({"empty.c": "int main(void) { return 0; }\n"}, flags=sanitizers, kind="program")
    except CompilerError:
        pytest.skip("the compiler has no sanitizers")
    paths = [Path(__file__).parent / "streams_stress.c", NATIVE / "streams.c", NATIVE / "ring.c"]
    program = build(paths=paths, flags=[*FLAGS, *sanitizers], kind="program")
    for seed in range(1, 4):
        done = subprocess.run([program, str(seed), "1500"], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


@contextlib.contextmanager
def capturing(port: int, host: str = HOST, interface: str | None = "lo") -> Iterator[Capture]:
    ring = Ring(16 << 20)
    capture = Capture([Link("x", Address(host, port))], ring, interface)
    try:
        capture.start()
        yield capture
        assert capture.look() is None
    finally:
        capture.close()
        ring.close()


@needs_capture
@pytest.mark.parametrize(("host", "interface"), [(HOST, "lo"), (HOST, None), ("::1", "lo")])
def test_what_goes_by_is_noted_once(host: str, interface: str | None) -> None:
    data = random.Random(1).randbytes(3 << 20)
    with serving(echo, host) as port, capturing(port, host, interface) as capture:
        with dialed(Address(host, port)) as client:
            own = client.getsockname()[1]
            sender = threading.Thread(target=client.sendall, args=(data,))
            sender.start()
            assert received(client, len(data)) == data
            sender.join()
            client.shutdown(socket.SHUT_WR)
            assert client.recv(1) == b""
        until(lambda: capture.ring.counts.sequence > 0 and capture.ring.counts.open == 0)
        chunks = taken(capture.ring)
    assert facts(chunks[0]) == {"name": "x", "target": [host, port], "dialer": [host, own]}
    assert (chunks[0].direction, chunks[-1].direction) == (OPENED, CLOSED)
    assert bytes_of(chunks, 1, DIALED) == bytes_of(chunks, 1, ANSWERED) == data
    assert {each.connection for each in chunks} == {1}


@needs_capture
def test_a_question_stands_before_its_answer() -> None:
    with serving(echo) as port, capturing(port) as capture, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(dialed(Address(HOST, port))) for _ in range(5)]
        for number in range(500):
            client = clients[number % len(clients)]
            client.sendall(struct.pack("<I", number))
            assert received(client, 4) == struct.pack("<I", number)
        capture.stop()  # what the kernel still holds is noted first
        order = [
            (struct.unpack("<I", each.data)[0], each.direction)
            for each in taken(capture.ring)
            if each.direction in (DIALED, ANSWERED)
        ]
    assert order == [(number, direction) for number in range(500) for direction in (DIALED, ANSWERED)]


@needs_capture
def test_what_was_open_before_is_said_and_not_read() -> None:
    with serving(echo) as port, dialed(Address(HOST, port)) as client:
        client.sendall(b"before")
        assert received(client, 6) == b"before"
        with capturing(port) as capture, Taker(capture.ring) as taker:
            client.sendall(b"after")
            assert received(client, 5) == b"after"
            until(lambda: bool(taker.chunks))
            client.close()
            until(lambda: taker.chunks[-1].direction == CLOSED)
    opened, closed = taker.chunks
    assert facts(opened)["midway"] is True
    assert closed.connection == opened.connection


@needs_capture
def test_a_reset_and_a_port_that_is_used_again() -> None:
    with serving(echo) as port, capturing(port) as capture:
        own = 0
        for text in (b"one", b"two"):
            with socket.socket() as client:
                client.settimeout(SECONDS)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                client.bind((HOST, own))
                client.connect((HOST, port))
                own = client.getsockname()[1]
                client.sendall(text)
                assert received(client, 3) == text
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        capture.stop()
        chunks = taken(capture.ring)
    assert [bytes_of(chunks, number, ANSWERED) for number in (1, 2)] == [b"one", b"two"]
    assert [facts(each) for each in chunks if each.direction == CLOSED] == [{"by": 0, "error": "reset"}] * 2


@needs_capture
def test_killed_and_started_again_it_knows_that_something_is_missing() -> None:
    with serving(echo) as port, capturing(port) as capture:
        assert capture.pid is not None
        os.kill(capture.pid, signal.SIGKILL)
        until(lambda: capture.look() is not None)
        until(lambda: capture.look() is None and capture.pid is not None)
        with dialed(Address(HOST, port)) as client:
            client.sendall(b"x")
            assert received(client, 1) == b"x"
        capture.stop()
        chunks = taken(capture.ring)
    assert (chunks[0].direction, facts(chunks[0])["note"]) == (NOTE, "missed")
    assert bytes_of(chunks, 1, ANSWERED) == b"x"


def without_rights(ends: int) -> None:
    """Tells how it is refused."""
    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        Capture([Link("x", Address(HOST, 1))], Ring(1 << 20), program=Path("unused"))
    except SourceError as error:
        os.write(ends, (error.diagnostics[0].message + (error.diagnostics[0].help or "")).encode())


def test_without_the_right_to_it() -> None:
    Ring(1 << 20).close()  # compiled, while that is allowed
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            without_rights(writing)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    said = os.read(reading, 4096).decode()
    os.close(reading)
    os.close(writing)
    assert "needs the capability CAP_NET_RAW" in said
    assert "AmbientCapabilities=CAP_NET_RAW" in said


def test_an_interface_that_is_not_there() -> None:
    with pytest.raises(SourceError, match="there is no interface nowhere0"):
        Capture([Link("x", Address(HOST, 1))], Ring(1 << 20), "nowhere0")


@needs_capture
def test_watched_passively(tmp_path: Path) -> None:
    with watching(tmp_path, "--capture") as watch:
        with dialed(watch.link.at) as client:
            assign(client, 1, 20)
            assert ask(client, "Acquire", 1)["kind"] == "Acquired"
            assert ask(client, "Assign", number=666)["ticket"] == 26
        status, found = watch.end()
    assert (status, found["verdict"], found["messages"]) == (13, "alarm", 44)


@needs_capture
def test_what_has_begun_before_is_not_judged(tmp_path: Path) -> None:
    def serve(connection: socket.socket) -> None:
        for line in connection.makefile("rb"):
            connection.sendall(line)

    with (
        serving(serve) as port,
        dialed(Address(HOST, port)) as client,
        watching(tmp_path, "--capture", at=port) as watch,
    ):
        client.sendall(b"{}\n")
        assert received(client, 3) == b"{}\n"
        watch.wait_for("was open before the watching began")
        status, found = watch.end()
    assert (status, found["verdict"]) == (3, "incomplete")
