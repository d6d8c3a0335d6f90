"""What the coordinator has done, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gristmill.replay.driver import Arrival, Node
from gristmill.replay.mapping.parts import Move
from gristmill.replay.result import Moved


def released(arrival: Arrival, move: Move) -> Moved:
    other = arrival.bindings.get("from")
    to = f" to {' or '.join(move.to)}" if move.to else ""
    message = arrival.bindings.get("kind", arrival.bindings.get("message", ""))
    text = f"{arrival.actor} from {arrival.point}{to}"
    return Moved("release", arrival.node, text, None if other is None else str(other), str(message))


def faulted(kind: str, node: Node | None, details: Mapping[str, Any]) -> Moved:
    """In words, with what was hit: `cut to 2`, `drop s1 -> s2 #17`. `other` is set if it was between two nodes."""
    arrival, to = details.get("arrival"), details.get("to")
    hit = [arrival.actor] if isinstance(arrival, Arrival) else []
    told = [f"{name} {value}" for name, value in details.items() if name != "arrival"]
    message = str(arrival.bindings.get("kind", "")) if isinstance(arrival, Arrival) else ""
    return Moved("fault", node, " ".join([kind, *hit, *told]), None if to is None else str(to), message)
