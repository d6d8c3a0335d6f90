"""Predicates that differ in nothing but values: `\\A m \\in S : WF_v(A(m))` has one for each element of S.

Few of them are written out, each for its own value, which is the fastest to run. Many are mostly a burden for the
compiler: then there is one function, which is given the values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from gristmill.ir.nodes import Call, Code, Expression, Let, Literal
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import Value

_MANY_CODES = 40  # below that, nothing is shared
_MANY_INSTANCES = 2


@dataclass(frozen=True, slots=True)
class Instance:
    """`code` is what is evaluated in a frame whose `slots` hold the values."""

    code: Code
    slots: tuple[int, ...]
    values: tuple[Value, ...]

    def key(self) -> Hashable:
        """The same for instances of one formula."""
        return id(self.code.body), self.code.frame_size, self.slots


def many_instances(codes: Sequence[Code]) -> list[Instance | None]:
    """Of each, if it is one of many: what it has in common with those."""
    if len(codes) < _MANY_CODES:
        return [None] * len(codes)
    found = [_instance(code) for code in codes]
    count = Counter(each.key() for each in found if each is not None)
    return [each if each is not None and count[each.key()] >= _MANY_INSTANCES else None for each in found]


def _instance(code: Code) -> Instance | None:
    body, frame_size = code.body, code.frame_size
    while isinstance(body, Call):
        definition = body.definition
        if body.args or definition.nested or definition.recursive or definition.body is None:
            break
        body, frame_size = definition.body, definition.frame_size
    slots: list[int] = []
    values: list[Value] = []
    while isinstance(body, Let) and _are_literals(body.values):
        slots += body.slots
        values += [each.value for each in body.values if isinstance(each, Literal)]
        body = body.body
    if not slots:
        return None
    return Instance(Code(body, frame_size, code.name, code.span), tuple(slots), tuple(values))


def _are_literals(values: Sequence[Expression]) -> bool:
    return all(isinstance(each, Literal) for each in values)
