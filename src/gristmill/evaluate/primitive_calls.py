"""Primitives applied to arguments, and shortcuts for the ones that are everywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from gristmill.evaluate.binders import elements_of_map
from gristmill.evaluate.calls import operator
from gristmill.evaluate.compiler import Compiler, truth_of
from gristmill.evaluate.dependencies import CURRENT, NEXT, OPEN
from gristmill.evaluate.frames import Frame, TestCode, ValueCode
from gristmill.ir.nodes import (
    Argument,
    LocalOperator,
    OperatorArgument,
    Primitive,
    PrimitiveOperator,
    SetEnumeration,
    SetMap,
)
from gristmill.library import Form, Operator
from gristmill.values import (
    FALSE,
    TRUE,
    EvaluationError,
    Interval,
    Value,
    add,
    at_most,
    big_union,
    cardinality,
    compare,
    interval,
    is_enumerable,
    is_set,
    less,
    make_set,
    normalize,
    subtract,
    union,
)
from gristmill.values.lazy import LazyUnion
from gristmill.values.operations.sets import counts_quickly, not_a_set
from gristmill.values.shape import all_comparable, shapes


def _call(compiler: Compiler, node: Primitive) -> Callable[[Frame], Any]:
    """The plain result of the function: a value, or a Python bool."""
    function = node.operator.function(compiler.context)
    args = tuple(_argument(compiler, node.operator, number, arg) for number, arg in enumerate(node.args))
    if len(args) == 1:
        (only,) = args

        def call_1(frame: Frame, _node: Primitive = node) -> Any:
            return function(only(frame))

        return call_1
    if len(args) == 2:
        first, second = args

        def call_2(frame: Frame, _node: Primitive = node) -> Any:
            return function(first(frame), second(frame))

        return call_2

    def call(frame: Frame, _node: Primitive = node) -> Any:
        return function(*[arg(frame) for arg in args])

    return call


def _argument(compiler: Compiler, declared: Operator, number: int, node: Argument) -> Callable[[Frame], Any]:
    if isinstance(node, OperatorArgument | LocalOperator | PrimitiveOperator):
        read = operator(compiler, node)
        return lambda frame: _on_values(read(frame))
    if number in declared.lazy:
        code = compiler.value(node)
        return lambda frame: lambda: code(frame)
    return compiler.applied(node) if number in declared.applied else compiler.value(node)


def _on_values(closure: Any) -> Callable[..., Value]:
    return lambda *values: closure.value(values)


def _value(compiler: Compiler, node: Primitive) -> ValueCode:
    shortcut = _SHORTCUTS.get(node.operator.form)
    if shortcut is not None:
        return shortcut(compiler, node)
    code = _call(compiler, node)
    return (lambda frame: TRUE if code(frame) else FALSE) if node.operator.boolean else code


def _test(compiler: Compiler, node: Primitive) -> TestCode:
    comparison = _COMPARISONS.get(node.operator.form)
    if comparison is not None:
        return comparison(compiler, node)
    if node.operator.boolean:
        return _call(compiler, node)
    return truth_of(_value(compiler, node), node)


# --- shortcuts: the same meaning, without a call ---------------------------------------------------------------------


def _operands(compiler: Compiler, node: Primitive) -> tuple[ValueCode, ValueCode]:
    first, second = node.args
    return compiler.value(first), compiler.value(second)  # type: ignore[arg-type]


def _add(compiler: Compiler, node: Primitive) -> ValueCode:
    first, second = _operands(compiler, node)

    def sum_of(frame: Frame, _node: Primitive = node) -> Value:
        a, b = first(frame), second(frame)
        return a + b if type(a) is int and type(b) is int else add(a, b)

    return sum_of


def _subtract(compiler: Compiler, node: Primitive) -> ValueCode:
    first, second = _operands(compiler, node)

    def difference_of(frame: Frame, _node: Primitive = node) -> Value:
        a, b = first(frame), second(frame)
        return a - b if type(a) is int and type(b) is int else subtract(a, b)

    return difference_of


def _interval(compiler: Compiler, node: Primitive) -> ValueCode:
    first, second = _operands(compiler, node)

    def interval_of(frame: Frame, _node: Primitive = node) -> Value:
        a, b = first(frame), second(frame)
        return Interval(a, b) if type(a) is int and type(b) is int else interval(a, b)

    return interval_of


def _union(compiler: Compiler, node: Primitive) -> ValueCode:
    first, second = _operands(compiler, node)

    def union_of(frame: Frame, _node: Primitive = node) -> Value:
        a, b = first(frame), second(frame)
        if type(a) is frozenset and type(b) is frozenset and (b <= a or all_comparable(shapes(a), shapes(b))):
            return a | b
        return union(a, b)

    return union_of


def _less(compiler: Compiler, node: Primitive) -> TestCode:
    first, second = _operands(compiler, node)

    def test(frame: Frame, _node: Primitive = node) -> bool:
        a, b = first(frame), second(frame)
        return a < b if type(a) is int and type(b) is int else less(a, b)

    return test


def _at_most(compiler: Compiler, node: Primitive) -> TestCode:
    first, second = _operands(compiler, node)

    def test(frame: Frame, _node: Primitive = node) -> bool:
        a, b = first(frame), second(frame)
        return a <= b if type(a) is int and type(b) is int else at_most(a, b)

    return test


def _greater(compiler: Compiler, node: Primitive) -> TestCode:
    first, second = _operands(compiler, node)

    def test(frame: Frame, _node: Primitive = node) -> bool:
        a, b = first(frame), second(frame)
        return a > b if type(a) is int and type(b) is int else _not_less(a, b, ">")

    return test


def _at_least(compiler: Compiler, node: Primitive) -> TestCode:
    first, second = _operands(compiler, node)

    def test(frame: Frame, _node: Primitive = node) -> bool:
        a, b = first(frame), second(frame)
        return a >= b if type(a) is int and type(b) is int else _not_less(a, b, ">=")

    return test


def _not_less(a: Value, b: Value, symbol: str) -> bool:
    which, wrong = ("first", a) if type(a) is not int else ("second", b)
    raise EvaluationError("not-an-integer", f"the {which} operand of {symbol} is no integer: {{wrong}}", wrong=wrong)


# --- forms of their own ----------------------------------------------------------------------------------------------


def _big_union(compiler: Compiler, node: Primitive) -> ValueCode:
    """`UNION {S(x) : x \\in T}`: the sets are not listed on the way, so that what is infinite or large can be asked."""
    (operand,) = node.args
    if isinstance(operand, SetMap):
        parts = elements_of_map(compiler, operand)
    elif isinstance(operand, SetEnumeration) and operand.items:
        items = tuple(map(compiler.value, operand.items))

        def parts(frame: Frame) -> list[Value]:
            return [item(frame) for item in items]
    else:
        return _call(compiler, node)

    def union_of(frame: Frame, _node: Primitive = node) -> Value:
        found = parts(frame)
        if all(type(part) is frozenset for part in found):
            return big_union(frozenset(found))
        for part in found:
            if not is_set(part):
                not_a_set(part, "UNION of a set of sets")
        parts_once = list(dict.fromkeys(found))
        if len(parts_once) > 1 and not all(map(is_enumerable, parts_once)):
            return big_union(make_set(found))  # TLC sorts the sets when elements are needed, and fails
        return _joined(sorted(parts_once, key=cmp_to_key(_compare_sets)))

    return union_of


def _compare_sets(left: Value, right: Value) -> int:
    """The canonical order, by size as long as that decides."""
    if counts_quickly(left) and counts_quickly(right):
        difference = cardinality(left) - cardinality(right)
        if difference:
            return difference
    return compare(left, right)


def _joined(parts: list[Value]) -> Value:
    """A union as a tree of unions, shallow enough for recursive walks."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return LazyUnion(_joined(parts[:middle]), _joined(parts[middle:]))


def _tlc_eval(compiler: Compiler, node: Primitive) -> ValueCode:
    """TLC keeps the value of a constant, whatever its evaluation does besides."""
    code, found = _call(compiler, node), compiler.analysis.of(node.args[0])
    if found.bits & (CURRENT | NEXT | OPEN) or found.locals:
        return code
    kept = compiler.kept

    def evaluate(frame: Frame, _node: Primitive = node) -> Value:
        key = id(_node)
        if key not in kept:
            kept[key] = code(frame)
        return kept[key]

    return evaluate


def _tlc_cache(compiler: Compiler, node: Primitive) -> ValueCode:
    """The value of a constant is kept for each value of the second argument."""
    expression, closure = node.args
    value, key = compiler.value(expression), compiler.value(closure)  # type: ignore[arg-type]
    if compiler.analysis.of(expression).bits & (CURRENT | NEXT):
        return value
    kept = compiler.kept

    def cached(frame: Frame, _node: Primitive = node) -> Value:
        place = (id(_node), normalize(key(frame)))
        if place not in kept:
            kept[place] = value(frame)
        return kept[place]

    return cached


_SHORTCUTS: dict[Form | None, Callable[[Compiler, Primitive], ValueCode]] = {
    Form.ADD: _add,
    Form.SUBTRACT: _subtract,
    Form.INTERVAL: _interval,
    Form.UNION: _union,
    Form.BIG_UNION: _big_union,
    Form.EVALUATE: _tlc_eval,
    Form.CACHE: _tlc_cache,
}
_COMPARISONS: dict[Form | None, Callable[[Compiler, Primitive], TestCode]] = {
    Form.LESS: _less,
    Form.AT_MOST: _at_most,
    Form.GREATER: _greater,
    Form.AT_LEAST: _at_least,
}

Compiler.values[Primitive] = _value
Compiler.tests[Primitive] = _test
Compiler.foldable.add(Primitive)
Compiler.keepable.add(Primitive)
