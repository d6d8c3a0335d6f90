"""Asyncio programs, driven by hand."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gristmill.replay.driver import Arrival, DriverError, Failure, Point
from gristmill.replay.program import ProgramDriver

MakeDriver = Callable[..., ProgramDriver]

# Each of two nodes sends the other numbers over a connection; what it is given it keeps, and writes to a file.
STREAMS = """
import asyncio, json, random, time

class Peer(asyncio.Protocol):
    def __init__(self, node):
        self.node = node

    def connection_made(self, transport):
        self.transport = transport
        self.node.app["links"].append(self)

    def data_received(self, data):
        for line in data.decode().split():
            self.node.app["got"].append(int(line))
            with open("disk", "a") as disk:
                disk.write(line + " ")

    def connection_lost(self, exc):
        self.node.app["links"].remove(self)
        self.node.app["lost"] += 1

async def main(node):
    node.app = {"links": [], "got": [], "lost": 0, "ticks": 0, "chance": random.randrange(10**9)}
    loop = asyncio.get_running_loop()
    if node.name == "a":
        await loop.create_server(lambda: Peer(node), "0.0.0.0", 80)
    else:
        await loop.create_connection(lambda: Peer(node), "a", 80)
    while True:
        await asyncio.sleep(10)
        node.app["ticks"] += 1

def program(world):
    for name in ("a", "b"):
        world.node(name, main, daemon=True)

def decode(data):
    return {"kind": "number" if int(data) < 100 else "large", "number": int(data)}

def say(world, node, arguments):
    node.app["links"][0].transport.write(b"%d\\n" % arguments["number"])

async def say_later(world, node, arguments):
    await asyncio.sleep(5)
    say(world, node, arguments)

def wait(world, node, arguments):
    before = node.app["ticks"]
    assert node.pass_time(lambda: node.app["ticks"] > before), "no tick"

def clock(world, node):
    return int(node.now)

def fail(world, node, arguments):
    node.loop.call_soon(lambda: 1 / 0)
"""
OPERATIONS = """
[program]
file = "server.py:program"
decode = "server.py:decode"
[client]
say = { python = "server.py:say" }
sayLater = { python = "server.py:say_later" }
wait = { python = "server.py:wait" }
fail = { python = "server.py:fail" }
"""
NUMBER = Point("number", "message number", {"value": "number"})


@pytest.fixture
def driver(make: MakeDriver) -> ProgramDriver:
    made = make(
        STREAMS,
        OPERATIONS,
        points=[NUMBER, Point("told", "message large", tells=True), Point("tick", "timer main")],
        readings={
            "got": {"path": "app.got"},
            "lost": {"path": "app.lost"},
            "chance": {"path": "app.chance"},
            "clock": {"python": "server.py:clock"},
            "sent": {"sent": True},
            "nothing": {"path": "app.such.thing"},
        },
    )
    made.start()
    for node in ("a", "b"):
        made.fault("start", node)
    return made


def read(driver: ProgramDriver, node: str, name: str) -> object:
    (reading,) = (each for each in driver.setup.readings if each.name == name)
    return driver.observe(node, [reading])[name]


def happened(driver: ProgramDriver) -> list[object]:
    found = []
    while (each := driver.next(0)) is not None:
        found.append(each)
    return found


def say(driver: ProgramDriver, node: str, *numbers: int) -> None:
    for number in numbers:
        driver.call("say", node, {"number": number})


def test_what_no_point_holds_goes_on(driver: ProgramDriver) -> None:
    say(driver, "b", 1, 2)
    assert read(driver, "a", "got") == (1, 2)
    assert driver.held() == []
    arrivals = happened(driver)
    assert [(each.point, each.held, each.bindings["value"]) for each in arrivals if isinstance(each, Arrival)] == [
        ("number", False, 1),
        ("number", False, 2),
    ]


def test_messages_are_held_and_released_in_the_order_of_their_connection(driver: ProgramDriver) -> None:
    driver.hold(["number"])
    say(driver, "b", 1, 2)
    say(driver, "a", 3)
    held = driver.held()
    assert [(each.node, each.bindings["from"], each.bindings["message"]["number"]) for each in held] == [
        ("a", "b", 1),
        ("b", "a", 3),
    ]
    assert read(driver, "b", "sent") == {
        "a": ({"kind": "number", "number": 1}, {"kind": "number", "number": 2}),
        "b": (),
    }
    driver.release(held[0])
    assert read(driver, "a", "got") == (1,)
    assert [each.bindings["value"] for each in driver.held()] == [3, 2]
    assert [each.number for each in driver.held()] == sorted(each.number for each in driver.held())
    with pytest.raises(DriverError, match="not held any more"):
        driver.release(held[0])


def test_points_are_closed_on_one_node(driver: ProgramDriver) -> None:
    driver.hold(["number"], "b")
    say(driver, "b", 1)
    say(driver, "a", 2)
    assert read(driver, "a", "got") == (1,)
    assert [each.node for each in driver.held()] == ["b"]


def test_opening_a_point_releases_who_is_held(driver: ProgramDriver) -> None:
    driver.hold(["number"])
    say(driver, "b", 1, 2)
    assert read(driver, "a", "got") == ()
    driver.open(["number"])
    driver.hold(["number"])
    assert read(driver, "a", "got") == (1, 2)
    assert driver.held() == []


def test_a_point_that_only_tells_holds_nobody(driver: ProgramDriver) -> None:
    driver.hold(["number", "told"])
    say(driver, "b", 100)
    assert read(driver, "a", "got") == (100,)
    (arrival,) = happened(driver)
    assert isinstance(arrival, Arrival)
    assert (arrival.point, arrival.held) == ("told", False)


def test_time_stands_still_and_passes_for_one_node_alone(driver: ProgramDriver) -> None:
    assert (read(driver, "a", "clock"), read(driver, "b", "clock")) == (0, 0)
    driver.call("wait", "a", {})
    assert (read(driver, "a", "clock"), read(driver, "b", "clock")) == (10, 0)
    driver.call("sayLater", "b", {"number": 7})
    assert read(driver, "a", "got") == ()
    driver.call("wait", "b", {})
    assert (read(driver, "a", "got"), read(driver, "b", "clock")) == ((7,), 10)


def test_timers_are_held_and_fire_when_they_are_released(driver: ProgramDriver) -> None:
    driver.hold(["tick"], "a")
    (arrival,) = driver.held()
    assert (arrival.node, dict(arrival.bindings)) == ("a", {"kind": "main", "milliseconds": 10_000})
    driver.release(arrival)
    assert read(driver, "a", "clock") == 10
    assert read(driver, "b", "clock") == 0
    assert driver.held()[0].number > arrival.number


def test_a_node_that_is_killed_loses_all_but_its_files(driver: ProgramDriver) -> None:
    say(driver, "b", 1)
    assert read(driver, "a", "got") == (1,)
    driver.fault("kill", "a")
    assert not driver.running("a")
    with pytest.raises(DriverError, match="node a is down"):
        read(driver, "a", "got")
    with pytest.raises(DriverError, match="not running"):
        say(driver, "a", 2)
    assert read(driver, "b", "lost") == 1
    driver.fault("start", "a")
    assert read(driver, "a", "got") == ()
    folder = driver.folder("a")
    assert folder is not None
    assert (folder / "disk").read_text() == "1 "


@pytest.mark.parametrize(("lose", "got"), [("to", [5]), ("both", [])])
def test_what_a_killed_node_has_sent(driver: ProgramDriver, lose: str, got: list[int]) -> None:
    driver.hold(["number"])
    say(driver, "b", 5)
    driver.fault("kill", "b", {"lose": lose})
    assert [each.bindings["value"] for each in driver.held()] == got
    driver.open(["number"])
    assert read(driver, "a", "got") == tuple(got)
    assert read(driver, "a", "lost") == 1


def test_a_cut_breaks_connections_and_both_ends_notice(driver: ProgramDriver) -> None:
    driver.hold(["number"])
    say(driver, "b", 1)
    driver.fault("cut", "a", {"to": "b"})
    assert driver.held() == []
    assert (read(driver, "a", "lost"), read(driver, "b", "lost")) == (1, 1)
    assert "a and b do not reach each other" in driver.doing()
    driver.fault("heal", "b", {"to": "a"})
    assert "a and b do not reach each other" not in driver.doing()


def test_new_connections_wait_until_a_cut_is_healed(driver: ProgramDriver) -> None:
    driver.fault("cut", "a", {"to": "b"})
    driver.fault("restart", "b")
    with pytest.raises(DriverError, match="list index out of range"):
        say(driver, "b", 1)
    driver.fault("heal", "a", {"to": "b"})
    say(driver, "b", 1)
    assert read(driver, "a", "got") == (1,)


def test_connections_are_reset(driver: ProgramDriver) -> None:
    driver.fault("reset", "a", {"to": "b"})
    assert read(driver, "b", "lost") == 1


def test_exceptions_are_failures_of_their_node(driver: ProgramDriver) -> None:
    driver.call("fail", "b", {})
    (failure,) = happened(driver)
    assert isinstance(failure, Failure)
    assert (failure.node, failure.kind) == ("b", "exception")
    assert "ZeroDivisionError" in failure.message
    assert "server.py" in failure.message


def test_readings_have_no_value_where_there_is_none(driver: ProgramDriver) -> None:
    assert read(driver, "a", "nothing") is None


def test_every_run_is_the_same_and_begins_anew(driver: ProgramDriver) -> None:
    def run() -> tuple[object, ...]:
        driver.hold(["number"])
        say(driver, "b", 1, 2)
        driver.release(driver.held()[0])
        driver.call("wait", "a", {})
        seen = [str(each) for each in happened(driver)]
        return seen, read(driver, "a", "got"), read(driver, "a", "chance"), read(driver, "b", "chance"), driver.doing()

    first = run()
    driver.reset()
    assert not driver.running("a")
    random.random()
    for node in ("a", "b"):
        driver.fault("start", node)
    folder = driver.folder("a")
    assert folder is not None
    assert not (folder / "disk").exists()
    assert run() == first


def test_outside_of_the_program_everything_is_as_it_was(
    driver: ProgramDriver, capsys: pytest.CaptureFixture[str]
) -> None:
    before, output = time.monotonic(), sys.stdout
    random.seed(4)
    drawn = random.random()
    random.seed(4)
    say(driver, "b", 1)
    driver.call("wait", "a", {})
    folder = driver.folder("a")
    assert random.random() == drawn
    assert time.monotonic() - before < 5
    assert sys.stdout is output
    assert Path.cwd() != folder
    driver.stop()
    assert folder is not None
    assert not folder.exists()
    assert not os.path.exists(folder.parent)
    driver.stop()


def test_doing_says_where_everything_is(driver: ProgramDriver) -> None:
    driver.hold(["number"])
    say(driver, "b", 1, 2)
    assert driver.held()
    assert "b -> a: number, number" in driver.doing()
    driver.fault("kill", "a")
    driver.settle(1)
    assert driver.doing() == ["a is down", "b is up, next timer main in 10000 ms"]


def test_a_fault_that_there_is_not(driver: ProgramDriver) -> None:
    for kind, node, details, told in [
        ("explode", "a", {}, "no fault `explode`"),
        ("start", "a", {}, "running already"),
        ("cut", "a", {}, "needs two nodes"),
        ("kill", None, {}, "needs a node"),
        ("kill", "a", {"lose": "everything"}, "cannot lose"),
        ("drop", "a", {}, "hits nothing"),
    ]:
        with pytest.raises(DriverError, match=told):
            driver.fault(kind, node, details)


def test_a_connection_loses_nothing(driver: ProgramDriver) -> None:
    driver.hold(["number"])
    say(driver, "b", 1)
    (arrival,) = driver.held()
    with pytest.raises(DriverError, match="part of a connection"):
        driver.fault("drop", None, {"arrival": arrival})


DATAGRAMS = """
import asyncio

class Peer(asyncio.DatagramProtocol):
    def __init__(self, node):
        self.node = node

    def datagram_received(self, data, source):
        self.node.app["got"].append(int(data))

async def main(node):
    node.app = {"got": []}
    loop = asyncio.get_running_loop()
    node.app["socket"], _ = await loop.create_datagram_endpoint(lambda: Peer(node), ("0.0.0.0", 53))
    await loop.create_future()

def program(world, nodes):
    for name in nodes:
        world.node(name, main, daemon=True)

def decode(data):
    return {"kind": "number", "number": int(data)}

def say(world, node, arguments):
    node.app["socket"].sendto(b"%d" % arguments["number"], ("a", 53))
"""


@pytest.fixture
def datagrams(make: MakeDriver) -> ProgramDriver:
    readings = {"got": {"path": "app.got"}}
    made = make(
        DATAGRAMS, OPERATIONS.partition("sayLater")[0], points=[NUMBER], readings=readings, nodes=("a", "b", "c")
    )
    made.start()
    for node in ("a", "b", "c"):
        made.fault("start", node)
    made.hold(["number"])
    say(made, "b", 1, 2)
    return made


def test_datagrams_arrive_in_any_order(datagrams: ProgramDriver) -> None:
    first, second = datagrams.held()
    datagrams.release(second)
    datagrams.release(first)
    assert read(datagrams, "a", "got") == (2, 1)


def test_datagrams_are_lost_and_doubled(datagrams: ProgramDriver) -> None:
    first, second = datagrams.held()
    datagrams.fault("drop", None, {"arrival": first})
    datagrams.fault("duplicate", None, {"arrival": second})
    assert [each.bindings["value"] for each in datagrams.held()] == [2, 2]
    datagrams.open(["number"])
    assert read(datagrams, "a", "got") == (2, 2)


def test_datagrams_are_lost_in_a_cut(datagrams: ProgramDriver) -> None:
    say(datagrams, "c", 3)
    datagrams.fault("cut", "a", {"to": "b"})
    assert [each.bindings["from"] for each in datagrams.held()] == ["c"]


def test_two_nodes_that_answer_each_other_for_ever(make: MakeDriver) -> None:
    program = DATAGRAMS.replace(
        'self.node.app["got"].append(int(data))', 'self.node.app["socket"].sendto(data, source[:2])'
    )
    made = make(program, OPERATIONS.partition("sayLater")[0])
    made.start()
    for node in ("a", "b"):
        made.fault("start", node)
    say(made, "b", 1)
    with pytest.raises(DriverError, match="does not come to rest"):
        made.settle(1)


def test_what_cannot_be_controlled_is_told(make: MakeDriver) -> None:
    made = make(
        "import asyncio, threading\n"
        "async def main(node):\n    threading.Thread(target=print).start()\n"
        "def program(world):\n    world.node('a', main)\n",
        '[program]\nfile = "server.py:program"\n',
        nodes=("a",),
    )
    made.start()
    made.fault("start", "a")
    with pytest.raises(DriverError, match=r"cannot be controlled: a thread is started at .*server\.py"):
        made.settle(1)
