"""Which actions of a system interfere, and which may enable which, as far as the source of handlers tells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gristmill.explore.analysis.effects import ANYBODY, REPLY, TIMER, Effects, effects_of, guard_reads
from gristmill.explore.analysis.flow import fields_read
from gristmill.explore.data import thaw
from gristmill.explore.process import Handler
from gristmill.explore.reductions.decomposition import Decomposition
from gristmill.explore.transitions import Inbox, Rules
from gristmill.trace.schedule import Event


class NotReducible(Exception):
    """What is known of the handlers does not suffice, or turned out to be wrong: the search must do without."""


class Action(NamedTuple):
    process: int
    method: str
    sender: str  # "" of timers and quorums


class Interference:
    """Actions are numbered over all processes; sets of them are bit masks, by action.

    `dependent`: do not commute with it. `producers`: may send what it handles. `unblockers`: may change what its guard
    reads. `same_channel`: over ordered channels, what it may have to wait for.
    """

    def __init__(self, rules: Rules, decomposition: Decomposition | None = None) -> None:
        self.rules = rules
        if any(one.kind in ("eventually", "history") for one in rules.system.properties):
            raise NotReducible("partial-order reduction preserves invariants and end states, not runs")
        self.ignored = [decomposition.auxiliary.get(one.kind, frozenset()) if decomposition else frozenset()
                        for one in rules.programs]  # fmt: skip
        self.effects = [self._effects(process) for process in range(len(rules.programs))]
        self.actions = self._actions()
        self.number = {action: number for number, action in enumerate(self.actions)}
        self.owners = [action.process for action in self.actions]
        self.bases = [
            self.owners.index(process) if process in self.owners else 0 for process in range(len(rules.names))
        ]
        self.visible_fields = self._visible_fields()
        self.visible = self._mask(action for action in self.actions if self._is_visible(action))
        self.dependent = [self._mask(self._dependent_on(action)) for action in self.actions]
        self.producers = [self._mask(self._producers_of(action)) for action in self.actions]
        self.unblockers = [self._mask(self._unblockers_of(action)) for action in self.actions]
        self.same_channel = [self._mask(self._same_channel(action)) for action in self.actions]

    def _effects(self, process: int) -> dict[str, Effects]:
        program = self.rules.programs[process]
        constants = {name: thaw(value) for name, value in program.constants.items()}
        methods = [*program.handlers, "start", "restart"]
        found = {method: effects_of(program.kind, method, constants) for method in methods}
        timers = {TIMER + name for name in program.timers}
        for effects in found.values():
            effects.reads -= self.ignored[process]
            effects.writes -= self.ignored[process]
            if TIMER in effects.writes:  # a timer whose name is computed
                effects.writes |= timers
        for method, handler in program.handlers.items():
            if handler.kind == "timer":
                found[method].writes.add(TIMER + handler.name)
        return found

    def _actions(self) -> list[Action]:
        found = []
        for process, program in enumerate(self.rules.programs):
            for method, handler in program.handlers.items():
                if handler.kind == "message":
                    senders = [name for name in self.rules.names if self._may_come(process, handler, name)]
                    found += [Action(process, method, sender) for sender in senders]
                else:
                    found.append(Action(process, method, ""))
        return found

    def handler(self, process: int, method: str) -> Handler:
        return self.rules.programs[process].handlers[method]

    def _may_come(self, process: int, handler: Handler, sender: str) -> bool:
        """Whether some method of the sender, or one that forges, may send such a message to the process."""
        for other, effects in enumerate(self.effects):
            for method, one in effects.items():
                if self.rules.names[other] != sender and not one.forges and not one.anything:
                    continue
                if any(
                    self.may_send(other, method, name, self.rules.names[process], message)
                    for name in (*self.rules.names, "")
                    for message in handler.messages
                ):
                    return True
        return False

    def may_send(self, process: int, method: str, to_whom: str, receiver: str, message: type) -> bool:
        """Whether a method, run for a message from `to_whom`, may send this type of message to the receiver."""
        effects = self.effects[process][method]
        if effects.anything:
            return True
        for kind, target in effects.sends:
            if kind is not None and not issubclass(kind, message) and not issubclass(message, kind):
                continue
            if target == ANYBODY or (target == REPLY and receiver == to_whom):
                return True
            if isinstance(target, frozenset) and receiver in target:
                return True
        return False

    def sender_of(self, event: Event) -> str:
        return event.received[0].sender if len(event.received) == 1 else ""

    def _producers_of(self, action: Action) -> list[Action]:
        handler, receiver = self.handler(action.process, action.method), self.rules.names[action.process]
        if handler.kind == "timer":
            return []  # set by the process itself: see _unblockers_of
        return [
            other
            for other in self.actions
            if self._sends_as(other, action.sender)
            and any(
                self.may_send(other.process, other.method, other.sender, receiver, message)
                for message in handler.messages
            )
        ]

    def _sends_as(self, action: Action, sender: str) -> bool:
        effects = self.effects[action.process][action.method]
        return not sender or self.rules.names[action.process] == sender or effects.forges or effects.anything

    def _uses(self, action: Action) -> set[str] | None:
        """The fields that decide whether it is enabled, or what it does; None is all."""
        handler, effects = self.handler(action.process, action.method), self.effects[action.process][action.method]
        guard = self._guard_of(action)
        if effects.anything or guard is None:
            return None
        timer = {TIMER + handler.name} if handler.kind == "timer" else set()
        return effects.reads | effects.writes | guard | timer

    def _guard_of(self, action: Action) -> set[str] | None:
        handler = self.handler(action.process, action.method)
        kind = self.rules.programs[action.process].kind
        parts = [guard_reads(kind, handler.guard), guard_reads(kind, handler.size)]
        if any(part is None for part in parts):
            return None
        return set[str]().union(*(part for part in parts if part is not None))

    def _writes(self, action: Action) -> set[str] | None:
        effects = self.effects[action.process][action.method]
        return None if effects.anything else effects.writes

    def _dependent_on(self, action: Action) -> list[Action]:
        return [other for other in self.actions if other.process == action.process and self._depend(action, other)]

    def _depend(self, one: Action, other: Action) -> bool:
        first, second = self.handler(one.process, one.method), self.handler(other.process, other.method)
        if one != other and self._compete(first, one, second, other):
            return True
        if self.rules.system.network.ordered and self._receivers(one) & self._receivers(other):
            return True  # the order of what they send is kept
        return _meet(self._writes(one), self._uses(other)) or _meet(self._writes(other), self._uses(one))

    def _receivers(self, action: Action) -> set[str]:
        """To whom the action may send."""
        effects = self.effects[action.process][action.method]
        found: set[str] = set()
        for _, target in effects.sends:
            if isinstance(target, frozenset):
                found |= target
            elif target == REPLY and action.sender:
                found.add(action.sender)
            else:
                return set(self.rules.names)
        return set(self.rules.names) if effects.anything else found

    def _compete(self, first: Handler, one: Action, second: Handler, other: Action) -> bool:
        """Whether both can take the same message."""
        if one.sender and other.sender and one.sender != other.sender:
            return False
        return any(issubclass(a, b) or issubclass(b, a) for a in first.messages for b in second.messages)

    def _unblockers_of(self, action: Action) -> list[Action]:
        """The actions that may make it possible for a message that waits, or a timer, to be handled."""
        handler = self.handler(action.process, action.method)
        guard = self._guard_of(action)
        if handler.kind == "timer":
            guard = {TIMER + handler.name}
        return [
            other
            for other in self.actions
            if other.process == action.process and other != action and _meet(self._writes(other), guard)
        ]

    def waits(self, action: Action, inbox: Inbox) -> bool:
        handler = self.handler(action.process, action.method)
        if handler.kind == "timer":
            return True
        return any(
            issubclass(envelope.message[1], handler.messages) and action.sender in ("", envelope.sender)
            for envelope in inbox
        )

    def _same_channel(self, action: Action) -> list[Action]:
        """Over ordered channels, what comes next from a sender waits for what came before."""
        if not self.rules.system.network.ordered or self.handler(action.process, action.method).kind == "timer":
            return []
        return [
            other
            for other in self.actions
            if other.process == action.process
            and self.handler(other.process, other.method).kind != "timer"
            and ("" in (action.sender, other.sender) or action.sender == other.sender)
        ]

    def _visible_fields(self) -> frozenset[str] | None:
        """The names of fields that invariants read; None if that may be anything, or the network."""
        found: set[str] = set()
        for one in self.rules.system.properties:
            if one.kind != "invariant":
                continue
            names = fields_read(one.holds)
            if names is None or "network" in names:
                return None
            found |= names
        return frozenset(found)

    def _is_visible(self, action: Action) -> bool:
        writes = self._writes(action)
        return self.visible_fields is None or writes is None or bool(writes & self.visible_fields)

    def _mask(self, actions: Iterable[Action]) -> int:
        return self.mask_of(self.number[action] for action in actions)

    def mask_of(self, numbers: Iterable[int]) -> int:
        mask = 0
        for number in numbers:
            mask |= 1 << number
        return mask


def _meet(some: set[str] | None, others: set[str] | None) -> bool:
    """Whether two sets of fields have one in common; None is all."""
    if some is None or others is None:
        return some != set() and others != set()
    return bool(some & others)
