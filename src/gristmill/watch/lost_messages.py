"""Whether a message follows on what the node has sent before, and what was lost with a connection, so that nobody has
seen it: a leader of etcd whose connections break has sent entries that are never sent again if it leads no longer.

Where a connection is new, that cannot be excluded. Then the message is looked at with all that a message of its kind to
the same node may have changed not known: if it is still impossible, no loss explains it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gristmill.values import Fn
from gristmill.watch.derive import Event
from gristmill.watch.messages import Message
from gristmill.watch.simulation import State
from gristmill.watch.unknown import Part

if TYPE_CHECKING:
    from gristmill.watch.judging import NodeMonitor

_FEW = 8  # messages of its kind, of which one on another connection shows that this one is new


def is_on_new_connection(monitor: NodeMonitor, message: Message) -> bool:
    """Whether few messages have come on its connection, or those of its kind came on another one until just now."""
    if monitor.connections.is_new(message.channel):
        return True
    left = _FEW
    for each in reversed(monitor.history):
        other = each.message
        if (other.kind, other.source, other.target) == (message.kind, monitor.name, message.target):
            if other.channel != message.channel:
                return True
            left -= 1
            if not left:
                break
    return False


def may_follow_on_lost(monitor: NodeMonitor, message: Message) -> bool:
    """Whether the node could send it if it had sent something like it before, to the same node, by the same action."""
    node, record = monitor.node, message.record
    assert isinstance(record, Fn)
    node.unknown()  # the forms of what is not known
    return any(
        node.partial.take(event, tuple(after), node.name, given, None, record)
        for event in node.sending(message.kind)
        for before in monitor.states
        for after in _after_lost(monitor, before, message, event)
        for given in event.unified(record)
    )


def _after_lost(monitor: NodeMonitor, state: State, message: Message, event: Event) -> Iterator[Iterable[Part]]:
    node = monitor.node
    assert isinstance(message.record, Fn)
    for told in event.unified(message.record):
        # It had other numbers and entries. Else it was like this one, or there would be too many to think of.
        given = {name: value for name, value in told.items() if type(value) not in (int, tuple)}
        for after, _, _, _ in node.partial.take(event, tuple(state.local), node.name, given):
            yield after
