"""The actors of a search, over Ray."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gristmill.cluster.connection import Address, Connection
from gristmill.cluster.errors import ClusterError, LostError
from gristmill.cluster.partition import Partition
from gristmill.cluster.task import Learnt, Task

_TICK = 0.2  # seconds between two looks at the progress


class Team:
    """Actors, one for each partition. `close` ends them, and Ray if it was started here."""

    def __init__(self, address: Address) -> None:
        self._connection = Connection(address)
        self._ray = self._connection.ray
        self._actors: dict[int, Any] = {}
        self.owners = self._connection.actors

    def close(self) -> None:
        for number in list(self._actors):
            self.end(number)
        self._connection.close()

    # --------------------------------------------------------------------------------------------------------- actors

    def start(self, number: int, task: Task, learnt: Learnt) -> None:
        self._actors[number] = self._connection.actor(Partition).remote(task, number, learnt)

    def end(self, number: int) -> None:
        actor = self._actors.pop(number, None)
        if actor is not None:
            self._ray.kill(actor, no_restart=True)

    def call(self, number: int, method: str, *arguments: Any, parts: int = 1) -> Any:
        """Begin a call; where its result will be, or each of its parts."""
        try:
            return getattr(self._actors[number], method).options(num_returns=parts).remote(*arguments)
        except self._ray.exceptions.RayError as error:
            raise LostError(str(error)) from None

    def gather(self, calls: Mapping[int, Any], tick: Callable[[], None]) -> dict[int, Any]:
        """The results, as soon as all are there. Raises `LostError`, `ClusterError`."""
        left = list(calls.values())
        while left:
            _, left = self._ray.wait(left, num_returns=len(left), timeout=_TICK, fetch_local=False)
            tick()
        return {number: self._result(call) for number, call in calls.items()}

    def _result(self, call: Any) -> Any:
        exceptions = self._ray.exceptions
        try:
            return self._ray.get(call)
        except exceptions.RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            if isinstance(cause, exceptions.RayError) and not isinstance(cause, exceptions.RayTaskError):
                raise LostError(str(cause)) from None  # an argument was lost
            raise ClusterError(f"a partition has failed: {type(cause).__name__}: {cause}") from None
        except exceptions.RayError as error:
            raise LostError(str(error)) from None

    def alive(self, numbers: Iterable[int], tick: Callable[[], None]) -> dict[int, int]:
        """Those actors that answer, with the process of each."""
        found = {}
        for number in numbers:
            try:
                found[number] = self.gather({number: self.call(number, "who")}, tick)[number][0]
            except LostError:
                continue
        return found
