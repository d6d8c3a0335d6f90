"""The points of a mapping in this driver: messages that are on their way.

    at = "message"                     # any
    at = "message MsgVote MsgVoteResp" # of these kinds
    node = "from"                      # whose point it is: the receiver's ("to", by default), or the sender's
    loses = true                       # while it is closed, messages are not held but get lost

It binds `from`, `to`, `kind`, and `message`: the record as the decoder makes it; `bind` has paths of fields in it.
"""

from __future__ import annotations

from typing import Any

from gristmill.replay.driver import COMMON_OPTIONS, Node, Point, Resolved
from gristmill.replay.network.letters import Letter
from gristmill.source.toml_reader import suggestion
from gristmill.systems.decoders import Decoder, part
from gristmill.systems.decoders.fields import steps

_OPTIONS = ("node", "loses", *COMMON_OPTIONS)


class MessagePoint:
    def __init__(self, point: Point) -> None:
        self.point = point
        self.kinds = frozenset(point.at.split()[1:])
        self.side = str(point.options.get("node", "to"))
        self.loses = point.options.get("loses") is True

    def node(self, letter: Letter) -> Node:
        return letter.source if self.side == "from" else letter.destination

    def bindings(self, letter: Letter) -> dict[str, Any]:
        bound = {name: part(letter.record, path) for name, path in self.point.bind.items()}
        own = {"from": letter.source, "to": letter.destination, "kind": letter.kind, "message": letter.record}
        return {**own, **bound}

    def accepts(self, letter: Letter, bindings: dict[str, Any]) -> bool:
        return (not self.kinds or letter.kind in self.kinds) and self.point.accepts(self.node(letter), bindings)

    def problem(self, decoder: Decoder) -> tuple[str, str | None] | None:
        """What is wrong with it, and what helps."""
        if self.point.at.split()[:1] != ["message"]:
            return f"there is no {self.point.at!r} in a network", 'write at = "message", or at = "message KIND"'
        for kind in self.kinds:
            if decoder.kinds and kind not in decoder.kinds:
                return f"there are no messages of kind {kind}", suggestion(kind, decoder.kinds)
        if self.side not in ("from", "to"):
            return f'a message has no node called "{self.side}"', 'node = "from" or node = "to"'
        for option in self.point.options:
            if option not in _OPTIONS:
                return f"a point of a network has no key `{option}`", suggestion(option, _OPTIONS)
        for path in self.point.bind.values():
            try:
                steps(path)
            except ValueError as error:
                return str(error), "entries[0].term, entries[*].term"
        return None

    def resolved(self, decoder: Decoder, links: list[str]) -> Resolved:
        problem = self.problem(decoder)
        if problem is not None:
            return Resolved(self.point.name, (), *problem)
        what = " or ".join(sorted(self.kinds)) or "any message"
        whose = "sender" if self.side == "from" else "receiver"
        return Resolved(self.point.name, tuple(f"{what} on {link}, at the {whose}" for link in links))
