"""A model to take steps of, by native code where that is possible, else by the reference evaluator."""

from __future__ import annotations

import threading
from dataclasses import replace

from gristmill.cc import CacheError, CompilerError
from gristmill.checking.suitability import in_order
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Branch, Model
from gristmill.native.codec import NoNativeFormError
from gristmill.native.emit.generate import generate
from gristmill.native.errors import Unsupported
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
    searchable = SpecificationModel(model, evaluator)
    found = layouts(_sample(searchable), len(model.variables))
    widths = (4,) * sum(layout.size for layout in found)  # any number of values
    try:
        generated = generate(model, found, widths, lambda code: evaluator.value(code)(), with_parameters=True)
        library = compile_text(generated.text, generated.cost)
        return NativeSteps(Engine(generated, library, searchable), lock)
    except (Unsupported, NoNativeFormError, CompilerError, CacheError) as error:
        raise NotNativeError(str(error)) from error


def _sample(searchable: SpecificationModel) -> list[State]:
    """The first states of a search: how many is bounded by work, so that the program does not depend on the machine."""
    search = BreadthFirst(searchable, Limits(states=_SAMPLE, seconds=_LONGEST), False, False, None)
    search.run()
    return search.store.states[:_SAMPLE] or list(searchable.initial_states())
