"""The best explanation of what a node did before an alarm: local states, and the actions between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gristmill.values import Fn, Value
from gristmill.watch.applying import Local
from gristmill.watch.derive import Event
from gristmill.watch.explaining.alternatives import Before
from gristmill.watch.explaining.parts import PathStep
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Node, State

_MOST_UNSEEN = 300  # states that are tried between two messages

Taken = tuple[Event, Mapping[str, Value], Local, frozenset[Value], bool]


def path_to(node: Node, history: Sequence[Before], last: State) -> tuple[Local, tuple[PathStep, ...]]:
    """From the first of these messages to the state in which the alarm was raised; backwards, as it is the end that is
    known. Where a state is not reached by what was seen, it is looked for what happened unseen."""
    steps: list[PathStep] = []
    after = last.local
    arrived = [message for message, _ in history if message.target == node.name]
    for message, states in reversed(history):
        earlier = [each for each in arrived if each.number <= message.number]
        before, found = _found(node, message, states, after, earlier)
        steps[:0] = found
        after = before
    return after, tuple(steps)


def _found(
    node: Node, message: Message, states: Sequence[State], after: Local, arrived: Sequence[Message]
) -> tuple[Local, list[PathStep]]:
    for state in states:
        for event, given, local, sent, gone in _taken(node, state, message):
            if local == after:
                return state.local, [_step(node, message, (event, given, local, sent, gone))]
    for state in states:
        if state.local == after:
            return state.local, [PathStep(message, None, (), after.values)]
    for state in states:
        unseen = _unseen(node, state, message, after, arrived)
        if unseen:
            return state.local, unseen
    return (states[0].local if states else after), [PathStep(message, None, (), after.values)]


def _taken(node: Node, state: State, message: Message) -> Iterator[Taken]:
    """What the message tells of: it was consumed, or an action has sent it."""
    record = message.record
    assert isinstance(record, Fn)
    if message.target == node.name:
        yield from _consumed(node, state.local, message)
        return
    for event in node.monitor.sending(message.kind):
        for given in event.unified(record):
            for local, sent, gone in node.actions.take(event, state.local, node.name, given):
                if record in sent:
                    yield event, given, local, sent, gone


def _consumed(node: Node, local: Local, message: Message) -> Iterator[Taken]:
    for event in node.monitor.consuming(message.kind):
        assert event.consumes is not None
        given = {event.consumes: message.record}
        for after, sent, gone in node.actions.take(event, local, node.name, given, message.record):
            yield event, given, after, sent, gone


def _unseen(node: Node, start: State, message: Message, after: Local, arrived: Sequence[Message]) -> list[PathStep]:
    """Breadth first: messages that had arrived are looked at, or the node does something by itself, and then the
    message has its effect."""
    ways: dict[Local, list[PathStep]] = {start.local: []}
    waiting = [start.local]
    for local in waiting:
        if len(ways) > _MOST_UNSEEN:
            break
        for event, given, then, sent, gone in _alone(node, local, arrived):
            if then not in ways:
                ways[then] = [*ways[local], _step(node, None, (event, given, then, sent, gone))]
                waiting.append(then)
        for taken in _taken(node, State(local), message):
            if taken[2] == after:
                return [*ways[local], _step(node, message, taken)]
        if local == after:
            return [*ways[local], PathStep(message, None, (), after.values)]
    return []


def _alone(node: Node, local: Local, arrived: Sequence[Message]) -> Iterator[Taken]:
    for each in arrived[-24:]:
        yield from _consumed(node, local, each)
    for event in node.monitor.internal:
        for after, sent, gone in node.actions.take(event, local, node.name, {}):
            yield event, {}, after, sent, gone


def _step(node: Node, message: Message | None, taken: Taken) -> PathStep:
    event, given, local, sent, gone = taken
    return PathStep(message, event.name, ((event.node, node.name), *given.items()), local.values, sent, gone)
