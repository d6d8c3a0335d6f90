"""Searches over schedules, and what they find: failures that can be replayed, shrunk, saved and drawn."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gristmill.explore.controlled.errors import Uncontrolled
from gristmill.explore.controlled.failure import Failure, reference
from gristmill.explore.controlled.run import Laboratory, Program, Run
from gristmill.explore.controlled.settings import Settings
from gristmill.explore.controlled.strategies import (
    Diverged,
    Follow,
    Pct,
    RandomWalk,
    Strategy,
    depth_first,
)
from gristmill.explore.controlled.world import NO_END
from gristmill.explore.shrink import shrink

SearchKind = Literal["random", "pct", "dfs"]

# Of so many runs one is repeated, to see whether the program is as deterministic as it should be.
_REPEAT_ONE_OF = 200


@dataclass(slots=True)
class Result:
    """What was explored. `ok` says that nothing failed in it, and nothing more."""

    program: str
    search: SearchKind
    seed: int
    settings: Settings
    runs: int = 0
    events: int = 0
    seconds: float = 0.0
    depth: int = 0
    deviations: int | None = None
    exhausted: bool = False  # a depth-first search has seen all there is within its bounds
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    schedules: set[bytes] = field(default_factory=set)
    orders: set[bytes] = field(default_factory=set)
    failures: dict[str, Failure] = field(default_factory=dict)  # by kind, the first of each
    failing_runs: Counter[str] = field(default_factory=Counter)
    uncontrolled: dict[str, Uncontrolled] = field(default_factory=dict)
    blocked: bool = False  # the search ended at something that is not controlled
    outside: set[str] = field(default_factory=set)
    unsteady: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.failures and not self.blocked and not self.unsteady

    def note(self, run: Run) -> None:
        self.runs += 1
        self.events += len(run.events)
        self.outcomes[run.outcome] += 1
        self.faults.update(run.faults)
        self.schedules.add(run.digest)
        self.orders.add(run.order)
        self.outside |= run.outside
        for found in run.uncontrolled:
            self.uncontrolled.setdefault(str(found), found)


def explore(
    program: Program,
    *,
    runs: int = 1000,
    search: SearchKind = "random",
    seed: int = 0,
    settings: Settings | None = None,
    depth: int = 3,
    deviations: int | None = 2,
    keep_going: bool = False,
    shrink_trials: int = 400,
    seconds: float | None = None,
    quiet: bool = True,
) -> Result:
    """Run a program under many schedules.

    - `random`: each run draws its own odds; `seed` and the number of a run determine it
    - `pct`: `depth` is the number of ordering constraints a bug may need
    - `dfs`: `depth` is the number of choices that are varied, `deviations` how many of them may be unusual

    The search ends with the first failure unless `keep_going`, which looks for failures of other kinds.
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}: there must be one at least")
    settings = settings or Settings()
    result = Result(reference(program), search, seed, settings, depth=depth, deviations=deviations)
    started = time.monotonic()
    lab = Laboratory(quiet)
    with lab.open():
        for strategy, run_seed in _strategies(search, seed, runs, settings, depth, deviations):
            run = lab.run(program, strategy, settings, run_seed)
            result.note(run)
            if _is_blocked(run, settings):
                result.blocked = True
                break
            if result.runs % _REPEAT_ONE_OF == 1 and run.violation is None:  # failures are repeated anyway
                _check_steady(lab, program, run, run_seed, result)
            if run.violation is not None:
                _add_failure(lab, program, run, run_seed, result, shrink_trials)
                if not keep_going:
                    break
            if seconds is not None and time.monotonic() - started > seconds:
                break
        else:
            result.exhausted = search == "dfs" and result.runs < runs
    result.seconds = time.monotonic() - started
    return result


def _strategies(
    search: SearchKind, seed: int, runs: int, settings: Settings, depth: int, deviations: int | None
) -> Iterator[tuple[Strategy, int]]:
    if search == "dfs":
        for _, path in zip(range(runs), depth_first(depth, deviations), strict=False):
            yield path, seed
        return
    faults = settings.drops + settings.duplicates + settings.resets + settings.splits + 2 * settings.crashes
    length = 100
    for number in range(runs):
        name = f"{seed} {number}"
        run_seed = random.Random(name).getrandbits(48)
        if search == "random":
            yield RandomWalk(name), run_seed
        else:
            pct = Pct(name, depth, length, faults)
            yield pct, run_seed
            length = max(length, pct.steps)


def _is_blocked(run: Run, settings: Settings) -> bool:
    return any(not any(word in found.what for word in settings.allow) for found in run.uncontrolled)


def _check_steady(lab: Laboratory, program: Program, run: Run, seed: int, result: Result) -> None:
    try:
        again = lab.run(program, Follow(run.events, exactly=True), result.settings, seed)
    except Diverged as error:
        result.unsteady.append(str(error))
        return
    if again.digest != run.digest or str(again.violation) != str(run.violation):
        result.unsteady.append("the same schedule ended in another way when it was repeated")


def _add_failure(lab: Laboratory, program: Program, run: Run, seed: int, result: Result, trials: int) -> None:
    assert run.violation is not None
    kind = run.violation.kind
    result.failing_runs[kind] += 1
    if kind in result.failures:
        return
    number = result.runs
    if run.violation.name == NO_END:  # every trial would take as long
        result.failures[kind] = Failure.of(run, result.program, seed, result.settings, number, len(run.events))
        return
    best = shrink_run(lab, program, run, result.settings, seed, trials)
    failure = Failure.of(best, result.program, seed, result.settings, number, len(run.events))
    _check_steady(lab, program, best, seed, result)
    result.failures[kind] = failure


def shrink_run(lab: Laboratory, program: Program, run: Run, settings: Settings, seed: int, trials: int) -> Run:
    """The shortest run that fails in the same way, as far as leaving out events finds one."""
    assert run.violation is not None
    kind = run.violation.kind
    best = run

    def trial(events: Sequence[str]) -> Sequence[str] | None:
        nonlocal best
        found = lab.run(program, Follow(events), settings, seed)
        if found.violation is None or found.violation.kind != kind:
            return None
        if len(found.events) < len(best.events):
            best = found
        return found.events

    # Faults first: a failure that needs none of them says more.
    shrink(_without_faults(run.events), trial, trials=1)
    shrink(best.events, trial, trials=trials)
    return best


def _without_faults(events: Sequence[str]) -> list[str]:
    return [event for event in events if event.startswith(("run ", "deliver ", "timer "))]


def replay(program: Program, failure: Failure, *, quiet: bool = True) -> Run:
    """The run that a failure describes. Raises Diverged if the program does not do what it did."""
    lab = Laboratory(quiet)
    with lab.open():
        return lab.run(program, Follow(failure.events, exactly=True), failure.settings, failure.seed)


def check(program: Program, *, save: str | None = None, **options: Any) -> Result:
    """For tests: explores, and raises AssertionError with the chart of what was found."""
    __tracebackhide__ = True
    from gristmill.explore.controlled.report import failure_text, result_text

    result = explore(program, **options)
    if result.ok:
        return result
    texts = [result_text(result)]
    for failure in result.failures.values():
        path = failure.save(save) if save is not None else None
        texts.append(failure_text(failure, path))
    raise AssertionError("\n".join(texts))
