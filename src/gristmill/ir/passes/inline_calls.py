"""Writes small definitions where they are called, with the arguments in the place of the parameters.

`IsLeader(i) == state[i] = "leader"` is less work than a call of it. An argument that is a name, a constant or a
variable, or that is read in but one place, goes where the parameter stood; a LET takes any other. Neither is evaluated
before it is needed, as no argument is. A definition that is not small is written out, too, if arguments decide what
becomes of it: `Note(<<"Timeout", i>>)` may come to little where `Note(what)` asks for `what[1]` again and again.

A definition stays that can be seen to be evaluated, that has operators for parameters, or definitions of its own that
read its frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Call, Code, Definition, Expression, Let, Literal, Local, TupleLiteral, Variable
from gristmill.ir.passes.facts import NativeFacts
from gristmill.ir.passes.fold_constants import Folding
from gristmill.ir.passes.rewrite import Position, Rewriter
from gristmill.ir.walk import Reference, bound_slots, calls_itself, children, nodes_of, rebuilt

_SMALL: Final = 20  # nodes
_DECIDED: Final = 400  # of a definition that may come to less with these arguments
_LEFT: Final = 30  # that it may come to, at most
_LEFT_OF_TUPLE: Final = 60  # the same, if that spares making a tuple and taking it apart

_LOOPS = (nodes.Quantified, nodes.Choose, nodes.SetFilter, nodes.SetMap, nodes.FunctionLiteral)
_OTHER_STATES = (nodes.Enabled, nodes.Cdot, nodes.Temporal, nodes.BoxAction, nodes.AngleAction)
_OPERATORS = (nodes.CallLocal, nodes.LocalOperator)


def inline_calls(model: Model, facts: NativeFacts) -> Model:
    return _Inlining(facts).model(model)


@dataclass(frozen=True)
class _Body:
    """What is asked of a definition before it is written out. `uses`: of each parameter."""

    size: int
    uses: tuple[_Uses, ...]


@dataclass(frozen=True)
class _Uses:
    """In how many places a parameter is read, and whether one of them is in a loop."""

    places: int
    is_repeated: bool


class _Inlining(Rewriter):
    """`_size`: of the frame of what is being rewritten. `_values`: its slots that have a value when they are read."""

    def __init__(self, facts: NativeFacts) -> None:
        super().__init__(facts)
        self._size = 0
        self._values: frozenset[int] = frozenset()
        self._bodies: dict[Definition, _Body | None] = {}

    def rewrite(self, node: Any, position: Position) -> Any:
        new = self.parts(node, position)
        match new:
            case Call(_, args) if args and position is not Position.INITIAL:
                return self._written_out(new, position)
            case nodes.And(items) if new is not node and any(isinstance(item, nodes.And) for item in items):
                return replace(new, items=tuple(_flat(items)))
            case _:
                return new

    def body(self, definition: Definition, position: Position) -> Any:
        outside = self._size, self._values
        self._size, self._values = definition.frame_size, _values_in(definition.body)
        body = super().body(definition, position)
        definition.frame_size = self._size
        self._size, self._values = outside
        return body

    def code(self, code: Code, position: Position) -> Code:
        self._size, self._values = code.frame_size, _values_in(code.body)
        body = self.expression(code.body, position)
        return code if body is code.body else replace(code, body=body, frame_size=self._size)

    # ------------------------------------------------------------------------------------------------- one call

    def _written_out(self, node: Call, position: Position) -> Expression:
        found = self._body_of(node.definition)
        if found is None or any(map(self._is_fixed, node.args)):
            return node
        if found.size <= _SMALL:
            return self._in_place_of(node, found, position) or node
        if found.size > _DECIDED or not any(map(_decides, node.args)):
            return node
        size, values = self._size, self._values
        new = self._in_place_of(node, found, position)
        limit = _LEFT_OF_TUPLE if any(isinstance(arg, TupleLiteral) for arg in node.args) else _LEFT
        if new is not None and sum(1 for _ in nodes_of(new)) <= limit:
            return new
        self._size, self._values = size, values
        return node

    def _is_fixed(self, arg: Any) -> bool:
        return isinstance(arg, nodes.OperatorArgument | nodes.LocalOperator | nodes.PrimitiveOperator) or (
            self.facts.has_effects(arg)
        )

    def _body_of(self, definition: Definition) -> _Body | None:
        """None if it stays."""
        if definition not in self._bodies:
            self._bodies[definition] = self._looked_at(definition)
        return self._bodies[definition]

    def _looked_at(self, definition: Definition) -> _Body | None:
        body = definition.body
        if body is None or definition.nested or definition.recursive or any(definition.arities):
            return None
        size = 0
        for node in nodes_of(body):
            size += 1
            if size > _DECIDED or isinstance(node, _OTHER_STATES + _OPERATORS):
                return None
            if isinstance(node, Reference) and node.definition.nested:
                return None
        if self.facts.has_effects(body) or calls_itself(definition):
            return None
        return _Body(size, tuple(_uses(body, slot) for slot in range(len(definition.arities))))

    def _in_place_of(self, node: Call, found: _Body, position: Position) -> Expression | None:
        """None if an argument would have to be an action of a LET: that is solved where it stands, or not at all."""
        definition = node.definition
        assert definition.body is not None
        names: dict[int, Expression] = {}
        kept: dict[int, Expression] = {}
        for number, (arg, uses) in enumerate(zip(map(_value, node.args), found.uses, strict=True)):
            if _may_stand_there(arg, uses):
                names[number] = arg
            elif self.refined(arg, position) is Position.VALUE:
                kept[number] = arg
            else:
                return None
        slots = self._room_for(slot for slot in range(definition.frame_size) if slot not in names)
        body: Expression = _Moved(names, slots).at(definition.body)
        self._values |= _values_in(body)
        if kept:
            spelt = tuple(definition.parameter_names[number] for number in kept)
            body = Let(tuple(slots[number] for number in kept), spelt, tuple(kept.values()), body, node.span)
        if any(map(_decides, node.args)):  # also in definitions that it hands them to
            body = self.expression(Folding(self.facts).expression(self._selected(body), position), position)
        return body

    def _room_for(self, slots: Iterable[int]) -> dict[int, int]:
        """New slots of this frame for some of another."""
        found = {slot: self._size + number for number, slot in enumerate(slots)}
        self._size += len(found)
        return found

    # ------------------------------------------------------------------------------- what known arguments decide

    def _selected(self, node: Any) -> Any:
        """`<<a, b>>[1]` is `a`, where nothing can come of evaluating the others."""
        node = rebuilt(node, self._selected)
        match node:
            case nodes.FunctionApply(TupleLiteral(items), Literal(int(number))) if 1 <= number <= len(items):
                others = (*items[: number - 1], *items[number:])
                return items[number - 1] if all(map(self._is_harmless, others)) else node
            case _:
                return node

    def _is_harmless(self, node: Expression) -> bool:
        return isinstance(node, Literal) or (isinstance(node, Local) and node.depth == 0 and node.slot in self._values)


def _decides(arg: Any) -> bool:
    return isinstance(arg, Literal) or (isinstance(arg, TupleLiteral) and any(map(_decides, arg.items)))


def _value(arg: Any) -> Expression:
    return arg  # type: ignore[no-any-return]  # operators have been sorted out


def _may_stand_there(arg: Any, uses: _Uses) -> bool:
    """An argument costs as much there as it does in a LET, or next to nothing."""
    if _is_name(arg) or (isinstance(arg, TupleLiteral) and _decides(arg) and all(map(_is_name, arg.items))):
        return True
    return uses.places <= 1 and not uses.is_repeated


def _is_name(node: Any) -> bool:
    return isinstance(node, Literal | Local | Variable)


def _uses(body: Expression, slot: int) -> _Uses:
    places, is_repeated = 0, False
    waiting: list[tuple[Any, bool]] = [(body, False)]
    while waiting:
        node, in_loop = waiting.pop()
        if isinstance(node, Local) and node.slot == slot:
            places += 1
            is_repeated = is_repeated or in_loop
        in_loop = in_loop or isinstance(node, _LOOPS)
        waiting.extend((each, in_loop) for each in children(node))
    return _Uses(places, is_repeated)


def _values_in(body: Expression | None) -> frozenset[int]:
    """Slots that take elements of sets, and nothing that is still to be evaluated."""
    found: set[int] = set()
    late: set[int] = set()
    for node in () if body is None else nodes_of(body):
        if isinstance(node, nodes.Bound):
            found.update(node.slots)
        else:
            late.update(_late(node))
    return frozenset(found - late)


def _late(node: Any) -> Sequence[int]:
    match node:
        case Let() | nodes.Update():
            return bound_slots(node)
        case nodes.FunctionLiteral(_, _, self_slot) if self_slot is not None:
            return (self_slot,)
        case _:
            return ()


def _flat(items: Sequence[Expression]) -> Iterator[Expression]:
    for item in items:
        if isinstance(item, nodes.And) and len(item.items) > 1:
            yield from item.items
        else:
            yield item


class _Moved:
    """A body in another frame. `names`: what stands for some of its slots; `slots`: which ones the others are there."""

    def __init__(self, names: dict[int, Expression], slots: dict[int, int]) -> None:
        self._names, self._slots = names, slots

    def at(self, node: Any) -> Any:
        if isinstance(node, Local):
            found = self._names.get(node.slot)
            return replace(node, slot=self._slots[node.slot]) if found is None else found
        made = rebuilt(node, self.at)
        match made:
            case Let(slots) | nodes.Bound(slots):
                return replace(made, slots=tuple(self._slots[slot] for slot in slots))
            case nodes.FunctionLiteral(_, _, self_slot) if self_slot is not None:
                return replace(made, self_slot=self._slots[self_slot])
            case nodes.Update(_, _, at_slot) if at_slot is not None:
                return replace(made, at_slot=self._slots[at_slot])
            case _:
                return made
