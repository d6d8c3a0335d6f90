"""Breakpoints of one machine: set when a class is loaded, before any of its code runs; one for each place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gristmill.replay.driver import DriverError
from gristmill.replay.jvm.classes import Loaded, LoadedMethod
from gristmill.replay.jvm.locate import Spot, chosen, spots
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.points import Place
from gristmill.replay.jvm.pool import BadClassFile, Pool
from gristmill.replay.jvm.protocol import NATIVE_METHOD
from gristmill.replay.jvm.tasks import Task, ask
from gristmill.replay.jvm.watched import Watched
from gristmill.replay.jvm.wire import JdwpError, Location


@dataclass(frozen=True, slots=True)
class Armed:
    """A point, at one of its places."""

    watched: Watched
    spot: Spot
    absent: frozenset[str]  # local variables of other places of the point, which have no value here


@dataclass(slots=True)
class Arming:
    machine: Machine
    points: Mapping[str, Sequence[Watched]]  # by class
    aliases: Mapping[str, str]
    on_problem: Callable[[Watched, DriverError], None]
    armed: dict[Location, list[Armed]] = field(default_factory=dict)
    _done: set[int] = field(default_factory=set)

    def request(self, class_names: Sequence[str]) -> None:
        """Be told when these are loaded; those that are already are armed now."""
        requests = self.machine.requests
        for reply in self.machine.connection.ask([requests.prepared(name) for name in class_names]):
            reply.checked()
        for name in class_names:
            for of in self.machine.run(self.machine.classes.named(name)):
                self.arm(of)

    def arm(self, of: Loaded) -> None:
        if of.id in self._done:
            return
        self._done.add(of.id)
        for each in self.points.get(of.name, ()):
            try:
                found = self.machine.run(located(self.machine, of, each.place))
                problem = each.unknown_names([spot for _, spot in found], self.aliases)
            except DriverError as error:
                problem = error
            if problem is not None:
                self.on_problem(each, problem)
                continue
            self._set(of, each, found)

    def _set(self, of: Loaded, watched: Watched, found: list[tuple[LoadedMethod, Spot]]) -> None:
        names = {variable.name for _, spot in found for variable in spot.variables}
        for method, spot in found:
            location = Location(of.kind, of.id, method.id, spot.index)
            if location not in self.armed:
                self.armed[location] = []
                self.machine.run(ask(self.machine.requests.breakpoint(location)))
            absent = names - {variable.name for variable in spot.variables}
            self.armed[location].append(Armed(watched, spot, frozenset(absent & watched.beginnings)))

    def spots_of(self, point: str) -> list[Spot]:
        return [each.spot for every in self.armed.values() for each in every if each.watched.point.name == point]


def located(machine: Machine, of: Loaded, place: Place) -> Task[list[tuple[LoadedMethod, Spot]]]:
    """Where a place is in a class that is loaded. Raises `DriverError`."""
    methods = yield from machine.classes.methods(of.id)
    wanted = chosen(place, [(each.header, each) for each in methods], (yield from _parents(machine, of, place)))
    found: list[tuple[LoadedMethod, Spot]] = []
    for header, method in wanted:
        try:
            body = yield from machine.classes.body(method)
            if not body.code:
                raise JdwpError(NATIVE_METHOD)
            pool = (yield from machine.classes.pool(of.id)) if place.name is not None else Pool({})
            found += [(method, spot) for spot in spots(place, header, body, pool)]
        except (JdwpError, BadClassFile) as error:
            raise DriverError(f"{place} cannot be found: {error}", span=place.span) from None
    return found


def _parents(machine: Machine, of: Loaded, place: Place) -> Task[list[str]]:
    """Superclasses that have the method."""
    found, above = [], of.parent
    while above is not None:
        methods = yield from machine.classes.methods(above.id)
        if any(each.header.name == place.method for each in methods):
            found.append(above.name)
        above = above.parent
    return found
