"""Detects an ambiguous CHOOSE (a second witness exists), which would make symmetry reduction unsound.

A CHOOSE with one witness is equivariant (see `equivariance`), and so is one among values that no permutation changes.
It is a hook in the compiler of its own, used only where a symmetry is declared, since looking for a second witness
costs time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gristmill.evaluate.binders import bind, columns, domain
from gristmill.evaluate.compiler import Compiler
from gristmill.evaluate.dependencies import EFFECT, IMPURE
from gristmill.evaluate.frames import Frame, TestCode, ValueCode
from gristmill.ir.nodes import Choose
from gristmill.source import Span
from gristmill.symmetry.permuted_values import Moved
from gristmill.values import EvaluationError, Value, enumerate_set, normalize

_MOST_CANDIDATES = 10_000  # of one evaluation; among more, one does not look for a second witness


class ChoiceMonitor:
    """`ambiguous`: the places where CHOOSE took one of several, or may have. It looks only while it is `open`."""

    def __init__(self) -> None:
        self.open = True
        self.moved = Moved()
        self.ambiguous: dict[Span, None] = {}

    def compiler(self) -> type[Compiler]:
        tables = {"values": {**Compiler.values, Choose: self._monitored(Compiler.values[Choose])}}
        return type("MonitoringCompiler", (Compiler,), tables)

    def _monitored(self, form: Callable[[Compiler, Any], ValueCode]) -> Callable[[Compiler, Any], ValueCode]:
        def monitored_form(compiler: Compiler, node: Choose) -> ValueCode:
            choose, is_other = form(compiler, node), _other_witness(compiler, node)

            def monitored(frame: Frame) -> Value:
                found = choose(frame)
                if self.open and node.span not in self.ambiguous and is_other(frame, found, self.moved):
                    self.ambiguous[node.span] = None
                return found

            return monitored

        return monitored_form


def _other_witness(compiler: Compiler, node: Choose) -> Callable[[Frame, Value, Moved], bool]:
    """Whether a CHOOSE could have taken another element, one that a permutation may make of the first."""
    if compiler.analysis.of(node).bits & (IMPURE | EFFECT):  # evaluating it once more would do something once more
        return lambda frame, found, moved: True
    candidates = domain(compiler, node.bound, "CHOOSE")
    ((_, column), *_) = columns((node.bound,))
    body: TestCode = compiler.test(node.body)

    def is_other(frame: Frame, found: Value, moved: Moved) -> bool:
        collection = candidates(frame)
        if not moved.occur_in(collection):
            return False
        found = normalize(found)
        try:
            for number, value in enumerate(enumerate_set(collection)):
                if number > _MOST_CANDIDATES:
                    return True
                if normalize(value) != found:
                    bind(frame, column, value)
                    if body(frame):
                        return True
        except EvaluationError:
            return True
        return False

    return is_other
