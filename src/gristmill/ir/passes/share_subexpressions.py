"""Evaluates once what is written several times, and is some work: a LET takes its value.

`Cardinality({m \\in msgs : P(m)}) > 2 /\\ f[Cardinality({m \\in msgs : P(m)})] = 0` has it twice. Shared is what is
certainly evaluated where the LET stands, so that no evaluation is added and none can fail that would not have been met;
what depends on this state and its frame alone; and what has a loop in it, also by way of a definition, since anything
else costs less than to keep it. (A definition without parameters is evaluated once a state in any case.) In an action
it must be a mere test: of a formula that is true in several ways, each is a step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.alike import structure
from gristmill.ir.model import Model
from gristmill.ir.nodes import Call, Code, Definition, Expression, Let, Local
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.passes.rewrite import EXPRESSIONS, Position, Rewriter
from gristmill.ir.strictness import evaluated_first
from gristmill.ir.walk import SEARCHED, bodies, nodes_of, reachable, rebuilt

_LOOPS = (nodes.Quantified, nodes.Choose, nodes.SetFilter, nodes.SetMap, nodes.FunctionLiteral)


def share_subexpressions(model: Model, facts: NativeFacts) -> Model:
    sharing = _Sharing(facts)
    return sharing.model(model) if any(map(sharing.may_share, _bodies(model))) else model


def _bodies(model: Model) -> Iterator[Expression]:
    """Where a LET may be put: around formulas, definitions, and what is evaluated for each value of a name."""
    yield from bodies(model, SEARCHED)
    for node in reachable(*bodies(model, SEARCHED)):
        match node:
            case nodes.Quantified(_, _, body) | nodes.SetMap(_, body) | nodes.FunctionLiteral(_, body):
                yield body
            case nodes.Choose(_, body) | nodes.SetFilter(_, body) | nodes.Let(_, _, _, body):
                yield body
            case nodes.Call(definition) | nodes.OperatorArgument(definition) if definition.body is not None:
                yield definition.body


class _Sharing(Rewriter):
    def __init__(self, facts: NativeFacts) -> None:
        super().__init__(facts)
        self._size = 0  # of the frame of what is being rewritten

    def rewrite(self, node: Any, position: Position) -> Any:
        """Binders are where names begin to have a meaning: what reads them can be shared inside."""
        new = self.parts(node, position)
        match new:
            case nodes.Quantified(_, _, body) | nodes.SetMap(_, body) | nodes.FunctionLiteral(_, body):
                return self._with_body(new, "body", body, position)
            case nodes.Choose(_, body) | nodes.Let(_, _, _, body):
                return self._with_body(new, "body", body, position)
            case nodes.SetFilter(_, predicate):
                return self._with_body(new, "predicate", predicate, position)
            case _:
                return new

    def _with_body(self, node: Any, field: str, body: Expression, position: Position) -> Any:
        shared = self._shared(body, position)
        return node if shared is body else replace(node, **{field: shared})

    def body(self, definition: Definition, position: Position) -> Any:
        outside, self._size = self._size, definition.frame_size
        body = self._shared(super().body(definition, position), position)
        definition.frame_size, self._size = self._size, outside
        return body

    def code(self, code: Code, position: Position) -> Code:
        self._size = code.frame_size
        body = self._shared(self.expression(code.body, position), position)
        return code if body is code.body else replace(code, body=body, frame_size=self._size)

    # ------------------------------------------------------------------------------------------------------- sharing

    def may_share(self, body: Expression) -> bool:
        """Whether there is something to be shared, if it is not solved as an action."""
        return self._found(body, Position.VALUE) is not None

    def _shared(self, body: Expression, position: Position) -> Expression:
        each = None if position is Position.INITIAL else self._found(body, position)
        if each is None:
            return body
        slot, self._size = self._size, self._size + 1
        inner = self._shared(_Same(each).replaced(body, Local(0, slot, "shared", each.span)), position)
        return Let((slot,), ("shared",), (each,), inner, body.span)

    def _found(self, body: Expression, position: Position) -> Expression | None:
        if self.facts.has_effects(body):
            return None
        found = (each for each in self._candidates(body, position) if _Same(each).is_twice_in(body))
        return next(found, None)

    def _candidates(self, body: Expression, position: Position) -> Iterator[Expression]:
        """What is certainly evaluated, the larger before its parts.

        What reads a name of a LET has no value outside of that; it is shared inside.
        """
        waiting: list[tuple[Any, frozenset[int]]] = [(body, frozenset())]
        while waiting:
            node, inner = waiting.pop(0)
            if node is not body and not _reads(node, inner) and self._is_worth_it(node, position):
                yield node
            if isinstance(node, Let):
                inner |= {*node.slots}
            waiting.extend((each, inner) for each in evaluated_first(node))

    def _is_worth_it(self, node: Any, position: Position) -> bool:
        if type(node) not in EXPRESSIONS or not self.facts.is_of_this_state(node):
            return False
        if self.refined(node, position) is not Position.VALUE:
            return False
        if isinstance(node, Call) and not node.args and not node.definition.nested:
            return False
        return any(isinstance(each, _LOOPS) for each in reachable(node))


def _reads(node: Any, slots: frozenset[int]) -> bool:
    """Whether it may; slots of other frames are not told apart."""
    return bool(slots) and any(isinstance(each, Local) and each.slot in slots for each in nodes_of(node))


class _Same:
    """Which expressions say the same as a given one."""

    def __init__(self, wanted: Expression) -> None:
        self._kind, self._structure = type(wanted), structure(wanted)

    def holds(self, node: Any) -> bool:
        return type(node) is self._kind and structure(node) == self._structure

    def is_twice_in(self, body: Expression) -> bool:
        return sum(map(self.holds, nodes_of(body))) > 1

    def replaced(self, node: Any, name: Local) -> Any:
        if self.holds(node):
            return replace(name, span=node.span)
        return rebuilt(node, lambda part: self.replaced(part, name))
