"""Expressions that say the same: they differ in the slots that they bind, in names and in places, and nothing else."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import count
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.nodes import Literal
from gristmill.ir.walk import CHILD_FIELDS, Node, Reference, bound_slots

_NOT_COMPARED = frozenset(("span", "slots", "names", "name", "self_slot", "at_slot"))
_different = count()


def structure(node: Node) -> Hashable:
    """The same for expressions of one frame that are alike. A definition is alike to itself alone."""
    return _structure(node, {})


def structure_with_slots(node: Node) -> Hashable:
    """The same only for those that bind the same slots, too."""
    return _structure(node, None)


def _structure(node: Any, bound: Mapping[int, int] | None) -> Hashable:
    match node:
        case Literal(value):
            return (
                str(type(value)),
                value,
            )  # 1..2 is printed otherwise than {1, 2}
        case nodes.Local(0, slot) if bound and slot in bound:
            return ("bound", bound[slot])
        case nodes.Local(depth, slot) | nodes.LocalOperator(depth, slot):
            return (type(node), depth, slot)
        case nodes.CallLocal(depth, slot, _, args):
            return (nodes.CallLocal, depth, slot, *(_structure(arg, bound) for arg in args))
    if isinstance(node, Reference) and node.definition.nested and bound:
        return ("nested", next(_different))  # it may read what is bound, by its slot
    new = bound_slots(node)
    if bound is None:
        return (type(node).__name__, new, *(_field(node, name, None) for name in _compared(type(node))))
    inner = {**bound, **{slot: len(bound) + number for number, slot in enumerate(new)}} if new else bound
    return (type(node).__name__, len(new), *(_field(node, name, inner) for name in _compared(type(node))))


def _field(node: Any, name: str, bound: Mapping[int, int] | None) -> Hashable:
    value = getattr(node, name)
    return _parts(value, bound) if name in CHILD_FIELDS[type(node)] else value


def _parts(value: Any, bound: Mapping[int, int] | None) -> Hashable:
    if type(value) is tuple:
        return tuple(_parts(each, bound) for each in value)
    return None if value is None else _structure(value, bound)


def _compared(kind: type) -> tuple[str, ...]:
    """Names of fields and records are part of what they are; those of slots are not."""
    skipped = _NOT_COMPARED - {"names", "name"} if kind in _NAMED else _NOT_COMPARED
    return tuple(name for name in kind.__annotations__ if name not in skipped)


_NAMED = (nodes.RecordLiteral, nodes.RecordSet, nodes.FieldAccess)
