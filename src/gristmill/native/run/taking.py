"""Actions taken one at a time by native code, on a part of the variables: for those who follow one process of a model.

The values of these variables are numbers of kept values, a word each: equal states have equal bytes. Kept values stay
until the end of an engine, so whoever goes on for long must move to a new one now and then (`heap_bytes`, `pack_from`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_uint32
from struct import Struct
from typing import TypeAlias

from gristmill.native.codec import encode
from gristmill.native.errors import NoNativeFormError
from gristmill.native.run.engine import Engine, FullError, MisfitError
from gristmill.native.run.numbers import Numbers
from gristmill.values import Value

Step: TypeAlias = tuple[bytes, bool, tuple[int, ...]]  # a state, whether the message is gone, numbers of other messages

_WORD = Struct("<I").size


class Taker:
    """`usual`: a state whose values the variables have that are not handed over. `places`: those that are. `sent`: the
    variable that holds messages; `given`: the first of those that hold parameters.

    Every variable must be one slot of four bytes. The engine is closed with this. For one thread, with the world of the
    model active. Raises `NoNativeFormError` if a value has no native form.
    """

    def __init__(self, engine: Engine, usual: Sequence[Value], places: Sequence[int], sent: int, given: int) -> None:
        self.engine, self.library, self.usual, self.places = engine, engine.library, tuple(usual), tuple(places)
        assert engine.words == engine.slots == len(engine.generated.layouts), "every variable is one slot"
        numbers = Numbers(engine)
        self.number, self.record, self.value = numbers.number, numbers.record, numbers.value
        self.domain, self.parts = numbers.domain, numbers.parts
        self._make_room(1_024)
        words, chosen = self._words(self.usual), Struct(f"<{len(self.places)}I").pack(*self.places)
        taker = self.library.gm_taker_new(engine.handle, words, chosen, len(self.places), sent, given)
        self._taker: int | None = taker
        self._take, self._follow = self.library.gm_take, self.library.gm_plan_take

    def close(self) -> None:
        if self._taker is not None:
            self.library.gm_taker_free(self._taker)
            self._taker = None
            self.engine.close()

    def _make_room(self, words: int) -> None:
        self._out = (c_uint32 * words)()
        self._bytes = memoryview(self._out).cast("B")
        self._read = memoryview(self._out).cast("B").cast("I")
        self._address = ctypes.addressof(self._out)

    @property
    def handle(self) -> int:
        assert self._taker is not None
        return self._taker

    @property
    def heap_bytes(self) -> int:
        return self.engine.heap_bytes

    # ------------------------------------------------------------------------------------------------------- states

    def pack(self, values: Sequence[Value]) -> bytes:
        """The values of the variables that are handed over. Raises `MisfitError`, `NoNativeFormError`."""
        state = list(self.usual)
        for place, value in zip(self.places, values, strict=True):
            state[place] = value
        return self._chosen(self._words(state))

    def _words(self, state: Sequence[Value]) -> bytes:
        try:
            return bytes(self.engine.encoded(tuple(state)))
        except MisfitError:
            self.engine.misfits.clear()
            raise
        except FullError:
            raise NoNativeFormError("there is no more room for values") from None

    def _chosen(self, words: bytes) -> bytes:
        return b"".join([words[_WORD * place : _WORD * (place + 1)] for place in self.places])

    def values(self, packed: bytes) -> tuple[Value, ...]:
        state = self.engine.state(self._whole(packed))
        return tuple(state[place] for place in self.places)

    def _whole(self, packed: bytes) -> ctypes.Array[c_uint32]:
        words = list(Struct(f"<{self.engine.words}I").unpack(self._words(self.usual)))
        for place, word in zip(self.places, Struct(f"<{len(self.places)}I").unpack(packed), strict=True):
            words[place] = word
        return (c_uint32 * max(1, len(words)))(*words)

    def pack_from(self, other: Taker, packed: bytes) -> bytes:
        """What another one, of the same model, has packed."""
        parts = other.engine.encoded_parts(other._whole(packed), self.places)
        every = [encode(value) for value in self.usual]
        for place, data in zip(self.places, parts, strict=True):
            every[place] = data
        return self._chosen(bytes(self.engine.encoded_bytes(b"".join(every))))

    # -------------------------------------------------------------------------------------------------------- steps

    def take(self, branch: int, packed: bytes, arrived: int, given: bytes) -> list[Step] | None:
        """The steps by an action. `arrived`: the number of the message that there is, or 0; `given`: the numbers of
        parameters. None if the reference evaluator must be asked."""
        count, room = len(given) // _WORD, len(self._out)
        needed = self._take(self._taker, branch, packed, arrived, given, count, self._address, room)
        if needed <= 0:
            return None if needed else []
        if needed > room:
            self._make_room(2 * needed)
            return self.take(branch, packed, arrived, given)
        return self._steps(0, needed)

    def plan(
        self, ways: Sequence[tuple[int, Sequence[int]]], first: int, fields: tuple[Value, ...], arrives: bool
    ) -> int:
        """What is done with records that have these fields: the actions that may consume one, if it `arrives`, or else
        send it, each with where the numbers of its parameters come from: 0 is `first`, 1 the record, 2 and more its
        values. It can be followed until this is closed. Raises `NoNativeFormError`."""
        words = [word for branch, sources in ways for word in (branch, len(sources), *sources)]
        packed = Struct(f"<{len(words)}I").pack(*words)
        plan: int = self.library.gm_plan_new(
            self._taker, packed, len(words), first, self.domain(fields), len(fields), arrives
        )
        return plan

    def follow(self, plan: int, packed: bytes, parts: bytes) -> tuple[int, list[Step]] | None:
        """The number of the record that has these parts (see `parts`), and the steps by all actions of the plan; where
        it is sent, those by which it is. None if the reference evaluator must be asked."""
        room = len(self._out)
        needed = self._follow(plan, packed, parts, self._address, room)
        if needed < 0:
            return None
        if needed > room:
            self._make_room(2 * needed)
            return self.follow(plan, packed, parts)
        return self._read[0], self._steps(1, needed) if needed > 1 else []

    def _steps(self, at: int, needed: int) -> list[Step]:
        found, read, states = [], self._read, len(self.places)
        while at < needed:
            end = at + states
            sent = end + 2
            after = sent + read[end + 1]
            found.append((self._bytes[4 * at : 4 * end].tobytes(), read[end] != 0, tuple(read[sent:after])))
            at = after
        return found
