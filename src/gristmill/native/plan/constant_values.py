"""Values of constant expressions, as native code can hold them."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from gristmill.evaluate.dependencies import Analysis
from gristmill.ir import nodes
from gristmill.ir.nodes import Code, Expression
from gristmill.native.codec import encode
from gristmill.native.errors import NoNativeFormError
from gristmill.native.plan.effort import Effort
from gristmill.values import (
    INT,
    NAT,
    STRING,
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
    is_enumerable,
    normalize,
)
from gristmill.values.lazy import LazyDifference, LazyIntersection, LazyUnion

ATOMS = frozenset((int, str, Boolean, ModelValue))
_LOOPS = (nodes.Call, nodes.Quantified, nodes.Choose, nodes.SetFilter, nodes.SetMap, nodes.FunctionLiteral)
_MOST_EFFORT = 200_000  # evaluations, for which the reference evaluator takes about half a second
_ROOM = 1_000  # slots of a frame, for any expression


def identity(value: Value) -> Hashable:
    """Tells values apart also where they cannot be compared."""
    return (type(value), value) if type(value) in ATOMS else encode(value)


class ConstantValues:
    """`evaluate` is the reference evaluator's, for constant expressions.

    `patient`: evaluate also what is a great effort. `as_written`: a set is to be printed as it was written, `1..3`.
    """

    def __init__(self, evaluate: Callable[[Code], Value], analysis: Analysis) -> None:
        self._evaluate = evaluate
        self._analysis = analysis
        self._effort = Effort(self._described)
        self.patient = False
        self.as_written = False
        self.was_impatient = False  # something was a great effort, and has not been evaluated

    def of(self, node: Expression) -> Value | None:
        """Of an expression without names; None if it has none, or none that native code can hold."""
        try:
            return _with_native_form(_as_constant(self._run(node), self.as_written))
        except (EvaluationError, RecursionError):  # it may never be evaluated
            return None

    def is_laborious(self, node: Expression) -> bool:
        """Whether native code had better find the value of something that is the same in every state."""
        if self.patient or type(node) not in _LOOPS or self._analysis.of(node).bits:
            return False
        is_laborious = self._effort.of(node) > _MOST_EFFORT
        self.was_impatient |= is_laborious
        return is_laborious

    def _described(self, node: Expression) -> Value | None:
        """The value of an expression that is the same everywhere, as the reference evaluator has it."""
        if not self._analysis.is_constant(node):
            return None
        try:
            return self._run(node)
        except (EvaluationError, RecursionError):
            return None

    def _run(self, node: Expression) -> Value:
        return self._evaluate(Code(node, _ROOM, "a constant", node.span))


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
