"""etcd under load, watched live through the tap and passively; its leader is killed and comes back: no alarm."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from etcd_binary import etcd_program
from etcd_cluster import Cluster, Load, mapping_of
from test_live_capture import may_capture

pytestmark = pytest.mark.servers

EXAMPLE = Path(__file__).parents[2] / "examples" / "etcd" / "watch.map.toml"
_SECONDS = 4.0  # of load before the leader is killed, while it is away, and after that


@pytest.mark.parametrize("how", ["tap", "capture"])
def test_a_leader_is_killed_and_comes_back(tmp_path: Path, how: str) -> None:
    if how == "capture" and not may_capture():
        pytest.skip("packets cannot be captured here: no CAP_NET_RAW")
    recording = tmp_path / "run.trace"
    with Cluster(etcd_program(), tmp_path, tapped=how == "tap") as cluster:
        mapping = mapping_of(cluster, EXAMPLE, tmp_path)
        options = ["--format", "json", "--record", str(recording), *(["--capture"] if how == "capture" else [])]
        command = [sys.executable, "-m", "gristmill.cli", "watch", str(mapping), *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
            try:
                assert watch.stderr is not None
                assert any("Watching" in line for line in watch.stderr)
                cluster.start_all()
                leader = cluster.leader()
                with Load(cluster, clients=2) as load:
                    time.sleep(_SECONDS)
                    cluster.kill(leader)
                    time.sleep(_SECONDS)
                    cluster.start(leader)
                    time.sleep(_SECONDS)
                watch.send_signal(signal.SIGINT)
                printed, said = watch.communicate(timeout=300)
            finally:
                watch.kill()
    found = json.loads(printed)
    shown = json.dumps([found, said], indent=1)
    assert (watch.returncode, found["verdict"], found["not_judged"]) == (0, "ok", []), shown
    assert len(load.latencies) > 20
    assert found["messages"] > 2 * len(load.latencies)
    assert all(node["called"] and node["sent"] > 0 for node in found["nodes"])
    again = subprocess.run([*command[:5], "--format", "json", "--from", str(recording)], capture_output=True, text=True)
    assert json.loads(again.stdout)["messages"] == found["messages"]
