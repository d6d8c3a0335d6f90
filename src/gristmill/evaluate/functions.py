"""Functions: made, applied and changed."""

from __future__ import annotations

from collections.abc import Callable

from gristmill.evaluate.binders import bind, columns, domain, single_slot
from gristmill.evaluate.compiler import Compiler
from gristmill.evaluate.deferred import Deferred
from gristmill.evaluate.frames import Frame, ValueCode, snapshot
from gristmill.evaluate.lazy_function import FunctionCode, LazyFunction
from gristmill.ir.nodes import Except, Expression, FunctionApply, FunctionLiteral, Update
from gristmill.values import (
    CrossProduct,
    EvaluationError,
    Fn,
    Interval,
    Value,
    apply,
    enumerate_set,
    except_at,
    is_enumerable,
    is_set,
    kind,
    ordered,
    part,
    select,
    tabulate,
)
from gristmill.values.lazy import LAZY_TYPES

# --- [x \in S |-> e] -------------------------------------------------------------------------------------------------


def function_code(compiler: Compiler, node: FunctionLiteral) -> FunctionCode:
    binders = [column for _, column in columns(node.bounds)]
    body = compiler.value(node.body)
    applied = Deferred(compiler, node.body)

    def bind_one(frame: Frame, argument: Value) -> None:
        bind(frame, binders[0], argument)

    def bind_each(frame: Frame, argument: Value) -> None:
        assert type(argument) is tuple  # `LazyFunction.has` has looked
        for column, component in zip(binders, argument, strict=True):
            bind(frame, column, component)

    bound = bind_one if len(binders) == 1 else bind_each
    return FunctionCode(node, bound, body, lambda frame: applied.applied(frame), compiler.context.reads, compiler.scope)


def _domains(compiler: Compiler, node: FunctionLiteral) -> Callable[[Frame], list[Value]]:
    """The sets the components of the argument are taken from."""
    evaluate = [domain(compiler, bound, "a function") for bound in node.bounds]
    numbers = [number for number, _ in columns(node.bounds)]

    def domains(frame: Frame, _node: FunctionLiteral = node) -> list[Value]:
        sets = [each(frame) for each in evaluate]
        for each in sets:
            if not is_set(each):
                raise EvaluationError(
                    "not-a-set", f"the domain of a function must be a set, not {kind(each)}: {{value}}", value=each
                )
        return [sets[number] for number in numbers]

    return domains


def _literal_applied(compiler: Compiler, node: FunctionLiteral) -> ValueCode:
    code, domains = function_code(compiler, node), _domains(compiler, node)
    return lambda frame: LazyFunction(code, frame, domains(frame))


def _literal(compiler: Compiler, node: FunctionLiteral) -> ValueCode:
    slot = single_slot(node.bounds)
    if node.self_slot is None and slot is not None:
        return _simple_literal(compiler, node, slot)
    code, domains = function_code(compiler, node), _domains(compiler, node)

    def make(frame: Frame, _node: FunctionLiteral = node) -> Value:
        sets = domains(frame)
        if not all(map(is_enumerable, sets)):
            return LazyFunction(code, snapshot(frame), sets)
        if code.self_slot is not None:
            return LazyFunction(code, frame, sets).as_value()

        def at(argument: Value) -> Value:
            code.bind(frame, argument)
            return code.body(frame)

        return tabulate(sets[0] if len(sets) == 1 else CrossProduct(tuple(sets)), at)

    return make


def _simple_literal(compiler: Compiler, node: FunctionLiteral, slot: int) -> ValueCode:
    """One name, not recursive: nearly all functions."""
    elements, body = domain(compiler, node.bounds[0], "a function"), compiler.value(node.body)
    lazily = _literal_applied(compiler, node)

    def make(frame: Frame, _node: FunctionLiteral = node) -> Value:
        collection = elements(frame)
        if type(collection) is not frozenset and type(collection) is not Interval and not is_enumerable(collection):
            return lazily(snapshot(frame))
        arguments = ordered(collection) if type(collection) is frozenset else tuple(enumerate_set(collection))
        values = []
        for frame[slot] in arguments:
            value = body(frame)
            values.append(value if type(value) not in LAZY_TYPES else part(value))
        size = len(arguments)
        if not size or (arguments[0] == 1 and arguments[-1] == size and type(arguments[0]) is int):
            return tuple(values)
        return Fn(zip(arguments, values, strict=True))

    return make


# --- f[e] ------------------------------------------------------------------------------------------------------------


def _apply(compiler: Compiler, node: FunctionApply) -> ValueCode:
    function, argument = compiler.applied(node.function), compiler.value(node.argument)

    def application(frame: Frame, _node: FunctionApply = node) -> Value:
        callee, key = function(frame), argument(frame)
        if type(callee) is Fn:
            try:
                return callee[key]
            except KeyError:
                pass
        elif type(callee) is tuple:
            if type(key) is int and 0 < key <= len(callee):
                return callee[key - 1]
        elif type(callee) is LazyFunction:
            return callee.apply(key)
        return apply(callee, key)

    return application


def _apply_applied(compiler: Compiler, node: FunctionApply) -> ValueCode:
    """`f[a]` in `f[a][b]`."""
    function, argument = compiler.applied(node.function), compiler.value(node.argument)

    def application(frame: Frame, _node: FunctionApply = node) -> Value:
        callee, key = function(frame), argument(frame)
        if type(callee) is Fn:
            try:
                return callee[key]
            except KeyError:
                pass
        elif type(callee) is LazyFunction:
            return callee.apply_to_apply(key)
        return apply(callee, key)

    return application


# --- EXCEPT ----------------------------------------------------------------------------------------------------------


def _except(compile: Callable[[Compiler, Expression], ValueCode]) -> Callable[[Compiler, Except], ValueCode]:
    def form(compiler: Compiler, node: Except) -> ValueCode:
        function = compile(compiler, node.function)
        updates = [_update(compiler, node, update) for update in node.updates]
        if len(updates) == 1:
            (only,) = updates
            return lambda frame: only(frame, function(frame))

        def change(frame: Frame) -> Value:
            value = function(frame)
            for update in updates:
                value = update(frame, value)
            return value

        return change

    return form


def _update(compiler: Compiler, node: Except, update: Update) -> Callable[[Frame, Value], Value]:
    path = tuple(map(compiler.value, update.path))
    value, slot = compiler.value(update.value), update.at_slot
    if slot is not None and not compiler.analysis.mentions(update.value, slot):
        slot = None
    general = _general_update(compiler, update, path, value)
    if len(path) != 1:
        return general
    (key,) = path

    def replace(frame: Frame, function: Value, _node: Update = update) -> Value:
        argument = key(frame)
        if type(function) is Fn and argument in function:
            if slot is not None:
                frame[slot] = function[argument]
            new = value(frame)
            return function.replace(argument, new if type(new) not in LAZY_TYPES else part(new))
        if type(function) is tuple and type(argument) is int and 0 < argument <= len(function):
            if slot is not None:
                frame[slot] = function[argument - 1]
            new = part(value(frame))
            return (*function[: argument - 1], new, *function[argument:])
        return general(frame, function)

    return replace


def _general_update(
    compiler: Compiler, update: Update, path: tuple[ValueCode, ...], value: ValueCode
) -> Callable[[Frame, Value], Value]:
    slot, warn = update.at_slot, compiler.context.warn_outside_domain

    def replace(frame: Frame, function: Value, _node: Update = update) -> Value:
        arguments = [step(frame) for step in path]

        def change(old: Value) -> Value:
            if slot is not None:
                frame[slot] = old
            return value(frame)

        def outside(where: Value, argument: Value) -> None:
            warn(where, argument, _node.span)

        return _replace(function, arguments, change, outside)

    return replace


def _replace(
    function: Value,
    path: list[Value],
    change: Callable[[Value], Value],
    outside: Callable[[Value, Value], None],
) -> Value:
    """With functions that are not listed on the way, or none."""
    first, *rest = path
    old = function.select(first) if type(function) is LazyFunction else select(function, first)
    if old is None:
        outside(function, first)
        return function
    new = _replace(old, rest, change, outside) if rest else change(old)
    if new is old:
        return function
    return function.replace(first, new) if type(function) is LazyFunction else except_at(function, first, new)


Compiler.values.update({FunctionLiteral: _literal, FunctionApply: _apply, Except: _except(Compiler.value)})
Compiler.applications.update(
    {FunctionLiteral: _literal_applied, FunctionApply: _apply_applied, Except: _except(Compiler.applied)}
)
Compiler.keepable.add(FunctionLiteral)
