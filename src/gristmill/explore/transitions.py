"""What can happen at one process: the semantics of handlers, channels and faults, once, for all searches.

A step of a process is a function of its local state, its inbox (the messages on their way to it) and what is left of
the bounds on faults. That is all that searches need to know, and what makes exploring on integers possible.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gristmill.explore.data import Frozen, freeze, order_key, thaw
from gristmill.explore.handling import Handling
from gristmill.explore.process import Handler
from gristmill.explore.program import Envelope, Local, Outcome, Problem
from gristmill.explore.system import System
from gristmill.trace.schedule import Event, EventKind, Record, Sent

Inbox = tuple[Envelope, ...]


class Spare(NamedTuple):
    """What may still go wrong, and how the network is divided: `side` indexes the partitions, -1 is none."""

    loss: int
    duplication: int
    crashes: int
    restarts: int
    partitions: int
    timeouts: int  # -1 is no bound
    side: int = -1


class LocalStep(NamedTuple):
    """One transition of one process."""

    event: Event
    local: Local
    inbox: Inbox
    spare: Spare
    sends: tuple[Envelope, ...] = ()
    records: tuple[Record, ...] = ()
    problem: Problem | None = None


class Rules(Handling):
    """The transitions of a system's processes."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self._order: dict[Envelope, tuple[Any, ...]] = {}
        self._sent: dict[Envelope, Sent] = {}

    def first_spare(self) -> Spare:
        network, faults = self.system.network, self.system.faults
        changes = network.partition_changes if network.partitions else 0
        timeouts = -1 if self.system.timeouts is None else self.system.timeouts
        return Spare(network.loss, network.duplication, faults.crashes, faults.restarts, changes, timeouts)

    # Messages

    def put(self, inbox: Inbox, local: Local, envelope: Envelope) -> Inbox:
        """The inbox with one more message on its way."""
        if local.status == "gone":
            return inbox
        if self.system.network.ordered:
            position = max((i + 1 for i, other in enumerate(inbox) if other.sender <= envelope.sender), default=0)
            return (*inbox[:position], envelope, *inbox[position:])
        return tuple(sorted((*inbox, envelope), key=self.order_of))

    def order_of(self, envelope: Envelope) -> tuple[Any, ...]:
        key = self._order.get(envelope)
        if key is None:
            key = self._order[envelope] = (envelope.sender, order_key(envelope.message))
        return key

    def deliverable(self, inbox: Inbox, spare: Spare) -> list[Envelope]:
        """The distinct messages that can arrive next: the first of each channel, if channels are ordered."""
        found: list[Envelope] = []
        senders: set[str] = set()
        for envelope in inbox:
            first = envelope.sender not in senders
            senders.add(envelope.sender)
            if self.system.network.ordered and not first:
                continue
            if envelope not in found and not self._divided(envelope, spare):
                found.append(envelope)
        return found

    def _divided(self, envelope: Envelope, spare: Spare) -> bool:
        if spare.side < 0:
            return False
        side = self.system.network.partitions[spare.side]
        return (envelope.sender in side) != (envelope.receiver in side)

    # Steps

    def start(self, index: int) -> tuple[Outcome, ...]:
        return self.outcomes(index, self.programs[index].first, "start", ())

    def steps(self, index: int, local: Local, inbox: Inbox, spare: Spare) -> list[LocalStep]:
        """Every transition of a process, in an order that depends on nothing but the arguments."""
        if local.status == "gone":
            return []
        if local.status == "down":
            return list(self._restart(index, local, inbox, spare))
        arriving = self.deliverable(inbox, spare)
        return [
            *self._deliver(index, local, inbox, spare, arriving),
            *self._quorums(index, local, inbox, spare, arriving),
            *self._timers(index, local, inbox, spare),
            *self._losses(index, local, inbox, spare, arriving),
            *self._crash(index, local, inbox, spare),
        ]

    def network_steps(self, spare: Spare) -> list[tuple[Event, Spare]]:
        """The network falls apart, or heals."""
        if spare.side >= 0:
            return [(Event("heal", "", "network"), spare._replace(side=-1))]
        if spare.partitions == 0:
            return []
        return [
            (
                Event("partition", "", ",".join(sorted(side))),
                spare._replace(side=number, partitions=spare.partitions - 1),
            )
            for number, side in enumerate(self.system.network.partitions)
        ]

    def _deliver(
        self, index: int, local: Local, inbox: Inbox, spare: Spare, arriving: Sequence[Envelope]
    ) -> Iterator[LocalStep]:
        for envelope in arriving:
            for method, handler in self.programs[index].handlers.items():
                if handler.kind != "message" or not issubclass(envelope.message[1], handler.messages):
                    continue
                allowed = self.allowed(index, local, method, handler, (envelope.message,))
                rest = without(inbox, (envelope,))
                event = self._event("deliver", index, method, (envelope,))
                yield from self._run(
                    event, index, local, rest, spare, method, (envelope.message, envelope.sender), allowed
                )
                if spare.duplication and allowed is True:
                    again = spare._replace(duplication=spare.duplication - 1)
                    event = self._event("duplicate", index, method, (envelope,))
                    arguments = (envelope.message, envelope.sender)
                    yield from self._run(event, index, local, inbox, again, method, arguments, True)

    def _quorums(
        self, index: int, local: Local, inbox: Inbox, spare: Spare, arriving: Sequence[Envelope]
    ) -> Iterator[LocalStep]:
        for method, handler in self.programs[index].handlers.items():
            if handler.kind != "quorum":
                continue
            for chosen in self._quorum_sets(index, local, handler, arriving):
                messages = ("dict", *((envelope.sender, envelope.message) for envelope in chosen))
                allowed = self.allowed(index, local, method, handler, (messages,))
                event = self._event("deliver", index, method, chosen)
                yield from self._run(event, index, local, without(inbox, chosen), spare, method, (messages,), allowed)

    def _quorum_sets(
        self, index: int, local: Local, handler: Handler, arriving: Sequence[Envelope]
    ) -> Iterator[tuple[Envelope, ...]]:
        """Sets of messages from distinct senders that agree on what `by` gives, ordered by sender."""
        size = handler.size
        if callable(size):
            size = self.quorum_asks(index, "size", size, self.programs[index].live(local))
        groups: dict[Any, dict[str, list[Envelope]]] = {}
        for envelope in arriving:
            if issubclass(envelope.message[1], handler.messages):
                shared = self.quorum_asks(index, "by", handler.by, thaw(envelope.message)) if handler.by else None
                agreed = (envelope.message[1], freeze(shared))
                groups.setdefault(agreed, {}).setdefault(envelope.sender, []).append(envelope)
        for by_sender in groups.values():
            for senders in itertools.combinations(sorted(by_sender), size or 0):
                yield from itertools.product(*(by_sender[sender] for sender in senders))

    def _timers(self, index: int, local: Local, inbox: Inbox, spare: Spare) -> Iterator[LocalStep]:
        if spare.timeouts == 0:
            return
        after = spare if spare.timeouts < 0 else spare._replace(timeouts=spare.timeouts - 1)
        for name in sorted(local.timers):
            fired = local._replace(timers=local.timers - {name})
            event = self._event("timer", index, name, ())
            yield from self._run(event, index, fired, inbox, after, self.programs[index].timers[name], (), True)

    def _losses(
        self, index: int, local: Local, inbox: Inbox, spare: Spare, arriving: Sequence[Envelope]
    ) -> Iterator[LocalStep]:
        if not spare.loss:
            return
        after = spare._replace(loss=spare.loss - 1)
        for envelope in arriving:
            event = self._event("lose", index, "", (envelope,))
            yield LocalStep(event, local, without(inbox, (envelope,)), after)

    def _crash(self, index: int, local: Local, inbox: Inbox, spare: Spare) -> Iterator[LocalStep]:
        name = self.names[index]
        if not spare.crashes or name not in self.system.faults.crashing:
            return
        after = spare._replace(crashes=spare.crashes - 1)
        if spare.restarts:
            yield LocalStep(Event("crash", name), self.survivor(index, local), inbox, after)
        else:
            yield LocalStep(Event("crash", name), Local(local.fields, status="gone"), (), after)

    def survivor(self, index: int, local: Local) -> Local:
        """What is left of a process after a crash."""
        declared = self.programs[index].kind.declared
        kept = tuple(
            (field, value) for field, value in local.fields if field in declared and declared[field].persistent
        )
        return Local(kept, status="down")

    def restored(self, index: int, local: Local) -> Local:
        """The state in which `restart` begins, with what has survived."""
        kept = dict(local.fields)
        first = self.programs[index].first.fields
        return Local(tuple((field, kept.get(field, value)) for field, value in first))

    def _restart(self, index: int, local: Local, inbox: Inbox, spare: Spare) -> Iterator[LocalStep]:
        if not spare.restarts:
            return
        again = self.restored(index, local)
        event = Event("restart", self.names[index])
        after = spare._replace(restarts=spare.restarts - 1)
        yield from self._run(event, index, again, inbox, after, "restart", (), True)

    def _run(
        self,
        event: Event,
        index: int,
        local: Local,
        inbox: Inbox,
        spare: Spare,
        method: str,
        arguments: tuple[Frozen, ...],
        allowed: bool | Problem,
    ) -> Iterator[LocalStep]:
        if allowed is False:
            return
        if isinstance(allowed, Problem):
            yield LocalStep(event, local, inbox, spare, problem=allowed)
            return
        for outcome in self.outcomes(index, local, method, arguments):
            made = Event(event.kind, event.process, event.name, event.received, outcome.choices, outcome.chosen)
            yield LocalStep(made, outcome.local, inbox, spare, outcome.sends, outcome.records, outcome.problem)

    def _event(self, kind: EventKind, index: int, name: str, received: Sequence[Envelope]) -> Event:
        return Event(kind, self.names[index], name, tuple(map(self._shown, received)))

    def _shown(self, envelope: Envelope) -> Sent:
        found = self._sent.get(envelope)
        if found is None:
            found = self._sent[envelope] = sent(envelope)
        return found


def sent(envelope: Envelope) -> Sent:
    return Sent(envelope.sender, envelope.receiver, thaw(envelope.message))


def without(inbox: Inbox, taken: Sequence[Envelope]) -> Inbox:
    """The inbox less one occurrence of each message taken: the first, which matters where channels are ordered."""
    rest = list(inbox)
    for envelope in taken:
        rest.remove(envelope)
    return tuple(rest)
