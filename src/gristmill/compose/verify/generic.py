"""Variables of others that a module writes and does not read, as unknowns.

Only the module that reads such a variable knows its value: in a composition where that module is coarse, nobody keeps
it. But what an action does to it does not depend on its value, so it is enough to compare what the fine and the coarse
action do to one value that is unlike any other: each part of it is a model value of its own (`votedFor[s1]` before the
step). If both lead to the same result there, they write the same values to the same parts, whatever was there before.

In the model, the old value of such a variable is that unknown in every step, and what it becomes is forgotten after the
step (a VIEW leaves it out), so that there are no more states than without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.model import Model, Named, Obligation
from gristmill.ir.nodes import Code
from gristmill.ir.rewrite import Rewriter
from gristmill.source import Span
from gristmill.values import Fn, ModelValue, Value, show


class NoUnknownError(Exception):
    """A value has no parts like those that are written."""


def unknown(name: str, value: Value, depth: int) -> Value:
    """A value of the same shape, down to so many arguments, with unknowns in it."""
    if depth == 0:
        return ModelValue(f"{name} before the step")
    if type(value) is tuple:
        return tuple(unknown(f"{name}[{place}]", each, depth - 1) for place, each in enumerate(value, 1))
    if type(value) is Fn and len(value):
        parts = {key: unknown(f"{name}[{show(key)}]", each, depth - 1) for key, each in value.items()}
        return type(value)(parts)
    raise NoUnknownError(name)


def with_unknowns(model: Model, unknowns: Mapping[int, Value]) -> Model:
    """The model with unknowns for the old values of some variables in all actions and obligations."""
    if not unknowns:
        return model
    rewriter = putting(unknowns)
    return replace(
        model,
        actions=tuple(replace(each, code=rewriter.code(each.code)) for each in model.actions),
        branches=tuple(replace(each, code=rewriter.code(each.code)) for each in model.branches),
        unsplit=tuple(replace(each, code=rewriter.code(each.code)) for each in model.unsplit),
        obligations=tuple(_obligation(each, rewriter) for each in model.obligations),
        view=_view(model, unknowns),
    )


def _obligation(duty: Obligation, rewriter: Rewriter) -> Obligation:
    alternatives = [replace(each, code=rewriter.code(each.code)) for each in duty.alternatives]
    return replace(duty, alternatives=tuple(alternatives))


def putting(unknowns: Mapping[int, Value]) -> Rewriter:
    """Puts unknowns in the place of old values."""
    return Rewriter(_change(unknowns))


def _change(unknowns: Mapping[int, Value]) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        match node:
            case nodes.Variable(index, False, _, span) if index in unknowns:
                return nodes.Literal(unknowns[index], span)
            case nodes.Unchanged(variables, span) if any(each in unknowns for each in variables):
                return _unchanged(variables, span, unknowns)
        return node

    return change


def _unchanged(variables: Sequence[int], span: Span, unknowns: Mapping[int, Value]) -> nodes.Expression:
    known = tuple(each for each in variables if each not in unknowns)
    parts: list[nodes.Expression] = [nodes.Unchanged(known, span)] if known else []
    for index in variables:
        if index in unknowns:
            after = nodes.Variable(index, True, "", span)
            parts.append(nodes.Equal(after, nodes.Literal(unknowns[index], span), span))
    return parts[0] if len(parts) == 1 else nodes.And(tuple(parts), span)


def _view(model: Model, unknowns: Mapping[int, Value]) -> Named:
    assert model.init is not None
    span = model.init.span
    known = [index for index in range(len(model.variables)) if index not in unknowns]
    items = tuple(nodes.Variable(index, False, model.variables[index], span) for index in known)
    return Named("what is known", Code(nodes.TupleLiteral(items, span), 0, "what is known", span))
