"""A process of a model followed by its messages in native code: `runtime/driver/following.h`."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from struct import Struct

from gristmill.native.run.taking import Taker

SENT, WAITS, MERGES = 1, 2, 4

_SEEN = Struct("<4Q").pack
_HEAD = 10  # numbers of `gm_followed`


class Follower:
    """Must be closed before its taker is. `kind`, `target`: the fields that tell kinds of messages apart, and the
    receiver. Raises `NoNativeFormError`."""

    def __init__(self, taker: Taker, settle: int, kind: str, target: str) -> None:
        self.taker, self.states = taker, len(taker.places)
        library = taker.library
        self._library, self._see = library, library.gm_follower_see
        self._handle: int | None = library.gm_follower_new(
            taker.handle, settle, taker.number(kind), taker.number(target)
        )

    @property
    def handle(self) -> int:
        assert self._handle is not None
        return self._handle

    def close(self) -> None:
        if self._handle is not None:
            self._library.gm_follower_free(self._handle)
            self._handle = None

    def see(self, plan: int, parts: bytes, number: int, time: int, channel: int, flags: int) -> bool:
        """The next message. False if it is not usual: then nothing must be asked of this any more."""
        found: bool = self._see(self._handle, plan, parts, _SEEN(number, time, channel, flags))
        return found

    def dump(self) -> array[int]:
        """All of it, as numbers: in the order of `gm_follower_dump`."""
        return self._written(4_096)

    def head(self) -> Sequence[int]:
        """What is counted, in the order of `gm_followed`."""
        return self._written(_HEAD)[:_HEAD]

    def _written(self, room: int) -> array[int]:
        words = array("Q", bytes(8 * room))
        needed: int = self._library.gm_follower_dump(self._handle, words.buffer_info()[0], room)
        if needed > room and room > _HEAD:
            return self._written(needed)
        return words[:needed]

    def load(self, words: array[int]) -> None:
        self._library.gm_follower_load(self._handle, words.tobytes())
