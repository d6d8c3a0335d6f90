"""What the processes that judge have told so far: how far they are, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gristmill.values import Value
from gristmill.watch.alarms import Counts
from gristmill.watch.events import Progress
from gristmill.watch.live.reports import Judged, Read
from gristmill.watch.verdicts import NodeVerdict, Watched


@dataclass(slots=True)
class Standing:
    nodes: tuple[Value, ...]
    read: Read | None = None
    judged: dict[Value, Judged] = field(default_factory=dict)
    _verdicts: dict[Value, NodeVerdict] = field(default_factory=dict)
    _heard: dict[Value, float] = field(default_factory=dict)  # when

    def hear(self, report: Judged) -> None:
        self.judged[report.node] = report
        if report.verdict is not None:
            self._verdicts[report.node] = report.verdict
        self._heard[report.node] = time.monotonic()

    def called(self) -> dict[Value, str]:
        """How the protocol calls the nodes that were seen."""
        return {} if self.read is None else {node: name for name, node in self.read.names.items()}

    def lag(self, waiting: bool) -> float:
        """Seconds between a message on the wire and its judgement: of the node whose monitor is last.

        `waiting`: whether there is something that nobody has decoded yet.
        """
        now, lags = time.monotonic(), [0.0]
        for node, judged in self.judged.items():
            if self._handed(node) > judged.messages:
                lags.append(judged.lag + now - self._heard[node])
            elif waiting:
                lags.append(judged.lag)
        return max(lags)

    def _handed(self, node: Value) -> int:
        return 0 if self.read is None else self.read.handed.get(node, 0)

    def progress(self, waiting: bool) -> Progress:
        called = self.called()
        found = [self.judged[node].progress for node in self.nodes if node in self.judged]
        nodes = [replace(each, called=called.get(each.node)) for each in found]
        messages, ignored = self._counts()
        return Progress(messages, ignored, tuple(nodes), self.lag(waiting))

    def _counts(self) -> tuple[int, int]:
        return (0, 0) if self.read is None else (self.read.messages, self.read.ignored)

    def unfinished(self) -> Iterator[str]:
        """Who has not told that it has seen everything: "no alarm" is said only if all have."""
        if self.read is None or not self.read.done:
            yield "what decodes messages"
        for node in self.nodes:
            judged = self.judged.get(node)
            if judged is None or not judged.done or judged.messages != self._handed(node):
                yield f"the monitor of {node}"

    def _verdict(self, node: Value) -> NodeVerdict:
        """As far as the node's monitor has told: it may have been broken off."""
        judged = self.judged.get(node)
        counts = Counts() if judged is None else judged.counts
        return replace(self._verdicts.get(node, NodeVerdict(node, None, counts, None)), counts=counts)

    def watched(self, system: str, trouble: Mapping[str, str], seconds: float, notes: Sequence[str] = ()) -> Watched:
        """`seconds`: of processor time, besides theirs."""
        called = self.called()
        seen = [node for node in self.nodes if node in called] or self.nodes  # others may never have joined
        verdicts = [replace(self._verdict(node), called=called.get(node)) for node in seen]
        seconds += sum(each.seconds for each in self.judged.values()) + (self.read.seconds if self.read else 0.0)
        messages, ignored = self._counts()
        texts = tuple(f"{what} {why}" for what, why in trouble.items())
        return Watched(system, messages, ignored, tuple(verdicts), texts, seconds, tuple(notes))
