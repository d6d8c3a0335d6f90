"""What a search has done to the world, so that it can begin anew without doing it again.

A search that is repeated does the same again, in the same order, if registers and chance are what they were: the lines
that it has printed and the answers that files and programs have given are known, and need not be printed or asked for
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gristmill.evaluate.context import Context
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Value


@contextmanager
def silent(context: Context) -> Iterator[None]:
    """Nothing is printed: what is evaluated has been evaluated before, or is no part of the search."""
    output, context.output = context.output, _ignore
    try:
        yield
    finally:
        context.output = output


def _ignore(text: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Point:
    """A point in a search: how much had happened by then."""

    lines: int
    answers: int
    intermediate: int
    registers: dict[Value, Value]
    chance: Any  # the state of the generator; None if nothing is drawn


class Journal:
    """Stands between a context and the world. `draws`: whether anything is drawn at random."""

    def __init__(self, context: Context, draws: bool) -> None:
        self._context, self._draws = context, draws
        self._output, self._perform = context.output, context.perform
        self._lines = self._printed = 0
        self._asked = 0
        self._answers: list[Any] = []
        self._error: type[Exception] | None = None  # see `forbidding`
        self._begin = self.point()
        context.output, context.perform = self._print, self._ask

    def close(self) -> None:
        self._context.output, self._context.perform = self._output, self._perform

    @contextmanager
    def forbidding(self, error: type[Exception]) -> Iterator[None]:
        """What would be done meanwhile is not, and raises an error."""
        self._error = error
        try:
            yield
        finally:
            self._error = None

    def begin(self) -> None:
        """What is before this is done once for all."""
        self._begin = self.point()

    def restart(self) -> None:
        self.undo(self._begin)

    def point(self) -> Point:
        context = self._context
        chance = context.random.getstate() if self._draws else None
        return Point(self._lines, self._asked, context.intermediate, dict(context.registers), chance)

    def undo(self, point: Point) -> None:
        """Go back to an earlier point. What has been done since will be done again, and is not done twice."""
        context = self._context
        self._lines, self._asked, context.intermediate = point.lines, point.answers, point.intermediate
        context.registers.clear()
        context.registers.update(point.registers)
        if point.chance is not None:
            context.random.setstate(point.chance)

    def _print(self, text: str) -> None:
        if self._error is not None:
            raise self._error
        self.print(text)

    def print(self, text: str) -> None:
        """A line whose turn has come."""
        self._lines += 1
        if self._lines > self._printed:
            self._printed = self._lines
            self._output(text)

    def _ask(self, function: Callable[..., Any], *args: Any) -> Any:
        if self._error is not None:
            raise self._error
        if self._asked == len(self._answers):
            self._answers.append(self._perform(function, *args))
        self._asked += 1
        return self._answers[self._asked - 1]


__all__ = ["Journal", "Point", "silent"]
