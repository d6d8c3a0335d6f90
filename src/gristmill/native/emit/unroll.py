"""Function literals and set filters over sets that are known beforehand, written out element by element.

There is no IR for them: it depends on the layout where their values go. What is written for an element is the IR of the
body with the element in the place of the name, specialised as the passes do it (`ir.passes.unroll_quantifiers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from gristmill.ir.nodes import Bound, Expression
from gristmill.native.emit.emitter import Emitter
from gristmill.values import Value

Instance: TypeAlias = tuple[tuple[Value, ...], Expression]  # the values of the names, and the body for them


def instances(emitter: Emitter, bounds: Sequence[Bound], body: Expression) -> list[Instance] | None:
    """In the order of the loop, if it is to be written out."""
    return emitter.program.unrolling.instances(tuple(bounds), body, emitter.copies)


@contextmanager
def copied(emitter: Emitter, copies: int) -> Iterator[None]:
    """One of so many copies of a text is written."""
    before, emitter.copies = emitter.copies, emitter.copies * max(1, copies)
    yield
    emitter.copies = before
