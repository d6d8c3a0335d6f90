"""The constants of a generated program: values known before it runs.

They are handed over as data when it is loaded, so that no string of a specification is ever part of the C text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gristmill.evaluate.dependencies import Analysis
from gristmill.ir import nodes
from gristmill.ir.nodes import Code, Expression
from gristmill.native.codec import NoNativeFormError, encode
from gristmill.native.errors import Unsupported
from gristmill.values import (
    INT,
    NAMES,
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
    is_enumerable,
    normalize,
)
from gristmill.values.lazy import LazyDifference, LazyIntersection, LazyUnion

MAX_INT = (1 << 60) - 1


class Constants:
    """`evaluate` is the reference evaluator's, for constant expressions."""

    def __init__(self, evaluate: Callable[[Code], Value], analysis: Analysis) -> None:
        self.values: list[Value] = []
        self._evaluate = evaluate
        self._analysis = analysis
        self._numbers: dict[Any, int] = {}
        self._folded: dict[int, tuple[Expression, Value | None]] = {}

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
                return f"((V){NAMES.register(value) << 4 | 2}u)"
            case ModelValue():
                return f"((V){NAMES.register(value.name) << 4 | 10}u)"
        return f"K[{self._number(value)}]"

    def _number(self, value: Value) -> int:
        key = (type(value), value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.values)
            self.values.append(value)
        return number

    def fold(self, node: Expression, frame_size: int) -> Value | None:
        """The value of an expression that is the same everywhere; None if it is not, or cannot be evaluated."""
        if isinstance(node, nodes.Literal):
            return node.value
        known = self._folded.get(id(node))
        if known is None:
            known = self._folded[id(node)] = (node, self._fold(node, frame_size))
        return known[1]

    def _fold(self, node: Expression, frame_size: int) -> Value | None:
        if isinstance(node, nodes.Local) or not self._is_constant(node):
            return None
        try:
            return _with_native_form(_as_constant(self._evaluate(Code(node, frame_size, "a constant", node.span))))
        except (EvaluationError, RecursionError):  # it may never be evaluated
            return None

    def _is_constant(self, node: Expression) -> bool:
        if isinstance(node, nodes.Call) and self._analysis.is_constant_definition(node.definition):
            return True  # evaluated once for the whole run, also if it is drawn at random
        return self._analysis.is_constant(node)


def _with_native_form(value: Value | None) -> Value | None:
    """The value, unless native code cannot hold it: its expression then fails where it is evaluated."""
    try:
        if value is not None and type(value) not in _ATOMS:
            encode(value)
    except NoNativeFormError:
        return None
    return value


_ATOMS = frozenset((int, str, Boolean, ModelValue))
_PLAIN = _ATOMS | {frozenset, tuple, Fn}
_DESCRIBED = frozenset(
    (Interval, PowerSet, FunctionSet, RecordSet, CrossProduct, SequenceSet, LazyUnion, LazyIntersection, LazyDifference)
)


_LISTED = 256  # elements; smaller intervals are listed, which makes going through them faster


def _as_constant(value: Value) -> Value | None:
    """A value that native code has a form for."""
    if type(value) is Interval and value.hi - value.lo < _LISTED:
        return normalize(value)
    if type(value) in _PLAIN or type(value) in _DESCRIBED or value in (NAT, INT, STRING):
        return value
    return normalize(value) if is_enumerable(value) else None
