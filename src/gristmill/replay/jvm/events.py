"""Events of a machine, and requests for them. Only the thread of the event is suspended, never the whole machine."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.wire import Command, Location, Packer, Ref, Reply


class Breakpoint(NamedTuple):
    request: int
    thread: int
    location: Location


class Thrown(NamedTuple):
    """An exception, where it is thrown."""

    request: int
    thread: int
    location: Location
    exception: Ref


class Prepared(NamedTuple):
    """A class has been loaded, and none of its code has run."""

    request: int
    thread: int
    kind: int
    type: int
    descriptor: str


class Started(NamedTuple):
    """The machine itself. It waits until it is resumed as a whole."""

    request: int
    thread: int


class Dead(NamedTuple):
    request: int
    thread: int = 0


Event: TypeAlias = Breakpoint | Thrown | Prepared | Started | Dead


class Happened(NamedTuple):
    """What has happened at once, in one thread, which is suspended once for all of it, or has been resumed already."""

    suspended: bool
    events: list[Event]

    @property
    def thread(self) -> int:
        return self.events[0].thread if self.events else 0


def decode(reply: Reply) -> Happened:
    policy, count = reply.byte(), reply.number()
    return Happened(policy != protocol.SUSPEND_NONE, [_event(reply) for _ in range(count)])


def _event(reply: Reply) -> Event:
    kind, request = reply.byte(), reply.number()
    if kind == protocol.VM_DEATH:
        return Dead(request)
    thread = reply.object_id()
    if kind == protocol.BREAKPOINT:
        return Breakpoint(request, thread, reply.location())
    if kind == protocol.VM_START:
        return Started(request, thread)
    if kind == protocol.CLASS_PREPARE:
        prepared = Prepared(request, thread, reply.byte(), reply.type_id(), reply.text())
        reply.number()  # its status
        return prepared
    if kind == protocol.EXCEPTION:
        location, exception = reply.location(), reply.value()
        reply.location()  # where it is caught
        assert isinstance(exception, Ref)
        return Thrown(request, thread, location, exception)
    raise ValueError(f"an event of the kind {kind} was not asked for")


class Requests:
    """Commands that ask for events."""

    def __init__(self, pack: Packer) -> None:
        self._pack = pack

    def breakpoint(self, location: Location, thread: int | None = None) -> Command:
        """Of one thread, or of all."""
        only = [(protocol.ONLY_LOCATION, self._pack.location(location))]
        if thread is not None:
            only.append((protocol.ONLY_THREAD, self._pack.object_id(thread)))
        return self._set(protocol.BREAKPOINT, *only)

    def prepared(self, class_name: str) -> Command:
        """When a class of this name, with dots, is loaded."""
        return self._set(protocol.CLASS_PREPARE, (protocol.ONLY_CLASS_MATCH, self._pack.text(class_name)))

    def thrown(self, type: int) -> Command:
        """Exceptions of a class and of those derived from it, whether they are caught or not."""
        return self._set(protocol.EXCEPTION, (protocol.ONLY_EXCEPTION, self._pack.type_id(type) + b"\1\1"))

    def no_longer(self, kind: int, request: int) -> Command:
        return Command(protocol.EVENT_CLEAR, self._pack.byte(kind) + self._pack.number(request))

    def _set(self, kind: int, *only: tuple[int, bytes]) -> Command:
        narrowed = self._pack.number(len(only)) + b"".join(self._pack.byte(how) + what for how, what in only)
        data = self._pack.byte(kind) + self._pack.byte(protocol.SUSPEND_EVENT_THREAD) + narrowed
        return Command(protocol.EVENT_SET, data)
