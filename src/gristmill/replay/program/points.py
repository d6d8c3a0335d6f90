"""The points of a mapping in this driver.

    at = "message"                # any message that is to arrive next
    at = "message vote append"    # of these kinds
    at = "timer"                  # the next timer of a node
    at = "timer heartbeat"        # if it is this one

Messages bind `from`, `to`, `kind` and `message`, timers bind `kind` and `milliseconds`; `bind` has paths of parts of
the message.
"""

from __future__ import annotations

from typing import Any

from gristmill.replay.driver import COMMON_OPTIONS, Point, Resolved
from gristmill.replay.program.paths import NotPlain, part, plain, steps
from gristmill.replay.program.stage import Actor, Stage
from gristmill.source.toml_reader import suggestion

_PLACES = ("message", "timer")


class ProgramPoint:
    def __init__(self, point: Point) -> None:
        self.point = point
        self.place, *kinds = point.at.split() or [""]
        self.kinds = frozenset(kinds)

    @property
    def name(self) -> str:
        return self.point.name

    def bindings(self, actor: Actor) -> dict[str, Any] | None:
        """What is bound if this is a point for that actor."""
        if actor.at != self.place or (self.kinds and actor.kind not in self.kinds):
            return None
        found = {**actor.given}
        for name, path in self.point.bind.items():
            try:
                found[name] = plain(part(actor.bound, path))
            except NotPlain:
                found[name] = None
        return found if self.point.accepts(actor.node, found) else None

    def problem(self, stage: Stage) -> tuple[str, str | None] | None:
        """What is wrong with it, and what helps."""
        if self.place not in _PLACES:
            help = suggestion(self.place, _PLACES) or 'write at = "message KIND", or at = "timer NAME"'
            return f"there is no {self.point.at!r} in a program", help
        for option in self.point.options:
            if option not in COMMON_OPTIONS:
                return f"a point of a program has no key `{option}`", "it has at, bind, where, tells and waits"
        for path in self.point.bind.values():
            try:
                steps(path)
            except ValueError as error:
                return str(error), "entries[0].term, entries[*].term"
        return stage.no_messages() if self.place == "message" else None

    def resolved(self, stage: Stage) -> Resolved:
        problem = self.problem(stage)
        if problem is not None:
            return Resolved(self.name, (), *problem)
        kinds = " or ".join(sorted(self.kinds))
        if self.place == "timer":
            return Resolved(self.name, (f"the next timer of a node{', if it is ' * bool(kinds)}{kinds}",))
        return Resolved(self.name, (f"{kinds or 'any message'}, where it is to arrive next",))
