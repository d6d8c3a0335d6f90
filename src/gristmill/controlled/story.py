"""What happened in a run, as steps that a chart can show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gristmill.controlled.event import Event
from gristmill.controlled.network import Packet
from gristmill.controlled.world import Record
from gristmill.trace.chart import Chart, chart
from gristmill.trace.schedule import Event as ChartEvent
from gristmill.trace.schedule import EventKind, Sent, Step

_PLAIN: dict[str, EventKind] = {"run": "task", "crash": "crash", "restart": "restart"}
_OF_NETWORK: dict[str, EventKind] = {"partition": "partition", "heal": "heal"}


@dataclass(frozen=True, slots=True)
class Story:
    names: tuple[str, ...]
    records: Sequence[Record]
    packets: Sequence[Packet]
    describe: Callable[[bytes], str]

    def chart(self, error: str = "") -> Chart:
        return chart(self.names, self.steps(), error)

    def steps(self) -> list[Step]:
        """One for each event of the schedule, in order."""
        sent: dict[int, list[Sent]] = {}
        for packet in self.packets:
            if packet.kind not in ("datagram", "data"):
                continue  # what the system sends is shown when it arrives, and not missed if it does not
            sent.setdefault(packet.sent, []).append(self._sent(packet))
        notes: dict[int, list[tuple[str, str]]] = {}
        for record in self.records:
            if isinstance(record.what, str):
                notes.setdefault(record.step, []).append(("", record.what))
        happened = [record for record in self.records if isinstance(record.what, Event)]
        steps = [
            Step(self._event(record.what), tuple(sent.get(record.step, ())), tuple(notes.get(record.step, ())))
            for record in happened
            if isinstance(record.what, Event)
        ]
        return _show_time(steps, happened)

    def _event(self, event: Event) -> ChartEvent:
        subject = event.subject
        if isinstance(subject, Packet):
            return self._packet_event(event, subject)
        if event.kind == "reset":
            return ChartEvent("lose", subject.client.name, f"connection {event.key}")
        if event.kind == "timer":
            return ChartEvent("clock", subject.name)
        if event.kind in _OF_NETWORK:
            return ChartEvent(_OF_NETWORK[event.kind], "", event.key)
        node = subject[0] if isinstance(subject, tuple) else subject
        return ChartEvent(_PLAIN[event.kind], node.name)

    def _packet_event(self, event: Event, packet: Packet) -> ChartEvent:
        message = self._sent(packet)
        if event.kind == "duplicate":
            return ChartEvent("duplicate", packet.receiver.name, f"of {message.message}")
        return ChartEvent("lose" if event.kind == "drop" else "deliver", packet.receiver.name, "", (message,))

    def _sent(self, packet: Packet) -> Sent:
        text = self.describe(packet.data) if packet.kind in ("datagram", "data") else packet.kind
        return Sent(packet.sender.name, packet.receiver.name, text, packet.number)


def _show_time(steps: list[Step], happened: Sequence[Record]) -> list[Step]:
    """Timers say how much time has passed, but only the last of those between two steps that can be seen."""
    shown = list(steps)
    last_timer: int | None = None
    seen = 0.0
    for index, step in enumerate(steps):
        is_end = index == len(steps) - 1
        if step.event.kind == "clock":
            last_timer = index
        if is_end or step.event.kind not in ("task", "clock") or step.changes:
            passed = happened[index].now - seen
            if last_timer is not None and passed > 0:
                event = ChartEvent("timer", steps[last_timer].event.process, f"(after {passed:.3g} s)")
                shown[last_timer] = Step(event, steps[last_timer].sent)
            last_timer, seen = None, happened[index].now
    return shown
