"""What the value of an expression is computed from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.nodes import Definition, Expression
from gristmill.ir.passes.dependencies.abstract import (
    Abstract,
    Binding,
    Frame,
    Operator,
    Solved,
    Thunk,
    Unknown,
    next_value,
    without_symbols,
)
from gristmill.ir.passes.dependencies.facts import NOTHING, Places
from gristmill.ir.places import ANYTHING, Constant, Place, Symbol
from gristmill.ir.walk import Node, children, reachable
from gristmill.library import Operator as LibraryOperator
from gristmill.library.effects import FOLLOWS_SEARCH, STEADY_OR_SEEN
from gristmill.values import ModelValue
from gristmill.values.atoms import Boolean

DEEPEST = 200  # calls inside one another; what is nested deeper is looked at as a whole
MOST_WORK = 100_000  # nodes that are looked at, those of definitions as often as they are used
_SAME = 8  # calls of one definition inside one another
_ATOMS = (int, str, Boolean, ModelValue)
OPERATORS = (nodes.OperatorArgument, nodes.LocalOperator, nodes.PrimitiveOperator)


class Expressions(ABC):
    """`variables`: how many the specification has.

    `all_evaluated`: what is evaluated counts as read, also where the value does not depend on it: it may fail.
    """

    def __init__(self, variables: int, all_evaluated: bool = False) -> None:
        self._all_evaluated = all_evaluated
        self._closed: dict[tuple[Definition, Solved, frozenset[Definition]], Abstract] = {}
        self._everything = frozenset(map(Place, range(variables)))
        self._work = 0
        self.limits: list[str] = []
        self._numbers = count()
        self._active: list[Definition] = []  # those that are being looked into
        self._recursive: frozenset[Definition] = frozenset()  # of these, those that call themselves

    def value(self, node: Any, frame: Frame, solved: Solved) -> Abstract:
        """What the value of an expression is computed from."""
        if self.is_exhausted():
            return Abstract(self._everything)
        match node:
            case nodes.Literal(value):
                return Abstract(key=Constant(value) if isinstance(value, _ATOMS) else ANYTHING)
            case nodes.Variable(index, primed):
                return next_value(index, solved) if primed else Abstract(place=Place(index))
            case nodes.Local(depth, slot):
                return self._bound_value(frame.up(depth).slots.get(slot), solved)
            case nodes.Call(definition, args, depth):
                return self._call(definition, args, depth, frame, solved)
            case nodes.CallLocal(depth, slot, _, args):
                return self._call_local(frame.up(depth).slots.get(slot), args, frame, solved)
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self.value(body, frame, solved)
            case nodes.FunctionApply(function, argument):
                return self._applied(self.value(function, frame, solved), self.value(argument, frame, solved), solved)
            case nodes.FieldAccess(record, name):
                return self._selected(self.value(record, frame, solved), name, solved)
            case nodes.If(condition, then, otherwise):
                return self._either(condition, (then, otherwise), frame, solved)
            case nodes.FunctionLiteral() if node.self_slot is None and len(node.bounds) == 1:
                reads = self._looked_at_parts(node, frame, solved)
                return Abstract(reads, function=(node, frame))
            case nodes.RecordLiteral(names, values):
                thunks = {name: Thunk(value, frame) for name, value in zip(names, values, strict=True)}
                return Abstract(self._looked_at_parts(node, frame, solved), fields=thunks)
            case nodes.Except(function, updates):
                return Abstract(self._except_reads(function, updates, frame, solved))
            case nodes.Unchanged(variables):
                old = frozenset(map(Place, variables))
                return Abstract(old.union(*(next_value(each, solved).looked_at for each in variables)))
        return Abstract(self._looked_at_parts(node, frame, solved))

    def is_exhausted(self) -> bool:
        """Definitions are looked at where they are used, which may be a great many times: not more than is bearable."""
        self._work += 1
        if self._work == MOST_WORK:
            self.limits.append("it is too large to be looked at in detail")
        return self._work >= MOST_WORK

    def looked_at(self, node: Any, frame: Frame, solved: Solved) -> Places:
        return self.value(node, frame, solved).looked_at

    def _looked_at_parts(self, node: Any, frame: Frame, solved: Solved) -> Places:
        """Everything that any part of a node looks at, with whatever it binds."""
        match node:
            case nodes.Quantified(_, bounds, body) | nodes.SetMap(bounds, body):
                return self._bound_parts(bounds, (body,), frame, solved)
            case nodes.FunctionLiteral(bounds, body, self_slot):
                if self_slot is not None:
                    frame.slots[self_slot] = Abstract()  # what it is computed from is found where it is
                return self._bound_parts(bounds, (body,), frame, solved)
            case nodes.Choose(bound, body) | nodes.SetFilter(bound, body):
                return self._bound_parts((bound,), (body,), frame, solved)
            case nodes.OperatorArgument() | nodes.LocalOperator() | nodes.PrimitiveOperator():
                return self._operator_reads(node, frame, solved)
            case nodes.Enabled(action):
                return self._everything if self._all_evaluated else self.sources(action, frame)
            case nodes.Primitive(operator, args):
                return self._primitive(args, frame, solved) | self._asked(operator)
        return NOTHING.union(*(self.looked_at(each, frame, solved) for each in children(node)))

    def _bound_parts(
        self, bounds: Sequence[nodes.Bound], bodies: Sequence[Expression], frame: Frame, solved: Solved
    ) -> Places:
        reads = self._bind(bounds, frame, solved)
        found = reads.union(*(self.looked_at(body, frame, solved) for body in bodies))
        return without_symbols(found, [slot for bound in bounds for slot in bound.slots], frame)

    def _bind(self, bounds: Sequence[nodes.Bound], frame: Frame, solved: Solved) -> Places:
        """Bind names to elements of their domains; what the domains are computed from."""
        found = NOTHING
        for bound in bounds:
            reads = NOTHING if bound.domain is None else self.looked_at(bound.domain, frame, solved)
            found |= reads
            for slot, name in zip(bound.slots, bound.names, strict=True):
                frame.slots[slot] = Abstract(reads, key=Symbol(next(self._numbers), name))
        return found

    def _primitive(self, args: Sequence[nodes.Argument], frame: Frame, solved: Solved) -> Places:
        """An operator of the library looks at its arguments, and gives operators among them what it finds there."""
        values = [each for each in args if not isinstance(each, OPERATORS)]
        reads = NOTHING.union(*(self.looked_at(each, frame, solved) for each in values))
        for each in args:
            if isinstance(each, OPERATORS):
                reads |= self._operator_reads(each, frame, solved)
        return reads

    def _asked(self, operator: LibraryOperator) -> Places:
        """What an operator reads that is none of its arguments: `Trace` speaks of whole states."""
        if operator.does_only(STEADY_OR_SEEN):
            return NOTHING
        self.limits.append(f"{operator.name} depends on more than the state")
        return self._everything if operator.effects & FOLLOWS_SEARCH else NOTHING

    def _operator_reads(self, node: Any, frame: Frame, solved: Solved) -> Places:
        """What an operator reads besides its arguments."""
        if isinstance(node, nodes.PrimitiveOperator):
            return self._asked(node.operator)
        operator = self._operator(node, frame)
        if not isinstance(operator, Operator):
            return NOTHING
        unknown = [Abstract() for _ in operator.definition.arities]
        bindings: list[Binding] = [
            each if not arity else Unknown() for each, arity in zip(unknown, operator.definition.arities, strict=True)
        ]
        found: Abstract = self._inside(operator, bindings, solved, self._looking(solved))
        return found.looked_at

    def _looking(self, solved: Solved) -> Callable[[Expression, Frame], Abstract]:
        return lambda body, inner: self.value(body, inner, solved)

    def _operator(self, node: Any, frame: Frame) -> Binding:
        match node:
            case nodes.OperatorArgument(definition, depth):
                return Operator(definition, frame.up(depth) if definition.nested else None)
            case nodes.LocalOperator(depth, slot):
                return frame.up(depth).slots.get(slot, Unknown())
        return Unknown()

    # ---------------------------------------------------------------------------------------------- calls

    def _bound_value(self, binding: Binding | None, solved: Solved) -> Abstract:
        match binding:
            case Abstract():
                return binding
            case Thunk():
                return self._forced_thunk(binding, solved)
            case None:
                self.limits.append("a name of which nothing is known")
                return Abstract(self._everything)
        return Abstract()

    def _forced_thunk(self, thunk: Thunk, solved: Solved) -> Abstract:
        """Looked at once: names that are used twice, each by way of another, would take exponential time."""
        if thunk.found is not None:
            after, inside, abstract = thunk.found
            if after is solved and inside <= self._recursive:  # calls of those in themselves have been left out
                return abstract
        found = self.value(thunk.expression, thunk.frame, solved)
        thunk.found = (solved, self._recursive, found)
        return found

    def _let(self, slots: Sequence[int], values: Sequence[Expression], frame: Frame) -> None:
        for slot, value in zip(slots, values, strict=True):
            frame.slots[slot] = Thunk(value, frame)

    def _bindings(self, args: Sequence[nodes.Argument], frame: Frame) -> list[Binding]:
        return [self._operator(each, frame) if isinstance(each, OPERATORS) else Thunk(each, frame) for each in args]

    def _called(
        self,
        definition: Definition,
        args: Sequence[nodes.Argument],
        frame: Frame,
        depth: int,
        solved: Solved,
        look: Callable[[Expression, Frame], Any],
    ) -> Any:
        operator = Operator(definition, frame.up(depth) if definition.nested else None)
        return self._inside(operator, self._bindings(args, frame), solved, look)

    def _call(
        self, definition: Definition, args: Sequence[nodes.Argument], depth: int, frame: Frame, solved: Solved
    ) -> Abstract:
        is_closed = not args and not definition.nested  # it means the same wherever it stands
        key = (definition, solved, self._recursive)
        found = self._closed.get(key) if is_closed else None
        if found is None:
            found = self._called(definition, args, frame, depth, solved, self._looking(solved))
            if is_closed:
                self._closed[key] = found
        return found

    def _call_local(
        self, binding: Binding | None, args: Sequence[nodes.Argument], frame: Frame, solved: Solved
    ) -> Abstract:
        if isinstance(binding, Operator):
            found: Abstract = self._inside(binding, self._bindings(args, frame), solved, self._looking(solved))
            return found
        return Abstract(self._primitive(args, frame, solved))

    def _inside(
        self,
        operator: Operator,
        bindings: Sequence[Binding],
        solved: Solved,
        look: Callable[[Expression, Frame], Any],
    ) -> Any:
        """Look at the body of a definition. One that calls itself is looked at once, and with unknown parameters.

        Another one may be met inside of itself: arguments are looked at where they are used, `F(F(x))`.
        """
        definition = operator.definition
        assert definition.body is not None
        if definition.recursive and definition in self._active:
            return Abstract(NOTHING.union(*(self._forced(each, solved) for each in bindings)))
        if len(self._active) >= DEEPEST or self._active.count(definition) >= _SAME:
            self.limits.append(f"{definition.name} is nested too deeply")
            return Abstract(self._everything)
        self._active.append(definition)
        outside = self._recursive
        if definition.recursive:  # what its parameters are in later calls is computed from the first ones
            self._recursive |= {definition}
            reads = NOTHING.union(*(self._forced(each, solved) for each in bindings))
            bindings = [each if isinstance(each, Operator) else Abstract(reads) for each in bindings]
        try:
            return look(definition.body, Frame(dict(enumerate(bindings)), operator.parent))
        finally:
            self._active.pop()
            self._recursive = outside

    def _forced(self, binding: Binding, solved: Solved) -> Places:
        if isinstance(binding, Operator | Unknown):
            return NOTHING
        return self._bound_value(binding, solved).looked_at

    # ---------------------------------------------------------------------------------------- parts of values

    def _applied(self, function: Abstract, argument: Abstract, solved: Solved) -> Abstract:
        own = argument.looked_at if not isinstance(argument.key, Constant) else NOTHING
        if function.place is not None:
            return Abstract(function.reads | own, function.place.at(argument.key))
        if function.function is not None:
            literal, frame = function.function
            bound = literal.bounds[0]
            if len(bound.slots) == 1 and not bound.is_tuple and bound.domain is not None:
                inner = Frame({**frame.slots, bound.slots[0]: argument}, frame.parent)
                domain = self.looked_at(bound.domain, frame, solved)
                found = self.value(literal.body, inner, solved)
                return replace(found, reads=found.reads | domain | own | self._besides(function))
        return Abstract(function.looked_at | own)

    def _selected(self, record: Abstract, name: str, solved: Solved) -> Abstract:
        if record.fields is not None and name in record.fields:
            field = self._forced_thunk(record.fields[name], solved)
            return replace(field, reads=field.reads | self._besides(record))
        if record.place is not None:
            return Abstract(record.reads, record.place.at(Constant(name)))
        key = record.key
        if isinstance(key, Symbol):
            return Abstract(record.reads, key=replace(key, fields=(*key.fields, name)))
        return Abstract(record.looked_at)

    def _besides(self, whole: Abstract) -> Places:
        """What is read for the whole of a function or record that is written out, where only a part is asked for."""
        return whole.looked_at if self._all_evaluated else NOTHING

    def _either(self, condition: Expression, branches: Sequence[Expression], frame: Frame, solved: Solved) -> Abstract:
        decided = self.looked_at(condition, frame, solved)
        return Abstract(decided.union(*(self.looked_at(each, frame, solved) for each in branches)))

    def _except_reads(
        self, function: Expression, updates: Sequence[nodes.Update], frame: Frame, solved: Solved
    ) -> Places:
        base = self.value(function, frame, solved)
        found = base.looked_at
        for update in updates:
            for step in update.path:
                found |= self.looked_at(step, frame, solved)
            if update.at_slot is not None:
                frame.slots[update.at_slot] = Abstract(base.looked_at)
            found |= self.looked_at(update.value, frame, solved)
        return found

    @abstractmethod
    def sources(self, action: Expression, frame: Frame) -> Places:
        """Of an action by itself: everything that decides about its steps."""


def mentioned(node: Node, below: Callable[[Node], Iterable[Node]] = children) -> tuple[frozenset[int], frozenset[int]]:
    """Variables whose value in this state, and in the next, a formula speaks of, definitions included.

    `below` says which parts of a node count.
    """
    read: set[int] = set()
    written: set[int] = set()
    for each in reachable(node, below=below):
        match each:
            case nodes.Variable(index, primed):
                (written if primed else read).add(index)
            case nodes.Unchanged(variables):
                read.update(variables)
                written.update(variables)
    return frozenset(read), frozenset(written)


def mentioned_in(node: Any, frame: Frame) -> tuple[frozenset[int], frozenset[int]]:
    """The same, with all that any name around the formula may stand for."""
    read, written = mentioned(node)
    waiting: list[Frame | None] = [frame]
    seen: set[int] = set()
    while waiting:
        around = waiting.pop()
        if around is None or id(around) in seen:
            continue
        seen.add(id(around))
        waiting.append(around.parent)
        for binding in around.slots.values():
            body, inner = _held(binding)
            more_read, more_written = mentioned(body) if body is not None else (_variables_of(binding), frozenset())
            read, written = read | more_read, written | more_written
            waiting.append(inner)
    return read, written


def _held(binding: Binding) -> tuple[Expression | None, Frame | None]:
    match binding:
        case Thunk(expression, frame):
            return expression, frame
        case Operator(definition, parent):
            return definition.body, parent
    return None, None


def _variables_of(binding: Binding) -> frozenset[int]:
    return frozenset(each.variable for each in binding.looked_at) if isinstance(binding, Abstract) else frozenset()
