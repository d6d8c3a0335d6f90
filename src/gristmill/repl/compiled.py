"""Expressions that are evaluated often, and what is wrong with them in terms of what was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from gristmill.evaluate import Context, Evaluator
from gristmill.ir.levels import CONSTANT, level
from gristmill.ir.model import Model
from gristmill.ir.nodes import Variable
from gristmill.ir.walk import reachable
from gristmill.reference.model import failure_of
from gristmill.repl.assembled import AssembledFile
from gristmill.source import Diagnostic, SourceError
from gristmill.values import EvaluationError, Value, evaluated

Used = TypeVar("Used")

VALUE = "GristmillValue"  # the name of an expression in the module that is built around it


class Compiled:
    """The value of an expression, in a state unless it is a constant."""

    def __init__(self, model: Model, file: AssembledFile, context: Context) -> None:
        assert model.view is not None
        self.variables, self.file = model.variables, file
        self.is_constant = level(model.view.code.body) == CONSTANT
        self.reads = frozenset(node.name for node in reachable(model.view.code.body) if isinstance(node, Variable))
        evaluator = Evaluator(model.variables, context)
        self._constant = evaluator.value(model.view.code)
        self._in_state = evaluator.state_function(model.view.code)

    def value(self, state: Mapping[str, Value] | None) -> Value:
        """Raises `SourceError`."""
        with told_in(self.file):
            return told(lambda: evaluated(self._value(state)))

    def _value(self, state: Mapping[str, Value] | None) -> Value:
        if self.is_constant:
            return self._constant()
        if state is None:
            message = "this speaks of variables, and no state is given to look at"
            raise SourceError(Diagnostic("no-state", message, help="say in which state it is to be evaluated"))
        return self._in_state(tuple(state[name] for name in self.variables))

    def in_state(self, values: tuple[Value, ...]) -> Value:
        """The same, where the values stand in the order of `variables`. Raises `EvaluationError`."""
        return evaluated(self._constant() if self.is_constant else self._in_state(values))


@contextmanager
def told_in(file: AssembledFile) -> Iterator[None]:
    """What is wrong with the text, in terms of what was typed."""
    try:
        yield
    except SourceError as error:
        raise SourceError(_in_words(file.in_pieces(each)) for each in error.diagnostics) from None


def told(evaluate: Callable[[], Used]) -> Used:
    try:
        return evaluate()
    except EvaluationError as error:
        raise SourceError(_without_ours(each) for each in failure_of(error).diagnostics) from None


def _in_words(diagnostic: Diagnostic) -> Diagnostic:
    """The expression was assembled as a VIEW: messages must not say so."""
    if diagnostic.id == "wrong-level":
        what = "this speaks of steps or behaviours; only constants and what depends on a state have a value"
        return replace(diagnostic, message=what)
    return diagnostic


def _without_ours(diagnostic: Diagnostic) -> Diagnostic:
    """Leaves out calls of the definitions generated around an expression."""
    return replace(diagnostic, labels=tuple(each for each in diagnostic.labels if VALUE not in each.text))
