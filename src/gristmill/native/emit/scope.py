"""Where the slots of a frame are in the C function being written.

A frame is an array of values: the address of the frame of the code around it, then the slots of the definition. In
actions, definitions are written out where they are called: their frames are parts of the action's own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from gristmill.ir.nodes import Argument, Call, FunctionLiteral, Variable
from gristmill.native.plan.constant_values import identity
from gristmill.native.plan.layout import Layout
from gristmill.values import Value

Offset = int | str  # of slots: a number, or a C expression


def plus(offset: Offset, slots: int) -> Offset:
    if isinstance(offset, int):
        return offset + slots
    return f"{offset} + {slots}" if slots else offset


@dataclass(frozen=True)
class Place:
    """Slots of a state: `array` is `w->current` or `w->next`."""

    array: str
    offset: Offset
    layout: Layout

    @property
    def address(self) -> str:
        return f"{self.array} + {self.offset}"


@dataclass(frozen=True)
class Known:
    """What is known of a slot: a value, or an expression that means the same in all code of a state."""

    value: Value | None
    expression: Variable | Call | None = None

    def key(self) -> Hashable:
        match self.expression:
            case Variable(index):
                return ("variable", index)
            case Call(definition):
                return ("definition", id(definition))
        assert self.value is not None  # one of the two is known
        return identity(self.value)


def key_of(known: Mapping[int, Known]) -> Hashable:
    return tuple((slot, each.key()) for slot, each in sorted(known.items()))


@dataclass
class Scope:
    """`base` is the C expression for the frame's address; None if it must be reached through the frame inside it.

    `lazy`: slots that may hold a thunk; `lambdas`: those that may hold a function which is not listed; `arguments`:
    of a definition that is written out, what stands for its parameters; `changing`: slots whose value depends on what
    an action may still assign; `ordered`: slots of which it matters when they are evaluated first; `steady`: those of
    LET that are the same in every state, whenever they are evaluated; `nesting`: definitions written out inside one
    another; `functions`: of LET, by slot; `known`: slots of whose content something is known while the code is
    written; `elements`: slots that hold an element of a constant set. Code that binds a slot records it there;
    `places`: slots that stand for a set in slots of the state, which is not put there: only code that looks for it in
    bits may read them.
    """

    base: str | None
    size: int
    lazy: frozenset[int]
    parent: Scope | None = None
    arguments: dict[int, tuple[Argument, Scope]] = field(default_factory=dict)
    lambdas: set[int] = field(default_factory=set)
    changing: set[int] = field(default_factory=set)
    ordered: set[int] = field(default_factory=set)
    steady: set[int] = field(default_factory=set)
    nesting: int = 0
    functions: dict[int, FunctionLiteral] = field(default_factory=dict)
    known: dict[int, Known] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)
    elements: dict[int, frozenset[Value]] = field(default_factory=dict)

    def forget(self, slots: Iterable[int]) -> None:
        """Slots are bound to something that only running tells."""
        for slot in slots:
            self.known.pop(slot, None)
            self.elements.pop(slot, None)

    def everything_known(self) -> Hashable:
        """What is known here and around, to tell one place from another."""
        around = () if self.parent is None else self.parent.everything_known()
        return (key_of(self.known), frozenset(self.elements.items()), self.lazy, around)

    def content(self, slot: int) -> Hashable:
        """What is known of a slot, as far as it matters for those who read it."""
        known = self.known.get(slot)
        is_late = (slot in self.lazy, slot in self.lambdas, slot in self.changing)
        return (*is_late, self.elements.get(slot), None if known is None else known.key())

    def up(self, depth: int) -> Scope:
        scope = self
        for _ in range(depth):
            assert scope.parent is not None
            scope = scope.parent
        return scope

    def frame(self, depth: int = 0) -> str:
        """The address of an enclosing frame."""
        scope, text = self, self.base
        for _ in range(depth):
            assert scope.parent is not None
            scope = scope.parent
            text = scope.base if scope.base is not None else f"GM_UP({text})"
        assert text is not None
        return text

    def slot(self, slot: int, depth: int = 0) -> str:
        return f"({self.frame(depth)})[{slot + 1}]"

    def elsewhere(self) -> Scope:
        """The same frame in another C function, whose parameter `f` it is."""
        parent = None if self.parent is None else self.parent._unreachable()
        return replace(self, base="f", parent=parent)

    def _unreachable(self) -> Scope:
        parent = None if self.parent is None else self.parent._unreachable()
        return replace(self, base=None, parent=parent)
