"""What passes ask of those who can evaluate: the IR itself knows no values."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Protocol

from gristmill.ir.nodes import Call, Expression
from gristmill.values import Value


class Facts(Protocol):
    def elements(self, node: Expression, most: int) -> tuple[Value, ...] | None:
        """Of a set that is the same in every state, in the order in which they are gone through.

        None if it is not, if it has more than `most`, or if it is some effort to find them.
        """

    def is_test(self, node: Expression, initial: bool = False) -> bool:
        """Whether a formula, in the place of an action, assigns nothing and can be satisfied in but one way.

        `initial`: in the initial predicate, where variables are assigned that are not primed.
        """

    def has_effects(self, node: Expression) -> bool:
        """Whether it can be seen how often something is evaluated: it prints, draws, keeps, reads files."""


class NativeFacts(Facts, Protocol):
    """What the passes for native code ask besides."""

    def value(self, node: Expression) -> Value | None:
        """Of an expression that is the same in every state and every frame.

        None if it is not, if evaluating it fails, or if native code had better find it.
        """

    def identity(self, value: Value) -> Hashable:
        """The same for the same value; tells values apart also where they cannot be compared."""

    def is_remembered(self, node: Call) -> bool:
        """Whether native code evaluates a call once for each state, wherever it stands."""

    def mentions(self, node: Expression, slots: Collection[int]) -> bool:
        """Whether it may read one of some slots of its frame."""

    def is_of_this_state(self, node: Expression) -> bool:
        """Whether it depends on nothing but this state and its frame: not on next values, nor on effects."""
