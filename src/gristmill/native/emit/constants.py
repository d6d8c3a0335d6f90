"""The constants of a generated program: values known before it runs.

They are handed over as data when it is loaded, so that no string of a specification is ever part of the C text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from gristmill.evaluate.dependencies import Analysis
from gristmill.ir import nodes
from gristmill.ir.nodes import Code, Expression
from gristmill.ir.substitute import substituted
from gristmill.native.codec import encode
from gristmill.native.emit.scope import ATOMS, Scope, identity
from gristmill.native.errors import NoNativeFormError, Unsupported
from gristmill.native.plan.effort import Effort
from gristmill.values import (
    INT,
    NAT,
    STRING,
    TRUE,
    Boolean,
    CrossProduct,
    EvaluationError,
    Fn,
    FunctionSet,
    Interval,
    ModelValue,
    PowerSet,
    RecordSet,
    SequenceSet,
    Value,
    current,
    is_enumerable,
    normalize,
)
from gristmill.values.lazy import LazyDifference, LazyIntersection, LazyUnion

MAX_INT = (1 << 60) - 1


_LOOPS = (nodes.Call, nodes.Quantified, nodes.Choose, nodes.SetFilter, nodes.SetMap, nodes.FunctionLiteral)
_MOST_EFFORT = 200_000  # evaluations, for which the reference evaluator takes about half a second
_ROOM = 1_000  # slots of a frame, for any expression


class Constants:
    """`evaluate` is the reference evaluator's, for constant expressions."""

    def __init__(self, evaluate: Callable[[Code], Value], analysis: Analysis) -> None:
        self.values: list[Value] = []
        self._evaluate = evaluate
        self._analysis = analysis
        self._numbers: dict[Hashable, int] = {}
        self._effort = Effort(self._described)
        self.patient = False  # whether to evaluate also what is a great effort
        self.as_written = False  # whether a set is to be printed as it was written: 1..3
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
        if found.bits and not self._is_drawn_once(node):
            return None
        if self.is_laborious(node):
            return None
        slots = sorted(found.locals)
        values = [value for depth, slot in slots if (value := _known(scope, depth, slot)) is not None]
        if len(values) < len(slots):
            return None
        key = (id(node), *map(identity, values))
        known = self._folded.get(key)
        if known is None:
            closed = substituted(node, dict(zip(slots, values, strict=True))) if slots else node
            known = self._folded[key] = (node, self._value(closed, scope.size))
        return known[1]

    def is_laborious(self, node: Expression) -> bool:
        """Whether native code had better find the value of something that is the same in every state."""
        if self.patient or type(node) not in _LOOPS or self._analysis.of(node).bits:
            return False
        return self._effort.of(node) > _MOST_EFFORT

    def is_lasting(self, node: Expression) -> bool:
        """Whether native code finds it once for all."""
        return self.is_laborious(node) and not self._analysis.of(node).locals

    def _described(self, node: Expression) -> Value | None:
        """The value of an expression that is the same everywhere, as the reference evaluator has it."""
        found = self._analysis.of(node)
        if found.bits or found.locals:
            return None
        try:
            return self._evaluate(Code(node, _ROOM, "a constant", node.span))
        except (EvaluationError, RecursionError):
            return None

    def _value(self, node: Expression, frame_size: int) -> Value | None:
        try:
            value = self._evaluate(Code(node, frame_size, "a constant", node.span))
            return _with_native_form(_as_constant(value, self.as_written))
        except (EvaluationError, RecursionError):  # it may never be evaluated
            return None

    def _is_drawn_once(self, node: Expression) -> bool:
        """Evaluated once for the whole run, also if it is drawn at random."""
        return isinstance(node, nodes.Call) and self._analysis.is_constant_definition(node.definition)


def _known(scope: Scope, depth: int, slot: int) -> Value | None:
    found = scope.up(depth).known.get(slot)
    return None if found is None else found.value


def _with_native_form(value: Value | None) -> Value | None:
    """The value, unless native code cannot hold it: its expression then fails where it is evaluated."""
    try:
        if value is not None and type(value) not in ATOMS:
            encode(value)
    except NoNativeFormError:
        return None
    return value


_PLAIN = ATOMS | {frozenset, tuple, Fn}
_DESCRIBED = frozenset(
    (Interval, PowerSet, FunctionSet, RecordSet, CrossProduct, SequenceSet, LazyUnion, LazyIntersection, LazyDifference)
)


_LISTED = 256  # elements; smaller intervals are listed, which makes going through them faster


def _as_constant(value: Value, as_written: bool) -> Value | None:
    """A value that native code has a form for."""
    if not as_written and type(value) is Interval and value.hi - value.lo < _LISTED:
        return normalize(value)
    if type(value) in _PLAIN or type(value) in _DESCRIBED or value in (NAT, INT, STRING):
        return value
    return normalize(value) if is_enumerable(value) else None
