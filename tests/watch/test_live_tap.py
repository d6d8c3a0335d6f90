"""The tap: what goes through it arrives as it was, and is noted; also under the sanitizers."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_servers import HOST, Serve, Taker, bytes_of, dialed, echo, free_port, link_to, received, serving, taken, until

from gristmill.cc import CompilerError, build
from gristmill.source import SourceError
from gristmill.watch.live.links import Address, Link
from gristmill.watch.live.ring import FLAGS, Ring
from gristmill.watch.live.tap import Tap, tap_program
from gristmill.watch.recording import ANSWERED, CLOSED, DIALED, NOTE, OPENED, facts

SANITIZED = (*FLAGS, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.fixture(scope="module", params=["plain", "sanitized"])
def program(request: pytest.FixtureRequest) -> Path:
    if request.param == "plain":
        return tap_program()
    try:
        build({"empty.c": "int main(void) { return 0; }\n"}, flags=SANITIZED, kind="program")
    except CompilerError:
        pytest.skip("the compiler has no sanitizers")
    return tap_program(SANITIZED)


@contextlib.contextmanager
def tapping(program: Path, *links: Link, size: int = 1 << 22) -> Iterator[Tap]:
    ring = Ring(size)
    tap = Tap(links, ring, program=program)
    try:
        tap.start()
        yield tap
        assert tap.look() is None  # a sanitizer would have ended it
    finally:
        tap.close()
        ring.close()


@contextlib.contextmanager
def through(program: Path, serve: Serve, size: int) -> Iterator[tuple[Tap, int, socket.socket]]:
    """A server, a tap, and a client that is connected through it; with the port of the server."""
    with serving(serve) as port:
        link = link_to(port)
        with tapping(program, link, size=size) as tap, dialed(link.tap) as client:
            yield tap, port, client


def ends_by_reset(client: socket.socket) -> bool:
    try:
        while client.recv(100):
            pass
    except ConnectionResetError:
        return True
    return False


def test_bytes_arrive_as_they_were_and_are_noted(program: Path) -> None:
    data = random.Random(1).randbytes(3 << 20)
    with through(program, echo, 16 << 20) as (tap, port, client):
        sender = threading.Thread(target=client.sendall, args=(data,))
        sender.start()
        assert received(client, len(data)) == data
        sender.join()
        own = client.getsockname()
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
        until(lambda: tap.ring.counts.open == 0)
        chunks = taken(tap.ring)
    assert (chunks[0].direction, chunks[-1].direction) == (OPENED, CLOSED)
    assert facts(chunks[0]) == {"name": "x", "node": "server", "target": [HOST, port], "dialer": [HOST, own[1]]}
    assert bytes_of(chunks, 1, DIALED) == bytes_of(chunks, 1, ANSWERED) == data
    assert [each.sequence for each in chunks] == list(range(len(chunks)))
    assert [each.time for each in chunks] == sorted(each.time for each in chunks)


def test_a_message_is_noted_before_it_arrives(program: Path) -> None:
    """What a node answers is behind what it was asked, on whatever connections: one order for all."""
    with serving(echo) as port, tapping(program, link := link_to(port)) as tap, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(dialed(link.tap)) for _ in range(5)]
        for number in range(200):
            client = clients[number % len(clients)]
            client.sendall(struct.pack("<I", number))
            assert received(client, 4) == struct.pack("<I", number)
        order = [
            (struct.unpack("<I", each.data)[0], each.direction)
            for each in taken(tap.ring)
            if each.direction in (DIALED, ANSWERED)
        ]
    assert order == [(number, direction) for number in range(200) for direction in (DIALED, ANSWERED)]


def test_one_side_may_end_before_the_other(program: Path) -> None:
    def serve(connection: socket.socket) -> None:
        total = 0
        while data := connection.recv(1 << 16):
            total += len(data)
        connection.sendall(str(total).encode())

    with serving(serve) as port, tapping(program, link := link_to(port)), dialed(link.tap) as client:
        client.sendall(b"x" * 100_000)
        client.shutdown(socket.SHUT_WR)
        assert received(client, 100) == b"100000"


def test_a_reset_is_passed_on_with_what_came_before(program: Path) -> None:
    def serve(connection: socket.socket) -> None:
        connection.recv(1)
        connection.sendall(b"last words")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with serving(serve) as port, tapping(program, link := link_to(port)) as tap, dialed(link.tap) as client:
        client.sendall(b"x")
        assert ends_by_reset(client)
        until(lambda: tap.ring.counts.open == 0)
        chunks = taken(tap.ring)
    assert facts(chunks[-1]) == {"by": 1, "error": "reset"}


def test_a_client_that_goes_is_gone_for_the_server(program: Path) -> None:
    ended = threading.Event()

    def serve(connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while connection.recv(100):
                pass
        ended.set()

    with serving(serve) as port, tapping(program, link := link_to(port)):
        client = dialed(link.tap)
        client.sendall(b"x")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        assert ended.wait(60)


def test_a_target_that_is_not_there(program: Path) -> None:
    with tapping(program, link := link_to(free_port())) as tap:
        # It may be reset as soon as it is there.
        with contextlib.suppress(ConnectionResetError), dialed(link.tap) as client:
            assert client.recv(1) == b""
        until(lambda: tap.ring.counts.refused == 1)
        assert facts(taken(tap.ring)[-1]) == {"by": 1, "error": "refused"}


def test_who_does_not_read_makes_the_sender_wait_and_no_more(program: Path) -> None:
    """Memory is bounded: what does not fit in the buffers of sockets stays with its sender."""
    go = threading.Event()

    def serve(connection: socket.socket) -> None:
        go.wait(60)
        echo(connection)

    data = random.Random(2).randbytes(40 << 20)
    with through(program, serve, 64 << 20) as (tap, _, client):
        sent = 0
        client.settimeout(2.0)
        with contextlib.suppress(TimeoutError):
            while sent < len(data):
                sent += client.send(data[sent : sent + 65536])
        assert sent < len(data)
        assert tap.ring.waiting < sent + (1 << 20)
        go.set()
        client.settimeout(60)
        rest = threading.Thread(target=client.sendall, args=(data[sent:],))
        rest.start()
        assert received(client, len(data)) == data
        rest.join()


def test_many_connections(program: Path) -> None:
    count = 600
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(files, min(most, 8 * count)), most))
    with serving(echo) as port, tapping(program, link := link_to(port)) as tap, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(dialed(link.tap)) for _ in range(count)]
        for turn in range(3):
            for number, client in enumerate(clients):
                client.sendall(b"%d-%d" % (turn, number))
            for number, client in enumerate(clients):
                assert received(client, len(b"%d-%d" % (turn, number))) == b"%d-%d" % (turn, number)
        assert tap.ring.counts.open == count
        chunks = taken(tap.ring)
        assert len({each.connection for each in chunks}) == count
    assert sum(len(each.data) for each in chunks if each.direction == ANSWERED) == sum(
        len(b"%d-%d" % (turn, number)) for turn in range(3) for number in range(count)
    )


def test_without_descriptors_connections_wait(program: Path) -> None:
    with serving(echo) as port, tapping(program, link := link_to(port)) as tap:
        assert tap.pid is not None
        inside = len(os.listdir(f"/proc/{tap.pid}/fd"))
        resource.prlimit(tap.pid, resource.RLIMIT_NOFILE, (inside + 2, 4096))
        with dialed(link.tap) as first:
            first.sendall(b"a")
            assert received(first, 1) == b"a"
            with dialed(link.tap) as second:  # in the queue of the socket that listens
                second.sendall(b"b")
                first.sendall(b"still there")
                assert received(first, 11) == b"still there"
                resource.prlimit(tap.pid, resource.RLIMIT_NOFILE, (4096, 4096))
                assert received(second, 1) == b"b"


def test_nobody_takes_the_records_and_the_traffic_goes_on(program: Path) -> None:
    data = random.Random(3).randbytes(2 << 20)
    with through(program, echo, 1 << 18) as (tap, _, client):
        sender = threading.Thread(target=client.sendall, args=(data,))
        sender.start()
        assert received(client, len(data)) == data
        sender.join()
        missed = tap.ring.counts.missed
        assert missed > 0
        kept = taken(tap.ring)
        client.sendall(b"again")
        assert received(client, 5) == b"again"
        until(lambda: tap.ring.counts.told == missed)
        later = taken(tap.ring)
    assert facts(later[0])["note"] == "missed"
    assert facts(later[0])["records"] == missed
    assert later[0].sequence == len(kept) + missed
    assert sum(len(each.data) for each in kept if each.direction < 2) + facts(later[0])["bytes"] == 2 * len(data)
    assert bytes_of(later, 1, DIALED) == b"again"


def test_two_links_and_six(program: Path) -> None:
    if not socket.has_ipv6:
        pytest.skip("there is no IPv6")
    with serving(echo) as port, serving(echo, "::1") as sixth:
        links = (link_to(port, "four"), link_to(sixth, "six", "::1"))
        with tapping(program, *links) as tap:
            for link in links:
                with dialed(link.tap) as client:
                    client.sendall(link.name.encode())
                    assert received(client, len(link.name)) == link.name.encode()
            opened = [facts(each) for each in taken(tap.ring) if each.direction == OPENED]
    assert [(each["name"], each["dialer"][0]) for each in opened] == [("four", HOST), ("six", "::1")]


# ------------------------------------------------------------------------------------------------- killed, and orphaned


def stream(number: int) -> bytes:
    return struct.pack("<I", number) + random.Random(number).randbytes(1 << 12) * 24


def restarted(tap: Tap) -> None:
    """It is killed, that is noticed, and another takes its place."""
    assert tap.pid is not None
    os.kill(tap.pid, signal.SIGKILL)
    said: list[str] = []
    until(lambda: (text := tap.look()) is not None and (said.append(text) or True))
    assert "signal 9" in said[0]
    until(lambda: tap.look() is None and tap.pid is not None)


def test_killed_under_load_and_started_again(program: Path) -> None:
    """Connections fail over; nothing that arrives is corrupted; every record is whole."""
    arrived: dict[int, bytearray] = {}
    stop = threading.Event()
    numbers = itertools.count()

    def serve(connection: socket.socket) -> None:
        head = received(connection, 4)
        if len(head) < 4:
            return
        number = struct.unpack("<I", head)[0]
        arrived[number] = bytearray()
        while data := connection.recv(1 << 16):
            arrived[number] += data

    def load() -> None:
        while not stop.wait(0.02):
            with contextlib.suppress(OSError), dialed(link.tap) as client:
                client.sendall(stream(next(numbers)))

    with serving(serve) as port, contextlib.ExitStack() as stack:
        link = link_to(port)
        ring = Ring(64 << 20)
        stack.callback(ring.close)
        taker = stack.enter_context(Taker(ring))
        tap = Tap([link], ring, program=program)
        stack.callback(tap.close)
        tap.start()
        threads = [threading.Thread(target=load, daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        stack.callback(lambda: [thread.join(60) for thread in threads])
        stack.callback(stop.set)
        for kills in range(4):
            ended = len(arrived)
            until(lambda ended=ended: len(arrived) > ended + 4)  # type: ignore[misc]
            if kills < 3:
                restarted(tap)
    chunks = taker.chunks
    sequences = [each.sequence for each in chunks]
    assert sequences == sorted(set(sequences))
    assert sequences[-1] - len(sequences) < 3  # one that was not yet whole may have had a number already, each time
    assert sum(facts(each) == {"note": "restarted"} for each in chunks if each.direction == NOTE) == 3
    noted = [bytes_of(chunks, each.connection, DIALED) for each in chunks if each.direction == OPENED]
    for data in noted:
        if len(data) >= 4:
            number = struct.unpack_from("<I", data)[0]
            assert stream(number).startswith(data)
            assert data[4:].startswith(bytes(arrived.get(number, b"")))
    assert sum(len(data) == len(stream(0)) for data in noted) >= 8


_WATCHER = """
    import sys, time
    from pathlib import Path
    from gristmill.watch.live.links import Address, Link
    from gristmill.watch.live.ring import Ring
    from gristmill.watch.live.tap import Tap
    link = Link("x", Address("127.0.0.1", {port}), Address("127.0.0.1", {tap}))
    tap = Tap([link], Ring(1 << 20), program=Path({program!r}))
    tap.start()
    print(tap.pid, flush=True)
    time.sleep(600)
"""


def test_the_traffic_outlives_who_watches_and_a_successor_takes_over(program: Path) -> None:
    with serving(echo) as port:
        link = link_to(port)
        assert link.tap is not None
        text = textwrap.dedent(_WATCHER).format(port=port, tap=link.tap.port, program=str(program))
        watcher = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
        assert watcher.stdout is not None
        left = int(watcher.stdout.readline())
        try:
            with dialed(link.tap) as client:
                client.sendall(b"a")
                assert received(client, 1) == b"a"
                with pytest.raises(SourceError, match="cannot listen"):  # it is watched
                    Tap([link], Ring(1 << 20), program=program)
                watcher.kill()
                watcher.wait()
                data = random.Random(4).randbytes(4 << 20)  # more than the ring holds, which nobody reads
                sender = threading.Thread(target=client.sendall, args=(data,))
                sender.start()
                assert received(client, len(data)) == data
                sender.join()
                with dialed(link.tap) as another:
                    another.sendall(b"b")
                    assert received(another, 1) == b"b"
            with tapping(program, link) as tap, dialed(link.tap) as client:
                client.sendall(b"c")
                assert received(client, 1) == b"c"
                assert bytes_of(taken(tap.ring), 1, DIALED) == b"c"
            until(lambda: not Path(f"/proc/{left}").exists())
        finally:
            watcher.kill()
            watcher.wait()
            watcher.stdout.close()
            with contextlib.suppress(ProcessLookupError):
                os.kill(left, signal.SIGKILL)


def test_an_address_that_is_taken() -> None:
    with serving(echo) as port, pytest.raises(SourceError, match="cannot listen at") as caught:
        Tap([Link("x", Address(HOST, free_port()), Address(HOST, port))], Ring(1 << 20))
    assert "another address" in (caught.value.diagnostics[0].help or "")
