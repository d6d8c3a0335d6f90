"""Formulas: three truth values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gristmill.ir import nodes
from gristmill.values import FALSE, TRUE, contains, enumerate_set, is_enumerable
from gristmill.watch.unknown.assuming import assume
from gristmill.watch.unknown.frames import Frame, Path
from gristmill.watch.unknown.rules.rule import Rule
from gristmill.watch.unknown.values import ANY, Part, Unknown, is_known, join, same, truth

if TYPE_CHECKING:
    from gristmill.watch.unknown.evaluating import Evaluation

_MOST_SUPPOSED = 1


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


RULES: Mapping[type, Rule] = {
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
}
