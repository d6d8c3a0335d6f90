"""What is true of the steps of a graph: actions, and the fairness of actions.

An edge that was found by a disjunct of A is a step of A, and a step that leaves v as it is is no `<<A>>_v`: that costs
nothing to know. For fairness the steps that `<<A>>_v` allows from a state are listed once, which tells of all its edges
and of ENABLED. What then remains is evaluated step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gristmill.ir import nodes
from gristmill.ir.nodes import Definition, Expression
from gristmill.reference.model import SpecificationModel
from gristmill.search.liveness.emptiness import StepGraph
from gristmill.search.model import State
from gristmill.temporal.predicates import Predicate, Subscript
from gristmill.temporal.purity import is_pure, speaks_of_other_variables
from gristmill.values import EvaluationError, Value, equal

NO, YES, UNKNOWN = range(3)

Row = bytearray  # of the edges from a state, in order


@dataclass(slots=True)
class Explored:
    """What a search has found. Of the first `expanded` states all edges are known, of the others none."""

    states: Sequence[State] = ()
    steps: StepGraph = field(default_factory=lambda: StepGraph(0, [0], []))
    expanded: int = 0


class StepPredicate:
    """`<<A>>_v`, `[A]_v`, or anything else that speaks of two states."""

    def __init__(self, model: SpecificationModel, predicate: Predicate, explored: Explored) -> None:
        self.predicate, self.explored = predicate, explored
        self.holds = model.evaluator.action_predicate(predicate.of_edges)
        self._changes = _changes(model, predicate.subscript, explored)
        self._unchanged = YES if predicate.stuttering else NO
        self._covered = covering(model, predicate)

    def certain(self, source: int) -> Row:
        """Of each edge what is known without evaluating A."""
        steps, changes = self.explored.steps, self._changes
        row = Row()
        for edge in range(steps.first[source], steps.first[source + 1]):
            target = steps.targets[edge]
            same = target == source and self.predicate.stuttering is not None
            if same or (changes is not None and not changes(source, target)):
                row.append(self._unchanged)
            else:
                row.append(YES if steps.label(edge) in self._covered else UNKNOWN)
        return row

    def row(self, source: int) -> Row:
        return self.evaluated(source, self.certain(source))

    def evaluated(self, source: int, row: Row) -> Row:
        """What is unknown, evaluated."""
        states, steps = self.explored.states, self.explored.steps
        first = steps.first[source]
        for place, known in enumerate(row):
            if known == UNKNOWN:
                row[place] = self.holds(states[source], states[steps.targets[first + place]])
        return row

    def stuttering(self, state: int) -> bool:
        if self.predicate.stuttering is not None:
            return self.predicate.stuttering
        return self.holds(self.explored.states[state], self.explored.states[state])


class FairAction:
    """`<<A>>_v` of a fairness condition, and ENABLED of it. A step of `<<A>>_v` is possible where there is one."""

    def __init__(self, model: SpecificationModel, taken: Predicate, enabled: Predicate, explored: Explored) -> None:
        self._step = StepPredicate(model, taken, explored)
        self._explored = explored
        self._is_able = model.evaluator.state_predicate(enabled.code)
        self._list: Callable[[State], list[State]] | None = None
        if is_pure(taken.code.body) and not speaks_of_other_variables(enabled.code.body, len(model.variables)):
            self._list = model.evaluator.successors(taken.code)
        self._is_next = taken.is_next and taken.subscript is not None

    def able(self, state: int) -> bool:
        return self._is_able(self._explored.states[state])

    def row(self, source: int, able: bool | None) -> tuple[Row, bool]:
        """The edges from a state that are steps of it, and whether it is enabled there, if that is not known yet."""
        row = self._step.certain(source)
        if YES in row:
            able = True
        elif able is None and self._is_next:
            able = False
        if able is None or (able and UNKNOWN in row):
            able = self._look(source, row, able)
        if not able:
            row = row.replace(b"\2", b"\0")
        return row, able

    def _look(self, source: int, row: Row, able: bool | None) -> bool:
        if UNKNOWN in row and (allowed := self._allowed(source)) is not None:
            states, steps = self._explored.states, self._explored.steps
            first = steps.first[source]
            for place, known in enumerate(row):
                if known == UNKNOWN:
                    row[place] = states[steps.targets[first + place]] in allowed
            return bool(allowed)
        if able is None:
            able = self.able(source)
        if able:
            self._step.evaluated(source, row)
        return able

    def _allowed(self, source: int) -> set[State] | None:
        """The states that a step of `<<A>>_v` may lead to; None if they cannot be listed."""
        if self._list is not None:
            try:
                return set(self._list(self._explored.states[source]))
            except EvaluationError:  # it may leave a variable open; evaluating it says what is wrong, if something is
                self._list = None
        return None


def covering(model: SpecificationModel, predicate: Predicate) -> frozenset[int]:
    """The actions of which every step that changes v is one of `<<A>>_v` or `[A]_v`."""
    if predicate.subscript is None:
        return frozenset()
    definitions = set(_definitions(predicate.action))
    actions = enumerate(model.specified.actions)
    return frozenset(n for n, action in actions if not definitions.isdisjoint(action.disjunct_of))


def _definitions(action: Expression | None) -> Iterator[Definition]:
    """Definitions without parameters that are disjuncts of an action."""
    match action:
        case nodes.Or(items):
            for item in items:
                yield from _definitions(item)
        case nodes.Call(definition, ()) if not definition.nested:
            yield definition


def _changes(
    model: SpecificationModel, subscript: Subscript | None, explored: Explored
) -> Callable[[int, int], bool] | None:
    """Whether v differs between two different states; None if it always does, or if there is no v."""
    if subscript is None or len(subscript.variables) == len(model.variables):
        return None
    variables = subscript.variables
    functions = [model.evaluator.state_function(code) for code in subscript.expressions]
    known: dict[int, tuple[Value, ...]] = {}

    def value(state: int) -> tuple[Value, ...]:
        found = known.get(state)
        if found is None:
            values = explored.states[state]
            plain = (values[number] for number in variables)
            found = known[state] = (*plain, *(function(values) for function in functions))
        return found

    def changes(source: int, target: int) -> bool:
        return not all(map(equal, value(target), value(source)))

    return changes
