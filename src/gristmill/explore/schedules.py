"""Runs again, from schedules: for the steps of a counterexample, for shrinking, and for schedules kept in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple, TypeVar

from gristmill.explore.data import show, thaw
from gristmill.explore.model import Model, State, Transition, is_end
from gristmill.explore.program import Local
from gristmill.explore.result import Found, failure_of
from gristmill.explore.system import System
from gristmill.explore.transitions import sent
from gristmill.explore.views import Checker
from gristmill.search.budget.deadline import poll
from gristmill.search.budget.limits import LimitReached
from gristmill.search.shrink import shrink
from gristmill.source import Diagnostic, SourceError
from gristmill.trace.schedule import Event, Failure, SavedSchedule, Schedule, Step, describe

E = TypeVar("E", Event, str)


class Run(NamedTuple):
    """A run, and what is wrong with it. `schedule` holds the events that were taken."""

    schedule: Schedule
    steps: tuple[Step, ...]
    failure: Failure | None
    state: State


def replay(system: System, schedule: Schedule, lenient: bool = False, model: Model | None = None) -> Run:
    """Follow a schedule until something fails or it ends.

    An event that is not enabled is an error; or, if `lenient`, it is left out, as shrinking wants it. A model of the
    system can be given, which remembers what handlers did.
    """
    return _follow(model or Model(system), schedule.events, lambda event, one: one.event == event, lenient)


def replay_saved(system: System, saved: SavedSchedule) -> Run:
    """Follow a schedule from a file, whose events are text."""
    return _follow(Model(system), saved.events, lambda text, one: describe(one.event) == text, False)


def complete(model: Model, failure: Failure) -> Failure:
    """The failure with the steps of its run, and with what the run says of it."""
    run = replay(model.system, failure.schedule, model=model)
    found = run.failure
    same = found is not None and (found.kind, found.name) == (failure.kind, failure.name)
    message = found.message if found is not None and same else failure.message
    return replace(failure, steps=run.steps, message=message)


def shrunk(model: Model, failure: Failure) -> Failure:
    """The same failure on a run from which no event can be left out. A run that circles is left as it is."""
    if failure.kind == "eventually":
        return failure

    best = failure

    def trial(events: Sequence[Event]) -> Sequence[Event] | None:
        nonlocal best
        poll()
        found = replay(model.system, Schedule(tuple(events)), lenient=True, model=model).failure
        if found is None or (found.kind, found.name) != (failure.kind, failure.name):
            return None
        if len(found.schedule.events) < len(best.schedule.events):
            best = found
        return found.schedule.events

    with suppress(LimitReached):  # then it is as short as it has become
        shrink(failure.schedule.events, trial)
    return best


def _follow(model: Model, events: Iterable[E], same: Callable[[E, Transition], bool], lenient: bool) -> Run:
    checker = Checker(model.rules)
    enabled = model.initial()
    left = list(events)
    first = next((one for event in left[:1] for one in enabled if same(event, one)), None)
    if first is None and lenient:
        first = enabled[0]  # a run begins somehow
    elif first is not None:
        left.pop(0)
    path: list[Transition] = []
    failure: Failure | None = None
    while first is not None or left:
        event = None if first else left.pop(0)
        taken = first or next((one for one in enabled if event is not None and same(event, one)), None)
        first = None
        if taken is not None:
            path.append(taken)
            enabled = [] if taken.problem else model.transitions(taken.target)
            failure = _failure(checker, path, enabled)
            if failure is not None:
                break
        elif not lenient:
            raise SourceError(_not_enabled(str(event), len(path), enabled))
    before = [None, *(one.target for one in path)]
    steps = tuple(_step(model, state, one) for state, one in zip(before, path, strict=False))
    schedule = Schedule(tuple(one.event for one in path))
    return Run(schedule, steps, failure and replace(failure, steps=steps), path[-1].target)


def _failure(checker: Checker, path: list[Transition], enabled: list[Transition]) -> Failure | None:
    if path[-1].problem:
        return failure_of(Found(None, path))
    violation = checker.violation(path[-1].target)
    if violation is None and is_end(enabled):
        violation = checker.violation_at_end(path[-1].target)
    return failure_of(Found(violation, path)) if violation else None


def _step(model: Model, before: State | None, taken: Transition) -> Step:
    changes: list[tuple[str, str]] = []
    for index, name in enumerate(model.rules.names):
        old = before.locals[index] if before else Local(())
        changes += _changes(name, old, taken.target.locals[index])
    error = taken.problem.message if taken.problem else None
    return Step(taken.event, tuple(map(sent, taken.sends)), tuple(changes), taken.records, error)


def _changes(name: str, old: Local, new: Local) -> list[tuple[str, str]]:
    known = dict(old.fields)
    return [(f"{name}.{field}", show(thaw(value))) for field, value in new.fields if known.get(field, known) != value]


def _not_enabled(event: str, position: int, enabled: list[Transition]) -> Diagnostic:
    possible = "; ".join(describe(one.event) for one in enabled[:8]) or "nothing"
    return Diagnostic(
        "explore-schedule",
        f"step {position + 1} of the schedule, {event}, cannot happen here",
        help=f"the schedule belongs to another version of the system, or to other bounds. Possible here: {possible}",
    )
