"""What watching costs a service: etcd's latency and throughput without it, with the tap, and with passive capture.

    python benchmarks/watch_overhead.py --etcd PATH [--rounds 5] [--seconds 10] [--clients 4] [--members 3] [--judged]
                                       [--pause 0]

One cluster after the other, in turn, so that what else the machine does falls on all of them alike. `judged` runs the
monitors, too; without it, records are only taken from the memory that they are noted in. Of each way: operations a
second, latency (median and 99th percentile of all operations), and the processor time of the tap or the capture a
record. `--pause`: seconds that a client waits before each request; without, as much is asked as the machine can do.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch"))

from etcd_cluster import HOST, Cluster, Load, mapping_of

from gristmill.watch.live.capture import Capture
from gristmill.watch.live.links import Address, Link
from gristmill.watch.live.program import NotingProgram
from gristmill.watch.live.ring import Ring
from gristmill.watch.live.tap import Tap

EXAMPLE = Path(__file__).parents[1] / "examples" / "etcd" / "watch.map.toml"
WAYS = ("none", "capture", "tap")


@dataclass
class Noted:
    records: int = 0
    seconds: float = 0.0  # of processor time


@contextmanager
def noting(way: str, cluster: Cluster) -> Iterator[Noted]:
    """The tap or the capture, and somebody who takes its records."""
    noted = Noted()
    if way == "none":
        yield noted
        return
    links = [Link(each.name, Address(HOST, each.peer), Address(HOST, each.tap)) for each in cluster.members]
    ring = Ring()
    source: NotingProgram = Tap(links, ring) if way == "tap" else Capture(links, ring, "lo")
    stop = threading.Event()

    def take() -> None:
        while not stop.wait(0.01):
            while ring.take():
                pass

    taker = threading.Thread(target=take)
    source.start()
    taker.start()
    try:
        yield noted
    finally:
        noted.records, noted.seconds = ring.counts.sequence, processor_seconds(source)
        source.close()
        stop.set()
        taker.join()
        ring.close()


@contextmanager
def judging(way: str, cluster: Cluster, folder: Path) -> Iterator[Noted]:
    """`gristmill watch`, as users run it."""
    if way == "none":
        yield Noted()
        return
    command = [sys.executable, "-m", "gristmill.cli", "watch", str(mapping_of(cluster, EXAMPLE, folder))]
    command += ["--capture"] if way == "capture" else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
        try:
            assert watch.stderr is not None
            assert any("Watching" in line for line in watch.stderr)
            yield Noted()
        finally:
            watch.send_signal(2)
            printed, _ = watch.communicate()
            print(f"    {printed.splitlines()[-1]}")


def processor_seconds(source: NotingProgram) -> float:
    fields = Path(f"/proc/{source.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def measured(way: str, options: argparse.Namespace) -> tuple[float, list[float], Noted]:
    """Operations a second, latencies, what was noted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Cluster(options.etcd, folder, options.members, tapped=way == "tap") as cluster:
            watching = judging(way, cluster, folder) if options.judged else noting(way, cluster)
            with watching as noted:
                cluster.start_all()
                cluster.leader()
                time.sleep(1.0)
                began = time.monotonic()
                with Load(cluster, options.clients, options.reads, options.pause) as load:
                    time.sleep(options.seconds)
                seconds = time.monotonic() - began
                for member in cluster.members:
                    cluster.kill(member)
    return len(load.latencies) / seconds, load.latencies, noted


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--etcd", type=Path, required=True)
    for name, default in (("rounds", 5), ("clients", 4), ("members", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--reads", type=float, default=0.3)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--judged", action="store_true")
    options = parser.parse_args()
    rates, medians, tails, costs = (defaultdict(list) for _ in range(4))
    for number in range(options.rounds):
        for way in WAYS[number % 3 :] + WAYS[: number % 3]:
            rate, latencies, noted = measured(way, options)
            rates[way].append(rate)
            medians[way].append(1e3 * percentile(latencies, 0.5))
            tails[way].append(1e3 * percentile(latencies, 0.99))
            if noted.records:
                costs[way].append(1e6 * noted.seconds / noted.records)
            line = f"  {way:8} {rate:8.0f} op/s  p50 {medians[way][-1]:7.2f} ms  p99 {tails[way][-1]:7.2f} ms"
            print(line, flush=True)
    print(f"{'':8} {'op/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'µs/record':>10}   (medians of {options.rounds} rounds)")
    for way in WAYS:
        cost = f"{statistics.median(costs[way]):10.1f}" if costs[way] else f"{'':10}"
        values = (statistics.median(each[way]) for each in (rates, medians, tails))
        print(f"{way:8} {next(values):8.0f} {next(values):8.2f} {next(values):8.2f} {cost}")


if __name__ == "__main__":
    main()
