"""The virtual network: what can become of a datagram, and what cannot happen on a connection."""

from __future__ import annotations

import asyncio
import errno
import itertools
import socket
from typing import Any

import pytest

from gristmill.controlled import Node, Settings, World, explore
from gristmill.controlled.plan import SearchKind


class Collect(asyncio.DatagramProtocol):
    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self.seen.append(data.decode())


def datagram_program(sequences: set[str], letters: str) -> Any:
    """A node sends letters, another notes in which order they arrive."""

    def program(world: World) -> None:
        seen: list[str] = []

        async def receiver(node: Node) -> None:
            await asyncio.get_running_loop().create_datagram_endpoint(lambda: Collect(seen), ("0.0.0.0", 9))

        async def sender(node: Node) -> None:
            await asyncio.sleep(1)
            transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
                asyncio.DatagramProtocol, remote_addr=("receiver", 9)
            )
            for letter in letters:
                transport.sendto(letter.encode())
            await asyncio.sleep(100)

        world.node("receiver", receiver, daemon=True)
        world.node("sender", sender)
        world.at_end("noted", lambda: sequences.add("".join(seen)))

    return program


def possible(letters: str, drops: int, duplicates: int) -> set[str]:
    """By hand: leave some out, double some, and put them in any order."""
    found = set()
    for lost in range(drops + 1):
        for left in itertools.combinations(letters, len(letters) - lost):
            for more in range(duplicates + 1):
                # What is lost may have been doubled before.
                for doubled in itertools.combinations(letters, more):
                    found |= {"".join(order) for order in itertools.permutations(left + doubled)}
    return found


@pytest.mark.parametrize(("letters", "drops", "duplicates"), [("abc", 0, 0), ("abc", 1, 0), ("ab", 0, 1), ("ab", 1, 1)])
def test_depth_first_search_reaches_every_sequence_of_arrivals(letters: str, drops: int, duplicates: int) -> None:
    sequences: set[str] = set()
    program = datagram_program(sequences, letters)
    settings = Settings(drops=drops, duplicates=duplicates, seconds=200)
    result = explore(program, runs=50_000, search="dfs", depth=12, deviations=4, settings=settings)
    assert result.ok
    assert result.exhausted
    assert sequences == possible(letters, drops, duplicates)


@pytest.mark.parametrize("search", ["random", "pct"])
def test_random_searches_reach_them_too(search: SearchKind) -> None:
    sequences: set[str] = set()
    settings = Settings(drops=1, seconds=200)
    assert explore(datagram_program(sequences, "abc"), runs=600, search=search, settings=settings, depth=4).ok
    assert sequences <= possible("abc", 1, 0)
    assert len(sequences) >= 9


def test_what_is_written_to_a_connection_arrives_in_order_or_not_at_all() -> None:
    seen: set[bytes] = set()

    def program(world: World) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received = b""
            try:
                while data := await reader.read(100):
                    received += data
            except ConnectionResetError:
                received += b"!"
            seen.add(received)
            writer.close()

        async def server(node: Node) -> None:
            listening = await asyncio.start_server(serve, "0.0.0.0", 80)
            assert listening.sockets[0].getsockname() == ("0.0.0.0", 80)
            async with listening:
                await listening.serve_forever()

        async def client(node: Node) -> None:
            await asyncio.sleep(1)
            _, writer = await asyncio.open_connection("server", 80)
            assert writer.get_extra_info("peername") == ("10.0.0.1", 80)
            try:
                for part in (b"ab", b"cd"):
                    writer.write(part)
                    await writer.drain()
                writer.close()
                await writer.wait_closed()
            except ConnectionResetError:
                pass
            await asyncio.sleep(30)

        world.node("server", server, daemon=True)
        world.node("client", client)

    assert explore(program, runs=20).ok
    assert seen == {b"abcd"}
    result = explore(program, runs=1500, settings=Settings(resets=1, splits=1))
    assert result.ok, result.failures
    assert {b"abcd", b"!", b"ab!"} <= seen
    assert all(b"abcd".startswith(one.rstrip(b"!")) for one in seen)
    assert any(len(one) == 2 and one.endswith(b"!") for one in seen)  # a! : the first half of ab came alone


class Recorder(asyncio.Protocol):
    def __init__(self, events: list[str], keep_open: bool = False) -> None:
        self.events = events
        self.keep_open = keep_open
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.events.append("made")

    def data_received(self, data: bytes) -> None:
        self.events.append(data.decode())

    def eof_received(self) -> bool:
        self.events.append("eof")
        return self.keep_open

    def connection_lost(self, exc: Exception | None) -> None:
        self.events.append(f"lost {type(exc).__name__ if exc else ''}".strip())


def run_connection(client_main: Any, events: list[str], **options: Any) -> Any:
    def program(world: World) -> None:
        async def server(node: Node) -> None:
            await asyncio.get_running_loop().create_server(lambda: Recorder(events), "0.0.0.0", 80)

        async def client(node: Node) -> None:
            await asyncio.sleep(1)
            transport, _ = await asyncio.get_running_loop().create_connection(lambda: Recorder([]), "server", 80)
            await client_main(transport)
            await asyncio.sleep(1)

        world.node("server", server, daemon=True)
        world.node("client", client)

    result = explore(program, search="deepening", deviations=0, **options)
    assert result.ok, result.failures


def test_protocols_are_told_what_asyncio_tells_them() -> None:
    async def polite(transport: Any) -> None:
        transport.write(b"x")
        transport.write_eof()
        with pytest.raises(RuntimeError, match="write_eof"):
            transport.write(b"y")

    async def rude(transport: Any) -> None:
        transport.write(b"x")
        await asyncio.sleep(0.5)
        transport.abort()
        transport.write(b"ignored")

    events: list[str] = []
    run_connection(polite, events)
    assert events == ["made", "x", "eof", "lost"] * 2  # the first run of a search is repeated
    events.clear()
    run_connection(rude, events)
    assert events == ["made", "x", "lost ConnectionResetError"] * 2


def test_a_receiver_can_ask_for_no_more() -> None:
    events: list[str] = []

    def program(world: World) -> None:
        holder: list[Recorder] = []

        async def server(node: Node) -> None:
            def factory() -> Recorder:
                holder.append(Recorder(events))
                return holder[0]

            await asyncio.get_running_loop().create_server(factory, "0.0.0.0", 80)
            await asyncio.sleep(2)
            holder[0].transport.pause_reading()
            assert not holder[0].transport.is_reading()
            await asyncio.sleep(20)
            events.append("resumed")
            holder[0].transport.resume_reading()

        async def client(node: Node) -> None:
            await asyncio.sleep(1)
            _, writer = await asyncio.open_connection("server", 80)
            writer.write(b"1")
            await asyncio.sleep(3)
            writer.write(b"2")
            await asyncio.sleep(40)

        world.node("server", server, daemon=True)
        world.node("client", client)

    assert explore(program, runs=30, settings=Settings(delay=0.5)).ok
    assert events[:4] == ["made", "1", "resumed", "2"]
    assert len(events) == 4 * 31  # and one run is repeated


def test_errors_of_the_system_are_those_of_the_system() -> None:
    numbers: list[int | None] = []

    def program(world: World) -> None:
        async def main(node: Node) -> None:
            loop = asyncio.get_running_loop()
            await asyncio.start_server(lambda r, w: None, "0.0.0.0", 80)
            attempts = [
                lambda: asyncio.start_server(lambda r, w: None, "0.0.0.0", 80),  # in use
                lambda: asyncio.open_connection("10.0.0.1", 81),  # nobody listens
                lambda: asyncio.open_connection("10.9.9.9", 80),  # nobody is there
                lambda: asyncio.open_connection("nobody", 80),
                lambda: loop.create_datagram_endpoint(asyncio.DatagramProtocol, ("10.0.0.9", 9)),  # not ours
            ]
            for attempt in attempts:
                try:
                    await attempt()  # type: ignore[no-untyped-call]
                except OSError as error:
                    numbers.append(error.errno)

        world.node("main", main)

    assert explore(program, search="deepening", deviations=0).ok
    assert numbers[:5] == [
        errno.EADDRINUSE,
        errno.ECONNREFUSED,
        errno.EHOSTUNREACH,
        socket.EAI_NONAME,
        errno.EADDRNOTAVAIL,
    ]


def test_the_peer_of_a_process_that_is_killed_learns_of_it() -> None:
    ends: set[str] = set()

    def program(world: World) -> None:
        async def server(node: Node) -> None:
            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.read()

            await asyncio.start_server(serve, "0.0.0.0", 80)

        async def client(node: Node) -> None:
            await asyncio.sleep(1)
            try:
                reader, _ = await asyncio.open_connection("server", 80)
                ends.add(repr(await reader.read()))
            except OSError as error:
                ends.add(type(error).__name__)

        world.node("server", server, daemon=True)
        world.node("client", client, may_crash=False)
        world.tolerate(ConnectionResetError)

    settings = Settings(crashes=1, restarts=0, hang_fails=False)
    result = explore(program, runs=300, settings=settings)
    assert result.ok, result.failures
    # Killed before, the server does not listen; killed after, its system closes the connection. Not killed: it hangs.
    assert ends == {"b''", "ConnectionRefusedError"}
    assert result.outcomes["quiet"] > 0
    assert result.outcomes["quiet"] + result.faults["crash"] >= result.runs


def test_sockets_that_are_given_to_the_loop() -> None:
    answers: set[tuple[bytes, Any]] = set()

    def program(world: World) -> None:
        async def server(node: Node) -> None:
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.bind(("0.0.0.0", 9))
            sock.setblocking(False)
            with pytest.raises(BlockingIOError):
                sock.recvfrom(10)
            while True:
                data, source = await asyncio.get_running_loop().sock_recvfrom(sock, 100)
                await asyncio.get_running_loop().sock_sendto(sock, data.upper(), source)

        async def client(node: Node) -> None:
            loop = asyncio.get_running_loop()
            await asyncio.sleep(1)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
                sock.bind((node.host, 0))
                await loop.sock_sendto(sock, b"hello", ("10.0.0.1", 9))
                answers.add(await loop.sock_recvfrom(sock, 100))

        world.node("server", server, daemon=True)
        world.node("client", client)

    assert explore(program, runs=30).ok
    assert answers == {(b"HELLO", ("10.0.0.1", 9))}


def test_buffered_protocols() -> None:
    seen: list[bytes] = []

    class Buffered(asyncio.BufferedProtocol):
        def __init__(self) -> None:
            self.buffer = bytearray(3)

        def get_buffer(self, sizehint: int) -> bytearray:
            return self.buffer

        def buffer_updated(self, nbytes: int) -> None:
            seen.append(bytes(self.buffer[:nbytes]))

    def program(world: World) -> None:
        async def server(node: Node) -> None:
            await asyncio.get_running_loop().create_server(Buffered, "0.0.0.0", 80)

        async def client(node: Node) -> None:
            await asyncio.sleep(1)
            _, writer = await asyncio.open_connection("server", 80)
            writer.writelines([b"abcd", b"efgh"])
            await asyncio.sleep(5)

        world.node("server", server, daemon=True)
        world.node("client", client)

    assert explore(program, search="deepening", deviations=0).ok
    assert seen[:3] == [b"abc", b"def", b"gh"]
