"""Where somebody has been: a tree of states, each reached by a step from another, and what can be done from each.

States are computed when they are looked at, so that large models can be explored as well. Both the browser and the
terminal stand on this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gristmill.search import StatePredicate
from gristmill.search.observation import UnknownNameError
from gristmill.source import SourceError
from gristmill.specification import Expression, Specification, State, Transition
from gristmill.trace import Blocked, Step, Trace
from gristmill.values import EvaluationError, show

T = TypeVar("T")
ROOT = 0


class NoSuchStepError(Exception):
    """A state or a step that there is not, in a sentence: of a link, say, that was made for another specification."""


@dataclass(frozen=True, slots=True)
class Option:
    """A step that can be taken, or, at the root, an initial state (`action` is None)."""

    state: State
    action: str | None = None
    transition: Transition | None = None
    given: Step | None = None  # by a trace, as it could not be computed

    @property
    def step(self) -> Step:
        if self.transition is None:
            return self.given or Step(self.state.raw)
        made = self.transition
        return Step(self.state.raw, made.action, made.raw_parameters, made.location)


@dataclass(slots=True)
class Notes:
    """What is to be said of a trace that was followed."""

    midway: bool = False  # its first state is no initial one
    unchecked: int = 0  # steps that were taken as they are

    def left(self, at: int, error: str) -> str:
        """Nothing leads to the state with this number, from 0; `error`: why steps cannot be listed before it."""
        if error and at:
            return self.and_then(f"whether state {at + 1} of the trace is reached cannot be computed: {error}")
        what = "initial state" if at == 0 else "step"
        return self.and_then(f"state {at + 1} of the trace is reached by no {what} of the specification")

    def and_then(self, last: str) -> str:
        found = []
        if self.midway:
            found.append("state 1 of the trace is no initial state of the specification, and taken as it is")
        if self.unchecked:
            found.append(f"{self.unchecked} of its steps cannot be computed, and are taken as they are")
        return "; ".join([*found, last] if last else found)


@dataclass(slots=True)
class Node:
    """A place in the tree. The root has no state: from there one chooses an initial state.

    `option`: which of the options of its parent it is.
    """

    number: int
    parent: int | None = None
    option: int = 0
    taken: Option | None = None
    children: dict[int, int] = field(default_factory=dict)  # options that have been taken, and where they lead
    options: list[Option] | None = None  # once they are known
    error: str = ""  # why there are none


class Session:
    """The specification stays open as long as the session is used."""

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self.nodes: list[Node] = [Node(ROOT)]
        self._invariants: Sequence[StatePredicate] | None = None
        self._expressions: dict[str, Expression] = {}

    # --------------------------------------------------------------------------------------------------------- moving

    def node(self, number: int) -> Node:
        """Raises `NoSuchStepError`."""
        if not 0 <= number < len(self.nodes):
            raise NoSuchStepError(f"there is no state {number} in this session")
        return self.nodes[number]

    def options(self, number: int) -> list[Option]:
        """What can be done from a state, each step once. If that cannot be computed, the node says why."""
        node = self.node(number)
        if node.options is None:
            try:
                node.options = self._computed(node)
            except SourceError as error:
                node.options, node.error = [], str(error)
        return node.options

    def _computed(self, node: Node) -> list[Option]:
        if node.taken is None:
            return [Option(state) for state in self.specification.initial()]
        found: dict[tuple[str, tuple[Any, ...], State], Option] = {}
        for each in self.specification.steps(node.taken.state):
            found.setdefault((each.action, each.raw_parameters, each.state), Option(each.state, each.action, each))
        return list(found.values())

    def take(self, number: int, option: int) -> Node:
        """Go on; where one has been before, that is where one comes to again. Raises `NoSuchStepError`."""
        node, options = self.node(number), self.options(number)
        if not 0 <= option < len(options):
            raise NoSuchStepError(f"there is no step {option + 1}: {node.error or f'there are {len(options)}'}")
        if option not in node.children:
            self.nodes.append(Node(len(self.nodes), number, option, options[option]))
            node.children[option] = len(self.nodes) - 1
        return self.nodes[node.children[option]]

    def path(self, number: int) -> list[Node]:
        """From the initial state to this one; the root is not part of it."""
        node, found = self.node(number), list[Node]()
        while node.parent is not None:
            found.append(node)
            node = self.nodes[node.parent]
        return found[::-1]

    def leaves(self) -> list[Node]:
        """Where branches end."""
        return [node for node in self.nodes[1:] if not node.children]

    # --------------------------------------------------------------------------------------------------------- asking

    def blocked(self, number: int) -> list[Blocked]:
        """What keeps each action that is not possible here from being taken."""
        taken = self.node(number).taken
        try:
            return [] if taken is None else self.specification.blocked(taken.state)
        except SourceError:
            return []  # the steps themselves have failed, and say so

    def false_invariants(self, number: int) -> list[str]:
        """Those of the configuration that are false here, or cannot be evaluated."""
        taken = self.node(number).taken
        if taken is None:
            return []
        if self._invariants is None:
            self._invariants = self.specification.invariants
        state = tuple(taken.state.raw.values())
        return self._alone(lambda: [each.name for each in self._invariants or () if not _holds(each, state)])

    def values(self, number: int, text: str) -> list[str]:
        """An expression in each state of the path; where it has no value, why. Raises `SourceError` if it is none."""
        expression = self._expressions.get(text)
        if expression is None:
            expression = self._expressions[text] = self.specification.expression(text)
        return [self._value(expression, node) for node in self.path(number)]

    def _value(self, expression: Expression, node: Node) -> str:
        assert node.taken is not None
        state = node.taken.state
        try:
            return self._alone(lambda: show(expression.value(state, raw=True)))
        except SourceError as error:
            return f"({error.diagnostics[0].message})"

    def _alone(self, function: Callable[[], T]) -> T:
        """Values are computed and shown in the world of the specification."""
        return self.specification.search(lambda model: function())

    # --------------------------------------------------------------------------------------------------------- traces

    def trace(self, number: int) -> Trace:
        steps = tuple(node.taken.step for node in self.path(number) if node.taken is not None)
        return Trace(self.specification.variables, steps, world=self.specification.world)

    def link(self, number: int) -> str:
        """The options that lead here, from 1, as text: what `follow_link` reads."""
        return ".".join(str(node.option + 1) for node in self.path(number))

    def follow_link(self, link: str) -> Node:
        """Raises `NoSuchStepError`."""
        node = self.nodes[ROOT]
        for part in link.split(".") if link else ():
            if not part.isdecimal() or not part.isascii():
                raise NoSuchStepError(f"{link!r} is no path: numbers of steps with dots between them")
            node = self.take(node.number, int(part) - 1)
        return node

    def follow_trace(self, trace: Trace) -> tuple[Node, str]:
        """As far as the specification goes along, and what to say of it.

        A trace may begin in the middle of a behaviour, as that of an alarm of `watch` does; and where the steps of a
        specification cannot be listed, since a set is infinite, those that the trace names are taken by their names.

        `trace` has values of the specification's world, as `read` makes them.
        """
        node, notes = self.nodes[ROOT], Notes()
        for at, step in enumerate(trace.steps):
            wanted = self._wanted(node, step, notes)
            if wanted is None:
                return node, notes.left(at, node.error)
            node = self.take(node.number, wanted)
        if trace.loop_start is not None and not trace.stuttering:
            return node, notes.and_then(f"the trace goes on with its state {trace.loop_start + 1}")
        return node, notes.and_then("")

    def _wanted(self, node: Node, step: Step, notes: Notes) -> int | None:
        """Which of the options it is; one that is not among them is added to them, if it can be had."""
        options = self.options(node.number)
        found = next((n for n, each in enumerate(options) if _is(each, step)), None)
        if found is None:
            added = self._begun(step, notes) if node.number == ROOT else self._named(node, step, notes)
            if added is not None:
                options.append(added)
                return len(options) - 1
        return found

    def _begun(self, step: Step, notes: Notes) -> Option | None:
        if set(self.specification.variables) != set(step.state):
            return None
        notes.midway = True
        return Option(self._state(step))

    def _state(self, step: Step) -> State:
        names = self.specification.variables
        return State(names, tuple(step.state[name] for name in names), self.specification.world)

    def _named(self, node: Node, step: Step, notes: Notes) -> Option | None:
        """The step by its name and parameters, where the steps cannot be listed; taken as it is if not even that can be
        computed, which is told. A step without a name is never taken so."""
        if not node.error or step.action is None or node.taken is None:
            return None
        if set(step.state) != set(node.taken.state.raw):
            return None
        try:
            steps = self.specification.take(node.taken.state, step.action, dict(step.parameters))
        except UnknownNameError:
            return None  # the trace is of another specification
        except SourceError:
            notes.unchecked += 1
            return Option(self._state(step), step.action, given=step)
        options = (Option(each.state, each.action, each) for each in steps)
        return next((each for each in options if _is(each, step)), None)

    def read(self, make: Callable[[], Trace]) -> Trace:
        """A trace that `make` reads, in the world of the specification."""
        return self._alone(make)


def _holds(predicate: StatePredicate, state: tuple[Any, ...]) -> bool:
    try:
        return predicate.holds(state)
    except EvaluationError:
        return False


def _is(option: Option, step: Step) -> bool:
    """Whether it is this step: the state decides, and the action if the trace names one."""
    if dict(option.state.raw) != dict(step.state):
        return False
    if step.action is None or option.action is None:
        return True
    given = dict(option.step.parameters)
    return option.action == step.action and all(given.get(name) == value for name, value in step.parameters)
