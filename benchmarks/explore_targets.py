"""Packages from PyPI under many schedules: how many are distinct, how fast, and what is found.

    pip install -e '.[explore-targets]'
    python benchmarks/explore_targets.py --runs 10000
    python benchmarks/explore_targets.py --target pysyncobj --runs 2500 --seed 3 --search pct

Failures are saved as FOLDER/TARGET-N.json, which `gristmill explore PROGRAM --replay FILE` replays.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from gristmill.controlled import Settings, explore
from gristmill.controlled.report import failure_text, replay_command, result_text
from gristmill.explore.system import System
from gristmill.explore.target import find_target

EXAMPLES = Path(__file__).parents[1] / "examples" / "explore"


@dataclass(frozen=True)
class Target:
    file: str
    settings: Settings
    function: str = "program"


RAFT = Settings(crashes=3, resets=3, partitions=2, seconds=10.0, steps=3000, delay=1.0)
SLOW = Settings(crashes=1, restarts=0, resets=3, seconds=15.0, steps=3000, delay=5.0, lateness=3.0)
TARGETS = {
    "pysyncobj": Target("pysyncobj_counter.py", RAFT),
    "pysyncobj-small-batches": Target("pysyncobj_counter.py", SLOW, "small_batches"),
    "pysyncobj-no-journal": Target("pysyncobj_counter.py", RAFT, "without_journal"),
    "kademlia": Target("kademlia_store.py", Settings(drops=3, duplicates=2, crashes=1, partitions=1, delay=10.0)),
    "aiogossip": Target("aiogossip_publish.py", Settings(drops=3, duplicates=2, crashes=1, partitions=1, delay=3.0)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--search", choices=["random", "pct"], default="random")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--save", metavar="FOLDER", default=".")
    arguments = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # so that what is found can be replayed in another process
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    for name in arguments.target or TARGETS:
        measure(name, arguments)


def measure(name: str, arguments: argparse.Namespace) -> None:
    target = TARGETS[name]
    program = find_target(f"{os.path.relpath(EXAMPLES / target.file)}:{target.function}")
    assert not isinstance(program, System)
    result = explore(
        program,
        runs=arguments.runs,
        seed=arguments.seed,
        search=arguments.search,
        settings=target.settings,
        keep_going=True,
        shrink_trials=600,
        workers=arguments.workers,
    )
    print(f"== {name}\n{result_text(result)}")
    for number, failure in enumerate(result.failures.values(), 1):
        path = failure.save(os.path.join(arguments.save, f"{name}-{number}.json"))
        print(failure_text(failure, replay_command(failure, path)))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
