"""Evaluates what is the same in every state, and decides what follows from it.

A constant expression becomes a literal; a LET value that is one, or that is but another name, is put where its name
stands; connectives, IF and CASE lose what a literal decides. What fails when it is evaluated stays, since it may never
be evaluated; so does what would be a great effort. Conjuncts before a FALSE stay, too: one of them may fail. In an
action, a constant formula stays that can be true in several ways, since each of them is a step: `TRUE \\/ TRUE`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from operator import is_
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Definition, Expression, Let, Literal, Local
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.passes.rewrite import EXPRESSIONS, Position, Rewriter
from gristmill.ir.substitute import with_names
from gristmill.ir.walk import nodes_of
from gristmill.values import FALSE, TRUE


def fold_constants(model: Model, facts: NativeFacts) -> Model:
    return Folding(facts, shown_slots(model), enters=True).model(model)


def shown_slots(model: Model) -> frozenset[int]:
    """Slots of frames of actions that are read for the parameters of a step that has been taken."""
    values = (value for action in model.actions for _, value in action.parameters)
    return frozenset(node.slot for value in values for node in nodes_of(value) if isinstance(node, Local))


class Folding(Rewriter):
    """`shown`: slots whose LETs stay. (Slots of other frames that happen to have these numbers do no harm.)

    `enters`: whether to look into definitions. Other passes, which fold what they have just made, do not.
    """

    def __init__(self, facts: NativeFacts, shown: Collection[int] = (), enters: bool = False) -> None:
        super().__init__(facts)
        self._shown, self._enters = shown, enters

    def definition(self, definition: Definition, position: Position) -> Definition:
        return super().definition(definition, position) if self._enters else definition

    def rewrite(self, node: Any, position: Position) -> Any:
        if isinstance(node, Literal):
            return node
        found = self._folded(node, position)
        if found is not None:
            return found
        if isinstance(node, Let):
            return self._let(node, position)
        new = self.parts(node, position)
        simpler = simplified(new)
        return simpler if simpler is node else self._folded(simpler, position) or simpler

    def _folded(self, node: Any, position: Position) -> Literal | None:
        if position is not Position.VALUE or isinstance(node, Literal) or type(node) not in EXPRESSIONS:
            return None
        value = self.facts.value(node)
        return None if value is None else Literal(value, node.span)

    def _let(self, node: Let, position: Position) -> Expression:
        """Names of literals and of other slots go; what is defined by them may be a literal then, in turn."""
        values = tuple(self.expression(value, position) for value in node.values)
        given = zip(node.slots, values, strict=True)
        names = {slot: value for slot, value in given if _is_name_or_literal(value, node.slots)}
        if not names:
            body = self.expression(node.body, position)
            same = body is node.body and all(map(is_, values, node.values))
            return node if same else replace(node, values=values, body=body)
        left = [n for n, slot in enumerate(node.slots) if slot not in names or slot in self._shown]
        inner = tuple(with_names(values[n], names) for n in left)
        body = with_names(node.body, names)
        if not left:
            return self.expression(body, position)  # type: ignore[no-any-return]
        slots, spelt = tuple(node.slots[n] for n in left), tuple(node.names[n] for n in left)
        if any(new is not values[n] for new, n in zip(inner, left, strict=True)):
            return self._let(Let(slots, spelt, inner, body, node.span), position)
        return Let(slots, spelt, inner, self.expression(body, position), node.span)


def _is_name_or_literal(node: Any, bound: Collection[int]) -> bool:
    return isinstance(node, Literal) or (isinstance(node, Local) and node.depth == 0 and node.slot not in bound)


def simplified(node: Expression) -> Expression:
    """What a formula comes to whose parts have become literals, wherever it stands."""
    match node:
        case nodes.And(items):
            return _conjunction(node, items)
        case nodes.Or(items):
            left = tuple(item for item in items if not _is(item, FALSE))
            return _joined(node, left) if left else Literal(FALSE, node.span)
        case nodes.Implies(left, right) if _is(left, TRUE):
            return nodes.And((right,), node.span)
        case nodes.Implies(left, _) if _is(left, FALSE):
            return Literal(TRUE, node.span)
        case nodes.If(condition, then, otherwise) if _is(condition, TRUE) or _is(condition, FALSE):
            return then if _is(condition, TRUE) else otherwise
        case nodes.Case():
            return _case(node)
        case nodes.Quantified(universal, (bound,), _) if _is_empty(bound):
            return Literal(TRUE if universal else FALSE, node.span)
        case _:
            return node


def _conjunction(node: nodes.And, items: Sequence[Expression]) -> Expression:
    left: list[Expression] = []
    for item in items:
        if not _is(item, TRUE):
            left.append(item)
        if _is(item, FALSE):
            break
    return _joined(node, tuple(left)) if left else Literal(TRUE, node.span)


def _joined(node: nodes.And | nodes.Or, items: tuple[Expression, ...]) -> Expression:
    if len(items) == 1 and isinstance(items[0], _FORMULAS):
        return items[0]
    return node if len(items) == len(node.items) else replace(node, items=items)


def _case(node: nodes.Case) -> Expression:
    """Without arms that are never taken; with none left, and no OTHER, evaluating it fails as before."""
    arms, other = [], node.other
    for guard, value in node.arms:
        if _is(guard, TRUE):
            other = value
            break
        if not _is(guard, FALSE):
            arms.append((guard, value))
    if not arms:
        return node if other is None else other
    return node if len(arms) == len(node.arms) else replace(node, arms=tuple(arms), other=other)


def _is(node: Expression, truth: object) -> bool:
    return isinstance(node, Literal) and node.value is truth


def _is_empty(bound: nodes.Bound) -> bool:
    return isinstance(bound.domain, Literal) and bound.domain.value == frozenset()


# A conjunction or disjunction of one of these is that formula; of anything else, a test that it is a formula.
_FORMULAS = (
    *(nodes.And, nodes.Or, nodes.Not, nodes.Implies, nodes.Equivalent, nodes.Equal, nodes.Member),
    *(nodes.Quantified, nodes.Unchanged, nodes.Enabled, nodes.Disjunct),
)
