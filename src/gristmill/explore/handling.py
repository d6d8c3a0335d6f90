"""The handlers of a system, each run once for what it is given, and seen to be functions of that."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from gristmill.explore import program
from gristmill.explore.analysis.effects import constant_fields
from gristmill.explore.data import Frozen, NotData, freeze, thaw
from gristmill.explore.process import Handler, Process
from gristmill.explore.program import Local, Misuse, Outcome, Problem, Program
from gristmill.explore.properties import Property
from gristmill.explore.system import System, bounds_of, unknown_names
from gristmill.search.budget.deadline import TookTooLong, call
from gristmill.search.budget.limits import LimitReached
from gristmill.source import Diagnostic, SourceError
from gristmill.source.from_here import from_here

# So many runs of each handler are repeated at once, and so many of all of them at the end, to see that they are
# functions of what they are given.
REPEATED_AT_ONCE = 20
REPEATED_AT_END = 300

Given = tuple[int, Local, str, tuple[Frozen, ...]]  # process, local state, method, arguments


class Handling:
    """Remembers the outcomes of handlers and the answers of guards."""

    def __init__(self, system: System) -> None:
        _reject_mistakes(system)
        self.system = system
        self.names = system.names
        accepted = {name: _accepted(process.handlers.values()) for name, process in system.processes.items()}
        try:
            self.programs = [Program(name, process, accepted) for name, process in system.processes.items()]
        except Misuse as error:
            raise SourceError(Diagnostic("explore-field", str(error))) from None
        for one in self.programs:
            one.hold_constant(constant_fields(one.kind, dict(one.first.fields)))
        self.index = {name: index for index, name in enumerate(self.names)}
        self._originals = {name: _frozen_fields(process) for name, process in system.processes.items()}
        self._outcomes: dict[Given, tuple[Outcome, ...]] = {}
        self._repeated: dict[tuple[int, str], int] = {}
        self._guards: dict[Given, bool | Problem] = {}

    def outcomes(self, index: int, local: Local, method: str, arguments: tuple[Frozen, ...]) -> tuple[Outcome, ...]:
        key = (index, local, method, arguments)
        found = self._outcomes.get(key)
        if found is None:
            found = self._outcomes[key] = tuple(self.programs[index].run(local, method, *arguments))
            self._check_shared_nothing(index, method)
            seen = self._repeated.get((index, method), 0)
            if seen < REPEATED_AT_ONCE:
                self._repeated[index, method] = seen + 1
                self._repeat(key)
        return found

    def handled(self) -> list[tuple[Given, tuple[Outcome, ...]]]:
        """Every run of a handler so far: process, local state, method and arguments, with its outcomes."""
        return list(self._outcomes.items())

    def _repeat(self, key: Given) -> None:
        index, local, method, arguments = key
        first = self._outcomes[key]
        second = tuple(self.programs[index].run(local, method, *arguments))
        if first != second:
            raise SourceError(self._not_a_function(index, method, first, second))

    def repeat_sample(self, number: int = REPEATED_AT_END) -> None:
        """Run a sample of the handlers again. What gives another result depends on more than state and message."""
        keys = list(self._outcomes)
        for key in random.Random(0).sample(keys, min(number, len(keys))):
            self._repeat(key)

    def _check_shared_nothing(self, index: int, method: str) -> None:
        """Handlers run on copies; if an original has changed, one reached it by other means than messages."""
        for name, process in self.system.processes.items():
            if not _is_as_before(process, self._originals[name]):
                raise SourceError(
                    Diagnostic(
                        "explore-shared-state",
                        f"process {self.names[index]}, handler {method} ({self._place(index, method)}): changes the "
                        f"state of the process {name}",
                        help="processes share nothing; send a message",
                    )
                )

    def _place(self, index: int, method: str) -> str:
        code = getattr(self.programs[index].kind, method).__code__
        return f"{from_here(code.co_filename)}:{code.co_firstlineno}"

    def _not_a_function(
        self, index: int, method: str, first: tuple[Outcome, ...], second: tuple[Outcome, ...]
    ) -> Diagnostic:
        return Diagnostic(
            "explore-not-a-function",
            f"process {self.names[index]}, handler {method} ({self._place(index, method)}): run twice on "
            f"the same state and message, it gave two results ({difference(first, second)})",
            help="a handler may use only self and its message: no globals, time, random, id(); use self.choose and "
            "timers instead",
        )

    def allowed(
        self, index: int, local: Local, method: str, handler: Handler, arguments: tuple[Frozen, ...]
    ) -> bool | Problem:
        if handler.guard is None:
            return True
        key = (index, local, method, arguments)
        found = self._guards.get(key)
        if found is None:
            found = self._guards[key] = self._ask(index, local, method, handler, arguments)
        return found

    def _ask(
        self, index: int, local: Local, method: str, handler: Handler, arguments: tuple[Frozen, ...]
    ) -> bool | Problem:
        assert handler.guard is not None
        process = self.programs[index].live(local)
        try:
            allowed = bool(call(program.HANDLER_SECONDS, handler.guard, process, *map(thaw, arguments)))
        except LimitReached:
            raise
        except TookTooLong:
            return self._guard_problem(index, method, handler.guard, "does not come back")
        except (Exception, SystemExit) as error:
            return self._guard_problem(index, method, handler.guard, f"raised {type(error).__name__}: {error}")
        if not _is_as_before(process, _frozen_fields(self.programs[index].live(local))):
            return self._guard_problem(index, method, handler.guard, "changes the process; guards only look")
        return allowed

    def _guard_problem(self, index: int, method: str, guard: object, text: str) -> Problem:
        return Problem("exception", f"process {self.names[index]}, guard of {method} ({_line(guard)}): {text}")

    def quorum_asks(self, index: int, what: str, function: Callable[[Any], Any], argument: object) -> Any:
        """`size` or `by` of a quorum handler."""
        try:
            return call(program.HANDLER_SECONDS, function, argument)
        except LimitReached:
            raise
        except TookTooLong:
            text = f"process {self.names[index]}, {what} of a quorum ({_line(function)}): does not come back"
            raise SourceError(Diagnostic("explore-quorum", text)) from None
        except (Exception, SystemExit) as error:
            text = (
                f"process {self.names[index]}, {what} of a quorum ({_line(function)}): {type(error).__name__}: {error}"
            )
            raise SourceError(Diagnostic("explore-quorum", text)) from None

    @property
    def runs(self) -> int:
        """How often Python code of handlers was run."""
        return sum(one.runs for one in self.programs)


def difference(first: tuple[Outcome, ...], second: tuple[Outcome, ...]) -> str:
    """What differs, in a few words."""
    if len(first) != len(second):
        return f"{len(first)} outcomes, then {len(second)}"
    for one, other in zip(first, second, strict=True):
        if one.local != other.local:
            after = dict(other.local.fields)
            names = [name for name, value in one.local.fields if after.get(name, after) != value]
            return "fields " + ", ".join(names) if names else "timers"
        if one.sends != other.sends:
            return "messages sent"
    return "choices, records or errors"


def _line(function: object) -> str:
    code = getattr(function, "__code__", None)
    return f"{from_here(code.co_filename)}:{code.co_firstlineno}" if code else repr(function)


def _frozen_fields(process: Process) -> Frozen:
    return freeze({name: value for name, value in vars(process).items() if name not in Process.OUTSIDE_STATE})


def _is_as_before(process: Process, before: Frozen) -> bool:
    try:
        return bool(_frozen_fields(process) == before)
    except NotData:
        return False


def _accepted(handlers: Any) -> tuple[type, ...]:
    return tuple(message for handler in handlers for message in handler.messages)


def _reject_mistakes(system: System) -> None:
    if not system.processes:
        raise SourceError(Diagnostic("explore-empty", "the system has no processes"))
    for name, process in system.processes.items():
        if not isinstance(process, Process):
            what = f"the class {process.__name__}" if isinstance(process, type) else f"{process!r}, no Process"
            help_ = f"a process is made of it: {process.__name__}(…)" if isinstance(process, type) else None
            raise SourceError(Diagnostic("explore-process", f"the process {name!r} is {what}", help=help_))
    for one in system.properties:
        if not isinstance(one, Property):
            help_ = "decorate it with @invariant, @end_state or @eventually, or make it with history(…)"
            raise SourceError(Diagnostic("explore-property", f"{_name_of(one)} is no property", help=help_))
    for name in unknown_names(system):
        known = ", ".join(system.names)
        raise SourceError(
            Diagnostic("explore-unknown-process", f"there is no process {name!r}", help=f"the processes are {known}")
        )
    for name, bound in bounds_of(system):
        if bound < 0:
            text = f"{name} is {bound}: so many times it can happen in a run, at most"
            raise SourceError(Diagnostic("explore-bound", text, help="0 is never"))


def _name_of(value: object) -> str:
    return str(getattr(value, "__name__", repr(value)))
