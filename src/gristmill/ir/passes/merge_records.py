"""Writes records as records: `"a" :> x` is `[a |-> x]`, and `[a |-> x] @@ [b |-> y]` is `[a |-> x, b |-> y]`.

A record that is written out goes straight into the slots of a variable, field by field. Of a field that both sides of
`@@` have, the right one is not evaluated any more, so it must be one that cannot fail. Records are also found in
definitions without parameters.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Call, Expression, Literal, Primitive, RecordLiteral
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.passes.rewrite import Position, Rewriter
from gristmill.ir.walk import SEARCHED, Reference, bodies, bound_slots, nodes_of, reachable
from gristmill.library import Form
from gristmill.values import Fn


def merge_records(model: Model, facts: NativeFacts) -> Model:
    found = any(_is(node, Form.SINGLE) or _is(node, Form.MERGE) for node in reachable(*bodies(model, SEARCHED)))
    return _Merging(facts).model(model) if found else model


class _Merging(Rewriter):
    def rewrite(self, node: Any, position: Position) -> Any:
        new = self.parts(node, position)
        if _is_single(new):
            key, value = new.args
            return RecordLiteral((key.value,), (value,), new.span)
        if _is(new, Form.MERGE):
            return _merged(new) or new
        return new


def _is(node: Any, form: Form) -> TypeGuard[Primitive]:
    return isinstance(node, Primitive) and node.operator.form is form


def _is_single(node: Any) -> bool:
    """Of a field: `"a" :> x`."""
    return (
        _is(node, Form.SINGLE)
        and isinstance(node.args[0], Literal)
        and isinstance(node.args[0].value, str)
        and not isinstance(node.args[1], nodes.OperatorArgument | nodes.LocalOperator | nodes.PrimitiveOperator)
    )


def _merged(node: Primitive) -> Expression | None:
    left, right = map(_record, node.args)
    if left is None:
        return None
    if right is None:
        return _with_more(node, left)
    fields = dict(zip(left.names, left.values, strict=True))
    for name, value in zip(right.names, right.values, strict=True):
        if name not in fields:
            fields[name] = value
        elif not isinstance(value, Literal):  # it may fail
            return None
    return RecordLiteral(tuple(fields), tuple(fields.values()), node.span)


def _with_more(node: Primitive, left: RecordLiteral) -> Expression | None:
    """`l @@ (r @@ x)` is as good as `(l @@ r) @@ x`, but for what is evaluated first."""
    given, rest = node.args[0], node.args[1]
    if _is(rest, Form.MERGE):
        both = _merged(Primitive(node.operator, (left, rest.args[0]), node.span))
        if isinstance(both, RecordLiteral):
            return Primitive(node.operator, (both, rest.args[1]), node.span)
    return None if given is left else Primitive(node.operator, (left, rest), node.span)


def _record(node: Any) -> RecordLiteral | None:
    """A record that is written out, also one that a definition is."""
    match node:
        case RecordLiteral():
            return node
        case Literal(Fn() as value, span) if all(type(key) is str for key in value):
            return RecordLiteral(tuple(value), tuple(Literal(value[key], span) for key in value), span)  # type: ignore[arg-type]
        case Call(definition, ()) if not definition.nested and not definition.recursive and not _binds(definition.body):
            return _record(definition.body)
    return None


def _binds(body: Expression | None) -> bool:
    """Whether an expression needs slots of its own frame."""
    return body is None or any(map(_needs_frame, nodes_of(body)))


def _needs_frame(node: Any) -> bool:
    return bool(bound_slots(node)) or (isinstance(node, Reference) and node.definition.nested)
