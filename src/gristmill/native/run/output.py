"""What is printed in a search in any order: heard from those who evaluate, printed when its turn has come.

The core hands it over in the order of one worker (`gm_model.said`): values, with the number of what prints them, or
texts that the reference evaluator has printed in the place of native code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from struct import Struct
from typing import Final, TypeVar

from gristmill.native.codec import decode_call
from gristmill.native.plan.printing import ByPython
from gristmill.reference.model import SpecificationModel
from gristmill.search.profile import Costs, What

T = TypeVar("T")

_HEAD: Final = Struct("=QII")  # gm_saying
_TEXT: Final = b"\0"  # what begins with it is a text
_MOST_KNOWN: Final = 4_096  # texts


def text_said(text: str) -> bytes:
    return _TEXT + text.encode("utf-8", "surrogatepass")


class Output:
    """`print`: where lines go."""

    def __init__(self, searchable: SpecificationModel, print: Callable[[str], None]) -> None:
        self._context = searchable.evaluator.context
        self._print = print
        self._known: dict[bytes, tuple[What, list[str]]] = {}  # by whom, and the lines, of what is said again and again

    def overheard(self, steps: Iterator[T], say: Callable[[Sequence[str]], None]) -> Iterator[T]:
        """The same steps; the lines that are printed to find each of them are said before it."""
        while True:
            with self._listening() as lines:
                try:
                    step = next(steps, None)
                finally:
                    if lines:
                        say(lines)
            if step is None:
                return
            yield step

    @contextmanager
    def _listening(self) -> Iterator[list[str]]:
        lines: list[str] = []
        output, self._context.output = self._context.output, lines.append
        try:
            yield lines
        finally:
            self._context.output = output

    def hear(self, data: bytes, primitives: Sequence[ByPython], asked: Costs) -> None:
        """Print what was said."""
        clock, at = time.perf_counter, 0
        while at < len(data):
            started, start = clock(), at + _HEAD.size
            at = start + _HEAD.unpack_from(data, at)[2]
            what, lines = self._lines(data[start:at], primitives)
            for line in lines:
                self._print(line)
            asked.add(what, clock() - started)

    def _lines(self, said: bytes, primitives: Sequence[ByPython]) -> tuple[What, list[str]]:
        known = self._known.get(said)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[said] = self._printed(said, primitives)
        return known

    def _printed(self, said: bytes, primitives: Sequence[ByPython]) -> tuple[What, list[str]]:
        if said.startswith(_TEXT):
            return ("operator", "text"), [said[1:].decode("utf-8", "surrogatepass")]
        number, values = decode_call(said)
        operator = primitives[number - 1]
        with self._listening() as lines:
            operator.function_to_value(self._context)(*values)
        return ("operator", str(operator)), lines


__all__ = ["Output", "text_said"]
