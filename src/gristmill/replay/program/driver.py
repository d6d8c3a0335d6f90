"""The driver `program`: nodes of a Python program in this process, actors are messages on their way and timers.

Nothing happens but what is asked for, and in virtual time: as soon as somebody looks, all that nothing holds has gone
on until nothing moves any more. Timers fire only when an operation of the mapping lets time pass, or by a point.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from gristmill.explore.system import System
from gristmill.replay.driver import Arrival, Driver, DriverError, Node, Occurrence, Reading, Resolved, Setup
from gristmill.replay.program.points import ProgramPoint
from gristmill.replay.program.settings import settings_of
from gristmill.replay.program.stage import Actor, Stage
from gristmill.replay.program.systems import SystemStage
from gristmill.replay.program.worlds import WorldStage

# Messages that go on by themselves in one go, at most: two nodes may answer each other for ever.
_MOST_MOVES = 10_000


class ProgramDriver(Driver):
    instant = True
    sets_values = False  # messages are delivered as they were sent

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        settings = settings_of(setup)
        kind = SystemStage if isinstance(settings.target, System) else WorldStage
        self.stage: Stage = kind(setup, settings)
        self._points = [ProgramPoint(each) for each in setup.points]
        self._closed: set[tuple[str, Node]] = set()
        self._held: dict[Any, tuple[Arrival, Actor]] = {}
        self._noted: set[Any] = set()  # actors that no closed point holds, and of which it was told
        self._told: deque[Occurrence] = deque()
        self._count = 0
        self._stirred = True  # whether all has gone on that nothing holds
        for reading in setup.readings:
            self.stage.check_reading(reading)

    def start(self) -> None:
        for point in self._points:
            problem = point.problem(self.stage)
            if problem is not None:
                raise DriverError(f"point {point.name}: {problem[0]}", problem[1], point.point.span)
        self._forget()
        self.stage.begin()

    def reset(self) -> None:
        self.stage.end()
        self._forget()
        self.stage.begin()

    def stop(self) -> None:
        self.stage.end()
        self.stage.close()
        self._forget()

    def _forget(self) -> None:
        self._closed.clear()
        self._held.clear()
        self._noted.clear()
        self._told.clear()
        self._count = 0
        self._stirred = True

    def folder(self, node: Node) -> Path | None:
        return self.stage.folder(node)

    def points(self) -> list[Resolved]:
        return [each.resolved(self.stage) for each in self._points]

    # ------------------------------------------------------------------------------------------------------- holding

    def hold(self, points: Collection[str], node: Node | None = None) -> None:
        self._settle()  # what is on its way has passed them
        self._closed |= self._places(points, node)
        self._stirred = False

    def open(self, points: Collection[str], node: Node | None = None) -> None:
        opened = self._places(points, node)
        self._closed -= opened
        for key, (arrival, _) in list(self._held.items()):
            if (arrival.point, arrival.node) in opened:
                del self._held[key]
                self._noted.add(key)
        self._stirred = False

    def _places(self, points: Collection[str], node: Node | None) -> set[tuple[str, Node]]:
        return {(point, each) for point in points for each in ([node] if node is not None else self.setup.nodes)}

    def held(self) -> list[Arrival]:
        self._settle()
        return [arrival for arrival, _ in self._held.values()]

    def release(self, arrival: Arrival, changes: Mapping[str, Any] | None = None) -> None:
        if changes:
            raise DriverError(f"{arrival.actor} cannot be changed: this driver delivers messages as they were sent")
        actor = self._taken(arrival)
        self.stage.go_on(actor)
        self._stirred = False

    def _taken(self, arrival: Arrival) -> Actor:
        self._settle()
        for key, (held, actor) in self._held.items():
            if held is arrival:
                del self._held[key]
                return actor
        raise DriverError(f"{arrival.actor} is not held any more at {arrival.point}")

    def next(self, seconds: float) -> Occurrence | None:
        self._settle()
        self._told += self.stage.failures()
        return self._told.popleft() if self._told else None

    def settle(self, seconds: float) -> bool:
        self._settle()
        return True

    def _settle(self) -> None:
        """All goes on that nothing holds."""
        if self._stirred:
            return
        for _ in range(_MOST_MOVES):
            self.stage.stir()
            free = self._judge(self.stage.actors())
            if free is None:
                self._stirred = True
                return
            self._noted.discard(free.key)
            self.stage.go_on(free)
        help = "a point holds messages that should not go on by themselves; " + "; ".join(self.stage.doing())
        raise DriverError(f"the program does not come to rest: after {_MOST_MOVES} messages there are still more", help)

    def _judge(self, actors: Sequence[Actor]) -> Actor | None:
        """Who is held from now on, and who is not any more. The first message that nothing holds."""
        present = {actor.key for actor in actors}
        self._held = {key: entry for key, entry in self._held.items() if key in present}
        self._noted &= present
        free: Actor | None = None
        for actor in actors:
            if actor.key in self._held:
                continue
            if actor.key not in self._noted and self._holds(actor):
                continue
            if actor.at == "message" and free is None:
                free = actor
        return free

    def _holds(self, actor: Actor) -> bool:
        """The first closed point that accepts an actor holds it; of others it is told that it came."""
        passed = []
        for point in self._points:
            bindings = point.bindings(actor)
            if bindings is None:
                continue
            if not point.point.tells and (point.name, actor.node) in self._closed:
                self._held[actor.key] = self._arrival(point, actor, bindings, True), actor
                return True
            passed.append((point, bindings))
        if actor.at == "message":
            for point, bindings in passed:
                self._arrival(point, actor, bindings, False)
            self._noted.add(actor.key)
        return False

    def _arrival(self, point: ProgramPoint, actor: Actor, bindings: Mapping[str, Any], held: bool) -> Arrival:
        self._count += 1
        arrival = Arrival(actor.node, point.name, actor.text, bindings, held, self._count)
        self._told.append(arrival)
        return arrival

    # --------------------------------------------------------------------------------------------- looking and acting

    def observe(self, node: Node, readings: Sequence[Reading]) -> dict[str, Any]:
        self._settle()
        if not self.stage.running(node):
            raise DriverError(f"node {node} is down, and nothing can be read there")
        return self.stage.read(node, readings)

    def fault(self, kind: str, node: Node | None = None, details: Mapping[str, Any] | None = None) -> None:
        if kind not in self.kinds():
            raise DriverError(f"there is no fault `{kind}` in a program", f"there are {', '.join(self.kinds())}")
        if kind != "start":  # nodes that are started one after the other start together
            self._settle()
        details = details or {}
        arrival = details.get("arrival")
        self.stage.fault(kind, node, details, self._hit(kind, arrival) if isinstance(arrival, Arrival) else None)
        self._stirred = False

    def _hit(self, kind: str, arrival: Arrival) -> Actor:
        if kind != "duplicate":
            return self._taken(arrival)
        self._settle()
        found = next((actor for held, actor in self._held.values() if held is arrival), None)
        if found is None:
            raise DriverError(f"{arrival.actor} is not held any more at {arrival.point}")
        return found

    def call(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        self._settle()
        if not self.stage.running(node):
            raise DriverError(f"{operation} cannot be called: node {node} is not running")
        self.stage.call(operation, node, arguments)
        self._stirred = False

    def running(self, node: Node) -> bool:
        return self.stage.running(node)

    def doing(self) -> list[str]:
        return self.stage.doing()

    def kinds(self) -> tuple[str, ...]:
        return self.stage.kinds()
