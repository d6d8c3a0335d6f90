"""Which of a node's connections were held up: silent for unusually long, as what the node sent on them did not come
through. Then it comes all at once, long after what the node has sent later on others."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from gristmill.watch.limits import Limits

STALLED = 500_000_000  # nanoseconds without a message where there is much to say else
TALK, _UNUSUAL = 9, 4  # how that is told: by the last messages, and as a multiple of the time between them
_MOST_KNOWN = 256  # connections that are remembered


def is_unusual(gap: int, times: Sequence[int]) -> bool:
    """So much time without a message, after these."""
    return gap > STALLED and len(times) == TALK and gap * (TALK - 1) > _UNUSUAL * (times[-1] - times[0])


@dataclass(slots=True)
class _Connection:
    times: deque[int]  # of the last messages
    sent: int  # by the node, on any connection, when the last one came
    held: int = 0  # so many messages may come that were held up


class Connections:
    """Those on which one node sends."""

    def __init__(self, limits: Limits) -> None:
        self._least = limits.settle
        self._known: dict[tuple[int, int], _Connection] = {}
        self._sent = 0

    def hear(self, channel: tuple[int, int], time: int) -> None:
        """The node has sent a message on it, which came at that time."""
        self._sent += 1
        known = self._known.get(channel)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[channel] = _Connection(deque((time,), maxlen=TALK), self._sent)
            return
        if is_unusual(time - known.times[-1], known.times):
            known.held = max(self._least, self._sent - known.sent)
        elif known.held:
            known.held -= 1
        known.times.append(time)
        known.sent = self._sent

    def is_held_up(self, channel: tuple[int, int]) -> bool:
        known = self._known.get(channel)
        return known is not None and known.held > 0

    def dump(self) -> array[int]:
        """As numbers: in the order of `native/runtime/driver/hearing.h`."""
        words = [self._sent, len(self._known)]
        for (connection, direction), each in self._known.items():
            words += [connection << 1 | direction, each.held, each.sent, len(each.times), *each.times]
        return array("Q", words)

    def load(self, words: Sequence[int]) -> None:
        take = iter(words)
        self._known.clear()
        self._sent = next(take)
        for _ in range(next(take)):
            channel, held, sent, count = islice(take, 4)
            times = deque(islice(take, count), maxlen=TALK)
            self._known[channel >> 1, channel & 1] = _Connection(times, sent, held)

    def is_new(self, channel: tuple[int, int]) -> bool:
        """Whether few messages have come on it."""
        known = self._known.get(channel)
        return known is None or len(known.times) < TALK
