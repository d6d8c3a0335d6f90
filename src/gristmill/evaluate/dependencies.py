"""What an expression depends on, and what it may do: found once, before it is compiled.

Compilers ask this of every node: is it a constant, does it read this state or the next, which slots of frames, does it
matter when it is evaluated. That is a handful of bits and slots. Which parts of a state are read and written is another
question, and `ir.passes.dependencies` answers it.
"""

from __future__ import annotations

from typing import Any, Final, assert_never

from gristmill.ir import nodes
from gristmill.ir.nodes import Definition, Expression
from gristmill.ir.walk import Node, bound_slots, children, nodes_of, operators_in
from gristmill.library import Effect, Form
from gristmill.source.quick_dataclass import dataclass

CURRENT: Final = 1  # variables of this state
NEXT: Final = 2  # variables of the next
IMPURE: Final = 4  # registers, the clock, the search
OPEN: Final = 8  # frames, in a way that is not looked into
EFFECT: Final = 32  # randomness, output, files: only in constant definitions is it enough to do it once
COMPOSE: Final = 16  # action composition, which changes what "this state" is


@dataclass(frozen=True, slots=True)
class Dependencies:
    """`locals`: the slots of this frame (depth 0) and enclosing ones that are read but not bound inside."""

    bits: int
    locals: frozenset[tuple[int, int]]


_NO_SLOTS: Final[frozenset[tuple[int, int]]] = frozenset()
_EFFECTS: Final = {"none": 0, "once": EFFECT, "always": IMPURE}
_OWN_BITS: dict[type, int] = {
    nodes.CallLocal: OPEN,
    nodes.LocalOperator: OPEN,
    nodes.Temporal: IMPURE,
    nodes.Unchanged: CURRENT | NEXT,
    nodes.Cdot: COMPOSE,
}


class Analysis:
    """Results are kept for as long as the analysis lives, and so are the nodes they belong to."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Any, Dependencies]] = {}
        self._definitions: dict[int, tuple[Definition, int]] = {}
        self._open: dict[Definition, int] = {}  # those being looked at, with their place
        self._lowest = 0  # the first of them that has been called since
        self._called_again: set[Definition] = set()
        self._branching: dict[int, tuple[Definition, bool]] = {}
        self._assigning: dict[tuple[int, bool], tuple[Definition, bool]] = {}

    def of(self, node: Any) -> Dependencies:
        found = self._found.get(id(node))
        if found is None:
            found = self._found[id(node)] = (node, self._analyse(node))
        return found[1]

    def is_constant(self, node: Expression) -> bool:
        """Its value is the same in every state and in every frame."""
        found = self.of(node)
        return not found.bits and not found.locals

    def is_constant_definition(self, definition: Definition) -> bool:
        return not (definition.arities or definition.nested or self.definition_bits(definition) & ~EFFECT)

    def mentions(self, node: Expression, slot: int) -> bool:
        """Whether an expression may read a slot of its frame."""
        found = self.of(node)
        return (0, slot) in found.locals or bool(found.bits & OPEN)

    def _analyse(self, node: Any) -> Dependencies:
        bits = self._own_bits(node)
        slots = _NO_SLOTS if not isinstance(node, nodes.Local) else frozenset(((node.depth, node.slot),))
        for number, child in enumerate(children(node)):
            found = self.of(child)
            more = found.bits
            if more & EFFECT and _is_quiet_message(node, number, child):
                more &= ~EFFECT
            bits |= more
            if found.locals:
                slots = slots | found.locals if slots else found.locals
        if isinstance(node, nodes.Enabled):
            bits = bits & ~NEXT | CURRENT
        if slots:
            slots -= {(0, slot) for slot in bound_slots(node)}
        return Dependencies(bits, slots)

    def _own_bits(self, node: Any) -> int:
        match node:
            case nodes.Variable(_, primed):
                return NEXT if primed else CURRENT
            case nodes.Primitive(operator) | nodes.PrimitiveOperator(operator):
                return _EFFECTS[operator.repetition]
            case nodes.Call(definition) | nodes.OperatorArgument(definition):
                return self.definition_bits(definition) | (OPEN if definition.nested else 0)
        return _OWN_BITS.get(type(node), 0)

    def definition_bits(self, definition: Definition) -> int:
        found = self._definitions.get(id(definition))
        if found is None:
            return self._find_bits(definition)
        place = self._open.get(definition)
        if place is not None:
            self._lowest = min(self._lowest, place)
            self._called_again.add(definition)
        return found[1]

    def _find_bits(self, definition: Definition) -> int:
        """By depth-first search (Tarjan): definitions that call each other stay open until the first one is done."""
        first, place, outer = len(self._found), len(self._open), self._lowest
        self._open[definition] = self._lowest = place
        self._definitions[id(definition)] = (definition, 0)
        self._definitions[id(definition)] = (definition, self._body_bits(definition))
        if self._lowest == place:
            group = list(self._open)[place:]
            for each in group:
                del self._open[each]
            if not self._called_again.isdisjoint(group):
                self._settle(group, first)
        self._lowest = min(self._lowest, outer)
        return self._definitions[id(definition)][1]

    def _settle(self, group: list[Definition], first: int) -> None:
        """Calls of these were looked at when too little was known of them: once more, until nothing is added."""
        before = None
        bits = [self._definitions[id(each)][1] for each in group]
        while bits != before:
            for key in list(self._found)[first:]:
                del self._found[key]
            before, bits = bits, [self._body_bits(each) for each in group]
            self._definitions.update((id(each), (each, found)) for each, found in zip(group, bits, strict=True))

    def _body_bits(self, definition: Definition) -> int:
        assert definition.body is not None
        bits = self.of(definition.body).bits
        return bits if definition.nested else bits & ~OPEN

    # ---------------------------------------------------------------------------------------- actions that branch

    def branches(self, node: Expression) -> bool:
        """Whether solving it as an action may differ from testing it when every variable has its value.

        TLC then only tests, so that a disjunction or \\E behind the last assignment counts once.
        """
        if isinstance(node, nodes.ValueForm):
            return False
        match node:
            case nodes.And(items):
                return any(map(self.branches, items))
            case nodes.If(_, then, otherwise):
                return self.branches(then) or self.branches(otherwise)
            case nodes.Case(arms, other):
                return any(self.branches(value) for _, value in arms) or (other is not None and self.branches(other))
            case nodes.Let(_, _, _, body) | nodes.AngleAction(body) | nodes.Disjunct(_, body):
                return self.branches(body)
            case nodes.Implies(_, body):
                return self.branches(body)
            case nodes.Quantified(universal, _, body):
                return not universal or self.branches(body)
            case nodes.Call(definition):
                return self._definition_branches(definition)
            case nodes.FunctionApply(function):
                return not _is_listed(function)
            case nodes.Or() | nodes.Local() | nodes.CallLocal() | nodes.BoxAction() | nodes.Cdot():
                return True
            case nodes.Not() | nodes.Equivalent() | nodes.Equal() | nodes.Member() | nodes.Primitive():
                return False
            case nodes.Literal() | nodes.Variable() | nodes.Unchanged() | nodes.Enabled() | nodes.Temporal():
                return False
            case _:
                assert_never(node)

    def _definition_branches(self, definition: Definition) -> bool:
        found = self._branching.get(id(definition))
        if found is None:
            self._branching[id(definition)] = (definition, True)
            assert definition.body is not None
            found = self._branching[id(definition)] = (definition, self.branches(definition.body))
        return found[1]

    # --------------------------------------------------------------------------------------- actions that assign

    def is_test(self, node: Expression, initial: bool) -> bool:
        """Whether a formula in the place of an action can only be true or false, once."""
        return not self.branches(node) and not self.assigns(node, initial)

    def assigns(self, node: Expression, initial: bool) -> bool:
        """Whether solving it may give a variable a value: a primed one, or an unprimed one in Init."""
        if isinstance(node, nodes.ValueForm):
            return False
        match node:
            case nodes.Equal(left, _) | nodes.Member(left, _):
                return self._is_target(left, initial)
            case nodes.Primitive(operator, args):
                return operator.form is Form.INCLUDED and self._is_target(args[0], initial)
            case nodes.And(items) | nodes.Or(items):
                return any(self.assigns(item, initial) for item in items)
            case nodes.If(_, then, otherwise):
                return self.assigns(then, initial) or self.assigns(otherwise, initial)
            case nodes.Case(arms, other):
                values = [value for _, value in arms] + ([other] if other is not None else [])
                return any(self.assigns(value, initial) for value in values)
            case nodes.Let(_, _, _, body) | nodes.Quantified(_, _, body) | nodes.Implies(_, body):
                return self.assigns(body, initial)
            case nodes.AngleAction(body):
                return self.assigns(body, initial)
            case nodes.Call(definition):
                return self._definition_assigns(definition, initial)
            case nodes.FunctionApply(function):
                return not _is_listed(function)
            case nodes.Local() | nodes.CallLocal() | nodes.Unchanged() | nodes.BoxAction() | nodes.Cdot():
                return True
            case nodes.Disjunct():  # it says which action has a step, also where it is but a test
                return True
            case nodes.Not() | nodes.Equivalent() | nodes.Literal() | nodes.Variable():
                return False
            case nodes.Enabled() | nodes.Temporal():
                return False
            case _:
                assert_never(node)

    def _is_target(self, node: Any, initial: bool) -> bool:
        match node:
            case nodes.Variable(_, primed):
                return primed is not initial
            case nodes.Call(_, args):
                return not args
        return isinstance(node, nodes.Local | nodes.Let)

    def _definition_assigns(self, definition: Definition, initial: bool) -> bool:
        key = (id(definition), initial)
        found = self._assigning.get(key)
        if found is None:
            self._assigning[key] = (definition, True)
            assert definition.body is not None
            found = self._assigning[key] = (definition, self.assigns(definition.body, initial))
        return found[1]


def _is_quiet_message(node: Node, number: int, child: Node) -> bool:
    """What an assertion says when it fails, which ends the run: that a string is made for it does not matter before."""
    match node:
        case nodes.Primitive(operator) if operator.form is Form.ASSERT:
            is_message = number in operator.only_shown
            return is_message and all(each.does_only(Effect.MAKES_NAMES) for each in operators_in(child))
    return False


def _is_listed(function: Expression) -> bool:
    """Certainly no function whose body could be solved like an action."""
    return isinstance(function, nodes.Variable | nodes.FieldAccess | nodes.FunctionApply | nodes.Literal)


def unfinished_slots(body: Expression, parameters: int) -> frozenset[int]:
    """The slots of a frame that may hold something not evaluated yet: parameters, LET values, recursive functions."""
    found = set(range(parameters))
    for node in nodes_of(body):
        if isinstance(node, nodes.Let):
            found.update(node.slots)
        elif isinstance(node, nodes.FunctionLiteral) and node.self_slot is not None:
            found.add(node.self_slot)
    return frozenset(found)
