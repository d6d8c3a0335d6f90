"""The network driver on a real etcd, without a model: members run by their own clocks, one at a time."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from etcd_binary import etcd_program

from gristmill.replay.driver import Arrival, Point, Reading, Setup
from gristmill.replay.network import NetworkDriver
from gristmill.source import SourceFile
from gristmill.source.toml_places import places_of

pytestmark = pytest.mark.servers

MEMBERS = ("s1", "s2", "s3")
# A second after which a member runs out of patience: long for what a member does, short for us.
CLUSTER = """
[node]
command = ["{etcd}", "--name", "{node}", "--data-dir", "{folder}/data", "--initial-cluster", "{cluster}",
    "--initial-advertise-peer-urls", "http://127.0.0.1:{port.tap}", "--listen-peer-urls", "http://127.0.0.1:{port.peer}",
    "--listen-client-urls", "http://127.0.0.1:{port.client}", "--advertise-client-urls", "http://127.0.0.1:{port.client}",
    "--heartbeat-interval", "100", "--election-timeout", "1000", "--pre-vote=false", "--unsafe-no-fsync"]
ports = ["client", "peer", "tap"]
[node.each]
cluster = { text = "{node}=http://127.0.0.1:{port.tap}", join = "," }
[network]
decoder = "etcd"
taps = { tap = "peer" }
drop = ["MsgHeartbeat", "MsgHeartbeatResp", "MsgProp"]
pause-idle = true
"""
WAL = {"file": "data/member/wal", "decoder": "etcd-wal"}
READINGS = [Reading("term", {**WAL, "path": "term"}), Reading("vote", {**WAL, "path": "vote"})]


@pytest.fixture
def cluster() -> Iterator[NetworkDriver]:
    document = {**tomllib.loads(CLUSTER), "values": {"etcd": str(etcd_program())}}
    points = (Point("message", "message", {"term": "term"}),)
    places = places_of(SourceFile("cluster.toml", CLUSTER))
    driver = NetworkDriver(Setup(MEMBERS, points, (), document, places, Path(".")))
    try:
        driver.start()
        driver.hold(["message"])
        for member in MEMBERS:
            driver.fault("start", member)
            assert driver.settle(20)
        yield driver
    finally:
        driver.stop()


def on_its_way(driver: NetworkDriver, source: str, destination: str, kind: str) -> Arrival:
    wanted = (source, destination, kind)
    return next(each for each in driver.held() if tuple(each.bindings[key] for key in ("from", "to", "kind")) == wanted)


def test_the_member_whose_clock_runs_is_elected(cluster):
    """Those that are paused do not run out of patience: it is always the one that we let run."""
    cluster.fault("run", "s2", {"kind": "MsgVote", "seconds": 20})
    assert cluster.settle(20)
    assert {(each.bindings["from"], each.bindings["kind"]) for each in cluster.held()} == {("s2", "MsgVote")}
    assert cluster.observe("s2", READINGS) == {"term": 2, "vote": "s2"}
    assert cluster.observe("s3", READINGS) == {"term": 1, "vote": None}
    cluster.release(on_its_way(cluster, "s2", "s3", "MsgVote"))
    assert cluster.settle(20)
    assert cluster.observe("s3", READINGS) == {"term": 2, "vote": "s2"}
    cluster.release(on_its_way(cluster, "s3", "s2", "MsgVoteResp"))
    assert cluster.settle(20)
    append = on_its_way(cluster, "s2", "s1", "MsgApp").bindings["message"]
    assert (append["term"], append["index"], append["logTerm"]) == (2, 3, 1)
    assert [each["request"] for each in append["entries"]] == [{"kind": "empty"}]


def test_a_message_that_is_changed_on_its_way(cluster):
    """A vote that is turned into a refusal, as a faulty member might send it."""
    cluster.fault("run", "s1", {"kind": "MsgVote", "seconds": 20})
    cluster.settle(20)
    cluster.release(on_its_way(cluster, "s1", "s2", "MsgVote"))
    cluster.settle(20)
    cluster.release(on_its_way(cluster, "s2", "s1", "MsgVoteResp"), {"reject": True})
    assert cluster.settle(20)
    assert not [each for each in cluster.held() if each.bindings["kind"] == "MsgApp"]
