"""Sets, functions, records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.values import (
    CrossProduct,
    Fn,
    FunctionSet,
    apply,
    except_at,
    make_function,
    make_record,
    make_set,
    make_tuple,
    record_set,
    select,
)
from gristmill.watch.unknown.frames import Frame, Later, Path
from gristmill.watch.unknown.rules.rule import Rule
from gristmill.watch.unknown.values import ANY, Part, Unknown, is_known

if TYPE_CHECKING:
    from gristmill.watch.unknown.evaluating import Evaluation


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


RULES: Mapping[type, Rule] = {
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
}
