"""Exceptions that are failures: those that nothing catches, and those that the mapping names."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from gristmill.replay.driver import Failure, Node
from gristmill.replay.jvm.calls import CallFailed
from gristmill.replay.jvm.classes import Loaded
from gristmill.replay.jvm.classfile import Variable
from gristmill.replay.jvm.events import Breakpoint, Thrown
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.settings import Settings
from gristmill.replay.jvm.tasks import Task, ask, together
from gristmill.replay.jvm.threads import Call
from gristmill.replay.jvm.wire import Location, Ref

# What the machine calls when a thread ends by an exception. Events of exceptions that seem uncaught would also tell of
# those that the machine itself catches, such as when a class is looked for.
_THREAD, _DISPATCH = "java.lang.Thread", "dispatchUncaughtException"
_ARGUMENT = Variable("e", "Ljava/lang/Throwable;", 1, 0, 1)


class Exceptions:
    def __init__(self, machine: Machine, settings: Settings) -> None:
        self._machine, self._settings = machine, settings
        self.uncaught: set[Location] = set()
        self._told: set[int] = set()  # each exception once, however often it is thrown again

    def begin(self) -> None:
        machine = self._machine
        for of in machine.run(machine.classes.named(_THREAD)):
            for method in machine.run(machine.classes.methods(of.id)):
                if method.header.name == _DISPATCH:
                    location = Location(of.kind, of.id, method.id, 0)
                    self.uncaught.add(location)
                    machine.run(ask(machine.requests.breakpoint(location)))
        for reply in machine.connection.ask([machine.requests.prepared(name) for name in self._settings.exceptions]):
            reply.checked()
        for name in self._settings.exceptions:
            for of in machine.run(machine.classes.named(name)):
                self.loaded(of)

    def loaded(self, of: Loaded) -> None:
        if of.name in self._settings.exceptions:
            self._machine.run(ask(self._machine.requests.thrown(of.id)))

    def failure(self, event: Thrown | Breakpoint, node: Node) -> Failure | None:
        """What an event has to tell: of an exception that was thrown, or of one that was not caught."""
        task = self._uncaught(event.thread) if isinstance(event, Breakpoint) else self._thrown(event)
        found = self._machine.run(task)
        return None if found is None else Failure(node, "exception", found[0], found[1])

    def _uncaught(self, thread: int) -> Task[tuple[str, str] | None]:
        (frame, *_) = yield from self._machine.threads.frames(thread)
        (exception,) = yield from self._machine.threads.locals(thread, frame.id, [_ARGUMENT])
        if not isinstance(exception, Ref) or not self._is_new(exception):
            return None
        name = yield from self._machine.threads.name(thread)
        text = yield from self._machine.calls.exception_text(exception)
        trace = yield from self._trace(exception, thread)
        return f"{text}: nothing catches it, and thread {name} ends", _log(text, trace)

    def _thrown(self, event: Thrown) -> Task[tuple[str, str] | None]:
        threads = self._machine.threads
        stack = yield from threads.stack((yield from threads.frames(event.thread)))
        own = next((call for call in stack if not call.of_the_jdk), None)
        if own is None or not any(fnmatch.fnmatchcase(own.class_name, each) for each in self._settings.exceptions_in):
            return None
        if not self._is_new(event.exception):
            return None
        name = yield from threads.name(event.thread)
        text = yield from self._machine.calls.exception_text(event.exception)
        return f"{text}, thrown at {own} by thread {name}", _log(text, stack)

    def _is_new(self, exception: Ref) -> bool:
        new = exception.id not in self._told
        self._told.add(exception.id)
        return new

    def _trace(self, exception: Ref, thread: int) -> Task[list[Call]]:
        """Where it was thrown, which it remembers itself."""
        try:
            trace = yield from self._machine.calls.method(exception, "getStackTrace", thread)
        except CallFailed:
            return []
        elements = (yield from self._machine.objects.elements(trace)) if isinstance(trace, Ref) else []
        return (yield from together(self._element(each) for each in elements if isinstance(each, Ref)))

    def _element(self, element: Ref) -> Task[Call]:
        names = ("declaringClass", "methodName", "lineNumber")
        class_name, method, line = yield from self._machine.objects.named(element, *names)
        texts = [each for each in (class_name, method) if isinstance(each, Ref)]
        of, name = yield from together(self._machine.objects.text(each) for each in texts)
        return Call(of, name, line if isinstance(line, int) else 0)


def _log(text: str, stack: Sequence[Call]) -> str:
    return "\n".join([text, *(f"    at {call.class_name}.{call.method}:{call.line}" for call in stack)])
