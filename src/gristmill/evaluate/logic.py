"""Formulas: connectives, equality, membership, IF and CASE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gristmill.evaluate.compiler import Compiler
from gristmill.evaluate.errors import no_case_applies
from gristmill.evaluate.frames import Frame, TestCode, ValueCode
from gristmill.ir.nodes import (
    And,
    Case,
    Equal,
    Equivalent,
    Expression,
    If,
    Implies,
    Literal,
    Member,
    Not,
    Or,
    Primitive,
    Temporal,
)
from gristmill.library import Form
from gristmill.values import EvaluationError, ModelValue, Value, contains, equal

# --- connectives -----------------------------------------------------------------------------------------------------


def _and(compiler: Compiler, node: And) -> TestCode:
    tests = tuple(map(compiler.test, node.items))
    if len(tests) == 2:
        a, b = tests
        return lambda frame: a(frame) and b(frame)
    if len(tests) == 3:
        a, b, c = tests
        return lambda frame: a(frame) and b(frame) and c(frame)

    def conjunction(frame: Frame) -> bool:
        for test in tests:  # noqa: SIM110 (faster so)
            if not test(frame):
                return False
        return True

    return conjunction


def _or(compiler: Compiler, node: Or) -> TestCode:
    tests = tuple(map(compiler.test, node.items))
    if len(tests) == 2:
        a, b = tests
        return lambda frame: a(frame) or b(frame)
    if len(tests) == 3:
        a, b, c = tests
        return lambda frame: a(frame) or b(frame) or c(frame)

    def disjunction(frame: Frame) -> bool:
        for test in tests:  # noqa: SIM110 (faster so)
            if test(frame):
                return True
        return False

    return disjunction


def _not(compiler: Compiler, node: Not) -> TestCode:
    test = compiler.test(node.operand)
    return lambda frame: not test(frame)


def _implies(compiler: Compiler, node: Implies) -> TestCode:
    left, right = compiler.test(node.left), compiler.test(node.right)
    return lambda frame: not left(frame) or right(frame)


def _equivalent(compiler: Compiler, node: Equivalent) -> TestCode:
    left, right = compiler.test(node.left), compiler.test(node.right)
    return lambda frame: left(frame) is right(frame)


# --- equality --------------------------------------------------------------------------------------------------------


def _equal(compiler: Compiler, node: Equal) -> TestCode:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(other, Literal) and type(other.value) in (str, int):
            return _equal_to_atom(compiler, node, one, other.value, reverse=one is node.right)
    left, right = compiler.value(node.left), compiler.value(node.right)

    def test(frame: Frame, _node: Equal = node) -> bool:
        a, b = left(frame), right(frame)
        if a is b:
            return True
        kind = type(a)
        if kind is type(b) and (kind is int or kind is str):
            return a == b
        return equal(a, b)

    return test


def _equal_to_atom(compiler: Compiler, node: Equal, operand: Expression, atom: Value, reverse: bool) -> TestCode:
    read, kind = compiler.value(operand), type(atom)

    def test(frame: Frame, _node: Equal = node) -> bool:
        value = read(frame)
        if type(value) is kind:
            return value == atom
        return equal(atom, value) if reverse else equal(value, atom)

    return test


# --- membership ------------------------------------------------------------------------------------------------------


def _member(compiler: Compiler, node: Member) -> TestCode:
    right = node.right
    if isinstance(right, Primitive) and right.operator.form is Form.INTERVAL:
        return _in_interval(compiler, node, right)
    constant = compiler.constant(right)
    if type(constant) is frozenset:
        return _in_constant(compiler, node, constant)
    read, collection = compiler.value(node.left), compiler.value(right)

    def test(frame: Frame, _node: Member = node) -> bool:
        value = read(frame)
        return contains(collection(frame), value)

    return test


def _in_interval(compiler: Compiler, node: Member, interval: Primitive) -> TestCode:
    """Without building the set."""
    low, high = (compiler.value(bound) for bound in interval.args)  # type: ignore[arg-type]
    read, collection = compiler.value(node.left), compiler.value(interval)

    def test(frame: Frame, _node: Member = node) -> bool:
        value, first, last = read(frame), low(frame), high(frame)
        if type(value) is int and type(first) is int and type(last) is int:
            return first <= value <= last
        return contains(collection(frame), value)

    return test


def _in_constant(compiler: Compiler, node: Member, members: frozenset[Value]) -> TestCode:
    """A value of the elements' own kind that is not among them is simply no element."""
    read = compiler.value(node.left)
    kinds = set(map(type, members))
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind not in (int, str) and not all(isinstance(member, ModelValue) and member.type is None for member in members):
        kind = None

    def test(frame: Frame, _node: Member = node) -> bool:
        value = read(frame)
        if type(value) is kind:
            return value in members
        return contains(members, value)

    return test


# --- IF and CASE -----------------------------------------------------------------------------------------------------

Branch = Callable[[Compiler, Expression], Callable[[Frame], Any]]


def conditional(compile: Branch) -> Callable[[Compiler, If], Callable[[Frame], Any]]:
    def form(compiler: Compiler, node: If) -> Callable[[Frame], Any]:
        condition = compiler.test(node.condition)
        then, otherwise = compile(compiler, node.then), compile(compiler, node.otherwise)
        return lambda frame: then(frame) if condition(frame) else otherwise(frame)

    return form


def cases(compile: Branch) -> Callable[[Compiler, Case], Callable[[Frame], Any]]:
    def form(compiler: Compiler, node: Case) -> Callable[[Frame], Any]:
        arms = tuple((compiler.test(guard), compile(compiler, value)) for guard, value in node.arms)
        other = None if node.other is None else compile(compiler, node.other)

        def case(frame: Frame, _node: Case = node) -> Any:
            for guard, value in arms:
                if guard(frame):
                    return value(frame)
            return no_case_applies() if other is None else other(frame)

        return case

    return form


def _temporal(compiler: Compiler, node: Temporal) -> ValueCode:
    def fail(frame: Frame, _node: Temporal = node) -> Value:
        raise EvaluationError(
            "temporal-formula", f"{_node.operator} is about behaviours: it has no value in a state or a step"
        )

    return fail


Compiler.values.update({If: conditional(Compiler.value), Case: cases(Compiler.value), Temporal: _temporal})
Compiler.tests.update(
    {
        And: _and,
        Or: _or,
        Not: _not,
        Implies: _implies,
        Equivalent: _equivalent,
        Equal: _equal,
        Member: _member,
        If: conditional(Compiler.test),
        Case: cases(Compiler.test),
    }
)
Compiler.applications.update({If: conditional(Compiler.applied), Case: cases(Compiler.applied)})
