"""Solving actions: every way to satisfy a formula by giving variables their next values.

The formula is gone through from left to right. `x' = e` gives x' its value if it has none and is a test otherwise;
`x' \\in S` tries every element; disjunction and \\E branch; everything else is a test. Each branch goes on with the
continuation and then takes its assignment back. The same code solves Init, where unprimed variables are assigned.
"""

from __future__ import annotations

from collections.abc import Callable

from gristmill.evaluate.binders import assignments, single_slot
from gristmill.evaluate.binders import elements as elements_of
from gristmill.evaluate.compiler import BACK, Compiler, Continuation
from gristmill.evaluate.context import UNASSIGNED
from gristmill.evaluate.frames import RETURN, ActionCode, Frame, TestCode
from gristmill.evaluate.lazy_function import LazyFunction
from gristmill.evaluate.logic import cases, conditional
from gristmill.ir.nodes import (
    And,
    AngleAction,
    BoxAction,
    Case,
    Disjunct,
    Equal,
    Expression,
    FunctionApply,
    If,
    Implies,
    Member,
    Not,
    Or,
    Primitive,
    Quantified,
    Unchanged,
    Variable,
)
from gristmill.library import Form
from gristmill.values import (
    EvaluationError,
    PowerSet,
    Value,
    contains,
    elements,
    equal,
    is_set,
    kind,
    part,
)
from gristmill.values.lazy import LAZY_TYPES

# --- connectives -----------------------------------------------------------------------------------------------------


def _and(compiler: Compiler, node: And, then: Continuation) -> ActionCode:
    items = list(node.items)
    guards = []
    while compiler.analysis.is_test(items[0], compiler.initial):
        guards.append(items.pop(0))
    for item in reversed(items[1:]):
        then = compiler.chain(item, then)
    act = compiler.action(items[0], then)
    if not guards:
        return act
    test = compiler.test(guards[0] if len(guards) == 1 else And(tuple(guards), node.span))

    def guarded(frame: Frame) -> None:
        if test(frame):
            act(frame)

    return guarded


def _or(compiler: Compiler, node: Or, then: Continuation) -> ActionCode:
    branches = tuple(compiler.action(item, then) for item in node.items)

    def act(frame: Frame) -> None:
        for branch in branches:
            branch(frame)

    return act


def _implies(compiler: Compiler, node: Implies, then: Continuation) -> ActionCode:
    condition, act, proceed = compiler.test(node.left), compiler.action(node.right, then), then.proceed

    def imply(frame: Frame) -> None:
        if condition(frame):
            act(frame)
        else:
            proceed(frame)

    return imply


def _if(compiler: Compiler, node: If, then: Continuation) -> ActionCode:
    return conditional(lambda compiler, branch: compiler.action(branch, then))(compiler, node)


def _case(compiler: Compiler, node: Case, then: Continuation) -> ActionCode:
    return cases(lambda compiler, branch: compiler.action(branch, then))(compiler, node)


# --- quantifiers -----------------------------------------------------------------------------------------------------


def _quantified(compiler: Compiler, node: Quantified, then: Continuation) -> ActionCode:
    if node.universal:
        return _universal(compiler, node, then)
    body, slot = compiler.action(node.body, then), single_slot(node.bounds)
    if slot is None:
        assign = assignments(compiler, node.bounds, "\\E")

        def each(frame: Frame) -> None:
            for _ in assign(frame):
                body(frame)

        return each
    candidates = elements_of(compiler, node.bounds[0], "\\E")

    def act(frame: Frame) -> None:
        values = candidates(frame)
        for frame[slot] in values:
            body(frame)

    return act


def _universal(compiler: Compiler, node: Quantified, then: Continuation) -> ActionCode:
    """One instance after the other, each in a copy of the frame; behind the first, TLC takes them from the last on."""
    assign = assignments(compiler, node.bounds, "\\A")
    step = compiler.chain(node.body, BACK)
    first_step = compiler.action(node.body, BACK)
    proceed = then.proceed

    def act(frame: Frame) -> None:
        copies = [frame[:] for _ in assign(frame)]
        if not copies:
            proceed(frame)
            return
        first, *rest = copies
        where: tuple[Continuation, Frame] = (then, frame)
        for copy in rest:
            copy[RETURN] = where
            where = (step, copy)
        first[RETURN] = where
        first_step(first)

    return act


# --- assignments -----------------------------------------------------------------------------------------------------


def _state_value(value: Value) -> Value:
    """A value as a state holds it."""
    if type(value) is LazyFunction:
        value = value.as_value()
        if type(value) is LazyFunction:
            raise EvaluationError("infinite-in-state", "a state cannot hold a function on {s}", s=value.domain())
    return part(value)  # if it is an infinite set, `check_storable` says so


_ODD = LAZY_TYPES | {LazyFunction}


def _equal(compiler: Compiler, node: Equal, then: Continuation) -> ActionCode:
    target = compiler.target(node.left)
    if target is None:
        return _tested(compiler, node, then)
    if isinstance(target, int):
        return _assignment(compiler, node, target, then)
    value, assigned, proceed = compiler.value(node.right), compiler.assigned, then.proceed

    def assign(frame: Frame, index: int, _node: Equal = node) -> None:
        new, old = value(frame), assigned[index]
        if old is UNASSIGNED:
            assigned[index] = new if type(new) not in _ODD else _state_value(new)
            proceed(frame)
            assigned[index] = UNASSIGNED
        elif equal(old, new):
            proceed(frame)

    return _to_target(target, assign, _tested(compiler, node, then))


def _assignment(compiler: Compiler, node: Equal, index: int, then: Continuation) -> ActionCode:
    """To a variable that is known: the most frequent case, without a further call."""
    value, assigned, proceed = compiler.value(node.right), compiler.assigned, then.proceed

    def assign(frame: Frame, _node: Equal = node) -> None:
        new, old = value(frame), assigned[index]
        if old is UNASSIGNED:
            assigned[index] = new if type(new) not in _ODD else _state_value(new)
            proceed(frame)
            assigned[index] = UNASSIGNED
        elif equal(old, new):
            proceed(frame)

    return assign


def _member(compiler: Compiler, node: Member, then: Continuation) -> ActionCode:
    return _choice(compiler, node, node.left, node.right, then, _members)


def _subset(compiler: Compiler, node: Primitive, then: Continuation) -> ActionCode:
    if node.operator.form is not Form.INCLUDED:
        return _tested(compiler, node, then)
    left, right = node.args
    return _choice(compiler, node, left, right, then, _subsets)  # type: ignore[arg-type]


def _members(collection: Value) -> Value:
    return collection


def _subsets(collection: Value) -> Value:
    if not is_set(collection):
        raise EvaluationError("not-a-set", f"\\subseteq needs a set, not {kind(collection)}: {{s}}", s=collection)
    return PowerSet(collection)


def _choice(
    compiler: Compiler,
    node: Expression,
    left: Expression,
    right: Expression,
    then: Continuation,
    candidates: Callable[[Value], Value],
) -> ActionCode:
    """`x' \\in S` and `x' \\subseteq S`."""
    target = compiler.target(left)
    if target is None:
        return _tested(compiler, node, then)
    value, assigned, proceed = compiler.value(right), compiler.assigned, then.proceed

    def assign(frame: Frame, index: int, _node: Expression = node) -> None:
        collection = candidates(value(frame))
        old = assigned[index]
        if old is UNASSIGNED:
            for new in elements(collection):
                assigned[index] = new if type(new) not in _ODD else _state_value(new)
                proceed(frame)
            assigned[index] = UNASSIGNED
        elif contains(collection, old):
            proceed(frame)

    if isinstance(target, int):
        index = target
        return lambda frame: assign(frame, index)
    return _to_target(target, assign, _tested(compiler, node, then))


def _to_target(
    target: Callable[[Frame], int | None], assign: Callable[[Frame, int], None], test: ActionCode
) -> ActionCode:
    """What is assigned to, if anything, is known only when the parameters are."""

    def act(frame: Frame) -> None:
        index = target(frame)
        if index is None:
            test(frame)
        else:
            assign(frame, index)

    return act


def _tested(compiler: Compiler, node: Expression, then: Continuation) -> ActionCode:
    test, proceed = compiler.test(node), then.proceed

    def act(frame: Frame) -> None:
        if test(frame):
            proceed(frame)

    return act


# --- whose step it is ------------------------------------------------------------------------------------------------


def _disjunct(compiler: Compiler, node: Disjunct, then: Continuation) -> ActionCode:
    act, context, number = compiler.action(node.body, then), compiler.context, node.action

    def enter(frame: Frame) -> None:
        context.action = number
        act(frame)

    return enter


def _disjunct_test(compiler: Compiler, node: Disjunct) -> TestCode:
    test, context, number = compiler.test(node.body), compiler.context, node.action

    def enter(frame: Frame) -> bool:
        holds = test(frame)
        if holds:
            context.action = number
        return holds

    return enter


# --- UNCHANGED, [A]_v, <<A>>_v ---------------------------------------------------------------------------------------


def _unchanged(compiler: Compiler, node: Unchanged, then: Continuation) -> ActionCode:
    variables, current, following = node.variables, compiler.context.current, compiler.context.next
    proceed, context = then.proceed, compiler.context

    def act(frame: Frame, _node: Unchanged = node) -> None:
        assigned = []
        same = True
        for index in variables:
            value = following[index]
            if value is UNASSIGNED:
                following[index] = current[index]
                assigned.append(index)
            elif not equal(current[index], value):
                name = context.variable_names[index]
                context.warn_once("changed-though-unchanged", f"{name} is UNCHANGED here, but has changed", _node.span)
                same = False
                break
        if same:
            proceed(frame)
        for index in assigned:
            following[index] = UNASSIGNED

    return act


def _unchanged_test(compiler: Compiler, node: Unchanged) -> TestCode:
    context = compiler.context
    names = context.variable_names
    pairs = tuple(
        (
            compiler.value(Variable(index, False, names[index], node.span)),
            compiler.value(Variable(index, True, names[index], node.span)),
        )
        for index in node.variables
    )

    def test(frame: Frame, _node: Unchanged = node) -> bool:
        return all(equal(old(frame), new(frame)) for old, new in pairs)

    return test


def _box(compiler: Compiler, node: BoxAction, then: Continuation) -> ActionCode:
    act = compiler.action(node.action, then)
    stutter = compiler.action(_negation(node.changed), then)

    def step(frame: Frame) -> None:
        act(frame)
        stutter(frame)

    return step


def _negation(node: Expression) -> Expression:
    return node.operand if isinstance(node, Not) else Not(node, node.span)


def _box_test(compiler: Compiler, node: BoxAction) -> TestCode:
    act, changed = compiler.test(node.action), compiler.test(node.changed)
    return lambda frame: act(frame) or not changed(frame)


def _angle(compiler: Compiler, node: AngleAction, then: Continuation) -> ActionCode:
    return compiler.action(node.action, compiler.chain(node.changed, then))


def _angle_test(compiler: Compiler, node: AngleAction) -> TestCode:
    act, changed = compiler.test(node.action), compiler.test(node.changed)
    return lambda frame: act(frame) and changed(frame)


# --- f[e] where f is written out -------------------------------------------------------------------------------------


def _apply(compiler: Compiler, node: FunctionApply, then: Continuation) -> ActionCode:
    """The body of a function that is not listed is solved like any formula."""
    function, argument = compiler.applied(node.function), compiler.value(node.argument)
    test, proceed = compiler.test(node), then.proceed

    def act(frame: Frame, _node: FunctionApply = node) -> None:
        callee = function(frame)
        if type(callee) is not LazyFunction or callee.is_changed_at(argument(frame)):
            if test(frame):
                proceed(frame)
            return
        solve = _solvers(compiler, callee)
        inner = callee.bound_to(argument(frame))
        inner[RETURN] = (then, frame)
        solve(inner)

    return act


def _solvers(compiler: Compiler, function: LazyFunction) -> ActionCode:
    code = function.code
    if code.action is None:
        with compiler.inside(code.scope):
            code.action = compiler.action(code.node.body, BACK)
    return code.action


Compiler.actions.update(
    {
        And: _and,
        Or: _or,
        Implies: _implies,
        If: _if,
        Case: _case,
        Quantified: _quantified,
        Equal: _equal,
        Member: _member,
        Primitive: _subset,
        Unchanged: _unchanged,
        Disjunct: _disjunct,
        BoxAction: _box,
        AngleAction: _angle,
        FunctionApply: _apply,
    }
)
Compiler.tests.update(
    {
        Disjunct: _disjunct_test,
        Unchanged: _unchanged_test,
        BoxAction: _box_test,
        AngleAction: _angle_test,
    }
)
