"""What it costs to share a search: partitions one after the other in one process, without Ray, by processor time.

    python benchmarks/cluster.py SPEC.tla SPEC.cfg 2

prints the counts, what expanding, receiving and saving take a state, how many bytes travel, and what memory a state
takes; beside it the same search by one worker of the native engine.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from gristmill.api import run
from gristmill.building import build
from gristmill.checking.head_start import first_level
from gristmill.checking.options import Options
from gristmill.cluster.partition import Partition
from gristmill.cluster.task import Learnt, Task, pickled
from gristmill.evaluate.context import Context
from gristmill.evaluate.evaluator import Evaluator
from gristmill.native.codec import encode_several
from gristmill.native.run.partition import record_of_initial
from gristmill.reference.model import SpecificationModel
from gristmill.search.budget.memory import resident_bytes

_MOST = 100_000  # states that are generated in a round


class WiderError(Exception):
    """There are too many values for slots of this width."""


class Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def during(self, what: str, call: Callable[..., Any], *arguments: Any) -> Any:
        started = time.process_time()
        try:
            return call(*arguments)
        finally:
            self.seconds[what] = self.seconds.get(what, 0.0) + time.process_time() - started


class Shared:
    """The search of `owners` partitions in this process."""

    def __init__(self, tla: Path, cfg: Path, owners: int, folder: str, least: int) -> None:
        model = build(tla, config=cfg).model
        with model.world.active():
            searchable = SpecificationModel(model, Evaluator(model.variables, Context(model.variables)))
            self.initial = [record_of_initial(encode_several(each)) for each in searchable.initial_states()]
            samples = tuple(encode_several(each) for each in first_level(searchable))
        task = Task(pickled(model), len(model.world.positions), owners, searchable.symmetry is not None, folder)
        self.parts = [Partition(task, number, Learnt(samples, least=least)) for number in range(owners)]
        self.clock = Clock()
        self.before = resident_bytes()
        self.generated, self.sent, self.bytes, self.saved = len(self.initial), 0, 0, 0

    def run(self) -> None:
        for part in self.parts:
            part.initial(b"".join(self.initial))
        level = 1
        while self.save(level):
            self.level(level)
            level += 1

    def save(self, level: int) -> int:
        saved = [self.clock.during("save", part.save, level) for part in self.parts]
        self.last = saved
        self.saved += sum(each.size for each in saved)
        return sum(each.states for each in saved)

    def level(self, level: int) -> None:
        at = {part: part.begin(level) for part in self.parts}
        while active := [part for part in self.parts if at[part][0] < at[part][1]]:
            for part in active:
                report, *batches = self.clock.during("expand", part.expand, level, at[part][0], _MOST)
                if report.misfit is not None:
                    raise WiderError
                at[part] = report.following, at[part][1]
                self.generated += report.generated
                for owner, batch in zip(self.parts, batches, strict=True):
                    self.bytes += len(batch)
                    if batch:
                        self.sent += report.sent[owner.number]
                        self.clock.during("insert", owner.insert, batch)


def main() -> None:
    tla, cfg, owners = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    for least in (1, 2, 4):
        with tempfile.TemporaryDirectory() as folder, suppress(WiderError):
            shared = Shared(tla, cfg, owners, folder, least)
            shared.run()
            break
    distinct = sum(part.ends[-1] for part in shared.parts)
    seconds = shared.clock.seconds
    print(f"{owners} partitions: {distinct:,} distinct, {shared.generated:,} generated, {shared.sent:,} sent")
    for what, count in (("expand", shared.generated), ("insert", shared.sent), ("save", distinct)):
        spent = seconds.get(what, 0.0)
        print(f"  {what:8} {spent:8.2f} s  {1e6 * spent / max(1, count):6.2f} µs each")
    print(f"  {sum(seconds.values()):.2f} s in all, {1e6 * sum(seconds.values()) / distinct:.2f} µs a distinct state")
    travelled = shared.bytes / max(1, shared.sent)
    print(f"  {travelled:.1f} bytes a state that travels, {shared.saved / distinct:.1f} bytes a state saved")
    memory, values = resident_bytes() - shared.before, sum(each.heap for each in shared.last)
    print(f"  {memory / distinct:.1f} bytes of memory a state, of which values {values / distinct:.1f}")
    began = time.process_time()
    alone = run(lambda: build(tla, config=cfg), Options(engine="native", output=lambda line: None))
    print(f"one worker: {alone.distinct:,} distinct, {alone.generated:,} generated")
    print(f"  {time.process_time() - began:.2f} s of processor time, with parsing, sampling and generating C")


if __name__ == "__main__":
    main()
