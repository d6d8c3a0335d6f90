"""The actors of a search, over Ray."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gristmill.cluster.errors import ClusterError, LostError
from gristmill.cluster.partition import Partition
from gristmill.cluster.task import Learnt, Task
from gristmill.source.quick_dataclass import dataclass

_TICK = 0.2  # seconds between two looks at the progress
_LOCAL = "local"
_STORE = 256 << 20  # bytes of the object store of a cluster that is started here: some batches


@dataclass(frozen=True, slots=True)
class Address:
    """Where the actors are. `text`: what Ray is told, None: it is started on this machine; `actors`: 0: one a core."""

    text: str | None
    actors: int


def parse_address(text: str, workers: int) -> Address:
    """`local:4`, or the address of a cluster that runs. Raises `ClusterError`."""
    kind, _, rest = text.partition(":")
    if kind == _LOCAL:
        if not rest.isdigit() or int(rest) < 1:
            raise ClusterError(f"--cluster {text}: how many actors?", "write --cluster local:4 for four of them")
        return Address(None, int(rest))
    is_named = text == "auto" or text.startswith("ray://") or (bool(kind) and rest.isdigit())
    if not is_named:
        raise ClusterError(
            f"--cluster {text} is no address of a cluster",
            "local:4 starts four actors on this machine; HOST:PORT or auto is a cluster that `ray start` has started",
        )
    return Address(text, workers if workers > 1 else 0)


def import_ray(address: Address) -> Any:
    """What is started for a try on this machine is reachable from this machine only, which Ray must be told first."""
    if address.text is None:
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # so it does by itself on these two
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns of what we do not use
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ClusterError(
            "--cluster needs Ray, which is not installed", "pip install 'gristmill[cluster]' installs it"
        ) from None


class Team:
    """Actors, one for each partition. `close` ends them, and Ray if it was started here."""

    def __init__(self, address: Address) -> None:
        self._ray = import_ray(address)
        self._address = address
        self._actors: dict[int, Any] = {}
        self._connect()

    def _connect(self) -> None:
        ray, address = self._ray, self._address
        self._is_ours = not ray.is_initialized()  # a program may have its own connection, which is used then
        common: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        try:
            if self._is_ours and address.text is None:
                ray.init(
                    address="local",
                    num_cpus=address.actors,
                    include_dashboard=False,
                    object_store_memory=_STORE,
                    _system_config={"automatic_object_spilling_enabled": True},
                    **common,
                )
            elif self._is_ours:
                ray.init(address=address.text, **common)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            where = "on this machine" if address.text is None else f"at {address.text}"
            first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise ClusterError(
                f"Ray {where} cannot be reached: {first}", "`ray status` tells whether a cluster runs there"
            ) from None
        self.owners = address.actors or max(1, int(ray.cluster_resources().get("CPU", 1)))

    def close(self) -> None:
        for number in list(self._actors):
            self.end(number)
        if self._is_ours:
            self._ray.shutdown()

    # --------------------------------------------------------------------------------------------------------- actors

    def start(self, number: int, task: Task, learnt: Learnt) -> None:
        remote = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Partition)
        self._actors[number] = remote.remote(task, number, learnt)

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
                found[number] = self.gather({number: self.call(number, "process")}, tick)[number]
            except LostError:
                continue
        return found
