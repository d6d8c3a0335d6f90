"""One life of a node: attached to its machine from its start to its end. A thread of its own deals with its events."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from gristmill.replay.driver import DriverError, Node
from gristmill.replay.jvm.arming import Armed, Arming
from gristmill.replay.jvm.connection import Disconnected, NoAnswer
from gristmill.replay.jvm.events import Breakpoint, Event, Happened, Prepared, Thrown
from gristmill.replay.jvm.exceptions import Exceptions
from gristmill.replay.jvm.gates import Gates, Held
from gristmill.replay.jvm.helper import Helper
from gristmill.replay.jvm.here import starts
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.paths import PathError
from gristmill.replay.jvm.protocol import VM_DEAD
from gristmill.replay.jvm.reading import Reading, Start
from gristmill.replay.jvm.settings import Settings
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.watched import Watched
from gristmill.replay.jvm.wire import JdwpError, Location

_START_SECONDS = 20.0


class Session:
    """`over`: the node is gone, or is about to go; nothing of it counts any more."""

    def __init__(self, node: Node, machine: Machine, settings: Settings, gates: Gates, lock: threading.Lock) -> None:
        self.node, self.machine, self.settings, self.gates = node, machine, settings, gates
        self.over = False
        self._lock = lock  # of conditions, which are asked one at a time
        self._dealt_with = 0  # events, of those that the machine has told
        self._actors: dict[int, str] = {}
        by_class: dict[str, list[Watched]] = {}
        for each in settings.points:
            by_class.setdefault(each.place.class_name, []).append(each)
        self.arming = Arming(machine, by_class, settings.aliases, self._problem)
        self.exceptions = Exceptions(machine, settings)
        self.helper = Helper(machine)
        self._thread = threading.Thread(target=self._attend, name=f"jvm-{node}", daemon=True)

    # ----------------------------------------------------------------------------------------------- beginning and end

    def begin(self) -> None:
        """Set what is to be set, and let the machine run. Raises `Disconnected`, `NoAnswer`, `JdwpError`."""
        self.machine.wait_for_start(_START_SECONDS)
        self.arming.request(list(self.arming.points))
        self.exceptions.begin()
        self._thread.start()
        self.machine.resume_all()

    def end(self, heard: bool = False) -> None:
        """`heard`: what it has done is still to be told, as it has ended by itself."""
        self.gates.forget(self, heard)
        self.machine.close()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(10.0)

    def _problem(self, watched: Watched, error: DriverError) -> None:
        if watched.point.options.get("optional") is not True:
            self.gates.fail(self, error)

    # ---------------------------------------------------------------------------------------------------------- events

    def _attend(self) -> None:
        while True:
            happened = self.machine.happened.get()
            if happened is None:
                self.gates.wake()
                return
            try:
                self._take(happened)
            except (Disconnected, NoAnswer) as error:
                if not self.over and not self.machine.connection.ended:
                    self.gates.fail(self, DriverError(f"node {self.node}: {error}"))
            except JdwpError as error:
                if error.code != VM_DEAD:  # its end is told by the process
                    self.gates.fail(self, DriverError(f"node {self.node}: {error}"))
            except Exception as error:  # a mistake in a condition: told in the coordinator's thread
                self.gates.fail(self, error)
            finally:
                self._dealt_with += 1

    def has_nothing_to_do(self) -> bool:
        """Whether all events have been dealt with: until then, threads stand still only because of us."""
        return self.machine.catch_up() == self._dealt_with

    def _take(self, happened: Happened) -> None:
        stays = False
        try:
            for event in happened.events:
                stays = self._event(event, happened.suspended) or stays
        finally:
            if happened.suspended and not stays:
                self._let_go(happened.thread)

    def _event(self, event: Event, suspended: bool) -> bool:
        """Tells whether the thread stays where it is."""
        if isinstance(event, Prepared):
            of = self.machine.run(self.machine.classes.loaded(event.kind, event.type))
            self.machine.classes.forget_name(of.name)
            self.arming.arm(of)
            self.exceptions.loaded(of)
            if suspended:
                self.helper.make(event.thread)
        elif isinstance(event, Thrown):
            self._exception(event)
        elif isinstance(event, Breakpoint):
            if self.helper.is_here(event):
                return True
            if event.location in self.exceptions.uncaught:
                self._exception(event)
            self.helper.make(event.thread)
            return self._pass(event.thread, event.location, 0)
        return False

    def _exception(self, event: Thrown | Breakpoint) -> None:
        failure = self.exceptions.failure(event, self.node)
        if failure is not None:
            self.gates.fail(self, failure)

    def _pass(self, thread: int, location: Location, first: int) -> bool:
        """Come to the points of a place, one after the other. Tells whether the thread is held at one of them."""
        armed = self.arming.armed.get(location, [])
        for number, each in enumerate(armed[first:], first + 1):
            bound = self.bindings(each, thread)
            with self._lock:
                meant = each.watched.point.accepts(self.node, bound)
            if meant and self.gates.arrive(self, each, thread, location, number, self._actor(thread), bound):
                return True
        return False

    def _let_go(self, thread: int) -> None:
        try:
            self.machine.resume(thread)
        except JdwpError:
            return  # the thread has ended

    def go_on(self, held: Held, elsewhere: bool = False) -> None:
        """A thread that was held: to the next point of the same place, or on. Raises what `_pass` does.

        `elsewhere`: it does not go on from where it is held.
        """
        stays = False
        try:
            if not elsewhere and held.following < len(self.arming.armed[held.location]):
                stays = self._pass(held.thread, held.location, held.following)
        finally:
            if not stays:
                self._let_go(held.thread)

    # --------------------------------------------------------------------------------------------------------- reading

    def bindings(self, armed: Armed, thread: int) -> dict[str, Any]:
        """Raises `DriverError` for paths that cannot be followed."""
        return self.machine.run(self._bindings(armed, thread))

    def _bindings(self, armed: Armed, thread: int) -> Task[dict[str, Any]]:
        watched = armed.watched
        if not watched.binds:
            return {}
        found = yield from self.starts(armed, thread, watched.beginnings)
        reading = self.reading(thread)
        try:
            values = yield from together(reading.first_of(paths, found) for paths in watched.binds.values())
        except PathError as error:
            raise DriverError(f"point {watched.point.name}: {error.message}", error.help, watched.point.span) from None
        return dict(zip(watched.binds, values, strict=True))

    def starts(self, armed: Armed, thread: int, wanted: frozenset[str]) -> Task[Mapping[str, Start]]:
        absent: dict[str, Start] = dict.fromkeys(armed.absent)
        return absent | (yield from starts(self.machine.threads, thread, armed.spot.variables, wanted))

    def calling_thread(self, held: Iterable[Held]) -> int | None:
        """One that can call methods: of somebody who is held, as it has locks that another would wait for; or ours."""
        own = [each.thread for each in held if each.session is self]
        threads = own if self.helper.thread is None else [*own, self.helper.thread]
        return next((each for each in threads if not self.machine.calls.is_busy(each)), None)

    def reading(self, thread: int | None = None) -> Reading:
        return self.machine.reading(self.settings.aliases, self.settings.class_path.has, thread)

    def _actor(self, thread: int) -> str:
        """The name that a thread had when it was first seen; another thread of the same name gets a number."""
        if thread not in self._actors:
            name = self.machine.run(self.machine.threads.name(thread))
            same = sum(each == name or each.startswith(f"{name} #") for each in self._actors.values())
            self._actors[thread] = f"{name} #{same + 1}" if same else name
        return self._actors[thread]
