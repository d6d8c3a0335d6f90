"""The way to a Ray cluster, or one that is started on this machine. Nothing of TLA+ is needed here."""

from __future__ import annotations

import importlib
import logging
import os
from typing import Any

from gristmill.cluster.errors import ClusterError
from gristmill.source.quick_dataclass import dataclass

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


class Connection:
    """`ray`: the module; `actors`: how many there are to be. `close` ends Ray if it was started here."""

    def __init__(self, address: Address) -> None:
        self.ray = import_ray(address)
        self._address = address
        self._connect()

    def _connect(self) -> None:
        ray, address = self.ray, self._address
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
        except Exception as error:  # Ray raises plain ones, too: for a machine that is too busy to start it
            where = "on this machine" if address.text is None else f"at {address.text}"
            first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise ClusterError(
                f"Ray {where} cannot be reached: {first}", "`ray status` tells whether a cluster runs there"
            ) from None
        self.actors = address.actors or max(1, int(ray.cluster_resources().get("CPU", 1)))

    def actor(self, kind: type) -> Any:
        """Actors of a class: one core each, on as many machines as there are, and never started again by Ray itself."""
        how = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
        return self.ray.remote(**how)(kind)

    def close(self) -> None:
        if self._is_ours:
            self.ray.shutdown()
