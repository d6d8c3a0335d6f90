"""Something known in the place of names of a frame: a value, a variable, another slot, an operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

from gristmill.ir import nodes
from gristmill.ir.nodes import Call, Definition, Literal, Local, OperatorArgument, PrimitiveOperator, Variable
from gristmill.ir.walk import Node, Reference, nodes_of, rebuilt
from gristmill.values import Value

N = TypeVar("N", bound=Node)

# What may stand for a slot. All of these mean the same in every frame: a call is one of a definition without parameters
# that is not nested, and so is the definition that an operator argument hands over. A local is another slot of the same
# frame.
Replacement: TypeAlias = Literal | Variable | Call | Local | OperatorArgument | PrimitiveOperator


def substituted(node: N, known: Mapping[tuple[int, int], Value]) -> N:
    """An expression with values in the place of names, which are given by depth and slot.

    Nested definitions that it calls still find theirs in the frame.
    """
    if isinstance(node, Local):
        key = (node.depth, node.slot)
        return Literal(known[key], node.span) if key in known else node  # type: ignore[return-value]
    return rebuilt(node, lambda child: substituted(child, known))


def with_names(node: N, names: Mapping[int, Replacement]) -> N:
    """An expression with something else in the place of slots of its frame, also where nested definitions read them."""
    return _Substitution(names).at(node, 0) if names else node


class _Substitution:
    """Nested definitions that read one of the slots are copied, each once for each distance from the frame."""

    def __init__(self, names: Mapping[int, Replacement]) -> None:
        self._names = names
        self._copies: dict[tuple[Definition, int], Definition] = {}
        self._reading: dict[tuple[Definition, int], bool] = {}

    def at(self, node: Any, depth: int) -> Any:
        """`depth`: how many frames up the slots are."""
        match node:
            case nodes.Local(found, slot) if found == depth and slot in self._names:
                return self._in_place_of(node, self._names[slot])
            case nodes.CallLocal(found, slot, _, args) if found == depth and slot in self._names:
                return self._called(node, self._names[slot], tuple(self.at(arg, depth) for arg in args))
            case nodes.LocalOperator(found, slot) if found == depth and slot in self._names:
                return self._in_place_of(node, self._names[slot])
        node = rebuilt(node, lambda child: self.at(child, depth))
        if isinstance(node, Reference) and node.definition.nested and node.depth <= depth:
            definition = self._copy(node.definition, depth - node.depth + 1)
            return node if definition is node.definition else replace(node, definition=definition)
        return node

    def _in_place_of(self, node: nodes.Local | nodes.LocalOperator, found: Replacement) -> Node:
        if isinstance(found, Local):
            return replace(node, slot=found.slot)
        return replace(found, span=node.span)

    def _called(self, node: nodes.CallLocal, found: Replacement, args: tuple[nodes.Argument, ...]) -> Node:
        match found:
            case OperatorArgument(definition):
                return Call(definition, args, 0, node.span)
            case PrimitiveOperator(operator):
                return nodes.Primitive(operator, args, node.span)
            case Local(_, slot):
                return replace(node, slot=slot, args=args)
        raise AssertionError(found)  # a value is not called

    def _copy(self, definition: Definition, depth: int) -> Definition:
        if not self._reads(definition, depth):
            return definition
        copy = self._copies.get((definition, depth))
        if copy is None:
            copy = self._copies[definition, depth] = replace(definition)
            copy.body = self.at(definition.body, depth)
        return copy

    def _reads(self, definition: Definition, depth: int) -> bool:
        """Whether a nested definition reads one of the slots, from `depth` frames below; also by way of others."""
        key = (definition, depth)
        if key not in self._reading:
            seen, waiting = {key}, [key]
            found = False
            while waiting and not found:
                each, below = waiting.pop()
                for node in () if each.body is None else nodes_of(each.body):
                    match node:
                        case nodes.Local(at, slot) | nodes.CallLocal(at, slot) | nodes.LocalOperator(at, slot):
                            found = found or (at == below and slot in self._names)
                        case nodes.Call(called, _, up) | nodes.OperatorArgument(called, up):
                            further = (called, below - up + 1)
                            if called.nested and up <= below and further not in seen:
                                seen.add(further)
                                waiting.append(further)
            self._reading[key] = found
        return self._reading[key]
