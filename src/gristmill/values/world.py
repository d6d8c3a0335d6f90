"""What the values of one run share: the order of its strings and model values, and everything that follows from it.

TLC numbers every string when it first meets it and sorts by that number. Which element CHOOSE takes, the order of
states and the order of the fields of a record all follow from it, so the numbers are part of the meaning of a run: what
it meets must be registered in TLC's order, the configuration file first and then the text of the modules. A string
was not registered gets the next number when it is first compared.

Values are plain Python objects and do not know their run. So, as `decimal` does with its context, a run makes its world
the current one (a context variable: threads and tasks have their own) while it computes:

    world = World()
    with world.active():
        ordered(frozenset({"b", "a"}))

Outside of that nothing that depends on the order works: `current` raises, rather than to guess an order. A generator
must not yield inside of `active`, or its world would become the consumer's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gristmill.values.atoms import Value
    from gristmill.values.shape import Shape


class _Positions(dict[str, int]):
    def __missing__(self, name: str) -> int:
        position = self[name] = len(self)
        return position


class World:
    """Positions of names, and caches of what depends on them.

    - `positions`: of each string or model value, by first appearance; looking one up registers it.
    - `orders`: elements of sets in canonical order. `shapes`: of the elements of sets (see `values.shape`), and
      `comparable`: which of these can be compared.
    - `suspected`: some value was built with something in it that TLC refuses to sort or to keep in a state: an infinite
      set, or a set whose elements cannot be compared with one another. Hardly any specification does, and looking into
      every value for it is dear. The constructors raise the suspicion, and only then does anybody look.
    """

    __slots__ = ("_names", "comparable", "orders", "positions", "shapes", "suspected")

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.positions = _Positions()
        self.orders: dict[frozenset[Value], tuple[Value, ...]] = {}
        self.shapes: dict[frozenset[Value], frozenset[Shape]] = {}
        self.comparable: dict[Hashable, bool] = {}
        self.suspected = False
        self._names: list[str] = []
        self.register_all(names)

    def __reduce__(self) -> tuple[object, ...]:
        return World, (tuple(self.positions),)  # caches fill themselves

    def register(self, name: str) -> int:
        """The position of a name; the next free one if it has none."""
        return self.positions[name]

    def register_all(self, names: Iterable[str]) -> None:
        for name in names:
            self.positions[name]

    def name_at(self, position: int) -> str:
        if position >= len(self._names):
            self._names[:] = self.positions  # a dict: in the order in which they were registered
        return self._names[position]

    def active(self) -> Active:
        """`with` it, this is the current world of the calling thread or task."""
        return Active(self)


class Active:
    __slots__ = ("_token", "_world")

    def __init__(self, world: World) -> None:
        self._world = world

    def __enter__(self) -> World:
        self._token = _CURRENT.set(self._world)
        return self._world

    def __exit__(self, *exception: object) -> None:
        _CURRENT.reset(self._token)


class NoWorldError(RuntimeError):
    """Something that depends on the order of strings was asked for outside of a run: a mistake of the program."""

    def __init__(self) -> None:
        super().__init__("no run is active here: the order of strings and model values belongs to one (World.active)")


_CURRENT: ContextVar[World] = ContextVar("gristmill-world")


def current() -> World:
    """The world of the run that is active. Raises `NoWorldError` if none is."""
    try:
        return _CURRENT.get()
    except LookupError:
        raise NoWorldError from None


def current_or_new() -> World:
    """For what keeps values to show them later; also of models that are not specifications."""
    return _CURRENT.get(None) or World()


def suspect() -> None:
    current().suspected = True


def suspected() -> bool:
    return current().suspected
