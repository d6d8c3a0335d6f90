"""With which parameters the steps of a state graph are taken: told afterwards, as no search needs it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from gristmill.explain.formulas import is_repeatable
from gristmill.reference.model import SpecificationModel
from gristmill.search import Parameters, Result, State
from gristmill.search.result import Graph
from gristmill.values import EvaluationError

Taken = tuple[int, Parameters, int]


def with_parameters(result: Result, searchable: SpecificationModel) -> Result:
    """The result whose graph can tell parameters. What cannot be evaluated a second time keeps names alone."""
    if result.graph is None or not all(is_repeatable(each.code.body) for each in searchable.specified.actions):
        return result
    return replace(result, graph=replace(result.graph, taken=_Steps(result.graph, searchable)))


class _Steps:
    """Takes the steps from a state again, and finds their targets among the states of the graph."""

    def __init__(self, graph: Graph, searchable: SpecificationModel) -> None:
        self._graph, self._searchable = graph, searchable
        self._numbers: dict[Hashable, int] | None = None
        self._key = _key(searchable)

    def __call__(self, number: int) -> list[Taken]:
        """Targets that a constraint has cut off are not in the graph."""
        numbers = self._known()
        try:
            with self._searchable.undisturbed():
                steps = self._searchable.steps(self._graph.states[number])
                found = [(each.action, each.parameters, numbers.get(self._key(each.state))) for each in steps]
        except (EvaluationError, RecursionError):
            return []
        return [(action, parameters, target) for action, parameters, target in found if target is not None]

    def _known(self) -> dict[Hashable, int]:
        if self._numbers is None:
            with self._searchable.undisturbed():
                self._numbers = {self._key(state): number for number, state in enumerate(self._graph.states)}
        return self._numbers


def _key(searchable: SpecificationModel) -> Callable[[State], Hashable]:
    """What decides whether two states are one."""
    view, symmetry = searchable.view, searchable.symmetry

    def key(state: State) -> Hashable:
        shown = state if symmetry is None else symmetry(state)
        found: Hashable = shown if view is None else view(shown)
        return found

    return key
