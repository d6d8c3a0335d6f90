"""Gives a definition a version of its own for arguments that are known: literals, variables, operators, and calls that
are evaluated once a state in any case.

In it they stand where the parameters stood, which are gone. So an operator that takes operators becomes one that does
not, wherever these are known: a definition, an operator of the library, or a LAMBDA that reads nothing of the code
around it. Calls with the same known arguments share a version.

A version is only made of a definition without effects: without parameters it might be taken for a constant one, which
is evaluated once. (That includes `\\cdot`, inside of which a variable is that of another state.) Initial predicates
give variables their values: there, none stands in the place of a parameter.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import (
    Call,
    Definition,
    Expression,
    Literal,
    Local,
    OperatorArgument,
    PrimitiveOperator,
    Variable,
)
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.passes.fold_constants import Folding
from gristmill.ir.passes.rewrite import Position, Rewriter, room_in
from gristmill.ir.substitute import Replacement, with_names
from gristmill.ir.walk import Reference, nodes_of

_MOST_VERSIONS = 200  # of one definition

Known = dict[int, Replacement]  # by number of the parameter


def specialise_calls(model: Model, facts: NativeFacts) -> Model:
    return Specialising(facts, room_in(model)).model(model)


class Specialising(Rewriter):
    """`room`: for how many nodes of further versions."""

    def __init__(self, facts: NativeFacts, room: int) -> None:
        super().__init__(facts)
        self._versions: dict[Definition, dict[Hashable, Definition]] = {}
        self._independent: dict[Definition, Definition] = {}
        self.room = room

    def rewrite(self, node: Any, position: Position) -> Any:
        if not isinstance(node, Call) or not node.args:
            return self.parts(node, position)
        args = tuple(self.expression(arg, position) for arg in node.args)
        known = self._known(node.definition, args, position)
        version = self._version(node.definition, known, position) if known else None
        if version is None:
            return self.with_definition(replace(node, args=args), position)
        left = tuple(arg for number, arg in enumerate(args) if number not in known)
        return replace(node, definition=version, args=left)

    def _known(self, definition: Definition, args: Sequence[Any], position: Position) -> Known:
        if definition.body is None or self.facts.has_effects(definition.body):
            return {}
        found: Known = {}
        for number, arg in enumerate(args):
            match arg:
                case Literal() | PrimitiveOperator():
                    found[number] = arg
                case Variable(_, False) if position is not Position.INITIAL:
                    found[number] = arg
                case Call() if position is not Position.INITIAL and self.facts.is_remembered(arg):
                    found[number] = arg
                case OperatorArgument(given, _, span) if (independent := self._apart(given)) is not None:
                    found[number] = OperatorArgument(independent, 0, span)
        return found

    def _apart(self, definition: Definition) -> Definition | None:
        """A definition that needs no frame around it, also a LAMBDA that reads nothing there; None if it needs one."""
        if not definition.nested:
            return definition
        if definition.body is None or any(map(_needs_frame, nodes_of(definition.body))):
            return None
        found = self._independent.get(definition)
        if found is None:
            found = self._independent[definition] = replace(definition, nested=False)
        return found

    def _version(self, definition: Definition, known: Known, position: Position) -> Definition | None:
        """None if there are too many already."""
        versions = self._versions.setdefault(definition, {})
        key = (position, *((number, self._key(each)) for number, each in sorted(known.items())))
        found = versions.get(key)
        if found is None:
            assert definition.body is not None
            size = sum(1 for _ in nodes_of(definition.body))
            if len(versions) >= _MOST_VERSIONS or size > self.room:
                return None
            self.room -= size
            body = with_names(definition.body, self._names(definition, known))
            found = versions[key] = self._without(definition, known, body)
            self.is_done(found, position)
            found.body = self.expression(Folding(self.facts).expression(body, position), position)
        return found

    def _without(self, definition: Definition, known: Known, body: Expression) -> Definition:
        left = [number for number in range(len(definition.arities)) if number not in known]
        return replace(
            definition,
            arities=tuple(definition.arities[number] for number in left),
            parameter_names=tuple(definition.parameter_names[number] for number in left),
            body=body,
            identity=None,
            is_version=True,
        )

    def _names(self, definition: Definition, known: Known) -> dict[int, Replacement]:
        """What stands for the parameters: what is known, and for the others the slots that they have now."""
        names, free = dict(known), 0
        for number, name in enumerate(definition.parameter_names):
            if number not in known:
                if number != free:
                    names[number] = Local(0, free, name, definition.span)
                free += 1
        return names

    def _key(self, known: Replacement) -> Hashable:
        match known:
            case Literal(value):
                return ("value", self.facts.identity(value))
            case Variable(index):
                return ("variable", index)
            case OperatorArgument(definition):
                return ("definition", definition)
            case Call(definition):
                return ("call", definition)
            case PrimitiveOperator(operator):
                return ("operator", operator)
        raise AssertionError(known)


def _needs_frame(node: Any) -> bool:
    """Whether a part of a definition reads the frame around that, or may."""
    if isinstance(node, Reference):
        return node.definition.nested
    return isinstance(node, nodes.Local | nodes.CallLocal | nodes.LocalOperator) and node.depth > 0
