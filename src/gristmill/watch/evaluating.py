"""Mistakes in evaluating the specification, told with the message at which they happened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gristmill.source import Diagnostic, SourceError
from gristmill.values import EvaluationError, Value
from gristmill.watch.messages import Message


@contextmanager
def evaluating(message: Message, node: Value) -> Iterator[None]:
    try:
        yield
    except EvaluationError as error:
        text = f"message {message.number} ({message.kind}) at node {node} cannot be evaluated: {error.message}"
        help = "the record that the mapping makes of it must have the fields that the specification asks for"
        raise SourceError(Diagnostic("cannot-evaluate", text, None, help=help)) from None
