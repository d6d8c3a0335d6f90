"""What can happen next in a world. A schedule is the sequence of what did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal[
    "run", "deliver", "timer", "drop", "duplicate", "split", "reset", "crash", "restart", "partition", "heal"
]

FAULTS: tuple[Kind, ...] = ("drop", "duplicate", "split", "reset", "crash", "restart", "partition", "heal")
OF_NETWORK: tuple[Kind, ...] = ("partition", "heal")


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """`run n`: an iteration of the loop of n. `timer n`: its next timer is due. `deliver a>b 3`: the third packet from
    a to b arrives; `drop`, `duplicate`, `split` say what else may become of it. `reset a-b 1`: a connection breaks.
    `crash n`, `restart n`. `partition a,b`: the network falls apart, with these on one side; `heal network`.
    """

    kind: Kind
    key: str
    text: str
    subject: Any  # the node, packet or connection; of a partition, the nodes on one side


def make(kind: Kind, key: str, subject: Any) -> Event:
    return Event(kind, key, f"{kind} {key}", subject)
