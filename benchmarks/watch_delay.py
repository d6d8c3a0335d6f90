"""How soon an alarm is told: a message is forged on a link of etcd that is watched, under load.

    python benchmarks/watch_delay.py --etcd PATH [--clients 4] [--pause 0.01] [--forged 5] [--every 8] [--capture]

A follower seems to send a heartbeat in the leader's term: it is posted through the tap under its name (etcd does not
take it, as the cluster's id is wrong). Told is the time from there until the alarm is printed, and the lag meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch"))

from etcd_cluster import HOST, Cluster, Load, Member, mapping_of

from gristmill.systems.decoders.etcd.peers import posted
from gristmill.systems.decoders.etcd.raft import message_bytes

EXAMPLE = Path(__file__).parents[1] / "examples" / "etcd" / "watch.map.toml"


def status(cluster: Cluster, member: Member) -> dict[str, Any]:
    found: dict[str, Any] = cluster.call(member, "/v3/maintenance/status", {})
    return found


def forge(cluster: Cluster) -> float:
    """When it was sent."""
    leader = cluster.leader()
    follower = next(each for each in cluster.members if each is not leader)
    told, here = status(cluster, leader), status(cluster, follower)
    called = [f"{int(each['header']['member_id']):x}" for each in (here, told)]
    record = {"kind": "MsgHeartbeat", "from": called[0], "to": called[1], "term": int(told["raftTerm"]), "commit": 1}
    headers = {"X-Server-From": called[0], "X-Raft-To": called[1], "X-Etcd-Cluster-Id": "1", "Host": "forged"}
    with socket.create_connection((HOST, leader.tap if cluster.tapped else leader.peer)) as connection:
        connection.sendall(posted(message_bytes(record), headers))
        sent = time.time()
        connection.settimeout(2)
        connection.recv(100)
    return sent


class Told:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.alarms: list[float] = []
        self.lags: list[float] = []
        self.messages = 0
        self._process = process
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = json.loads(line)
            if told["event"] == "heartbeat":
                self.lags.append(told["lag_seconds"] or 0.0)
                self.messages = told["messages"]
            elif told["event"] == "alarm" and told["message"]["kind"] == "MsgHeartbeat":
                self.alarms.append(datetime.fromisoformat(told["at"]).timestamp())


def run(options: argparse.Namespace, folder: Path) -> None:
    with Cluster(options.etcd, folder, options.members, tapped=not options.capture) as cluster:
        command = [sys.executable, "-m", "gristmill.cli", "watch", str(mapping_of(cluster, EXAMPLE, folder))]
        command += ["--format", "jsonl", *(["--capture"] if options.capture else [])]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
            try:
                assert watch.stderr is not None
                assert any("Watching" in line for line in watch.stderr)
                measure(cluster, Told(watch), options)
            finally:
                watch.send_signal(signal.SIGTERM)
                watch.send_signal(signal.SIGTERM)
                watch.wait(60)


def measure(cluster: Cluster, told: Told, options: argparse.Namespace) -> None:
    cluster.start_all()
    cluster.leader()
    delays = []
    with Load(cluster, options.clients, pause=options.pause) as load:
        began = time.monotonic()
        for _ in range(options.forged):
            time.sleep(options.every)
            before, sent = len(told.alarms), forge(cluster)
            deadline = time.monotonic() + 60
            while len(told.alarms) == before and time.monotonic() < deadline:
                time.sleep(0.01)
            delays.append(told.alarms[before] - sent if len(told.alarms) > before else float("inf"))
            print(f"  alarm after {delays[-1]:.2f} s, lag {told.lags[-1]:.2f} s", flush=True)
        seconds = time.monotonic() - began
    rate = len(load.latencies) / seconds
    print(
        f"{rate:.0f} operations, {told.messages / seconds:.0f} messages a second; alarm after {min(delays):.2f} to "
        f"{max(delays):.2f} s; lag at most {max(told.lags):.2f} s; load average {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--etcd", type=Path, required=True)
    for name, default in (("clients", 4), ("members", 3), ("forged", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--pause", type=float, default=0.01)
    parser.add_argument("--every", type=float, default=8.0)
    parser.add_argument("--capture", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all that was started is ended
    with tempfile.TemporaryDirectory(prefix="watch-delay-") as name:
        run(options, Path(name))


if __name__ == "__main__":
    main()
