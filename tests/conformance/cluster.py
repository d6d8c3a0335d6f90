"""Recorded results of TLC on a collection of specifications, compared with searches that several actors share.

    python tests/conformance/cluster.py --truth examples.json --root CHECKOUT [--actors 2,3,5] [--most 200000]
                                        [--only TEXT] [--seconds 120] [--report cluster.json]

The actors are those of one Ray, started once on this machine, and are used again for the next model. What a cluster
refuses is listed with the reason. What `--report` names is written after each model, and what stands there is not run
again. Exit status: 1 if a verdict, a count, a depth or the length of a counterexample differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from gristmill.api import Result, run
from gristmill.building import build
from gristmill.checking.options import Options
from gristmill.cluster import explorer
from gristmill.cluster.connection import Address, Connection
from gristmill.cluster.partition import Partition
from gristmill.cluster.task import Learnt, Task
from gristmill.cluster.team import Team
from gristmill.search import Limits

_COUNTS = ("distinct", "generated", "depth")


class Reused(Partition):
    """An actor that becomes one partition after the other."""

    def __init__(self) -> None:
        self.opened = None

    def begin_as(self, task: Task, number: int, learnt: Learnt) -> None:
        if self.opened is not None:
            self.opened.close()
        Partition.__init__(self, task, number, learnt)


class Pool:
    def __init__(self, actors: int) -> None:
        self.connection = Connection(Address(None, actors))
        kind = self.connection.actor(Reused)
        self.actors = [kind.remote() for _ in range(actors)]


class PooledTeam(Team):
    pool: Pool

    def start(self, number: int, task: Task, learnt: Learnt) -> None:
        self._actors[number] = self.pool.actors[number]
        self.pool.actors[number].begin_as.remote(task, number, learnt)

    def end(self, number: int) -> None:
        self._actors.pop(number, None)


def main() -> None:
    given = arguments()
    every = [int(each) for each in given.actors.split(",")]
    known: dict[str, Any] = json.loads(given.report.read_text()) if given.report and given.report.exists() else {}
    PooledTeam.pool = Pool(max(every))
    explorer.Team = PooledTeam  # type: ignore[misc]
    for record in json.loads(given.truth.read_text()):
        name = f"{record['dir']}/{record['tla']} {record['cfg']}"
        if given.only not in name or record.get("distinct", 0) > given.most:
            continue
        for actors in every:
            key = f"{name} {actors}"
            if key not in known:
                known[key] = compared(record, given.root, actors, given.seconds)
                print(f"{known[key]['status']:9} {actors} {name} {known[key]['why']}", flush=True)
            if given.report:
                given.report.write_text(json.dumps(known, indent=1))
            if known[key]["status"] == "refused":
                break  # by any number of them
    found = Counter(row["status"] for row in known.values())
    print(", ".join(f"{count} {status}" for status, count in sorted(found.items())))
    PooledTeam.pool.connection.close()
    sys.exit(1 if found["differs"] else 0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--actors", default="2,3,5")
    parser.add_argument("--most", type=int, default=200_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--report", type=Path)
    return parser.parse_args()


def compared(record: dict[str, Any], root: Path, actors: int, seconds: float) -> dict[str, Any]:
    folder = root / record["dir"]
    options = Options(Limits(seconds=seconds), cluster=f"local:{actors}", output=lambda line: None)
    began = time.monotonic()
    result = run(lambda: build(folder / record["tla"], config=folder / record["cfg"]), options)
    status, why = judged(record, result)
    counts = {name: getattr(result, name) for name in _COUNTS}
    return {"status": status, "why": why, "seconds": round(time.monotonic() - began, 2), **counts}


def judged(record: dict[str, Any], result: Result) -> tuple[str, str]:
    if any(each.id == "cluster" for each in result.diagnostics):
        return "refused", result.message
    if result.verdict == "incomplete":
        return "too long", result.message
    if result.verdict != record["verdict"]:
        return "differs", f"{result.verdict}, not {record['verdict']}: {result.message}"
    if result.verdict == "ok":
        wrong = [name for name in _COUNTS if name in record and record[name] != getattr(result, name)]
        return ("differs", ", ".join(f"{each}: {getattr(result, each)}" for each in wrong)) if wrong else ("same", "")
    if "property" in record and result.property != record["property"]:
        return "differs", f"{result.property}, not {record['property']}"
    if "trace_len" in record and (result.trace is None or len(result.trace) != record["trace_len"]):
        return "differs", f"another length: {0 if result.trace is None else len(result.trace)}"
    return "same", ""


if __name__ == "__main__":
    main()
