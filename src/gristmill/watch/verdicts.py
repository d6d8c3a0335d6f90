"""What came of watching: plain data, for people, tools, and whoever is told of it while it happens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.values import Value
from gristmill.watch.alarms import Alarm, Counts, Lost
from gristmill.watch.messages import Message

Verdict: TypeAlias = Literal["ok", "alarm", "incomplete"]


def first_end(ends: Sequence[Alarm | Lost]) -> Alarm | Lost | None:
    """The first alarm; if there is none, the first place where track was lost."""
    return next((each for each in ends if isinstance(each, Alarm)), ends[0] if ends else None)


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """Of one node. `called`: its name in the protocol, if it was seen. `ends`: alarms, and where track was lost.

    `end`: the first alarm; if there is none, the first place where track was lost. `unknown`: variables of which
    something is not known in the end.

    `last`: the last of its messages that were judged.
    """

    node: Value
    called: str | None
    counts: Counts
    end: Alarm | Lost | None
    last: tuple[Message, ...] = ()
    ends: tuple[Alarm | Lost, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        return tuple(each for each in self.ends if isinstance(each, Alarm))


@dataclass(frozen=True, slots=True)
class Watched:
    """What came of watching. `trouble`: what was not understood, and so not judged. `notes`: what else is told."""

    system: str
    messages: int
    ignored: int
    nodes: tuple[NodeVerdict, ...]
    trouble: tuple[str, ...]
    seconds: float  # of processor time
    notes: tuple[str, ...] = ()

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        return tuple(alarm for each in self.nodes for alarm in each.alarms)

    @property
    def learning(self) -> int:
        """Messages sent that were not judged, as the state of the node was not known."""
        return sum(each.counts.learning for each in self.nodes)

    @property
    def sent(self) -> int:
        return sum(each.counts.sent for each in self.nodes)

    @property
    def alarms_of_nodes(self) -> tuple[tuple[Value, Alarm], ...]:
        """Each with the node that has raised it."""
        return tuple((each.node, alarm) for each in self.nodes for alarm in each.alarms)

    @property
    def verdict(self) -> Verdict:
        if self.alarms:
            return "alarm"
        # Not one was judged, or somebody's state is not known to the end: then hardly any of its messages is judged.
        unjudged = self.sent == self.learning > 0 or any(each.unknown for each in self.nodes if each.counts.sent)
        lost = any(each.end for each in self.nodes)
        return "incomplete" if self.trouble or self.messages == 0 or lost or unjudged else "ok"
