"""The bugs of etcd and Redis Raft that runtime protocol refinement checking was shown with, and what the alarms say.

    python benchmarks/watch_bugs.py                             those that are forged, and the one in a recording
    python benchmarks/watch_bugs.py --etcd PROGRAM              etcd-741 on a server, too
    python benchmarks/watch_bugs.py --old-etcd PROGRAM          etcd-7331 on etcd 3.1.1

Forged ones are made of recordings of healthy systems (tests/watch/watch_forged.py). On servers: a cluster of three
members is started, and something between them and their clients makes the bug happen.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "watch"))

from watch_etcd import Cluster, b64
from watch_forged import ETCD, REDIS
from watch_recorder import Recorder

from gristmill.watch.judging import Alarm, Lost
from gristmill.watch.mapping import read_watch_map
from gristmill.watch.messages import Message, Reading
from gristmill.watch.recording import DIALED, read_recording
from gristmill.watch.watching import judged, watch_recordings

EXAMPLES = Path(__file__).parents[1] / "examples"
RECORDINGS = Path(__file__).parents[1] / "tests" / "watch" / "recordings"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--etcd", metavar="PROGRAM")
    parser.add_argument("--old-etcd", metavar="PROGRAM")
    options = parser.parse_args()
    forged()
    recorded()
    if options.etcd:
        served("etcd-741", options.etcd, "v3", WithoutQuorum)
    if options.old_etcd:
        served("etcd-7331", options.old_etcd, "v3alpha", BeforeCommit)


def forged() -> None:
    for system, bugs in (("etcd", ETCD), ("redisraft", REDIS)):
        mapping = read_watch_map(EXAMPLES / system / "watch.map.toml")
        with mapping.specification.world.active():
            for bug in bugs:
                name = {"etcd_741": "etcd-3.6-clients"}.get(bug.__name__, "etcd-3.5" if system == "etcd" else system)
                file = RECORDINGS / f"{name}.trace.xz"
                messages, wrong = bug(list(Reading(mapping).messages(read_recording(file))))
                result = judged(mapping, Reading(mapping), messages, [str(wrong.source)])
                tell(f"{bug.__name__} (forged)", result.nodes[0].end, result.seconds, wrong)


def recorded() -> None:
    mapping = read_watch_map(EXAMPLES / "redisraft" / "watch.map.toml", {"EarlyJoins": "FALSE"})
    result = watch_recordings(mapping, [RECORDINGS / "redisraft.trace.xz"])
    end = next(each.end for each in result.nodes if each.end)
    tell("Redis Raft, not reported (in a recording)", end, result.seconds)


def tell(name: str, end: Alarm | Lost | None, seconds: float, wrong: Message | None = None) -> None:
    print(f"{name}: {seconds:.1f} s of processor time")
    match end:
        case Alarm(message) as alarm:
            late = "" if wrong is None else f", {message.number - wrong.number} messages later"
            print(f"  alarm at {message.kind} from {message.source} (message {message.number}{late})")
            for each in alarm.candidates:
                print(f"    {each.action}: {'; '.join(lack.words or lack.text for lack in each.obstacles)}")
        case Lost(message, why):
            print(f"  lost track at message {message.number}: {why}")
        case None:
            print("  no alarm")


# ---------------------------------------------------------------------------------------------------------- on servers


def served(name: str, program: str, version: str, provoke: type[Provoking]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "run.trace"
        provoking = provoke()
        recorder = Recorder(recording, provoking.change)
        cluster = Cluster(program, recorder, Path(folder), random.randrange(20_000, 30_000, 200), 3, version)
        try:
            for member in cluster.founders:
                cluster.start(member)
            cluster.ready()
            provoking.run(cluster)
        finally:
            cluster.close()
            recorder.close()
        result = watch_recordings(read_watch_map(EXAMPLES / "etcd" / "watch.map.toml"), [recording])
    ends = [each.end for each in result.nodes if each.end is not None]
    tell(f"{name} (on servers)", ends[0] if ends else None, result.seconds)
    for trouble in result.trouble:
        print(f"  not judged: {trouble}")


class Provoking:
    """What is done to bytes on their way, and what clients do."""

    def change(self, name: str, direction: int, data: bytes) -> bytes:
        return data

    def run(self, cluster: Cluster) -> None:
        raise NotImplementedError


class WithoutQuorum(Provoking):
    """Reads of clients reach the server as serializable ones: it answers without asking anybody, as etcd once did."""

    def change(self, name: str, direction: int, data: bytes) -> bytes:
        head, _, body = data.partition(b"\r\n\r\n")
        if direction != DIALED or b"/kv/range" not in head or not body.endswith(b"}"):
            return data
        changed = body[:-1] + b', "serializable": true}'
        old, new = b"Content-Length: %d" % len(body), b"Content-Length: %d" % len(changed)
        return head.replace(old, new) + b"\r\n\r\n" + changed

    def run(self, cluster: Cluster) -> None:
        leader = cluster.leader() or 0
        for number in range(5):
            cluster.call(leader, "kv/put", {"key": b64("x"), "value": b64(str(number))})
        cluster.call(leader, "kv/range", {"key": b64("x")})
        time.sleep(1)


class BeforeCommit(Provoking):
    """Members do not get the first entry of a new leader for a while, only its heartbeats; it is asked to read."""

    def run(self, cluster: Cluster) -> None:
        first = cluster.leader() or 0
        for number in range(5):
            cluster.call(first, "kv/put", {"key": b64("x"), "value": b64(str(number))})
        cluster.recorder.slow = "/raft/stream/msgapp"
        cluster.kill(first)
        until = time.monotonic() + 15
        while time.monotonic() < until:
            new = cluster.leader()
            if new is not None:
                cluster.call(new, "kv/range", {"key": b64("x")}, seconds=3)
                break
            time.sleep(0.05)
        time.sleep(1)


if __name__ == "__main__":
    main()
