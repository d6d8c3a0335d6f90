"""The constants of a generated program: values known before it runs.

They are handed over as data when it is loaded, so that no string of a specification is ever part of the C text.
"""

from __future__ import annotations

from collections.abc import Hashable

from gristmill.evaluate.dependencies import Analysis
from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.ir.substitute import substituted
from gristmill.native.emit.scope import Scope
from gristmill.native.errors import Unsupported
from gristmill.native.plan.constant_values import ConstantValues, identity
from gristmill.values import TRUE, Boolean, ModelValue, Value, current

MAX_INT = (1 << 60) - 1


class Constants:
    def __init__(self, found: ConstantValues, analysis: Analysis) -> None:
        self.values: list[Value] = []
        self._found = found
        self._analysis = analysis
        self._numbers: dict[Hashable, int] = {}
        self._folded: dict[Hashable, tuple[Expression, Value | None]] = {}

    def text(self, value: Value) -> str:
        """The C expression for a value."""
        match value:
            case Boolean():
                return "GM_TRUE" if value is TRUE else "GM_FALSE"
            case int():
                if not -MAX_INT <= value <= MAX_INT:
                    raise Unsupported("an integer beyond 60 bits")
                return f"gm_int({value}LL)"
            case str():
                return f"((V){current().register(value) << 4 | 2}u)"
            case ModelValue():
                if value.type is not None:
                    self._number(value)  # not for its own sake: the constants tell the types of model values
                return f"((V){current().register(value.name) << 4 | 10}u)"
        return f"K[{self._number(value)}]"

    def _number(self, value: Value) -> int:
        key = identity(value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.values)
            self.values.append(value)
        return number

    def fold(self, node: Expression, scope: Scope) -> Value | None:
        """The value of an expression that is the same whenever it is evaluated here; None if it is not, or has none."""
        if isinstance(node, nodes.Literal):
            return node.value
        if isinstance(node, nodes.Local):
            return _known(scope, node.depth, node.slot)
        found = self._analysis.of(node)
        if found.bits or self._found.is_laborious(node):
            return None
        slots = sorted(found.locals)
        values = [value for depth, slot in slots if (value := _known(scope, depth, slot)) is not None]
        if len(values) < len(slots):
            return None
        key = (id(node), *map(identity, values))
        known = self._folded.get(key)
        if known is None:
            closed = substituted(node, dict(zip(slots, values, strict=True))) if slots else node
            known = self._folded[key] = (node, self._found.of(closed))
        return known[1]

    def is_lasting(self, node: Expression) -> bool:
        """Whether native code finds it once for all."""
        return self._found.is_laborious(node) and not self._analysis.of(node).locals


def _known(scope: Scope, depth: int, slot: int) -> Value | None:
    found = scope.up(depth).known.get(slot)
    return None if found is None else found.value
