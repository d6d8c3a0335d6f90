"""The state graph of a model as arrays of numbers, by either engine: states, steps with actions, what is observed.

For those who compare whole graphs. Nothing is checked of the states; constraints, views and symmetries play no part.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from gristmill.checking.options import Options
from gristmill.checking.reference import ReferenceExplorer
from gristmill.checking.run import Check, Explorer, watched
from gristmill.evaluate.random_constants import draw_constants
from gristmill.ir.model import Model
from gristmill.reference.model import SpecificationModel
from gristmill.search import Action, Result, State, Violation
from gristmill.search.behaviour import trace_of
from gristmill.search.inclusion import ObservedGraph
from gristmill.search.result import Graph, Rows
from gristmill.trace import Trace
from gristmill.values import EvaluationError, Value, World


class GraphError(Exception):
    """A model that has no graph: it cannot be evaluated, or an assumption is false. `result` says why."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.message)
        self.result = result


class StateGraph:
    """Every state found and every step between them, by `labels`, numbers of `actions`. Close it when done.

    Edges from state s are number `first[s]` … `first[s + 1] - 1`. A step may be there twice. The first `initial` states
    are the initial ones. `incomplete`: why there may be more, in a sentence. `world`: of the values of states.
    """

    def __init__(self, graph: Graph, explorer: Explorer, result: Result, model: SpecificationModel) -> None:
        self._explorer, self._model = explorer, model
        self._rows: Rows | None = graph.rows
        self.engine = explorer.engine
        self.incomplete = None if result.verdict == "ok" else result.message
        self.seconds = result.seconds
        self.variables: Sequence[str] = graph.variables
        self.actions: Sequence[Action] = graph.actions
        self.states: Sequence[State] = graph.states
        self.initial = graph.initial
        self.world: World = graph.world
        self.first, self.targets, self.labels = _rows(graph)

    def __enter__(self) -> StateGraph:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._explorer.close()

    @property
    def edges(self) -> int:
        return len(self.targets)

    def state(self, number: int) -> State:
        with self.world.active():
            return self.states[number]

    def steps(self, state: int) -> Iterator[tuple[int, int, int]]:
        """The steps from a state: edge, action, target."""
        for edge in range(self.first[state], self.first[state + 1]):
            yield edge, self.labels[edge], self.targets[edge]

    def trace(self, states: Sequence[int], edges: Sequence[int]) -> Trace:
        """A behaviour, with names of actions and their parameters. There is an edge between any two states."""
        with self.world.active():
            actions = [None, *(self.labels[edge] for edge in edges)]
            return trace_of(self._model, [(a, self.states[s]) for a, s in zip(actions, states, strict=True)])

    def project(self, variables: Sequence[str]) -> Projection:
        """States by the values of some variables."""
        places = [list(self.variables).index(name) for name in variables]
        numbers, examples = self._by(places)
        parts = tuple(map(self._column, places))
        return Projection(tuple(variables), numbers, examples, parts)

    def _column(self, place: int) -> Column:
        numbers, examples = self._by([place])
        native = getattr(self._rows, "values", None)
        with self.world.active():
            values = native(place, examples) if native is not None else None
            if values is None:
                values = [self.states[each][place] for each in examples]
            return Column(numbers, values)

    def _by(self, places: Sequence[int]) -> tuple[array[int], array[int]]:
        native = getattr(self._rows, "project", None)
        return native(places) if native is not None else _projected(self.states, places)


@dataclass(frozen=True)
class Column:
    """One variable: `numbers`, of its value in each state, are places in `values`."""

    numbers: array[int]
    values: Sequence[Value]


@dataclass(frozen=True)
class Projection:
    """`numbers`: of each state, by the values of all `variables`; `examples`: for each number the first state."""

    variables: tuple[str, ...]
    numbers: array[int]
    examples: Sequence[int]
    columns: tuple[Column, ...]


View = Callable[[Value], Hashable]


class Observations:
    """Numbers for what is seen of states of several graphs: the same for the same values.

    Different values of a variable are few, and only these are looked at; states, of which there may be millions, are
    compared by numbers.
    """

    def __init__(self, views: Mapping[str, View] | None = None) -> None:
        """`views`: what is seen of the values of some variables, where that is not all."""
        self._views = views or {}
        self._values: dict[str, dict[Hashable, int]] = {}
        self._numbers: dict[tuple[int, ...], int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, projection: Projection) -> array[int]:
        """One for each state."""
        columns = [self._seen(*each) for each in zip(projection.variables, projection.columns, strict=True)]
        keys = zip(*([column[each] for each in projection.examples] for column in columns), strict=True)
        known = self._numbers
        table = [known.setdefault(key, len(known)) for key in (keys if columns else [()] * len(projection.examples))]
        return array("I", map(table.__getitem__, projection.numbers))

    def _seen(self, variable: str, column: Column) -> array[int]:
        known, view = self._values.setdefault(variable, {}), self._views.get(variable, _all_of_it)
        table = [known.setdefault(view(value), len(known)) for value in column.values]
        return array("I", map(table.__getitem__, column.numbers))


def _all_of_it(value: Value) -> Hashable:
    return value


def observed(graph: StateGraph, observations: Sequence[int]) -> ObservedGraph:
    """A graph as `search.inclusion` compares it."""
    return ObservedGraph(range(graph.initial), graph.first, graph.targets, observations, graph.labels)


def state_graph(model: Model, options: Options) -> StateGraph:
    """Explore a model. A limit or Ctrl-C leaves the graph incomplete. Raises `GraphError`."""
    plain = without_what_must_hold(model)
    options = replace(options, keep_labels=True, keep_graph=False, keep_going=False, checkpoint=None, resume=False)
    with model.world.active():
        check = Check(plain, options, _explorer(options))
        try:
            result = watched(lambda: _explored(check), options.limits)
            searchable = check.statistics.searchable
            if result.graph is None or searchable is None or result.verdict not in ("ok", "incomplete"):
                raise GraphError(result)
            return StateGraph(result.graph, check.explorer, result, searchable)
        except BaseException:
            check.explorer.close()
            raise


def without_what_must_hold(model: Model) -> Model:
    """Only what says which states and steps there are."""
    return replace(
        model,
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
        postconditions=(),
        check_deadlock=False,
    )


def _explored(check: Check) -> Result:
    try:
        broken = check.broken_assumption()
        if broken is not None:
            return broken
        searchable = SpecificationModel(check.model, check.evaluator)
        check.statistics.searchable = searchable
        draw_constants(check.model, check.evaluator)
        return check.explorer.breadth_first(searchable, check.options.limits, _GraphIsWanted())
    except EvaluationError as error:
        return check.failed(error)


class _GraphIsWanted:
    """An `Interim` that looks at nothing: who has one keeps the graph."""

    def look(self, graph: Graph, expanded: int) -> Violation | None:
        return None


def _explorer(options: Options) -> Callable[[Check], Explorer]:
    if options.engine == "python":
        return ReferenceExplorer
    from gristmill.checking.native import NativeExplorer  # who asks for Python needs no compiler

    return NativeExplorer


def _rows(graph: Graph) -> tuple[Any, Any, Any]:
    """First edges, targets and actions, in compressed rows."""
    if graph.rows is not None:
        return graph.rows.first, graph.rows.targets, graph.rows.actions
    first = array("Q", bytes(8 * (len(graph.states) + 1)))
    for source in graph.sources:
        first[source + 1] += 1
    for number in range(len(graph.states)):
        first[number + 1] += first[number]
    return first, graph.targets, graph.edge_actions  # sources come in their order


def _projected(states: Sequence[State], places: Sequence[int]) -> tuple[array[int], array[int]]:
    known: dict[tuple[Value, ...], int] = {}
    numbers, examples = array("I"), array("I")
    for number, state in enumerate(states):
        key = tuple(state[place] for place in places)
        found = known.setdefault(key, len(known))
        if found == len(examples):
            examples.append(number)
        numbers.append(found)
    return numbers, examples


__all__ = ["Column", "GraphError", "Observations", "Projection", "StateGraph", "View", "observed", "state_graph"]
