"""Frames, and what can stand in their slots besides values.

A frame is a list: the slots of a definition, then two more, the frame of the code around it (for a nested definition)
and where an action goes on when the definition is satisfied. Loops write the elements they go through into slots, so
whatever outlives an iteration must take a `snapshot`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from gristmill.evaluate.lazy_function import LazyFunction
from gristmill.values import Value

if TYPE_CHECKING:
    from gristmill.evaluate.deferred import Deferred

Frame = list[Any]
ValueCode = Callable[[Frame], Value]
TestCode = Callable[[Frame], bool]
ActionCode = Callable[[Frame], None]

PARENT: Final = -2
RETURN: Final = -1


class Pending(Enum):  # an enumeration, so that `is PENDING` tells mypy what is left
    PENDING = "PENDING"

    def __repr__(self) -> str:
        return "PENDING"


PENDING: Final = Pending.PENDING


class Thunk:
    """An argument or a LET value: evaluated when it is first needed, and kept unless it may change."""

    __slots__ = ("code", "frame", "value")

    def __init__(self, code: Deferred, frame: Frame) -> None:
        self.code = code
        self.frame = frame
        self.value: Value | Pending = PENDING

    def force(self) -> Value:
        value = self.value
        if value is PENDING:
            code = self.code
            reads = code.reads
            before = reads[0]
            value = code.value(self.frame)
            if reads[0] == before:
                self.value = value
        elif type(value) is LazyFunction:
            reads = self.code.reads
            before = reads[0]
            value = value.as_value()
            if reads[0] == before:
                self.value = value
        return value

    def force_applied(self) -> Value:
        """The value, where a function may be one that is evaluated argument by argument."""
        value = self.value
        if value is PENDING:
            code = self.code
            reads = code.reads
            before = reads[0]
            value = code.applied(self.frame)
            if reads[0] == before:
                self.value = value
        return value


UNFINISHED: Final = frozenset((Thunk, LazyFunction))


def finish(content: Any) -> Value:
    """The value of what stands in a slot and is not a plain value."""
    if type(content) is Thunk:
        content = content.force()
    return content.as_value() if type(content) is LazyFunction else content


def finish_applied(content: Any) -> Value:
    return content.force_applied() if type(content) is Thunk else content


def snapshot(frame: Frame) -> Frame:
    """A copy that later iterations do not change, together with everything it refers to that they would."""
    return _copy_frame(frame, {})


def _copy_frame(frame: Frame, copies: dict[int, Any]) -> Frame:
    copy = copies.get(id(frame))
    if copy is None:
        copy = copies[id(frame)] = list(frame)
        copy[RETURN] = None
        for slot, content in enumerate(frame[:RETURN]):
            if content is not None:
                copy[slot] = _copy_content(content, copies)
    return copy


def _copy_content(content: Any, copies: dict[int, Any]) -> Any:
    copier = _COPIERS.get(type(content))
    if copier is None:
        return content
    copy = copies.get(id(content))
    return copier(content, copies) if copy is None else copy


def _copy_thunk(thunk: Thunk, copies: dict[int, Any]) -> Any:
    if thunk.value is not PENDING and type(thunk.value) is not LazyFunction:
        return thunk.value
    copy = copies[id(thunk)] = Thunk(thunk.code, thunk.frame)
    copy.frame = _copy_frame(thunk.frame, copies)
    return copy


_COPIERS: dict[type, Callable[[Any, dict[int, Any]], Any]] = {Thunk: _copy_thunk, list: _copy_frame}


def copied_by(kind: type, copier: Callable[[Any, Callable[[Frame], Frame]], Any]) -> None:
    """Say how things of a class that hold a frame are copied with it."""

    def copy(content: Any, copies: dict[int, Any]) -> Any:
        result = copies[id(content)] = copier(content, lambda frame: _copy_frame(frame, copies))
        return result

    _COPIERS[kind] = copy
