"""Protocols of `Process` classes: what a process can do next with its messages and timers are the actors."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gristmill.explore.data import NotData, freeze
from gristmill.explore.model import Model, State, Transition
from gristmill.explore.program import Local, Outcome
from gristmill.explore.system import System
from gristmill.explore.transitions import Spare
from gristmill.replay.driver import DriverError, Failure, Node, Reading, Setup
from gristmill.replay.program import system_faults
from gristmill.replay.program.looking import Looking
from gristmill.replay.program.paths import plain
from gristmill.replay.program.settings import ProgramSettings
from gristmill.replay.program.stage import Actor, Stage
from gristmill.search.budget.limits import LimitReached
from gristmill.source import SourceError
from gristmill.source.toml_reader import suggestion
from gristmill.trace.schedule import Event, Sent

# Faults are done from outside, and never by the system itself.
_NO_FAULTS = Spare(loss=0, duplication=0, crashes=0, restarts=0, partitions=0, timeouts=-1)


class SystemStage(Stage):
    """A process that was not started, or was killed, is down; messages to it wait."""

    def __init__(self, setup: Setup, settings: ProgramSettings) -> None:
        assert isinstance(settings.target, System)
        self.setup, self.system = setup, settings.target
        with _told():
            self.model = Model(self.system)
        self.rules = self.model.rules
        self.looking = Looking(setup, settings.files)
        self.operations: dict[str, str] = {
            name: self._operation(name, table) for name, table in setup.document.get("client", {}).items()
        }
        self.state = self._first()
        self.started: set[Node] = set()
        self.cut: set[frozenset[Node]] = set()
        self._failures: list[Failure] = []
        self._known: tuple[State, list[Transition]] | None = None
        for node in setup.nodes:
            if node not in self.rules.index:
                help = f"there are {', '.join(self.rules.names)}; `nodes` in [system] says what they are in the model"
                raise DriverError(f"the system has no process {node}", help, setup.places.value("system", "nodes"))

    def _first(self) -> State:
        locals_ = tuple(program.first._replace(status="down") for program in self.rules.programs)
        return State(locals_, tuple(() for _ in locals_), _NO_FAULTS)

    # ------------------------------------------------------------------------------------------------------------ runs

    def begin(self) -> None:
        self.state = self._first()
        self.started.clear()
        self.cut.clear()
        self._failures.clear()
        for name in self.rules.names:
            if name not in self.setup.nodes:  # it is nobody's business when that one starts
                self.fault("start", name, {}, None)

    def end(self) -> None:
        self.state = self._first()

    def close(self) -> None:
        """Nothing is open."""

    # ---------------------------------------------------------------------------------------------------------- moving

    def stir(self) -> None:
        """Whatever happens is a message or a timer."""

    def actors(self) -> list[Actor]:
        return [_actor(each.event) for each in self._transitions()]

    def _transitions(self) -> list[Transition]:
        if self._known is None or self._known[0] is not self.state:
            with _told():
                self._known = self.state, self.model.transitions(self.state)
        return [each for each in self._known[1] if not any(self._is_cut(one) for one in each.event.received)]

    def _is_cut(self, message: Sent) -> bool:
        return frozenset((message.sender, message.receiver)) in self.cut

    def go_on(self, actor: Actor) -> None:
        chosen = next((each for each in self._transitions() if _key(each.event) == actor.key), None)
        if chosen is None:
            raise DriverError(f"{actor.text} is not possible any more")
        self.state = chosen.target
        if chosen.problem is not None:
            self._failures.append(Failure(actor.node, "exception", chosen.problem.message))

    def failures(self) -> list[Failure]:
        found, self._failures = self._failures, []
        return found

    def apply(self, index: int, outcomes: tuple[Outcome, ...], what: str) -> None:
        """What a process did outside of a transition. Of several choices there must be none to make."""
        if len(outcomes) > 1:
            raise DriverError(f"{what} of {self.rules.names[index]} makes choices; that is for handlers of messages")
        (outcome,) = outcomes
        self.become(index, outcome.local)
        self.state = self.model.after(self.state, outcome.sends, ())
        if outcome.problem is not None:
            self._failures.append(Failure(self.rules.names[index], "exception", outcome.problem.message))

    def become(self, index: int, local: Local) -> None:
        locals_ = (*self.state.locals[:index], local, *self.state.locals[index + 1 :])
        self.state = self.state._replace(locals=locals_)

    # --------------------------------------------------------------------------------------------- looking and acting

    def check_reading(self, reading: Reading) -> None:
        self.looking.check(reading)

    def read(self, node: Node, readings: Sequence[Reading]) -> dict[str, Any]:
        index = self.rules.index[node]
        process = self.rules.programs[index].live(self.state.locals[index])
        return {
            each.name: self._sent(node) if "sent" in each.how else self.looking.read(each, process, (process,))
            for each in readings
        }

    def _sent(self, node: Node) -> dict[Node, tuple[Any, ...]]:
        """The messages from this process to each other that are on their way."""
        return {other: tuple(map(_record, self._between(node, other))) for other in self.setup.nodes}

    def _between(self, sender: Node, receiver: Node) -> list[object]:
        inbox = map(system_faults.shown, self.state.inboxes[self.rules.index[receiver]])
        return [each.message for each in inbox if each.sender == sender]

    def running(self, node: Node) -> bool:
        return self.state.locals[self.rules.index[node]].status == "up"

    def call(self, operation: str, node: Node, arguments: Mapping[str, Any]) -> None:
        method = self.operations.get(operation)
        if method is None:
            help = suggestion(operation, self.operations) or f"write [client.{operation}]"
            raise DriverError(f"there is no operation {operation!r} of clients", help)
        index = self.rules.index[node]
        function = getattr(self.rules.programs[index].kind, method, None)
        if function is None:
            raise DriverError(f"{node} has no method {method!r}", None, self.setup.places.value("client", operation))
        try:
            bound = inspect.signature(function).bind(None, **arguments)
            given = tuple(freeze(value) for value in bound.args[1:])
        except (TypeError, NotData) as error:
            raise DriverError(f"{operation} on {node}: {error}") from None
        with _told():
            self.apply(index, self.rules.outcomes(index, self.state.locals[index], method, given), operation)

    def _operation(self, name: str, table: Mapping[str, Any]) -> str:
        if set(table) != {"method"} or not isinstance(table["method"], str):
            span = self.setup.places.key("client", name)
            raise DriverError(f"[client.{name}] does not say what is done", 'write method = "…", of a process', span)
        method: str = table["method"]
        if not any(callable(getattr(program.kind, method, None)) for program in self.rules.programs):
            span = self.setup.places.value("client", name, "method")
            raise DriverError(f"no process has a method {method!r}", None, span)
        return method

    def fault(self, kind: str, node: Node | None, details: Mapping[str, Any], actor: Actor | None) -> None:
        with _told():
            system_faults.do(self, kind, node, details, actor)

    def kinds(self) -> tuple[str, ...]:
        return system_faults.KINDS

    def doing(self) -> list[str]:
        lines = [f"{name} is {'up' if self.running(name) else 'down'}{self._timers(name)}" for name in self.rules.names]
        lines += [f"{one} and {other} do not reach each other" for one, other in sorted(map(sorted, self.cut))]
        return lines + [str(system_faults.shown(each)) for inbox in self.state.inboxes for each in inbox]

    def _timers(self, name: Node) -> str:
        timers = sorted(self.state.locals[self.rules.index[name]].timers)
        return f", timers {', '.join(timers)}" if timers else ""


def _actor(event: Event) -> Actor:
    if event.kind == "timer":
        given: dict[str, Any] = {"kind": event.name}
        return Actor(_key(event), f"timer {event.name} of {event.process}", event.process, "timer", event.name, given)
    kind = type(event.received[0].message).__name__
    senders = tuple(each.sender for each in event.received)
    records = {each.sender: _record(each.message) for each in event.received}
    alone = len(senders) == 1
    given = {
        "from": senders[0] if alone else frozenset(senders),
        "to": event.process,
        "kind": kind,
        "message": records[senders[0]] if alone else records,
        "handler": event.name,
        "choices": event.choices,
    }
    text = f"{', '.join(senders)} -> {event.process}: {event.received[0].message}"
    return Actor(_key(event), text, event.process, "message", kind, given, given["message"])


def _record(message: object) -> dict[str, Any]:
    return {"kind": type(message).__name__, **plain(message)}


def _key(event: Event) -> tuple[Any, ...]:
    return event.kind, event.process, event.name, event.choices, system_faults.received(event.received)


@contextmanager
def _told() -> Iterator[None]:
    """Mistakes in the program as those of a system that cannot be driven."""
    try:
        yield
    except SourceError as error:
        first = error.diagnostics[0]
        raise DriverError(first.message, first.help) from None
    except LimitReached as error:
        raise DriverError(str(error)) from None
