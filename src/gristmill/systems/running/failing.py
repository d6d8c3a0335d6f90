"""What can go wrong with processes of a system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gristmill.source import Span

Node: TypeAlias = str  # the name of a node: the text of the value that stands for it in the specification


class DriverError(Exception):
    """The system could not be driven: it does not start, a node has died, a port is taken. With a remedy."""

    def __init__(self, message: str, help: str | None = None, span: Span | None = None, log: str = "") -> None:
        super().__init__(message)
        self.message, self.help, self.span, self.log = message, help, span, log


@dataclass(frozen=True, slots=True)
class Failure:
    """The system has failed visibly: an exception that nothing handles, a false assertion, an exit, an error logged."""

    node: Node | None
    kind: Literal["exit", "exception", "log"]
    message: str
    log: str = ""  # the last lines, or the stack
