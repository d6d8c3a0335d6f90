"""An explanation of an alarm: plain data, for every kind of report."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.source import Span
from gristmill.trace import Shown
from gristmill.values import Value
from gristmill.watch.messages import Message


@dataclass(frozen=True, slots=True)
class Lack:
    """One thing that stands in the way.

    - `text`: a guard that is false, or a field of the message that would be another, as a sentence.
    - `words`: what the specification says of the guard in a comment.
    - `values`: what its parts are; `span`: where the guard stands.
    """

    text: str
    words: str | None = None
    values: Shown = ()
    span: Span | None = None

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.values)
        return self.text + (f": {values}" if values else "")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to send such a message.

    - `words`: what the specification says of the action in a comment.
    - `obstacles`: all that stands in the way; `held`: so many of its guards hold, or fields of the message agree.
    - `answers`: the message that it would have answered.
    """

    action: str
    words: str | None
    obstacles: tuple[Lack, ...]
    held: int
    answers: Message | None = None
    span: Span | None = None

    @property
    def lacks(self) -> tuple[str, ...]:
        return tuple(map(str, self.obstacles))


@dataclass(frozen=True, slots=True)
class Change:
    """A local variable, with its value before and after."""

    variable: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class Earlier:
    """The message was allowed up to `until`, `ago` messages of the node before; then these variables changed."""

    until: Message
    ago: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Instead:
    """With another value of one field, the message would be allowed."""

    field: str
    value: Value
    allowed: Value


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step of the best explanation of what came before.

    `message`: the one that it tells of; None if nobody has seen it happen. `action`: None if the message has changed
    nothing. `sent`: what the action adds to the network, `gone`: whether it takes the message away that it consumes.
    """

    message: Message | None
    action: str | None
    parameters: tuple[tuple[str, Value], ...]
    local: tuple[Value, ...]  # after it
    sent: frozenset[Value] = frozenset()
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Reasons:
    """`start`: the local state that the path begins with."""

    candidates: tuple[Candidate, ...] = ()
    earlier: Earlier | None = None
    instead: tuple[Instead, ...] = ()
    start: tuple[Value, ...] = ()
    path: tuple[PathStep, ...] = ()
