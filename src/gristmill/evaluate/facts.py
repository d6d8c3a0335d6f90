"""What the passes over the IR ask of the reference evaluator."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.evaluate.context import Context
from gristmill.evaluate.dependencies import COMPOSE, EFFECT, IMPURE, Analysis
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir import nodes
from gristmill.ir.nodes import Code, Expression
from gristmill.ir.walk import Node, calls_itself, reachable
from gristmill.values import EvaluationError, Value, cardinality, enumerate_set, is_enumerable, is_set
from gristmill.values.operations.sets import counts_quickly

_LOOPS = (nodes.Quantified, nodes.Choose, nodes.SetFilter, nodes.SetMap, nodes.FunctionLiteral)
_MOST_NODES = 100  # of an expression that is evaluated for a pass


class EvaluatedFacts:
    """See `ir.passes.facts`. Only what costs nothing is evaluated: whatever else there is has its time later."""

    def __init__(self, variables: Sequence[str]) -> None:
        self._evaluator = Evaluator(variables, Context(variables, output=lambda line: None))
        self._analysis = Analysis()

    def elements(self, node: Expression, most: int) -> tuple[Value, ...] | None:
        if not self._analysis.is_constant(node) or not _is_easy(node):
            return None
        try:
            found = self._evaluator.value(Code(node, _MOST_NODES, "a set", node.span))()
            if not is_set(found) or not is_enumerable(found) or not counts_quickly(found) or cardinality(found) > most:
                return None
            return tuple(enumerate_set(found))
        except (EvaluationError, RecursionError):  # reported when the value is needed
            return None

    def is_test(self, node: Expression, initial: bool = False) -> bool:
        return self._analysis.is_test(node, initial)

    def has_effects(self, node: Expression) -> bool:
        return bool(self._analysis.of(node).bits & (IMPURE | EFFECT | COMPOSE))


def _is_easy(node: Node) -> bool:
    for count, each in enumerate(reachable(node)):
        if isinstance(each, _LOOPS) or count > _MOST_NODES:
            return False
        if isinstance(each, nodes.Call) and calls_itself(each.definition):
            return False
    return True
