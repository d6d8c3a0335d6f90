"""One random behaviour of a model."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import field
from random import Random
from typing import NoReturn, TypeAlias

from gristmill.search.behaviour import Path, deadlock, failed_trace, trace_of, unmet, violation
from gristmill.search.model import ActionPredicate, Model, State, StatePredicate
from gristmill.search.result import Violation
from gristmill.search.verdict import Verdict
from gristmill.source import Diagnostic
from gristmill.source.quick_dataclass import dataclass
from gristmill.trace import Trace

OnTrace: TypeAlias = Callable[[int, Trace], None]


@dataclass(slots=True)
class Behaviour:
    """What came of a walk: how many states it visited, what it generated and took on the way, and what was wrong."""

    length: int
    generated: array[int]  # by action
    taken: array[int]  # by action
    cut: int = 0
    stopped: bool = False  # the model wants no further behaviours
    violation: Violation | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


class _Stop(Exception):
    def __init__(self, violation: Violation, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        self.violation = violation
        self.diagnostics = diagnostics


@dataclass(slots=True)
class _Start:
    """The initial states: computed once, for all behaviours."""

    states: list[State] = field(default_factory=list)
    generated: int = 0
    cut: int = 0


class Walker:
    """Walks through a model at random, again and again. It is also the `Position` that the model may ask about.

    In each state the actions are tried in random order until one has successors within the constraints; one of these is
    the next state. Every state generated on the way is checked; with `only_taken`, only the one that is taken, and
    those that are tried first but fail a constraint. `on_trace` is given each behaviour in which nothing is wrong, with
    its number, by the process that made it.
    """

    def __init__(self, model: Model, depth: int, only_taken: bool = False, on_trace: OnTrace | None = None) -> None:
        self.behaviour = 0
        self.action: int | None = None
        self.start = _Start()
        self._model = model
        self._depth = depth
        self._only_taken = only_taken
        self._on_trace = on_trace
        self._path: list[tuple[int | None, State]] = []
        self._candidate: State | None = None
        self._generated = 0
        self._asked_to_stop = False
        self._started = time.monotonic()
        if model.follows_search:
            model.follow(self)

    # ------------------------------------------------------------------------------------------------ where it is

    @property
    def level(self) -> int:
        return len(self._path) + (self._candidate is not None)

    @property
    def distinct(self) -> int:
        return 0  # visited states are not stored

    @property
    def generated(self) -> int:
        return self._generated

    @property
    def queue(self) -> int:
        return 0

    @property
    def depth(self) -> int:
        return self.level

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def path(self) -> Sequence[tuple[int | None, State]]:
        return [*self._path, (self.action, self._candidate)] if self._candidate is not None else list(self._path)

    def stop(self) -> None:
        self._asked_to_stop = True

    # ---------------------------------------------------------------------------------------------------- walking

    def find_initial_states(self) -> Behaviour | None:
        """Compute and check them; a `Behaviour` only if something is wrong with one of them."""
        try:
            try:
                for state in self._model.initial_states():
                    self.start.generated += 1
                    self._candidate = state
                    self._check_initial(state)
                    self._candidate = None
            except self._model.errors as error:
                self._failed(error)
        except _Stop as stop:
            return self._ended(self._nothing(1), stop)
        return None

    def _check_initial(self, state: State) -> None:
        if self._all_hold(self._model.constraints):
            self.start.states.append(state)
        else:
            self.start.cut += 1
        self._check("invariant", self._model.invariants, "Invariant {} is false initially")
        self._check("property", self._model.implied_inits, "Property {} is false initially")

    def walk(self, number: int, seed: int) -> Behaviour:
        """Behaviour `number` of those with this seed: always the same."""
        random = Random(f"{seed} {number}")
        self._model.reseed(f"{seed} {number} model")
        self.behaviour, self.action, self._candidate = number, None, None
        behaviour = self._nothing(1)
        self._path = [(None, random.choice(self.start.states))]
        try:
            while len(self._path) < self._depth and not self._asked_to_stop and self._step(random, behaviour):
                behaviour.length += 1
        except _Stop as stop:
            self._ended(behaviour, stop)
        behaviour.stopped = self._asked_to_stop
        if self._on_trace is not None and behaviour.violation is None:
            self._on_trace(number, trace_of(self._model, self._path))
        return behaviour

    def _step(self, random: Random, behaviour: Behaviour) -> bool:
        """Go on by one state, if that is possible."""
        state = self._path[-1][1]
        enabled = False
        for action in random.sample(range(len(self._model.actions)), len(self._model.actions)):
            self.action = action
            inside = []
            try:
                for successor in self._successors(state, action, random):
                    enabled = True
                    behaviour.generated[action] += 1
                    self._generated += 1
                    if self._check_step(state, successor):
                        inside.append(successor)
                        if self._only_taken:
                            break
                    else:
                        behaviour.cut += 1
            except self._model.errors as error:
                self._failed(error)
            if inside:
                behaviour.taken[action] += 1
                self._path.append((action, random.choice(inside)))
                return True
        if not enabled and self._model.check_deadlock:
            raise _Stop(deadlock(self._model, self._path))
        return False

    def _successors(self, state: State, action: int, random: Random) -> Sequence[State]:
        states = self._model.taking(state, action)
        return random.sample(states, len(states)) if self._only_taken else states

    def _check_step(self, state: State, successor: State) -> bool:
        """Check a successor, and tell whether it is within the constraints."""
        self._candidate = successor
        self._check("invariant", self._model.invariants, "Invariant {} is violated")
        inside = self._all_hold(self._model.constraints)
        self._candidate = None
        for predicate in self._model.implied_actions:
            if not predicate.holds(state, successor):
                message = f"Action property {predicate.name} is violated"
                self._violated("property", predicate, message, [*self._path, (self.action, successor)])
        for duty in self._model.obligations:
            if duty.action == self.action and duty.met_by(state, successor) is None:
                raise _Stop(unmet(self._model, duty, [*self._path, (self.action, successor)]))
        return inside and all(each.holds(state, successor) for each in self._model.action_constraints)

    def _all_hold(self, predicates: Sequence[StatePredicate]) -> bool:
        assert self._candidate is not None
        return all(each.holds(self._candidate) for each in predicates)

    def _check(self, verdict: Verdict, predicates: Sequence[StatePredicate], message: str) -> None:
        assert self._candidate is not None
        for predicate in predicates:
            if not predicate.holds(self._candidate):
                self._violated(verdict, predicate, message.format(predicate.name), self.path())

    def _violated(
        self, verdict: Verdict, predicate: StatePredicate | ActionPredicate, message: str, path: Path
    ) -> NoReturn:
        raise _Stop(violation(self._model, verdict, predicate, message, path))

    def _failed(self, error: Exception) -> NoReturn:
        failure = self._model.failure(error)
        trace = failed_trace(self._model, self.path(), failure)
        found = Violation(
            failure.verdict, None, failure.message, trace if len(trace) else None, explanation=failure.explanation
        )
        raise _Stop(found, failure.diagnostics)

    def _nothing(self, length: int) -> Behaviour:
        actions = len(self._model.actions)
        return Behaviour(length, array("q", bytes(8 * actions)), array("q", bytes(8 * actions)))

    def _ended(self, behaviour: Behaviour, stop: _Stop) -> Behaviour:
        behaviour.violation, behaviour.diagnostics = stop.violation, stop.diagnostics
        if stop.violation.trace is not None:
            behaviour.length = len(stop.violation.trace)
        return behaviour
