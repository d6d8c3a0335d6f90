"""Six mistakes planted in the specification of ZooKeeper: does a replay on the real servers report each where it is?

    python benchmarks/planted_mistakes.py --jars jars/3.9.1

Each is planted in a copy of examples/zookeeper, and random traces are replayed until there is a discrepancy.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

EXAMPLE = Path(__file__).parent.parent / "examples/zookeeper"


class Mistake(NamedTuple):
    file: str
    right: str
    wrong: str
    action: str  # where it is to be reported
    what: tuple[str, ...]  # a variable that differs; or what kind of discrepancy it is


MISTAKES = {
    "wrong message type": Mistake(
        "SyncThreads.tla",
        """    /\\ net' = Sent(Taken(l, f), f, l, <<Message("ACK", Head(net[l][f]).zxid)>>)
    /\\ UNCHANGED <<serverVars, link, peerLast, cut, leadVars, pending""",
        """    /\\ net' = Sent(Taken(l, f), f, l, <<Message("COMMIT", Head(net[l][f]).zxid)>>)
    /\\ UNCHANGED <<serverVars, link, peerLast, cut, leadVars, pending""",
        "FollowerReplyAck",
        ("unexpected",),
    ),
    "wrong branch": Mistake(
        "SyncCommon.tla",
        'AppliesAtOnce(f) == stage[f] = "whole"',
        'AppliesAtOnce(f) == stage[f] = "diff"',
        "SyncCommit",
        ("applied", "log", "pending", "committing"),
    ),
    "missing update": Mistake(
        "SyncThreads.tla",
        "    /\\ currentEpoch' = [currentEpoch EXCEPT ![f] = acceptedEpoch[f]]",
        "    /\\ UNCHANGED currentEpoch",
        "FollowerUpdateEpochAndQueue",
        ("currentEpoch",),
    ),
    "stale epoch": Mistake(
        "ElectionCoarse.tla",
        "    LET epoch == Maximum({acceptedEpoch[s] : s \\in team}) + 1",
        "    LET epoch == Maximum({acceptedEpoch[s] : s \\in team})",
        "ElectionAndDiscovery",
        ("acceptedEpoch", "currentEpoch"),
    ),
    "lost reply": Mistake(
        "BroadcastThreads.tla",
        '    /\\ net\' = IF Acknowledges(s) THEN Sent(net, s, leader[s], <<Message("ACK", zxid)>>) ELSE net',
        "    /\\ net' = net",
        "LogRequest",
        ("unexpected",),
    ),
    "wrong quorum": Mistake(
        "BroadcastCommon.tla",
        "        chosen == Len(voted) > 0 /\\ outstanding[1] = zxid /\\ IsQuorum(voted[1])",
        "        chosen == Len(voted) > 0 /\\ outstanding[1] = zxid /\\ voted[1] = Server",
        "LeaderAck",
        ("applied", "votes"),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jars", required=True, help="the folder with the jars")
    parser.add_argument("--seconds", default="300s", help="for each")
    parser.add_argument("--mistake", action="append", choices=list(MISTAKES))
    asked = parser.parse_args()
    print("| mistake | reported at | as | traces | right |\n|---|---|---|---|---|", flush=True)
    wrong = 0
    for name in asked.mistake or MISTAKES:
        line, right = reported(name, str(Path(asked.jars).resolve()), asked.seconds)
        print(line, flush=True)
        wrong += not right
    sys.exit(1 if wrong else 0)


def reported(name: str, jars: str, seconds: str) -> tuple[str, bool]:
    mistake = MISTAKES[name]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "zookeeper"
        shutil.copytree(EXAMPLE, copy)
        file = copy / mistake.file
        text = file.read_text()
        assert text.count(mistake.right) == 1, f"{name}: the specification has changed"
        file.write_text(text.replace(mistake.right, mistake.wrong))
        command = [sys.executable, "-m", "gristmill", "replay", str(copy / "zookeeper.map.toml"), "--mix", "mSpec-3"]
        command += ["--random", seconds, "--seed", "1", "--first", "--shrink", "0", "--set", f"jars={jars}"]
        done = subprocess.run([*command, "--format", "json"], capture_output=True, text=True)
    if not done.stdout.strip():
        raise SystemExit(f"{name}: {done.stderr}")
    found = json.loads(done.stdout)
    if not found["discrepancies"]:
        return f"| {name} | nowhere | | {found['traces']} | no |", False
    first = found["discrepancies"][0]
    action = first["action"].partition("(")[0]
    what = {each["variable"] for each in first["comparisons"]} or {first["kind"]}
    right = action == mistake.action and bool(what & set(mistake.what))
    cells = (name, first["action"], ", ".join(sorted(what)), found["traces"], "yes" if right else "no")
    return f"| {' | '.join(str(cell) for cell in cells)} |", right


if __name__ == "__main__":
    main()
