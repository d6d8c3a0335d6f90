"""Servers of ZooKeeper tell each other where they can be dialed: the tap has them told its own address."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_servers import HOST, bytes_of, dialed, echo, free_port, received, serving, taken, until
from test_live_tap import SANITIZED

from gristmill.cc import CompilerError, build
from gristmill.systems.decoders.zookeeper import ZooKeeper
from gristmill.watch.live.links import Address, Link
from gristmill.watch.live.ring import Ring
from gristmill.watch.live.tap import Tap, tap_program
from gristmill.watch.recording import ANSWERED, DIALED, NOTE, facts


@pytest.fixture(scope="module", params=["plain", "sanitized"])
def program(request: pytest.FixtureRequest) -> Path:
    if request.param == "plain":
        return tap_program()
    try:
        build({"empty.c": "int main(void) { return 0; }\n"}, flags=SANITIZED, kind="program")
    except CompilerError:
        pytest.skip("the compiler has no sanitizers")
    return tap_program(SANITIZED)


def announcement(server: int, address: str, version: int = -65536) -> bytes:
    return struct.pack(">qqi", version, server, len(address)) + address.encode()


@contextlib.contextmanager
def two_servers(program: Path, dialer: str = "") -> Iterator[tuple[Tap, Address, Address]]:
    """A tap in front of servers 1 and 2, the second an echo: the addresses of the tap. Server 1 listens at 3881.

    `dialer`: who alone dials the link to server 1.
    """
    with serving(echo) as port:
        back, there = Address(HOST, free_port()), Address(HOST, free_port())
        links = [Link("a", Address(HOST, 3881), back, "1", dialer), Link("b", Address(HOST, port), there, "2")]
        ring = Ring(1 << 20)
        tap = Tap(links, ring, program=program, decoder=ZooKeeper())
        try:
            tap.start()
            yield tap, back, there
            assert tap.look() is None
        finally:
            tap.close()
            ring.close()


def sent_through(tap: Tap, to: Address, *parts: bytes, expected: bytes) -> None:
    """The parts, one after the other, arrive as expected, and that is what is noted."""
    with dialed(to) as client:
        for part in parts:
            client.sendall(part)
            time.sleep(0.02)  # or they would come together
        assert received(client, len(expected)) == expected
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
    until(lambda: tap.ring.counts.open == 0)
    chunks = taken(tap.ring)
    assert bytes_of(chunks, chunks[0].connection, DIALED) == expected
    assert bytes_of(chunks, chunks[0].connection, ANSWERED) == expected
    assert [each for each in chunks if each.direction == NOTE] == []


@pytest.mark.parametrize("dialer", ["", "2"])
def test_an_address_is_replaced_by_that_of_the_link_back(program: Path, dialer: str) -> None:
    with two_servers(program, dialer) as (tap, back, there):
        told = announcement(1, f"{HOST}:3881") + b"\0\0\0\x1c and a notification"
        sent_through(tap, there, told, expected=announcement(1, str(back)) + b"\0\0\0\x1c and a notification")
        several = announcement(1, f"some.host.name:3881|{HOST}:3881", -65535)
        sent_through(tap, there, several, expected=announcement(1, f"{back}|{back}", -65535))


def test_it_comes_in_pieces(program: Path) -> None:
    with two_servers(program) as (tap, back, there):
        told, expected = announcement(1, f"{HOST}:3881"), announcement(1, str(back))
        sent_through(tap, there, *(bytes([each]) for each in told), b"more", expected=expected + b"more")


def test_whoever_tells_nothing_is_passed_on_as_it_is(program: Path) -> None:
    with two_servers(program) as (tap, _, there):
        for data in (b"srvr", b"\x00\x00\x00\x0b and a learner", b"\xff\xff other", announcement(1, "")):
            sent_through(tap, there, data, expected=data)
        half = announcement(1, f"{HOST}:3881")[:30]
        with dialed(there) as client:
            client.sendall(half)
            client.shutdown(socket.SHUT_WR)
            assert received(client, 100) == half


@pytest.mark.parametrize(
    ("told", "dialer"),
    [
        (announcement(1, f"{HOST}:4000"), ""),  # a port that no link leads to
        (announcement(3, f"{HOST}:3881"), ""),  # another server's
        (announcement(1, f"{HOST}:3881"), "3"),  # the link back is not for this one
        (announcement(1, "no port"), ""),
    ],
)
def test_an_address_that_goes_past_the_tap_is_noted(program: Path, told: bytes, dialer: str) -> None:
    with two_servers(program, dialer) as (tap, _, there):
        with dialed(there) as client:
            client.sendall(told)
            assert received(client, len(told)) == told
        (note,) = [facts(each) for each in taken(tap.ring) if each.direction == NOTE]
    assert note == {"note": "past", "address": told[20:].decode().replace(" ", "?")}
