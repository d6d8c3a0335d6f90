"""Those who run batches: this process, or several others. What comes of it is the same, in the same order."""

from __future__ import annotations

import itertools
import multiprocessing
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from gristmill.explore.controlled.run import Laboratory, make_root
from gristmill.explore.controlled.tally import Batch, BatchResult

Perform = Callable[[Laboratory, Batch], BatchResult]

# Batches that a worker has before it: one it is at, and one to go on with.
_AHEAD = 2


class Crew(Protocol):
    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        """The results of batches, in their order."""


class Alone:
    def __init__(self, lab: Laboratory, perform: Perform) -> None:
        self.lab, self.run_batch = lab, perform

    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        return (self.run_batch(self.lab, batch) for batch in batches)


class Workers:
    """Forked, so that they have the program without its having to be picklable. Batch n goes to worker n mod k."""

    def __init__(self, connections: list[Connection[Any, Any]]) -> None:
        self.connections = connections
        self.next = 0  # the worker whose turn it is

    def perform(self, batches: Iterable[Batch]) -> Iterator[BatchResult]:
        waiting = iter(batches)
        asked: list[Connection[Any, Any]] = []
        for batch in itertools.islice(waiting, _AHEAD * len(self.connections)):
            asked.append(self._ask(batch))
        while asked:
            answer = asked.pop(0).recv()
            if isinstance(answer, BaseException):
                raise answer
            for batch in itertools.islice(waiting, 1):
                asked.append(self._ask(batch))
            yield answer

    def _ask(self, batch: Batch) -> Connection[Any, Any]:
        worker = self.connections[self.next]
        self.next = (self.next + 1) % len(self.connections)
        worker.send(batch)
        return worker


@contextmanager
def crew(workers: int, lab: Laboratory, perform: Perform) -> Iterator[Crew]:
    """The laboratory, open, with those who work there; other processes have their own."""
    with ExitStack() as stack:
        made = Workers(stack.enter_context(_forked(workers, lab.quiet, perform))) if workers > 1 else None
        stack.enter_context(lab.open())
        yield made or Alone(lab, perform)


@contextmanager
def _forked(number: int, quiet: bool, perform: Perform) -> Iterator[list[Connection[Any, Any]]]:
    context = multiprocessing.get_context("fork")
    connections: list[Connection[Any, Any]] = []
    with ExitStack() as stack:
        for _ in range(number):
            here, there = context.Pipe()
            root = make_root()
            stack.callback(shutil.rmtree, root, ignore_errors=True)
            ours = (*connections, here)
            lab = Laboratory(quiet, root)
            process = context.Process(target=_work, args=(there, ours, lab, perform), daemon=True)
            process.start()
            stack.callback(_end, process, here)
            there.close()
            connections.append(here)
        yield connections


def _end(process: BaseProcess, connection: Connection[Any, Any]) -> None:
    """Not by asking: it may be within a program that catches everything, also what a signal handler raises."""
    process.kill()
    process.join()
    connection.close()


def _work(
    connection: Connection[Any, Any], others: Iterable[Connection[Any, Any]], room: Laboratory, perform: Perform
) -> None:
    for other in others:  # or nobody would notice if who started us is gone
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us is told, and ends us
    with room.open() as lab:
        while True:
            try:
                connection.send(_answer(lab, perform, connection.recv()))
            except (EOFError, ConnectionError):
                return


def _answer(lab: Laboratory, perform: Perform, batch: Batch) -> BatchResult | Exception:
    try:
        return perform(lab, batch).without_runs()
    except ValueError as error:
        return ValueError(str(error))
    except Exception as error:
        return RuntimeError(repr(error))
