"""Where an error happened, found post mortem.

Compiled code says nothing about places while it runs. The functions that can fail have the node they come from in a
default argument, `_node`, and calls of definitions theirs in `_call`. When an error has surfaced, the frames of
Python's traceback tell the expressions it passed through, innermost last, and the arguments of every definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, NoReturn

from gristmill.evaluate.frames import PENDING, Thunk
from gristmill.ir.nodes import Call, Definition
from gristmill.source import Span
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import EvaluationError, Value, kind


@dataclass(frozen=True, slots=True)
class Activation:
    """A definition being evaluated. Arguments that were never evaluated are given by their text."""

    name: str
    definition: Span
    call: Span
    arguments: tuple[tuple[str, Value | Unevaluated], ...]


@dataclass(frozen=True, slots=True)
class Unevaluated:
    text: str


@dataclass(frozen=True, slots=True)
class Location:
    """`span`: the innermost expression. `stack`: outermost first."""

    span: Span | None
    stack: tuple[Activation, ...]


def locate(error: BaseException) -> Location:
    """The place of an error that has not been pickled on the way."""
    span: Span | None = None
    stack: list[Activation] = []
    pending: Call | None = None
    for names in map(_locals, _frames(error.__traceback__)):
        frame = names.get("frame")
        if pending is not None and isinstance(frame, list):
            stack.append(_activation(pending, frame))
            pending = None
        node = names.get("_call") or names.get("_node")
        if node is not None:
            span = node.span
        if isinstance(names.get("_call"), Call):
            pending = names["_call"]
    return Location(span, tuple(stack))


def innermost(error: BaseException) -> tuple[Any, list[Any] | None]:
    """The node whose evaluation has failed, and the frame it was evaluated in."""
    found: tuple[Any, list[Any] | None] = (None, None)
    for names in map(_locals, _frames(error.__traceback__)):
        if "_node" in names:
            found = (names["_node"], names.get("frame"))
    return found


def _frames(traceback: TracebackType | None) -> Iterator[FrameType]:
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _locals(frame: FrameType) -> dict[str, Any]:
    return frame.f_locals


def _activation(call: Call, frame: list[Any]) -> Activation:
    definition: Definition = call.definition
    arguments = zip(definition.parameter_names, map(_content, frame), strict=False)
    return Activation(definition.name, definition.span, call.span, tuple(arguments))


def _content(content: Value | Thunk) -> Value | Unevaluated:
    if isinstance(content, Thunk):
        return content.value if content.value is not PENDING else Unevaluated(content.code.node.span.text)
    return content


# --- errors of more than one form ------------------------------------------------------------------------------------


def not_boolean(value: Value) -> NoReturn:
    raise EvaluationError("not-a-boolean", f"a formula was expected, not {kind(value)}: {{value}}", value=value)


def no_next_value(name: str) -> NoReturn:
    raise EvaluationError("unassigned-variable", f"{name}' has no value yet where it is used")


def no_initial_value(name: str) -> NoReturn:
    raise EvaluationError("unassigned-initially", f"the variable {name} has no value yet where it is used")


def unbounded(form: str) -> NoReturn:
    raise EvaluationError(
        "unbounded-binder", f"{form} without a set to choose from cannot be evaluated: write {form} x \\in S"
    )


def no_case_applies() -> NoReturn:
    raise EvaluationError("no-case-applies", "no guard of this CASE is true, and it has no OTHER")


def not_a_tuple(value: Value, names: tuple[str, ...]) -> NoReturn:
    pattern = ", ".join(names)
    raise EvaluationError(
        "tuple-expected", f"<<{pattern}>> cannot be bound to {{value}}, no tuple of {len(names)}", value=value
    )
