"""The driver `jvm`: nodes are Java virtual machines, actors are their threads. `settings` has what a mapping says."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from gristmill.replay.driver import Arrival, Driver, DriverError, Node, Occurrence, Reading, Resolved, Setup
from gristmill.replay.jvm.attaching import AGENT, attach, check_port
from gristmill.replay.jvm.calls import CallFailed
from gristmill.replay.jvm.clients import Clients
from gristmill.replay.jvm.connection import Disconnected, NoAnswer
from gristmill.replay.jvm.doing import doing
from gristmill.replay.jvm.faults import Faults
from gristmill.replay.jvm.gates import Gates, Held
from gristmill.replay.jvm.observing import Observing
from gristmill.replay.jvm.paths import PathError, parse_path
from gristmill.replay.jvm.quiet import QUIET, activity, is_quiet
from gristmill.replay.jvm.resolving import check, resolved
from gristmill.replay.jvm.returning import call_again, come_back
from gristmill.replay.jvm.session import Session
from gristmill.replay.jvm.setting import Setting
from gristmill.replay.jvm.settings import settings_of
from gristmill.replay.jvm.throwing import throw
from gristmill.replay.jvm.wire import JdwpError
from gristmill.systems.running.processes import Processes

THROW = "throw"  # among the changes: the class of an exception, in place of going on
RETURN = "return"  # among the changes: the method returns this value at once, in place of going on
CALL = "call"  # among the changes: the method is called "again", in place of going on
_ELSEWHERE = {THROW, RETURN, CALL}
_LOOK_AT_PROCESSES = 0.05  # seconds


class JvmDriver(Driver):
    def __init__(self, setup: Setup) -> None:
        """Raises `DriverError` if the mapping is wrong."""
        self.setup, self.settings = setup, settings_of(setup)
        self.observing = Observing(setup.readings)
        self.processes = Processes(setup)
        self.processes.values["classpath"] = self.settings.path_text
        self.clients = Clients(setup, self.processes)
        self.gates = Gates()
        self.faults = Faults(self)
        self._sessions: dict[Node, Session] = {}
        self._conditions = threading.Lock()
        self._looked = 0.0

    # ----------------------------------------------------------------------------------------------- beginning and end

    def start(self) -> None:
        check(self.settings)
        self.processes.begin()

    def stop(self) -> None:
        for session in self._sessions.values():
            self.gates.forget(session)
        try:
            self.clients.end()
        finally:
            try:
                self.processes.end()
            finally:
                self._end_sessions()
                self.gates.clear()

    def reset(self) -> None:
        """With the same ports, and new folders."""
        for session in self._sessions.values():
            self.gates.forget(session)
        self.clients.end()
        self.processes.clear()
        self._end_sessions()
        self.gates.clear()

    def _end_sessions(self) -> None:
        for session in self._sessions.values():
            session.end()
        self._sessions.clear()

    def points(self) -> list[Resolved]:
        return resolved(self.settings, list(self._sessions.values()))

    # --------------------------------------------------------------------------------------------------------- holding

    def hold(self, points: Collection[str], node: Node | None = None) -> None:
        self.gates.close(points, self.setup.nodes if node is None else [node])

    def open(self, points: Collection[str], node: Node | None = None) -> None:
        for each in self.gates.open(points, self.setup.nodes if node is None else [node]):
            with contextlib.suppress(Disconnected):  # a node that has just ended holds nothing
                each.session.go_on(each)

    def held(self) -> list[Arrival]:
        return [each.arrival for each in self.gates.held()]

    def held_at(self, arrival: Arrival) -> Held:
        """Raises `DriverError` if it is not held any more."""
        held = self.gates.find(arrival)
        if held is None:
            why = "it has gone on" if self.running(arrival.node) else f"node {arrival.node} has ended"
            raise DriverError(f"{arrival} is not held any more: {why}", log=self._log_of_dead(arrival.node))
        if self.processes.is_paused(arrival.node):
            raise DriverError(f"node {arrival.node} is paused", "continue it first")
        if held.session.machine.calls.is_busy(held.thread):
            help = "it may wait for a lock that another held thread has: release that first"
            raise DriverError(f"{arrival} has been made to call a method that has not come back", help)
        return held

    def release(self, arrival: Arrival, changes: Mapping[str, Any] | None = None) -> None:
        held = self.held_at(arrival)
        try:
            for what, value in (changes or {}).items():
                self._change(held, what, value)
            self.gates.take(arrival)
            held.session.go_on(held, elsewhere=not _ELSEWHERE.isdisjoint(changes or ()))
        except (Disconnected, NoAnswer, JdwpError, CallFailed) as error:
            raise DriverError(f"{arrival} cannot go on: {error}", log=self._log_of_dead(arrival.node)) from None

    def _change(self, held: Held, what: str, value: Any) -> None:
        session, machine = held.session, held.session.machine
        spot = held.armed.spot
        setting = Setting(machine, session.reading(held.thread), held.thread, spot.variables)
        try:
            if what == THROW:
                machine.run(throw(machine, held.thread, str(value)))
                return
            if what == RETURN:
                machine.run(come_back(machine, setting, held.thread, spot.method.descriptor, value))
                return
            if what == CALL:
                machine.run(call_again(machine, held.thread, value))
                return
            path = parse_path(what)
            wanted = frozenset({path.first} if path.first else ())
            found = machine.run(session.starts(held.armed, held.thread, wanted))
            machine.run(setting.set(path, found, value))
        except PathError as error:
            raise DriverError(f"{held.arrival}: {error.message}", error.help) from None

    def next(self, seconds: float) -> Occurrence | None:
        deadline = time.monotonic() + seconds
        while True:
            self._look_at_processes()
            left = deadline - time.monotonic()
            found = self.gates.next(max(0.0, min(left, _LOOK_AT_PROCESSES)))
            if isinstance(found, Exception):
                raise found
            if found is not None or left <= 0:
                return found

    def _look_at_processes(self) -> None:
        """Ends of processes, and lines of their logs."""
        now = time.monotonic()
        if now - self._looked < _LOOK_AT_PROCESSES:
            return
        self._looked = now
        for failure in self.processes.failures():
            self.gates.fail(None, failure)
        for node, session in list(self._sessions.items()):
            if not self.processes.running(node):
                session.end(heard=True)
                del self._sessions[node]

    def settle(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        before = None
        while time.monotonic() < deadline:
            pids = [self.processes.pid(session.node) for session in self._awake()]
            now = activity(pid for pid in pids if pid is not None)
            still = time.monotonic() - self.gates.last_move >= QUIET and is_quiet(before, now)
            if still and all(each.has_nothing_to_do() for each in self._awake()):
                return True
            before = now
            time.sleep(QUIET)
        return False

    def _awake(self) -> list[Session]:
        return [session for node, session in self._sessions.items() if not self.processes.is_paused(node)]

    # ---------------------------------------------------------------------------------------------- looking and acting

    def observe(self, node: Node, readings: Sequence[Reading]) -> dict[str, Any]:
        if not readings:
            return {}
        session = self.session(node)
        held = [each for each in self.gates.held() if each.session is session]
        try:
            return self.observing.observe(session, readings, held)
        except (Disconnected, NoAnswer, JdwpError) as error:
            raise DriverError(f"node {node} cannot be read: {error}", log=self._log_of_dead(node)) from None

    def fault(self, kind: str, node: Node | None = None, details: Mapping[str, Any] | None = None) -> None:
        try:
            self.faults.inflict(kind, node, details or {})
        except (Disconnected, NoAnswer, JdwpError) as error:
            raise DriverError(f"{kind} of node {node}: {error}") from None

    def kinds(self) -> tuple[str, ...]:
        return tuple(self.faults.kinds)

    def call(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        self.clients.begin(operation, node, arguments)

    def running(self, node: Node) -> bool:
        return self.processes.running(node)

    def folder(self, node: Node) -> Path | None:
        return self.processes.folder(node)

    def doing(self) -> list[str]:
        lines: list[str] = []
        for node in self.setup.nodes:
            session = self._sessions.get(node)
            if session is None or not self.running(node):
                lines.append(f"{node}: not running")
            elif self.processes.is_paused(node):
                lines.append(f"{node}: paused")
            else:
                lines += doing(session, [each for each in self.gates.held() if each.session is session])
        return lines + self.clients.waiting()

    # ----------------------------------------------------------------------------------------------------------- nodes

    def session(self, node: Node) -> Session:
        """Raises `DriverError` if there is nobody to be asked."""
        session = self._sessions.get(node)
        if session is None or not self.running(node):
            raise DriverError(f"node {node} is not running", log=self._log_of_dead(node))
        if self.processes.is_paused(node):
            raise DriverError(f"node {node} is paused", "continue it first")
        return session

    def begin_node(self, node: Node) -> None:
        port = check_port(self.processes, node, self.settings.port) if not self.running(node) else 0
        old = self._sessions.pop(node, None)
        if old is not None:
            old.end()
        self.processes.start(node)
        try:
            machine = attach(self.processes, node, port)
            session = Session(node, machine, self.settings, self.gates, self._conditions)
            self._sessions[node] = session
            session.begin()
        except (Disconnected, NoAnswer, JdwpError) as error:
            log = self.processes.log_tail(node)
            self.kill(node)
            raise DriverError(
                f"node {node} does not start: {error}", f"its command must have {AGENT}", log=log
            ) from None
        except BaseException:
            self.kill(node)
            raise

    def kill(self, node: Node) -> None:
        session = self._sessions.pop(node, None)
        if session is not None:
            self.gates.forget(session)
        self.processes.kill(node)
        if session is not None:
            session.end()

    def pause(self, node: Node) -> None:
        self.session(node).machine.connection.paused = True
        self.processes.pause(node)

    def go_on(self, node: Node) -> None:
        self.processes.resume(node)
        session = self._sessions.get(node)
        if session is not None:
            session.machine.connection.paused = False

    def calling_thread(self, session: Session) -> int | None:
        """One that can call methods."""
        return session.calling_thread(self.gates.held())

    def _log_of_dead(self, node: Node) -> str:
        return "" if self.running(node) else self.processes.log_tail(node)
