"""The atoms of temporal formulas, evaluated in the states and steps that a search has found so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from operator import lt
from typing import Any

from gristmill.ir.nodes import Code
from gristmill.reference.model import SpecificationModel
from gristmill.search.liveness.emptiness import Poll, StateTruth, StepGraph, StepTruth, Truth, bits_of, bytes_of
from gristmill.search.model import State
from gristmill.search.result import Rows
from gristmill.temporal.predicates import Predicate
from gristmill.temporal.purity import unsteady
from gristmill.temporal.steps import Explored, FairAction, StepPredicate, covering

_STATES_BETWEEN_POLLS = 64
_STATES_AT_ONCE = 1 << 14  # that an engine is asked about between two polls

Ask = Callable[[int, int, bytearray, int], bool]
"""To set the truth of something in the states from one to another, or of the steps from there: see `Rows`."""


@dataclass(slots=True)
class _Bits:
    """Truth values that come piece by piece, as an engine tells them: see `Rows`."""

    packed: bytearray = field(default_factory=bytearray)
    count: int = 0

    @property
    def bits(self) -> int:
        return int.from_bytes(self.packed, "little")

    def with_room(self, more: int) -> bytearray:
        """What there is, and so many 0 after that."""
        missing = (self.count + more + 7) // 8 - len(self.packed)
        return self.packed + bytes(missing)

    def extend(self, values: Sequence[int]) -> None:
        grown = self.bits | bits_of(values) << self.count
        self.count += len(values)
        self.packed = bytearray(grown.to_bytes((self.count + 7) // 8, "little"))

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
        self._prepared = 0  # so many predicates it has been told of
        self._untold: set[int] = set()  # predicates that it cannot tell the truth of
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
        if rows is not None and (self._rows is None or rows.run is not self._rows.run):
            self._known.clear()  # an engine that had to start over may have numbered the states anew
            self._actions.clear()
            self._prepared = 0
        self._poll, self._rows = poll, rows

    def __getitem__(self, number: int) -> Truth:
        predicate = self._predicates[number]
        if not predicate.of_steps:
            if predicate.taken is not None:
                self._evaluate_fairness(predicate.taken, number)
            else:
                self._evaluate_states(number)
            of_states = self._of(number).states
            guessed = (1 << len(self._explored.states) - of_states.count) - 1
            return StateTruth(of_states.bits | guessed << of_states.count)
        if predicate.enabled is not None:
            self._evaluate_fairness(number, predicate.enabled)
        else:
            self._evaluate_steps(number)
        known = self._of(number)
        return StepTruth(known.edges.bits, known.states.bits)

    def holds(self, number: int, step: int) -> bool:
        """Of one step, evaluated by itself."""
        steps, states, predicate = self._explored.steps, self._explored.states, self._predicates[number]
        told = self._told_of_one(number, step)
        if told is not None:
            return told
        test = self._tests.get(number)
        if test is None:
            evaluator = self._model.evaluator
            compiled: Callable[..., Any] = (
                evaluator.action_predicate if predicate.of_steps else evaluator.state_predicate
            )
            test = self._tests[number] = compiled(predicate.code)
        source, target = states[steps.source(step)], states[steps.target(step)]
        return bool(test(source, target) if predicate.of_steps else test(source))

    def _told_of_one(self, number: int, step: int) -> bool | None:
        """What an engine says that has been told of this predicate; None if it has not been, or cannot tell."""
        rows, predicate, steps = self._rows, self._predicates[number], self._explored.steps
        if rows is None or number in self._untold or number >= self._prepared:
            return None
        source = steps.source(step)
        if not predicate.of_steps:
            asked = bytearray(1)
            told = rows.of_states(predicate.code, source, source + 1, asked, 0)
            return bool(asked[0]) if told else None
        if step >= steps.edges and predicate.stuttering is not None:
            return predicate.stuttering
        if step >= steps.edges:
            asked = bytearray(1)
            told = rows.of_stuttering(predicate.code, source, source + 1, asked, 0)
            return bool(asked[0]) if told else None
        place = step - steps.first[source]
        asked = bytearray(b"\xff") * ((steps.first[source + 1] - steps.first[source] + 7) // 8)
        asked[place // 8] ^= 1 << place % 8  # of all others it says that they are known
        told = rows.of_steps(predicate.of_edges, source, source + 1, asked, 0)
        return bool(asked[place // 8] >> place % 8 & 1) if told else None

    def guessed(self) -> set[int]:
        """The atoms that, in states whose steps are not known yet, have been said to be true for no reason."""
        if self._explored.expanded == len(self._explored.states):
            return set()
        return {
            n for n, each in enumerate(self._predicates) if each.taken is not None and self._is_every_step(each.taken)
        }

    def to_evaluate(self) -> list[tuple[Code, bool]]:
        """What an engine may be asked for, with whether it is of steps. The rest can be read off the graph."""
        found = []
        for number, each in enumerate(self._predicates):
            taken = number if each.taken is None else each.taken
            if not self._is_every_step(taken):
                found.append((each.of_edges, each.of_steps))
        return found

    def _of(self, number: int) -> _Known:
        return self._known.setdefault(number, _Known())

    def _each(self, start: int, end: int) -> Iterator[int]:
        for state in range(start, end):
            if state % _STATES_BETWEEN_POLLS == 0:
                self._poll()
            yield state

    # -------------------------------------------------------------------------------------- what an engine can tell

    def _is_told(self, number: int, among: _Bits | None = None) -> bool:
        """Whether an engine could tell the truth of a predicate everywhere. `among`: see `Rows.of_steps`."""
        rows, predicate = self._rows, self._predicates[number]
        if rows is None or number in self._untold:
            return False
        if self._prepared < len(self._predicates):
            self._prepare(rows)
        if number in self._untold or not self._tell(rows, predicate, self._of(number), among):
            self._untold.add(number)
            return False
        return True

    def _prepare(self, rows: Rows) -> None:
        rows.prepare(self.to_evaluate())
        for number in range(self._prepared, len(self._predicates)):
            predicate = self._predicates[number]
            is_next = predicate.is_next if predicate.taken is None else self._predicates[predicate.taken].is_next
            if is_next and unsteady(predicate.code.body) is not None:  # nothing else may be
                self._untold.add(number)
        self._prepared = len(self._predicates)

    def _tell(self, rows: Rows, predicate: Predicate, known: _Known, among: _Bits | None) -> bool:
        """What is not known yet."""
        states, edges, code = known.states, known.edges, predicate.of_edges
        if not predicate.of_steps:
            taken, expanded = predicate.taken, self._explored.expanded
            covering = self._covering(self._predicates[taken]) if taken is not None else ()

            def of_states(start: int, end: int, bits: bytearray, at: int) -> bool:
                if covering:  # where there is a step of it, it is enabled
                    rows.sources_by_actions(covering, min(start, expanded), min(end, expanded), bits, at)
                return rows.of_states(predicate.code, start, end, bits, at)

            return self._told(of_states, states, range, states.count, rows.states)
        covering = self._covering(predicate)
        possible = among.packed if among is not None else None

        def of_steps(start: int, end: int, bits: bytearray, at: int) -> bool:
            if covering:
                rows.by_actions(covering, start, end, bits, at)
            return rows.of_steps(code, start, end, bits, at, possible)

        def steps(start: int, end: int) -> range:
            return range(rows.first[start], rows.first[end])

        if not self._told(of_steps, edges, steps, known.rows, self._explored.expanded):
            return False
        known.rows = self._explored.expanded
        if predicate.stuttering is not None:
            states.extend(bytes([predicate.stuttering]) * (rows.states - states.count))

        def of_stuttering(start: int, end: int, bits: bytearray, at: int) -> bool:
            return rows.of_stuttering(predicate.code, start, end, bits, at)

        return self._told(of_stuttering, states, range, states.count, rows.states)

    def _told(self, ask: Ask, known: _Bits, asked: Callable[[int, int], range], start: int, end: int) -> bool:
        """`asked`: what there is a truth value for, from the states from one to another."""
        bits, at = known.with_room(len(asked(start, end))), known.count
        for state in range(start, end, _STATES_AT_ONCE):
            self._poll()
            following = min(end, state + _STATES_AT_ONCE)
            if not ask(state, following, bits, at):
                return False
            at += len(asked(state, following))
        known.packed, known.count = bits, at
        return True

    def _covering(self, predicate: Predicate) -> Collection[int]:
        """Actions whose every step, if it changes something, is one of `<<A>>_v` or `[A]_v`."""
        if predicate.subscript is None or len(predicate.subscript.variables) < len(self._model.variables):
            return ()
        return covering(self._model, predicate)

    # ------------------------------------------------------------------------------------------------- evaluation

    def _evaluate_states(self, number: int) -> None:
        if self._is_told(number):
            return
        known, states = self._of(number), self._explored.states
        test = self._model.evaluator.state_predicate(self._predicates[number].code)
        known.states.extend([test(states[state]) for state in self._each(known.states.count, len(states))])

    def _evaluate_steps(self, number: int) -> None:
        if self._is_told(number):
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
        if self._is_every_step(taken):
            self._read_off(taken, enabled)
            return
        told = self._is_told(enabled)
        if not self._is_told(taken, self._of(enabled).states if told else None):
            self._evaluate_steps_of_fairness(taken, enabled)
        if not told:
            self._evaluate_enabled(taken, enabled)

    def _is_every_step(self, taken: int) -> bool:
        """Whether the steps of `<<A>>_v` are those in the graph: A is the next-state action, and v all variables."""
        predicate = self._predicates[taken]
        subscript = predicate.subscript
        return predicate.is_next and subscript is not None and len(subscript.variables) == len(self._model.variables)

    def _read_off(self, taken: int, enabled: int) -> None:
        known, able, explored = self._of(taken), self._of(enabled).states, self._explored
        known.edges.extend(b"\1" * (explored.steps.edges - known.edges.count))
        known.states.extend(bytes(len(explored.states) - known.states.count))
        known.rows = explored.expanded  # whether there are steps from the other states, see `guessed`
        first = explored.steps.first[able.count : explored.expanded + 1]
        able.extend(bytes(map(lt, first, first[1:])))

    def _evaluate_steps_of_fairness(self, taken: int, enabled: int) -> None:
        """Computes whether the action is enabled where that is not known yet."""
        known, able, explored = self._of(taken), self._of(enabled).states, self._explored
        action = self._fair_action(taken, enabled)
        edges, found, told = bytearray(), bytearray(), iter(able.since(known.rows))
        for source in self._each(known.rows, explored.expanded):
            row, is_able = action.row(source, bool(next(told)) if source < able.count else None)
            edges += row
            if source >= able.count:
                found.append(is_able)
        able.extend(found)
        known.edges.extend(edges)
        known.rows = explored.expanded
        known.states.extend(bytes(len(explored.states) - known.states.count))  # stuttering is no step of it

    def _evaluate_enabled(self, taken: int, enabled: int) -> None:
        """It is where a step of it is in the graph."""
        able, explored = self._of(enabled).states, self._explored
        first, is_able = explored.steps.first, self._fair_action(taken, enabled).able
        start = first[able.count] if able.count < len(first) else explored.steps.edges
        steps, found = self._of(taken).edges.since(start), bytearray()
        for state in self._each(able.count, len(explored.states)):
            found.append(1 in steps[first[state] - start : first[state + 1] - start] or is_able(state))
        able.extend(found)

    def _fair_action(self, taken: int, enabled: int) -> FairAction:
        action = self._actions.get(taken)
        if action is None:
            predicates = self._predicates[taken], self._predicates[enabled]
            action = self._actions[taken] = FairAction(self._model, *predicates, self._explored)
        assert isinstance(action, FairAction)
        return action


def _no_poll() -> None:
    pass
