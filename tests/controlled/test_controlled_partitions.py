"""The network falls apart, and heals: datagrams across are lost, streams wait, and sides are those asked for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gristmill.controlled import Node, Settings, World, explore, load, replay
from gristmill.controlled.choices import _sides
from gristmill.controlled.report import failure_text


def echoing(noted: set[tuple[str, ...]], letters: str = "ab") -> Any:
    """A client sends letters over a stream, a server notes what comes; both ends say when."""

    def program(world: World) -> None:
        seen: list[str] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while data := await reader.read(1):
                seen.append(data.decode())

        async def server(node: Node) -> None:
            await asyncio.start_server(serve, "0.0.0.0", 9)

        async def client(node: Node) -> None:
            await asyncio.sleep(1)
            _, writer = await asyncio.open_connection("server", 9)
            for letter in letters:
                writer.write(letter.encode())
                await asyncio.sleep(1)
            await asyncio.sleep(60)

        world.node("server", server, daemon=True)
        world.node("client", client)
        world.at_end("noted", lambda: noted.add(tuple(seen)))

    return program


def datagrams(noted: set[str]) -> Any:
    def program(world: World) -> None:
        seen: list[str] = []

        class Collect(asyncio.DatagramProtocol):
            def datagram_received(self, data: bytes, addr: Any) -> None:
                seen.append(data.decode())

        async def receiver(node: Node) -> None:
            await asyncio.get_running_loop().create_datagram_endpoint(Collect, ("0.0.0.0", 9))

        async def sender(node: Node) -> None:
            await asyncio.sleep(1)
            loop = asyncio.get_running_loop()
            transport, _ = await loop.create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=("receiver", 9))
            for letter in "abc":
                transport.sendto(letter.encode())
                await asyncio.sleep(10)
            await asyncio.sleep(30)

        world.node("receiver", receiver, daemon=True)
        world.node("sender", sender)
        world.at_end("noted", lambda: noted.add("".join(seen)))

    return program


def test_datagrams_to_the_other_side_are_lost_and_only_while_it_lasts() -> None:
    noted: set[str] = set()
    settings = Settings(partitions=1, delay=1.0, lateness=0.0)
    result = explore(datagrams(noted), search="deepening", deviations=2, runs=4000, settings=settings)
    assert result.ok
    assert result.exhausted
    # A partition is one piece of time: what is lost stands together.
    assert noted == {"abc", "bc", "ac", "ab", "c", "a", ""}
    whole: set[str] = set()
    assert explore(datagrams(whole), search="deepening", deviations=2, runs=4000, settings=Settings(delay=1.0)).ok
    assert whole == {"abc"}


def test_a_stream_waits_until_the_network_heals_and_loses_nothing() -> None:
    noted: set[tuple[str, ...]] = set()
    settings = Settings(partitions=1, delay=1.0)
    result = explore(echoing(noted), runs=300, settings=settings)
    assert result.ok
    assert result.faults["partition"] > result.faults["heal"] > 0
    # In order, whole, or cut where a partition lasted to the end.
    assert noted == {(), ("a",), ("a", "b")}


def test_the_usual_sides() -> None:
    assert list(_sides(["a", "b"])) == [("b",)]
    assert len(list(_sides(list("abcd")))) == 2**3 - 1
    assert list(_sides(list("abcdef"))) == [(name,) for name in "abcdef"]


def partitioned(world: World) -> None:
    async def wait(node: Node) -> None:
        await asyncio.sleep(10)

    for name in ("one", "two", "three"):
        world.node(name, wait)
    world.always("never alone", lambda: world.network.side is None or len(world.network.side) > 1)


def test_only_the_sides_asked_for_and_as_often_as_asked_for() -> None:
    settings = Settings(partitions=2, sides=(("two", "three"),))
    result = explore(partitioned, runs=200, settings=settings)
    assert result.ok
    assert 0 < result.faults["partition"] <= 2 * result.runs
    alone = explore(partitioned, runs=200, settings=Settings(partitions=1, sides=(("three",),)))
    assert not alone.ok


def test_a_partition_is_replayed_from_a_file_and_drawn(tmp_path: Any) -> None:
    result = explore(partitioned, runs=200, settings=Settings(partitions=1, sides=(("three",),)))
    (failure,) = result.failures.values()
    assert failure.events[-2].startswith("partition three")
    loaded = load(failure.save(str(tmp_path / "failing.json")))
    assert loaded.settings == failure.settings
    assert replay(partitioned, loaded).violation is not None
    assert "partition three" in failure_text(failure)


@pytest.mark.parametrize(
    ("side", "says"),
    [
        (("four",), "there is no node 'four' to stand on one side; the nodes are one, two, three"),
        (("one", "two", "three"), "one side of a partition would have all nodes, or none"),
        ((), "one side of a partition would have all nodes, or none"),
    ],
)
def test_sides_that_cannot_be(side: tuple[str, ...], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        explore(partitioned, settings=Settings(partitions=1, sides=(side,)))
