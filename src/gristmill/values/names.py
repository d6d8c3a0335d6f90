"""The order of strings and model values: that of their first appearance.

TLC numbers every string when it first meets it and sorts by that number. Which element CHOOSE takes, the order of
states and the order of the fields of a record all follow from it, so the number is part of the meaning of a run: what
it meets must be registered in TLC's order, the configuration file first and then the text of the modules. A string
nobody registered gets the next number when it is first compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


class _Positions(dict[str, int]):
    def __missing__(self, name: str) -> int:
        position = self[name] = len(self)
        return position


class Interner:
    """Positions of names. `positions` stays the same object for ever, so that its lookup can be held on to."""

    __slots__ = ("_forget", "positions")

    def __init__(self) -> None:
        self.positions = _Positions()
        self._forget: list[Callable[[], None]] = []

    def register(self, name: str) -> int:
        """The position of a name; the next free one if it has none."""
        return self.positions[name]

    def register_all(self, names: Iterable[str]) -> None:
        for name in names:
            self.positions[name]  # looking a name up registers it

    def reset(self) -> None:
        """Begin another run. Functions and sets made before must not be used with those made after."""
        self.positions.clear()
        for forget in self._forget:
            forget()

    def on_reset(self, forget: Callable[[], None]) -> None:
        """Call `forget` at every reset: for caches of anything that depends on the order."""
        self._forget.append(forget)


NAMES = Interner()
