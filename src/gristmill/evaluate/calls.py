"""Definitions and operator parameters applied to arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gristmill.evaluate.compiler import Body, Compiler, Continuation, truth_of
from gristmill.evaluate.deferred import Target
from gristmill.evaluate.dependencies import EFFECT
from gristmill.evaluate.frames import (
    ActionCode,
    Frame,
    TestCode,
    ValueCode,
    copied_by,
    finish,
)
from gristmill.evaluate.lazy_function import LazyFunction
from gristmill.evaluate.names import content, deferred, enclosing_frame
from gristmill.ir.nodes import (
    Argument,
    Call,
    CallLocal,
    Definition,
    LocalOperator,
    OperatorArgument,
    PrimitiveOperator,
)
from gristmill.library import Operator
from gristmill.library.arguments import truth
from gristmill.values import EvaluationError, Interval, Value

# --- operators as arguments ------------------------------------------------------------------------------------------


class Closure:
    """A definition or a LAMBDA as an argument, with the frame of the code around it."""

    __slots__ = ("body", "padding", "parent")

    def __init__(self, body: Body, padding: tuple[None, ...], parent: Frame | None) -> None:
        self.body = body
        self.padding = padding
        self.parent = parent

    def value(self, args: Sequence[Any]) -> Value:
        return self.body.value()([*args, *self.padding, self.parent, None])

    def test(self, args: Sequence[Any]) -> bool:
        return self.body.test()([*args, *self.padding, self.parent, None])

    def act(self, args: Sequence[Any], back: tuple[Continuation, Frame]) -> None:
        self.body.action()([*args, *self.padding, self.parent, back])


def _copy_closure(closure: Closure, copy_frame: Callable[[Frame], Frame]) -> Closure:
    parent = closure.parent
    return Closure(closure.body, closure.padding, None if parent is None else copy_frame(parent))


copied_by(Closure, _copy_closure)


class PrimitiveClosure:
    """A hand-written operator as an argument."""

    __slots__ = ("function", "lazy")

    def __init__(self, operator: Operator, compiler: Compiler) -> None:
        self.function = operator.function_to_value(compiler.context)
        self.lazy = operator.lazy

    def value(self, args: Sequence[Any]) -> Value:
        if self.lazy:
            args = [partial(finish, arg) if number in self.lazy else finish(arg) for number, arg in enumerate(args)]
            return self.function(*args)
        return self.function(*map(finish, args))

    def test(self, args: Sequence[Any]) -> bool:
        return truth(self.value(args))

    def act(self, args: Sequence[Any], back: tuple[Continuation, Frame]) -> None:
        then, frame = back
        if self.test(args):
            then.proceed(frame)


def operator(compiler: Compiler, node: OperatorArgument | LocalOperator | PrimitiveOperator) -> Callable[[Frame], Any]:
    if isinstance(node, LocalOperator):
        return content(node.depth, node.slot)
    if isinstance(node, PrimitiveOperator):
        closure = PrimitiveClosure(node.operator, compiler)
        return lambda frame: closure
    body = compiler.body(node.definition)
    padding = body.padding()
    if not node.definition.nested:
        constant = Closure(body, padding, None)
        return lambda frame: constant
    parent = enclosing_frame(node.depth)
    return lambda frame: Closure(body, padding, parent(frame))


def argument(compiler: Compiler, node: Argument) -> Callable[[Frame], Any]:
    """What is put into the slot of a parameter."""
    if isinstance(node, OperatorArgument | LocalOperator | PrimitiveOperator):
        return operator(compiler, node)
    return deferred(compiler, node)


# --- calls -----------------------------------------------------------------------------------------------------------

Use = Callable[[Body], Callable[[Frame], Any]]


def _call(use: Use) -> Callable[[Compiler, Call], Callable[[Frame], Any]]:
    def form(compiler: Compiler, node: Call) -> Callable[[Frame], Any]:
        body = compiler.body(node.definition)
        args = tuple(argument(compiler, arg) for arg in node.args)
        run = use(body)
        if node.definition.nested:
            return _nested_call(node, run, args, body.padding())
        padding = (*body.padding(), None, None)
        if len(args) == 0:

            def call_0(frame: Frame, _call: Call = node) -> Any:
                return run([*padding])

            return call_0
        if len(args) == 1:
            (only,) = args

            def call_1(frame: Frame, _call: Call = node) -> Any:
                return run([only(frame), *padding])

            return call_1
        if len(args) == 2:
            first, second = args

            def call_2(frame: Frame, _call: Call = node) -> Any:
                return run([first(frame), second(frame), *padding])

            return call_2

        def call(frame: Frame, _call: Call = node) -> Any:
            return run([*[arg(frame) for arg in args], *padding])

        return call

    return form


def _nested_call(
    node: Call, run: Callable[[Frame], Any], args: tuple[Callable[[Frame], Any], ...], padding: tuple[None, ...]
) -> Callable[[Frame], Any]:
    parent = enclosing_frame(node.depth)

    def call(frame: Frame, _call: Call = node) -> Any:
        return run([*[arg(frame) for arg in args], *padding, parent(frame), None])

    return call


_plain_value = _call(Body.value)
_plain_applied = _call(Body.applied)


def _call_value(compiler: Compiler, node: Call) -> ValueCode:
    if compiler.analysis.is_constant_definition(node.definition):
        return compiler.constant_definition(node.definition, "value", lambda: _plain_value(compiler, node))
    return _plain_value(compiler, node)


def _call_applied(compiler: Compiler, node: Call) -> ValueCode:
    if compiler.analysis.is_constant_definition(node.definition):
        if compiler.analysis.definition_bits(node.definition) & EFFECT:
            return _call_value(compiler, node)  # what is drawn at random is drawn once
        code = _plain_applied(compiler, node)
        return compiler.constant_definition(node.definition, "applied", lambda: lambda frame: _listed(code(frame)))
    return _plain_applied(compiler, node)


def _listed(function: Value) -> Value:
    """A constant function on a listed domain, with all its values, unless one of them fails."""
    if type(function) is not LazyFunction or function.code.self_slot is not None:
        return function
    if any(type(domain) not in (frozenset, Interval) for domain in function.domains):
        return function
    try:
        return function.as_value()
    except EvaluationError:
        return function


def _call_test(compiler: Compiler, node: Call) -> TestCode:
    if compiler.analysis.is_constant_definition(node.definition):
        return truth_of(_call_value(compiler, node), node)
    return _call(Body.test)(compiler, node)


def _call_action(compiler: Compiler, node: Call, then: Continuation) -> ActionCode:
    body = compiler.body(node.definition)
    args = tuple(argument(compiler, arg) for arg in node.args)
    run, padding = body.action(), body.padding()
    if node.definition.nested:
        parent = enclosing_frame(node.depth)

        def act_nested(frame: Frame, _call: Call = node) -> None:
            run([*[arg(frame) for arg in args], *padding, parent(frame), (then, frame)])

        return act_nested
    padding = (*padding, None)

    def act(frame: Frame, _call: Call = node) -> None:
        run([*[arg(frame) for arg in args], *padding, (then, frame)])

    return act


def _call_target(compiler: Compiler, node: Call) -> Target:
    """A definition that stands for a variable: `y == x'`."""
    if node.args or _is_being_lowered(node.definition):
        return None
    assert node.definition.body is not None
    found = None if node.definition.recursive else compiler.target(node.definition.body)
    return found if isinstance(found, int) else None


def _is_being_lowered(definition: Definition) -> bool:
    return definition.body is None


# --- operator parameters ---------------------------------------------------------------------------------------------


def _call_local(compiler: Compiler, node: CallLocal) -> ValueCode:
    read: Callable[[Frame], Closure | PrimitiveClosure] = content(node.depth, node.slot)
    args = tuple(argument(compiler, arg) for arg in node.args)

    def call(frame: Frame, _node: CallLocal = node) -> Value:
        return read(frame).value([arg(frame) for arg in args])

    return call


def _call_local_test(compiler: Compiler, node: CallLocal) -> TestCode:
    read, args = content(node.depth, node.slot), tuple(argument(compiler, arg) for arg in node.args)

    def test(frame: Frame, _node: CallLocal = node) -> bool:
        return read(frame).test([arg(frame) for arg in args])  # type: ignore[no-any-return]

    return test


def _call_local_action(compiler: Compiler, node: CallLocal, then: Continuation) -> ActionCode:
    read, args = content(node.depth, node.slot), tuple(argument(compiler, arg) for arg in node.args)

    def act(frame: Frame, _node: CallLocal = node) -> None:
        read(frame).act([arg(frame) for arg in args], (then, frame))

    return act


Compiler.values.update({Call: _call_value, CallLocal: _call_local})
Compiler.tests.update({Call: _call_test, CallLocal: _call_local_test})
Compiler.applications.update({Call: _call_applied})
Compiler.actions.update({Call: _call_action, CallLocal: _call_local_action})
Compiler.targets.update({Call: _call_target})
