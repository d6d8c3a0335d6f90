"""The six bugs of ZooKeeper, found on the model and confirmed on the servers: how often, and how long it takes.

    mvn -f examples/zookeeper/pom.xml dependency:copy-dependencies -DoutputDirectory=jars/3.9.1 -Dzookeeper=3.9.1
    python benchmarks/zookeeper_bugs.py --jars jars/3.9.1 --times 10

For each bug: in how many of the runs it was confirmed, whether all runs said the same, and the median of the seconds
that the check of the model, the start of the ensemble and the replay took.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MAPPING = ROOT / "examples/zookeeper/zookeeper.map.toml"
FIXES = ROOT / "examples/zookeeper/fixes.toml"
BUGS = {
    "ZOOKEEPER-3023": ["--mix", "mSpec-3", "--only", "ServesInitialHistory"],
    "ZOOKEEPER-4394": ["--mix", "mSpec-1", "--constant", "Masked4394=FALSE", "--only", "UnmaskedCommitMatchesProposal"],
    "ZOOKEEPER-4643": ["--mix", "mSpec-2", "--only", "InitialHistoryIntegrity"],
    "ZOOKEEPER-4646": ["--spec", str(FIXES), "--mix", "mSpec-3+", "--only", "InitialHistoryIntegrity"],
    "ZOOKEEPER-4685": ["--mix", "mSpec-3", "--only", "NewLeaderAckedFirst"],
    "ZOOKEEPER-4712": ["--mix", "mSpec-3", "--only", "HistoryConsistency"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jars", required=True, help="the folder with the jars of one version")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--bug", action="append", choices=list(BUGS), help="only this one; can be repeated")
    asked = parser.parse_args()
    print("| bug | confirmed | all runs alike | check s | start s | replay s | what was seen |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for bug in asked.bug or BUGS:
        runs = [confirmed(bug, str(Path(asked.jars).resolve())) for _ in range(asked.times)]
        print(row(bug, runs), flush=True)


def confirmed(bug: str, jars: str) -> dict[str, Any]:
    paper = ["--constant", "MaskedStaleMemory=TRUE"]  # what the paper's specification does not have is not looked for
    command = [sys.executable, "-m", "gristmill", "replay", str(MAPPING), "--confirm", *paper, *BUGS[bug]]
    done = subprocess.run([*command, "--set", f"jars={jars}", "--format", "json"], capture_output=True, text=True)
    if not done.stdout.strip():
        raise SystemExit(f"{bug}: {done.stderr}")
    (found,) = json.loads(done.stdout)["confirmations"]
    return dict(found)


def row(bug: str, runs: list[dict[str, Any]]) -> str:
    yes = sum(run["confirmed"] for run in runs)
    told = {_without_chance(run["observed"]) for run in runs}
    check = statistics.median(run["check_seconds"] for run in runs)
    start = statistics.median(run["run"]["start_seconds"] for run in runs)
    replay = statistics.median(run["run"]["seconds"] - run["run"]["start_seconds"] for run in runs)
    alike = "yes" if len(told) == 1 else "no: " + " / ".join(sorted(told))
    seen = _without_chance(runs[0]["observed"])
    return f"| {bug} | {yes} of {len(runs)} | {alike} | {check:.1f} | {start:.1f} | {replay:.1f} | {seen} |"


def _without_chance(text: str) -> str:
    """Without ports and times."""
    return re.sub(r"127\.0\.0\.1:\d+|\b\d+ \[", lambda found: "[" if found[0].endswith("[") else "PORT", text)


if __name__ == "__main__":
    main()
