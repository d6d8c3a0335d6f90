"""Message traces of the specification itself (§4): random behaviours, as the messages that are sent in them.

A message is in the trace where it is sent, as a tap between sender and receiver would have it.
"""

from __future__ import annotations

import random
from pathlib import Path
from zlib import crc32

import gristmill
from gristmill.source import SourceFile
from gristmill.specification import Specification, Transition
from gristmill.values import Fn, Value
from gristmill.watch.messages import Message

RAFT = Path(__file__).parents[2] / "examples" / "raft"


_RARE = ("PreCampaign", "Campaign", "SendTimeoutNow", "StepDown", "Restart")


def opened() -> Specification:
    """What leaders send is chosen from what they have: to choose from everything takes too long."""
    config = (RAFT / "RaftMessagesBounded.cfg").read_text().replace("NEXT Next\n", "NEXT NextFew\n")
    return gristmill.open(
        RAFT / "RaftMessagesBounded.tla", config=SourceFile("few.cfg", config), constants={"Tokens": {5, 6}}
    )


class Walker:
    """Walks at random, but so that something happens: messages are rather received than sent, elections are rare."""

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self.receiving = [each.name for each in specification.actions if "m" in each.names]
        self.rare = [each.name for each in specification.actions if each.name in _RARE]
        self.sending = [each.name for each in specification.actions if each.name not in (*self.receiving, *_RARE)]

    def trace(self, seed: int, length: int) -> list[Message]:
        chance = random.Random(seed)
        (state,) = self.specification.initial()
        sent: list[Value] = []
        seen: set[Value] = set()
        for _ in range(length):
            step = self._step(state, chance)
            if step is None:
                break
            new = [each for each in step.state.raw["messages"] if each not in seen]
            chance.shuffle(new)
            seen |= set(new)
            sent += new
            state = step.state
        return [message_of(number, record) for number, record in enumerate(sent, 1)]

    def _step(self, state: object, chance: random.Random) -> Transition | None:
        first = chance.choices((self.receiving, self.sending, self.rare), (0.6, 0.35, 0.05))[0]
        for names in (first, self.receiving, self.sending, self.rare):
            for name in chance.sample(list(names), len(names)):
                steps = [each for each in self.specification.take(state, name) if each.state != state]  # type: ignore[arg-type]
                if steps:
                    return chance.choice(steps)
        return None


def message_of(number: int, record: Value) -> Message:
    assert isinstance(record, Fn)
    source, target = record["from"], record["to"]
    channel = (crc32(f"{source} {target}".encode()), 0)  # the same in every run
    return Message(number, number, number, channel, str(record["kind"]), source, target, record, {})
