"""Where a node is whose state is not known, by messages of which the mapping says what they tell (`[watch.learn]`).

Messages are collected until one of them tells the states that the node may be in. From there on it is followed as
usual, at the speed of native code, but nothing is called wrong: what the node does otherwise than is expected tells
that something was not known, and the next such message is waited for. Once the mapping says that what was not known
counts no more (`settled`), the states are trusted, and the node is judged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gristmill.source import Diagnostic, SourceError
from gristmill.systems.formulas import Formula
from gristmill.values import TRUE, EvaluationError, Fn, Value, make_record
from gristmill.watch.mapping import Anchors
from gristmill.watch.messages import Message
from gristmill.watch.simulation import State

if TYPE_CHECKING:
    from gristmill.watch.judging import NodeMonitor

_KEPT, _LONGEST = 384, 1_024  # messages that may tell something; and as long as it counts what the node was before
_EVERY = 16  # messages: how often it is asked whether what was not known still counts
_RAREST = 64  # messages sent between two attempts, after many that were in vain


class Anchoring:
    """Of one monitor, as long as it does not trust its states.

    `is_following`: the states at hand are those that messages have told.
    """

    def __init__(self, monitor: NodeMonitor, anchors: Anchors) -> None:
        self.monitor, self.anchors = monitor, anchors
        self.is_following = False
        self._seen: deque[Message] = deque()
        self._past: frozenset[Value] = frozenset()  # states when track was lost
        self._lost = 0  # messages since that
        self._then: list[Value] = []  # states that messages have told
        self._since = 0  # messages, since that
        self._pause, self._paused = 1, 0  # messages sent between two attempts

    def begin(self, history: Iterable[Message], states: Iterable[State]) -> None:
        """Nothing is known any more but these messages; and what the node was in the last of these states, from which
        they lead up to here."""
        self._seen, self._lost = deque(history, maxlen=_KEPT + _LONGEST), 0
        self._past = frozenset(self._record(each.local) for each in states)
        self._paused, self._pause = 0, 1
        self._forget()

    def _forget(self) -> None:
        self.is_following, self._then, self._since = False, [], 0

    def see(self, message: Message, is_sent: bool) -> None:
        """The next message of the node, which is not judged."""
        self._keep(message)
        monitor = self.monitor
        if self.is_following:
            monitor.follow(message, is_sent)
            self._since += 1
            if self.is_following:
                if (self._since < _EVERY or self._since % _EVERY == 0) and self._is_settled():
                    monitor.trust()
                    self._seen.clear()
                    self._forget()
                return
        if is_sent and message.kind in self.anchors.states:
            self._attempt(message)

    def _keep(self, message: Message) -> None:
        self._seen.append(message)
        self._lost += 1
        if self._lost > _LONGEST:
            self._past = frozenset()  # who knows what has happened since
        most = _KEPT + min(self._lost, _LONGEST) if self._past else _KEPT
        while len(self._seen) > most:
            self._seen.popleft()

    # ------------------------------------------------------------------------------------------------- states are told

    def _attempt(self, message: Message) -> None:
        """Now and then: where it was in vain, it may be so again."""
        self._paused -= 1
        if self._paused > 0:
            return
        self._pause = self._paused = min(2 * self._pause, _RAREST)
        seen = list(self._seen)
        names = {"m": message.record, "seen": tuple(each.record for each in seen), "past": self._past}
        found = _value(self.anchors.states[message.kind], {"node": self.monitor.name, **names})
        told = [each for each in found if isinstance(each, Fn)] if isinstance(found, frozenset) else []
        if not told:
            return
        at = max(each["at"] for each in told)  # type: ignore[type-var]
        assert isinstance(at, int)
        states = [self._state(each) for each in told if each["at"] == at]
        self._then = [self._record(each.local) for each in states]
        self._since, self.is_following = 0, True
        self.monitor.follow_from(states, seen[:at])
        for each in seen[at:]:
            if self.is_following:
                self.monitor.follow(each, each.source == self.monitor.name)

    def surprised(self) -> None:
        """Something that the node has sent shows that its state is another one."""
        self.monitor.counts.relearned += 1
        self._forget()
        self.monitor.forget_states()

    def _state(self, told: Fn) -> State:
        node, state, owes = self.monitor.node, told["state"], told["owes"]
        assert isinstance(state, Fn)
        assert isinstance(owes, frozenset)
        return State(node.local(Fn({node.name: state[name]}) for name in node.monitor.local), owes)

    def _record(self, local: Iterable[Value]) -> Value:
        """A state as the mapping speaks of it: a record of the node's part of each variable."""
        node = self.monitor.node
        parts = zip(node.monitor.local, local, strict=True)
        return make_record({name: part[node.name] for name, part in parts})  # type: ignore[index]

    # ---------------------------------------------------------------------------------------------- and become certain

    def _is_settled(self) -> bool:
        now = [self._record(each.local) for each in self.monitor.states]
        settled = self.anchors.settled
        return all(_value(settled, {"then": then, "now": each}) is TRUE for then in self._then for each in now)


def _value(formula: Formula, names: dict[str, Value]) -> Value:
    assert formula.expression is not None
    try:
        return formula.expression.in_states((), names)(())
    except EvaluationError as error:
        raise SourceError(Diagnostic("cannot-evaluate", error.message, formula.span)) from None
