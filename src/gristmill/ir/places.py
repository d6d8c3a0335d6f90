"""Places in a state: a variable, or a part of one: `votedFor[i]`, `msgs[i][j]`, `log[n].term`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from gristmill.source.quick_dataclass import dataclass
from gristmill.values import show


@dataclass(frozen=True, slots=True)
class Symbol:
    """What an action binds, or a field of that: the same value wherever it stands in one action.

    `number` tells apart what happens to have the same name; two actions share no symbols.
    """

    number: int
    name: str
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.name, *self.fields))


@dataclass(frozen=True, slots=True)
class Constant:
    """An argument that is the same in every state."""

    value: Any

    def __str__(self) -> str:
        return show(self.value)


@dataclass(frozen=True, slots=True)
class Anything:
    """An argument that is computed, or bound inside of an expression."""

    def __str__(self) -> str:
        return "*"


@dataclass(frozen=True, slots=True)
class Slice:
    """Not one argument: the messages of a collection whose tag has this value."""

    tag: Any

    def __str__(self) -> str:
        return show(self.tag)


ANYTHING = Anything()
Key: TypeAlias = Symbol | Constant | Anything | Slice


@dataclass(frozen=True, slots=True)
class Place:
    """The part of variable number `variable` that these arguments lead to, one after the other; all of it if none."""

    variable: int
    path: tuple[Key, ...] = ()

    def at(self, key: Key) -> Place:
        return Place(self.variable, (*self.path, key))

    def may_touch(self, other: Place) -> bool:
        """Whether one may be a part of the other, or they may be the same, in some state and for some parameters."""
        return self.variable == other.variable and all(map(_may_equal, self.path, other.path))

    def covers(self, other: Place) -> bool:
        """Whether the other is certainly this place or a part of it. Symbols must be those of one action."""
        return (
            self.variable == other.variable
            and len(self.path) <= len(other.path)
            and all(a in (b, ANYTHING) for a, b in zip(self.path, other.path, strict=False))
        )

    def text(self, variables: tuple[str, ...]) -> str:
        """`log[n].term`. A world must be active, if an argument is a constant."""
        return variables[self.variable] + "".join(map(_step_text, self.path))


def _may_equal(a: Key, b: Key) -> bool:
    if isinstance(a, Slice) and isinstance(b, Slice):
        return bool(a.tag == b.tag)
    return not (isinstance(a, Constant) and isinstance(b, Constant)) or a.value == b.value


def _step_text(key: Key) -> str:
    if isinstance(key, Constant) and isinstance(key.value, str) and key.value.isidentifier():
        return f".{key.value}"
    if isinstance(key, Slice):
        return f".{key.tag if isinstance(key.tag, str) else key}"
    return f"[{key}]"


def without_covered(places: Iterable[Place]) -> frozenset[Place]:
    """Places of which none is certainly a part of another."""
    found = frozenset(places)
    return frozenset(each for each in found if not any(other.covers(each) for other in found if other != each))
