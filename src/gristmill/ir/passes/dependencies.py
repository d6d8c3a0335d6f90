"""What an action reads and writes, at the grain of places: `votedFor[i]`, `msgs[i][j]`.

Found by abstract interpretation: the action is solved as the evaluator solves it, from left to right, with expressions
that know where their value comes from in the place of values. What is said is an over-approximation, of one kind each:

- Whether the action is possible, for given parameters, depends on nothing but `guard`.
- What is written to a place depends on nothing but `guard` and the `reads` and `control` of that write.
- No step changes a place that no write of `writes` may touch.

Evaluation that fails is outside of this: a change elsewhere may make an expression fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.model import Action
from gristmill.ir.nodes import Definition, Expression
from gristmill.ir.places import ANYTHING, Constant, Key, Place, Symbol, without_covered
from gristmill.ir.walk import children, reachable
from gristmill.values import ModelValue
from gristmill.values.atoms import Boolean

Places = frozenset[Place]
NOTHING: Places = frozenset()
_DEEPEST = 200  # calls inside one another; what is nested deeper is looked at as a whole
_ATOMS = (int, str, Boolean, ModelValue)


@dataclass(frozen=True, slots=True)
class Write:
    """A place is given a value. `reads`: what that is computed from; `control`: what decides whether, or which.

    `certain`: every step of the action gives the place a value other than by leaving it as it is; that value may still
    be the old one.
    """

    place: Place
    reads: Places = NOTHING
    control: Places = NOTHING
    certain: bool = True

    @property
    def sources(self) -> Places:
        return self.reads | self.control


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Of one action. `reads`: all of them. `limits`: constructs that were only looked at as a whole, by name."""

    guard: Places
    writes: tuple[Write, ...]
    limits: tuple[str, ...] = ()

    @property
    def reads(self) -> Places:
        return self.guard.union(*(write.sources for write in self.writes))

    @property
    def may_write(self) -> Places:
        return frozenset(write.place for write in self.writes)

    @property
    def must_write(self) -> Places:
        return frozenset(write.place for write in self.writes if write.certain)

    def unchanged(self, variables: int) -> frozenset[int]:
        """Variables that no step of the action changes."""
        return frozenset(range(variables)) - {write.place.variable for write in self.writes}


def dependencies(action: Action) -> Dependencies:
    """What an action reads and writes."""
    solver = _Solver()
    names = {name for name, _ in action.parameters}
    found = solver.solve(action.code.body, _Frame(), _Solved(), names)
    return Dependencies(without_covered(found.guard), _merged(found.writes), tuple(dict.fromkeys(solver.limits)))


# ------------------------------------------------------------------------------------------------------ abstract values


@dataclass(frozen=True, slots=True)
class _Abstract:
    """A value of which is known what it is computed from.

    `place`: it is what stands there, which counts as read only when it is looked at. `key`: what it is as an argument
    of a function. `function`: a function that is written out, to be applied; `fields`: of a record that is.
    """

    reads: Places = NOTHING
    place: Place | None = None
    key: Key = ANYTHING
    function: tuple[nodes.FunctionLiteral, _Frame] | None = None
    fields: Mapping[str, _Thunk] | None = None

    @property
    def looked_at(self) -> Places:
        return self.reads if self.place is None else self.reads | {self.place}


@dataclass(frozen=True, slots=True)
class _Thunk:
    """An expression, and the frame that it is evaluated in."""

    expression: Expression
    frame: _Frame


@dataclass(frozen=True, slots=True)
class _Operator:
    definition: Definition
    parent: _Frame | None


@dataclass(frozen=True, slots=True)
class _Unknown:
    """An operator of the library, or one that cannot be told."""


_Binding = _Abstract | _Thunk | _Operator | _Unknown


@dataclass(eq=False, slots=True)
class _Frame:
    slots: dict[int, _Binding] = field(default_factory=dict)
    parent: _Frame | None = None

    def up(self, depth: int) -> _Frame:
        frame = self
        for _ in range(depth):
            assert frame.parent is not None
            frame = frame.parent
        return frame


@dataclass(frozen=True, slots=True)
class _Solved:
    """What a part of an action has done. `assigned`: variables that certainly have their next value.

    `tests`: the part may be impossible.
    """

    guard: Places = NOTHING
    writes: tuple[Write, ...] = ()
    assigned: frozenset[int] = frozenset()
    tests: bool = False

    def tested(self, reads: Places) -> _Solved:
        return replace(self, guard=self.guard | reads, tests=True)

    def written(self, variable: int, writes: Iterable[Write]) -> _Solved:
        return replace(self, writes=(*self.writes, *writes), assigned=self.assigned | {variable})

    def of_variable(self, variable: int) -> list[Write]:
        return [write for write in self.writes if write.place.variable == variable]


def _joined(before: _Solved, branches: Sequence[_Solved], control: Places) -> _Solved:
    """After one of several branches, each of which began `before`; `control` decides which."""
    guard = before.guard.union(*(each.guard for each in branches))
    tests = before.tests or any(each.tests for each in branches)
    if any(each.guard - before.guard or (each.tests and not before.tests) for each in branches):
        guard |= control
    writes = list(before.writes)
    for each in branches:
        added = each.writes[len(before.writes) :]
        for write in added:
            everywhere = all(_certain(write.place, other, before) for other in branches)
            writes.append(replace(write, control=write.control | control, certain=write.certain and everywhere))
    assigned = frozenset.intersection(*(each.assigned for each in branches)) if branches else before.assigned
    return _Solved(guard, tuple(writes), assigned, tests)


def _certain(place: Place, branch: _Solved, before: _Solved) -> bool:
    return any(write.certain and write.place == place for write in branch.writes[len(before.writes) :])


def _merged(writes: Iterable[Write]) -> tuple[Write, ...]:
    """One write for each place."""
    found: dict[Place, Write] = {}
    for write in writes:
        same = found.get(write.place)
        if same is not None:
            certain = same.certain or write.certain
            write = Write(write.place, same.reads | write.reads, same.control | write.control, certain)
        found[write.place] = write
    return tuple(
        replace(each, reads=without_covered(each.reads), control=without_covered(each.control))
        for each in found.values()
    )


# ---------------------------------------------------------------------------------------------------------- expressions


class _Solver:
    def __init__(self) -> None:
        self.limits: list[str] = []
        self._numbers = count()
        self._depth = 0
        self._active: list[Definition] = []

    def value(self, node: Any, frame: _Frame, solved: _Solved) -> _Abstract:
        """What the value of an expression is computed from."""
        match node:
            case nodes.Literal(value):
                return _Abstract(key=Constant(value) if isinstance(value, _ATOMS) else ANYTHING)
            case nodes.Variable(index, primed):
                return _next_value(index, solved) if primed else _Abstract(place=Place(index))
            case nodes.Local(depth, slot):
                return self._bound_value(frame.up(depth).slots.get(slot), solved)
            case nodes.Call(definition, args, depth):
                found: _Abstract = self._called(definition, args, frame, depth, solved, self._looking(solved))
                return found
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
                return _Abstract(reads, function=(node, frame))
            case nodes.RecordLiteral(names, values):
                thunks = {name: _Thunk(value, frame) for name, value in zip(names, values, strict=True)}
                return _Abstract(self._looked_at_parts(node, frame, solved), fields=thunks)
            case nodes.Except(function, updates):
                return _Abstract(self._except_reads(function, updates, frame, solved))
            case nodes.Unchanged(variables):
                old = frozenset(map(Place, variables))
                return _Abstract(old.union(*(_next_value(each, solved).looked_at for each in variables)))
        return _Abstract(self._looked_at_parts(node, frame, solved))

    def looked_at(self, node: Any, frame: _Frame, solved: _Solved) -> Places:
        return self.value(node, frame, solved).looked_at

    def _looked_at_parts(self, node: Any, frame: _Frame, solved: _Solved) -> Places:
        """Everything that any part of a node looks at, with whatever it binds."""
        match node:
            case nodes.Quantified(_, bounds, body) | nodes.SetMap(bounds, body):
                return self._bound_parts(bounds, (body,), frame, solved)
            case nodes.FunctionLiteral(bounds, body, self_slot):
                if self_slot is not None:
                    frame.slots[self_slot] = _Abstract()  # what it is computed from is found where it is
                return self._bound_parts(bounds, (body,), frame, solved)
            case nodes.Choose(bound, body) | nodes.SetFilter(bound, body):
                return self._bound_parts((bound,), (body,), frame, solved)
            case nodes.OperatorArgument() | nodes.LocalOperator() | nodes.PrimitiveOperator():
                return self._operator_reads(node, frame, solved)
            case nodes.Enabled(action):
                inside = self.solve(action, frame, _Solved())
                return inside.guard.union(*(write.sources for write in inside.writes))
            case nodes.Primitive(_, args):
                return self._primitive(args, frame, solved)
        return NOTHING.union(*(self.looked_at(each, frame, solved) for each in children(node)))

    def _bound_parts(
        self, bounds: Sequence[nodes.Bound], bodies: Sequence[Expression], frame: _Frame, solved: _Solved
    ) -> Places:
        reads = self._bind(bounds, frame, solved, None)
        found = reads.union(*(self.looked_at(body, frame, solved) for body in bodies))
        return _without_symbols(found, [slot for bound in bounds for slot in bound.slots], frame)

    def _bind(self, bounds: Sequence[nodes.Bound], frame: _Frame, solved: _Solved, names: set[str] | None) -> Places:
        """Bind names to elements of their domains; what the domains are computed from."""
        found = NOTHING
        for bound in bounds:
            reads = NOTHING if bound.domain is None else self.looked_at(bound.domain, frame, solved)
            found |= reads
            for slot, name in zip(bound.slots, bound.names, strict=True):
                frame.slots[slot] = _Abstract(reads, key=Symbol(next(self._numbers), name))
        return found

    def _primitive(self, args: Sequence[nodes.Argument], frame: _Frame, solved: _Solved) -> Places:
        """An operator of the library looks at its arguments, and gives operators among them what it finds there."""
        values = [each for each in args if not isinstance(each, _OPERATORS)]
        reads = NOTHING.union(*(self.looked_at(each, frame, solved) for each in values))
        for each in args:
            if isinstance(each, _OPERATORS):
                reads |= self._operator_reads(each, frame, solved)
        return reads

    def _operator_reads(self, node: Any, frame: _Frame, solved: _Solved) -> Places:
        """What an operator reads besides its arguments."""
        operator = self._operator(node, frame)
        if not isinstance(operator, _Operator):
            return NOTHING
        unknown = [_Abstract() for _ in operator.definition.arities]
        bindings: list[_Binding] = [
            each if not arity else _Unknown() for each, arity in zip(unknown, operator.definition.arities, strict=True)
        ]
        found: _Abstract = self._inside(operator, bindings, solved, self._looking(solved))
        return found.looked_at

    def _looking(self, solved: _Solved) -> Callable[[Expression, _Frame], _Abstract]:
        return lambda body, inner: self.value(body, inner, solved)

    def _operator(self, node: Any, frame: _Frame) -> _Binding:
        match node:
            case nodes.OperatorArgument(definition, depth):
                return _Operator(definition, frame.up(depth) if definition.nested else None)
            case nodes.LocalOperator(depth, slot):
                return frame.up(depth).slots.get(slot, _Unknown())
        return _Unknown()

    # ---------------------------------------------------------------------------------------------- calls

    def _bound_value(self, binding: _Binding | None, solved: _Solved) -> _Abstract:
        match binding:
            case _Abstract():
                return binding
            case _Thunk(expression, frame):
                return self.value(expression, frame, solved)
        return _Abstract()

    def _let(self, slots: Sequence[int], values: Sequence[Expression], frame: _Frame) -> None:
        for slot, value in zip(slots, values, strict=True):
            frame.slots[slot] = _Thunk(value, frame)

    def _bindings(self, args: Sequence[nodes.Argument], frame: _Frame) -> list[_Binding]:
        return [self._operator(each, frame) if isinstance(each, _OPERATORS) else _Thunk(each, frame) for each in args]

    def _called(
        self,
        definition: Definition,
        args: Sequence[nodes.Argument],
        frame: _Frame,
        depth: int,
        solved: _Solved,
        look: Callable[[Expression, _Frame], Any],
    ) -> Any:
        operator = _Operator(definition, frame.up(depth) if definition.nested else None)
        return self._inside(operator, self._bindings(args, frame), solved, look)

    def _call_local(
        self, binding: _Binding | None, args: Sequence[nodes.Argument], frame: _Frame, solved: _Solved
    ) -> _Abstract:
        if isinstance(binding, _Operator):
            found: _Abstract = self._inside(binding, self._bindings(args, frame), solved, self._looking(solved))
            return found
        return _Abstract(self._primitive(args, frame, solved))

    def _inside(
        self,
        operator: _Operator,
        bindings: Sequence[_Binding],
        solved: _Solved,
        look: Callable[[Expression, _Frame], Any],
    ) -> Any:
        """Look at the body of a definition. One that calls itself is looked at once, and with unknown parameters."""
        definition = operator.definition
        assert definition.body is not None
        if definition in self._active or len(self._active) >= _DEEPEST:
            if not definition.recursive:
                self.limits.append(f"{definition.name} is nested too deeply")
            return _Abstract(NOTHING.union(*(self._forced(each, solved) for each in bindings)))
        self._active.append(definition)
        if definition.recursive:  # what its parameters are in later calls is computed from the first ones
            reads = NOTHING.union(*(self._forced(each, solved) for each in bindings))
            bindings = [each if isinstance(each, _Operator) else _Abstract(reads) for each in bindings]
        try:
            return look(definition.body, _Frame(dict(enumerate(bindings)), operator.parent))
        finally:
            self._active.pop()

    def _forced(self, binding: _Binding, solved: _Solved) -> Places:
        if isinstance(binding, _Operator | _Unknown):
            return NOTHING
        return self._bound_value(binding, solved).looked_at

    # ---------------------------------------------------------------------------------------- parts of values

    def _applied(self, function: _Abstract, argument: _Abstract, solved: _Solved) -> _Abstract:
        own = argument.looked_at if not isinstance(argument.key, Constant) else NOTHING
        if function.place is not None:
            return _Abstract(function.reads | own, function.place.at(argument.key))
        if function.function is not None:
            literal, frame = function.function
            bound = literal.bounds[0]
            if len(bound.slots) == 1 and not bound.is_tuple and bound.domain is not None:
                inner = _Frame({**frame.slots, bound.slots[0]: argument}, frame.parent)
                domain = self.looked_at(bound.domain, frame, solved)
                found = self.value(literal.body, inner, solved)
                return replace(found, reads=found.reads | domain | own)
        return _Abstract(function.looked_at | own)

    def _selected(self, record: _Abstract, name: str, solved: _Solved) -> _Abstract:
        if record.fields is not None and name in record.fields:
            thunk = record.fields[name]
            return self.value(thunk.expression, thunk.frame, solved)
        if record.place is not None:
            return _Abstract(record.reads, record.place.at(Constant(name)))
        key = record.key
        if isinstance(key, Symbol):
            return _Abstract(record.reads, key=replace(key, fields=(*key.fields, name)))
        return _Abstract(record.looked_at)

    def _either(
        self, condition: Expression, branches: Sequence[Expression], frame: _Frame, solved: _Solved
    ) -> _Abstract:
        decided = self.looked_at(condition, frame, solved)
        return _Abstract(decided.union(*(self.looked_at(each, frame, solved) for each in branches)))

    def _except_reads(
        self, function: Expression, updates: Sequence[nodes.Update], frame: _Frame, solved: _Solved
    ) -> Places:
        base = self.value(function, frame, solved)
        found = base.looked_at
        for update in updates:
            for step in update.path:
                found |= self.looked_at(step, frame, solved)
            if update.at_slot is not None:
                frame.slots[update.at_slot] = _Abstract(base.looked_at)
            found |= self.looked_at(update.value, frame, solved)
        return found

    # -------------------------------------------------------------------------------------------------- actions

    def solve(self, node: Any, frame: _Frame, solved: _Solved, names: set[str] | None = None) -> _Solved:
        """What solving a formula as an action adds to what was solved before it."""
        match node:
            case nodes.And(items):
                for item in items:
                    solved = self.solve(item, frame, solved, names)
                return solved
            case nodes.Or(items):
                branches = [self.solve(item, frame, solved, names) for item in items]
                return _joined(solved, branches, NOTHING)
            case nodes.Quantified(False, bounds, body):
                reads = self._bind(bounds, frame, solved, names)
                bound = solved.tested(reads)
                return _joined(solved, [self._choosing(reads, self.solve(body, frame, bound, names), solved)], NOTHING)
            case nodes.Quantified(True, bounds, body) if self._assigns(body, frame):
                return self._for_all(bounds, body, frame, solved)
            case nodes.If(condition, then, otherwise):
                decided = self.looked_at(condition, frame, solved)
                return _joined(solved, [self.solve(each, frame, solved, names) for each in (then, otherwise)], decided)
            case nodes.Case(arms, other):
                return self._solve_case(arms, other, frame, solved, names)
            case nodes.Implies(condition, then):
                decided = self.looked_at(condition, frame, solved)
                return _joined(solved, [self.solve(then, frame, solved, names), solved], decided)
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self.solve(body, frame, solved, names)
            case nodes.Call(definition, args, depth):
                return self._solve_call(definition, args, depth, frame, solved, names)
            case nodes.Local(depth, slot):
                return self._solve_bound(node, frame.up(depth).slots.get(slot), solved, frame)
            case nodes.CallLocal(depth, slot, _, args):
                return self._solve_call_local(node, frame.up(depth).slots.get(slot), args, frame, solved)
            case nodes.Equal(left, right):
                return self._assign(node, left, right, frame, solved, one=True)
            case nodes.Member(left, right):
                return self._assign(node, left, right, frame, solved, one=False)
            case nodes.Primitive("\\subseteq", (left, right)):
                return self._assign(node, left, right, frame, solved, one=False)
            case nodes.Unchanged(variables):
                again = [each for each in variables if each in solved.assigned or solved.of_variable(each)]
                if again:
                    solved = solved.tested(self.looked_at(nodes.Unchanged(tuple(again), node.span), frame, solved))
                return replace(solved, assigned=solved.assigned | set(variables))
            case nodes.AngleAction(action, changed):
                after = self.solve(action, frame, solved, names)
                return after.tested(self.looked_at(changed, frame, after))
            case nodes.BoxAction(action, changed):
                return self._solve_box(action, changed, frame, solved)
            case nodes.Compose():
                return self._solve_whole(node, frame, solved)
        return solved.tested(self.looked_at(node, frame, solved))

    def _choosing(self, reads: Places, after: _Solved, before: _Solved) -> _Solved:
        """What is written for an element that was chosen depends on what there is to choose from."""
        old, new = after.writes[: len(before.writes)], after.writes[len(before.writes) :]
        return replace(after, writes=(*old, *(replace(each, control=each.control | reads) for each in new)))

    def _for_all(self, bounds: Sequence[nodes.Bound], body: Expression, frame: _Frame, solved: _Solved) -> _Solved:
        """Each element may add assignments; there may be none."""
        reads = self._bind(bounds, frame, solved, None)
        once = self.solve(body, frame, solved.tested(reads))
        twice = self.solve(body, frame, once)  # what one element assigns, the next one tests
        slots = [slot for bound in bounds for slot in bound.slots]
        wide = replace(
            twice,
            guard=_without_symbols(twice.guard, slots, frame),
            writes=tuple(_wide(each, slots, frame) for each in twice.writes),
        )
        return _joined(solved, [wide, solved], reads)

    def _solve_case(
        self,
        arms: Sequence[tuple[Expression, Expression]],
        other: Expression | None,
        frame: _Frame,
        solved: _Solved,
        names: set[str] | None,
    ) -> _Solved:
        decided = NOTHING.union(*(self.looked_at(guard, frame, solved) for guard, _ in arms))
        bodies = [body for _, body in arms] + ([] if other is None else [other])
        found = _joined(solved, [self.solve(body, frame, solved, names) for body in bodies], decided)
        return found if other is not None else found.tested(decided)

    def _solve_call(
        self,
        definition: Definition,
        args: Sequence[nodes.Argument],
        depth: int,
        frame: _Frame,
        solved: _Solved,
        names: set[str] | None,
    ) -> _Solved:
        operator = _Operator(definition, frame.up(depth) if definition.nested else None)
        return self._solve_inside(operator, self._bindings(args, frame), solved, names)

    def _solve_inside(
        self, operator: _Operator, bindings: Sequence[_Binding], solved: _Solved, names: set[str] | None
    ) -> _Solved:
        definition = operator.definition
        assert definition.body is not None
        if definition in self._active or len(self._active) >= _DEEPEST:
            self.limits.append(f"the action {definition.name} calls itself")
            return self._solve_mentioned(definition, bindings, solved)
        self._active.append(definition)
        try:
            return self.solve(definition.body, _Frame(dict(enumerate(bindings)), operator.parent), solved, names)
        finally:
            self._active.pop()

    def _solve_bound(self, node: Expression, binding: _Binding | None, solved: _Solved, frame: _Frame) -> _Solved:
        match binding:
            case _Thunk(expression, inner):
                return self.solve(expression, inner, solved)
            case _Abstract():
                return solved.tested(binding.looked_at)
        return self._solve_whole(node, frame, solved)

    def _solve_call_local(
        self,
        node: Expression,
        binding: _Binding | None,
        args: Sequence[nodes.Argument],
        frame: _Frame,
        solved: _Solved,
    ) -> _Solved:
        if isinstance(binding, _Operator):
            return self._solve_inside(binding, self._bindings(args, frame), solved, None)
        return solved.tested(self._primitive(args, frame, solved))

    def _solve_box(self, action: Expression, changed: Expression, frame: _Frame, solved: _Solved) -> _Solved:
        """`A \\/ v' = v`: the second may assign whatever `changed` speaks of."""
        taken = self.solve(action, frame, solved)
        idle = self._solve_whole(changed, frame, solved)
        return _joined(solved, [taken, idle], NOTHING)

    def _solve_whole(self, node: Expression, frame: _Frame, solved: _Solved) -> _Solved:
        """Not looked into: everything it mentions decides everything it may assign."""
        self.limits.append(f"{type(node).__name__} is looked at as a whole")
        return self._whole(_mentioned(node), NOTHING, solved)

    def _solve_mentioned(self, definition: Definition, bindings: Sequence[_Binding], solved: _Solved) -> _Solved:
        assert definition.body is not None
        read, written = _mentioned(definition.body)
        for each in bindings:
            match each:
                case _Thunk(expression, _):
                    more_read, more_written = _mentioned(expression)
                    read, written = read | more_read, written | more_written
        return self._whole((read, written), NOTHING.union(*(self._forced(b, solved) for b in bindings)), solved)

    def _whole(self, mentioned: tuple[frozenset[int], frozenset[int]], more: Places, solved: _Solved) -> _Solved:
        read, written = mentioned
        reads = more.union(map(Place, read), *(_next_value(each, solved).looked_at for each in written))
        writes = [Write(Place(each), reads, certain=False) for each in written]
        return replace(solved.tested(reads), writes=(*solved.writes, *writes))

    # ---------------------------------------------------------------------------------------------- assignments

    def _assigns(self, node: Expression, frame: _Frame) -> bool:
        """Whether a formula speaks of next values at all."""
        return bool(_mentioned(node)[1]) or any(isinstance(each, _Thunk) for each in frame.slots.values())

    def _assign(self, node: Expression, left: Any, right: Any, frame: _Frame, solved: _Solved, *, one: bool) -> _Solved:
        target = self._target(left, frame)
        if target is None:
            return solved.tested(self.looked_at(left, frame, solved) | self.looked_at(right, frame, solved))
        place = Place(target)
        if one:
            writes = self._changes(right, place, frame, solved)
        else:
            writes = [Write(place, self.looked_at(right, frame, solved))]
        before = solved
        if target in solved.assigned or solved.of_variable(target) or not one:  # a test, or a choice among perhaps none
            solved = solved.tested(_next_value(target, solved).looked_at if target in solved.assigned else NOTHING)
            solved = solved.tested(self.looked_at(right, frame, before))
        return solved.written(target, writes if target not in before.assigned else ())

    def _target(self, node: Any, frame: _Frame) -> int | None:
        """The variable whose next value an expression is, also under another name."""
        match node:
            case nodes.Variable(index, True):
                return index
            case nodes.Local(depth, slot):
                binding = frame.up(depth).slots.get(slot)
                return self._target(binding.expression, binding.frame) if isinstance(binding, _Thunk) else None
            case nodes.Call(definition, (), depth) if definition.body is not None:
                parent = frame.up(depth) if definition.nested else None
                return self._target(definition.body, _Frame({}, parent))
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self._target(body, frame)
        return None

    def _changes(self, node: Any, base: Place, frame: _Frame, solved: _Solved) -> list[Write]:
        """The writes that make of what stands at a place the value of an expression."""
        match node:
            case nodes.Except(function, updates):
                return self._except_changes(node, function, updates, base, frame, solved)
            case nodes.If(condition, then, otherwise):
                decided = self.looked_at(condition, frame, solved)
                return _either_write([self._changes(each, base, frame, solved) for each in (then, otherwise)], decided)
            case nodes.Case(arms, other):
                decided = NOTHING.union(*(self.looked_at(guard, frame, solved) for guard, _ in arms))
                bodies = [body for _, body in arms] + ([] if other is None else [other])
                return _either_write([self._changes(each, base, frame, solved) for each in bodies], decided)
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self._changes(body, base, frame, solved)
            case nodes.Local(depth, slot):
                binding = frame.up(depth).slots.get(slot)
                if isinstance(binding, _Thunk):
                    return self._changes(binding.expression, base, binding.frame, solved)
            case nodes.Call(definition, args, depth) if definition not in self._active and not definition.recursive:
                found = self._called(
                    definition, args, frame, depth, solved, lambda body, inner: self._changes(body, base, inner, solved)
                )
                if isinstance(found, list):
                    return found
        value = self.value(node, frame, solved)
        if value.place == base and not value.reads:
            return []
        return [Write(base, value.looked_at)]

    def _except_changes(
        self,
        node: Expression,
        function: Expression,
        updates: Sequence[nodes.Update],
        base: Place,
        frame: _Frame,
        solved: _Solved,
    ) -> list[Write]:
        before = self._changes(function, base, frame, solved)
        if any(write.place == base for write in before):  # of another value than the one that stands there
            return [Write(base, self.looked_at(node, frame, solved))]
        for update in updates:
            before = [*before, *self._update_changes(update, base, before, frame, solved)]
        return before

    def _update_changes(
        self, update: nodes.Update, base: Place, before: Sequence[Write], frame: _Frame, solved: _Solved
    ) -> list[Write]:
        reads, place = NOTHING, base
        for step in update.path:
            argument = self.value(step, frame, solved)
            reads |= argument.looked_at
            place = place.at(argument.key)
        if update.at_slot is not None:
            earlier = NOTHING.union(*(each.sources for each in before))
            frame.slots[update.at_slot] = _Abstract(earlier, place)
        inside = self._changes(update.value, place, frame, solved)
        return [replace(each, control=each.control | reads) for each in inside]


_OPERATORS = (nodes.OperatorArgument, nodes.LocalOperator, nodes.PrimitiveOperator)


def _either_write(branches: Sequence[list[Write]], control: Places) -> list[Write]:
    return [
        replace(
            write,
            control=write.control | control,
            certain=write.certain and all(any(w.place == write.place and w.certain for w in each) for each in branches),
        )
        for branch in branches
        for write in branch
    ]


def _next_value(variable: int, solved: _Solved) -> _Abstract:
    """What the next value of a variable is computed from, as far as it has one."""
    writes = solved.of_variable(variable)
    sources = NOTHING.union(*(each.sources for each in writes))
    if any(each.certain and not each.place.path for each in writes):
        return _Abstract(sources)
    return _Abstract(sources | {Place(variable)})


def _without_symbols(places: Places, slots: Iterable[int], frame: _Frame) -> Places:
    """Outside of what binds them, names stand for anything."""
    gone = _numbers_of(slots, frame)
    return frozenset(Place(each.variable, tuple(_freed(key, gone) for key in each.path)) for each in places)


def _wide(write: Write, slots: Iterable[int], frame: _Frame) -> Write:
    slots = list(slots)
    place = next(iter(_without_symbols(frozenset((write.place,)), slots, frame)))
    reads, control = (_without_symbols(each, slots, frame) for each in (write.reads, write.control))
    return Write(place, reads, control, certain=False)


def _numbers_of(slots: Iterable[int], frame: _Frame) -> set[int]:
    bindings = (frame.slots.get(slot) for slot in slots)
    return {each.key.number for each in bindings if isinstance(each, _Abstract) and isinstance(each.key, Symbol)}


def _freed(key: Key, gone: set[int]) -> Key:
    return ANYTHING if isinstance(key, Symbol) and key.number in gone else key


def _mentioned(node: Any) -> tuple[frozenset[int], frozenset[int]]:
    """Variables whose value in this state, and in the next, a formula speaks of, definitions included."""
    read: set[int] = set()
    written: set[int] = set()
    for each in reachable(node):
        match each:
            case nodes.Variable(index, primed):
                (written if primed else read).add(index)
            case nodes.Unchanged(variables):
                read.update(variables)
                written.update(variables)
    return frozenset(read), frozenset(written)
