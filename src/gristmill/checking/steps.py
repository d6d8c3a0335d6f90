"""A model to take steps of, by native code where that is possible, else by the reference evaluator."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from gristmill.cc import CacheError, CompilerError
from gristmill.checking.suitability import in_order
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Branch, Model
from gristmill.native.emit.generate import generate
from gristmill.native.errors import NoNativeFormError, Unsupported
from gristmill.native.plan.layout import layouts
from gristmill.native.run.compiled import compile_text
from gristmill.native.run.engine import Engine
from gristmill.native.run.steps import NativeSteps
from gristmill.reference.model import SpecificationModel
from gristmill.search import Limits, State
from gristmill.search.bfs import BreadthFirst

_SAMPLE = 3_000  # states to learn from how they look
_LONGEST = 2.0  # seconds that it may take to find them


class NotNativeError(Exception):
    """Why the steps of a model cannot be taken natively."""


def without_properties(model: Model) -> Model:
    """Only what says which steps there are: initial states, actions one by one, an ALIAS to show them."""
    return replace(
        model,
        branches=tuple(Branch(action.code, (number,)) for number, action in enumerate(model.actions)),
        unsplit=(),
        invariants=(),
        constraints=(),
        action_constraints=(),
        implied_inits=(),
        implied_actions=(),
        obligations=(),
        temporal=(),
        symmetry=None,
        view=None,
        possible=(),
        check_deadlock=False,
    )


def native_steps(model: Model, evaluator: Evaluator, lock: threading.RLock | None = None) -> NativeSteps:
    """Steps by native code, compiled for states like the first ones. Raises `NotNativeError`.

    `lock`: of those who use the same evaluator.
    """
    with model.world.active():
        return _native_steps(without_properties(model), evaluator, lock)


def _native_steps(model: Model, evaluator: Evaluator, lock: threading.RLock | None) -> NativeSteps:
    if model.init is None or not model.variables:
        raise NotNativeError("it has no states")
    if model.asks_search or in_order(model):
        raise NotNativeError("evaluating it has effects, or depends on the search")
    program = _Program(model, evaluator)
    try:
        engine = program.engine()
    except (Unsupported, NoNativeFormError, CompilerError, CacheError) as error:
        raise NotNativeError(str(error)) from error
    return NativeSteps(engine, lock, program.for_these_as_well)


class _Program:
    """Native code for the steps of a model, for states like those seen so far."""

    def __init__(self, model: Model, evaluator: Evaluator) -> None:
        self.model, self.evaluator = model, evaluator
        self.searchable = SpecificationModel(model, evaluator)
        self.seen = _sample(self.searchable)

    def engine(self) -> Engine:
        found = layouts(self.seen, len(self.model.variables))
        widths = (4,) * sum(layout.size for layout in found)  # any number of values
        evaluate = self.evaluator.value
        generated = generate(self.model, found, widths, lambda code: evaluate(code)(), with_parameters=True)
        return Engine(generated, compile_text(generated.text, generated.cost), self.searchable)

    def for_these_as_well(self, states: Sequence[State]) -> Engine | None:
        self.seen += states
        try:
            return self.engine()
        except (Unsupported, NoNativeFormError, CompilerError, CacheError):
            return None


def _sample(searchable: SpecificationModel) -> list[State]:
    """The first states of a search: how many is bounded by work, so that the program does not depend on the machine."""
    search = BreadthFirst(searchable, Limits(states=_SAMPLE, seconds=_LONGEST), False, False, None)
    search.run()
    return search.store.states[:_SAMPLE] or list(searchable.initial_states())
