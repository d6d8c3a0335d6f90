"""Behaviours of a bounded model, at random but always the same, so that something happens in them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gristmill.specification import Specification, State
from gristmill.watch.derive import Monitor

_RECEIVED = 0.6  # of the steps, if there is something to receive


def behaviour(specification: Specification, monitor: Monitor, seed: int, length: int) -> Iterator[State]:
    """The states of one. Each action is as likely as another one, in however many ways it can be taken."""
    chance = random.Random(seed)
    receiving = list(dict.fromkeys(event.name for event in monitor.receivers))
    others = list(dict.fromkeys(event.name for event in monitor.events if event.consumes is None))
    (state, *_) = specification.initial()
    yield state
    for _ in range(length):
        names = [*chance.sample(receiving, len(receiving)), *chance.sample(others, len(others))]
        if chance.random() > _RECEIVED:
            names = [*names[len(receiving) :], *names[: len(receiving)]]
        for name in names:
            after = [step.state for step in specification.take(state, name) if step.state != state]
            if after:
                state = chance.choice(after)
                yield state
                break
        else:
            return


def all_states(specification: Specification, most: int) -> list[State] | None:
    """All that there are within the constraints; None if these are more, or there is a constraint on steps."""
    model = specification.model
    if model.action_constraints:
        return None
    names = [each.name for each in model.constraints]

    def is_within(state: State) -> bool:
        return all(specification.evaluate(name, state) for name in names)

    found = dict.fromkeys(state for state in specification.initial())
    waiting = [state for state in found if is_within(state)]
    for state in waiting:
        for step in specification.steps(state):
            if step.state not in found:
                found[step.state] = None
                if is_within(step.state):
                    waiting.append(step.state)
        if len(found) > most:
            return None
    return list(found)
