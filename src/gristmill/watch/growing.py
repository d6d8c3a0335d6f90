"""Variables that only grow, and what they exclude (`reachable`, §3.4.1).

A state that is beyond what a message says which is still to be sent can never send it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gristmill.values import Fn, Value, apply
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Node, State


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The most that growing variables may be, for what is still to be sent and is no answer.

    `most`: the place of a variable in a local state, the most that it may be, and the message that says so.
    """

    name: Value
    most: tuple[tuple[int, int, Value], ...]

    @staticmethod
    def of(node: Node, outputs: Sequence[Message]) -> Ceiling | None:
        """None if nothing is excluded."""
        most = [(place, value, each.record) for each in outputs for place, value in _said(node, each)]
        return Ceiling(node.name, tuple(sorted(most, key=lambda each: each[1]))) if most else None

    def excludes(self, state: State) -> bool:
        """What was sent before may be sent once more: that says nothing."""
        if state.is_partial:
            return False
        values: dict[int, Value] = {}
        for place, most, record in self.most:
            if place not in values:
                values[place] = apply(state.local[place], self.name)
            value = values[place]
            if type(value) is int and value > most and record not in state.owed:
                return True
        return False


def _said(node: Node, output: Message) -> Iterator[tuple[int, int]]:
    """What a message says that growing variables are when it is sent. An answer may have been made long before."""
    monitor, record = node.monitor, output.record
    assert isinstance(record, Fn)
    if not monitor.grows or monitor.answering(output.kind):
        return
    found: dict[int, list[int]] = {}
    events = monitor.sending(output.kind)
    for event in events:
        for template in event.sends_like(record):
            for name, (variable, parameter, plus) in template.shows.items():
                value = record[name]
                if variable in monitor.grows and parameter == event.node and type(value) is int:
                    found.setdefault(monitor.local.index(variable), []).append(value - plus)
    ways = sum(len(event.sends_like(record)) for event in events)
    yield from ((place, max(values)) for place, values in found.items() if len(values) == ways)
