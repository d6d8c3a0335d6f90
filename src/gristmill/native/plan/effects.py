"""What evaluating a model does besides, or asks for: output, registers, chance, how far the search is.

Three sorts of such things:

- What is the same during a whole run is a constant here: `TLCGet("config")`, a definition without parameters that is
  drawn at random or read from a file, once.
- The level of a state is known to every worker of a search, at any time.
- All else makes the order of evaluation matter. The search then goes step by step, with one worker, as the reference
  evaluator does it (`core/ordered.c`), which is asked for each such operator when its turn comes. That is exact only
  where native code evaluates in the same order, and as often: `refuse` tells where it may not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from gristmill.evaluate.dependencies import COMPOSE, CURRENT, EFFECT, IMPURE, Analysis
from gristmill.ir import nodes
from gristmill.ir.nodes import Definition
from gristmill.ir.walk import Node, calls_itself, children, operators_in, reachable
from gristmill.library import Effect, Form
from gristmill.library.effects import SILENT
from gristmill.library.tlc import is_fixed_statistic
from gristmill.native.errors import Unsupported

LEVEL: Final = 64  # the level of this state; a bit of `Dependencies`
ORDERED: Final = IMPURE | EFFECT | COMPOSE
_STATISTICS: Final = (Form.STATISTIC, Form.NEXT_STATISTIC)

# Native code evaluates these for some elements only, or not in order, or not once for each.
_FREE = (
    nodes.SetFilter,
    nodes.SetMap,
    nodes.FunctionLiteral,
    nodes.Choose,
    nodes.OperatorArgument,
    nodes.PrimitiveOperator,
)


class NativeAnalysis(Analysis):
    """What an expression depends on, as the native engine sees it."""

    def __init__(self) -> None:
        super().__init__()
        self._loud: dict[Definition, bool] = {}

    def _own_bits(self, node: Any) -> int:
        match node:
            case nodes.Primitive(operator, (nodes.Literal("level"),)) if operator.form in _STATISTICS:
                return LEVEL
            case nodes.Primitive(operator, (nodes.Literal(str(key)),)) if operator.form is Form.STATISTIC:
                return 0 if is_fixed_statistic(key) else super()._own_bits(node)
            case nodes.Primitive(operator) if operator.form is Form.TRAP:
                return CURRENT  # it is evaluated in states, never while compiling
            case nodes.Call(definition) if self.is_constant_definition(definition):
                return 0
        return super()._own_bits(node)

    def is_constant_definition(self, definition: Definition) -> bool:
        """Evaluated once in a run, and it does not matter when."""
        return super().is_constant_definition(definition) and not self._is_loud(definition)

    def _is_loud(self, definition: Definition) -> bool:
        if definition.is_settled or not self.definition_bits(definition) & EFFECT:
            return False
        found = self._loud.get(definition)
        if found is None:
            found = any(not operator.does_only(SILENT) for operator in operators_in(definition.body))
            self._loud[definition] = found
        return found

    # ------------------------------------------------------------------------------------------------ order matters

    def is_ordered(self, node: Any) -> bool:
        return bool(self.of(node).bits & (IMPURE | EFFECT))

    def ordered_parts(self, node: Node) -> Iterator[Node]:
        """The parts of an expression, and of what it calls, of which it matters when they are evaluated."""

        def below(each: Node) -> Iterable[Node]:
            return children(each) if self.is_ordered(each) else ()

        return filter(self.is_ordered, reachable(node, below=below, into=self.is_ordered))

    def refuse(self, node: Any) -> None:
        """Raise `Unsupported` where native code would not evaluate all that matters in order, and as often."""
        if any(isinstance(each, _FREE) for each in self.ordered_parts(node)):
            raise Unsupported("something with effects inside of a set, a function or an operator")
        if any(isinstance(each, nodes.Call) and calls_itself(each.definition) for each in self.ordered_parts(node)):
            raise Unsupported("something with effects in a recursion, which may have no end")

    def cannot_be_repeated(self, node: Any) -> bool:
        """A search that begins anew would not do the same again: a value was kept, or a file has changed."""
        for each in self.ordered_parts(node):
            match each:
                case nodes.Primitive(operator) | nodes.PrimitiveOperator(operator):
                    if operator.keeps or operator.effects & Effect.READS_FILES:
                        return True
                case nodes.Call(definition) if Analysis.is_constant_definition(self, definition):
                    return True
        return False

    def draws(self, node: Any) -> bool:
        operators = (nodes.Primitive, nodes.PrimitiveOperator)
        parts = self.ordered_parts(node)
        return any(isinstance(each, operators) and each.operator.effects & Effect.DRAWS for each in parts)


__all__ = ["LEVEL", "ORDERED", "NativeAnalysis"]
