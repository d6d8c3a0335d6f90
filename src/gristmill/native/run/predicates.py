"""Predicates of temporal formulas in C: a program of their own, beside that of the model.

It may be the larger one, but is not needed before there are states: it is compiled beside the model, during the search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.cc import CacheError, CompilerError, Stop
from gristmill.ir.nodes import Code
from gristmill.native.emit.generate import Predicates, generate_predicates
from gristmill.native.errors import NoNativeFormError
from gristmill.native.run.compiled import compile_soon
from gristmill.source.quick_dataclass import dataclass

if TYPE_CHECKING:
    from gristmill.native.run.engine import Engine

Codes = Sequence[tuple[Code, bool]]
"""With whether they are of steps."""


def compile_predicates(predicates: Predicates, stop: Stop | None = None) -> Path:
    """They are evaluated once in each state, which takes less time than the search, and mostly than the compiler."""
    return compile_soon(predicates.text, predicates.cost, stop)[0]


@dataclass(frozen=True, slots=True)
class Compiling:
    codes: Codes
    predicates: Predicates
    library: Callable[[], Path]


class FurtherPredicates:
    """Of one engine; linked when first asked for. What cannot be compiled has no address."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._expected: Compiling | None = None
        self._known: dict[int, tuple[Code, int | None]] = {}

    def expect(self, compiling: Compiling | None) -> None:
        """Some that are being compiled for this very layout."""
        self._expected = compiling

    def has(self, codes: Sequence[Code]) -> bool:
        """Whether all of them are compiled, or being compiled."""
        expected = {id(code) for code, _ in self._expected.codes} if self._expected is not None else set()
        return all(id(code) in self._known or id(code) in expected for code in codes)

    def prepare(self, codes: Codes) -> None:
        """Compile these, but for those that are known already."""
        if self._expected is not None:
            expected, self._expected = self._expected, None
            self._link(expected)
        new = [each for each in codes if id(each[0]) not in self._known]
        if new:
            engine = self._engine
            evaluator = engine.searchable.evaluator
            found = generate_predicates(
                engine.searchable.specified,
                engine.generated,
                engine.primitives,
                lambda code: evaluator.value(code)(),
                new,
            )
            self._link(Compiling(new, found, lambda: compile_predicates(found)))

    def address(self, code: Code, of_steps: bool) -> int | None:
        self.prepare([(code, of_steps)])
        return self._known[id(code)][1]

    def _link(self, compiling: Compiling) -> None:
        self._known.update({id(code): (code, None) for code, _ in compiling.codes})
        try:
            addresses = self._engine.add_predicates(compiling.predicates, compiling.library())
        except (NoNativeFormError, CompilerError, CacheError):
            return  # they are left to the reference evaluator
        for (code, _), address in zip(compiling.codes, addresses, strict=True):
            self._known[id(code)] = (code, address)
