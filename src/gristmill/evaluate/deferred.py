"""Expressions to be evaluated later, or not at all: arguments and LET values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gristmill.evaluate.frames import ActionCode, Frame, ValueCode
from gristmill.ir.nodes import Expression
from gristmill.values import Value

if TYPE_CHECKING:
    from gristmill.evaluate.compiler import Compiler

# The variable an expression stands for, if it is to be assigned: known at once, or when the frame is.
Target = int | Callable[[Frame], int | None] | None


class Deferred:
    """Compiled for each use, when it is first put to it: `value`, `applied` and `action` then replace themselves."""

    __slots__ = ("_target", "action", "applied", "compiler", "node", "reads", "scope", "value")

    value: ValueCode
    applied: ValueCode
    action: ActionCode

    def __init__(self, compiler: Compiler, node: Expression) -> None:
        self.compiler = compiler
        self.node = node
        self.reads = compiler.context.reads
        self.scope = compiler.scope
        self._target: tuple[Target] | None = None
        self.value = self._first_value
        self.applied = self._first_applied
        self.action = self._first_action

    def _first_value(self, frame: Frame) -> Value:
        with self.compiler.inside(self.scope):
            self.value = self.compiler.value(self.node)
        return self.value(frame)

    def _first_applied(self, frame: Frame) -> Value:
        with self.compiler.inside(self.scope):
            self.applied = self.compiler.applied(self.node)
        return self.applied(frame)

    def _first_action(self, frame: Frame) -> None:
        """Solve it as an action in a frame of its own that says where to go on."""
        with self.compiler.inside(self.scope):
            self.action = self.compiler.action(self.node, self.compiler.back)
        self.action(frame)

    def target(self, frame: Frame) -> int | None:
        """The number of the variable to assign that this expression is, if it is one."""
        if self._target is None:
            with self.compiler.inside(self.scope):
                self._target = (self.compiler.target(self.node),)
        found = self._target[0]
        return found(frame) if callable(found) else found
