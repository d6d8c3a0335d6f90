"""Runs batches in this process, in several others, or by a cluster, with the same results in the same order."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Protocol

from gristmill.cluster.hands import Hands, hands
from gristmill.controlled.plan import Plan
from gristmill.controlled.run import Laboratory, Program, make_root
from gristmill.controlled.tally import Batch, BatchResult
from gristmill.search.budget.deadline import Deadline
from gristmill.search.forked import Workers, forked

Perform = Callable[[Laboratory, Batch], BatchResult]
Load = Callable[[], Program]


class Crew(Protocol):
    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        """The results of batches, in their order. Raises `LimitReached` if the search has to stop."""


class Alone:
    def __init__(self, lab: Laboratory, perform: Perform) -> None:
        self.lab, self.run_batch = lab, perform

    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        return (self.run_batch(self.lab, batch) for batch in batches)


class Others:
    def __init__(self, workers: Workers[Batch, BatchResult] | Hands[Batch, BatchResult], deadline: Deadline) -> None:
        self.workers, self.deadline = workers, deadline

    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        return self.workers.perform(batches, self.deadline.check_workers)


@contextmanager
def crew(
    workers: int, lab: Laboratory, plan: Plan, cluster: str | None = None, load: Load | None = None
) -> Iterator[Crew]:
    """The laboratory, open, with those who work there; other processes have their own.

    `cluster`: the address of one, whose actors get the program by calling `load`.
    """
    perform, deadline = plan.perform, plan.deadline
    with ExitStack() as stack:
        made: Crew = Alone(lab, perform)
        if cluster is not None:
            if load is None:
                raise ValueError("a cluster must be told where the program is")
            left = None if deadline.seconds is None else deadline.seconds - deadline.elapsed
            away = partial(_away, load, plan.without_program(), left, lab.quiet)
            made = Others(stack.enter_context(hands(cluster, workers, away)), deadline)
        elif workers > 1:
            opens = [partial(_opened, stack.enter_context(_room(lab.quiet)), perform, deadline) for _ in range(workers)]
            made = Others(stack.enter_context(forked(opens, ahead=2)), deadline)
        stack.enter_context(lab.open())
        yield made


@contextmanager
def _room(quiet: bool) -> Iterator[Laboratory]:
    """Of a worker, which may be killed, and then does not clear up."""
    root = make_root()
    try:
        yield Laboratory(quiet, root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


@contextmanager
def _opened(room: Laboratory, perform: Perform, deadline: Deadline) -> Iterator[Callable[[Batch], BatchResult]]:
    with deadline.watching(), room.open() as lab:
        yield partial(_answer, lab, perform)


@contextmanager
def _away(
    load: Load, rest: dict[str, Any], seconds: float | None, quiet: bool
) -> Iterator[Callable[[Batch], BatchResult]]:
    """In the process of an actor."""
    deadline = Deadline(seconds)
    plan = Plan(program=load(), deadline=deadline, **rest)
    with _room(quiet) as room, _opened(room, plan.perform, deadline) as answer:
        yield answer


def _answer(lab: Laboratory, perform: Perform, batch: Batch) -> BatchResult:
    try:
        return perform(lab, batch).without_runs()
    except ValueError as error:
        raise ValueError(str(error)) from None
    except Exception as error:
        raise RuntimeError(repr(error)) from None
