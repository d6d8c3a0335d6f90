"""Expressions evaluated where something is unknown: the value, as far as it follows.

An expression that cannot be evaluated has an unknown value: on a way through an action that is only assumed to be
possible, anything may go wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.library.run import Run
from gristmill.values import (
    FALSE,
    TRUE,
    CrossProduct,
    EvaluationError,
    Fn,
    FunctionSet,
    apply,
    contains,
    enumerate_set,
    except_at,
    is_enumerable,
    is_set,
    make_function,
    make_record,
    make_set,
    make_tuple,
    record_set,
    select,
)
from gristmill.watch.unknown import arithmetic
from gristmill.watch.unknown.assuming import assume
from gristmill.watch.unknown.frames import Frame, Function, Later, Path
from gristmill.watch.unknown.values import ANY, ImpossibleError, Part, Unknown, is_known, join, same, truth

_MOST_STEPS = 100_000  # nodes that are evaluated for one action: what is beyond is unknown
_MOST_SUPPOSED = 1
_DEEPEST = 400  # evaluations inside of one another: something recursive is not followed further


class Evaluation:
    """Evaluates expressions on a path. For one thread."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.depth = 0
        self.supposing = 0  # conditions that are taken to hold for what is evaluated inside of them
        self.steps = 0

    def value(self, node: Expression, frame: Frame, path: Path) -> Part:
        self.steps += 1
        if self.depth > _DEEPEST or self.steps > _MOST_STEPS:
            return ANY
        self.depth += 1
        try:
            return _RULES[type(node)](self, node, frame, path)
        except (EvaluationError, ImpossibleError, KeyError, AssertionError):
            return ANY
        finally:
            self.depth -= 1

    def test(self, node: Expression, frame: Frame, path: Path) -> bool | None:
        """Whether a formula holds; None if that is not known."""
        found = self.value(node, frame, path)
        return True if found is TRUE else False if found is FALSE else None

    def held(self, held: Any, path: Path) -> Part:
        """What a slot stands for."""
        if type(held) is not Later:
            return held
        if held.stamp != path.stamp:
            held.value, held.stamp = self.value(held.expression, held.frame, path), path.stamp
        return held.value

    def bindings(self, bounds: tuple[nodes.Bound, ...], frame: Frame, path: Path) -> Iterator[Frame] | None:
        """A frame for each way to choose bound names; None if it is not known what they are chosen from."""
        choices: list[list[dict[int, Part]]] = []
        for bound in bounds:
            domain: Part = ANY if bound.domain is None else self.value(bound.domain, frame, path)
            if type(domain) is Unknown or not is_set(domain) or not is_enumerable(domain):
                return None
            elements = tuple(enumerate_set(domain))
            if bound.is_tuple:
                choices.append([dict(zip(bound.slots, each, strict=True)) for each in elements])  # type: ignore[arg-type]
            else:
                choices += [[{slot: each} for each in elements] for slot in bound.slots]
        return (
            frame.bound({key: value for one in chosen for key, value in one.items()}) for chosen in product(*choices)
        )

    def called(self, node: nodes.Call | nodes.CallLocal, frame: Frame) -> tuple[Expression | None, Frame]:
        """The body of what is called, and its frame."""
        if isinstance(node, nodes.Call):
            meant: Any = node.definition
            around = frame.up(node.depth) if node.definition.nested else None
        else:
            function = frame.up(node.depth).slots[node.slot]
            assert isinstance(function, Function)
            meant, around = function.meant, function.around
        assert not isinstance(meant, nodes.PrimitiveOperator)
        slots = {slot: self.argument(each, frame) for slot, each in enumerate(node.args)}
        return meant.body, Frame(slots, around)

    def argument(self, node: nodes.Argument, frame: Frame) -> Any:
        match node:
            case nodes.OperatorArgument(definition, depth):
                return Function(definition, frame.up(depth) if definition.nested else None)
            case nodes.LocalOperator(depth, slot):
                return frame.up(depth).slots[slot]
            case nodes.PrimitiveOperator():
                return Function(node, None)
            case nodes.Literal(value):
                return value
            case _:
                return Later(node, frame)

    def let(self, node: nodes.Let, frame: Frame) -> Frame:
        slots = dict(frame.slots)
        inner = Frame(slots, frame.parent)
        for slot, value in zip(node.slots, node.values, strict=True):
            slots[slot] = Later(value, inner)
        return inner


# ------------------------------------------------------------------------------------------------- names and calls


def _literal(self: Evaluation, node: nodes.Literal, frame: Frame, path: Path) -> Part:
    return node.value


def _variable(self: Evaluation, node: nodes.Variable, frame: Frame, path: Path) -> Part:
    return path.following.get(node.index, ANY) if node.primed else path.current[node.index]


def _local(self: Evaluation, node: nodes.Local, frame: Frame, path: Path) -> Part:
    return self.held(frame.up(node.depth).slots[node.slot], path)


def _call(self: Evaluation, node: nodes.Call | nodes.CallLocal, frame: Frame, path: Path) -> Part:
    if isinstance(node, nodes.CallLocal):
        function = frame.up(node.depth).slots[node.slot]
        if isinstance(function, Function) and isinstance(function.meant, nodes.PrimitiveOperator):
            return _applied(self, function.meant.operator, [self.value(each, frame, path) for each in node.args])  # type: ignore[arg-type]
    body, inner = self.called(node, frame)
    return ANY if body is None else self.value(body, inner, path)


def _let(self: Evaluation, node: nodes.Let, frame: Frame, path: Path) -> Part:
    return self.value(node.body, self.let(node, frame), path)


def _primitive(self: Evaluation, node: nodes.Primitive, frame: Frame, path: Path) -> Part:
    operator = node.operator
    if any(
        isinstance(each, nodes.OperatorArgument | nodes.LocalOperator | nodes.PrimitiveOperator) for each in node.args
    ):
        return _with_operators(self, node, frame, path)
    args = [self.value(each, frame, path) for each in node.args]  # type: ignore[arg-type]
    return ANY if operator.lazy else _applied(self, operator, args)


def _applied(self: Evaluation, operator: Any, args: list[Part]) -> Part:
    if all(map(is_known, args)):
        return operator.function_to_value(self.run)(*args)
    return arithmetic.partly(operator, args)


def _with_operators(self: Evaluation, node: nodes.Primitive, frame: Frame, path: Path) -> Part:
    """An operator of the library that takes operators, if everything turns out to be known."""
    args: list[Any] = []
    for each in node.args:
        found = self.argument(each, frame)
        if isinstance(found, Function):
            args.append(_on_values(self, found, path))
        else:
            value = self.held(found, path)
            if not is_known(value):
                return ANY
            args.append(value)
    return node.operator.function_to_value(self.run)(*args)


def _on_values(self: Evaluation, function: Function, path: Path) -> Callable[..., Any]:
    def on_values(*values: Any) -> Any:
        meant = function.meant
        if isinstance(meant, nodes.PrimitiveOperator):
            found = _applied(self, meant.operator, list(values))
        else:
            found = (
                ANY
                if meant.body is None
                else self.value(meant.body, Frame(dict(enumerate(values)), function.around), path)
            )
        if not is_known(found):
            raise ImpossibleError  # is unknown as a whole
        return found

    return on_values


# ------------------------------------------------------------------------------------------------------------- logic


def _and(self: Evaluation, node: nodes.And, frame: Frame, path: Path) -> Part:
    unknown = False
    for item in node.items:
        found = self.test(item, frame, path)
        if found is False:
            return FALSE
        unknown = unknown or found is None
    return ANY if unknown else TRUE


def _or(self: Evaluation, node: nodes.Or, frame: Frame, path: Path) -> Part:
    unknown = False
    for item in node.items:
        found = self.test(item, frame, path)
        if found is True:
            return TRUE
        unknown = unknown or found is None
    return ANY if unknown else FALSE


def _not(self: Evaluation, node: nodes.Not, frame: Frame, path: Path) -> Part:
    found = self.test(node.operand, frame, path)
    return truth(None if found is None else not found)


def _implies(self: Evaluation, node: nodes.Implies, frame: Frame, path: Path) -> Part:
    left = self.test(node.left, frame, path)
    if left is False:
        return TRUE
    right = self.test(node.right, frame, path)
    return TRUE if right is True else truth(right) if left is True else ANY


def _equivalent(self: Evaluation, node: nodes.Equivalent, frame: Frame, path: Path) -> Part:
    left, right = self.test(node.left, frame, path), self.test(node.right, frame, path)
    return ANY if left is None or right is None else truth(left == right)


def _equal(self: Evaluation, node: nodes.Equal, frame: Frame, path: Path) -> Part:
    return truth(same(self.value(node.left, frame, path), self.value(node.right, frame, path)))


def _member(self: Evaluation, node: nodes.Member, frame: Frame, path: Path) -> Part:
    left = self.value(node.left, frame, path)
    if isinstance(node.right, nodes.SetEnumeration):
        found = [same(left, self.value(item, frame, path)) for item in node.right.items]
        return TRUE if True in found else ANY if None in found else FALSE
    right = self.value(node.right, frame, path)
    if type(right) is Unknown:
        return ANY
    if is_known(left):
        return truth(contains(right, left))
    if is_enumerable(right):
        return ANY if any(same(left, each) is not False for each in enumerate_set(right)) else FALSE
    return ANY


def _if(self: Evaluation, node: nodes.If, frame: Frame, path: Path) -> Part:
    """If the condition is not known, what comes of either, each with what follows from the condition."""
    found = self.test(node.condition, frame, path)
    if found is not None:
        return self.value(node.then if found else node.otherwise, frame, path)
    if self.supposing >= _MOST_SUPPOSED:
        return join(self.value(node.then, frame, path), self.value(node.otherwise, frame, path))
    self.supposing += 1
    try:
        return _either(self, node, frame, path)
    finally:
        self.supposing -= 1


def _either(self: Evaluation, node: nodes.If, frame: Frame, path: Path) -> Part:
    values = []
    for branch, holds in ((node.then, True), (node.otherwise, False)):
        assumed = path.copy()
        if assume(self, node.condition, holds, frame, assumed):
            values.append(self.value(branch, frame, assumed))
    return join(values[0], values[-1]) if values else ANY


def _case(self: Evaluation, node: nodes.Case, frame: Frame, path: Path) -> Part:
    for guard, value in node.arms:
        found = self.test(guard, frame, path)
        if found is None:
            return ANY
        if found:
            return self.value(value, frame, path)
    return ANY if node.other is None else self.value(node.other, frame, path)


def _quantified(self: Evaluation, node: nodes.Quantified, frame: Frame, path: Path) -> Part:
    frames = self.bindings(node.bounds, frame, path)
    if frames is None:
        return ANY
    unknown = False
    for each in frames:
        found = self.test(node.body, each, path)
        if found is not None and found is not node.universal:
            return truth(found)
        unknown = unknown or found is None
    return ANY if unknown else truth(node.universal)


# ------------------------------------------------------------------------------------------- sets, functions, records


def _choose(self: Evaluation, node: nodes.Choose, frame: Frame, path: Path) -> Part:
    for each in self.bindings((node.bound,), frame, path) or ():
        found = self.test(node.body, each, path)
        if found is not False:
            return each.slots[node.bound.slots[0]] if found and not node.bound.is_tuple else ANY
    return ANY


def _filter(self: Evaluation, node: nodes.SetFilter, frame: Frame, path: Path) -> Part:
    frames, kept = self.bindings((node.bound,), frame, path), []
    for each in frames if frames is not None and not node.bound.is_tuple else (None,):
        found = None if each is None else self.test(node.predicate, each, path)
        if found is None or each is None:
            return ANY
        if found:
            kept.append(each.slots[node.bound.slots[0]])
    return make_set(kept)


def _map(self: Evaluation, node: nodes.SetMap, frame: Frame, path: Path) -> Part:
    frames = self.bindings(node.bounds, frame, path)
    return ANY if frames is None else _set(self.value(node.body, each, path) for each in frames)


def _set(items: Iterator[Part]) -> Part:
    found = list(items)
    return make_set(found) if all(map(is_known, found)) else ANY


def _function(self: Evaluation, node: nodes.FunctionLiteral, frame: Frame, path: Path) -> Part:
    slots = [slot for bound in node.bounds for slot in bound.slots]
    frames = self.bindings(node.bounds, frame, path)
    if frames is None or node.self_slot is not None or any(bound.is_tuple for bound in node.bounds):
        return ANY
    chosen = [(tuple(each.slots[slot] for slot in slots), self.value(node.body, each, path)) for each in frames]
    return make_function((key[0] if len(slots) == 1 else key, value) for key, value in chosen)


def _enumeration(self: Evaluation, node: nodes.SetEnumeration, frame: Frame, path: Path) -> Part:
    return _set(self.value(item, frame, path) for item in node.items)


def _tuple(self: Evaluation, node: nodes.TupleLiteral, frame: Frame, path: Path) -> Part:
    return make_tuple(self.value(item, frame, path) for item in node.items)


def _record(self: Evaluation, node: nodes.RecordLiteral, frame: Frame, path: Path) -> Part:
    values = [self.value(value, frame, path) for value in node.values]
    return make_record(dict(zip(node.names, values, strict=True)))


def _all_known(self: Evaluation, parts: tuple[Expression, ...], frame: Frame, path: Path) -> list[Part] | None:
    found = [self.value(each, frame, path) for each in parts]
    return found if all(map(is_known, found)) else None


def _record_set(self: Evaluation, node: nodes.RecordSet, frame: Frame, path: Path) -> Part:
    found = _all_known(self, node.values, frame, path)
    return ANY if found is None else record_set(dict(zip(node.names, found, strict=True)))


def _function_set(self: Evaluation, node: nodes.FunctionSet, frame: Frame, path: Path) -> Part:
    found = _all_known(self, (node.domain, node.range), frame, path)
    return ANY if found is None else FunctionSet(*found)


def _cross(self: Evaluation, node: nodes.CrossProduct, frame: Frame, path: Path) -> Part:
    found = _all_known(self, node.factors, frame, path)
    return ANY if found is None else CrossProduct(tuple(found))


def _apply(self: Evaluation, node: nodes.FunctionApply, frame: Frame, path: Path) -> Part:
    function = self.value(node.function, frame, path)
    argument = self.value(node.argument, frame, path)
    return ANY if type(function) is Unknown or not is_known(argument) else apply(function, argument)


def _field(self: Evaluation, node: nodes.FieldAccess, frame: Frame, path: Path) -> Part:
    record = self.value(node.record, frame, path)
    return record.get(node.name, ANY) if type(record) is Fn else ANY


def _except(self: Evaluation, node: nodes.Except, frame: Frame, path: Path) -> Part:
    function = self.value(node.function, frame, path)
    for number, update in enumerate(node.updates):
        keys = [self.value(each, frame, path) for each in update.path]
        if not all(map(is_known, keys)):
            return ANY
        place = node.function if number == 0 else None
        function = _updated(self, function, keys, update, place, frame, path)
    return function


def _updated(
    self: Evaluation,
    function: Part,
    keys: list[Part],
    update: nodes.Update,
    place: Expression | None,
    frame: Frame,
    path: Path,
) -> Part:
    """`place`: where the function stands, so that what is assumed of `@` is known of it."""
    if type(function) is Unknown:
        return ANY
    old = select(function, keys[0])
    if old is None:
        return function
    if place is not None:
        place = nodes.FunctionApply(place, nodes.Literal(keys[0], update.span), update.span)
    if len(keys) > 1:
        return except_at(function, keys[0], _updated(self, old, keys[1:], update, place, frame, path))
    if update.at_slot is not None:
        frame = frame.bound({update.at_slot: old if place is None else Later(place, frame)})
    return except_at(function, keys[0], self.value(update.value, frame, path))


def _unknown(self: Evaluation, node: Expression, frame: Frame, path: Path) -> Part:
    return ANY


_RULES: dict[type, Callable[..., Part]] = {
    nodes.Literal: _literal,
    nodes.Variable: _variable,
    nodes.Local: _local,
    nodes.Call: _call,
    nodes.CallLocal: _call,
    nodes.Let: _let,
    nodes.Primitive: _primitive,
    nodes.And: _and,
    nodes.Or: _or,
    nodes.Not: _not,
    nodes.Implies: _implies,
    nodes.Equivalent: _equivalent,
    nodes.Equal: _equal,
    nodes.Member: _member,
    nodes.If: _if,
    nodes.Case: _case,
    nodes.Quantified: _quantified,
    nodes.Choose: _choose,
    nodes.SetFilter: _filter,
    nodes.SetMap: _map,
    nodes.FunctionLiteral: _function,
    nodes.SetEnumeration: _enumeration,
    nodes.TupleLiteral: _tuple,
    nodes.RecordLiteral: _record,
    nodes.RecordSet: _record_set,
    nodes.FunctionSet: _function_set,
    nodes.CrossProduct: _cross,
    nodes.FunctionApply: _apply,
    nodes.FieldAccess: _field,
    nodes.Except: _except,
    nodes.Unchanged: _unknown,
    nodes.Enabled: _unknown,
    nodes.Cdot: _unknown,
    nodes.Disjunct: _unknown,
    nodes.Temporal: _unknown,
    nodes.BoxAction: _unknown,
    nodes.AngleAction: _unknown,
}
