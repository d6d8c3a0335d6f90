"""What is derived: plain data, for the search and for `--derive`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gristmill.ir.model import Action
from gristmill.source import Span
from gristmill.values import Value


@dataclass(frozen=True, slots=True)
class Template:
    """A record that an action sends, as it is written.

    - `kind`: the value of the field that tells messages apart; None if it is no constant.
    - `reveals`: parameters of the action that are fields of the record: whoever sees the message knows them.
    - `computed`: the other fields, as they are written.
    - `shows`: of these, the fields that are a variable's part of a parameter, and what is added to it.
    """

    kind: str | None
    kind_field: str
    fields: frozenset[str]
    reveals: Mapping[str, str]  # parameter -> field
    computed: Mapping[str, str]  # field -> text
    shows: Mapping[str, tuple[str, str, int]]  # field -> variable, parameter, what is added


@dataclass(frozen=True, slots=True)
class Event:
    """An action as the monitor of a node takes it.

    `consumes`: the parameter that is a message to the node; None if it needs none. `kinds`: of the messages that it
    consumes, if that could be read off its guard. `few_ways`: its parameters are chosen from a few values.
    """

    action: Action
    node: str  # the parameter that is the acting node
    consumes: str | None
    kinds: tuple[str, ...]
    sends: tuple[Template, ...]
    few_ways: bool = False

    @property
    def name(self) -> str:
        return self.action.name

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.action.parameters)

    @property
    def span(self) -> Span:
        return self.action.span

    def may_send(self, kind: str) -> bool:
        return any(each.kind in (None, kind) for each in self.sends)

    @property
    def kind_field(self) -> str:
        """Of the records that it sends."""
        return self.sends[0].kind_field

    def sends_like(self, record: Mapping[Any, Value]) -> list[Template]:
        """The records of that form that the action sends."""
        return [
            each
            for each in self.sends
            if each.kind in (None, record.get(each.kind_field)) and each.fields == record.keys()
        ]

    def unified(self, record: Mapping[Any, Value]) -> list[dict[str, Value]]:
        """What an observed record tells of the parameters, for each record of that form that the action sends."""
        found = [
            {parameter: record[field] for parameter, field in each.reveals.items() if parameter != self.node}
            for each in self.sends_like(record)
        ]
        return [each for number, each in enumerate(found) if each not in found[:number]]


@dataclass(frozen=True)
class Monitor:
    """Of one node. `local`: the variables whose part it has; `ghosts`: those that no action needs.

    `grows`: variables that only grow, checked on a bounded model.
    """

    network: str  # the variable that holds messages
    local: tuple[str, ...]
    ghosts: tuple[str, ...]
    events: tuple[Event, ...]
    grows: tuple[str, ...] = field(default=())
    programs: dict[Value, object] = field(default_factory=dict, compare=False, repr=False)  # native code, by node

    @cached_property
    def receivers(self) -> tuple[Event, ...]:
        return tuple(each for each in self.events if each.consumes is not None)

    @cached_property
    def senders(self) -> tuple[Event, ...]:
        """Those that send without having received something."""
        return tuple(each for each in self.events if each.consumes is None and each.sends)

    @cached_property
    def unseen(self) -> tuple[Event, ...]:
        """Senders that may have been taken though nobody has seen what they sent: it was lost on the way to whoever
        watches. Only those with few ways to be taken: what was sent is not there to tell which one it was."""
        return tuple(each for each in self.senders if each.few_ways)

    @cached_property
    def internal(self) -> tuple[Event, ...]:
        return tuple(each for each in self.events if each.consumes is None and not each.sends)

    def consuming(self, kind: str) -> tuple[Event, ...]:
        return tuple(each for each in self.receivers if not each.kinds or kind in each.kinds)

    def sending(self, kind: str) -> tuple[Event, ...]:
        return tuple(each for each in self.senders if each.may_send(kind))

    def answering(self, kind: str) -> tuple[Event, ...]:
        """Receivers that may send such a message."""
        return tuple(each for each in self.receivers if each.may_send(kind))
