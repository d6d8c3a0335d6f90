"""Exceptions from outside: thrown where a thread is held, or by the interruption of one that waits."""

from __future__ import annotations

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.calls import CallFailed
from gristmill.replay.jvm.classes import Field, LoadedMethod
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.tasks import Task, ask, together
from gristmill.replay.jvm.wire import Command, Location, Ref

_TRIES = 4
_LOOKS = 50  # at a mark that is not there yet


def throw(machine: Machine, thread: int, class_name: str) -> Task[None]:
    """An exception of this class comes up where the thread is held, as soon as it goes on. Raises `CallFailed`.

    To stop a thread with an exception also marks it as interrupted, which would end its next wait, long after the
    exception: the mark is taken away. It is a field of the thread since Java 14; before, it cannot be reached from
    outside. And a thread that stands still at an event is stopped, and marked, only as it goes on, unless it has come
    to another event since: so it comes to one while it makes the exception. That is not always so; then the exception
    comes up while the next one is made, and is forgotten, with its mark.
    """
    pack = machine.pack
    for _ in range(_TRIES):
        made = yield from _made(machine, thread, class_name)
        yield from _forget_interrupts(machine, thread)
        if made is None:
            continue
        yield from ask(Command(protocol.THREAD_STOP, pack.object_id(thread) + pack.object_id(made.id)))
        mark = yield from _mark(machine)
        if mark is None or (yield from _is_unmarked(machine, thread, mark)):
            return
    raise CallFailed(f"a {class_name} could not be thrown")


def _made(machine: Machine, thread: int, class_name: str) -> Task[Ref | None]:
    """The exception, made by the thread. None if another one came up meanwhile."""
    pack = machine.pack
    found = yield from machine.classes.named(class_name)
    if not found:
        raise CallFailed(f"there is no class {class_name}, or nothing has used it yet")
    of = found[0]
    methods = yield from machine.classes.methods(of.id)
    constructor = next((each for each in methods if _makes_it(each)), None)
    if constructor is None:
        raise CallFailed(f"{class_name} cannot be made without arguments")
    data = pack.type_id(of.id) + pack.object_id(thread) + pack.method_id(constructor.id)
    data += pack.number(0) + pack.number(protocol.INVOKE_SINGLE_THREADED)
    request = yield from _event_at(machine, thread, "java.lang.Throwable", "fillInStackTrace")
    machine.calls.calling.add(thread)  # whatever happens in the constructor must not hold it
    try:
        reply = yield from ask(Command(protocol.CLASS_NEW_INSTANCE, data))
    finally:
        machine.calls.calling.discard(thread)
        if request is not None:
            yield from ask(machine.requests.no_longer(protocol.BREAKPOINT, request))
    made = reply.value()
    return made if isinstance(made, Ref) else None


def _forget_interrupts(machine: Machine, thread: int) -> Task[None]:
    """A mark that the machine keeps aside while the thread stands still comes back at an event, and is taken away."""
    for of in (yield from machine.classes.named("java.lang.Thread")):
        request = yield from _event_at(machine, thread, "java.lang.Thread", "interrupted")
        try:
            yield from machine.calls.static(of, "interrupted", thread)
        finally:
            if request is not None:
                yield from ask(machine.requests.no_longer(protocol.BREAKPOINT, request))


def _event_at(machine: Machine, thread: int, class_name: str, name: str) -> Task[int | None]:
    """Where a method without parameters begins. Tells the number of the request."""
    for of in (yield from machine.classes.named(class_name)):
        for method in (yield from machine.classes.methods(of.id)):
            if method.header.name == name and method.header.descriptor.startswith("()"):
                where = Location(of.kind, of.id, method.id, 0)
                reply = yield from ask(machine.requests.breakpoint(where, thread))
                return reply.number()
    return None


def _mark(machine: Machine) -> Task[Field | None]:
    found = yield from machine.classes.named("java.lang.Thread")
    mark = found[0].fields.get("interrupted") if found else None
    return mark if mark is not None and mark.descriptor == "Z" else None


def _is_unmarked(machine: Machine, thread: int, mark: Field) -> Task[bool]:
    """Take the mark away. False if it does not come: the thread is not stopped yet."""
    pack = machine.pack
    where = pack.object_id(thread) + pack.number(1) + pack.field_id(mark.id)
    for _ in range(_LOOKS):
        reply = yield from ask(Command(protocol.OBJECT_GET_VALUES, where))
        reply.number()
        if reply.value() is True:
            yield from ask(Command(protocol.OBJECT_SET_VALUES, where + b"\0"))
            return True
    return False


def _makes_it(method: LoadedMethod) -> bool:
    return method.header.name == "<init>" and method.header.descriptor == "()V"


def interrupt(machine: Machine, name: str) -> Task[int]:
    """Interrupts every thread whose name begins like this; tells how many there were."""
    pack = machine.pack
    reply = yield from ask(Command(protocol.VM_ALL_THREADS))
    threads = [reply.object_id() for _ in range(reply.number())]
    names = yield from together(machine.threads.name(each) for each in threads)
    chosen = [thread for thread, own in zip(threads, names, strict=True) if own.startswith(name)]
    for thread in chosen:
        yield from ask(Command(protocol.THREAD_INTERRUPT, pack.object_id(thread)))
    return len(chosen)
