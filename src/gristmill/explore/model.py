"""The global state graph of a system, naively: states are values, successors are computed afresh each time.

The native search must agree with this one in everything; it is written to be obviously right.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from gristmill.explore.program import Envelope, Local, Problem
from gristmill.explore.system import System
from gristmill.explore.transitions import Inbox, LocalStep, Rules, Spare
from gristmill.trace.schedule import Event, Record

FAULTS = frozenset({"crash", "restart", "lose", "duplicate", "partition"})


class State(NamedTuple):
    """A global state. `history` stays empty unless a property asks for it."""

    locals: tuple[Local, ...]
    inboxes: tuple[Inbox, ...]
    spare: Spare
    history: tuple[Record, ...] = ()


class Transition(NamedTuple):
    """A step from one state to the next."""

    event: Event
    target: State
    process: int  # index of the process; that of none for the network
    sends: tuple[Envelope, ...] = ()
    records: tuple[Record, ...] = ()
    problem: Problem | None = None


class Model:
    """Initial states and transitions of a system."""

    def __init__(self, system: System, rules: Rules | None = None) -> None:
        self.system = system
        self.rules = rules or Rules(system)
        self.keeps_history = any(one.kind == "history" for one in system.properties)

    def initial(self) -> list[Transition]:
        """What the first states are: one for each combination of choices that the processes make when they start."""
        rules = self.rules
        found = []
        for outcomes in itertools.product(*(rules.start(index) for index in range(len(rules.names)))):
            locals_ = tuple(outcome.local for outcome in outcomes)
            state = State(locals_, tuple(() for _ in rules.names), rules.first_spare())
            sends = tuple(envelope for outcome in outcomes for envelope in outcome.sends)
            records = tuple(record for outcome in outcomes for record in outcome.records)
            problem = next((outcome.problem for outcome in outcomes if outcome.problem), None)
            choices = tuple(choice for outcome in outcomes for choice in outcome.choices)
            chosen = tuple(option for outcome in outcomes for option in outcome.chosen)
            target = self.after(state, sends, records)
            start = Event("start", "", choices=choices, chosen=chosen)
            found.append(Transition(start, target, len(rules.names), sends, records, problem))
        return found

    def transitions(self, state: State) -> list[Transition]:
        """Everything that can happen next, process by process, in a fixed order."""
        return list(self._transitions(state))

    def _transitions(self, state: State) -> Iterator[Transition]:
        for index in range(len(self.rules.names)):
            for step in self.rules.steps(index, state.locals[index], state.inboxes[index], state.spare):
                yield self._globally(state, index, step)
        for event, spare in self.rules.network_steps(state.spare):
            yield Transition(event, state._replace(spare=spare), len(self.rules.names))

    def _globally(self, state: State, index: int, step: LocalStep) -> Transition:
        locals_ = (*state.locals[:index], step.local, *state.locals[index + 1 :])
        inboxes = (*state.inboxes[:index], step.inbox, *state.inboxes[index + 1 :])
        between = State(locals_, inboxes, step.spare, state.history)
        target = self.after(between, step.sends, step.records)
        return Transition(step.event, target, index, step.sends, step.records, step.problem)

    def after(self, state: State, sends: tuple[Envelope, ...], records: tuple[Record, ...]) -> State:
        """The state with messages on their way and operations recorded."""
        inboxes = list(state.inboxes)
        for envelope in sends:
            index = self.rules.index[envelope.receiver]
            inboxes[index] = self.rules.put(inboxes[index], state.locals[index], envelope)
        history = state.history + records if self.keeps_history else ()
        return State(state.locals, tuple(inboxes), state.spare, history)


def is_end(transitions: list[Transition]) -> bool:
    """Whether nothing can happen any more, or only faults."""
    return all(transition.event.kind in FAULTS for transition in transitions)
