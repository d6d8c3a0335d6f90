"""An ensemble of ZooKeeper with observers, or whose members change, captured and judged live.

    python benchmarks/watch_zookeeper_members.py JARS OUT.trace SCENARIO [--seconds 3] [--pause 0.03]

JARS: a folder with ZooKeeper and what it needs. Packets are captured (that needs CAP_NET_RAW), as all servers must know
each other by the same addresses. Scenarios, each with clients that read and write all the time:

    observers   three servers and two observers; an observer is killed and started again, then the leader
    join        three servers, a fourth one that joins, one that leaves; then the leader is killed
    lead        a fourth server joins while the leader leaves, which says who leads then
    roles       a server becomes an observer, and has a vote again; another observer joins; then the leader is killed
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests" / "watch"))

from etcd_cluster import mapping_of  # noqa: E402
from zookeeper_ensemble import Ensemble, Load, reconfigure  # noqa: E402

EXAMPLE = ROOT / "examples" / "zookeeper" / "watch.map.toml"


def servers(numbers: range) -> str:
    return "{" + ", ".join(f'"{number}"' for number in numbers) + "}"


def observers(ensemble: Ensemble, pause: float) -> None:
    leader, observer = ensemble.leader(), ensemble.members[3]
    for server in (observer, leader):
        time.sleep(pause)
        ensemble.kill(server)
        ensemble.leader()
        time.sleep(pause)
        ensemble.start(server)
    time.sleep(pause)


def join(ensemble: Ensemble, pause: float) -> None:
    leader, new = ensemble.leader(), ensemble.members[3]
    ensemble.start(new)
    time.sleep(pause)
    reconfigure(leader, [ensemble.described(new)])
    time.sleep(pause)
    leaves = next(each for each in ensemble.members if each is not leader)
    reconfigure(leader, leaving=[leaves.number])
    time.sleep(pause)
    ensemble.kill(leader)
    ensemble.leader()
    time.sleep(pause)


def lead(ensemble: Ensemble, pause: float) -> None:
    leader, new = ensemble.leader(), ensemble.members[3]
    ensemble.start(new)
    time.sleep(pause)
    reconfigure(ensemble.members[0], [ensemble.described(new)], [leader.number])
    ensemble.leader(but=leader)
    time.sleep(pause)


def roles(ensemble: Ensemble, pause: float) -> None:
    leader = ensemble.leader()
    changes = next(each for each in ensemble.members if each is not leader)
    for role in ("observer", "participant"):
        time.sleep(pause)
        reconfigure(leader, [ensemble.described(changes, role=role)])
    new = ensemble.members[3]
    ensemble.start(new)
    time.sleep(pause)
    reconfigure(leader, [ensemble.described(new, role="observer")])
    time.sleep(pause)
    ensemble.kill(leader)
    ensemble.leader()
    time.sleep(pause)
    ensemble.start(leader)
    time.sleep(pause)


SCENARIOS = {"observers": observers, "join": join, "lead": lead, "roles": roles}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jars", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--pause", type=float, default=0.03)
    options = parser.parse_args()
    size = 5 if options.scenario == "observers" else 4
    with tempfile.TemporaryDirectory(prefix="zookeeper-") as made:
        folder = Path(made)
        if options.scenario == "observers":
            ensemble = Ensemble(options.jars.absolute(), folder, size, tapped=False, observers=(4, 5))
            first = ensemble.members
        else:
            free = ("-Dzookeeper.skipACL=yes",)  # anybody may change members
            ensemble = Ensemble(options.jars.absolute(), folder, size, False, free, founders=(1, 2, 3))
            first = ensemble.members[:3]
        constants = (f"Server={servers(range(1, size + 1))}", f"Voters={{{servers(range(1, 4))}}}")
        named = [part for each in constants for part in ("--constant", each)]
        with ensemble:
            mapping = mapping_of(ensemble, EXAMPLE, folder)
            command = [sys.executable, "-m", "gristmill.cli", "watch", str(mapping), *named]
            with subprocess.Popen(
                [*command, "--capture", "--record", str(options.out)], stderr=subprocess.PIPE
            ) as watch:
                assert watch.stderr is not None
                assert any(b"Watching" in line for line in watch.stderr)
                for server in first:
                    ensemble.start(server)
                ensemble.leader()
                with Load(ensemble, clients=4, pause=options.pause) as load:
                    SCENARIOS[options.scenario](ensemble, options.seconds)
                watch.send_signal(signal.SIGINT)
                watch.wait()
    print(f"{len(load.latencies)} requests")
    return watch.returncode


if __name__ == "__main__":
    sys.exit(main())
