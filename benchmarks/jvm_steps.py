"""What the debugger's protocol costs on a real ZooKeeper: passing a point, holding and releasing, reading variables.

    python benchmarks/jvm_steps.py --classpath FOLDER [--rounds 200]

FOLDER has the jars of ZooKeeper and of what it needs (`mvn dependency:copy-dependencies`). Three servers are started.
A client sends the command `ruok` over and over. What the answer takes longer with a point on the way, which is passed,
or where the thread is held and released, is what the point costs. Wall time: the machine should be idle.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from gristmill.replay.driver import Arrival, Point, Reading, Setup
from gristmill.replay.jvm.driver import JvmDriver
from gristmill.source import SourceFile
from gristmill.source.toml_places import places_of

MAPPING = """
[alias]
Q = "org.apache.zookeeper.server.quorum"
S = "org.apache.zookeeper.server"
[jvm]
classpath = ["{jars}/*.jar", "!logback*", "!log4j*", "!*tcnative*"]
[node]
command = [
  "java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
  "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{port.debug}",
  "-Dzookeeper.admin.enableServer=false", "-Dzookeeper.jmx.log4j.disable=true",
  "-cp", "{classpath}", "org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg",
]
ports = ["debug", "client", "quorum", "election"]
files."zoo.cfg" = '''
tickTime=2000
initLimit=1000
syncLimit=1000
dataDir={folder}/data
clientPort={port.client}
clientPortAddress=127.0.0.1
4lw.commands.whitelist=*
{servers}
'''
files."data/myid" = "{node}"
[node.each]
servers = { text = "server.{node}=127.0.0.1:{port.quorum}:{port.election}" }
"""
AT = "S.NIOServerCnxn.checkFourLetterWord entry"
BIND = {
    "length": "len",
    "thread": "thread",
    "caller": "caller",
    "limit": "this.sessionTimeout",
    "state": "this.zkServer.state",
    "received": "this.packetsReceived.value",
    "peer": "this.zkServer.self.state",
}
READINGS = {
    "state": "state",
    "logged": "getLastLoggedZxid()",
    "accepted": "acceptedEpoch",
    "current": "currentEpoch",
    "vote": "currentVote.id",
    "leader": "leader",
    "follower": "follower",
    "committed": ["follower.zk.zkDb.committedLog[*].request.zxid", "leader.zk.zkDb.committedLog[*].request.zxid"],
    "learners": "leader.learners[*].sid",
    "queued": "follower.zk.syncProcessor.queuedRequests[*].hdr.zxid",
    "outstanding": "leader.outstandingProposals{*}.packet.zxid",
    "members": "quorumVerifier.allMembers{*}.id",
}


LOOKING = Point("looking", "Q.FastLeaderElection.lookForLeader entry")
BARE, BOUND = Point("bare", AT), Point("bound", AT, BIND)


def driver_of(jars: Path, *points: Point) -> JvmDriver:
    readings = tuple(Reading(name, {"root": "Q.QuorumPeer", "path": path}) for name, path in READINGS.items())
    document = tomllib.loads(MAPPING)
    document["values"] = {"jars": str(jars.resolve())}
    places = places_of(SourceFile("jvm_steps.map.toml", MAPPING))
    return JvmDriver(Setup(("1", "2", "3"), (LOOKING, *points), readings, document, places, Path.cwd()))


def median(rounds: int, once: Callable[[], object]) -> float:
    """Milliseconds."""
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        once()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


class Asking:
    """The command `ruok`, with or without somebody at the point on the way."""

    def __init__(self, driver: JvmDriver) -> None:
        self.driver, self.port = driver, driver.processes.port("1", "client")
        self.releases: list[float] = []

    def begin(self) -> socket.socket:
        stream = socket.create_connection(("127.0.0.1", self.port))
        stream.sendall(b"ruok")
        return stream

    def passed(self) -> None:
        with self.begin() as stream:
            assert stream.recv(10) == b"imok"

    def held(self) -> None:
        with self.begin() as stream:
            arrival = self.driver.next(10.0)
            while not (isinstance(arrival, Arrival) and arrival.held):
                arrival = self.driver.next(10.0)
            began = time.perf_counter()
            self.driver.release(arrival)
            self.releases.append(1000 * (time.perf_counter() - began))
            assert stream.recv(10) == b"imok"


@contextmanager
def serving(jars: Path, *points: Point) -> Iterator[JvmDriver]:
    """Three servers that have elected a leader."""
    driver = driver_of(jars, *points)
    try:
        driver.start()
        driver.hold(["looking"])
        for node in driver.setup.nodes:
            driver.fault("start", node)
        while len(driver.held()) < 3:
            driver.next(10.0)
        driver.open(["looking"])
        while sorted(states(driver)) != ["FOLLOWING", "FOLLOWING", "LEADING"]:
            driver.next(0.05)
        yield driver
    finally:
        driver.stop()


def states(driver: JvmDriver) -> list[str]:
    return [driver.observe(node, driver.setup.readings)["state"] for node in driver.setup.nodes]


def answer(driver: JvmDriver, rounds: int) -> float:
    """How long an answer takes, once the server is warm."""
    asking = Asking(driver)
    median(50, asking.passed)
    return median(rounds, asking.passed)


def measure_point(jars: Path, rounds: int, point: Point) -> None:
    with serving(jars, point) as driver:
        print(f"an answer, past a point with {len(point.bind)} values      {answer(driver, rounds):8.2f} ms")
        driver.hold([point.name])
        asking = Asking(driver)
        print(f"  held, told and released                   {median(rounds, asking.held):8.2f} ms")
        print(f"  of which the release, until acknowledged  {statistics.median(asking.releases):8.2f} ms")


def measure(jars: Path, rounds: int) -> None:
    began = time.perf_counter()
    with serving(jars) as driver:
        print(f"three servers, from nothing to a leader     {1000 * (time.perf_counter() - began):8.0f} ms")
        print(f"an answer without points                    {answer(driver, rounds):8.2f} ms")
        for node, state in zip(driver.setup.nodes, states(driver), strict=True):
            taken = median(rounds, partial(driver.observe, node, driver.setup.readings))
            print(f"{len(READINGS)} variables of {node}, {state.lower():10}             {taken:8.2f} ms")
        print(f"what all threads are doing                  {median(5, driver.doing):8.2f} ms")
    for point in (BARE, BOUND):
        measure_point(jars, rounds, point)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classpath", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=200)
    given = parser.parse_args()
    measure(given.classpath, given.rounds)


if __name__ == "__main__":
    main()
