"""Actions with a next state of their own: that of ENABLED, and the one between two composed actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gristmill.evaluate.compiler import Compiler, Continuation
from gristmill.evaluate.context import UNASSIGNED
from gristmill.evaluate.frames import ActionCode, Frame, TestCode
from gristmill.ir.nodes import Cdot, Enabled
from gristmill.values import EvaluationError, Value

# --- ENABLED ---------------------------------------------------------------------------------------------------------


class _Found(Exception):
    """A successor: the action is enabled."""


def _report(frame: Frame) -> None:
    raise _Found


_FOUND = Continuation(_report, lambda frame: True, _report)


def _enabled(compiler: Compiler, node: Enabled) -> TestCode:
    act = compiler.for_next().action(node.action, _FOUND)
    context = compiler.context
    following, blank, reads = context.next, context.blank, context.reads

    def test(frame: Frame, _node: Enabled = node) -> bool:
        before, count = following[:], reads[0]
        following[:] = (*blank, *context.own)
        context.enabling += 1
        try:
            act(frame)
        except _Found:
            return True
        finally:
            context.enabling -= 1
            following[:] = before
            reads[0] = count
        return False

    return test


# --- A \cdot B -------------------------------------------------------------------------------------------------------


def _intermediate_states(compiler: Compiler, node: Cdot) -> Callable[[Frame], list[list[Value]]]:
    found: list[list[Value]] = []
    context = compiler.context

    def keep(frame: Frame) -> None:
        for name, value in zip(context.variable_names, context.next, strict=True):
            if value is UNASSIGNED:
                raise EvaluationError("unassigned-variable", f"the first action of \\cdot leaves {name}' unassigned")
        found.append(context.next[:])

    act = compiler.action(node.first, Continuation(keep, lambda frame: True, keep))

    def states(frame: Frame, _node: Cdot = node) -> list[list[Value]]:
        before = context.next[:]
        context.next[:] = context.blank
        found.clear()
        try:
            act(frame)
        finally:
            context.next[:] = before
        return found[:]

    return states


def _compose(compiler: Compiler, node: Cdot, then: Continuation) -> ActionCode:
    """From each state that the first action leads to, the second one; what remains is again about this state."""
    states, context, current = _intermediate_states(compiler, node), compiler.context, compiler.context.current
    here: list[list[Value]] = []  # the states of this kind we are in, innermost last

    def returning(use: Callable[[Frame], Any]) -> Callable[[Frame], Any]:
        def go_on(frame: Frame) -> Any:
            intermediate, origin = current[:], here.pop()
            current[:] = origin
            try:
                return use(frame)
            finally:
                here.append(origin)
                current[:] = intermediate

        return go_on

    second = compiler.action(
        node.second, Continuation(returning(then.proceed), returning(then.test), returning(then.finish))
    )

    def act(frame: Frame, _node: Cdot = node) -> None:
        origin, found = current[:], states(frame)
        context.intermediate += len(found)
        for state in found:
            current[:] = state
            here.append(origin)
            try:
                second(frame)
            finally:
                here.pop()
                current[:] = origin

    return act


def _compose_test(compiler: Compiler, node: Cdot) -> TestCode:
    states, current = _intermediate_states(compiler, node), compiler.context.current
    second = compiler.test(node.second)

    def test(frame: Frame, _node: Cdot = node) -> bool:
        origin = current[:]
        try:
            for state in states(frame):
                current[:] = state
                if second(frame):
                    return True
                current[:] = origin
        finally:
            current[:] = origin
        return False

    return test


Compiler.actions[Cdot] = _compose
Compiler.tests.update({Enabled: _enabled, Cdot: _compose_test})
