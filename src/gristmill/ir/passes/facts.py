"""What passes ask of those who can evaluate: the IR itself knows no values."""

from __future__ import annotations

from typing import Protocol

from gristmill.ir.nodes import Expression
from gristmill.values import Value


class Facts(Protocol):
    def elements(self, node: Expression, most: int) -> tuple[Value, ...] | None:
        """Of a set that is the same in every state, in the order in which they are gone through.

        None if it is not, if it has more than `most`, or if it is some effort to find them.
        """

    def is_test(self, node: Expression) -> bool:
        """Whether a formula, in the place of an action, assigns nothing and can be satisfied in but one way."""

    def has_effects(self, node: Expression) -> bool:
        """Whether it can be seen how often something is evaluated: it prints, draws, keeps, reads files."""
