"""What names stand for while an action is evaluated on a partly known state, and what is known on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.nodes import Definition
from gristmill.watch.unknown.values import ANY, Part

_stamps = count()


class Later:
    """An argument or a LET value: an expression in its frame, evaluated when it is needed.

    It is evaluated again if what is known of the state has changed.
    """

    __slots__ = ("expression", "frame", "stamp", "value")

    def __init__(self, expression: nodes.Expression, frame: Frame) -> None:
        self.expression, self.frame = expression, frame
        self.stamp: int | None = None
        self.value: Part = None


class Chosen:
    """A parameter whose value is chosen from more than can be tried: what is known of it is known on a path."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Function:
    """An operator that was handed over: a definition with the frame around it, or one of the library."""

    meant: Definition | nodes.PrimitiveOperator
    around: Frame | None


class Frame:
    """Slots, and the frame around. It does not change: a name that is bound makes a new one."""

    __slots__ = ("parent", "slots")

    def __init__(self, slots: Mapping[int, Any], parent: Frame | None = None) -> None:
        self.slots, self.parent = slots, parent

    def up(self, depth: int) -> Frame:
        frame = self
        for _ in range(depth):
            assert frame.parent is not None
            frame = frame.parent
        return frame

    def bound(self, slots: Mapping[int, Any]) -> Frame:
        return Frame({**self.slots, **slots}, self.parent)


@dataclass(slots=True)
class Path:
    """One way through an action: the state as far as it is known, and the next one as far as it is said.

    `assumed`: something was taken to be so, because it may be. `stamp` changes with what is known of the state.
    """

    current: tuple[Part, ...]
    following: dict[int, Part] = field(default_factory=dict)
    sent: tuple[tuple[nodes.Expression | None, Frame, Part], ...] = ()  # as expressions, or as values
    gone: bool = False
    assumed: bool = False
    stamp: int = field(default_factory=lambda: next(_stamps))
    chosen: Mapping[Chosen, Part] = field(default_factory=dict)

    def copy(self) -> Path:
        return Path(self.current, dict(self.following), self.sent, self.gone, self.assumed, self.stamp, self.chosen)

    def choose(self, parameter: Chosen, value: Part) -> None:
        """What is known of a parameter now."""
        if self.chosen.get(parameter, ANY) != value:
            self.chosen = {**self.chosen, parameter: value}
            self.stamp = next(_stamps)

    def know(self, index: int, value: Part) -> None:
        """What is known of a variable now."""
        if value != self.current[index]:
            self.current = (*self.current[:index], value, *self.current[index + 1 :])
            self.stamp = next(_stamps)
