"""How far a node is behind with what has arrived for it.

A node that is stopped for a while, or has no time, answers later all that has come meanwhile: hundreds of messages,
while others sit in its buffers. How old something is, is therefore counted by what the node itself has sent since; and
an alarm must not rest on a node having looked at something when it may not have come to it yet.
"""

from __future__ import annotations

from collections import deque

from gristmill.watch.held_up import TALK, is_unusual
from gristmill.watch.limits import Limits

_REMEMBERED = 1_000  # messages that the node has sent, by which the age of others is told
MOST_KEPT = 4_096  # messages that are kept for a node that is behind


class Backlog:
    """`most`: so many messages may have arrived that the node has not looked at, beyond what is usual. `stalled`: so
    many more that it sends may have been held up, together with others, each connection for itself. `unanswered`: so
    many messages ago there came the first of many on one connection that it has answered none of, while it may have
    answered what came on others."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.most = self.stalled = self.unanswered = 0
        self.silent = 0  # messages that have arrived since it last sent one
        self.times: deque[int] = deque((0,), maxlen=TALK)  # of its last messages
        self.sent: deque[int] = deque(maxlen=_REMEMBERED)  # how many messages had been seen before each it sent

    def see(self, is_sent: bool, seen: int, time: int) -> None:
        """The next message of the node; `seen`: how many there were, with it; `time` in nanoseconds."""
        if not is_sent:
            self.silent += 1
            if self.silent > self.limits.settle:
                self.most = max(self.most, self.silent)
            return
        self.silent = 0
        self.sent.append(seen)
        if self.most:
            self.most -= 1
        if is_unusual(time - self.times[-1], self.times):
            self.stalled = self.limits.settle
        elif self.stalled:
            self.stalled -= 1
        self.times.append(time)

    def pay(self, late: int) -> None:
        """The node has sent an answer for the first time, so many messages after what it answers has arrived."""
        if late > self.limits.settle:
            self.most = max(self.most, late)
        else:  # it is not behind on this connection: soon, neither on others
            self.most = self.most * 3 // 4

    @property
    def window(self) -> int:
        """The messages that are kept: they begin before the node fell behind, if that is possible."""
        return self.limits.window + min(max(self.most, self.unanswered), MOST_KEPT)

    def is_within(self, confirmed: int, kept: int) -> bool:
        """Whether all that the node may not have looked at is within the last messages of which every schedule was
        tried."""
        is_all = self.most == 0 or (confirmed == kept and self.most <= MOST_KEPT)
        return is_all and self.unanswered <= confirmed

    def seen_before(self, count: int) -> int:
        """How many messages had been seen when the node had still to send the last so many; 0: it has not sent them."""
        return self.sent[-count] if len(self.sent) >= count else 0
