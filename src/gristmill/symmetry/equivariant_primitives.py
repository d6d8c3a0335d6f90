"""Do operators of the library treat permuted values alike: permute the arguments, and the result is permuted?

Their declarations say so, some under a condition that is looked at here. Others may depend on the order of values
(`SetToSeq`), on how they are spelt (`ToString`), on the search (`TLCGet`) or on the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gristmill.evaluate.dependencies import Analysis
from gristmill.ir import nodes
from gristmill.library import OPERATORS, Operator
from gristmill.library.declaration import ALIKE, Folds

_COMMUTATIVE: Final = tuple(operator for operator in OPERATORS.values() if operator.commutative)


def is_equivariant(operator: Operator, args: Sequence[Any]) -> bool:
    match operator.equivariance:
        case Folds(accumulator):
            return bool(args) and _order_does_not_matter(args[0], accumulator)
    return operator.equivariance is ALIKE


def _order_does_not_matter(argument: Any, accumulator: int) -> bool:
    """Elements, or something of them, are added, multiplied, united or intersected."""
    match argument:
        case nodes.PrimitiveOperator(operator):
            return operator.commutative
        case nodes.OperatorArgument(definition):
            return any(_accumulates(definition.body, accumulator, by, Analysis()) for by in _COMMUTATIVE)
    return False


def _accumulates(node: Any, slot: int, by: Operator, analysis: Analysis) -> bool:
    """Whether it is what stands in a slot, or something put together with it that does not depend on it."""
    match node:
        case nodes.Local(0, found):
            return found == slot
        case nodes.Let(slots, _, values, body):
            renamed = [new for new, value in zip(slots, values, strict=True) if _is_local(value, slot)]
            others = [value for value in values if not _is_local(value, slot)]
            if len(renamed) != 1 or analysis.mentions(body, slot):
                return False
            apart = not any(analysis.mentions(value, each) for value in others for each in (slot, *renamed))
            return apart and _accumulates(body, renamed[0], by, analysis)
        case nodes.Primitive(operator, (one, other)) if operator is by:
            return any(
                _accumulates(this, slot, by, analysis) and not analysis.mentions(that, slot)  # type: ignore[arg-type]
                for this, that in ((one, other), (other, one))
            )
        case nodes.If(condition, then, otherwise):
            branches = all(_accumulates(branch, slot, by, analysis) for branch in (then, otherwise))
            return branches and not analysis.mentions(condition, slot)
    return False


def _is_local(node: Any, slot: int) -> bool:
    return isinstance(node, nodes.Local) and (node.depth, node.slot) == (0, slot)
