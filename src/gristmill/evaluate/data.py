"""Sets, tuples, records, and the sets of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from gristmill.evaluate.compiler import Compiler
from gristmill.evaluate.frames import Frame, ValueCode
from gristmill.evaluate.lazy_function import LazyFunction
from gristmill.ir import nodes
from gristmill.values import (
    CrossProduct,
    EvaluationError,
    Fn,
    FunctionSet,
    Value,
    current,
    is_set,
    kind,
    make_set,
    part,
    record_set,
)
from gristmill.values.lazy import LAZY_TYPES


def _set(compiler: Compiler, node: nodes.SetEnumeration) -> ValueCode:
    items = tuple(map(compiler.value, node.items))
    if len(items) == 1:
        (only,) = items

        def singleton(frame: Frame) -> Value:
            return frozenset((part(only(frame)),))

        return singleton

    def enumeration(frame: Frame, _node: nodes.SetEnumeration = node) -> Value:
        return make_set([item(frame) for item in items])

    return enumeration


def _tuple(compiler: Compiler, node: nodes.TupleLiteral) -> ValueCode:
    items = tuple(map(compiler.value, node.items))
    if len(items) == 2:
        first, second = items

        def pair(frame: Frame) -> Value:
            a, b = first(frame), second(frame)
            return a if type(a) not in LAZY_TYPES else part(a), b if type(b) not in LAZY_TYPES else part(b)

        return pair

    def make(frame: Frame) -> Value:
        return tuple([part(item(frame)) for item in items])

    return make


def _record(compiler: Compiler, node: nodes.RecordLiteral) -> ValueCode:
    """The fields are evaluated as they stand and stored in canonical order."""
    values = tuple(map(compiler.value, node.values))
    order = sorted(range(len(node.names)), key=lambda index: current().register(node.names[index]))
    names = tuple(node.names[index] for index in order)
    if order == list(range(len(order))):

        def in_order(frame: Frame) -> Value:
            return Fn(zip(names, [part(value(frame)) for value in values], strict=True))

        return in_order

    def make(frame: Frame) -> Value:
        found = [part(value(frame)) for value in values]
        return Fn(zip(names, [found[index] for index in order], strict=True))

    return make


def _record_set(compiler: Compiler, node: nodes.RecordSet) -> ValueCode:
    values = tuple(map(compiler.value, node.values))

    def make(frame: Frame, _node: nodes.RecordSet = node) -> Value:
        sets = [value(frame) for value in values]
        _refuse_others(sets, "a set of records")
        return record_set(dict(zip(_node.names, sets, strict=True)))

    return make


def _function_set(compiler: Compiler, node: nodes.FunctionSet) -> ValueCode:
    domain, range_ = compiler.value(node.domain), compiler.value(node.range)

    def make(frame: Frame, _node: nodes.FunctionSet = node) -> Value:
        sets = domain(frame), range_(frame)
        _refuse_others(sets, "a set of functions")
        return FunctionSet(*sets)

    return make


def _product(compiler: Compiler, node: nodes.CrossProduct) -> ValueCode:
    factors = tuple(map(compiler.value, node.factors))

    def make(frame: Frame, _node: nodes.CrossProduct = node) -> Value:
        sets = tuple([factor(frame) for factor in factors])
        _refuse_others(sets, "\\X")
        return CrossProduct(sets)

    return make


def _refuse_others(sets: Sequence[Value], operation: str) -> None:
    for each in sets:
        if not is_set(each):
            raise EvaluationError("not-a-set", f"{operation} needs sets, not {kind(each)}: {{value}}", value=each)


def _field(compiler: Compiler, node: nodes.FieldAccess) -> ValueCode:
    # What is no record is told by the error of looking into it: the usual case asks nothing.
    record, name = cast("Callable[[Frame], Fn]", compiler.value(node.record)), node.name

    def access(frame: Frame, _node: nodes.FieldAccess = node) -> Value:
        value = record(frame)
        try:
            return value[name]
        except (KeyError, TypeError):
            return _no_field(value, name)

    return access


def _no_field(value: Value, name: str) -> Value:
    if type(value) is LazyFunction:
        return value.apply(name)
    if type(value) is Fn:
        raise EvaluationError("no-such-field", "the record {record} has no field {field}", record=value, field=name)
    raise EvaluationError("not-a-record", f"{kind(value)} has no field {name}: {{value}}", value=value)


Compiler.values.update(
    {
        nodes.SetEnumeration: _set,
        nodes.TupleLiteral: _tuple,
        nodes.RecordLiteral: _record,
        nodes.RecordSet: _record_set,
        nodes.FunctionSet: _function_set,
        nodes.CrossProduct: _product,
        nodes.FieldAccess: _field,
    }
)
Compiler.foldable.update(
    (
        nodes.SetEnumeration,
        nodes.TupleLiteral,
        nodes.RecordLiteral,
        nodes.RecordSet,
        nodes.FunctionSet,
        nodes.CrossProduct,
    )
)
