"""Clusters of `talking_node.py` for tests of the network driver."""

from __future__ import annotations

import contextlib
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from gristmill.replay.driver import Arrival, Driver, Point, Reading, Setup
from gristmill.replay.network import NetworkDriver
from gristmill.source import SourceFile
from gristmill.source.toml_places import places_of

NODE = Path(__file__).with_name("talking_node.py")
NODES = ("a", "b", "c")

# Each node has a port of ours for its way to each other one.
BY_LINKS = f"""
[node]
command = ["{sys.executable}", "{NODE}", "{{node}}", "{{port.peer}}", "{{port.client}}",
           "a={{link.peer.a}}", "b={{link.peer.b}}", "c={{link.peer.c}}"]
ports = ["peer", "client"]
failures = ["PANIC"]
[network]
decoder = "json-lines"
links = ["peer"]
[client.tell]
http = "/tell"
body = {{ number = "{{told}}", constant = [1] }}
[client.crash]
http = "/crash"
body = {{}}
"""

# There is one port of ours in front of each node, and messages say from whom they are.
BY_TAPS = (
    BY_LINKS.replace("link.peer.", "port.tap.")
    .replace('ports = ["peer", ', 'ports = ["peer", "tap", ')
    .replace('links = ["peer"]', 'taps = { tap = "peer" }\nsource = "from"')
)
STATE = Reading("state", {"http": "/state"})


def setup(
    text: str, points: Sequence[Point] = (), readings: Sequence[Reading] = (), nodes: Sequence[str] = NODES
) -> Setup:
    file = SourceFile("cluster.toml", text)
    return Setup(tuple(nodes), tuple(points), tuple(readings), tomllib.loads(text), places_of(file), Path("."))


@contextlib.contextmanager
def running(text: str, points: Sequence[Point] = (), nodes: Sequence[str] = NODES) -> Iterator[NetworkDriver]:
    driver = NetworkDriver(setup(text, points, nodes=nodes))
    try:
        driver.start()
        for node in nodes:
            driver.fault("start", node)
        yield driver
    finally:
        driver.stop()


def tell(driver: Driver, node: str, number: int) -> None:
    driver.call("tell", node, {"told": number})
    assert driver.settle(10)


def held(driver: Driver) -> list[tuple[str, str, str, int]]:
    """From, to, kind and number of all messages that are held, in order of these."""
    found = [each.bindings for each in driver.held()]
    return sorted((each["from"], each["to"], each["kind"], each["message"]["number"]) for each in found)


def message(driver: Driver, source: str, destination: str) -> Arrival:
    return next(each for each in driver.held() if (each.bindings["from"], each.bindings["to"]) == (source, destination))


def deliver(driver: Driver, source: str, destination: str) -> None:
    driver.release(message(driver, source, destination))
    assert driver.settle(10)


def heard(driver: Driver, node: str) -> list[tuple[str, int]]:
    return list(driver.observe(node, [STATE])["state"]["heard"])
