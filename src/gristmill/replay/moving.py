"""Carrying out the moves of an action: actors released one at a time, waited for, faults and operations."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gristmill.replay.driver import Arrival, Driver, Failure, Node
from gristmill.replay.mapping.parts import Mapping as SystemMapping
from gristmill.replay.mapping.parts import Move
from gristmill.replay.mapping.reading import node_name
from gristmill.replay.moved import faulted, released
from gristmill.replay.result import Moved
from gristmill.source import SourceError
from gristmill.specification import State
from gristmill.systems.formulas import Formula
from gristmill.values import to_python


class NeverCame(Exception):
    """What the model says should happen did not."""

    def __init__(self, message: str, node: Node | None) -> None:
        super().__init__(message)
        self.message, self.node = message, node


class SystemFailed(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Mover:
    """Does what moves say. All that happens meanwhile is kept: `arrivals` and `failures`."""

    def __init__(self, mapping: SystemMapping, driver: Driver) -> None:
        self.mapping, self.driver = mapping, driver
        self.arrivals: list[Arrival] = []
        self.failures: list[Failure] = []
        self.tolerant = False  # of failures: then they are only kept
        self.waited = 0.0  # for the system
        self.moved: list[Moved] = []  # what was done so far, also of an action that did not come to its end
        self._opened: list[tuple[tuple[str, ...], Node | None]] = []
        self._since = 0  # the number of the first arrival that is of this action

    def perform(self, moves: Sequence[Move], state: State, names: Mapping[str, Any], seconds: float) -> list[Moved]:
        """Raises `NeverCame`, `SystemFailed`, `DriverError`, `SourceError`."""
        self.moved = []
        self._since = self._next_number()
        try:
            for move in moves:
                self._with_all(move, state, names, seconds)
        finally:
            opened, self._opened = self._opened, []
            for points, node in opened:
                self.driver.hold(points, node)
        return self.moved

    def _next_number(self) -> int:
        self.take_in(0.0)
        return self.arrivals[-1].number + 1 if self.arrivals else 0

    def _with_all(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        for bound in self._elements(move, state, names):
            own = {**names, **bound}
            if move.condition is not None and not move.condition.truth(state, own, "`if`"):
                continue
            for _ in range(1 if move.repeat is None else move.repeat.number(state, own, "`repeat`")):
                _PERFORM[move.kind](self, move, state, own, seconds)

    def _elements(self, move: Move, state: State, names: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if move.each is None:
            yield {}
            return
        name, formula = move.each
        found = formula.elements(state, names, "`for`")
        with self.mapping.specification.world.active():
            ordered = found if isinstance(found, tuple) else sorted(found, key=node_name)
        for each in ordered:
            yield {name: each}

    def node_of(self, formula: Formula | None, state: State | None, names: Mapping[str, Any]) -> Node | None:
        if formula is None:
            return None
        value = formula.value(state, names, raw=True)
        with self.mapping.specification.world.active():
            name = node_name(value)
        if name not in self.mapping.nodes:
            raise NeverCame(f"{name} is no node", None)
        return name

    # ----------------------------------------------------------------------------------------------------------- moves

    def _release(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        if move.until:
            self._release_until(move, state, names, seconds)
            return
        node = self.node_of(move.on, state, names)
        if move.all:
            for each in [each for each in self.driver.held() if self.fits(move, node, each, state, names)]:
                self.let_go(each, move, state, names)
            return
        arrival = self._held(move, node, state, names, seconds)
        since = self._next_number()
        self.let_go(arrival, move, state, names)
        if not move.to:
            self._settle(move, state, names, seconds)
            return
        self._arrived(
            lambda each: (
                each.number >= since
                and each.actor == arrival.actor
                and each.node == arrival.node
                and each.point in move.to
                and self._is_true(move.to_where, state, self._bound(names, each))
            ),
            seconds,
            f"{arrival.actor} of {arrival.node}, released at {arrival.point}, did not get to {' or '.join(move.to)}",
            arrival.node,
        )

    def _release_until(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        """Whoever comes there goes on, until an actor of the node is where it is to be in the end."""
        node = self.node_of(move.on, state, names)

        def found() -> Arrival | None:
            for each in self.driver.held():
                if self.fits(move, node, each, state, names):
                    self.let_go(each, move, state, names)
            return next((each for each in self._seen() if each.point == move.until and node in (None, each.node)), None)

        self._comes(found, move.until, node, seconds)

    def let_go(self, arrival: Arrival, move: Move, state: State, names: Mapping[str, Any]) -> None:
        bound = self._bound(names, arrival)
        changes = {path: to_python(each.value(state, bound, raw=True)) for path, each in move.changes.items()}
        self.driver.release(arrival, changes)
        self.moved.append(released(arrival, move))

    def fits(self, move: Move, node: Node | None, each: Arrival, state: State, names: Mapping[str, Any]) -> bool:
        """Whether an actor is where the move begins, or what it waits for."""
        return (
            each.point == move.name
            and node in (None, each.node)
            and self._is_true(move.where, state, self._bound(names, each))
        )

    def _held(self, move: Move, node: Node | None, state: State, names: Mapping[str, Any], seconds: float) -> Arrival:
        """The first actor that is held where the move begins."""

        def found() -> Arrival | None:
            return next((each for each in self.driver.held() if self.fits(move, node, each, state, names)), None)

        condition = f" with {move.where.text}" if move.where is not None else ""
        where = f" on {node}" if node is not None else ""
        return self._until(found, seconds, f"nothing is held at {move.name}{where}{condition}", node)

    def _await(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        node = self.node_of(move.on, state, names)

        def found() -> Arrival | None:
            return next((each for each in self._seen() if self.fits(move, node, each, state, names)), None)

        self._comes(found, move.name, node, seconds)

    def _comes(self, found: Callable[[], Arrival | None], point: str, node: Node | None, seconds: float) -> None:
        where = f" on {node}" if node is not None else ""
        arrival = self._until(found, seconds, f"nothing comes to {point}{where}", node)
        self.moved.append(Moved("await", arrival.node, f"{arrival.actor} is at {arrival.point}"))

    def _seen(self) -> tuple[Arrival, ...]:
        """Who has come in this action, and who has been there before."""
        return (*self._new_arrivals(), *self.driver.held())

    def _fault(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        node = self.node_of(move.on, state, names)
        details = {name: to_python(each.value(state, names, raw=True)) for name, each in move.details.items()}
        with self.mapping.specification.world.active():
            for name, each in move.details.items():
                value = each.value(state, names, raw=True)
                if node_name(value) in self.mapping.nodes:
                    details[name] = node_name(value)
        if move.where is not None or move.name in ("drop", "duplicate"):
            details["arrival"] = self._held_for(move, node, state, names, seconds)
        self.driver.fault(move.name, node, details)
        self.moved.append(faulted(move.name, node, details))

    def _held_for(
        self, move: Move, node: Node | None, state: State, names: Mapping[str, Any], seconds: float
    ) -> Arrival:
        """What a fault is to hit."""

        def found() -> Arrival | None:
            return next(
                (
                    each
                    for each in self.driver.held()
                    if node in (None, each.node) and self._is_true(move.where, state, self._bound(names, each))
                ),
                None,
            )

        return self._until(found, seconds, f"nothing is held that could be hit by `{move.name}`", node)

    def _call(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        node = self.node_of(move.on, state, names)
        arguments = {name: to_python(each.value(state, names, raw=True)) for name, each in move.details.items()}
        assert node is not None  # the mapping was read
        self.driver.call(move.name, node, arguments)
        self.moved.append(Moved("call", node, f"{move.name} {arguments or ''}".strip()))

    def _open(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        node = self.node_of(move.on, state, names)
        self.driver.open(move.points, node)
        self._opened.append((move.points, node))

    def _hold(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        self.driver.hold(move.points, self.node_of(move.on, state, names))

    def _do(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        own = {name: each.value(state, names, raw=True) for name, each in move.details.items()}
        for each in self.mapping.moves[move.name]:
            self._with_all(each, state, {**own, "after": names.get("after", {})}, seconds)

    def _settle(self, move: Move, state: State, names: Mapping[str, Any], seconds: float) -> None:
        began = time.monotonic()
        self.driver.settle(seconds)
        self.waited += time.monotonic() - began
        self.take_in(0.0)

    # --------------------------------------------------------------------------------------------------------- waiting

    def _arrived(self, fits: Callable[[Arrival], bool], seconds: float, message: str, node: Node | None) -> Arrival:
        def found() -> Arrival | None:
            return next((each for each in self._new_arrivals() if fits(each)), None)

        return self._until(found, seconds, message, node)

    def _new_arrivals(self) -> Iterator[Arrival]:
        """Of this action, oldest first."""
        start = len(self.arrivals)
        while start > 0 and self.arrivals[start - 1].number >= self._since:
            start -= 1
        return iter(self.arrivals[start:])

    def _until(self, found: Callable[[], Arrival | None], seconds: float, message: str, node: Node | None) -> Arrival:
        deadline = time.monotonic() + seconds
        while True:
            arrival = found()
            if arrival is not None:
                return arrival
            left = deadline - time.monotonic()
            if self.driver.instant:
                raise NeverCame(message, node)
            if left <= 0:
                raise NeverCame(f"{message} within {seconds:g} s", node)
            began = time.monotonic()
            self.take_in(min(left, 0.25))
            self.waited += time.monotonic() - began

    def take_in(self, seconds: float) -> None:
        """What has happened so far; waits for the first so long. Raises `SystemFailed`."""
        happened = self.driver.next(seconds)
        while happened is not None:
            if isinstance(happened, Arrival):
                self.arrivals.append(happened)
            else:
                self.failures.append(happened)
                if not self.tolerant:
                    raise SystemFailed(happened)
            happened = self.driver.next(0.0)

    def _bound(self, names: Mapping[str, Any], arrival: Arrival) -> dict[str, Any]:
        """A program may have nodes that are none of the model's."""
        node = self.mapping.node_values.get(arrival.node, arrival.node)
        return {**names, **arrival.bindings, "node": node}

    def _is_true(self, formula: Formula | None, state: State, names: Mapping[str, Any]) -> bool:
        """What has no value, as it is about other things than what has come, is not meant."""
        if formula is None:
            return True
        try:
            return formula.value(state, names) is True
        except SourceError:
            return False

    def forget(self) -> None:
        self.arrivals.clear()
        self.failures.clear()
        self._opened.clear()
        self._since = 0


_PERFORM: dict[str, Callable[[Mover, Move, State, Mapping[str, Any], float], None]] = {
    "release": Mover._release,
    "await": Mover._await,
    "fault": Mover._fault,
    "call": Mover._call,
    "open": Mover._open,
    "hold": Mover._hold,
    "settle": Mover._settle,
    "do": Mover._do,
}
