"""Text, positions and messages: the ground every other layer stands on."""

from gristmill.source.diagnostic import ConfigurationError, Diagnostic, InternalError, Label, SourceError
from gristmill.source.file import SourceFile, read_source
from gristmill.source.span import Span

__all__ = [
    "ConfigurationError",
    "Diagnostic",
    "InternalError",
    "Label",
    "SourceError",
    "SourceFile",
    "Span",
    "read_source",
]
