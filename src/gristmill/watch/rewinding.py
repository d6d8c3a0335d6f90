"""A message that is explained a few messages before: the node had looked at something, a vote, before it looked at what
came last, the first entries of who was elected. What has arrived since then is taken to have its effect after that.

That is one of the schedules that the exact search would try, among very many: where dozens of messages wait, these may
be too many. Most of what the states at hand do not explain is explained so, in a few evaluations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gristmill.watch.hidden_steps import shortest_explanations
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Arrived, State

if TYPE_CHECKING:
    from gristmill.watch.judging import NodeMonitor

_MOST_BACK = 12  # messages
_TRIED = 64  # states, at each of them


def rewound(monitor: NodeMonitor, message: Message) -> tuple[list[State], int]:
    """The states after this message, the last of the history, and how many of the last messages were looked at again;
    none if there is nothing so simple. What the node has sent since then on other connections has overtaken it: it is
    put before that in the history."""
    history, later = monitor.history, list[Message]()
    overtaken_by: Message | None = None
    for at in range(len(history) - 2, max(-1, len(history) - 2 - _MOST_BACK), -1):
        kept = history[at]
        if kept.message.source == monitor.name:
            if kept.message.channel == message.channel:
                break
            overtaken_by = kept.message
        later.insert(0, kept.message)
        found = list(shortest_explanations(monitor.node, kept.states, kept.waiting, message.record, _TRIED))
        if found:
            found = _replayed(monitor, found, kept.waiting, later)
        if found:
            if overtaken_by is not None:
                monitor.put_last_before(overtaken_by)
            return found, len(later) + 1
    return [], 0


def _replayed(
    monitor: NodeMonitor, states: Sequence[State], waiting: Arrived, messages: Sequence[Message]
) -> list[State]:
    """After these messages, each of which has its effect when it arrives, if it has one and need not wait."""
    node, found = monitor.node, list(states)
    for each in messages:
        if each.source == monitor.name:
            after = {new: None for state in found for new in node.send(state, each.record)}
            found = list(after) or list(_searched(monitor, found, waiting, each))
        elif each.kind not in monitor.mapping.wait:
            ends = {new: None for state in found for new in [*node.consume(state, each.record, each.number)] or [state]}
            found = list(ends)
        found = found[: monitor.limits.states]
    return found


def _searched(monitor: NodeMonitor, states: Sequence[State], waiting: Arrived, message: Message) -> dict[State, None]:
    return shortest_explanations(monitor.node, states, waiting, message.record, _TRIED)
