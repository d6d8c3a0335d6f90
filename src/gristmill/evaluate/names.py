"""Literals, variables and what stands in slots; and what is put there."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, NoReturn

from gristmill.evaluate.compiler import Compiler, Continuation, keeping
from gristmill.evaluate.context import UNASSIGNED, Unassigned
from gristmill.evaluate.deferred import Deferred, Target
from gristmill.evaluate.errors import no_initial_value, no_next_value, not_boolean
from gristmill.evaluate.frames import (
    PARENT,
    PENDING,
    RETURN,
    UNFINISHED,
    ActionCode,
    Frame,
    TestCode,
    Thunk,
    ValueCode,
    finish,
    finish_applied,
)
from gristmill.ir.nodes import Expression, Let, Literal, Local, Variable
from gristmill.values import FALSE, TRUE, Value


def _literal(compiler: Compiler, node: Literal) -> ValueCode:
    value = node.value
    return lambda frame: value


def _literal_test(compiler: Compiler, node: Literal) -> TestCode:
    value = node.value
    if value is TRUE or value is FALSE:
        truth = bool(value)
        return lambda frame: truth

    def test(frame: Frame, _node: Expression = node) -> bool:
        not_boolean(value)

    return test


# --- variables -------------------------------------------------------------------------------------------------------


def _variable(compiler: Compiler, node: Variable) -> ValueCode:
    if node.primed:
        compiler.context.reserve(node.index)
        return _volatile(compiler, node, compiler.context.next, no_next_value)
    if not compiler.settled:
        return _volatile(compiler, node, compiler.context.current, no_initial_value)
    index, current = node.index, compiler.context.current
    return lambda frame: current[index]


def _volatile(
    compiler: Compiler, node: Variable, state: list[Value | Unassigned], missing: Callable[[str], NoReturn]
) -> ValueCode:
    """A variable whose value may still change while what depends on it is kept."""
    index, reads = node.index, compiler.context.reads

    def read(frame: Frame, _node: Variable = node) -> Value:
        value = state[index]
        if value is UNASSIGNED:
            missing(_node.name)
        reads[0] += 1
        return value

    return read


def _variable_target(compiler: Compiler, node: Variable) -> Target:
    compiler.context.reserve(node.index)
    return node.index if node.primed is not compiler.initial else None


# --- slots -----------------------------------------------------------------------------------------------------------


def content(depth: int, slot: int) -> Callable[[Frame], Any]:
    """What stands in a slot, evaluated or not."""
    if depth == 0:
        return itemgetter(slot)
    if depth == 1:
        return lambda frame: frame[PARENT][slot]
    enclosing = enclosing_frame(depth)
    return lambda frame: enclosing(frame)[slot]


def enclosing_frame(depth: int) -> Callable[[Frame], Frame]:
    """The frame of the `depth`-th definition around."""
    if depth == 0:
        return lambda frame: frame
    if depth == 1:
        return itemgetter(PARENT)

    def enclosing(frame: Frame) -> Frame:
        for _ in range(depth):
            frame = frame[PARENT]
        return frame

    return enclosing


def _local(compiler: Compiler, node: Local) -> ValueCode:
    slot = node.slot
    if node.depth == 0 and slot not in compiler.scope:
        return itemgetter(slot)
    if node.depth == 0:

        def local(frame: Frame) -> Value:
            value = frame[slot]
            return finish(value) if type(value) in UNFINISHED else value

        return local
    read = content(node.depth, slot)

    def outer(frame: Frame) -> Value:
        value = read(frame)
        return finish(value) if type(value) in UNFINISHED else value

    return outer


def _local_applied(compiler: Compiler, node: Local) -> ValueCode:
    if node.depth == 0 and node.slot not in compiler.scope:
        return itemgetter(node.slot)
    read = content(node.depth, node.slot)

    def local(frame: Frame) -> Value:
        value = read(frame)
        return finish_applied(value) if type(value) is Thunk else value

    return local


def _local_action(compiler: Compiler, node: Local, then: Continuation) -> ActionCode:
    """An argument in the place of an action is solved like one, in its own frame.

    In a copy of it: it may be solved again while this solution is being completed.
    """
    read, proceed = content(node.depth, node.slot), then.proceed

    def act(frame: Frame, _node: Local = node) -> None:
        value = read(frame)
        if type(value) is Thunk:
            if value.value is PENDING:
                own = value.frame[:]
                own[RETURN] = (then, frame)
                value.code.action(own)
                return
            value = value.value
        if value is TRUE:
            proceed(frame)
        elif value is not FALSE:
            not_boolean(value)

    return act


def _local_target(compiler: Compiler, node: Local) -> Target:
    read = content(node.depth, node.slot)

    def target(frame: Frame) -> int | None:
        value = read(frame)
        return value.code.target(value.frame) if type(value) is Thunk else None

    return target


# --- what is put into slots ------------------------------------------------------------------------------------------


def deferred(compiler: Compiler, node: Expression) -> Callable[[Frame], Any]:
    """A value for a slot: at once if that costs nothing and cannot fail, otherwise when it is needed."""
    if isinstance(node, Literal):
        value = node.value
        return lambda frame: value
    if isinstance(node, Local):
        return content(node.depth, node.slot)
    if isinstance(node, Variable) and not node.primed and compiler.settled:
        return compiler.value(node)
    constant = compiler.constant(node)
    if constant is not None:
        return lambda frame: constant
    code = Deferred(compiler, node)
    if compiler.analysis.is_constant(node):
        return keeping(lambda frame: Thunk(code, frame))
    return lambda frame: Thunk(code, frame)


def _bindings(compiler: Compiler, node: Let) -> Callable[[Frame], None]:
    makers = tuple(zip(node.slots, (deferred(compiler, value) for value in node.values), strict=True))
    if len(makers) == 1:
        ((slot, make),) = makers

        def bind_one(frame: Frame) -> None:
            frame[slot] = make(frame)

        return bind_one

    def bind(frame: Frame) -> None:
        for slot, make in makers:
            frame[slot] = make(frame)

    return bind


def _let(compile: Callable[[Compiler, Expression], Callable[[Frame], Any]]) -> Callable[[Compiler, Let], Any]:
    def form(compiler: Compiler, node: Let) -> Callable[[Frame], Any]:
        bind, body = _bindings(compiler, node), compile(compiler, node.body)

        def let(frame: Frame) -> Any:
            bind(frame)
            return body(frame)

        return let

    return form


def _let_action(compiler: Compiler, node: Let, then: Continuation) -> ActionCode:
    return _let(lambda compiler, body: compiler.action(body, then))(compiler, node)  # type: ignore[no-any-return]


def _let_target(compiler: Compiler, node: Let) -> Target:
    found = compiler.target(node.body)
    return found if isinstance(found, int) else None


Compiler.values.update({Literal: _literal, Variable: _variable, Local: _local, Let: _let(Compiler.value)})
Compiler.tests.update({Literal: _literal_test, Let: _let(Compiler.test)})
Compiler.applications.update({Local: _local_applied, Let: _let(Compiler.applied)})
Compiler.actions.update({Local: _local_action, Let: _let_action})
Compiler.targets.update({Variable: _variable_target, Local: _local_target, Let: _let_target})
