"""Runs batches in this process or in several others, with the same results in the same order."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Protocol

from gristmill.controlled.run import Laboratory, make_root
from gristmill.controlled.tally import Batch, BatchResult
from gristmill.search.budget.deadline import Deadline
from gristmill.search.forked import Workers, forked

Perform = Callable[[Laboratory, Batch], BatchResult]


class Crew(Protocol):
    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        """The results of batches, in their order. Raises `LimitReached` if the search has to stop."""


class Alone:
    def __init__(self, lab: Laboratory, perform: Perform) -> None:
        self.lab, self.run_batch = lab, perform

    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        return (self.run_batch(self.lab, batch) for batch in batches)


class Others:
    def __init__(self, workers: Workers[Batch, BatchResult], deadline: Deadline) -> None:
        self.workers, self.deadline = workers, deadline

    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        return self.workers.perform(batches, self.deadline.check_workers)


@contextmanager
def crew(workers: int, lab: Laboratory, perform: Perform, deadline: Deadline) -> Iterator[Crew]:
    """The laboratory, open, with those who work there; other processes have their own."""
    with ExitStack() as stack:
        made: Crew = Alone(lab, perform)
        if workers > 1:
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


def _answer(lab: Laboratory, perform: Perform, batch: Batch) -> BatchResult:
    try:
        return perform(lab, batch).without_runs()
    except ValueError as error:
        raise ValueError(str(error)) from None
    except Exception as error:
        raise RuntimeError(repr(error)) from None
