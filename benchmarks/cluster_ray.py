"""A search by the actors of a Ray on this machine beside the same search by one worker, by turns.

    python benchmarks/cluster_ray.py SPEC.tla SPEC.cfg [--actors 2] [--turns 3] [--kill STATES]

tells counts, seconds by the clock from the first level to the last (without the start of Ray, of actors and of the
compiler), processor time, and what each actor took of memory. `--kill`: when so many states were found, an actor is
ended with SIGKILL.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import time
from pathlib import Path

from gristmill.api import Result, run
from gristmill.building import build
from gristmill.checking.options import Options
from gristmill.cluster import explorer
from gristmill.cluster.connection import Address, Connection
from gristmill.cluster.search import ClusterSearch
from gristmill.search import Progress

_MB = 1 << 20


class Watched(ClusterSearch):
    """Notes when it begins to explore, and ends an actor if that is asked for."""

    last: Watched
    kill_at = 0
    killed = 0

    def explore(self) -> None:
        Watched.last = self
        self.processes = {number: who[0] for number, who in self._all("who").items()}
        self.before = sum(each.seconds for each in self.memory)
        began = time.monotonic()
        super().explore()
        self.explored = time.monotonic() - began

    def tick(self) -> None:
        found = max(self.distinct, sum(self._stored))
        if 0 < Watched.kill_at <= found and not Watched.killed and hasattr(self, "processes"):
            Watched.killed = found
            os.kill(self.processes[0], signal.SIGKILL)
        super().tick()


def one_worker(tla: Path, cfg: Path) -> tuple[Result, float, float]:
    """The result, and seconds by the clock and of the processor, from the first progress on."""
    marks: list[tuple[float, float]] = []

    def note(progress: Progress) -> None:
        if not marks and progress.distinct:
            marks.append((time.monotonic(), time.process_time()))

    options = Options(engine="native", on_progress=note, output=lambda line: None)
    result = run(lambda: build(tla, config=cfg), options)
    return result, result.search_seconds, time.process_time() - marks[0][1] if marks else 0.0


def shared(tla: Path, cfg: Path, actors: int) -> Result:
    return run(lambda: build(tla, config=cfg), Options(cluster=f"local:{actors}", output=lambda line: None))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tla", type=Path)
    parser.add_argument("cfg", type=Path)
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--kill", type=int, default=0)
    given = parser.parse_args()
    connection = Connection(Address(None, given.actors))
    explorer.ClusterSearch = Watched  # type: ignore[misc]
    Watched.kill_at = given.kill
    ratios = []
    for turn in range(given.turns):
        Watched.killed = 0
        alone, seconds, processor = one_worker(given.tla, given.cfg)
        result = shared(given.tla, given.cfg, given.actors)
        search = Watched.last
        spent = sum(each.seconds for each in search.memory) - search.before
        print(f"turn {turn + 1}")
        print(f"  one worker: {alone.verdict}, {alone.distinct:,} distinct, {alone.generated:,} generated")
        print(f"    {seconds:.2f} s, of the processor {processor:.2f} s")
        counts = f"{result.distinct:,} distinct, {result.generated:,} generated"
        print(f"  {given.actors} actors: {result.verdict}, {counts}")
        print(f"    {search.explored:.2f} s in {search.rounds} rounds, of the processor (actors) {spent:.2f} s")
        totals = search.totals
        print(f"    sent {totals.sent:,}, values defined {totals.defined:,}, layouts {len(search._layouts)}")
        if given.kill:
            print(f"    an actor was ended after {Watched.killed:,} states; lost: {search.losses}")
        for number, each in enumerate(search.memory):
            print(f"    actor {number}: {each.memory / _MB:.0f} MB, of which values {each.heap / _MB:.0f} MB")
        ratios.append((search.explored / seconds, spent / processor if processor else 0.0))
    by_clock, by_processor = (statistics.median(each) for each in zip(*ratios, strict=True))
    print(f"median: {by_clock:.2f} times one worker by the clock, {by_processor:.2f} times of the processor")
    connection.close()


if __name__ == "__main__":
    main()
