"""What has arrived for a node and may still be looked at: as it is now, and as it was before each message that is kept.

A node that is behind has thousands of messages before it, and as many are kept: a copy for each of them would take a
gigabyte. So all share one chain of what has arrived, of which each is a part. Who is asked lists it, and the newest one
takes that list over from the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.values import Value


class Arrivals(Mapping[Value, int]):
    """Records, with the numbers of the messages that they came in; those that came last are last. Never changed."""

    __slots__ = ("_before", "_last", "_listed", "_size")

    def __init__(self, before: list[Any] | None = None, last: list[Any] | None = None) -> None:
        # A link of the chain: a record, its number, and the link behind it. `_before` is in front of the first one.
        self._before: list[Any] = [None, 0, None] if before is None else before
        self._last: list[Any] = self._before if last is None else last
        self._listed: dict[Value, int] | None = None
        self._size = 0

    def __getitem__(self, record: Value) -> int:
        return self._list()[record]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._list())

    def __len__(self) -> int:
        return self._size

    def with_arrived(self, record: Value, number: int, most: int) -> Arrivals:
        """The same and this one, in the place of an equal one before, without the oldest if it is one too many."""
        listed = self._list()
        if self._last[2] is not None:  # somebody else has gone on from here
            found = Arrivals()
            for each in listed.items():
                found = found._grown(*each)
            listed = dict(listed)
        else:
            found, self._listed = self, None
        found = found._grown(record, number)
        listed.pop(record, None)
        listed[record] = number
        if len(listed) > most:
            oldest = next(iter(listed))
            gone, found._before = (oldest, listed.pop(oldest)), found._before[2]
            while (found._before[0], found._before[1]) != gone:  # in front of it are those that came again
                found._before = found._before[2]
        found._listed, found._size = listed, len(listed)
        return found

    def _grown(self, record: Value, number: int) -> Arrivals:
        link = self._last[2] = [record, number, None]
        return Arrivals(self._before, link)

    def _list(self) -> dict[Value, int]:
        if self._listed is None:
            found: dict[Value, int] = {}
            link = self._before
            while link is not self._last:
                link = link[2]
                found.pop(link[0], None)
                found[link[0]] = link[1]
            self._listed = found
        return self._listed


def arrivals(of: Mapping[Value, int]) -> Arrivals:
    found = Arrivals()
    for record, number in of.items():
        found = found.with_arrived(record, number, len(of))
    return found
