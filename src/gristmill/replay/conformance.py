"""Replays of one trace, and of random ones under a budget of time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from gristmill.replay.coordinator import Coordinator
from gristmill.replay.mapping.parts import Mapping
from gristmill.replay.outcome import Outcome, Replayed
from gristmill.replay.result import Run, StepRun
from gristmill.replay.shrinking import smaller
from gristmill.replay.steps import ModelStep
from gristmill.replay.walks import Walker

OnRun = Callable[[Replayed], None]
OnStep = Callable[[StepRun], None]


def new_outcome(mapping: Mapping, mode: str, seed: int | None = None) -> Outcome:
    observed = tuple(each.name for each in mapping.variables.values() if each.value is not None)
    unobserved = {each.name: each.unobserved or "" for each in mapping.variables.values() if each.value is None}
    reasons = {each.name: each.because for each in mapping.known}
    return Outcome(
        mapping.name,
        mapping.specification.name,
        mode,  # type: ignore[arg-type]
        observed=observed,
        unobserved=unobserved,
        reasons=reasons,
        seed=seed,
    )


def replay_trace(
    coordinator: Coordinator,
    outcome: Outcome,
    name: str,
    trace: Sequence[ModelStep],
    *,
    shrink_seconds: float = 0.0,
    on_step: OnStep | None = None,
) -> Replayed:
    """One trace; a discrepancy is shrunk for so long. It is in the outcome before that, as this may be interrupted."""
    replayed = Replayed(tuple(trace), coordinator.run(name, trace, on_step))
    outcome.add(replayed)
    _count(outcome, trace, replayed.run)
    return _shrunk(coordinator, outcome, replayed, shrink_seconds)


def _count(outcome: Outcome, trace: Sequence[ModelStep], run: Run) -> None:
    before = ""
    for step in trace[1 : len(run.steps) + 1]:
        assert step.action is not None
        outcome.actions[step.action] += 1
        outcome.pairs[before, step.action] += 1
        before = step.action


def replay_random(
    coordinator: Coordinator,
    outcome: Outcome,
    *,
    seconds: float,
    seed: int,
    depth: int,
    traces: int | None = None,
    first_only: bool = False,
    shrink_seconds: float = 0.0,
    on_run: OnRun | None = None,
) -> None:
    """Random traces of the model until the time is up. Discrepancies of a kind that was met before are not shrunk."""
    mapping = coordinator.mapping
    walker = Walker(mapping, seed, depth)
    deadline = time.monotonic() + seconds
    number = 0
    while time.monotonic() < deadline and (traces is None or number < traces):
        number += 1
        trace = walker.trace()
        known = set(outcome.distinct)
        replayed = replay_trace(coordinator, outcome, f"random {number} of seed {seed}", trace)
        walker.coverage.add(step.action or "" for step in trace[1 : len(replayed.run.steps) + 1])
        discrepancy = replayed.run.discrepancy
        if discrepancy is not None and discrepancy.signature not in known and shrink_seconds > 0:
            replayed = _shrunk(coordinator, outcome, replayed, min(shrink_seconds, deadline - time.monotonic()))
        if on_run is not None:
            on_run(replayed)
        if discrepancy is not None and first_only:
            break
    outcome.avoided.update(walker.avoided)


def _shrunk(coordinator: Coordinator, outcome: Outcome, replayed: Replayed, seconds: float) -> Replayed:
    """With the smallest trace that was found in so many seconds."""
    discrepancy = replayed.run.discrepancy
    if seconds <= 0 or discrepancy is None or discrepancy.kind == "start":
        return replayed
    name = replayed.run.name
    smallest, tries = smaller(
        coordinator.mapping.specification,
        replayed.trace,
        replayed.run,
        lambda steps: coordinator.run(name, steps),
        seconds,
    )
    made = Replayed(replayed.trace, replayed.run, smallest, tries)
    outcome.replayed[outcome.replayed.index(replayed)] = made
    return made


def finish(mapping: Mapping, outcome: Outcome, began: float) -> Outcome:
    outcome.seconds = time.monotonic() - began
    names = [each.name for each in mapping.specification.actions]
    outcome.unmet = tuple(name for name in dict.fromkeys(names) if not outcome.actions[name])
    return outcome
