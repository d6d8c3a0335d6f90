"""What a monitor of a node comes to: alarms, where it has lost track, and numbers."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.watch.explaining import Candidate, Reasons
from gristmill.watch.messages import Message


@dataclass(frozen=True, slots=True)
class Alarm:
    """A message that no behaviour of the specification allows.

    `confirmed`: no schedule of so many messages of the node explains it. `window`: over so many, explanations were
    looked for. `reasons`: the ways to send such a message that there are, and what each lacked. `before`: the last
    messages. `rests_on`: what was taken for granted, in words.
    """

    message: Message
    confirmed: int
    window: int
    reasons: Reasons
    before: tuple[Message, ...]
    rests_on: tuple[str, ...] = ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.reasons.candidates


@dataclass(frozen=True, slots=True)
class Lost:
    """The monitor does not know any more where the node is: it begins anew to learn that from the messages."""

    message: Message
    why: str


@dataclass(slots=True)
class Counts:
    sent: int = 0
    received: int = 0
    states: int = 0  # summed up over the messages that were sent
    most_states: int = 1
    searches: int = 0  # for messages that the states at hand did not explain
    exact: int = 0  # searches without reductions
    learning: int = 0  # messages sent of which something had to be assumed, as the state was not known
    relearned: int = 0  # times that all was forgotten that had been learned
    waiting: int = 0  # messages that had arrived and might still be looked at, summed up over those that were sent
    most_waiting: int = 0
