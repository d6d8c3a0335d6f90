"""What we tell people: messages as data. Renderers live in `source.render`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from gristmill.source.quick_dataclass import dataclass
from gristmill.source.span import Span

Severity = Literal["error", "warning", "note"]

# More messages than this about one text are of no help.
MAX_DIAGNOSTICS = 100


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that belongs to the message, with a few words on what it is."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing to say about a source text.

    `id` is stable and kebab-case, so that people can search for it and tools can filter by it. `message` is one
    sentence without a final stop. `help` says what to do about it, where there is something to do.
    """

    id: str
    message: str
    span: Span | None = None
    severity: Severity = "error"
    help: str | None = None
    labels: tuple[Label, ...] = ()

    def __str__(self) -> str:
        where = f"{self.span}: " if self.span else ""
        return f"{where}{self.severity}[{self.id}]: {self.message}"


class SourceError(Exception):
    """The input is at fault. Carries every diagnostic found; the command line prints them and exits non-zero."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        if isinstance(diagnostics, Diagnostic):
            diagnostics = (diagnostics,)
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))


class ConfigurationError(SourceError):
    """What is asked for, in a configuration or on the command line, does not fit the specification."""


class InternalError(Exception):
    """We are at fault: something that cannot happen has happened."""
