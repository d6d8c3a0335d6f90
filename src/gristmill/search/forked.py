"""Processes that share work: forked, so that they have what is there without its having to be picklable."""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from gristmill.search.budget.deadline import begin_worker

Job = TypeVar("Job")
Answer = TypeVar("Answer")

Open = Callable[[], AbstractContextManager[Callable[[Job], Answer]]]  # what a worker begins with

_LOOK = 0.05  # seconds between two looks whether to stop


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error


class Workers(Generic[Job, Answer]):
    """Job n goes to worker n mod k."""

    def __init__(self, connections: list[Connection[Any, Any]], ahead: int) -> None:
        self.connections, self.ahead = connections, ahead
        self.next = 0  # the worker whose turn it is

    def perform(self, jobs: Iterable[Job], check: Callable[[], None] = lambda: None) -> Iterator[Answer]:
        """The answers, in the order of the jobs. Before each, and while one is awaited, `check` may raise, to stop."""
        waiting = iter(jobs)
        asked = [self._ask(job) for job in itertools.islice(waiting, self.ahead * len(self.connections))]
        while asked:
            check()  # also if answers are always there: who takes them may be slower than who gives them
            while not asked[0].poll(_LOOK):
                check()
            answer = _received(asked.pop(0))
            if isinstance(answer, _Raised):
                raise answer.error
            asked += [self._ask(job) for job in itertools.islice(waiting, 1)]
            yield answer

    def _ask(self, job: Job) -> Connection[Any, Any]:
        worker = self.connections[self.next]
        self.next = (self.next + 1) % len(self.connections)
        worker.send(job)
        return worker


def _received(connection: Connection[Any, Any]) -> Any:
    try:
        return connection.recv()
    except (EOFError, ConnectionError):
        raise RuntimeError("a worker is gone: it was ended from outside, or there was no more memory") from None


@contextmanager
def forked(opens: Iterable[Open[Job, Answer]], ahead: int = 1) -> Iterator[Workers[Job, Answer]]:
    """A worker for each of `opens`; they are gone afterwards.

    `ahead`: jobs that a worker has before it. More than one only if jobs are small: two who both wait until the other
    reads, wait for ever.
    """
    context = multiprocessing.get_context("fork")
    connections: list[Connection[Any, Any]] = []
    with ExitStack() as stack:
        for opened in opens:
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there, (*connections, here), opened), daemon=True)
            process.start()
            stack.callback(_end, process, here)
            there.close()
            connections.append(here)
        yield Workers(connections, ahead)


def _end(process: BaseProcess, connection: Connection[Any, Any]) -> None:
    """Not by asking: it may be within a program that catches everything, also what a signal handler raises."""
    process.kill()
    process.join()
    connection.close()


def _work(connection: Connection[Any, Any], others: Iterable[Connection[Any, Any]], opened: Open[Any, Any]) -> None:
    for other in others:  # or the end of the parent process would go unnoticed
        other.close()
    begin_worker()
    with opened() as answer:
        while True:
            try:
                connection.send(_answer(answer, connection.recv()))
            except (EOFError, ConnectionError):
                return


def _answer(answer: Callable[[Any], Any], job: Any) -> Any:
    try:
        return answer(job)
    except Exception as error:
        return _Raised(_sendable(error))


def _sendable(error: Exception) -> Exception:
    """The error, or what can be said of it: not every exception can be made anew elsewhere."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(repr(error))
    return error
