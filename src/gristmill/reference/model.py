"""A specification as something to search: the model of the search, computed by the reference evaluator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import chain, groupby
from typing import Any, TypeAlias

from gristmill.evaluate.errors import Activation, Unevaluated, locate
from gristmill.evaluate.evaluator import Evaluator
from gristmill.explain.assertions import failed_assertion
from gristmill.explain.blocked import blocked
from gristmill.explain.formulas import explain, is_repeatable, undisturbed
from gristmill.explain.never import never_possible
from gristmill.explain.remedies import remedy
from gristmill.explain.vacuity import Antecedents, vacuous, vacuous_in_steps
from gristmill.ir import nodes
from gristmill.ir.levels import STATE, level
from gristmill.ir.model import Action as SpecifiedAction
from gristmill.ir.model import Branch, Named
from gristmill.ir.model import Model as Specified
from gristmill.ir.walk import SEARCHED, bodies, operators_in, reachable
from gristmill.reference.permutations import symmetry_of
from gristmill.search import (
    Action,
    ActionPredicate,
    Failure,
    Model,
    Obligation,
    Parameters,
    Position,
    State,
    StatePredicate,
    Taken,
)
from gristmill.search.profile import Costs, Kind
from gristmill.source import Diagnostic, Label, Span
from gristmill.syntax import tree
from gristmill.trace import Blocked, Shown
from gristmill.values import EvaluationError, Fn, Value, make_record, show

ASSERTION = "assert"

# The steps of an action from a state: the values of its parameters, if they could be told, and the successor.
Stepper: TypeAlias = Callable[[State], list[tuple[tuple[Value, ...] | None, State]]]

# The register where TLC keeps the counts, and where specifications read them.
POSSIBLE = "s:_possible"

_TO_SEE_HOW_FAR = 0.25  # seconds: how far actions came that were never possible


def possible_counts(registers: Mapping[Value, Value]) -> dict[str, int]:
    """How often each was true. What a specification itself may have stored there and is no count counts for nothing."""
    counts = registers.get(POSSIBLE)
    items = counts.items() if type(counts) is Fn else ()
    return {name: count for name, count in items if type(name) is str and type(count) is int}


class _Counter:
    def __init__(self, registers: dict[Value, Value], name: str) -> None:
        self.registers, self.name = registers, name

    def add(self, holds: bool) -> bool:
        counts = possible_counts(self.registers)
        counts[self.name] = counts.get(self.name, 0) + holds
        self.registers[POSSIBLE] = make_record(counts)
        return True

    def of_state(self, test: Callable[[State], bool]) -> Callable[[State], bool]:
        return lambda state: self.add(test(state))

    def of_step(self, test: Callable[[State, State], bool]) -> Callable[[State, State], bool]:
        return lambda state, successor: self.add(test(state, successor))


class SpecificationModel(Model):
    """Compiles everything at once, so that what cannot be compiled is known before the search begins."""

    errors: tuple[type[Exception], ...] = (EvaluationError,)
    position: Position | None = None
    knows_initial = False
    explored: Sequence[State] = ()  # after a search that found nothing wrong

    def __init__(self, specified: Specified, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.specified = specified
        self.variables: Sequence[str] = specified.variables
        self.actions: Sequence[Action] = [
            Action(a.name, (), a.span, tuple(name for name, _ in a.parameters) or None) for a in specified.actions
        ]
        self._found: list[State] = []  # by the computation of states that is under way, or has failed
        init, found = specified.init, self._found
        self._initial = evaluator.initial_states(init, found) if init is not None else None
        self._taken: list[int] = []  # by which actions the states were found
        self._branches: dict[int, Callable[[State], list[State]]] = {}  # compiled when they are asked for
        whole = specified.branches if _order_can_be_seen(specified) else specified.unsplit or specified.branches
        self._searched = [(branch.actions, self._branch(branch)) for branch in whole]
        self._by_action: dict[int, Callable[[State], list[State]]] = {}
        self._steppers: dict[int, Stepper] = {}  # by action
        self._places: dict[int, Span | None] = {}  # of actions in an algorithm
        self._processes: dict[int, Parameters] = {}
        self.invariants = self._state_predicates(specified.invariants)
        self.implied_inits = self._state_predicates(specified.implied_inits)
        self.implied_actions = self._action_predicates(specified.implied_actions)
        self.obligations = [
            Obligation(each.name, each.action, tuple(self._action_predicates(each.alternatives)))
            for each in specified.obligations
        ]
        self._obliged = {each.action: each for each in self.obligations}
        self.constraints = self._state_predicates(specified.constraints)
        self.action_constraints = self._action_predicates(specified.action_constraints)
        self._count_possible(specified.possible)
        self.check_deadlock = specified.check_deadlock
        self.view: Any = self._view(specified.view)
        self.follows_search = specified.asks_search
        self._antecedents: Antecedents | None = None
        self.symmetry: Any = symmetry_of(specified.symmetry, evaluator, specified.variable_order if self.view else ())
        self.alias: Any = self._alias(specified.alias)

    def _state_predicates(self, formulas: Iterable[Named]) -> list[StatePredicate]:
        compile_predicate = self.evaluator.state_predicate
        return [
            StatePredicate(
                f.name,
                compile_predicate(f.code),
                f.code.span,
                partial(explain, self.evaluator, f.code),
                self._mapped(f),
            )
            for f in formulas
        ]

    def _action_predicates(self, formulas: Iterable[Named]) -> list[ActionPredicate]:
        compile_predicate = self.evaluator.action_predicate
        return [
            ActionPredicate(
                f.name,
                compile_predicate(f.code),
                f.code.span,
                partial(explain, self.evaluator, f.code),
                self._mapped(f),
            )
            for f in formulas
        ]

    def obligation_of(self, action: int) -> Obligation | None:
        return self._obliged.get(action)

    def _mapped(self, formula: Named) -> Callable[[State], Shown] | None:
        """The variables of the specification that is refined, in a state of this one."""
        if not formula.mapping:
            return None

        def mapped(state: State) -> Shown:
            return tuple((each.name, self._shown(each, state)) for each in formula.mapping)

        return mapped

    def _shown(self, mapped: Named, state: State) -> str:
        try:
            with undisturbed(self.evaluator.context):
                return show(self.evaluator.state_function(mapped.code)(state))
        except (EvaluationError, RecursionError) as error:
            return f"({error})"

    def _count_possible(self, formulas: Iterable[Named]) -> None:
        """Constraints that cut nothing, but count how often a predicate is true of what is generated."""
        for formula in formulas:
            count = _Counter(self.evaluator.context.registers, formula.name)
            if level(formula.code.body) <= STATE:
                test = self.evaluator.state_predicate(formula.code)
                counting = StatePredicate(formula.name, count.of_state(test), formula.code.span)
                self.constraints = [*self.constraints, counting]
            else:
                step = self.evaluator.action_predicate(formula.code)
                counting_steps = ActionPredicate(formula.name, count.of_step(step), formula.code.span)
                self.action_constraints = [*self.action_constraints, counting_steps]

    def _view(self, view: Named | None) -> Any:
        if view is None:
            return None
        evaluate = self.evaluator.state_function(view.code)

        def key(state: State) -> Hashable:
            return evaluate(state)

        return key

    def _alias(self, alias: Named | None) -> Any:
        """What is shown in place of the variables: a record. Anything else is shown as the state is."""
        if alias is None:
            return None
        evaluate = self.evaluator.value(alias.code)
        context = self.evaluator.context

        def shown(state: State, successor: State) -> Mapping[str, Value]:
            context.current[:] = state
            context.next[:] = successor
            try:
                value = evaluate()
            except EvaluationError as error:  # which must not hide the counterexample
                why = f"the ALIAS {alias.name} cannot be evaluated, and states are shown as they are: {error}"
                context.warn_once("alias-failed", why, alias.code.span)
                value = None
            if type(value) is Fn:
                fields = {name: each for name, each in value.items() if type(name) is str}
                if len(fields) == len(value):
                    return fields
            return dict(zip(self.variables, state, strict=True))

        return shown

    # ------------------------------------------------------------------------------------------------------- states

    def initial_states(self) -> Iterator[State]:
        if self._initial is None:
            return
        try:
            states = self._initial()
        except EvaluationError:
            yield from self._found[:]
            raise
        yield from states

    def measure(self, costs: Costs) -> None:
        """Count from now on what everything takes."""
        if self._initial is not None:
            self._initial = costs.measured(("initial", "Init"), self._initial)
        for number, branch in enumerate(self.specified.branches):
            self._branches[number] = costs.measured(("action", branch.code.name), self._branch(branch))
        self._searched = [(each.actions, self._branches[at]) for at, each in enumerate(self.specified.branches)]

        def state(kind: Kind, predicates: Sequence[StatePredicate]) -> list[StatePredicate]:
            return [replace(each, holds=costs.measured((kind, each.name), each.holds)) for each in predicates]

        def step(kind: Kind, predicates: Sequence[ActionPredicate]) -> list[ActionPredicate]:
            return [replace(each, holds=costs.measured((kind, each.name), each.holds)) for each in predicates]

        self.invariants = state("invariant", self.invariants)
        self.implied_inits = state("implied_init", self.implied_inits)
        self.constraints = state("constraint", self.constraints)
        self.action_constraints = step("action_constraint", self.action_constraints)
        self.implied_actions = step("implied_action", self.implied_actions)
        self.obligations = [
            replace(each, alternatives=tuple(step("obligation", each.alternatives))) for each in self.obligations
        ]
        self._obliged = {each.action: each for each in self.obligations}

    def know_initial(self, states: list[State]) -> None:
        """The initial states are given."""
        self._initial = lambda: states
        self.knows_initial = True

    def successors(self, state: State) -> Iterator[tuple[int, Sequence[State]]]:
        """By the next-state relation as it is written, which takes less time than branch by branch."""
        for actions, find in self._searched:
            try:
                states = find(state)
            except EvaluationError:
                yield from self._by_actions(actions, self._found[:])
                raise
            yield from self._by_actions(actions, states)

    def successors_by(self, state: State, branches: Iterable[int]) -> Iterator[tuple[int, Sequence[State]]]:
        """The successors by some branches of the next-state relation."""
        for index in branches:
            actions = self.specified.branches[index].actions
            try:
                states = self._solving(index)(state)
            except EvaluationError:
                yield from self._by_actions(actions, self._found[:])
                raise
            yield from self._by_actions(actions, states)

    def _by_actions(self, actions: Sequence[int], states: list[State]) -> Iterator[tuple[int, Sequence[State]]]:
        """The states that a branch of these actions has found, in order, with the actions that they are due to."""
        if len(actions) == 1:
            yield actions[0], states
            return
        start = 0
        for action, same in groupby(self._taken[:]):
            end = start + sum(1 for _ in same)
            yield action, states[start:end]
            start = end

    def _solving(self, index: int) -> Callable[[State], list[State]]:
        found = self._branches.get(index)
        if found is None:
            found = self._branches[index] = self._branch(self.specified.branches[index])
        return found

    def _branch(self, branch: Branch) -> Callable[[State], list[State]]:
        if len(branch.actions) == 1:
            return self.evaluator.successors(branch.code, self._found)
        names = {number: self.specified.actions[number].name for number in branch.actions}
        return self.evaluator.successors(branch.code, self._found, (self._taken, names))

    def taking(self, state: State, action: int) -> Sequence[State]:
        found = self._by_action.get(action)
        if found is None:
            found = self._by_action[action] = self.evaluator.successors(self.specified.actions[action].code)
        return found(state)

    def steps(self, state: State) -> list[Taken]:
        return list(chain.from_iterable(self._steps_by(state, index) for index in range(len(self.actions))))

    def take(self, state: State, action: str, parameters: Mapping[str, Any] = {}) -> list[Taken]:
        numbers = [index for index, each in enumerate(self.actions) if each.name == action]
        found = chain.from_iterable(self._steps_by(state, index) for index in numbers)
        return [each for each in found if self.is_instance(each, action, parameters)]

    def _steps_by(self, state: State, index: int) -> Iterator[Taken]:
        names = [name for name, _ in self.specified.actions[index].parameters]
        for values, successor in self._stepper(index)(state):
            parameters = () if values is None else tuple(zip(names, values, strict=True))
            yield Taken(index, parameters or self.parameters_of(index), successor)

    def parameters_of(self, index: int) -> Parameters:
        """Of an action that has none of its own: the process of an algorithm that takes it."""
        found = self._processes.get(index)
        if found is None:
            action = self.specified.actions[index]
            found = self._processes[index] = () if action.parameters else self._process(action)
        return found

    def _stepper(self, index: int) -> Stepper:
        """Compiled when it is first needed: no search needs it."""
        found = self._steppers.get(index)
        if found is None:
            action = self.specified.actions[index]
            expressions = [value for _, value in action.parameters]
            found = self._steppers[index] = self.evaluator.steps(action.code, expressions)
        return found

    def undisturbed(self) -> AbstractContextManager[None]:
        return undisturbed(self.evaluator.context)

    def reseed(self, seed: str) -> None:
        self.evaluator.context.random.seed(seed)

    def follow(self, position: Position) -> None:
        self.position = position

    def parameters(self, state: State, action: int, successor: State) -> Parameters:
        """The action is taken again, to see with which parameters it leads there."""
        taken = self.specified.actions[action]
        if not taken.parameters:
            return self._process(taken)
        if not is_repeatable(taken.code.body):
            return ()
        names, expressions = zip(*taken.parameters, strict=True)
        with undisturbed(self.evaluator.context):
            try:
                values = self.evaluator.choices(taken.code, expressions)(state, successor)
            except (EvaluationError, RecursionError):
                return ()
        return tuple(zip(names, values, strict=True)) if values is not None else ()

    def blocked(self, state: State, action: str | None = None, parameters: Mapping[str, Any] = {}) -> Iterator[Blocked]:
        for index, each in enumerate(self.specified.actions):
            if action is None or each.name == action:
                fixed = self.parameters_of(index) if parameters else ()
                wanted = {name: value for name, value in parameters.items() if (name, value) not in fixed}
                yield from blocked(self.evaluator, each, state, wanted)

    def remarks(self, states: Sequence[State], seconds: float, never: Collection[str] = ()) -> Iterator[str]:
        self.explored = states
        if never:
            actions = [action for action in self.specified.actions if action.name in never]
            aside = Evaluator(self.variables, self.evaluator.context)  # what it evaluates is not counted
            yield from never_possible(aside, actions, states, min(seconds / 2, _TO_SEE_HOW_FAR))
        yield from vacuous(self.antecedents(), states, seconds)
        self._antecedents = None  # another search may have other states
        if self.specified.implied_actions and all(is_repeatable(each.code.body) for each in self.specified.actions):
            properties = self.specified.implied_actions
            with undisturbed(self.evaluator.context):
                yield from vacuous_in_steps(self.evaluator, properties, states, self._steps, seconds / 2)

    def antecedents(self) -> Antecedents:
        """Of the invariants. What a search looks at before it has ended need not be looked at afterwards."""
        if self._antecedents is None:
            self._antecedents = Antecedents(self.evaluator, self.specified.invariants)
        return self._antecedents

    def _steps(self, state: State) -> Iterator[State]:
        return chain.from_iterable(states for _, states in self.successors(state))

    def _process(self, taken: SpecifiedAction) -> Parameters:
        """`self`, as of a process of a set, where the algorithm has but one process that takes this action."""
        if not _has_algorithm(taken.span):
            return ()
        from gristmill.pluscal import step_process

        match step_process(taken.name, taken.span):
            case tree.Number(value) | tree.String(value):
                return (("self", value),)
        return ()

    def place_in_algorithm(self, action: int) -> Span | None:
        if action not in self._places:
            self._places[action] = self._place_in_algorithm(self.specified.actions[action])
        return self._places[action]

    def _place_in_algorithm(self, taken: SpecifiedAction) -> Span | None:
        if not _has_algorithm(taken.span):
            return None
        from gristmill.pluscal import step_place  # who has no algorithm need not wait for its translator

        return step_place(taken.name, taken.span)

    # ------------------------------------------------------------------------------------------------------- errors

    def failure(self, error: Exception) -> Failure:
        assert isinstance(error, EvaluationError)
        failure = failure_of(error)
        if failure.verdict != "assert":
            return failure
        return replace(failure, explanation=failed_assertion(self.evaluator, error))


def _order_can_be_seen(specified: Specified) -> bool:
    """What one branch finds is looked at before the next one is solved: output tells that, and counts up to an end."""
    searched = bodies(specified, SEARCHED)
    composes = any(isinstance(node, nodes.Cdot) for node in reachable(*searched))
    return composes or any(operator.effects for operator in operators_in(*searched))


def _has_algorithm(span: Span) -> bool:
    return any(mark in span.file.text for mark in ("--algorithm", "--fair"))


def failure_of(error: EvaluationError) -> Failure:
    """An error of evaluation in words, with its place and the definitions it passed through."""
    where = locate(error)
    labels = tuple(Label(_written(call.call), _call_text(call)) for call in reversed(where.stack))
    span = None if where.span is None else _written(where.span)
    diagnostic = Diagnostic(error.id, error.message, span, labels=labels[:8], help=remedy(error))
    return Failure(error.message, "assert" if error.id == ASSERTION else "error", (diagnostic,))


def _written(span: Span) -> Span:
    """In the algorithm, for places in a translation made in memory, which users cannot look up."""
    return span.file.original(span)


def _call_text(activation: Activation) -> str:
    arguments = ", ".join(f"{name} = {_argument(value)}" for name, value in activation.arguments)
    return f"in {activation.name}" + (f", where {arguments}" if arguments else "")


def _argument(value: Value | Unevaluated) -> str:
    text = value.text if isinstance(value, Unevaluated) else show(value)
    return text if len(text) <= 60 else text[:60] + "…"
