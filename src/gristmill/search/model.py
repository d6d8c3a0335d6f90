"""What can be searched: the interface between a specification and everything that explores it.

A model has initial states, and from every state steps to further states, each taken by an action. That is all a search
must know:

    class Counter(Model):
        variables = ("n",)
        actions = (Action("Increment"),)

        def initial_states(self):
            yield (0,)

        def successors(self, state):
            (n,) = state
            yield 0, [(n + 1,)] if n < 10 else []

    result = breadth_first(Counter())

Everything else is an attribute with a default: what must hold (`invariants`, `implied_inits`, `implied_actions`,
`obligations`, `check_deadlock`), what is cut off (`constraints`, `action_constraints`), and what is the same (`view`,
`symmetry`).

A state is a tuple with a value for each variable. The search looks at no value; it only hashes and compares states.
Equal states are one state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, Protocol, TypeAlias

from gristmill.source import Diagnostic, Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.trace import Blocked, Explanation, Shown

State: TypeAlias = tuple[Any, ...]
Parameters: TypeAlias = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Action:
    """One instance of an action. Instances that differ only in their parameters count as one in the coverage.

    `names`: of the parameters that its steps are taken with; None if that is not known beforehand.
    """

    name: str
    parameters: Parameters = ()
    location: Span | None = None
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A step from a state: the action, as an index into `Model.actions`, what it was taken with, where it leads."""

    action: int
    parameters: Parameters
    state: Any


@dataclass(frozen=True, slots=True)
class StatePredicate:
    """`explain`: why it is false in a state. `mapped`: names and values, as text, of what it speaks of there."""

    name: str
    holds: Callable[[State], bool]
    location: Span | None = None
    explain: Callable[[State], Explanation | None] | None = None
    mapped: Callable[[State], Shown] | None = None


@dataclass(frozen=True, slots=True)
class ActionPredicate:
    name: str
    holds: Callable[[State, State], bool]
    location: Span | None = None
    explain: Callable[[State, State], Explanation | None] | None = None
    mapped: Callable[[State], Shown] | None = None


@dataclass(frozen=True, slots=True)
class Obligation:
    """What every step by one action must satisfy: one of `alternatives`, which are tried in their order."""

    name: str
    action: int
    alternatives: tuple[ActionPredicate, ...]

    def met_by(self, state: State, successor: State) -> int | None:
        """The first alternative that holds of a step, by its number."""
        return next((n for n, each in enumerate(self.alternatives) if each.holds(state, successor)), None)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a state, a step or a predicate could not be computed.

    - `verdict`: "assert" if the specification itself said so, else "error".
    - `partial`: of a successor that was being computed, the variables that already have a value.
    - `explanation`: why what the specification asserts is false.
    """

    message: str
    verdict: Literal["error", "assert"] = "error"
    diagnostics: tuple[Diagnostic, ...] = ()
    partial: Mapping[str, Any] | None = None
    action: int | None = None
    explanation: Explanation | None = None


class ModelError(Exception):
    """What a model raises when it has no better exception of its own."""

    def __init__(self, message: str, verdict: Literal["error", "assert"] = "error") -> None:
        super().__init__(message)
        self.verdict: Literal["error", "assert"] = verdict


class Position(Protocol):
    """Where a search is: what a model may ask while it evaluates something.

    `level` is that of the state in question: 1 for initial states, 0 while they are being computed. An action predicate
    is evaluated at the level of its first state.
    """

    @property
    def level(self) -> int: ...
    @property
    def action(self) -> int | None:
        """The action that led to the state in question, or that is being taken; None in initial states."""

    @property
    def distinct(self) -> int: ...
    @property
    def generated(self) -> int: ...
    @property
    def queue(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def behaviour(self) -> int:
        """The number of the behaviour, from 1, in a simulation; 0 in a search."""

    def path(self) -> Sequence[tuple[int | None, State]]:
        """The actions and states from an initial state to the one in question."""

    def stop(self) -> None:
        """End the search, after the state that is being expanded, as if there were no more to explore."""


class Model(Protocol):
    """Subclass it to have the defaults; or have all of this."""

    variables: Sequence[str]
    actions: Sequence[Action]

    def initial_states(self) -> Iterable[State]:
        """Every initial state, as often as it is generated: each time counts. May be computed while it is consumed."""

    def successors(self, state: State) -> Iterable[tuple[int, Sequence[State]]]:
        """Steps from a state: an index into `actions`, and the states that this action leads to.

        Every state counts as generated as often as it stands there. The same index may come several times, and an empty
        list is as good as none. If the computation fails, what has been found before that must be yielded first: an
        error in one successor does not hide a violation in an earlier one.
        """

    def taking(self, state: State, action: int) -> Sequence[State]:
        """The successors by one action. A simulation asks for them; by default they are picked out of all."""
        return [each for number, states in self.successors(state) if number == action for each in states]

    def steps(self, state: State) -> Sequence[Taken]:
        """Every step from a state, as often as it is generated, with the parameters that it is taken with.

        Those by one action stand together, which may not be the order of `successors`.
        """
        return [
            Taken(action, self.parameters(state, action, each), each)
            for action, states in self.successors(state)
            for each in states
        ]

    def take(self, state: State, action: str, parameters: Mapping[str, Any] = {}) -> Sequence[Taken]:
        """The steps by the actions of a name, with these values of the parameters; those not given may have any."""
        return [each for each in self.steps(state) if self.is_instance(each, action, parameters)]

    def steps_from(self, states: Sequence[State]) -> Sequence[Sequence[Taken]]:
        """`steps` of each state. An engine may do all of them in one go."""
        return [self.steps(state) for state in states]

    def take_from(
        self, states: Sequence[State], action: str, parameters: Mapping[str, Any] = {}
    ) -> Sequence[Sequence[Taken]]:
        """`take` of each state."""
        return [self.take(state, action, parameters) for state in states]

    def is_instance(self, taken: Taken, action: str, parameters: Mapping[str, Any]) -> bool:
        """Whether a step is one by an action of this name, with at least these parameters."""
        if self.actions[taken.action].name != action:
            return False
        own = dict(taken.parameters)
        return all(name in own and own[name] == value for name, value in parameters.items())

    def values(self, state: State) -> tuple[Any, ...]:
        """The value of each variable. An engine may have a shorter form for the states that it hands out."""
        return state

    def some_values(self, state: State, which: Sequence[int]) -> tuple[Any, ...]:
        """The values of some variables, by their indices, in their places; in the others there may be anything."""
        return self.values(state)

    def renew(self) -> int:
        """The number of the form in which states are handed out. States of different forms are not equal.

        It may be another one after this call: whoever keeps states must be ready to `pack` them again. States of
        earlier forms are still understood.
        """
        return 0

    def pack(self, state: State) -> State:
        """A state in the form in which it is handed out now."""
        return state

    def reseed(self, seed: str) -> None:
        """A simulation begins a behaviour. What the model draws at random then must follow from `seed` alone."""

    # What must hold: of every reachable state, of initial states, of every step.
    invariants: Sequence[StatePredicate] = ()
    implied_inits: Sequence[StatePredicate] = ()
    implied_actions: Sequence[ActionPredicate] = ()
    obligations: Sequence[Obligation] = ()  # at most one of each action
    check_deadlock: bool = True

    # What is not explored further: a state or a step for which one of these is false. It is still checked.
    constraints: Sequence[StatePredicate] = ()
    action_constraints: Sequence[ActionPredicate] = ()

    # States with the same view, or the same representative, are one state. With both, it is the representative's view.
    view: Callable[[State], Hashable] | None = None
    symmetry: Callable[[State], State] | None = None

    # What is shown in place of the variables of a state, given it and its successor (the last one has itself).
    alias: Callable[[State, State], Mapping[str, Any]] | None = None

    # The exceptions by which evaluation fails; others are taken for mistakes of the program.
    errors: tuple[type[Exception], ...] = (ModelError,)

    # Set to be told where the search is, by `follow`. It costs time.
    follows_search: bool = False

    def follow(self, position: Position) -> None:
        """Called once before a search; `position` moves with it."""

    def failure(self, error: Exception) -> Failure:
        """An exception of `errors` in words. Called right after it is caught."""
        return Failure(str(error), error.verdict if isinstance(error, ModelError) else "error")

    def undisturbed(self) -> AbstractContextManager[None]:
        """What is evaluated in it has no effects that last: it is evaluated once more, to tell what is wrong."""
        return nullcontext()

    def parameters(self, state: State, action: int, successor: State) -> Parameters:
        """The parameters that an action was taken with, asked only for steps that are shown."""
        return tuple(self.actions[action].parameters)

    def place_in_algorithm(self, action: int) -> Span | None:
        """The label that an action of a translated algorithm stands for, asked only for steps that are shown."""
        return None

    def remarks(self, states: Sequence[State], seconds: float, never: Collection[str] = ()) -> Iterable[str]:
        """Caveats that only the model can tell, after a search that found nothing wrong in these states.

        `seconds`: how long this may take. `never`: actions that were never possible, while others were.
        """
        return ()

    def blocked(self, state: State, action: str | None = None, parameters: Mapping[str, Any] = {}) -> Iterable[Blocked]:
        """Why actions are not possible in a state: all of them, or those of a name, with some parameters.

        Of an action that is possible, nothing is said.
        """
        return ()
