"""A model of tens of millions of states: what a state costs early and late, its bytes, and a budget of memory.

    python benchmarks/large_models.py [--items 160] [--workers 1] [--budget 2048] [--only memory|budget]

The model is models/Pipeline.tla, whose states are counted here in another way: 54 million with 160 items. It is
checked twice: in memory, where the cost of a state from a million of them to the end is looked at; and with a budget of
so many megabytes. Each run is a process of its own. Costs are processor time, since the machine may be busy with other
work. It takes 4 GB of memory, and of disk.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gristmill
from gristmill.search import Progress

SPECIFICATION = Path(__file__).with_name("models") / "Pipeline.tla"
STAGES, ROOM = 4, 30
EARLY, EARLY_WIDTH = 1_000_000, 500_000  # states expanded
LATE_SHARE, LATE_WIDTH = 0.85, 0.1  # of all states


def known(items: int) -> int:
    """How many states there are: by what the stages before have passed on, from the first stage to the last."""
    passed = {items: 1}  # before the first stage: all of them
    for stage in range(STAGES):
        after: dict[int, int] = {}
        for before, ways in passed.items():
            least = 0 if stage == 0 else max(0, before - ROOM)
            for taken in range(least, before + 1):
                after[taken] = after.get(taken, 0) + ways  # not busy
                if taken > 0:
                    after[taken - 1] = after.get(taken - 1, 0) + ways
        passed = after
    return sum(passed.values())


def run(items: int, workers: int, budget: int | None) -> dict[str, Any]:
    """In this process: the counts, and samples of states expanded, generated, processor time, memory."""
    samples: list[tuple[int, int, float, int]] = []
    spilled = 0

    def look(progress: Progress) -> None:
        nonlocal spilled
        now = (progress.distinct - progress.queue, progress.generated, time.process_time(), status("RssAnon"))
        samples.append(now)
        spilled = max(spilled, status("RssFile"))

    result = gristmill.check(
        SPECIFICATION,
        constants={"Stages": STAGES, "Items": items, "Room": ROOM},
        specification="Spec",
        invariants=["TypeOK", "Bounded"],
        deadlock=False,
        engine="native",
        workers=workers,
        memory=None if budget is None else budget << 20,
        profile=True,
        on_progress=look,
    )
    samples.append((result.distinct, result.generated, time.process_time(), status("RssAnon")))
    assert result.profile is not None
    assert result.profile.memory is not None
    return {
        "verdict": result.verdict,
        "message": result.message,
        "distinct": result.distinct,
        "generated": result.generated,
        "seconds": result.search_seconds,
        "table": result.profile.memory.table,
        "state": result.profile.memory.state,
        "values": result.profile.memory.values,
        "samples": samples,
        "peak": max(sample[3] for sample in samples),
        "mapped": spilled,
    }


def status(name: str) -> int:
    """Bytes, of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) << 10
    return 0


def elsewhere(options: argparse.Namespace, budget: int | None) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", "--items", str(options.items)]
    command += ["--workers", str(options.workers), *([] if budget is None else ["--budget", str(budget)])]
    found: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    assert (found["verdict"], found["distinct"]) == ("ok", known(options.items)), found["message"]
    return found


def cost(samples: list[list[Any]], start: float, end: float) -> tuple[float, float]:
    """Nanoseconds a state expanded, and a state generated, while these were."""
    inside = [sample for sample in samples if start <= sample[0] <= end]
    if len(inside) < 2:
        return float("nan"), float("nan")
    first, last = inside[0], inside[-1]
    seconds = last[2] - first[2]
    return 1e9 * seconds / (last[0] - first[0]), 1e9 * seconds / (last[1] - first[1])


def tell_costs(found: dict[str, Any]) -> None:
    distinct, samples = found["distinct"], found["samples"]
    early = cost(samples, EARLY - EARLY_WIDTH, EARLY + EARLY_WIDTH)
    late = cost(samples, (LATE_SHARE - LATE_WIDTH) * distinct, (LATE_SHARE + LATE_WIDTH) * distinct)
    print(f"in memory: {distinct:,} states, {found['generated']:,} generated, {found['seconds']:.0f} s")
    print(f"  around {EARLY:,} states: {early[0]:,.0f} ns a state explored, {early[1]:,.0f} ns a state generated")
    print(f"  around {LATE_SHARE * distinct:,.0f}: {late[0]:,.0f} ns and {late[1]:,.0f} ns", end="")
    print(f", which is {late[0] / early[0]:.2f} and {late[1] / early[1]:.2f} times as much")
    table, values = found["table"] / distinct, found["values"] / distinct
    print(f"  {table:.1f} bytes a state: {found['state']} in the state itself; and {values:.2f} in values they share")
    print(f"  {found['peak'] / 2**20:,.0f} MB of memory at most", flush=True)


def tell_budget(found: dict[str, Any], budget: int) -> None:
    print(f"with {budget} MB: {found['distinct']:,} states, {found['generated']:,} generated, {found['seconds']:.0f} s")
    print(f"  {found['peak'] / 2**20:,.0f} MB of memory at most, and {found['mapped'] / 2**20:,.0f} MB of files in it")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=160)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--budget", type=int, help="megabytes; 2048")
    parser.add_argument("--only", choices=["memory", "budget"])
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(run(options.items, options.workers, options.budget)))
        return
    if options.only != "budget":
        tell_costs(elsewhere(options, None))
    if options.only != "memory":
        budget = options.budget or 2048
        tell_budget(elsewhere(options, budget), budget)


if __name__ == "__main__":
    main()
