"""Whether a message may have its effect as soon as it arrives: whether that loses no behaviour.

The conditions of appendix A ask for an order of states. Here the order is the largest there is: one set of states
dominates another if it can send whatever the other one can, now and afterwards. That is compared directly, over two
messages: what a node may send that has not yet looked at the message, against what it may send that has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gristmill.values import EvaluationError, Fn, Value, apply
from gristmill.watch.simulation import Arrived, Node, State

_MOST = 300  # states that a node may be in, unseen


@dataclass(frozen=True, slots=True)
class AtOnce:
    """Of a kind of messages.

    `compared`: states and messages for which nothing was lost. `cut`: those with too many schedules to compare.
    `lost`: a state, a message, and one that can be sent only if the message has not had its effect; None if nothing was
    lost anywhere. `where`: conditions under which nothing was lost, if something was. `states`: all states of the
    bounded model were looked at, so many; 0 if only some were.

    `proved`: A.1 to A.4 hold in any state; `order`: the variables that are greater then, or equal. `past`: conditions
    under which it has no effect in any state, and never will have any. `refuted`: a state and a message after which a
    variable of the order is less, if that was found.
    """

    kind: str
    compared: int
    cut: int
    lost: tuple[str, str, str] | None
    where: tuple[str, ...] = ()
    states: int = 0
    proved: bool = False
    order: tuple[str, ...] = ()
    past: tuple[str, ...] = ()
    refuted: tuple[str, str, str] | None = None

    @property
    def is_sound(self) -> bool:
        return self.lost is None and self.compared > 0

    @property
    def shown(self) -> str:
        """How it was found out, in words, and no more than that."""
        if self.proved:
            return "proved in any state"
        if self.states and not self.cut:
            return f"checked on the bounded model ({self.states:,} states)"
        return "only sampled"


class TooManyError(Exception):
    pass


class Comparing:
    """`depth`: so many messages that are sent one after the other are compared."""

    def __init__(self, node: Node, depth: int = 2) -> None:
        self.node, self.depth = node, depth

    def lost(self, state: State, message: Value, arrived: Arrived) -> Value | None:
        """A message that can be sent only if this one, which has just come, has not had its effect; None if none is.

        `arrived`: messages that may be looked at, this one among them. Raises `TooManyError`.
        """
        effects = list(self.node.consume(state, message, arrived[message]))
        return self._lost([state], effects, arrived, self.depth) if effects else None

    def has_effect(self, state: State, message: Value) -> bool:
        try:
            return any(True for _ in self.node.consume(state, message, 0))
        except EvaluationError:
            return False

    def _lost(self, waited: list[State], at_once: list[State], arrived: Arrived, depth: int) -> Value | None:
        ours, theirs = self._sending(self._closure(at_once, arrived)), self._sending(self._closure(waited, arrived))
        for record in theirs:
            if record not in ours:
                return record
        if depth > 1:
            for record, states in theirs.items():
                rest = [each for each in states if each not in ours[record]]
                found = self._lost(rest, list(ours[record]), arrived, depth - 1) if rest else None
                if found is not None:
                    return found
        return None

    def _closure(self, states: Iterable[State], arrived: Arrived) -> list[State]:
        found = dict.fromkeys(states)
        waiting = list(found)
        for state in waiting:
            for each in self.node.moves(state, arrived):
                if each not in found:
                    found[each] = None
                    waiting.append(each)
            if len(found) > _MOST:
                raise TooManyError
        return waiting

    def _sending(self, states: Iterable[State]) -> dict[Value, dict[State, None]]:
        """What can be sent, and the states after it. What is owed is a message more that may be sent."""
        found: dict[Value, dict[State, None]] = {}
        for state in states:
            for record in state.owed:
                found.setdefault(record, {})[State(state.local, frozenset(), state.used)] = None
            for event in self.node.monitor.senders:
                for after, sent, _ in self.node.actions.take(event, state.local, self.node.name, {}):
                    for record in sent:
                        found.setdefault(record, {})[State(after, frozenset(), state.used)] = None
        return found


def conditions(node: Node, state: State, message: Value) -> Iterator[str]:
    """What may be said of a state and a message: how numbers compare, what words variables are."""
    assert isinstance(message, Fn)
    for name, part in zip(node.monitor.local, state.local, strict=True):
        value = apply(part, node.name)
        if type(value) is str and value not in node.mapping.nodes:
            yield f'{name} = "{value}"'
        if type(value) is int and type(message.get(name)) is int:
            other = message[name]
            assert type(other) is int
            yield f"m.{name} {'<' if other < value else '=' if other == value else '>'} {name}"
