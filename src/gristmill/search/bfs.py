"""Breadth-first search. It counts as TLC does with one worker:

- Every initial state and every successor is *generated*, also a duplicate and one that a constraint cuts off.
- A state that fails a constraint, or is reached only by a step that fails an action constraint, is not stored and has
  no successors, but its invariants are checked each time it is generated, and the step's implied actions as well.
- Of other states the invariants are checked once, when they are found. Implied actions are checked for every step, also
  to a known state, after the invariants.
- The obligation of an action is checked for every step by it, after the implied actions.
- Constraints and implied inits are checked of initial states; action constraints are not.
- A deadlock is a state with no successor at all. One whose successors are all cut off is none.
- The depth counts states: 1 if there are only initial states, also if all of them are cut off; 0 if there are none.
- The state that violates something is generated and stored, but not in the queue.

Unlike TLC, a search that goes on after a violation (`keep_going`) also goes on after a deadlock and a violated implied
init, and evaluates all invariants of a state.
"""

from __future__ import annotations

import time
from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

from gristmill.search.behaviour import Path, deadlock, failed_trace, unmet, violation
from gristmill.search.budget.limits import NO_LIMITS, NO_MEMORY, LimitReached, Limits
from gristmill.search.budget.memory import resident_bytes
from gristmill.search.caveats import caveats, never_taken, patience
from gristmill.search.liveness.graph import GrowingGraph
from gristmill.search.model import ActionPredicate, Model, Obligation, State, StatePredicate
from gristmill.search.on_the_fly import Interim, Intervals
from gristmill.search.position import SearchPosition
from gristmill.search.progress import OnProgress, Progress
from gristmill.search.result import NO_ERROR, ActionCoverage, Graph, Result, Violation
from gristmill.search.statistics import coverage, obligations, out_degree
from gristmill.search.store import NONE, Store
from gristmill.search.verdict import Verdict
from gristmill.source import Diagnostic

_TICK = 0.05  # seconds between looks at the clock's consequences


def breadth_first(
    model: Model,
    *,
    limits: Limits = NO_LIMITS,
    keep_going: bool = False,
    keep_graph: bool = False,
    keep_steps: bool = False,
    on_progress: OnProgress | None = None,
    interim: Interim | None = None,
    each_obligation: bool = False,
) -> Result:
    """Explore every reachable state, nearest first, and report the first violation, or all of them (`keep_going`).

    `each_obligation`: a step that fails the obligation of its action does not end the search, and of each obligation
    only the first such step is told.

    `keep_graph` puts all states and steps into the result, `keep_steps` between any two states but one: enough for
    temporal properties. `on_progress` is called some times a second, `interim` asked at growing intervals if a graph is
    kept. Ctrl-C and a reached limit end the search with the verdict "incomplete" and what is known by then.
    """
    search = BreadthFirst(model, limits, keep_going, keep_graph, on_progress, interim, keep_steps)
    search.each_obligation = each_obligation
    return search.run()


class _Stop(Exception):
    """What has been found ends the search."""


class _Asked(Exception):
    """The model itself wants the search to end here."""


class BreadthFirst:
    """One search. The public attributes are where it is."""

    def __init__(
        self,
        model: Model,
        limits: Limits,
        keep_going: bool,
        keep_graph: bool,
        on_progress: OnProgress | None,
        interim: Interim | None = None,
        keep_steps: bool = False,
    ) -> None:
        self.store = Store()
        self.level = 0  # of the state being expanded; 0 while initial states are computed
        self.expanded = 0  # how many states have been expanded, with the one that is being
        self.each_obligation = False
        self._obliged = {each.action: each for each in model.obligations}
        self._met: dict[int, set[int]] = {action: set() for action in self._obliged}  # alternatives that have held
        self._model = model
        self._limits = limits
        self._keep_going = keep_going
        self._on_progress = on_progress
        self._interim, self._intervals = interim, Intervals()
        self._edges: _Edges | GrowingGraph | None = None
        if keep_graph or keep_steps:
            self._edges = _Edges() if keep_graph else GrowingGraph()
        self._started = time.monotonic()
        self._next_tick = self._started + _TICK
        self._initial_generated = 0
        self._initial = 0  # how many of the states are initial
        self._taken = [0] * len(model.actions)  # states generated, by action
        self._cut = 0
        self._violations: dict[tuple[Verdict, str | None], Violation] = {}
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self._asked_to_stop = False
        self._incomplete: str | None = None
        self._went_through = True  # no violation has ended it
        self._not_queued = 0  # a state that is stored, and whose check has ended the search
        self._level_end = 0  # the number of states up to this level
        self._listen()

    # ------------------------------------------------------------------------------------------------ where it is

    @property
    def generated(self) -> int:
        return self._initial_generated + sum(self._taken)

    @property
    def depth(self) -> int:
        """The number of states on the longest of the shortest paths found."""
        if not self.store:
            return 1 if self.generated else 0
        return max(1, self.level + (len(self.store) > self._level_end))

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    # ---------------------------------------------------------------------------------------------------- the run

    def run(self) -> Result:
        try:
            self._begin()
            self._explore()
        except _Stop:
            self._went_through = False
        except _Asked:
            pass
        except LimitReached as reached:
            self._incomplete = str(reached)
        except KeyboardInterrupt:
            self._incomplete = "Interrupted"
        except MemoryError:
            self._incomplete = NO_MEMORY
        del self.store.states[len(self.store.actions) :]  # an interrupt may have come between two appends
        return self._result()

    def stop(self) -> None:
        """Called by the model: what has been found so far is all there is. Takes effect before the next state."""
        self._asked_to_stop = True
        self._next_tick = 0.0

    def _listen(self) -> None:
        """What the loops call, in the form in which it is fastest."""
        model = self._model
        self._expand: Callable[[State], Iterable[tuple[int, Sequence[State]]]] = model.successors
        self._invariants = [predicate.holds for predicate in model.invariants]
        self._implied_inits = [predicate.holds for predicate in model.implied_inits]
        self._constraints = [predicate.holds for predicate in model.constraints]
        self._key = _key(model)
        if model.follows_search:
            position = SearchPosition(self)
            self._expand = position.follow_successors(model)
            for predicates in (self._invariants, self._implied_inits, self._constraints):
                predicates[:] = map(position.follow_predicate, predicates)
            model.follow(position)

    def _begin(self) -> None:
        """Initial states."""
        store, key = self.store, self._key
        try:
            for state in self._model.initial_states():
                self._initial_generated += 1
                if time.monotonic() >= self._next_tick:
                    self._tick()
                try:
                    if not all(holds(state) for holds in self._constraints):
                        self._cut += 1
                    else:
                        number = len(store.states)
                        if store.index.setdefault(state if key is None else key(state), number) == number:
                            store.states.append(state)
                            store.parents.append(NONE)
                            store.actions.append(NONE)
                        elif self._model.symmetry is None:  # with one, states of an orbit need not be alike initially
                            continue
                    self._check_initial(state)
                except self._model.errors as error:
                    self._failed(error, [(None, state)])
        except self._model.errors as error:
            self._failed(error, [])
        self._initial = len(store)

    def _explore(self) -> None:
        """Level by level."""
        states, expand, errors, clock = self.store.states, self._expand, self._model.errors, time.monotonic
        deadlocks, absorb = self._model.check_deadlock, self._absorber()
        start, end = 0, len(states)
        while start < end:
            self.level, self._level_end = self.level + 1, end
            if self.level == self._limits.depth:
                raise LimitReached(f"The depth limit of {self.level} was reached")
            for number in range(start, end):
                if clock() >= self._next_tick:
                    self._tick()
                self.expanded = number + 1
                deadlocked = True
                state = states[number]
                try:
                    for action, successors in expand(state):
                        if successors:
                            deadlocked = False
                            absorb(number, state, action, successors)
                except errors as error:
                    self._failed(error, self.store.path(number))
                if deadlocked and deadlocks:
                    self._deadlocked(number)
            start, end = end, len(states)
            if start < end and (reason := self._limits.too_many(end)):
                raise LimitReached(reason)
            if self._interim is not None and start < end and self._intervals.are_over(end):
                self._look(self._interim)

    def _absorber(self) -> Callable[[int, State, int, Sequence[State]], None]:
        """The innermost loop, as a function that has everything it needs at hand.

        It takes the successors of a state by one action. Little happens for a successor that is known.
        """
        store, model, key, taken, edges = self.store, self._model, self._key, self._taken, self._edges
        states, know = store.states, store.index.setdefault
        add_state, add_parent, add_action = states.append, store.parents.append, store.actions.append
        invariants, implied_actions = self._invariants, [predicate.holds for predicate in model.implied_actions]
        inside = _inside(self._constraints, [predicate.holds for predicate in model.action_constraints])
        stops: tuple[type[Exception], ...] = (_Stop, *model.errors)
        obliged, met = self._obliged, self._met

        def absorb(number: int, state: State, action: int, successors: Sequence[State]) -> None:
            taken[action] += len(successors)
            duty = obliged.get(action)
            try:
                for successor in successors:
                    if inside is not None and not inside(state, successor):
                        self._cut += 1
                        new = True
                    else:
                        count = len(states)
                        found = know(successor if key is None else key(successor), count)
                        new = found == count
                        if new:
                            add_state(successor)
                            add_parent(number)
                            add_action(action)
                        if edges is not None:
                            edges.add(number, action, found)
                    if new:
                        for holds in invariants:
                            if not holds(successor):
                                self._false_invariant(number, action, successor, holds)
                                break
                    for allows in implied_actions:
                        if not allows(state, successor):
                            self._false_action(number, action, state, successor, implied_actions.index(allows))
                            break
                    if duty is not None:
                        by = duty.met_by(state, successor)
                        if by is not None:
                            met[action].add(by)
                        else:
                            self._unmet(duty, number, successor)
                            duty = obliged.get(action)
            except stops as stop:
                taken[action] -= len(successors) - 1 - _position(successor, successors)
                self._not_queued = int(states[-1] is successor)
                if isinstance(stop, _Stop):
                    raise
                self._failed(stop, [*store.path(number), (action, successor)])

        return absorb

    def _tick(self) -> None:
        """Tell about the progress, and look whether it must end."""
        if self._asked_to_stop and self.level > 0:
            raise _Asked
        memory, seconds = resident_bytes(), self.seconds
        if self._on_progress is not None:
            queue = len(self.store) - self.expanded
            now = Progress(len(self.store), self.generated, queue, self.depth, seconds, memory, initial=self._initial)
            self._on_progress(now)
        reason = self._limits.exceeded(seconds, memory)
        if reason is not None:
            raise LimitReached(reason)
        self._next_tick = time.monotonic() + _TICK

    def _look(self, interim: Interim) -> None:
        """At the behaviours known so far."""
        graph = self._graph()
        found = interim.look(graph, self.expanded) if graph is not None else None
        self._intervals.begin(len(self.store))
        if found is not None:
            self._violations[found.verdict, found.property] = found
            raise _Stop

    # ------------------------------------------------------------------------------------------------ what it finds

    def _check_initial(self, state: State) -> None:
        path: Path = [(None, state)]
        for predicate, holds in zip(self._model.invariants, self._invariants, strict=True):
            if not holds(state):
                self._violated("invariant", predicate, f"Invariant {predicate.name} is false initially", path)
        for predicate, holds in zip(self._model.implied_inits, self._implied_inits, strict=True):
            if not holds(state):
                self._violated("property", predicate, f"Property {predicate.name} is false initially", path)

    def _false_invariant(self, number: int, action: int, successor: State, false: Callable[[State], bool]) -> None:
        """It is not evaluated again: that might have effects, or come to something else."""
        first = self._invariants.index(false)
        for predicate, holds in zip(self._model.invariants[first:], self._invariants[first:], strict=True):
            if holds is false or not holds(successor):
                path = [*self.store.path(number), (action, successor)]
                self._violated("invariant", predicate, f"Invariant {predicate.name} is violated", path)

    def _false_action(self, number: int, action: int, state: State, successor: State, false: int) -> None:
        for position, predicate in enumerate(self._model.implied_actions[false:]):
            if position == 0 or not predicate.holds(state, successor):
                path = [*self.store.path(number), (action, successor)]
                self._violated("property", predicate, f"Action property {predicate.name} is violated", path)

    def _unmet(self, duty: Obligation, number: int, successor: State) -> None:
        path = [*self.store.path(number), (duty.action, successor)]
        if self.each_obligation:
            del self._obliged[duty.action]
        self._report(("property", duty.name), lambda: unmet(self._model, duty, path), self.each_obligation)

    def _deadlocked(self, number: int) -> None:
        self._report(("deadlock", None), lambda: deadlock(self._model, self.store.path(number)))

    def _violated(
        self, verdict: Verdict, predicate: StatePredicate | ActionPredicate, message: str, path: Path
    ) -> None:
        self._report((verdict, predicate.name), lambda: violation(self._model, verdict, predicate, message, path))

    def _report(
        self, key: tuple[Verdict, str | None], describe: Callable[[], Violation], going_on: bool = False
    ) -> None:
        """Of several violations of the same property the first has the shortest behaviour."""
        known = self._violations.get(key)
        self._violations[key] = replace(known, count=known.count + 1) if known is not None else describe()
        if not (self._keep_going or going_on):
            raise _Stop

    def _failed(self, error: Exception, path: Path) -> NoReturn:
        """Evaluation has failed at the end of a path. Nothing that comes after that can be trusted."""
        failure = self._model.failure(error)
        predicate = self._failing_predicate(path)
        name, prefix = (predicate.name, f"Evaluating {predicate.name} failed: ") if predicate else (None, "")
        trace = failed_trace(self._model, path, failure)
        found = Violation(
            failure.verdict,
            name,
            prefix + failure.message,
            trace if len(trace) else None,
            explanation=failure.explanation,
        )
        self._violations[failure.verdict, name] = found
        self._diagnostics = failure.diagnostics
        raise _Stop

    def _failing_predicate(self, path: Path) -> StatePredicate | ActionPredicate | None:
        """The property that cannot be evaluated at the end of a path, if that is what failed there."""
        with self._model.undisturbed():
            return self._failing(path)

    def _failing(self, path: Path) -> StatePredicate | ActionPredicate | None:
        if not path or any(self._fails(holds, path[-1][1]) for holds in self._constraints):
            return None
        for predicate, holds in zip(self._model.invariants, self._invariants, strict=True):
            if self._fails(holds, path[-1][1]):
                return predicate
        if len(path) == 1:
            return next((each for each in self._model.implied_inits if self._fails(each.holds, path[0][1])), None)
        step = path[-2][1], path[-1][1]
        duties = [each for duty in self._model.obligations if duty.action == path[-1][0] for each in duty.alternatives]
        return next((each for each in (*self._model.implied_actions, *duties) if self._fails(each.holds, *step)), None)

    def _fails(self, holds: Callable[..., bool], *states: State) -> bool:
        try:
            holds(*states)
        except self._model.errors:
            return True
        return False

    # ------------------------------------------------------------------------------------------------- what to say

    def _result(self) -> Result:
        store, model = self.store, self._model
        rows = coverage(model.actions, Counter(store.actions), self._taken, self._initial_generated)
        queue = len(store) - self.expanded - self._not_queued
        first = next(iter(self._violations.values()), None)
        verdict: Verdict = "incomplete" if self._incomplete else "ok"
        return Result(
            verdict=first.verdict if first else verdict,
            property=first.property if first else None,
            message=first.message if first else self._incomplete or NO_ERROR,
            distinct=len(store),
            generated=self.generated,
            depth=self.depth,
            queue=queue,
            seconds=self.seconds,
            search_seconds=self.seconds,
            trace=first.trace if first else None,
            coverage=rows,
            out_degree=out_degree(store.parents, self.expanded),
            caveats=tuple(self._caveats(rows, queue)),
            obligations=obligations(model, self._met),
            violations=tuple(self._violations.values()),
            diagnostics=self._diagnostics,
            graph=self._graph(),
        )

    def _caveats(self, rows: Sequence[ActionCoverage], queue: int) -> Iterator[str]:
        if self._went_through:
            yield from caveats(self._model, rows, cut=self._cut, queue=queue, asked=self._asked_to_stop)
        if self._went_through and not (self._incomplete or self._violations or queue):
            seconds = patience(self.seconds, self._limits.seconds)
            yield from self._model.remarks(self.store.states, seconds, never_taken(rows))

    def _graph(self) -> Graph | None:
        if self._edges is None:
            return None
        model, states, edges = self._model, self.store.states, self._edges
        graph = partial(Graph, model.variables, model.actions, states, self._initial)
        if isinstance(edges, GrowingGraph):
            return graph(array("I"), array("i"), array("I"), steps=edges)
        return graph(edges.sources, edges.actions, edges.targets)


class _Edges:
    """Every step between stored states, once for each time it was generated."""

    def __init__(self) -> None:
        self.sources, self.actions, self.targets = array("I"), array("i"), array("I")

    def add(self, source: int, action: int, target: int) -> None:
        self.sources.append(source)
        self.actions.append(action)
        self.targets.append(target)


def _key(model: Model) -> Callable[[State], Hashable] | None:
    """What decides whether two states are one; None if that is the state itself."""
    view, symmetry = model.view, model.symmetry
    if view is None:
        return symmetry
    if symmetry is None:
        return view
    return lambda state: view(symmetry(state))


def _inside(
    constraints: Sequence[Callable[[State], bool]], action_constraints: Sequence[Callable[[State, State], bool]]
) -> Callable[[State, State], bool] | None:
    """Whether a step stays within all constraints; None if there are none."""
    if not constraints and not action_constraints:
        return None
    if not action_constraints and len(constraints) == 1:  # the usual case, made fast
        holds = constraints[0]
        return lambda state, successor: holds(successor)

    def inside(state: State, successor: State) -> bool:
        return all(holds(successor) for holds in constraints) and all(
            allows(state, successor) for allows in action_constraints
        )

    return inside


def _position(state: State, states: Sequence[State]) -> int:
    """Of this very object: a violation is found the first time the state comes up."""
    return next(position for position, each in enumerate(states) if each is state)
