"""A message that nothing explains, where what was sent before it may still come, or be sent again.

Between two nodes there may be several connections. What a node has sent on one of them can be held up for a while, and
come after what it has sent later on another one; or be lost with the connection, and be sent again: an empty MsgApp is
seen before the entries that it follows on. So the node is not judged any further for a moment. If its next messages,
taken to have been sent before, too, make the suspected one possible, that is how it was; else it is called wrong. What
comes meanwhile is judged after that.

Most suspicions end so, or by looking at the last few messages in another order. That takes milliseconds; to try every
schedule of many messages takes seconds, and is done last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gristmill.watch.hidden_steps import shortest_explanations
from gristmill.watch.messages import Message
from gristmill.watch.simulation import State

if TYPE_CHECKING:
    from gristmill.watch.judging import NodeMonitor

_PATIENCE = 500_000_000  # nanoseconds until it is called wrong: in hours of faults, what explained it came within 7 ms
_MOST_WAITING = 4_096  # messages of the node meanwhile


class Suspicion:
    """The history of the monitor ends with the suspected message, and its states are those before it."""

    def __init__(self, monitor: NodeMonitor, message: Message, settle: Callable[[], None]) -> None:
        """`settle`: tries every schedule of what came before, and calls it wrong if none explains it."""
        self.monitor, self.message, self._settle = monitor, message, settle
        self._later: list[Message] = []
        self._chain: list[Message] = []  # what it may all have sent before, and the states after that
        self._after_chain = list(monitor.states)

    def see(self, message: Message) -> None:
        self._later.append(message)
        if message.source == self.monitor.name and self._is_explained_with(message):
            return
        if message.time - self.message.time > _PATIENCE or len(self._later) >= _MOST_WAITING:
            self.decide()

    def decide(self) -> None:
        """Nothing more is waited for."""
        if self._chain and self._goes_on(self._chain, self._searched(self._after_chain)):
            return
        self.monitor.suspicion = None
        self._settle()
        self._catch_up()

    def _is_explained_with(self, newest: Message) -> bool:
        """By the newest message of the node alone, or by all that came since, but for what was not possible either."""
        alone = self._sent(self.monitor.states, newest)
        if alone and self._goes_on([newest], self._sent(alone, self.message)):
            return True
        states = self._sent(self._after_chain, newest)
        if not states:
            return False
        self._chain.append(newest)
        self._after_chain = states
        return self._goes_on(self._chain, self._sent(states, self.message))

    def _sent(self, states: Sequence[State], message: Message) -> list[State]:
        found = {each: None for state in states for each in self.monitor.node.send(state, message.record)}
        return list(found)[: self.monitor.limits.states]

    def _searched(self, states: Sequence[State]) -> list[State]:
        monitor, record = self.monitor, self.message.record
        return list(shortest_explanations(monitor.node, states, monitor.waiting, record, monitor.limits.tried))

    def _goes_on(self, earlier: Sequence[Message], states: Sequence[State]) -> bool:
        """If there are states after these messages and the suspected one."""
        if not states:
            return False
        monitor, number = self.monitor, self.message.number
        monitor.suspicion = None
        # What arrived after the suspected message was not there when those before it were sent.
        monitor.insert_before_last([replace(each, number=number) for each in earlier], states)
        self._catch_up()
        return True

    def _catch_up(self) -> None:
        for each in self._later:
            self.monitor.take(each)
