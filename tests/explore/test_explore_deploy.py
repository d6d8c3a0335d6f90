"""The classes that are explored run over TCP, unchanged."""

from __future__ import annotations

import asyncio

import pytest
from explore_protocols import One, Store, election

from gristmill.bench.dbss.paxos import paxos
from gristmill.bench.dbss.register import register
from gristmill.explore import Cluster, Message, Network, Process, System, on, run, timer
from gristmill.explore.deploy import HandlerFailed
from gristmill.explore.wire import Codec


def test_paxos_learns_one_value() -> None:
    found = run(paxos(), 20, until=lambda cluster: cluster["l1"].learned)  # type: ignore[attr-defined]
    assert len(found["l1"].learned) == 1  # type: ignore[attr-defined]


def test_a_register_is_read() -> None:
    found = run(register(), 20, until=lambda cluster: cluster["r"].result)  # type: ignore[attr-defined]
    read, complete_before, _ = found["r"].result  # type: ignore[attr-defined]
    assert read >= complete_before


def test_quorums_are_collected() -> None:
    found = run(election(), 20, until=lambda cluster: cluster["teller"].results)  # type: ignore[attr-defined]
    assert found["teller"].results == {"yes"}  # type: ignore[attr-defined]


class Feeder(Process):
    def __init__(self) -> None:
        self.fed = 0

    def start(self) -> None:
        self.set_timer("feed", 0.01)

    @timer("feed")
    def feed(self) -> None:
        self.fed += 1
        self.send("store", One(self.fed))
        self.set_timer("feed", 0.01)


def test_crash_and_restart() -> None:
    async def scenario() -> tuple[int, int]:
        async with Cluster(System({"store": Store(), "feeder": Feeder()})) as cluster:
            assert await cluster.until(lambda: cluster["store"].kept, 20)  # type: ignore[attr-defined]
            await cluster.crash("store")
            kept = cluster["store"].kept  # type: ignore[attr-defined]
            await cluster.restart("store")
            restarts = cluster["store"].restarts  # type: ignore[attr-defined]
            assert await cluster.until(lambda: cluster["store"].kept > kept, 20)  # type: ignore[attr-defined]
            return kept, restarts

    kept, restarts = asyncio.run(scenario())
    assert kept >= 1
    assert restarts == 1


class Text(Message):
    words: tuple[str, ...]
    extra: object


class Failing(Process):
    def start(self) -> None:
        self.send(self.name, Text(("a",), None))

    @on(Text)
    def text(self, text: Text, sender: str) -> None:
        raise ValueError("as expected")


def test_a_handler_that_raises_ends_the_run() -> None:
    with pytest.raises(HandlerFailed, match="process f, handler text: ValueError: as expected"):
        run(System({"f": Failing()}, network=Network(ordered=True)), 20)


def test_messages_survive_the_wire() -> None:
    codec = Codec([Text])
    for extra in (None, True, 1.5, b"\x00", frozenset({1}), {"k": [1, (2,)]}, Text((), 3)):
        message = Text(("ü", "\n"), extra)
        assert codec.decode(codec.encode("a", "b", message)) == ("a", "b", message)
