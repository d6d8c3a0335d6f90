"""Protocols as Python classes: written once, checked by `explore` and run over TCP by `explore.run`.

    class Ping(Message):
        round: int

    class Server(Process):
        last = persistent(0)          # survives a crash
        seen = aux(0)                 # for people only: no handler's effect depends on it

        @on(Ping, guard=lambda self, ping: ping.round > self.last)
        def ping(self, ping: Ping, sender: str) -> None:
            self.last = ping.round
            self.seen += 1
            self.send(sender, Pong(ping.round))

The contract of a handler. It is a function of the process's fields and the messages it is given: it reads and changes
`self`, and calls `send`, `broadcast`, `choose`, `set_timer`, `cancel_timer`, `invoke`, `respond`. It runs atomically.
It keeps no state outside of `self`, and changes no message. Fields and messages hold plain data: None, booleans,
numbers, strings, bytes, enums, tuples, lists, sets, dicts, frozen dataclasses; they are compared by value. While a
system is explored, sets and dicts are iterated in one order that does not depend on when their elements came.

Fields of the instance as `__init__` leaves them are the initial state. `start` runs once before anything else.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeVar, cast, dataclass_transform

from gristmill.explore.data import show

T = TypeVar("T")
H = TypeVar("H", bound=Callable[..., object])


@dataclass_transform(frozen_default=True)
class Message:
    """Subclasses are frozen dataclasses; their annotations are the fields of the message."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, repr=False)(cls)

    def __repr__(self) -> str:
        return show(self)


class Context(Protocol):
    """Where the calls of a handler go: to the explorer, or to the network."""

    def send(self, sender: str, receiver: str, message: object) -> None: ...
    def choose(self, options: Sequence[Any]) -> Any: ...
    def set_timer(self, name: str, seconds: float) -> None: ...
    def cancel_timer(self, name: str) -> None: ...
    def record(self, kind: Literal["invoke", "return"], operation: str, value: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Declared:
    """What stands in the class body for a field: its first value, and what it is to the checker."""

    default: Any
    persistent: bool = False
    auxiliary: bool = False


def persistent(default: T) -> T:
    """A field that survives a crash."""
    return cast(T, Declared(default, persistent=True))


def aux(default: T) -> T:
    """A field on which nothing depends but itself and other such fields: a log, a counter for people.

    That is a claim; `--verify-decomposition` tests it.
    """
    return cast(T, Declared(default, auxiliary=True))


@dataclass(frozen=True, slots=True)
class Handler:
    """A method that consumes messages, or runs when a timer fires.

    `size` is None for a handler of single messages, and otherwise how many messages from distinct senders a quorum
    handler consumes: a number, or a function of the process. `by` groups: all messages of a quorum agree on it.
    """

    name: str
    kind: Literal["message", "quorum", "timer"]
    messages: tuple[type, ...] = ()
    guard: Callable[..., object] | None = None
    size: int | Callable[[Any], int] | None = None
    by: Callable[[Any], object] | None = None


def on(*messages: type, guard: Callable[..., object] | None = None) -> Callable[[H], H]:
    """`def handler(self, message, sender)` for each message of these types for which `guard(self, message)` holds.

    While the guard is false the message stays in the network; over an ordered channel it holds up those behind it.
    """
    return lambda method: _declare(method, Handler(method.__name__, "message", messages, guard))


def quorum(
    *messages: type,
    size: int | Callable[[Any], int],
    by: Callable[[Any], object] | None = None,
    guard: Callable[..., object] | None = None,
) -> Callable[[H], H]:
    """`def handler(self, messages: dict[str, Message])`: consumes, in one step, `size` messages from distinct senders.

    They are of one of these types and agree on `by(message)`; `guard(self, messages)` may say more. Each set of pending
    messages that qualifies is a transition of its own; what is not consumed stays in the network.
    """
    return lambda method: _declare(method, Handler(method.__name__, "quorum", messages, guard, size, by))


def timer(name: str) -> Callable[[H], H]:
    """`def handler(self)`: runs some time after `self.set_timer(name)`; when explored, at any time after it."""
    return lambda method: _declare(method, Handler(name, "timer"))


def _declare(method: H, handler: Handler) -> H:
    method.__gristmill_handler__ = handler  # type: ignore[attr-defined]
    return method


class Process:
    """A process of a protocol. Subclass it; give instances to a `System`."""

    # Method name -> handler, in the order in which the class defines them, those of base classes first.
    handlers: ClassVar[Mapping[str, Handler]] = {}
    declared: ClassVar[Mapping[str, Declared]] = {}

    # Given by the system the process is part of, before anything runs; no part of its state.
    name: str
    processes: tuple[str, ...]
    _context: Context

    OUTSIDE_STATE: ClassVar[frozenset[str]] = frozenset({"name", "processes", "_context"})

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        handlers, declared = dict(cls.handlers), dict(cls.declared)
        for name, value in list(vars(cls).items()):
            handler = getattr(value, "__gristmill_handler__", None)
            if isinstance(handler, Handler):
                handlers[name] = handler
            elif name in handlers:
                del handlers[name]  # overridden by something that is no handler
            if isinstance(value, Declared):
                declared[name] = value
                setattr(cls, name, value.default)
        cls.handlers, cls.declared = handlers, declared

    def __new__(cls, *args: Any, **options: Any) -> Process:
        process = super().__new__(cls)
        for kind in reversed(cls.__mro__[: cls.__mro__.index(Process)]):
            for name, value in vars(kind).items():
                if _is_field(name, value):  # declared, or plain data in the class body: each process has its own
                    process.__dict__[name] = copy.deepcopy(value)
        return process

    def start(self) -> None:
        """Runs once, before anything else happens."""

    def restart(self) -> None:
        """Runs when the process is up again after a crash; persistent fields are as they were, others as at first."""
        self.start()

    def send(self, to: str, message: object) -> None:
        self._context.send(self.name, to, message)

    def broadcast(self, message: object, to: Iterable[str] | None = None) -> None:
        """To each of `to`; without it, to every other process."""
        for receiver in self.peers if to is None else to:
            self._context.send(self.name, receiver, message)

    @property
    def peers(self) -> tuple[str, ...]:
        return tuple(name for name in self.processes if name != self.name)

    def choose(self, options: Sequence[T]) -> T:
        """One of them: each, when explored; a random one, when run."""
        return cast(T, self._context.choose(options))

    def set_timer(self, name: str, seconds: float = 1.0) -> None:
        """`name` is that of a handler declared with `@timer`. A timer that is set already is set anew."""
        self._context.set_timer(name, seconds)

    def cancel_timer(self, name: str) -> None:
        self._context.cancel_timer(name)

    def invoke(self, operation: str, value: object = None) -> None:
        """A client's operation begins, for properties of histories."""
        self._context.record("invoke", operation, value)

    def respond(self, operation: str, value: object = None) -> None:
        """The operation ends, with this result."""
        self._context.record("return", operation, value)


def _is_field(name: str, value: object) -> bool:
    if name.startswith("__") or name in ("handlers", "declared"):
        return False
    return not callable(value) and not isinstance(value, property | classmethod | staticmethod)


class Byzantine(Process):
    """A process that may lie about who it is. Substitute it for an honest one: `system.substitute(name, process)`."""

    def forge(self, sender: str, to: str, message: object) -> None:
        """Send as if `sender` had sent it."""
        self._context.send(sender, to, message)
