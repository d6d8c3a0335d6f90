"""Loops over sets that are known beforehand, written out element by element.

Then the names that are bound are constants: what they select is a slot, guards about them alone are decided, and sets
made of them are made once. It is done as long as the text does not grow too much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any

from gristmill.ir.nodes import Bound, Call
from gristmill.ir.walk import children
from gristmill.native.emit.emitter import Emitter
from gristmill.native.emit.scope import Known
from gristmill.values import Value, cardinality, enumerate_set, is_enumerable
from gristmill.values.operations.sets import counts_quickly

_MAX_ELEMENTS = 40
_MAX_NODES = 1_000  # of what is written instead of one loop
_MAX_TEXT = 120_000  # characters of C, from which on nothing more is written out

Binding = dict[int, Value]


def bindings(emitter: Emitter, bounds: Sequence[Bound], *bodies: Any) -> list[Binding] | None:
    """All values of the bound names in the order of the loop, if it is to be written out."""
    if emitter.program.length > _MAX_TEXT:
        return None
    columns: list[list[Binding]] = []
    total = 1
    for bound in bounds:
        column = _column(emitter, bound)
        if column is None:
            return None
        columns += column
        for each in column:
            total *= len(each)
    weight = sum(size_of(emitter, body) for body in bodies)
    if total > _MAX_ELEMENTS or emitter.copies * total * weight > _MAX_NODES:
        return None
    return [{slot: value for part in parts for slot, value in part.items()} for parts in product(*reversed(columns))]


def _column(emitter: Emitter, bound: Bound) -> list[list[Binding]] | None:
    """For each name, or all names of a tuple together, what they may be."""
    domain = emitter.fold(bound.domain)
    if domain is None or not is_enumerable(domain) or not counts_quickly(domain) or cardinality(domain) > _MAX_ELEMENTS:
        return None
    elements = list(enumerate_set(domain))
    if not bound.is_tuple:
        return [[{slot: element} for element in elements] for slot in bound.slots]
    tuples = [element for element in elements if type(element) is tuple and len(element) == len(bound.slots)]
    if len(tuples) < len(elements):
        return None
    return [[dict(zip(bound.slots, element, strict=True)) for element in tuples]]


@contextmanager
def bound_to(emitter: Emitter, binding: Binding, copies: int) -> Iterator[None]:
    """One of so many copies of a text, with names that are known: their slots are not even filled."""
    before = emitter.copies
    emitter.copies *= max(1, copies)
    scope = emitter.scope
    around = dict(scope.known)
    scope.known.update((slot, Known(value)) for slot, value in binding.items())
    yield
    scope.known.clear()
    scope.known.update(around)
    emitter.copies = before


def in_each(emitter: Emitter, found: list[Binding], write: Callable[[], None]) -> None:
    """Write something once for each binding."""
    for binding in found:
        with emitter.block(), bound_to(emitter, binding, len(found)):
            write()


def size_of(emitter: Emitter, node: Any) -> int:
    """About how much there is to write for an expression: its nodes, and those of definitions that are written out."""
    sizes = emitter.program.sizes
    known = sizes.get(id(node))
    if known is None:
        sizes[id(node)] = (node, 1)  # a definition that calls itself is written once
        total = 1 + sum(size_of(emitter, child) for child in children(node))
        if isinstance(node, Call) and not emitter.program.analysis.is_test(node, emitter.mode.initial):
            total += size_of(emitter, node.definition.body)
        known = sizes[id(node)] = (node, min(total, _MAX_NODES + 1))
    return known[1]
