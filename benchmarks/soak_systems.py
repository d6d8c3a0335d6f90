"""Systems for `watch_soak.py`: a cluster of etcd and an ensemble of ZooKeeper, and what may happen to them."""

from __future__ import annotations

import contextlib
import http.client
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch"))

import etcd_cluster
import zookeeper_ensemble
from etcd_cluster import HOST, Member, free_ports
from soak_doors import Doors
from zookeeper_ensemble import Server

EXAMPLES = Path(__file__).parents[1] / "examples"
_CALL_ERRORS = (OSError, http.client.HTTPException, ValueError, AssertionError)


class Soaked(ABC):
    """A system under load, and its faults. Each fault takes some seconds, and is mended at its end."""

    example: Path
    cluster: Any  # with `members`, `start`, `kill`, `leader`, `mapping_links`

    def __init__(self, seed: int, tapped: bool) -> None:
        self.chance, self.tapped, self.doors = random.Random(seed), tapped, Doors()
        self.faults: list[Callable[[], str]] = [
            self.leader_killed, self.leader_killed, self.other_killed, self.leader_stopped, self.other_stopped,
        ]  # fmt: skip
        if tapped:
            self.faults += [self.leader_cut_off, self.other_cut_off, self.leader_silent, self.other_silent, self.slowed]
            self.faults.append(self.tap_killed)
        self.watcher = 0  # the process that has started the tap

    @abstractmethod
    def load(self, clients: int, pause: float) -> Any: ...

    @abstractmethod
    def mapping_links(self) -> str: ...

    def options(self) -> list[str]:
        """Of `gristmill watch`."""
        return []

    def begin(self) -> None:
        self.cluster.start_all()
        self.cluster.leader()

    def wait(self, least: float, most: float) -> None:
        time.sleep(self.chance.uniform(least, most))

    def leader(self) -> Any:
        return self.cluster.leader(60.0)

    def other(self) -> Any:
        leader = self.leader()
        return self.chance.choice([each for each in self.running() if each is not leader])

    def running(self) -> list[Any]:
        return [each for each in self.cluster.members if each.process is not None]

    # --------------------------------------------------------------------------------------------------------- faults

    def _killed(self, member: Any) -> str:
        self.cluster.kill(member)
        self.wait(0.5, 6)
        self.cluster.start(member)
        return f"{member.name} was killed and started"

    def leader_killed(self) -> str:
        return "leader " + self._killed(self.leader())

    def other_killed(self) -> str:
        return self._killed(self.other())

    def _stopped(self, member: Any) -> str:
        os.killpg(member.process.pid, signal.SIGSTOP)
        try:
            self.wait(0.5, 5)
        finally:
            os.killpg(member.process.pid, signal.SIGCONT)
        return f"{member.name} was stopped"

    def leader_stopped(self) -> str:
        return "leader " + self._stopped(self.leader())

    def other_stopped(self) -> str:
        return self._stopped(self.other())

    def _cut_off(self, member: Any, silently: bool = False) -> str:
        if silently:
            self.doors.silent.add(member.name)
        else:
            self.doors.isolate(member.name)
        self.wait(1, 6)
        self.doors.heal()
        return f"{member.name} was {'silent' if silently else 'cut off'}"

    def leader_cut_off(self) -> str:
        return "leader " + self._cut_off(self.leader())

    def other_cut_off(self) -> str:
        return self._cut_off(self.other())

    def leader_silent(self) -> str:
        return "leader " + self._cut_off(self.leader(), silently=True)

    def other_silent(self) -> str:
        return self._cut_off(self.other(), silently=True)

    def slowed(self) -> str:
        member = self.chance.choice(self.running())
        self.doors.slow[member.name] = self.chance.choice((0.005, 0.02, 0.1))
        self.wait(3, 8)
        told = f"{member.name} was slow by {self.doors.slow[member.name]} s"
        self.doors.heal()
        return told

    def tap_killed(self) -> str:
        """It is started again; all connections are broken meanwhile."""
        found = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(self.watcher)], capture_output=True, text=True)
        taps = [int(line.split()[0]) for line in found.stdout.splitlines() if "python" not in line]
        os.kill(self.chance.choice(taps), signal.SIGKILL)
        return "the tap was killed"

    def keep_logs(self, folder: Path) -> None:
        folder.mkdir()
        for member in self.cluster.members:
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(member.folder / "log", folder / f"{member.name}.log")

    def close(self) -> None:
        self.cluster.__exit__()
        self.doors.close()


class EtcdSoak(Soaked):
    example = EXAMPLES / "etcd" / "watch.map.toml"

    def __init__(self, program: Path, folder: Path, size: int, seed: int, tapped: bool) -> None:
        super().__init__(seed, tapped)
        options = ["--snapshot-count", "300", *_catch_up(program)]
        self.cluster = etcd_cluster.Cluster(program, folder, size, tapped, options)
        self.doored: dict[str, int] = {}
        self.spare = [self.cluster.new_member(f"m{size + number}") for number in (1, 2)]
        for member in self.cluster.members:
            (member.service,) = free_ports(1)
            self.doored[member.name] = self.doors.open(member.name, member.peer)
        self.left = [*self.spare]
        self.faults += [self.members_changed, self.leadership_moved, self.other_away_for_long]

    def mapping_links(self) -> str:
        lines = []
        for member in self.cluster.members:
            at = self.doored[member.name] if self.tapped else member.peer
            lines += [f"[watch.links.{member.name}]", f'at = "{HOST}:{at}"', f'tap = "{HOST}:{member.tap}"']
            lines += [f"[watch.links.c{member.name}]", f'at = "{HOST}:{member.client}"']
            lines += [f'tap = "{HOST}:{member.service}"'] if self.tapped else []
        if not self.tapped:
            lines = [line for line in lines if not line.startswith("tap")]
            for member in self.cluster.members:
                member.service = 0
        return "\n".join(lines) + "\n"

    def begin(self) -> None:
        super().begin()
        for member in self.running():
            self._identify(member)

    def _identify(self, member: Member) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(*_CALL_ERRORS):
                header: Any = self.cluster.call(member, "/v3/maintenance/status", {}, 1.0)["header"]
                self.doors.identities[f"{int(header['member_id']):x}"] = member.name
                return
            time.sleep(0.1)

    def load(self, clients: int, pause: float) -> Any:
        return etcd_cluster.Load(self.cluster, clients, pause=pause)

    def other_away_for_long(self) -> str:
        """So long that it needs a snapshot."""
        member = self.other()
        self.cluster.kill(member)
        self.wait(8, 12)
        self.cluster.start(member)
        return f"{member.name} was away for long"

    def leadership_moved(self) -> str:
        leader, other = self.leader(), self.other()
        status: Any = self.cluster.call(other, "/v3/maintenance/status", {})
        body = {"targetID": status["header"]["member_id"]}
        self.cluster.call(leader, "/v3/maintenance/transfer-leadership", body)
        return f"leadership was moved from {leader.name} to {other.name}"

    def members_changed(self) -> str:
        """A member joins, and leaves later, while there are names left in the specification."""
        if not self.left:
            return "no member is left to join"
        new, asked = self.left.pop(), self.leader()
        url = f"http://{HOST}:{self.cluster.found_at(new)}"
        added: Any = self._patiently(asked, "/v3/cluster/member/add", {"peerURLs": [url]})
        self.cluster.start(new, [*self.running(), new])
        self._identify(new)
        self.wait(3, 6)
        if self.chance.random() < 0.5:
            return f"{new.name} has joined"
        self._patiently(self.leader(), "/v3/cluster/member/remove", {"ID": added["member"]["ID"]})
        time.sleep(1)
        self.cluster.kill(new)
        shutil.rmtree(new.folder, ignore_errors=True)
        return f"{new.name} has joined and left"

    def _patiently(self, member: Member, path: str, body: object) -> dict[str, object]:
        """Members are not changed before all have been connected for a while."""
        for _ in range(15):
            with contextlib.suppress(*_CALL_ERRORS):
                return self.cluster.call(member, path, body)
            time.sleep(1)
            member = self.leader()
        raise OSError(f"{path} was refused")


def _catch_up(program: Path) -> list[str]:
    """That few entries are kept behind a snapshot, as this version says it."""
    known = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    names = ("--snapshot-catchup-entries", "--experimental-snapshot-catchup-entries")
    return next(([name, "50"] for name in names if f"{name}\n" in known), [])


class ZooKeeperSoak(Soaked):
    example = EXAMPLES / "zookeeper" / "watch.map.toml"

    def __init__(self, jars: Path, folder: Path, size: int, seed: int, tapped: bool) -> None:
        super().__init__(seed, tapped)
        snapshots = ["-Dzookeeper.commitLogCount=100", "-Dzookeeper.snapshotSizeFactor=-1"]
        self.cluster = zookeeper_ensemble.Ensemble(jars, folder, size, tapped, snapshots, snapshots=500)
        self.size, self.links = size, []
        for server in self.cluster.members:
            for dialer in self.cluster.members:
                for name in ("quorum", "election") if tapped and dialer is not server else ():
                    self._link(dialer, server, name)
        self.faults.append(self.other_away_for_long)

    def _link(self, dialer: Server, server: Server, name: str) -> None:
        """Each server finds each other one at a tap of its own, with a door behind it."""
        (tap,) = free_ports(1)
        door = self.doors.open(server.name, server.ports[name], dialer.name)
        self.cluster.ways[dialer.number, server.number, name] = tap
        self.links += [
            f"[watch.links.{name}{dialer.number}-{server.number}]", f'at = "{HOST}:{door}"', f'tap = "{HOST}:{tap}"',
            f'announced = "{HOST}:{server.ports[name]}"', f'node = "{server.number}"', f'from = "{dialer.number}"',
        ]  # fmt: skip

    def options(self) -> list[str]:
        return ["--constant", "Server={" + ", ".join(f'"{number}"' for number in range(1, self.size + 1)) + "}"]

    def mapping_links(self) -> str:
        if not self.tapped:
            return str(self.cluster.mapping_links())
        lines = [*self.links]
        for server in self.cluster.members:
            lines += [f"[watch.links.client{server.number}]", f'node = "{server.number}"']
            places = (("at", server.ports), ("tap", server.taps))
            lines += [f'{key} = "{HOST}:{where["client"]}"' for key, where in places]
        return "\n".join(lines) + "\n"

    def load(self, clients: int, pause: float) -> Any:
        return zookeeper_ensemble.Load(self.cluster, clients, pause=pause)

    def other_away_for_long(self) -> str:
        server = self.other()
        self.cluster.kill(server)
        self.wait(8, 12)
        self.cluster.start(server)
        return f"{server.name} was away for long"
