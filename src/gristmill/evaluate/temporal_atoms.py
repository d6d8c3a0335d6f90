"""The atoms of temporal formulas, evaluated in the states and steps that a search has found so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gristmill.evaluate.checkable import SpecificationModel
from gristmill.evaluate.temporal_predicates import Predicate
from gristmill.evaluate.temporal_purity import unsteady
from gristmill.evaluate.temporal_steps import Explored, FairAction, StepPredicate
from gristmill.search.liveness import Poll, StateTruth, StepGraph, StepTruth, Truth, bits_of, bytes_of
from gristmill.search.model import State
from gristmill.search.result import Rows

_STATES_BETWEEN_POLLS = 64


@dataclass(slots=True)
class _Bits:
    """Truth values that come piece by piece."""

    bits: int = 0
    count: int = 0

    def extend(self, values: Sequence[int]) -> None:
        self.bits |= bits_of(values) << self.count
        self.count += len(values)

    def since(self, start: int) -> bytes:
        """Those from number `start` on, one a byte."""
        count = max(0, self.count - start)
        return bytes_of((self.bits >> start).to_bytes((count + 7) // 8, "little"), count)


@dataclass(slots=True)
class _Known:
    """What has been evaluated of one predicate. `rows`: so many states whose edges have been looked at."""

    states: _Bits = field(default_factory=_Bits)
    edges: _Bits = field(default_factory=_Bits)
    rows: int = 0


class Atoms:
    """Of one specification, on a graph that may grow: what was evaluated is not evaluated again."""

    def __init__(self, model: SpecificationModel, predicates: Sequence[Predicate]) -> None:
        self._model, self._predicates = model, predicates
        self._explored = Explored()
        self._poll: Poll = _no_poll
        self._rows: Rows | None = None
        self._told: set[int] = set()  # predicates that it has told the truth of
        self._untold: set[int] = set()  # those that it cannot
        self._known: dict[int, _Known] = {}
        self._actions: dict[int, StepPredicate | FairAction] = {}
        self._tests: dict[int, Callable[..., Any]] = {}

    def look_at(
        self, states: Sequence[State], steps: StepGraph, expanded: int, poll: Poll, rows: Rows | None = None
    ) -> None:
        """The graph that is asked about from now on: the former one, and what has been added.

        `rows`: an engine that can tell the truth of formulas in all of it at once.
        """
        self._explored.states, self._explored.steps, self._explored.expanded = states, steps, expanded
        self._poll, self._rows = poll, rows
        if rows is not None:  # an engine that had to start over may have numbered the states anew
            self._told.clear()
            self._known.clear()
            self._actions.clear()

    def truth(self, number: int) -> Truth:
        predicate = self._predicates[number]
        if not predicate.of_steps:
            if predicate.taken is not None:
                self._evaluate_fairness(predicate.taken, number)
            else:
                self._evaluate_states(number)
            return StateTruth(self._of(number).states.bits)
        if predicate.enabled is not None:
            self._evaluate_fairness(number, predicate.enabled)
        else:
            self._evaluate_steps(number)
        known = self._of(number)
        return StepTruth(known.edges.bits, known.states.bits)

    def holds(self, number: int, step: int) -> bool:
        """Of one step, evaluated by itself."""
        steps, states, predicate = self._explored.steps, self._explored.states, self._predicates[number]
        test = self._tests.get(number)
        if test is None:
            evaluator = self._model.evaluator
            compiled: Callable[..., Any] = (
                evaluator.action_predicate if predicate.of_steps else evaluator.state_predicate
            )
            test = self._tests[number] = compiled(predicate.code)
        source, target = states[steps.source(step)], states[steps.target(step)]
        return bool(test(source, target) if predicate.of_steps else test(source))

    def _of(self, number: int) -> _Known:
        return self._known.setdefault(number, _Known())

    def _each(self, start: int, end: int) -> Iterator[int]:
        for state in range(start, end):
            if state % _STATES_BETWEEN_POLLS == 0:
                self._poll()
            yield state

    def _at_once(self, number: int) -> bool:
        """Whether an engine could tell the truth of a predicate everywhere."""
        rows, predicate = self._rows, self._predicates[number]
        if number in self._told:
            return True
        if rows is None or number in self._untold or unsteady(predicate.code.body) is not None:
            return False
        rows.prepare([(each.code, each.of_steps) for each in self._predicates])
        self._poll()
        if not predicate.of_steps:
            states = rows.of_states(predicate.code)
            if states is not None:
                self._of(number).states = _Bits(bits_of(states), len(states))
            self._note(number, states is not None)
            return states is not None
        edges = rows.of_steps(predicate.code)
        still = bytes([predicate.stuttering]) * rows.states if predicate.stuttering is not None else None
        still = rows.of_stuttering(predicate.code) if still is None else still
        self._note(number, edges is not None and still is not None)
        if edges is None or still is None:
            return False
        self._known[number] = _Known(_Bits(bits_of(still), len(still)), _Bits(bits_of(edges), len(edges)))
        self._known[number].rows = self._explored.expanded
        return True

    def _note(self, number: int, told: bool) -> None:
        (self._told if told else self._untold).add(number)

    def _evaluate_states(self, number: int) -> None:
        if self._at_once(number):
            return
        known, states = self._of(number), self._explored.states
        test = self._model.evaluator.state_predicate(self._predicates[number].code)
        known.states.extend([test(states[state]) for state in self._each(known.states.count, len(states))])

    def _evaluate_steps(self, number: int) -> None:
        if self._at_once(number):
            return
        known, explored = self._of(number), self._explored
        action = self._actions.get(number)
        if action is None:
            action = self._actions[number] = StepPredicate(self._model, self._predicates[number], explored)
        assert isinstance(action, StepPredicate)
        found = bytearray()
        for source in self._each(known.rows, explored.expanded):
            found += action.row(source)
        known.edges.extend(found)
        known.rows = explored.expanded
        missing = range(known.states.count, len(explored.states))
        known.states.extend([action.stuttering(state) for state in missing])

    def _evaluate_fairness(self, taken: int, enabled: int) -> None:
        """`<<A>>_v` and ENABLED of it together: each tells something of the other."""
        if self._at_once(taken) and self._at_once(enabled):
            return
        for number in (taken, enabled):
            if number in self._told:  # one without the other is of no use: they are found out together
                self._told.remove(number)
                self._untold.add(number)
                del self._known[number]
        known, able, explored = self._of(taken), self._of(enabled).states, self._explored
        action = self._actions.get(taken)
        if action is None:
            predicates = self._predicates[taken], self._predicates[enabled]
            action = self._actions[taken] = FairAction(self._model, *predicates, explored)
        assert isinstance(action, FairAction)
        edges, found, told = bytearray(), bytearray(), iter(able.since(known.rows))
        for source in self._each(known.rows, explored.expanded):
            row, is_able = action.row(source, bool(next(told)) if source < able.count else None)
            edges += row
            if source >= able.count:
                found.append(is_able)
        able.extend(found)
        able.extend([action.able(state) for state in self._each(able.count, len(explored.states))])
        known.edges.extend(edges)
        known.rows = explored.expanded
        known.states.extend(bytes(len(explored.states) - known.states.count))  # stuttering is no step of it


def _no_poll() -> None:
    pass
