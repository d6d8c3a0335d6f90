"""What would have been allowed: the same message earlier, or another one now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gristmill.values import FALSE, TRUE, Fn, Value, apply, make_record
from gristmill.watch.explaining.parts import Change, Earlier, Instead
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Node, State

_MOST_TRIED = 48  # values of one field
_MOST_STATES = 3

Before = tuple[Message, Sequence[State]]  # a message of the node, and the states before it


def earlier(node: Node, history: Sequence[Before], states: Sequence[State], record: Value) -> Earlier | None:
    """When the message was allowed for the last time. `states`: those in which it is not."""
    after = states
    for ago, (message, before) in enumerate(reversed(history), 1):
        if any(_can_send(node, state, record) for state in before[:_MOST_STATES]):
            return Earlier(message, ago, tuple(_changes(node, before, after)))
        after = before
    return None


def _can_send(node: Node, state: State, record: Value) -> bool:
    return any(True for _ in node.send(state, record))


def _changes(node: Node, before: Sequence[State], after: Sequence[State]) -> Iterator[Change]:
    if before and after:
        for name, old, new in zip(node.monitor.local, before[0].local, after[0].local, strict=True):
            if old != new:
                yield Change(name, apply(old, node.name), apply(new, node.name))


def instead(node: Node, states: Sequence[State], history: Iterable[Message], record: Value) -> Iterator[Instead]:
    """For each field, the nearest value with which the message would be allowed, if one is found among those that
    the node has in its state, or has sent or received in such a field before."""
    assert isinstance(record, Fn)
    fields = {str(name): value for name, value in record.items()}
    seen = [each.record for each in history]
    fixed = (node.mapping.kind, node.mapping.source)
    for field, value in record.items():
        if field not in fixed:
            for other in _others(node, states, seen, str(field), value):
                changed = make_record({**fields, str(field): other})
                if any(_can_send(node, state, changed) for state in states[:_MOST_STATES]):
                    yield Instead(str(field), value, other)
                    break


def _others(node: Node, states: Sequence[State], seen: Sequence[Value], field: str, value: Value) -> Sequence[Value]:
    if value in (TRUE, FALSE):
        return [FALSE if value == TRUE else TRUE]
    if field == node.mapping.target:
        return [each for each in node.mapping.nodes if each not in (value, node.name)]
    said = [each[field] for each in reversed(seen) if isinstance(each, Fn) and field in each]
    if not isinstance(value, int):
        return [each for each in dict.fromkeys(said) if each != value and type(each) is type(value)][:_MOST_TRIED]
    known = {each for each in said if isinstance(each, int)} | {value - 1, value + 1}
    for state in states[:_MOST_STATES]:
        known |= set(_numbers(state.local.values))
    return sorted((each for each in known if each != value and each >= 0), key=lambda each: abs(each - value))[
        :_MOST_TRIED
    ]


def _numbers(value: object) -> Iterator[int]:
    """All in a value, and those one beside: of sequences, also how long they are."""
    if isinstance(value, int):
        yield from (value, value + 1)
    elif isinstance(value, tuple | frozenset):
        yield len(value)
        for each in value:
            yield from _numbers(each)
    elif isinstance(value, Fn):
        for key, each in value.items():
            yield from _numbers(key)
            yield from _numbers(each)
