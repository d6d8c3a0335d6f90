"""The records that an action may send, and which of their fields are parameters of the action.

A record literal counts as sent if it has the field that tells messages apart: what else is a record of that form is not
looked for, so more may be named than is sent, never less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.explain.text import text_of
from gristmill.ir import nodes
from gristmill.ir.model import Action
from gristmill.ir.nodes import Definition
from gristmill.ir.walk import Node, children
from gristmill.library import Form
from gristmill.watch.derive.monitor import Template

_DEEPEST = 64  # calls: recursive definitions send nothing new below


@dataclass(frozen=True, slots=True)
class Parameter:
    """Of the action."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    value: object


Resolved = Parameter | Constant | None  # None: computed from something


class Frame:
    """What the slots of a frame hold, as far as that is known, and the frame around it."""

    def __init__(self, parent: Frame | None = None) -> None:
        self.slots: dict[int, Resolved] = {}
        self.operators: dict[int, tuple[Definition, Frame | None]] = {}
        self.parent = parent

    def up(self, depth: int) -> Frame | None:
        frame: Frame | None = self
        for _ in range(depth):
            frame = None if frame is None else frame.parent
        return frame

    def resolve(self, node: Node) -> Resolved:
        if isinstance(node, nodes.Literal):
            return Constant(node.value)
        if isinstance(node, nodes.Local):
            frame = self.up(node.depth)
            return None if frame is None else frame.slots.get(node.slot)
        return None


def sent_records(action: Action, kind_field: str) -> tuple[Template, ...]:
    frame = Frame()
    for name, expression in action.parameters:
        if isinstance(expression, nodes.Local) and expression.depth == 0:
            frame.slots[expression.slot] = Parameter(name)
    found = _records(action.code.body, frame, kind_field, 0)
    return tuple(dict.fromkeys(_hashable(each) for each in found))


def _hashable(template: Template) -> Template:
    reveals, computed, shows = _Frozen(template.reveals), _Frozen(template.computed), _Frozen(template.shows)
    return Template(template.kind, template.kind_field, template.fields, reveals, computed, shows)


class _Frozen(dict[str, Any]):
    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


def _records(node: Node, frame: Frame, kind_field: str, depth: int) -> Iterator[Template]:
    match node:
        case nodes.RecordLiteral(names, values) if kind_field in names:
            yield _template(dict(zip(names, values, strict=True)), frame, kind_field)
        case nodes.Let(slots, _, values, _):
            for slot, value in zip(slots, values, strict=True):
                frame.slots[slot] = frame.resolve(value)
        case nodes.Call(definition, args, up) if definition.body is not None and depth < _DEEPEST:
            inner = _called(definition, args, frame, frame.up(up) if definition.nested else None)
            yield from _records(definition.body, inner, kind_field, depth + 1)
        case nodes.CallLocal(up, slot, _, args):
            around = frame.up(up)
            known = None if around is None else around.operators.get(slot)
            if known is not None and known[0].body is not None and depth < _DEEPEST:
                inner = _called(known[0], args, frame, known[1])
                yield from _records(known[0].body, inner, kind_field, depth + 1)
    for child in children(node):
        yield from _records(child, frame, kind_field, depth)


def _called(definition: Definition, args: tuple[nodes.Argument, ...], frame: Frame, parent: Frame | None) -> Frame:
    inner = Frame(parent)
    for slot, argument in enumerate(args):
        if isinstance(argument, nodes.OperatorArgument):
            around = frame.up(argument.depth) if argument.definition.nested else None
            inner.operators[slot] = argument.definition, around
        else:
            inner.slots[slot] = frame.resolve(argument)
    return inner


def _template(fields: Mapping[str, nodes.Expression], frame: Frame, kind_field: str) -> Template:
    reveals, computed, shows = dict[str, str](), dict[str, str](), dict[str, tuple[str, str, int]]()
    for name, value in fields.items():
        known, shown = frame.resolve(value), _shown(value, frame)
        if shown is not None:
            shows[name] = shown
        if isinstance(known, Parameter):
            reveals.setdefault(known.name, name)
        elif name != kind_field:
            computed[name] = text_of(value)
    kind = frame.resolve(fields[kind_field])
    is_text = isinstance(kind, Constant) and isinstance(kind.value, str)
    constant = str(kind.value) if is_text and isinstance(kind, Constant) else None
    return Template(constant, kind_field, frozenset(fields), reveals, computed, shows)


def _shown(value: nodes.Expression, frame: Frame) -> tuple[str, str, int] | None:
    """`variable[parameter]`, also with a number added."""
    match value:
        case nodes.FunctionApply(nodes.Variable(_, False, name), argument):
            known = frame.resolve(argument)
            return (name, known.name, 0) if isinstance(known, Parameter) else None
        case nodes.Primitive(operator, (nodes.FunctionApply() as left, nodes.Literal(number))):
            found = _shown(left, frame) if operator.form is Form.ADD else None
            return (found[0], found[1], number) if found is not None and type(number) is int else None
        case _:
            return None


def consumed_kinds(action: Action, message: str, kind_field: str) -> tuple[str, ...]:
    """The kinds that `message.kind = "…"` in the guard allows; nothing if it is not read off."""
    frame = Frame()
    for name, expression in action.parameters:
        if isinstance(expression, nodes.Local) and expression.depth == 0:
            frame.slots[expression.slot] = Parameter(name)
    return tuple(dict.fromkeys(_kinds(action.code.body, frame, message, kind_field, 0)))


def _kinds(node: Node, frame: Frame, message: str, kind_field: str, depth: int) -> Iterator[str]:
    """Along conjunctions only: what is under a disjunction or a negation decides nothing by itself."""
    match node:
        case nodes.Quantified(False, _, body):
            yield from _kinds(body, frame, message, kind_field, depth)
        case nodes.Let(slots, _, values, body):
            for slot, value in zip(slots, values, strict=True):
                frame.slots[slot] = frame.resolve(value)
            yield from _kinds(body, frame, message, kind_field, depth)
        case nodes.And(items):
            for item in items:
                yield from _kinds(item, frame, message, kind_field, depth)
        case nodes.Disjunct(_, body):
            yield from _kinds(body, frame, message, kind_field, depth)
        case nodes.Call(definition, args, up) if definition.body is not None and depth < _DEEPEST:
            inner = _called(definition, args, frame, frame.up(up) if definition.nested else None)
            yield from _kinds(definition.body, inner, message, kind_field, depth + 1)
        case nodes.Equal(left, right):
            for one, other in ((left, right), (right, left)):
                if isinstance(one, nodes.FieldAccess) and one.name == kind_field:
                    meant = frame.resolve(other)
                    if frame.resolve(one.record) == Parameter(message) and isinstance(meant, Constant):
                        yield str(meant.value)
