"""Follows monitors while they judge, and tells `Events` what is new: the same for recordings and for live links."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from gristmill.values import Value
from gristmill.watch.alarms import Alarm, Lost
from gristmill.watch.events import Events, NodeProgress, Progress
from gristmill.watch.judging import NodeMonitor
from gristmill.watch.messages import Reading

_EVERY = 1.0  # seconds between two reports of progress
_LOOK = 64  # messages between two looks at the clock


class Telling:
    """Call `seen` after every message that a monitor has judged, `quiet` now and then while none come."""

    def __init__(
        self,
        events: Events,
        reading: Reading,
        monitors: Mapping[Value, NodeMonitor],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.events, self.reading, self.monitors, self.clock = events, reading, monitors, clock
        self.messages = 0
        self.lag: float | None = None  # whoever judges live links sets it
        self._told: dict[Value, int] = {}  # alarms, and places where track was lost
        self._troubles = 0
        self._next = clock() + _EVERY

    def seen(self, node: Value) -> None:
        """A message of this node has been judged."""
        ends = self.monitors[node].ends
        if len(ends) > self._told.get(node, 0):
            for end in ends[self._told.get(node, 0) :]:
                self._end(node, end)
            self._told[node] = len(ends)

    def counted(self, count: int = 1) -> None:
        """A message has been judged, by all the nodes that it concerns; or so many."""
        self.messages += count
        if len(self.reading.trouble) != self._troubles:
            self._trouble()
        if self.messages % _LOOK < count:
            self.quiet()

    def quiet(self) -> None:
        """Progress, if it is time for it."""
        if len(self.reading.trouble) != self._troubles:
            self._trouble()
        if self.clock() >= self._next:
            self.progress()

    def finish(self) -> None:
        """The last numbers, before the end is told."""
        self._trouble()
        self.progress()

    def progress(self) -> None:
        self._next = self.clock() + _EVERY
        called = self.called()
        nodes = tuple(node_progress(monitor, called.get(node)) for node, monitor in self.monitors.items())
        self.events.progress(Progress(self.messages, self.reading.ignored, nodes, self.lag))

    def called(self) -> dict[Value, str]:
        """How the protocol calls the nodes that were seen."""
        return {node: name for name, node in self.reading.names.items()}

    def _end(self, node: Value, end: Alarm | Lost) -> None:
        called = self.called().get(node)
        if isinstance(end, Alarm):
            self.events.alarm(node, called, end)
        else:
            self.events.lost(node, called, end)

    def _trouble(self) -> None:
        for what, why in list(self.reading.trouble.items())[self._troubles :]:
            self.events.trouble(what, why)
        self._troubles = len(self.reading.trouble)


def node_progress(monitor: NodeMonitor, called: str | None) -> NodeProgress:
    counts = monitor.counts
    return NodeProgress(
        monitor.name,
        called,
        counts.sent,
        counts.received,
        len(monitor.states),
        counts.most_states,
        counts.searches,
        counts.exact,
        not monitor.is_learning,
    )
