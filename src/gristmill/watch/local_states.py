"""Local states of one node, each there once: equal states are one object, so comparing them is comparing objects.

A state is the values of the local variables, or what native code makes of them. Which of the two it is, and which
native code, may change while it is held.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import overload

from gristmill.native.run.taking import Taker
from gristmill.values import Value

_LEAST = 1_024  # states, from which on those are looked for that are gone


class Local(Sequence[Value]):
    """The value of each local variable, as a function of the one node. Made by `LocalStates`."""

    __slots__ = ("__weakref__", "home", "packed", "plain")

    def __init__(self, home: LocalStates, plain: tuple[Value, ...] | None, packed: bytes = b"") -> None:
        self.home, self.plain, self.packed = home, plain, packed

    @property
    def values(self) -> tuple[Value, ...]:
        if self.plain is not None:
            return self.plain
        assert self.home.taker is not None
        return self.home.taker.values(self.packed)

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Value, ...]: ...
    def __getitem__(self, index: int | slice) -> Value | tuple[Value, ...]:
        return self.values[index]

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Local{self.values!r}"

    # Sequences compare by what is in them; these are the same object if that is the same.
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class LocalStates:
    """Those that somebody holds. `taker`: the native code that they are packed for, if they are."""

    def __init__(self) -> None:
        self.taker: Taker | None = None
        # As `WeakValueDictionary`, but that what is gone is looked for now and then, and not each time.
        self._known: dict[bytes | tuple[Value, ...], weakref.ref[Local]] = {}
        self._most = _LEAST

    def of(self, values: Sequence[Value]) -> Local:
        """Raises `MisfitError`, `NoNativeFormError` if they cannot be packed."""
        if isinstance(values, Local) and values.home is self:
            return values
        plain = tuple(values)
        if self.taker is not None:
            return self.packed(self.taker.pack(plain))
        reference = self._known.get(plain)
        found = None if reference is None else reference()
        return self._add(plain, Local(self, plain)) if found is None else found

    def packed(self, packed: bytes) -> Local:
        reference = self._known.get(packed)
        found = None if reference is None else reference()
        return self._add(packed, Local(self, None, packed)) if found is None else found

    def _add(self, key: bytes | tuple[Value, ...], local: Local) -> Local:
        if len(self._known) >= self._most:
            self._known = {each: reference for each, reference in self._known.items() if reference() is not None}
            self._most = max(_LEAST, 2 * len(self._known))
        self._known[key] = weakref.ref(local)
        return local

    def _held(self) -> list[Local]:
        return [local for reference in self._known.values() if (local := reference()) is not None]

    def move_to(self, taker: Taker) -> None:
        """From now on, states are packed for this one. If one of them cannot be packed, nothing is changed."""
        before, held = self.taker, self._held()
        if before is None:
            found = [(taker.pack(each.values), each) for each in held]
        else:
            found = [(taker.pack_from(before, each.packed), each) for each in held]
        self._known.clear()
        for packed, each in found:
            each.plain, each.packed = None, packed
            self._known[packed] = weakref.ref(each)
        self.taker = taker

    def unpack(self) -> None:
        """From now on, states are values."""
        found = [(each.values, each) for each in self._held()]
        self._known.clear()
        for plain, each in found:
            each.plain, each.packed = plain, b""
            self._known[plain] = weakref.ref(each)
        if self.taker is not None:
            self.taker.close()
            self.taker = None
