"""Violations that the model has, replayed: does the system show them, too?"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from gristmill.api import Result
from gristmill.replay.conformance import replay_trace
from gristmill.replay.coordinator import Coordinator
from gristmill.replay.driver import DriverError
from gristmill.replay.mapping.parts import ViolationMap
from gristmill.replay.moving import NeverCame, SystemFailed
from gristmill.replay.observing import Snapshot
from gristmill.replay.outcome import Confirmation, Outcome
from gristmill.replay.steps import ModelStep, of_trace
from gristmill.search.result import Violation
from gristmill.source import SourceError

OnViolation = Callable[[str, Violation], None]


def confirm(
    coordinator: Coordinator, outcome: Outcome, result: Result, on_violation: OnViolation | None = None
) -> None:
    """Replay every violation of an invariant that a check has found."""
    for violation in result.violations:
        if violation.verdict != "invariant" or violation.trace is None:
            outcome.caveats.append(f"{violation.message}: only violations of invariants are replayed")
            continue
        if on_violation is not None:
            on_violation(violation.property or "", violation)
        outcome.confirmations.append(_confirmed(coordinator, outcome, violation, result))


def _confirmed(coordinator: Coordinator, outcome: Outcome, violation: Violation, result: Result) -> Confirmation:
    name = violation.property or ""
    assert violation.trace is not None
    trace = of_trace(coordinator.mapping.specification, violation.trace)
    coordinator.mover.tolerant = False
    try:
        replayed = replay_trace(coordinator, outcome, name, trace)
    except SourceError as error:  # others may be confirmed all the same
        why = f"it cannot be replayed: {error.diagnostics[0].message}"
        return Confirmation(name, None, False, why, result.seconds, result.distinct)
    discrepancy = replayed.run.discrepancy
    if discrepancy is not None:
        at = f"step {discrepancy.step}, {discrepancy.action}" if discrepancy.step else "the initial state"
        why = f"the system leaves the trace at {at}: {discrepancy.message}"
        return Confirmation(name, replayed, False, why, result.seconds, result.distinct)
    seen, words = _symptom(coordinator, name, trace[-1])
    return Confirmation(name, replayed, seen, words, result.seconds, result.distinct)


def _symptom(coordinator: Coordinator, name: str, last: ModelStep) -> tuple[bool, str]:
    """What the mapping says of the violation, looked for in the system."""
    mapped = coordinator.mapping.violations.get(name)
    if mapped is None:
        return True, "the system is in the state that violates it, as far as it is observed"
    mover = coordinator.mover
    mover.tolerant = True
    try:
        mover.perform(mapped.moves, last.state, {"after": dict(last.state.raw)}, coordinator.mapping.limits.seconds)
        return _seen(coordinator, mapped, last)
    except (NeverCame, SystemFailed, DriverError, SourceError) as problem:
        return False, f"after the last step: {problem}"
    finally:
        mover.tolerant = False


def _seen(coordinator: Coordinator, mapped: ViolationMap, last: ModelStep) -> tuple[bool, str]:
    deadline = time.monotonic() + coordinator.mapping.limits.seconds
    while True:
        coordinator.mover.take_in(0.05)
        failure = _failure(coordinator, mapped)
        shows, snapshot = _shows(coordinator, mapped, last)
        if (mapped.failure is None or failure) and (mapped.shows is None or shows):
            told = [each for each in (mapped.says, failure, snapshot) if each]
            return True, "; ".join(told) or "seen"
        if time.monotonic() > deadline or coordinator.driver.instant:
            missing = f"no failure with {mapped.failure!r}" if mapped.failure and not failure else ""
            if mapped.shows is not None and not shows:
                missing = f"{missing}; " * bool(missing) + f"not so: {mapped.shows.text} ({snapshot})"
            return False, f"the symptom was not seen: {missing}"


def _failure(coordinator: Coordinator, mapped: ViolationMap) -> str:
    if mapped.failure is None:
        return ""
    for each in coordinator.mover.failures:
        found = re.search(mapped.failure, f"{each.message}\n{each.log}")
        if found is not None:
            return f"node {each.node}: {each.message}"
    return ""


def _shows(coordinator: Coordinator, mapped: ViolationMap, last: ModelStep) -> tuple[bool, str]:
    if mapped.shows is None:
        return False, ""
    mapping = coordinator.mapping
    names = {name for name in mapping.readings if name in mapped.shows.used}
    snapshot = coordinator.observer.snapshot(names)
    values = {name: _function(coordinator, snapshot, name) for name in names}
    said = ", ".join(f"{name} = {snapshot_text(snapshot, name)}" for name in sorted(names))
    try:
        return mapped.shows.value(last.state, values) is True, said
    except SourceError:
        return False, said


def _function(coordinator: Coordinator, snapshot: Snapshot, name: str) -> dict[object, object]:
    values = coordinator.mapping.node_values
    return {values[node]: read[name] for node, read in snapshot.items() if name in read}


def snapshot_text(snapshot: Snapshot, name: str) -> str:
    return "{" + ", ".join(f"{node}: {read[name]!r}" for node, read in snapshot.items() if name in read) + "}"
