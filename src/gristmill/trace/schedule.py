"""What happened in a run, as data: events, what they sent, and schedules that can be replayed.

These types are shared by the searches over `Process` classes (`explore`), the controlled event loop for unmodified
asyncio programs (`controlled`), shrinking, sequence charts and the linearizability checker. They say nothing of how a
run was made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

EventKind = Literal[
    "start",  # a process begins (only as the first steps of a run)
    "deliver",  # a handler consumes one message, or a quorum handler several
    "timer",  # a timer fires
    "crash",
    "restart",
    "lose",  # a message disappears
    "duplicate",  # a message is delivered, and stays in the network
    "partition",
    "heal",
    "task",  # controlled programs: a ready callback runs
    "clock",  # controlled programs: virtual time moves to the next timer
]


@dataclass(frozen=True, slots=True)
class Sent:
    """A message from one process to another. `number` tells equal ones apart; 0 where there is nothing to tell."""

    sender: str
    receiver: str
    message: object
    number: int = 0

    def __str__(self) -> str:
        return f"{self.sender} → {self.receiver}: {self.message}"


@dataclass(frozen=True, slots=True)
class Event:
    """One transition: what the scheduler chose. With equal states, equal events have equal effects.

    `name` is the handler, the timer, or what else identifies the event among those of its kind. `choices` are the
    indices that `self.choose` returned, in order, and `chosen` these options as text, for people.
    """

    kind: EventKind
    process: str
    name: str = ""
    received: tuple[Sent, ...] = ()
    choices: tuple[int, ...] = ()
    chosen: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return describe(self)


@dataclass(frozen=True, slots=True)
class Record:
    """An operation of a client begins (`invoke`) or ends (`return`): what a linearizability checker reads."""

    process: str
    kind: Literal["invoke", "return"]
    operation: str
    value: object = None


@dataclass(frozen=True, slots=True)
class Step:
    """An event with what it did: messages sent, fields that changed (as text), operations recorded, an error."""

    event: Event
    sent: tuple[Sent, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    records: tuple[Record, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """The events of a run, in order. Replaying it on the same system gives the same run."""

    events: tuple[Event, ...] = ()
    seed: int | None = None

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def without(self, start: int, stop: int) -> Schedule:
        """The schedule with a slice of it left out: what shrinking tries."""
        return Schedule(self.events[:start] + self.events[stop:], self.seed)


FailureKind = Literal["invariant", "end", "eventually", "assertion", "exception", "linearizability"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A property that does not hold, or a handler that failed, with the run that shows it."""

    kind: FailureKind
    name: str  # of the property, or `process.handler`
    message: str
    schedule: Schedule
    steps: tuple[Step, ...] = ()
    loop: int | None = None  # of an `eventually`: the run repeats from this step for ever


def describe(event: Event) -> str:
    """An event in a line, the same for equal events; `match` finds an event by it."""
    text = _happening(event)
    if event.choices:
        text += " choosing " + ",".join(map(str, event.choices))
    return text


def told(event: Event) -> str:
    """An event in a line for people: with what was chosen, if that is known, and not its number."""
    if not event.chosen:
        return describe(event)
    return f"{_happening(event)} choosing {', '.join(event.chosen)}"


def _happening(event: Event) -> str:
    text = f"{event.kind} {event.process}".rstrip()
    if event.name:
        text += f".{event.name}" if event.process else f" {event.name}"
    if event.received:
        text += "(" + ", ".join(f"{sent.message} from {sent.sender}" for sent in event.received) + ")"
    return text


@dataclass(frozen=True, slots=True)
class SavedSchedule:
    """A schedule as it stands in a file: events as text, to be matched with those enabled while it is replayed."""

    system: str
    events: tuple[str, ...]
    seed: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        found = {"system": self.system, "seed": self.seed, "options": dict(self.options), "events": list(self.events)}
        return json.dumps(found, indent=1, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> SavedSchedule:
        found = json.loads(text)
        return SavedSchedule(found["system"], tuple(found["events"]), found.get("seed"), found.get("options", {}))


def save(schedule: Schedule, system: str, options: Mapping[str, Any] | None = None) -> SavedSchedule:
    return SavedSchedule(system, tuple(map(describe, schedule.events)), schedule.seed, options or {})
