"""Which runs a search consists of, and how a batch of them is run: the same by whichever process."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from gristmill.controlled.run import Laboratory, Program, Run
from gristmill.controlled.settings import Settings
from gristmill.controlled.strategies import Diverged, Follow, Path, Pct, RandomWalk, Strategy
from gristmill.controlled.tally import Batch, BatchResult, FailedRun, Tally
from gristmill.search.budget.deadline import Deadline
from gristmill.search.budget.limits import LimitReached

SearchKind = Literal["random", "pct", "dfs", "deepening"]

# Of so many runs one is repeated, to see whether the program is as deterministic as it should be.
_REPEAT_ONE_OF = 200
_BATCH = 64
_SMALL_BATCH = 16  # of deepening, whose levels are small at first
_USUAL_LENGTH = 100  # of a run, for PCT, until one is seen to be longer


@dataclass(frozen=True, slots=True)
class Plan:
    program: Program
    search: SearchKind
    seed: int
    settings: Settings
    runs: int
    depth: int | None
    deviations: int | None
    keep_going: bool
    deadline: Deadline

    def without_program(self) -> dict[str, Any]:
        """What another process needs besides the program, and a deadline of its own."""
        names = {each.name for each in fields(self)} - {"program", "deadline"}
        return {name: getattr(self, name) for name in sorted(names)}

    def batches(self) -> Iterator[Batch]:
        """Of sampled runs, each determined by its number."""
        return (Batch(first, min(_BATCH, self.runs - first)) for first in range(0, self.runs, _BATCH))

    def batches_of(self, prefixes: Sequence[tuple[int, ...]], first: int) -> Iterator[Batch]:
        for at in range(0, len(prefixes), _SMALL_BATCH):
            part = prefixes[at : at + _SMALL_BATCH]
            yield Batch(first + at, len(part), part)

    def perform(self, lab: Laboratory, batch: Batch) -> BatchResult:
        found = BatchResult()
        for number, (strategy, seed) in enumerate(self._strategies(batch), batch.first + 1):
            try:
                self.deadline.check()
                self._perform(lab, strategy, number, seed, found)
            except LimitReached as reason:
                found.stopped = str(reason)
            if found.stopped or found.tally.blocked or (found.failed and not self.keep_going):
                break
        return found

    def _perform(self, lab: Laboratory, strategy: Strategy, number: int, seed: int, found: BatchResult) -> None:
        try:
            run = lab.run(self.program, strategy, self.settings, seed)
        except Diverged as error:  # a choice that was there before
            found.tally.unsteady.append(str(error))
            found.choices.append(([], []))
            return
        if isinstance(strategy, Path):
            found.choices.append((strategy.taken, strategy.widths))
        self._note(lab, run, number, seed, found)

    def _note(self, lab: Laboratory, run: Run, number: int, seed: int, found: BatchResult) -> None:
        found.tally.note(run)
        if _is_blocked(run, self.settings):
            found.tally.blocked = True
        elif run.violation is not None:  # is repeated anyway
            kind = run.violation.kind
            if kind not in {one.kind for one in found.failed}:
                found.failed.append(FailedRun(number, seed, kind, run.events, run))
        elif number % _REPEAT_ONE_OF == 1:
            self.check_steady(lab, run, seed, found.tally)

    def check_steady(self, lab: Laboratory, run: Run, seed: int, tally: Tally) -> None:
        try:
            again = lab.run(self.program, Follow(run.events, exactly=True), self.settings, seed)
        except Diverged as error:
            tally.unsteady.append(str(error))
            return
        if again.digest != run.digest or str(again.violation) != str(run.violation):
            tally.unsteady.append("the same schedule ended in another way when it was repeated")

    def _strategies(self, batch: Batch) -> Iterator[tuple[Strategy, int]]:
        if batch.prefixes:
            yield from ((Path(prefix, self.depth), self.seed) for prefix in batch.prefixes)
            return
        length = _USUAL_LENGTH
        for number in range(batch.first, batch.first + batch.size):
            name = f"{self.seed} {number}"
            run_seed = random.Random(name).getrandbits(48)
            if self.search == "random":
                yield RandomWalk(name), run_seed
            else:
                pct = Pct(name, self.depth or 1, length, _faults(self.settings))
                yield pct, run_seed
                length = max(length, pct.steps)


def _faults(settings: Settings) -> int:
    once = settings.drops + settings.duplicates + settings.resets + settings.splits
    return once + 2 * settings.crashes + 2 * settings.partitions


def _is_blocked(run: Run, settings: Settings) -> bool:
    return any(not any(word in found.what for word in settings.allow) for found in run.uncontrolled)
