"""What passes that rewrite expressions have in common.

Definitions are shared with the model as it was lowered, which the reference evaluator goes on using: none is ever
changed. One whose body becomes another is copied, once, for all that call it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from enum import Enum
from typing import Any, Final, get_args

from gristmill.ir import nodes
from gristmill.ir.model import Model, Named
from gristmill.ir.nodes import Code, Definition
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.walk import CHILD_FIELDS, REFERENCES, SEARCHED, Role, bodies, reachable, rebuilt


class Position(Enum):
    """What is done with an expression: it is evaluated, or, as an action, solved by giving variables values.

    A formula that can only be tested is evaluated wherever it stands.
    """

    VALUE = "evaluated"
    ACTION = "solved"
    INITIAL = "solved, in the initial predicate"


_POSITIONS: Final[dict[Role, Position]] = {"init": Position.INITIAL, "action": Position.ACTION}
EXPRESSIONS: Final = frozenset(get_args(nodes.Expression))


_MOST_NODES = 3_500  # of a model that passes still make larger; the C compiler takes a second for so many


def room_in(model: Model) -> int:
    """By how many nodes a model may grow."""
    return max(0, _MOST_NODES - sum(1 for _ in reachable(*bodies(model, SEARCHED))))


class Rewriter(ABC):
    """Rewrites expressions and the definitions that they call, each once for each position it is met in."""

    def __init__(self, facts: NativeFacts) -> None:
        self.facts = facts
        self._definitions: dict[tuple[Definition, Position], Definition] = {}
        self._codes: dict[Code, Code] = {}
        self._open: set[tuple[Definition, Position]] = set()  # being rewritten
        self._met_again: set[tuple[Definition, Position]] = set()  # those of them that call themselves

    @abstractmethod
    def rewrite(self, node: Any, position: Position) -> Any:
        """What to put in the place of a node, whose parts are still as they were."""

    def expression(self, node: Any, position: Position) -> Any:
        return self.rewrite(node, self.refined(node, position))

    def refined(self, node: Any, position: Position) -> Position:
        if position is Position.VALUE or type(node) not in EXPRESSIONS:
            return position
        return Position.VALUE if self.facts.is_test(node, position is Position.INITIAL) else position

    def parts(self, node: Any, position: Position) -> Any:
        """A node with its parts rewritten, and the definition that it calls."""
        if type(node) in _WITHOUT_PARTS:
            return node
        if isinstance(node, REFERENCES):
            node = self.with_definition(node, position)
        if type(node) in _ACTIONS_ANYWHERE:
            return rebuilt(node, lambda part: self.expression(part, Position.ACTION))
        solved = None if position is Position.VALUE else _SOLVED_PARTS.get(type(node))
        if solved is None:
            return rebuilt(node, self._evaluated)
        kept = {id(part) for part in solved(node)}
        return rebuilt(node, lambda part: self.expression(part, position if id(part) in kept else Position.VALUE))

    def _evaluated(self, part: Any) -> Any:
        return self.rewrite(part, Position.VALUE)

    def with_definition(self, node: Any, position: Position) -> Any:
        definition = self.definition(node.definition, position)
        return node if definition is node.definition else replace(node, definition=definition)

    def definition(self, definition: Definition, position: Position) -> Definition:
        key = (definition, position)
        found = self._definitions.get(key)
        if found is not None:
            if key in self._open:
                self._met_again.add(key)
            return found
        copy = self._definitions[key] = replace(definition)
        self._open.add(key)
        copy.body = self.body(copy, position)
        self._open.remove(key)
        if copy.body is definition.body and copy.frame_size == definition.frame_size and key not in self._met_again:
            copy = self._definitions[key] = definition
        self.is_done(copy, position)
        return copy

    def is_done(self, definition: Definition, position: Position) -> None:
        """It is met again where what was rewritten is put into something else."""
        self._definitions[definition, position] = definition

    def body(self, definition: Definition, position: Position) -> Any:
        """The new body of a definition, which is a copy already: its frame may grow."""
        return self.expression(definition.body, position)

    def code(self, code: Code, position: Position) -> Code:
        body = self.expression(code.body, position)
        return code if body is code.body else replace(code, body=body)

    def _once(self, code: Code, position: Position) -> Code:
        """Formulas that are the same for several remain so: they share native code."""
        if code not in self._codes:
            self._codes[code] = self.code(code, position)
        return self._codes[code]

    def model(self, model: Model) -> Model:
        """All that is evaluated in every state or at every step."""

        def named(role: Role, formulas: tuple[Named, ...]) -> tuple[Named, ...]:
            return tuple(replace(each, code=self._once(each.code, position_of(role))) for each in formulas)

        obligations = (replace(each, alternatives=named("obligation", each.alternatives)) for each in model.obligations)
        branches = (replace(each, code=self.code(each.code, Position.ACTION)) for each in model.branches)
        return replace(
            model,
            init=None if model.init is None else self.code(model.init, Position.INITIAL),
            branches=tuple(branches),
            invariants=named("invariant", model.invariants),
            constraints=named("constraint", model.constraints),
            action_constraints=named("action_constraint", model.action_constraints),
            implied_inits=named("implied_init", model.implied_inits),
            implied_actions=named("implied_action", model.implied_actions),
            obligations=tuple(obligations),
            view=None if model.view is None else named("view", (model.view,))[0],
        )


def position_of(role: Role) -> Position:
    assert role in SEARCHED
    return _POSITIONS.get(role, Position.VALUE)


def _arms(node: nodes.Case) -> tuple[Any, ...]:
    values = tuple(value for _, value in node.arms)
    return values if node.other is None else (*values, node.other)


# The parts of a node that are solved if the node is. An argument is, where its parameter stands for an action.
_SOLVED_PARTS: dict[type, Any] = {
    nodes.And: lambda node: node.items,
    nodes.Or: lambda node: node.items,
    nodes.Implies: lambda node: (node.right,),
    nodes.If: lambda node: (node.then, node.otherwise),
    nodes.Case: _arms,
    nodes.Let: lambda node: (*node.values, node.body),
    nodes.Quantified: lambda node: (node.body,),
    nodes.Disjunct: lambda node: (node.body,),
    nodes.BoxAction: lambda node: (node.action, node.changed),
    nodes.AngleAction: lambda node: (node.action, node.changed),
    nodes.Call: lambda node: node.args,
    nodes.CallLocal: lambda node: node.args,
    nodes.FunctionApply: lambda node: (node.function,),
    nodes.FunctionLiteral: lambda node: (node.body,),
    nodes.Enabled: lambda node: (node.action,),
    nodes.Cdot: lambda node: (node.first, node.second),
}
_WITHOUT_PARTS: Final = frozenset(kind for kind, fields in CHILD_FIELDS.items() if not fields) - {*REFERENCES}
_ACTIONS_ANYWHERE = (nodes.Enabled, nodes.Cdot)  # their parts are solved wherever they stand
