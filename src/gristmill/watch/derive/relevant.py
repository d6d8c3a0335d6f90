"""Which messages can decide whether a message of some kind may be sent: by the variables that this rests on.

A search over all schedules is tried without the others, where it has too much to try with them: clients' requests have
nothing to do with votes, but when each of them is looked at multiplies what is to be tried. Without a message that
changes nothing of these variables, no fewer schedules explain the one in question.
"""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.specification import Specification
from gristmill.specification.actions import Place
from gristmill.watch.derive.monitor import Event, Monitor


class Relevance:
    """Of one specification, and the monitor that is derived from it."""

    def __init__(self, specification: Specification, monitor: Monitor) -> None:
        self.monitor = monitor
        self._actions = {action.name: action.dependencies for action in specification.actions}
        self._kinds: dict[str, frozenset[str]] = {}

    def kinds(self, kind: str) -> frozenset[str]:
        """The kinds of messages that count for one of this kind, and this one."""
        if kind not in self._kinds:
            self._kinds[kind] = self._found(kind)
        return self._kinds[kind]

    def _found(self, kind: str) -> frozenset[str]:
        variables = self._rests_on(kind)
        counting = [each for each in self.monitor.events if each.may_send(kind) or variables & self._written(each)]
        return frozenset(
            {kind}
            | {str(template.kind) for event in counting for template in event.sends}
            | {each for event in counting for each in event.kinds}
        )

    def _rests_on(self, kind: str) -> set[str]:
        """The variables that decide whether it may be sent, and those that decide their next values."""
        found: set[str] = set()
        for event in self.monitor.events:
            if event.may_send(kind):
                found |= self._needed(event, {self.monitor.network})
        found &= {*self.monitor.local}
        while True:
            changing = [each for each in self.monitor.events if found & self._written(each)]
            more = {name for event in changing for name in self._needed(event, found)} & {*self.monitor.local}
            if more <= found:
                return found
            found |= more

    def _needed(self, event: Event, variables: set[str]) -> set[str]:
        """What decides whether an action is possible, and what becomes of these variables."""
        action = self._actions[event.name]
        found = _names(action.guard)
        for write in action.writes:
            if write.place.variable in variables:
                found |= _names(write.reads) | _names(write.control)
        return found

    def _written(self, event: Event) -> set[str]:
        return {each.variable for each in self._actions[event.name].may_write}


def _names(places: Iterable[Place]) -> set[str]:
    return {each.variable for each in places}
