"""One process of a system as a function: from its local state and messages to what its handler does.

Both the naive and the native searches see processes only through this.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from gristmill.explore.data import Frozen, NotData, freeze, order_key, thaw
from gristmill.explore.process import Handler, Process
from gristmill.search.budget.deadline import TookTooLong, call
from gristmill.search.budget.limits import LimitReached
from gristmill.source.from_here import from_here
from gristmill.trace.schedule import Record

HANDLER_SECONDS = 5.0


class Local(NamedTuple):
    """The state of a process: its fields by name, the timers that are set, and whether it is up.

    `gone` is down for good: nothing that happens to it matters any more.
    """

    fields: tuple[tuple[str, Frozen], ...]
    timers: frozenset[str] = frozenset()
    status: Literal["up", "down", "gone"] = "up"


class Envelope(NamedTuple):
    """A message in the network."""

    sender: str
    receiver: str
    message: Frozen


class Problem(NamedTuple):
    """What is wrong with a handler, in a sentence that names process, handler and line."""

    kind: Literal["assertion", "exception"]
    message: str


class Outcome(NamedTuple):
    """What a handler did, for one sequence of choices."""

    choices: tuple[int, ...]
    local: Local
    sends: tuple[Envelope, ...] = ()
    records: tuple[Record, ...] = ()
    problem: Problem | None = None
    chosen: tuple[str, ...] = ()  # the options that `choices` are the numbers of, as text


class Misuse(Exception):
    """A handler did what handlers must not do."""


class Recorder:
    """The context of one run of a handler: follows a sequence of choices, and notes what is called."""

    def __init__(self, program: Program, choices: Sequence[int], timers: frozenset[str]) -> None:
        self.program = program
        self.follow = choices
        self.choices: list[int] = []
        self.chosen: list[str] = []
        self.widths: list[int] = []
        self.sends: list[Envelope] = []
        self.records: list[Record] = []
        self.timers = set(timers)

    def send(self, sender: str, receiver: str, message: object) -> None:
        accepts = self.program.accepted.get(receiver)
        if accepts is None:
            raise Misuse(f"sends to {receiver!r}, and there is no such process")
        if not isinstance(message, accepts):
            raise Misuse(f"sends {message!r} to {receiver}, which has no handler for {type(message).__name__}")
        try:
            self.sends.append(Envelope(sender, receiver, freeze(message)))
        except NotData as error:
            raise Misuse(f"sends a message that holds {error}") from None

    def choose(self, options: Sequence[Any]) -> Any:
        if isinstance(options, set | frozenset | dict):  # in an order that is the same in every run
            options = sorted(options, key=lambda option: order_key(freeze(option)))
        options = list(options)
        if not options:
            raise Misuse("chooses among nothing")
        position = len(self.choices)
        index = self.follow[position] if position < len(self.follow) else 0
        self.choices.append(index)
        self.widths.append(len(options))
        self.chosen.append(_short(options[index]))
        return options[index]

    def set_timer(self, name: str, seconds: float) -> None:
        if name not in self.program.timers:
            raise Misuse(f"sets the timer {name!r}, and no handler is declared for it with @timer")
        self.timers.add(name)

    def cancel_timer(self, name: str) -> None:
        self.timers.discard(name)

    def record(self, kind: Literal["invoke", "return"], operation: str, value: object) -> None:
        self.records.append(Record(self.program.name, kind, operation, value))

    def next_choices(self) -> tuple[int, ...] | None:
        """The next sequence in lexicographic order, or None after the last."""
        choices = list(self.choices)
        while choices and choices[-1] + 1 >= self.widths[len(choices) - 1]:
            choices.pop()
        if not choices:
            return None
        choices[-1] += 1
        return tuple(choices)


_LONGEST_OPTION = 60  # characters


def _short(option: object) -> str:
    text = repr(option)
    return text if len(text) <= _LONGEST_OPTION else f"{text[: _LONGEST_OPTION - 1]}…"


class Program:
    """A process by its name in a system, ready to be run from any local state."""

    def __init__(self, name: str, process: Process, accepted: dict[str, tuple[type, ...]]) -> None:
        self.name = name
        self.kind = type(process)
        self.processes = tuple(accepted)
        self.accepted = accepted
        self.handlers: dict[str, Handler] = dict(self.kind.handlers)
        self.timers = {handler.name: method for method, handler in self.handlers.items() if handler.kind == "timer"}
        self.constants: dict[str, Any] = {}
        self.first = self._first_local(process)
        self.runs = 0

    def _first_local(self, process: Process) -> Local:
        fields = []
        for field, value in sorted(vars(process).items()):
            if field in Process.OUTSIDE_STATE:
                continue
            try:
                fields.append((field, freeze(value)))
            except NotData as error:
                where = _place(self.kind, "__init__")
                raise Misuse(f"process {self.name} ({where}): field {field} holds {error}") from None
        return Local(tuple(fields))

    def hold_constant(self, fields: frozenset[str]) -> None:
        """Leave fields that no handler changes out of the state."""
        self.constants = {name: value for name, value in self.first.fields if name in fields}
        self.first = Local(tuple((name, value) for name, value in self.first.fields if name not in fields))

    def live(self, local: Local) -> Process:
        """A fresh process object in this state; it has no context yet."""
        process = object.__new__(self.kind)
        for name, value in self.constants.items():
            process.__dict__[name] = thaw(value)
        for name, value in local.fields:
            process.__dict__[name] = thaw(value)
        process.name, process.processes = self.name, self.processes
        return process

    def run(self, local: Local, method: str, *arguments: Frozen) -> Iterator[Outcome]:
        """Every outcome of a method, one for each sequence of choices it can make."""
        choices: tuple[int, ...] | None = ()
        while choices is not None:
            recorder = Recorder(self, choices, local.timers)
            yield self._run_once(local, method, arguments, recorder)
            choices = recorder.next_choices()

    def _run_once(self, local: Local, method: str, arguments: tuple[Frozen, ...], recorder: Recorder) -> Outcome:
        self.runs += 1
        process = self.live(local)
        process._context = recorder
        given = [thaw(argument) for argument in arguments]
        problem = self._call(process, method, given)
        after = local
        if problem is None:
            try:
                after = self._local_after(process, method, frozenset(recorder.timers))
                self._check_arguments(method, given, arguments)
            except Misuse as error:
                problem = Problem("exception", str(error))
        sends, records = tuple(recorder.sends), tuple(recorder.records)
        return Outcome(tuple(recorder.choices), after, sends, records, problem, tuple(recorder.chosen))

    def _call(self, process: Process, method: str, given: list[Any]) -> Problem | None:
        try:
            returned = call(HANDLER_SECONDS, getattr(process, method), *given)
        except LimitReached:
            raise
        except TookTooLong as error:
            line = _line_of(error, self.kind)
            text = f"has not come back after {HANDLER_SECONDS:g} s; handlers must not block or loop for ever"
            return Problem("exception", self._says(method, text, line))
        except AssertionError as error:
            text = f"assertion failed{': ' if str(error) else ''}{error}"
            return Problem("assertion", self._says(method, text, _line_of(error, self.kind)))
        except Misuse as error:
            return Problem("exception", self._says(method, str(error), _line_of(error, self.kind)))
        except (Exception, SystemExit) as error:
            text = f"raised {type(error).__name__}: {error}"
            return Problem("exception", self._says(method, text, _line_of(error, self.kind)))
        if inspect.isawaitable(returned) or inspect.isgenerator(returned):
            if hasattr(returned, "close"):
                returned.close()
            text = "is a coroutine or a generator; handlers are plain functions"
            return Problem("exception", self._says(method, text, _place(self.kind, method)))
        return None

    def _local_after(self, process: Process, method: str, timers: frozenset[str]) -> Local:
        fields = []
        for field, value in sorted(vars(process).items()):
            if field in Process.OUTSIDE_STATE:
                continue
            try:
                frozen = freeze(value)
            except NotData as error:
                place = _assignment_place(self.kind, method, field)
                raise Misuse(self._says(method, f"leaves in the field {field} {error}", place)) from None
            if field not in self.constants:
                fields.append((field, frozen))
            elif frozen != self.constants[field]:
                place = _assignment_place(self.kind, method, field)
                raise Misuse(self._says(method, f"changes {field}, which seemed to be a constant", place))
        return Local(tuple(fields), timers)

    def _check_arguments(self, method: str, given: list[Any], arguments: tuple[Frozen, ...]) -> None:
        for value, before in zip(given, arguments, strict=True):
            try:
                same = freeze(value) == before
            except NotData:
                same = False
            if not same:
                text = f"changes the message it received: {thaw(before)!r} became {value!r}"
                raise Misuse(self._says(method, text, _place(self.kind, method)))

    def _says(self, method: str, text: str, place: str) -> str:
        return f"process {self.name}, handler {method} ({place}): {text}"


def _place(kind: type, method: str) -> str:
    code = getattr(getattr(kind, method, None), "__code__", None)
    if code is None:
        return kind.__name__
    return f"{from_here(code.co_filename)}:{code.co_firstlineno}"


def _line_of(error: BaseException, kind: type) -> str:
    """The innermost line of the protocol's own file that the error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = _source_file(kind)
    for frame in reversed(frames):
        if frame.filename == own:
            return f"{from_here(frame.filename)}:{frame.lineno}"
    return f"{from_here(frames[-1].filename)}:{frames[-1].lineno}"


def _source_file(kind: type) -> str | None:
    try:
        return inspect.getsourcefile(kind)
    except TypeError:
        return None


def _assignment_place(kind: type, method: str, field: str) -> str:
    """Where the method assigns the field, or else where it begins."""
    function: Callable[..., object] = getattr(kind, method)
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return _place(kind, method)
    for offset, line in enumerate(lines):
        if f"self.{field}" in line:
            return f"{from_here(_source_file(kind) or '?')}:{first + offset}"
    return _place(kind, method)
