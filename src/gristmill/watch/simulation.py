"""Simulation states of one node, and what can become of them (§3.4).

A state is a local state, messages that the node still has to send (an implementation computes an answer and sends it
later, or not at all), and which of the messages that have arrived are used up. What has arrived may be looked at any
time later, in any order, or never; several times only if the specification leaves it where it is.

A local state may be known only in parts (`PartialLocal`): then actions are evaluated by `PartialActions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, TypeAlias, cast

from gristmill.values import EvaluationError, Fn, Value
from gristmill.watch.applying import Actions, Local, Outcome
from gristmill.watch.derive import Event
from gristmill.watch.derive.relevant import Relevance
from gristmill.watch.mapping import WatchMap
from gristmill.watch.unknown import Part, PartialActions, PartialLocal, covers, is_known, told_by, with_known

Arrived: TypeAlias = Mapping[Value, int]  # messages, with the number of the last one that was like it

Records: TypeAlias = frozenset[Value]

_NONE: frozenset[int] = frozenset()
_NO_RECORDS: Records = frozenset()


class State(NamedTuple):
    local: Local  # or a `PartialLocal`
    owed: frozenset[Value] = frozenset()
    used: frozenset[int] = _NONE  # numbers of messages

    def can_all_of(self, other: State) -> bool:
        """Of two states with the same local state."""
        if len(self.owed) < len(other.owed) or len(self.used) > len(other.used):
            return False  # as most of them; the sets themselves may be large
        return self.owed >= other.owed and self.used <= other.used

    @property
    def is_partial(self) -> bool:
        return isinstance(self.local, PartialLocal)


class Node:
    """One node, with the actions of its monitor.

    `assumed`: since it was last set to False, something was taken to be so because of a state that is not known.
    `troubles`: actions that could not be evaluated.
    """

    def __init__(self, mapping: WatchMap, actions: Actions, name: Value) -> None:
        self.mapping, self.actions, self.name = mapping, actions, name
        self.monitor = mapping.monitor
        kinds = {*mapping.records}
        self._consuming = {kind: self.monitor.consuming(kind) for kind in kinds}
        self._sending = {kind: self.monitor.sending(kind) for kind in kinds}
        self.assumed = False
        self.troubles: dict[str, str] = {}  # actions that could not be evaluated, and why

    def consuming(self, kind: str) -> tuple[Event, ...]:
        """The actions that may consume such a message."""
        return self._consuming[kind]

    def sending(self, kind: str) -> tuple[Event, ...]:
        return self._sending[kind]

    @cached_property
    def partial(self) -> PartialActions:
        return PartialActions(self.mapping.specification, self.monitor)

    @cached_property
    def relevance(self) -> Relevance:
        return Relevance(self.mapping.specification, self.monitor)

    @property
    def evaluations(self) -> int:
        """So often an action was evaluated; one in a partly known state takes as long as many."""
        learning = self.__dict__.get("partial")
        return self.actions.evaluations + (0 if learning is None else learning.evaluations)

    def unknown(self) -> State:
        """Nothing is known about the node."""
        return State(self.local(self.partial.unknown(self.name, tuple(self.actions.initial(self.name)[0]))))

    def local(self, parts: Iterable[Part]) -> Local:
        """The local state with these values of the variables, of which something may be unknown."""
        found = tuple(parts)
        is_all_known = all(map(is_known, found))
        return self.actions.local(self.name, found) if is_all_known else cast(Local, PartialLocal(found))

    def _take(
        self, event: Event, local: Local, given: Mapping[str, Value], arrived: Value | None = None
    ) -> Iterable[Outcome]:
        if not isinstance(local, PartialLocal):
            try:
                return self.actions.take(event, local, self.name, given, arrived)
            except EvaluationError as error:
                self._trouble(event, error)
                return ()
        found = self.partial.take(event, local, self.name, given, arrived)
        self.assumed = self.assumed or any(assumed for _, _, _, assumed in found)
        return [(self.local(after), sent, gone) for after, sent, gone, _ in found]

    def consume(self, state: State, record: Value, number: int) -> Iterator[State]:
        """What may become of a message that has arrived. Nothing if it has no effect here."""
        return (after for after, _ in self.effects(state, record, number))

    def effects(self, state: State, record: Value, number: int, remember: bool = True) -> list[tuple[State, Records]]:
        """The same, with what it then owes besides what it owed. `remember`: whether it may be asked again."""
        local, owed, used = state
        if number in used:
            return []
        assert type(record) is Fn
        kind = self.kind_of(record)
        events = self._consuming[kind]
        outcomes: Iterable[Outcome] | None = None
        if type(local) is Local:
            outcomes = self.actions.follow(events, local, self.name, record, kind, True, remember)
        if outcomes is None:
            outcomes = self._consumed(events, local, record)
        found = []
        for after, sent, gone in outcomes:
            new = sent - owed if sent else sent
            if new or after != local:
                found.append((State(after, owed | new if new else owed, used | {number} if gone else used), new))
        return found

    def _consumed(self, events: Iterable[Event], local: Local, record: Fn) -> Iterator[Outcome]:
        for event in events:
            assert event.consumes is not None
            yield from self._take(event, local, {event.consumes: record}, record)

    def send(self, state: State, record: Value) -> Iterator[State]:
        """The states after the node has sent this message, if it can do so now."""
        return (after for after, _ in self.sendings(state, record))

    def sendings(self, state: State, record: Value, remember: bool = True) -> list[tuple[State, Records]]:
        """The same, with what it then owes besides what it owed. `remember`: whether it may be asked again."""
        local, owed, used = state
        assert type(record) is Fn
        found = [(state, _NO_RECORDS)] if record in owed else []
        if type(local) is not Local:
            return found + [(after, after.owed - owed) for after in self._send_partly_known(state, record)]
        kind = self.kind_of(record)
        events = self._sending[kind]
        outcomes: Iterable[Outcome] | None = ()
        if events:
            outcomes = self.actions.follow(events, local, self.name, record, kind, False, remember)
        if outcomes is None:
            outcomes = self._sent(events, local, record)
        for after, sent, _ in outcomes:
            new = sent - owed
            found.append((State(after, owed | new if new else owed, used), new))
        return found

    def _sent(self, events: Iterable[Event], local: Local, record: Fn) -> Iterator[Outcome]:
        for event in events:
            try:
                yield from self.actions.send(event, local, self.name, record)
            except EvaluationError as error:
                self._trouble(event, error)

    def _trouble(self, event: Event, error: EvaluationError) -> None:
        """An action that has no value here cannot be taken; but that should not happen in a specification."""
        self.troubles.setdefault(event.name, error.message)

    def _send_partly_known(self, state: State, record: Fn) -> Iterator[State]:
        """An answer that is owed may be this one if it is not all known: then that tells of the state."""
        local, owed, used = state
        for each in owed:
            if not is_known(each) and covers(each, record):
                self.assumed = True
                told: dict[str, Value] = {}
                told_by(each, record, told)
                owes = frozenset(with_known(other, told) for other in owed)
                yield State(self.local(with_known(part, told) for part in local), owes | {record}, used)
        for event in self._sending[self.kind_of(record)]:
            for given in event.unified(record):
                for after, sent, _, assumed in self.partial.take(event, tuple(local), self.name, given, None, record):
                    self.assumed = self.assumed or assumed
                    meant = [each for each in sent if covers(each, record)]
                    others = sent.difference(meant) if len(meant) == 1 else sent
                    yield State(self.local(after), owed | others | {record}, used)

    def act(self, state: State, unseen: bool = False) -> Iterator[State]:
        """What the node may do by itself, without a message. `unseen`: also if it then sends some, which were lost."""
        local, owed, used = state
        for event in (*self.monitor.internal, *self.monitor.unseen) if unseen else self.monitor.internal:
            for after, sent, _ in self._take(event, local, {}):
                if after != local or not sent <= owed:
                    yield State(after, owed | sent, used)

    def moves(self, state: State, arrived: Arrived, alone: bool = True, unseen: bool = False) -> Iterator[State]:
        """One step that nobody sees: one of these messages is looked at, or the node does something by itself."""
        for record, number in arrived.items():
            yield from self.consume(state, record, number)
        if alone:
            yield from self.act(state, unseen)

    def kind_of(self, record: Value) -> str:
        assert isinstance(record, Fn)
        return str(record[self.mapping.kind])

    def alike(self, one: Value, other: Value) -> bool:
        """Of one kind, and to the same node."""
        return bool(self.those_alike((one,), other))

    def those_alike(self, records: Iterable[Value], record: Value) -> list[Value]:
        """Those of one kind with this one, and to the same node."""
        kind, target = self.mapping.kind, self.mapping.target
        assert isinstance(record, Fn)
        wanted, to = record[kind], record[target]
        return [each for each in records if isinstance(each, Fn) and each[kind] == wanted and each[target] == to]
