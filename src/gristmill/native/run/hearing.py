"""Messages of a process followed in native code, many in one call: `runtime/driver/hearing.h`."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from ctypes import c_uint32, c_uint64
from typing import NamedTuple

from gristmill.native.run.following import Follower
from gristmill.values import Value

ALL, UNKNOWN, REFUSED, UNUSUAL = range(4)  # why it has stopped
_OTHERS, _FOLLOWED, _REFUSED = 1, 2, 3  # what is known of a route
_INTEGER, _TRUTH, _SEQUENCE = range(3)
_ROOM = 2 + 256 * 13  # words: the most that connections take


class Element(NamedTuple):
    """The elements of a sequence: records with these fields, and what differs of them, by their places."""

    fields: tuple[str, ...]
    values: tuple[Value, ...]  # where one differs, anything
    differ: tuple[tuple[int, bool], ...]  # a place each, and whether it is a truth value


class Differs(NamedTuple):
    """A part of a record that is not the same in every message of a route."""

    place: int
    is_truth: bool = False
    element: Element | None = None  # it is a sequence of these


class Hearing:
    """Must be closed before its follower is."""

    def __init__(self, follower: Follower, settle: int) -> None:
        self.follower, self.taker, self._library = follower, follower.taker, follower.taker.library
        handle = self._library.gm_hearing_new(follower.handle, follower.taker.handle, settle)
        self._handle: int | None = handle
        self._followed, self._why = c_uint64(), c_uint32()
        self._followed_at, self._why_at = ctypes.byref(self._followed), ctypes.byref(self._why)

    def close(self) -> None:
        if self._handle is not None:
            self._library.gm_hearing_free(self._handle)
            self._handle = None

    def forget_routes(self) -> None:
        """Routes have other numbers from now on."""
        self._library.gm_hearing_forget(self._handle)

    def skip(self, route: int) -> None:
        """Its messages are none of this process's."""
        self._library.gm_hearing_route(self._handle, route, _OTHERS, None, 0, 0, b"", 0, b"", 0)

    def refuse(self, route: int) -> None:
        """Its messages are not followed here."""
        self._library.gm_hearing_route(self._handle, route, _REFUSED, None, 0, 0, b"", 0, b"", 0)

    def follow_on(
        self, route: int, plan: int, flags: int, channel: int, values: Sequence[Value], differ: Sequence[Differs]
    ) -> None:
        """`values`: of a record, in the order of its fields; the same in every message, but for what differs. Raises
        `NoNativeFormError`."""
        number = self.taker.number
        shape: list[int] = []
        for each in differ:
            shape += [each.place, _SEQUENCE if each.element is not None else int(each.is_truth)]
            if each.element is not None:
                fields, element, inside = each.element
                shape += [self.taker.domain(fields), len(element), *map(number, element), len(inside)]
                shape += [word for place, is_truth in inside for word in (place, int(is_truth))]
        places = {each.place for each in differ}
        parts = [1 if at in places else number(value) for at, value in enumerate(values)]
        words = array("I", parts).tobytes(), len(parts), array("I", shape).tobytes(), len(shape)
        self._library.gm_hearing_route(self._handle, route, _FOLLOWED, plan, flags, channel, *words)

    def follow(self, items: int, size: int, most: int) -> tuple[int, int, int]:
        """Of items in memory: the bytes of those that are done with, how many of them were the process's own, and why
        it has stopped there."""
        used = self._library.gm_hearing_follow(self._handle, items, size, most, self._followed_at, self._why_at)
        return used, self._followed.value, self._why.value

    def hear(self, channel: int, time: int) -> None:
        """The process has sent a message that does not come as an item."""
        self._library.gm_hearing_hear(self._handle, channel, time)

    def connections(self) -> array[int]:
        """Those on which the process sends, as numbers: in the order of `gm_hearing_dump`."""
        words = array("Q", bytes(8 * _ROOM))
        needed: int = self._library.gm_hearing_dump(self._handle, words.buffer_info()[0], _ROOM)
        assert needed <= _ROOM
        return words[:needed]

    def load(self, connections: array[int]) -> None:
        self._library.gm_hearing_load(self._handle, connections.tobytes())
