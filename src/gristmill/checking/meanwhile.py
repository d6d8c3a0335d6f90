"""Beside a search that lasts: what would have to be found out after it.

Which antecedents of invariants are ever true is known of most soon, from the states that the reference evaluator has
found. Those that are left will be asked of all states by compiled code: it is compiled while there are none yet.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

from gristmill.explain.vacuity import from_everywhere
from gristmill.native.errors import NoNativeFormError, Unsupported
from gristmill.values import EvaluationError

if TYPE_CHECKING:
    from gristmill.checking.native import NativeExplorer
    from gristmill.native.run.engine import Engine

_MOST_STATES = 200  # that are looked at


class Meanwhile:
    """For one search; it shares the reference evaluator with it, one question at a time."""

    def __init__(self, explorer: NativeExplorer, engine: Engine) -> None:
        self._explorer, self._engine = explorer, engine

    def begin(self, is_over: Callable[[], bool]) -> None:
        """In the thread that waits for the search, which `is_over` may tell to be over."""
        if self._explorer.further is not None:  # predicates for temporal properties are being compiled
            return
        try:
            if self._look(is_over):
                self._compile()
        except (NoNativeFormError, Unsupported, EvaluationError):
            pass  # it is tried once more after the search, where somebody can be told

    def _look(self, is_over: Callable[[], bool]) -> bool:
        """Whether there is something to compile, and time."""
        states = self._explorer.first
        with self._engine.between_questions():
            antecedents = self._engine.searchable.antecedents()
        for place in islice(from_everywhere(len(states)), _MOST_STATES):
            if is_over() or not antecedents.unmet:
                break
            with self._engine.between_questions():
                antecedents.look(states[place])
        return bool(antecedents.unmet) and not is_over()

    def _compile(self) -> None:
        from gristmill.native.emit.generate import generate_predicates
        from gristmill.native.run.predicates import Compiling, compile_predicates

        engine, stop = self._engine, self._explorer.stop
        evaluate = engine.searchable.evaluator.value
        codes = [(code, False) for code in engine.searchable.antecedents().unmet]
        with engine.between_questions():
            model = engine.searchable.specified
            found = generate_predicates(
                model, engine.generated, engine.primitives, lambda code: evaluate(code)(), codes
            )
        pool = ThreadPoolExecutor(1)
        compiling = pool.submit(compile_predicates, found, stop)
        pool.shutdown(wait=False)
        engine.further.expect(Compiling(codes, found, compiling.result))
