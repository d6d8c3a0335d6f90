"""What happens while nodes are watched, told as it happens: to JSON lines, metrics, a webhook, a line on a terminal.

Whoever watches (a recording, or links while they are in use) calls an `Events`; whoever wants to know is one, and
overrides what it is interested in. All calls come from the thread that judges, in the world of the specification. They
must be short and must not raise: a sink that waits for something (a network, a disk) does so in a thread of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.values import Value
from gristmill.watch.alarms import Alarm, Lost
from gristmill.watch.verdicts import Watched

Source: TypeAlias = Literal["recording", "tap", "capture"]


@dataclass(frozen=True, slots=True)
class Started:
    """`inputs`: the files that are read, or the links that are listened to, in words."""

    system: str
    specification: str
    nodes: tuple[Value, ...]
    source: Source
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeProgress:
    """`states`: simulation states now. `judged`: False as long as its state is not all known."""

    node: Value
    called: str | None
    sent: int
    received: int
    states: int
    most_states: int
    searches: int
    exact: int
    judged: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """Now and then, at least every few seconds while messages come; live also while none do.

    `lag`: seconds between a message on the wire and its judgement; None for recordings.
    """

    messages: int
    ignored: int
    nodes: tuple[NodeProgress, ...]
    lag: float | None = None


class Events:
    """Told of everything, and does nothing. `node` is the specification's name, `called` the system's, if known."""

    def started(self, started: Started) -> None:
        """Once, before the first message."""

    def progress(self, progress: Progress) -> None:
        """Numbers, from time to time."""

    def alarm(self, node: Value, called: str | None, alarm: Alarm) -> None:
        """A node has sent what the specification does not allow: when it is confirmed."""

    def lost(self, node: Value, called: str | None, lost: Lost) -> None:
        """Track of a node was lost."""

    def trouble(self, what: str, why: str) -> None:
        """Something is not judged: a link that cannot be decoded, or has failed; a kind of messages not described."""

    def ended(self, watched: Watched) -> None:
        """Once, at the end, also after Ctrl-C."""

    def close(self) -> None:
        """Lets go of threads and ports. Called once, also if watching was broken off by an error."""


class Several(Events):
    """Passes everything on to each of its parts, in their order."""

    def __init__(self, parts: Sequence[Events]) -> None:
        self.parts = tuple(parts)

    def started(self, started: Started) -> None:
        for each in self.parts:
            each.started(started)

    def progress(self, progress: Progress) -> None:
        for each in self.parts:
            each.progress(progress)

    def alarm(self, node: Value, called: str | None, alarm: Alarm) -> None:
        for each in self.parts:
            each.alarm(node, called, alarm)

    def lost(self, node: Value, called: str | None, lost: Lost) -> None:
        for each in self.parts:
            each.lost(node, called, lost)

    def trouble(self, what: str, why: str) -> None:
        for each in self.parts:
            each.trouble(what, why)

    def ended(self, watched: Watched) -> None:
        for each in self.parts:
            each.ended(watched)

    def close(self) -> None:
        for each in self.parts:
            each.close()
