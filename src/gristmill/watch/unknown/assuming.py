"""What follows for the state if a formula is taken to hold: the inverse of evaluating.

`x = 3`, `3 <= x` and the like say something about x, and x may be a part of the state: a variable, an element of a
function, a field; also with something added, or by another name. What does not follow so is not concluded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.library import Form
from gristmill.values import Fn, Interval, enumerate_set, except_at, is_enumerable, select
from gristmill.watch.unknown.frames import Chosen, Frame, Later, Path
from gristmill.watch.unknown.values import (
    ANY,
    ImpossibleError,
    Part,
    Unknown,
    bounds,
    is_known,
    join,
    meet,
    number,
    told_by,
    with_known,
)

if TYPE_CHECKING:
    from gristmill.watch.unknown.evaluating import Evaluation

_MOST_JOINED = 64  # elements of a set of which one is meant


def assume(self: Evaluation, node: Expression, holds: bool, frame: Frame, path: Path) -> bool:
    """Narrows what is known on this path; whether that is possible at all."""
    found = self.test(node, frame, path)
    if found is not None:
        return found is holds
    path.assumed = True
    try:
        _follow(self, node, holds, frame, path)
    except ImpossibleError:
        return False
    return self.test(node, frame, path) is not (not holds)


def _all(self: Evaluation, items: tuple[Expression, ...], holds: bool, frame: Frame, path: Path) -> None:
    for item in items:
        if not assume(self, item, holds, frame, path):
            raise ImpossibleError


def _follow(self: Evaluation, node: Expression, holds: bool, frame: Frame, path: Path) -> None:
    match node:
        case nodes.And(items) if holds:
            _all(self, items, True, frame, path)
        case nodes.Or(items) if not holds:
            _all(self, items, False, frame, path)
        case nodes.And(items) | nodes.Or(items):
            undecided = [item for item in items if self.test(item, frame, path) is not (not holds)]
            if len(undecided) == 1:
                _all(self, (undecided[0],), holds, frame, path)
        case nodes.Not(operand):
            _all(self, (operand,), not holds, frame, path)
        case nodes.Implies(left, right) if not holds:
            _all(self, (left,), True, frame, path)
            _all(self, (right,), False, frame, path)
        case nodes.Implies(left, right):
            if self.test(left, frame, path) is True:
                _all(self, (right,), True, frame, path)
            elif self.test(right, frame, path) is False:
                _all(self, (left,), False, frame, path)
        case nodes.If(condition, then, otherwise):
            _one_branch(self, condition, then, otherwise, holds, frame, path)
        case nodes.Equal(left, right) if holds:
            narrow(self, left, self.value(right, frame, path), frame, path)
            narrow(self, right, self.value(left, frame, path), frame, path)
        case nodes.Member(left, right) if holds:
            narrow(self, left, _one_of(self.value(right, frame, path)), frame, path)
        case nodes.Primitive(operator, (left, right)) if operator.form in _ORDERED:
            _ordered(self, operator.form, left, right, holds, frame, path)  # type: ignore[arg-type]
        case nodes.Let(_, _, _, body):
            _all(self, (body,), holds, self.let(node, frame), path)
        case nodes.Call() | nodes.CallLocal():
            called, inner = self.called(node, frame)
            if called is not None:
                _all(self, (called,), holds, inner, path)
        case nodes.Local(depth, slot):
            held = frame.up(depth).slots.get(slot)
            if type(held) is Later:
                _all(self, (held.expression,), holds, held.frame, path)
        case _:
            pass


def _one_branch(
    self: Evaluation,
    condition: Expression,
    then: Expression,
    otherwise: Expression,
    holds: bool,
    frame: Frame,
    path: Path,
) -> None:
    """Of `IF`: if one branch is not so, it must be the other one."""
    found = self.test(condition, frame, path)
    if found is None:
        excluded = [self.test(branch, frame, path) is (not holds) for branch in (then, otherwise)]
        if not any(excluded):
            return
        found = excluded[1]
        _all(self, (condition,), found, frame, path)
    _all(self, (then if found else otherwise,), holds, frame, path)


_ORDERED = {Form.LESS: (1, False), Form.AT_MOST: (0, False), Form.GREATER: (1, True), Form.AT_LEAST: (0, True)}


def _ordered(
    self: Evaluation, form: Any, left: Expression, right: Expression, holds: bool, frame: Frame, path: Path
) -> None:
    """`apart`: by how much the lesser number is less at least."""
    apart, swapped = _ORDERED[form]
    lesser, greater = (right, left) if swapped else (left, right)
    if not holds:
        lesser, greater, apart = greater, lesser, 1 - apart
    most, least = bounds(self.value(greater, frame, path)), bounds(self.value(lesser, frame, path))
    if most is not None and most[1] is not None:
        narrow(self, lesser, Unknown(None, most[1] - apart), frame, path)
    if least is not None and least[0] is not None:
        narrow(self, greater, Unknown(least[0] + apart, None), frame, path)


def _one_of(values: Part) -> Part:
    """What is known of an element of a set."""
    if type(values) is Interval:
        return number(values.lo, values.hi)
    if type(values) is Unknown or not is_enumerable(values):
        return ANY
    elements = list(enumerate_set(values))
    if not elements:
        raise ImpossibleError
    if len(elements) > _MOST_JOINED:
        return ANY
    found: Part = elements[0]
    for each in elements[1:]:
        found = join(found, each)
    return found


def narrow(self: Evaluation, node: Expression, value: Part, frame: Frame, path: Path) -> None:
    """The expression has this value, as far as that is known. Raises `ImpossibleError` if it cannot have."""
    if type(value) is Unknown and value.is_free:
        return
    meet(self.value(node, frame, path), value)
    match node:
        case nodes.Local(depth, slot):
            held = frame.up(depth).slots.get(slot)
            if type(held) is Later:
                narrow(self, held.expression, value, held.frame, path)
            elif type(held) is Chosen:
                path.choose(held, meet(self.held(held, path), value))
        case nodes.Variable() | nodes.FunctionApply() | nodes.FieldAccess():
            _narrow_place(self, node, value, frame, path)
        case nodes.Primitive(operator, (left, right)) if operator.form in (Form.ADD, Form.SUBTRACT):
            _narrow_sum(self, operator.form, left, right, value, frame, path)  # type: ignore[arg-type]
        case nodes.If(condition, then, otherwise):
            found = self.test(condition, frame, path)
            if found is not None:
                narrow(self, then if found else otherwise, value, frame, path)
        case nodes.Call() | nodes.CallLocal():
            body, inner = self.called(node, frame)
            if body is not None:
                narrow(self, body, value, inner, path)
        case nodes.Let(_, _, _, body):
            narrow(self, body, value, self.let(node, frame), path)
        case nodes.RecordLiteral(names, values) if type(value) is Fn:
            for name, each in zip(names, values, strict=True):
                narrow(self, each, value.get(name, ANY), frame, path)
        case nodes.TupleLiteral(items) if type(value) is tuple and len(value) == len(items):
            for each, known in zip(items, value, strict=True):
                narrow(self, each, known, frame, path)
        case _:
            pass


def _narrow_sum(
    self: Evaluation, form: Any, left: Expression, right: Expression, value: Part, frame: Frame, path: Path
) -> None:
    """One summand, if the other one is known."""
    wanted = bounds(value)
    if wanted is None:
        return
    one, other = self.value(left, frame, path), self.value(right, frame, path)
    if type(other) is int:
        by = -other if form is Form.ADD else other
        narrow(self, left, _moved(wanted, by), frame, path)
    elif type(one) is int and form is Form.ADD:
        narrow(self, right, _moved(wanted, -one), frame, path)


def _moved(wanted: tuple[int | None, int | None], by: int) -> Part:
    least, most = wanted
    return number(None if least is None else least + by, None if most is None else most + by)


def _narrow_place(self: Evaluation, node: Expression, value: Part, frame: Frame, path: Path) -> None:
    """A part of a variable in this state, if the expression is one."""
    keys: list[Part] = []
    while not isinstance(node, nodes.Variable):
        match node:
            case nodes.FunctionApply(function, argument):
                keys.append(self.value(argument, frame, path))
                node = function
            case nodes.FieldAccess(record, name):
                keys.append(name)
                node = record
            case nodes.Local(depth, slot):
                held = frame.up(depth).slots.get(slot)
                if type(held) is not Later:
                    return
                node, frame = held.expression, held.frame
            case nodes.Call() | nodes.CallLocal():
                body, frame = self.called(node, frame)
                if body is None:
                    return
                node = body
            case _:
                return
    if not node.primed and all(map(is_known, keys)):
        known: dict[str, Part] = {}
        path.know(node.index, _put(path.current[node.index], keys[::-1], value, known))
        for index, each in enumerate(path.current) if known else ():
            path.know(index, with_known(each, known))


def _put(whole: Part, keys: list[Part], value: Part, known: dict[str, Part]) -> Part:
    """`known`: what that tells of unknown values elsewhere."""
    if not keys:
        told_by(whole, value, known)
        return meet(whole, value)
    if type(whole) is Unknown:
        return whole
    old = select(whole, keys[0])
    return whole if old is None else except_at(whole, keys[0], _put(old, keys[1:], value, known))
