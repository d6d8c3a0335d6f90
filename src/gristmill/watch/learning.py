"""What a monitor knows of a node that it has not followed from its beginning.

Nothing is known at first but the form of the variables. Each message that the node sends narrows what it can be. No
alarm comes of what was only assumed: as long as the state is not trusted, a message that is not explained must be
inexplicable from every state there is. The state is trusted

- once all of it is known, if every explanation of every message was followed; or
- after a message of which the mapping says how it sets the state (`[watch.learn]`), whatever the state was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from gristmill.values import Fn, Value
from gristmill.watch.mapping import LearnRule
from gristmill.watch.messages import Message
from gristmill.watch.simulation import Node, State
from gristmill.watch.unknown import Part, Unknown, is_known

_NARROW = 12  # values that a number may have, to be followed one by one
_MOST_SPLIT = 64  # states that one is split into
_A_MESSAGE = 4  # evaluations that every message adds to what learning may take


class Allowance:
    """How many evaluations learning may still take: as many as one exact search, and a few more with every message.

    So it is thorough where that is soon done, and does not fall behind where it is not.
    """

    def __init__(self, most: int) -> None:
        self.most = self.left = most

    def grow(self, messages: int = 1) -> None:
        self.left = min(self.most, self.left + _A_MESSAGE * messages)

    @property
    def is_plenty(self) -> bool:
        return 2 * self.left > self.most

    def spend(self, evaluations: int) -> None:
        self.left = max(0, self.left - evaluations)


def anchored(node: Node, rule: LearnRule, message: Message) -> list[State]:
    """The states after the node has sent this message, from whatever state it was in before."""
    found = []
    said = {name: each.value(names={"m": message.record}, raw=True) for name, each in rule.values.items()}
    unknown = node.unknown()
    for state in list(node.send(unknown, message.record)) or [unknown._replace(owed=frozenset((message.record,)))]:
        local = [
            Fn({node.name: said[name]}) if name in said else value
            for name, value in zip(node.monitor.local, state.local, strict=True)
        ]
        found.append(state._replace(local=node.local(local)))
    return found


def narrowed(node: Node, states: Iterable[State]) -> Iterator[State]:
    """What the invariants say of partly known states; numbers that can be but few are followed one by one."""
    for state in states:
        if not state.is_partial:
            yield state
            continue
        local = node.partial.consistent(tuple(state.local), node.name)
        if local is not None:
            yield from (state._replace(local=node.local(each)) for each in _split(local, node.name))


def _split(local: tuple[Part, ...], name: Value) -> list[tuple[Part, ...]]:
    choices: list[list[Part]] = []
    count = 1
    for part in local:
        value = part[name]
        values: list[Part] = [part]
        if type(value) is Unknown and value.least is not None and value.most is not None:
            width = value.most - value.least + 1
            if width <= _NARROW and count * width <= _MOST_SPLIT:
                count *= width
                values = [Fn({name: each}) for each in range(value.least, value.most + 1)]
        choices.append(values)
    return list(product(*choices))


def unknown_parts(states: Iterable[State], names: Iterable[str]) -> tuple[str, ...]:
    """The variables of which something is not known."""
    partial = [state.local for state in states if state.is_partial]
    return tuple(name for number, name in enumerate(names) if any(not is_known(each[number]) for each in partial))
