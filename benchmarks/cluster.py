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
from pathlib import Path
from typing import Any

from gristmill.api import run
from gristmill.building import build
from gristmill.checking.head_start import first_level
from gristmill.checking.options import Options
from gristmill.cluster.partition import Partition
from gristmill.cluster.task import Learnt, Misfit, Task, learnt_from, pickled
from gristmill.evaluate.context import Context
from gristmill.evaluate.evaluator import Evaluator
from gristmill.native.codec import encode_several
from gristmill.native.run.partition import record_of_initial
from gristmill.reference.model import SpecificationModel
from gristmill.search.budget.memory import resident_bytes

_MOST = 100_000  # states that are generated in a round


class MisfitError(Exception):
    """A state does not fit the layout."""

    def __init__(self, misfit: Misfit) -> None:
        super().__init__()
        self.misfit = misfit


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

    def __init__(self, tla: Path, cfg: Path, owners: int, folder: str, learnt: Learnt | None) -> None:
        model = build(tla, config=cfg).model
        with model.world.active():
            searchable = SpecificationModel(model, Evaluator(model.variables, Context(model.variables)))
            self.initial = [record_of_initial(encode_several(each)) for each in searchable.initial_states()]
            self.learnt = learnt or Learnt(tuple(encode_several(each) for each in first_level(searchable)))
        task = Task(pickled(model), len(model.world.positions), owners, searchable.symmetry is not None, folder)
        self.parts = [Partition(task, number, self.learnt) for number in range(owners)]
        self.clock = Clock()
        self.before = resident_bytes()
        self.sizes: list[tuple[int, int]] = []  # after each level: states, bytes of memory
        self.generated, self.sent, self.bytes, self.saved, self.defined = len(self.initial), 0, 0, 0, 0

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
        self.sizes.append((sum(part.ends[-1] for part in self.parts), resident_bytes()))
        self.saved += sum(each.size for each in saved)
        return sum(each.states for each in saved)

    def level(self, level: int) -> None:
        active, begins = list(self.parts), True
        while active:
            for part in list(active):
                report, *batches = self.clock.during("expand", part.expand, level, _MOST, begins, False)
                if report.misfit is not None:
                    raise MisfitError(report.misfit)
                if not report.left:
                    active.remove(part)
                self.generated += report.generated
                self.defined += report.defined
                for owner, batch in zip(self.parts, batches, strict=True):
                    self.bytes += len(batch)
                    if batch:
                        self.sent += report.sent[owner.number]
                        inserted = self.clock.during("insert", owner.insert, (part.number,), batch)
                        if inserted.misfit is not None:
                            raise MisfitError(inserted.misfit)
            begins = False


def complete(tla: Path, cfg: Path, owners: int) -> tuple[Shared, int]:
    """With a layout that fits all states, and how many there were before."""
    learnt: Learnt | None = None
    for attempt in range(24):
        with tempfile.TemporaryDirectory() as folder:
            shared = Shared(tla, cfg, owners, folder, learnt)
            try:
                shared.run()
            except MisfitError as error:
                learnt = learnt_from(shared.learnt, [error.misfit])
            else:
                return shared, attempt
    raise SystemExit("no layout fits")


def main() -> None:
    tla, cfg, owners = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    shared, layouts = complete(tla, cfg, owners)
    distinct = sum(part.ends[-1] for part in shared.parts)
    seconds = shared.clock.seconds
    print(f"{owners} partitions: {distinct:,} distinct, {shared.generated:,} generated, {shared.sent:,} sent")
    print(f"  {layouts} layouts did not fit; a state has {4 * shared.parts[0].words} bytes")
    for what, count in (("expand", shared.generated), ("insert", shared.sent), ("save", distinct)):
        spent = seconds.get(what, 0.0)
        print(f"  {what:8} {spent:8.2f} s  {1e6 * spent / max(1, count):6.2f} µs each")
    print(f"  {sum(seconds.values()):.2f} s in all, {1e6 * sum(seconds.values()) / distinct:.2f} µs a distinct state")
    travelled = shared.bytes / max(1, shared.sent)
    print(
        f"  {travelled:.1f} bytes a state that travels, {shared.saved / distinct:.1f} bytes a state saved; "
        f"{shared.defined:,} values defined"
    )
    memory, values = resident_bytes() - shared.before, sum(each.heap for each in shared.last)
    print(f"  {memory / distinct:.1f} bytes of memory a state, of which values {values / distinct:.1f}")
    states, size = next(each for each in shared.sizes if 2 * each[0] >= distinct)
    more = (shared.sizes[-1][1] - size) / max(1, distinct - states)
    print(f"  {more:.1f} bytes for each state of the second half")
    began = time.process_time()
    alone = run(lambda: build(tla, config=cfg), Options(engine="native", output=lambda line: None))
    print(f"one worker: {alone.distinct:,} distinct, {alone.generated:,} generated")
    print(f"  {time.process_time() - began:.2f} s of processor time, with parsing, sampling and generating C")


if __name__ == "__main__":
    main()
