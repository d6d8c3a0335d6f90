"""No false alarms in the long run: a live system under load and faults that are drawn from a seed, watched beside it.

    python benchmarks/watch_soak.py etcd PROGRAM [--minutes 20] [--size 3] [--seed 1] [--clients 3] [--pause 0.01]
    python benchmarks/watch_soak.py zookeeper JARS [--capture] [--keep FOLDER] [--calm 6]

Faults: nodes killed and started, stopped for a while (SIGSTOP), cut off, silent (connections stay, nothing arrives
until later), slow, away for so long that they need a snapshot; of etcd, members that join and leave, and leaders that
are told to hand over; and the tap itself killed, so that all connections break. Each happens once before one happens
again. With `--capture` there is no cutting: nothing stands between the nodes. `--calm`: seconds between two faults.

It tells what happened, and at the end messages, alarms, where track was lost, what was not judged, the longest lag, and
the memory of each process that judges. If there was an alarm, the recording and the nodes' logs are kept (`--keep`:
always, and there).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from soak_systems import EtcdSoak, Soaked, ZooKeeperSoak


class Beside:
    """`gristmill watch`, beside the system."""

    def __init__(self, mapping: Path, recording: Path, options: list[str]) -> None:
        command = [sys.executable, "-m", "gristmill.cli", "watch", str(mapping), "--format", "jsonl", *options]
        self.process = subprocess.Popen(
            [*command, "--record", str(recording)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.alarms: list[dict[str, Any]] = []
        self.lost: list[dict[str, Any]] = []
        self.trouble: list[str] = []
        self.lags: list[float] = []
        self.ended: dict[str, Any] = {}
        self.memory: Counter[str] = Counter()  # the most of each process, in MB
        self.ready = threading.Event()
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._hear, self._say, self._weigh)]
        for thread in self._threads:
            thread.start()

    def _say(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if "Watching" in line:
                self.ready.set()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            match told["event"]:
                case "heartbeat":
                    self.lags.append(told["lag_seconds"] or 0.0)
                case "alarm":
                    self.alarms.append(told)
                    said(f"ALARM at {told['node']}: {json.dumps(told)[:1500]}")
                case "lost":
                    self.lost.append(told)
                    said(f"lost track: {json.dumps(told)[:700]}")
                case "trouble":
                    self.trouble.append(f"{told['what']} {told['why']}")
                    said(f"not judged: {told['what']} {told['why']}")
                case "ended":
                    self.ended = told

    def _weigh(self) -> None:
        """The processes that judge are forked by the one that watches."""
        while self.process.poll() is None:
            command = ["ps", "-o", "pid=,rss=,comm=", "--ppid", str(self.process.pid)]
            found = subprocess.run(command, capture_output=True)
            for line in found.stdout.decode().splitlines():
                pid, memory, name = line.split(None, 2)
                key = f"{name} {pid}"
                self.memory[key] = max(self.memory[key], int(memory) >> 10)
            time.sleep(2)

    def end(self, seconds: float) -> int:
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self._threads[0].join(10)


_BEGAN = time.monotonic()


def said(text: str) -> None:
    print(f"{time.monotonic() - _BEGAN:7.1f}  {text}", flush=True)


def soak(system: Soaked, beside: Beside, options: argparse.Namespace) -> int:
    """How many requests were answered."""
    system.begin()
    until = time.monotonic() + 60 * options.minutes
    with system.load(options.clients, options.pause) as load:
        time.sleep(options.calm)
        faults: list[Callable[[], str]] = []
        while time.monotonic() < until and beside.process.poll() is None:
            faults = faults or system.chance.sample(system.faults, len(system.faults))  # each of them in turn
            fault = faults.pop()
            try:
                said(fault())
            except (OSError, AssertionError) as error:
                system.doors.heal()
                said(f"{fault.__name__} has failed: {error}")
            system.wait(options.calm / 2, 1.5 * options.calm)
    return len(load.latencies)


def run(options: argparse.Namespace, folder: Path) -> bool:
    kind = EtcdSoak if options.system == "etcd" else ZooKeeperSoak
    system = kind(options.program.resolve(), folder / "nodes", options.size, options.seed, not options.capture)
    mapping, recording = folder / "soak.map.toml", folder / "soak.trace"
    text = system.example.read_text().replace('specification = "', f'specification = "{system.example.parent}/')
    mapping.write_text(
        text.replace('config = "', f'config = "{system.example.parent}/') + "\n" + system.mapping_links()
    )
    beside = Beside(mapping, recording, [*system.options(), *(["--capture"] if options.capture else [])])
    try:
        if not beside.ready.wait(120):
            raise SystemExit("it does not watch")
        system.watcher = beside.process.pid
        answered = soak(system, beside, options)
    finally:
        system.keep_logs(folder / "logs")
        system.close()
        status = beside.end(600)
    report(beside, status, answered)
    if options.json:
        told = {"answered": answered, "status": status, "alarms": beside.alarms, "lost": beside.lost}
        options.json.write_text(json.dumps({**told, "trouble": beside.trouble, "ended": beside.ended}))
    return status == 0


def report(beside: Beside, status: int, answered: int) -> None:
    messages, load = beside.ended.get("messages", 0), os.getloadavg()[1]
    print(f"{answered:,} requests, {messages:,} messages, exit status {status}, load average {load:.1f}")
    print(f"alarms {len(beside.alarms)}, lost track {len(beside.lost)}, not judged {len(beside.trouble)}")
    lags = sorted(beside.lags) or [0.0]
    print(f"lag: median {lags[len(lags) // 2]:.2f} s, 99 % {lags[int(0.99 * len(lags))]:.2f} s, most {lags[-1]:.2f} s")
    print("memory: " + ", ".join(f"{each} MB" for _, each in sorted(beside.memory.items())))
    for node in beside.ended.get("nodes", ()):
        print("  " + ", ".join(f"{key} {value}" for key, value in node.items() if not isinstance(value, dict | list)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", choices=("etcd", "zookeeper"))
    parser.add_argument("program", type=Path, help="etcd, or the folder with ZooKeeper's jars")
    parser.add_argument("--minutes", type=float, default=20)
    for name, default in (("size", 3), ("seed", 1), ("clients", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--pause", type=float, default=0.01, help="seconds between two requests of a client")
    parser.add_argument("--calm", type=float, default=6.0)
    parser.add_argument("--capture", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--json", type=Path, help="where to write what came of it")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all that was started is ended
    with tempfile.TemporaryDirectory(prefix="watch-soak-") as name:
        folder = Path(name)
        good = run(options, folder)
        if options.keep or not good:
            kept = options.keep or Path(f"soak-{options.system}-{options.size}-{options.seed}")
            kept.mkdir(parents=True, exist_ok=True)
            for each in ("soak.map.toml", "soak.trace", "logs"):
                shutil.move(folder / each, kept / each)
            print(f"kept in {kept}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
