"""O0: every initial state of the whole is, on what a composition keeps, an initial state of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.compose.system import Composition
from gristmill.compose.verify.footprints import model_of
from gristmill.compose.verify.result import Finding
from gristmill.compose.verify.visible import Views
from gristmill.evaluate.context import Context
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir.model import Model
from gristmill.reference.model import failure_of
from gristmill.search import State
from gristmill.source import Diagnostic, SourceError
from gristmill.values import EvaluationError, show


def initial_findings(views: Views) -> Iterator[Finding]:
    whole = views.all_fine.model
    states = initial_states(whole)
    compositions: list[tuple[str | None, Composition, frozenset[str]]] = [
        (view.unit.name, view.composed, view.known) for view in views.views if view.composed is not None
    ]
    if views.abstract is not None:
        compositions.append((None, views.abstract, frozenset(views.abstract.variables)))
    for unit, composed, known in compositions:
        names = [name for name in composed.variables if name in known and name in whole.variables]
        if not names:
            continue
        model = model_of(composed)
        own = projected(model, initial_states(model), names)
        wanted = projected(whole, states, names)
        if wanted - own:
            yield Finding("O0", "rejects", unit, _missing(composed, names, next(iter(wanted - own))))
        elif own - wanted:
            yield Finding("O0", "told", unit, _added(composed, names, next(iter(own - wanted))))


def initial_states(model: Model) -> list[State]:
    """Raises `SourceError` if Init cannot be evaluated."""
    if model.init is None:
        return []
    with model.world.active():
        evaluator = Evaluator(model.variables, Context(model.variables, output=lambda *_: None))
        try:
            return evaluator.initial_states(model.init)()
        except EvaluationError as error:
            raise SourceError(failure_of(error).diagnostics) from error


def projected(model: Model, states: Sequence[State], names: Sequence[str]) -> set[State]:
    places = [model.variables.index(name) for name in names]
    return {tuple(state[place] for place in places) for state in states}


def _missing(composed: Composition, names: Sequence[str], state: State) -> Diagnostic:
    return Diagnostic(
        "initial-state-missing",
        f"the whole may begin with {_shown(names, state)}, and the composition {composed.name} may not",
        help="let Init of the coarse grains allow what that of the fine ones allows",
    )


def _added(composed: Composition, names: Sequence[str], state: State) -> Diagnostic:
    return Diagnostic(
        "initial-state-added",
        f"the composition {composed.name} may begin with {_shown(names, state)}, and the whole may not: a"
        " counterexample from there would be a false alarm",
        severity="warning",
    )


def _shown(names: Sequence[str], state: State) -> str:
    return ", ".join(f"{name} = {show(value)}" for name, value in zip(names, state, strict=True))
