"""What the passes for native code ask of the evaluator."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from gristmill.evaluate.dependencies import COMPOSE, CURRENT, EFFECT, IMPURE, Analysis
from gristmill.ir.nodes import Call, Expression, Literal
from gristmill.native.plan.constant_values import ConstantValues, identity
from gristmill.native.plan.remembered import is_remembered
from gristmill.values import Value, cardinality, enumerate_set, is_enumerable, is_set
from gristmill.values.operations.sets import counts_quickly


class EvaluatedForNative:
    """See `ir.passes.facts.NativeFacts`."""

    def __init__(self, analysis: Analysis, values: ConstantValues) -> None:
        self._analysis, self._values = analysis, values
        self.may_remember = True
        self._known: dict[int, tuple[Expression, Value | None]] = {}
        self._tests: dict[tuple[int, bool], tuple[Expression, bool]] = {}

    def elements(self, node: Expression, most: int) -> tuple[Value, ...] | None:
        found = self.value(node)
        if found is None or not is_set(found) or not is_enumerable(found):
            return None
        if not counts_quickly(found) or cardinality(found) > most:
            return None
        return tuple(enumerate_set(found))

    def is_test(self, node: Expression, initial: bool = False) -> bool:
        key = (id(node), initial)
        known = self._tests.get(key)
        if known is None:
            known = self._tests[key] = (node, self._analysis.is_test(node, initial))
        return known[1]

    def has_effects(self, node: Expression) -> bool:
        return bool(self._analysis.of(node).bits & (IMPURE | EFFECT | COMPOSE))

    def value(self, node: Expression) -> Value | None:
        if isinstance(node, Literal):
            return node.value
        if not self._analysis.is_constant(node) or self._values.is_laborious(node):
            return None
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = (node, self._values.of(node))
        return known[1]

    def identity(self, value: Value) -> Hashable:
        return identity(value)

    def is_remembered(self, node: Call) -> bool:
        return self.may_remember and is_remembered(node, self._analysis)

    def mentions(self, node: Expression, slots: Collection[int]) -> bool:
        return any(self._analysis.mentions(node, slot) for slot in slots)

    def is_of_this_state(self, node: Expression) -> bool:
        return not self._analysis.of(node).bits & ~CURRENT
