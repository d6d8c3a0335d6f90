"""Whole runs by the actors of a Ray cluster: each job is one process's, and answers come in the order of the jobs.

An actor has a process of its own for the work: there it has the main thread, hashes of strings are the same everywhere,
and nothing of Ray is in the way of programs that are explored. If an actor dies, its jobs are done again by another.
"""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, TypeVar

from gristmill.cluster.connection import Connection, parse_address
from gristmill.cluster.errors import ClusterError
from gristmill.cluster.hand import Raised, read, write
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import with_deep_stack

Job = TypeVar("Job")
Answer = TypeVar("Answer")

# What an actor begins with. It is pickled, so functions of modules and what can be pickled make it up.
Opening = Callable[[], AbstractContextManager[Callable[[Any], Any]]]

_LOOK = 0.05  # seconds between two looks whether to stop
_MOST_LOSSES = 8  # one after the other, without an answer


class Hand:
    """One actor: it hands jobs on to its process. `path`: where whoever asks looks for modules."""

    def __init__(self, opening: bytes, hash_seed: str, path: tuple[str, ...]) -> None:
        known = os.pathsep.join(dict.fromkeys(each for each in (*path, *sys.path) if each))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gristmill.cluster.hand"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": known, "PYTHONHASHSEED": hash_seed},
        )
        self._send(opening)

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        write(self._process.stdin, data)

    def process(self) -> int:
        return self._process.pid

    def answer(self, job: bytes) -> bytes:
        self._send(job)
        assert self._process.stdout is not None
        found = read(self._process.stdout)
        if found is None:
            os._exit(1)  # what works is gone: so is the actor, and the job is another's
        return found


@dataclass(slots=True)
class _Asked:
    job: bytes
    actor: int
    call: Any


class Hands(Generic[Job, Answer]):
    """`ahead`: jobs that an actor has before it."""

    def __init__(self, connection: Connection, opening: Opening, ahead: int = 2) -> None:
        self._connection, self._ray = connection, connection.ray
        self._opening = pickle.dumps(opening)
        self._ahead = ahead
        self._hash_seed = os.environ.get("PYTHONHASHSEED", "random")
        self._actors = [self._started() for _ in range(connection.actors)]
        self.losses = 0

    def _started(self) -> Any:
        return self._connection.actor(Hand).remote(self._opening, self._hash_seed, tuple(sys.path))

    def processes(self) -> list[int]:
        """Of those that work."""
        return list(self._ray.get([actor.process.remote() for actor in self._actors]))

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor, no_restart=True)

    def perform(self, jobs: Iterable[Job], check: Callable[[], None] = lambda: None) -> Iterator[Answer]:
        """The answers, in the order of the jobs. Before each, and while one is awaited, `check` may raise, to stop."""
        waiting = map(pickle.dumps, jobs)
        turns = itertools.cycle(range(len(self._actors)))
        first = itertools.islice(waiting, self._ahead * len(self._actors))
        asked = deque(self._ask(job, next(turns)) for job in first)
        lost = 0
        while asked:
            check()
            if not self._ray.wait([asked[0].call], timeout=_LOOK)[0]:
                continue
            try:
                found = self._found(asked[0].call)
            except self._ray.exceptions.RayActorError as error:
                lost += 1
                if lost > _MOST_LOSSES:
                    raise ClusterError(f"actors die again and again: {str(error).strip().splitlines()[0]}") from None
                self._replace(asked[0].actor, asked)
                continue
            if isinstance(found, Raised):
                raise found.error
            lost = 0
            done = asked.popleft()
            asked.extend(self._ask(job, done.actor) for job in itertools.islice(waiting, 1))
            yield found

    def _found(self, call: Any) -> Any:
        data = self._ray.get(call)
        return with_deep_stack(lambda: pickle.loads(data))

    def _ask(self, job: bytes, actor: int) -> _Asked:
        return _Asked(job, actor, self._actors[actor].answer.remote(job))

    def _replace(self, actor: int, asked: Iterable[_Asked]) -> None:
        """Another actor does again what the lost one had not told."""
        self.losses += 1
        self._actors[actor] = self._started()
        for each in asked:
            if each.actor == actor:
                each.call = self._actors[actor].answer.remote(each.job)


@contextmanager
def hands(address: str, workers: int, opening: Opening) -> Iterator[Hands[Any, Any]]:
    """Those of a cluster, as many as it says or as `workers` says; they are gone afterwards. Raises `ClusterError`."""
    connection = Connection(parse_address(address, workers))
    try:
        made: Hands[Any, Any] = Hands(connection, opening)
        try:
            yield made
        finally:
            made.close()
    finally:
        connection.close()
