"""The driver `network`: nodes are processes, actors are messages on their way between them.

All links of the cluster go through our tap (`tap`). A message that a point of the mapping names is held there; when it
is released, it is delivered. What no point names goes on at once. All decisions are made in the coordinator's thread
(`attend`), so that conditions of the mapping are evaluated there and nowhere else.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Collection, Mapping, Sequence
from itertools import permutations, product
from pathlib import Path
from typing import Any

from gristmill.replay.driver import Arrival, Driver, DriverError, Failure, Node, Occurrence, Reading, Resolved, Setup
from gristmill.replay.network.background import Background
from gristmill.replay.network.clients import Clients
from gristmill.replay.network.faults import Faults
from gristmill.replay.network.holding import Holding
from gristmill.replay.network.letters import Letter
from gristmill.replay.network.observing import Observer, check
from gristmill.replay.network.points import MessagePoint
from gristmill.replay.network.rest import Rest
from gristmill.replay.network.settings import settings_of
from gristmill.replay.network.tap import Tap
from gristmill.systems.decoders import DecodingError
from gristmill.systems.running.ports import HOST
from gristmill.systems.running.processes import Processes

_DELIVERY_SECONDS = 10.0
_BETWEEN_LOOKS_AT_PROCESSES = 0.05


class NetworkDriver(Driver):
    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.settings = settings_of(setup)
        for reading in setup.readings:
            check(reading)
        self.processes = Processes(setup)
        self.background = Background()
        self.tap = Tap(self.settings, self.processes.port)
        self.holding = Holding([MessagePoint(each) for each in setup.points], setup.nodes, self._go_on, self._lose)
        self.clients = Clients(setup, self.processes, self.background)
        self.rest = Rest(setup.nodes, self.processes, self.background, self.tap, self.settings.pause_idle)
        self.faults = Faults(self)

    def start(self) -> None:
        self._check_points()
        self.tap.down.update(self.setup.nodes)
        self.processes.begin(self._listen)

    def _listen(self) -> None:
        """Before files are written, as they may have our ports in them."""
        for node in self.setup.nodes:
            for ours, real in self.settings.taps.items():
                port = self.processes.port(node, ours)
                self.tap.names.addresses[f"{HOST}:{port}"] = node
                self.background.run(self.tap.listen(port, node, real))
        for source, destination in product(self.setup.nodes, self.setup.nodes):
            for real in self.settings.links:
                port = self.processes.port(source, real) if source == destination else self.processes.free_port()
                self.processes.names.setdefault(source, {})[f"link.{real}.{destination}"] = str(port)
                if source != destination:
                    self.background.run(self.tap.listen(port, destination, real, source))

    def _pairs(self) -> list[tuple[Node, Node]]:
        return list(permutations(self.setup.nodes, 2))

    def _check_points(self) -> None:
        for point in self.holding.points:
            problem = point.problem(self.settings.decoder)
            if problem is not None:
                raise DriverError(f"point {point.point.name}: {problem[0]}", problem[1], point.point.span)

    def stop(self) -> None:
        try:
            self.processes.end()
        finally:
            if self.background.thread.is_alive():
                with contextlib.suppress(DriverError):
                    self.background.run(self.tap.end())
                self.background.end()

    def reset(self) -> None:
        """Nodes end, and what they have written goes; ports and taps stay."""
        self.processes.clear()
        self.rest.paused.clear()
        self.clients.forget()
        self.background.run(self.tap.forget())
        self.tap.down.update(self.setup.nodes)
        self.holding.forget()

    def folder(self, node: Node) -> Path | None:
        return self.processes.folder(node)

    def points(self) -> list[Resolved]:
        links = [f"{source} -> {destination}" for source, destination in self._pairs()]
        return [each.resolved(self.settings.decoder, links) for each in self.holding.points]

    # ------------------------------------------------------------------------------------------------------- holding

    def hold(self, points: Collection[str], node: Node | None = None) -> None:
        self.holding.close(points, node)

    def open(self, points: Collection[str], node: Node | None = None) -> None:
        for arrival in self.holding.open(points, node):
            self._go_on(self.holding.taken(arrival))

    def held(self) -> list[Arrival]:
        self.attend()
        return self.holding.held(self.tap.waits)

    def release(self, arrival: Arrival, changes: Mapping[str, Any] | None = None) -> None:
        self.attend()
        letter = self.holding.taken(arrival)
        wire = self._changed(letter, changes) if changes else None
        if letter.destination in self.setup.nodes and not self.processes.running(letter.destination):
            raise DriverError(f"{letter} cannot be delivered: node {letter.destination} is not running")
        if (letter.source, letter.destination) in self.tap.cut:
            raise DriverError(f"{letter} cannot be delivered: the link is cut")
        self._deliver(letter, wire, wait=True)

    def _changed(self, letter: Letter, changes: Mapping[str, Any]) -> bytes:
        if letter.piece.encode is None or letter.piece.record is None:
            raise DriverError(f"{letter}: a {letter.kind} cannot be changed on its way")
        known = {name: self.tap.names.of_protocol(each) for name, each in changes.items()}
        try:
            return letter.piece.encode({**letter.piece.record, **known})
        except (DecodingError, KeyError, ValueError, TypeError) as error:
            raise DriverError(f"{letter}: it cannot be changed in this way: {error}") from None

    def _go_on(self, letter: Letter) -> None:
        self._deliver(letter, None, wait=False)

    def _deliver(self, letter: Letter, wire: bytes | None, wait: bool) -> None:
        listens = self.rest.wake(letter.destination)
        if not (wait and listens):
            self.background.do(lambda: self.tap.post(letter, wire))
            return
        what = f"the delivery of {letter} ({letter.kind})"
        problem = self.background.run(self.tap.deliver(letter, wire), _DELIVERY_SECONDS, what)
        if problem is not None:
            log = self.processes.log_tail(letter.destination)
            raise DriverError(f"{letter} ({letter.kind}) was not delivered: {problem}", log=log)

    def lose(self, arrival: Arrival) -> None:
        self._lose(self.holding.taken(arrival))

    def _lose(self, letter: Letter) -> None:
        self.background.do(lambda: self.tap.lose(letter))

    def attend(self) -> bool:
        """Decide about the messages that have come. Tells whether some had."""
        letters = self.tap.inbox.take()
        for letter in letters:
            self.holding.judge(letter)
        return bool(letters)

    def next(self, seconds: float) -> Occurrence | None:
        deadline = time.monotonic() + seconds
        while True:
            self.attend()
            if not self.holding.told:
                self._look_for_failures()
            if self.holding.told:
                return self.holding.told.popleft()
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self.tap.inbox.wait(min(left, _BETWEEN_LOOKS_AT_PROCESSES))

    def _look_for_failures(self) -> None:
        for failure in self.processes.failures():
            self.holding.told.append(failure)
            if failure.kind == "exit" and failure.node is not None:
                self.background.do(lambda node=failure.node: self.tap.gone(node))  # type: ignore[misc]
        problems, self.tap.problems = self.tap.problems, []
        self.holding.told += [Failure(None, "log", f"a message was not understood: {each}") for each in problems]

    def settle(self, seconds: float) -> bool:
        settled = self.rest.settle(seconds, self.attend)
        self._look_for_failures()
        return settled

    # --------------------------------------------------------------------------------------------- looking and acting

    def observe(self, node: Node, readings: Sequence[Reading]) -> dict[str, Any]:
        slept = self.processes.running(node) and self.processes.is_paused(node) and node not in self.rest.paused
        if any("http" in each.how for each in readings):
            self.rest.wake(node)
        self.attend()
        observer = Observer(node, self.tap, self.holding, self.processes, self.background, self.clients)
        try:
            return {reading.name: observer.value(reading) for reading in readings}
        finally:
            if slept and self.processes.running(node):
                self.processes.pause(node)
                self.rest.wait_until_stopped(node)

    def fault(self, kind: str, node: Node | None = None, details: Mapping[str, Any] | None = None) -> None:
        self.faults.do(kind, node, details or {})

    def call(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        if not self.processes.running(node):
            raise DriverError(f"{operation} cannot be called: node {node} is not running")
        self.rest.wake(node)
        self.clients.begin(operation, node, arguments)

    def running(self, node: Node) -> bool:
        return self.processes.running(node)

    def doing(self) -> list[str]:
        lines = [f"node {each} is {self._state(each)}" for each in self.setup.nodes]
        for source, destination in self._pairs():
            waiting = [each.bindings["kind"] for each in self.holding.on_the_way(source, destination)]
            cut = (source, destination) in self.tap.cut
            if waiting or cut:
                said = f"{len(waiting)} on their way ({', '.join(waiting)})" if waiting else "nothing on its way"
                lines.append(f"{source} -> {destination}: {said}" + (", cut" if cut else ""))
        return lines + self.clients.waiting()

    def kinds(self) -> tuple[str, ...]:
        return tuple(self.faults.kinds)

    # ------------------------------------------------------------------------------------------------------ knowledge

    def _state(self, node: Node) -> str:
        if not self.processes.running(node):
            return "down"
        return "paused" if self.processes.is_paused(node) else "running"

    def listens(self, node: Node, port: str) -> bool:
        with socket.socket() as trial:
            trial.settimeout(1.0)
            return trial.connect_ex((HOST, self.processes.port(node, port))) == 0

    def sent(self, node: Node, kind: str | None) -> list[int]:
        """Something that changes when the node has sent a message, of that kind if there is one."""
        return [id(record) for name, record in list(self.tap.newest[node].items()) if kind in (None, name)]
