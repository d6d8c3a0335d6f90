"""A system: named processes, a network, faults, properties. What `explore` is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gristmill.explore.process import Process
from gristmill.explore.properties import Property


@dataclass(frozen=True, slots=True)
class Network:
    """How messages travel. Each fault happens at most so many times in a run; 0 means never.

    `partitions` lists the sides into which the network may fall apart: each a set of names that then reach only one
    another, as do all the others. Messages across wait until the partition heals. `partition_changes` bounds how often.
    """

    ordered: bool = False
    loss: int = 0
    duplication: int = 0
    partitions: tuple[frozenset[str], ...] = ()
    partition_changes: int = 1


@dataclass(frozen=True, slots=True)
class Faults:
    """Which processes may crash, how many crashes there are in a run, and how many restarts."""

    crashing: tuple[str, ...] = ()
    crashes: int = 0
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class System:
    """Processes by name, in the order in which reports show them.

    `symmetric` lists groups of names that can be exchanged for one another without anybody noticing; it is checked
    while the system is explored. `timeouts` bounds how many timers fire in a run; None does not.
    """

    processes: Mapping[str, Process]
    properties: Sequence[Property] = ()
    network: Network = field(default_factory=Network)
    faults: Faults = field(default_factory=Faults)
    symmetric: Sequence[Sequence[str]] = ()
    timeouts: int | None = None
    name: str = "system"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.processes)

    def substitute(self, name: str, process: Process) -> System:
        """The same system with another process under this name, for example a Byzantine one."""
        return replace(self, processes={**self.processes, name: process})

    def checked(self, *properties: Property) -> System:
        """The same system with these properties."""
        return replace(self, properties=properties)

    def of(self, kind: type) -> list[str]:
        return [name for name, process in self.processes.items() if isinstance(process, kind)]


def unknown_names(system: System) -> Iterable[str]:
    """Names that the faults, the partitions or the symmetry mention and the system does not have."""
    mentioned = [*system.faults.crashing]
    mentioned += [name for side in system.network.partitions for name in sorted(side)]
    mentioned += [name for group in system.symmetric for name in group]
    return [name for name in mentioned if name not in system.processes]


def bounds_of(system: System) -> Iterable[tuple[str, int]]:
    """How often things can go wrong, by name."""
    network, faults = system.network, system.faults
    return [
        ("loss", network.loss),
        ("duplication", network.duplication),
        ("partition_changes", network.partition_changes),
        ("crashes", faults.crashes),
        ("restarts", faults.restarts),
        ("timeouts", system.timeouts or 0),
    ]
