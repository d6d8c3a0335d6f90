"""Actions, solved with what values are computed from in the place of values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
    joined,
    next_value,
    without_symbols,
)
from gristmill.ir.passes.dependencies.expressions import DEEPEST, Expressions, mentioned, mentioned_in
from gristmill.ir.passes.dependencies.facts import NOTHING, Places, Write
from gristmill.ir.places import Place
from gristmill.library import Form


class Solver(Expressions):
    def solve(self, node: Any, frame: Frame, solved: Solved) -> Solved:
        """What solving a formula as an action adds to what was solved before it."""
        if self.is_exhausted():
            return self._solve_whole(node, frame, solved)
        match node:
            case nodes.And(items):
                for item in items:
                    solved = self.solve(item, frame, solved)
                return solved
            case nodes.Or(items):
                branches = [self.solve(item, frame, solved) for item in items]
                return joined(solved, branches, NOTHING)
            case nodes.Quantified(False, bounds, body):
                reads = self._bind(bounds, frame, solved)
                bound = solved.tested(reads)
                return joined(solved, [self._choosing(reads, self.solve(body, frame, bound), solved)], NOTHING)
            case nodes.Quantified(True, bounds, body) if self._assigns(body, frame):
                return self._for_all(bounds, body, frame, solved)
            case nodes.If(condition, then, otherwise):
                decided = self.looked_at(condition, frame, solved)
                return joined(solved, [self.solve(each, frame, solved) for each in (then, otherwise)], decided)
            case nodes.Case(arms, other):
                return self._solve_case(arms, other, frame, solved)
            case nodes.Implies(condition, then):
                decided = self.looked_at(condition, frame, solved)
                return joined(solved, [self.solve(then, frame, solved), solved], decided)
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self.solve(body, frame, solved)
            case nodes.Call(definition, args, depth):
                return self._solve_call(definition, args, depth, frame, solved)
            case nodes.Local(depth, slot):
                return self._solve_bound(node, frame.up(depth).slots.get(slot), solved, frame)
            case nodes.CallLocal(depth, slot, _, args):
                return self._solve_call_local(node, frame.up(depth).slots.get(slot), args, frame, solved)
            case nodes.Equal(left, right):
                return self._assign(node, left, right, frame, solved, one=True)
            case nodes.Member(left, right):
                return self._assign(node, left, right, frame, solved, one=False)
            case nodes.Primitive(operator, (left, right)) if operator.form is Form.INCLUDED:
                return self._assign(node, left, right, frame, solved, one=False)
            case nodes.Unchanged(variables):
                again = [each for each in variables if each in solved.assigned or solved.of_variable(each)]
                if again:
                    solved = solved.tested(self.looked_at(nodes.Unchanged(tuple(again), node.span), frame, solved))
                return replace(solved, assigned=solved.assigned | set(variables))
            case nodes.Disjunct(_, body):
                return self.solve(body, frame, solved)
            case nodes.AngleAction(action, changed):
                after = self.solve(action, frame, solved)
                return after.tested(self.looked_at(changed, frame, after))
            case nodes.BoxAction(action, changed):
                return self._solve_box(action, changed, frame, solved)
            case nodes.FunctionApply(function) if mentioned_in(function, frame)[1]:  # its body is solved like an action
                return self._solve_whole(node, frame, solved)
            case nodes.Cdot():
                return self._solve_whole(node, frame, solved)
        return solved.tested(self.looked_at(node, frame, solved))

    def sources(self, action: Expression, frame: Frame) -> Places:
        inside = self.solve(action, frame, Solved())
        return inside.guard.union(*(write.sources for write in inside.writes))

    def _choosing(self, reads: Places, after: Solved, before: Solved) -> Solved:
        """What is written for an element that was chosen depends on what there is to choose from."""
        old, new = after.writes[: len(before.writes)], after.writes[len(before.writes) :]
        return replace(after, writes=(*old, *(replace(each, control=each.control | reads) for each in new)))

    def _for_all(self, bounds: Sequence[nodes.Bound], body: Expression, frame: Frame, solved: Solved) -> Solved:
        """Each element may add assignments; there may be none."""
        reads = self._bind(bounds, frame, solved)
        once = self.solve(body, frame, solved.tested(reads))
        twice = self.solve(body, frame, once)  # what one element assigns, the next one tests
        slots = [slot for bound in bounds for slot in bound.slots]
        wide = replace(
            twice,
            guard=without_symbols(twice.guard, slots, frame),
            writes=tuple(_wide(each, slots, frame) for each in twice.writes),
        )
        return joined(solved, [wide, solved], reads)

    def _solve_case(
        self,
        arms: Sequence[tuple[Expression, Expression]],
        other: Expression | None,
        frame: Frame,
        solved: Solved,
    ) -> Solved:
        decided = NOTHING.union(*(self.looked_at(guard, frame, solved) for guard, _ in arms))
        bodies = [body for _, body in arms] + ([] if other is None else [other])
        found = joined(solved, [self.solve(body, frame, solved) for body in bodies], decided)
        return found if other is not None else found.tested(decided)

    def _solve_call(
        self,
        definition: Definition,
        args: Sequence[nodes.Argument],
        depth: int,
        frame: Frame,
        solved: Solved,
    ) -> Solved:
        operator = Operator(definition, frame.up(depth) if definition.nested else None)
        return self._solve_inside(operator, self._bindings(args, frame), solved)

    def _solve_inside(self, operator: Operator, bindings: Sequence[Binding], solved: Solved) -> Solved:
        definition = operator.definition
        assert definition.body is not None
        inner = Frame(dict(enumerate(bindings)), operator.parent)
        if (definition.recursive and definition in self._active) or len(self._active) >= DEEPEST:
            return self._solve_whole(definition.body, inner, solved, f"the action {definition.name} calls itself")
        self._active.append(definition)
        try:
            return self.solve(definition.body, inner, solved)
        finally:
            self._active.pop()

    def _solve_bound(self, node: Expression, binding: Binding | None, solved: Solved, frame: Frame) -> Solved:
        match binding:
            case Thunk(expression, inner):
                return self.solve(expression, inner, solved)
            case Abstract():
                return solved.tested(binding.looked_at)
        return self._solve_whole(node, frame, solved)

    def _solve_call_local(
        self,
        node: Expression,
        binding: Binding | None,
        args: Sequence[nodes.Argument],
        frame: Frame,
        solved: Solved,
    ) -> Solved:
        if isinstance(binding, Operator):
            return self._solve_inside(binding, self._bindings(args, frame), solved)
        return solved.tested(self._primitive(args, frame, solved))

    def _solve_box(self, action: Expression, changed: Expression, frame: Frame, solved: Solved) -> Solved:
        """`A \\/ v' = v`: the second may assign whatever `changed` speaks of."""
        taken = self.solve(action, frame, solved)
        idle = self._solve_whole(changed, frame, solved)
        return joined(solved, [taken, idle], NOTHING)

    def _solve_whole(self, node: Expression, frame: Frame, solved: Solved, why: str = "") -> Solved:
        """Not looked into: everything it mentions decides everything it may assign."""
        self.limits.append(why or f"{type(node).__name__} is looked at as a whole")
        return self._whole(mentioned_in(node, frame), solved)

    def _whole(self, mentioned: tuple[frozenset[int], frozenset[int]], solved: Solved) -> Solved:
        read, written = mentioned
        reads = frozenset(map(Place, read)).union(*(next_value(each, solved).looked_at for each in written))
        writes = [Write(Place(each), reads, certain=False) for each in written]
        return replace(solved.tested(reads), writes=(*solved.writes, *writes))

    # ---------------------------------------------------------------------------------------------- assignments

    def _assigns(self, node: Expression, frame: Frame) -> bool:
        """Whether a formula speaks of next values at all."""
        return bool(mentioned(node)[1]) or any(isinstance(each, Thunk) for each in frame.slots.values())

    def _assign(self, node: Expression, left: Any, right: Any, frame: Frame, solved: Solved, *, one: bool) -> Solved:
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
            solved = solved.tested(next_value(target, solved).looked_at if target in solved.assigned else NOTHING)
            solved = solved.tested(self.looked_at(right, frame, before))
        return solved.written(target, writes if target not in before.assigned else ())

    def _target(self, node: Any, frame: Frame) -> int | None:
        """The variable whose next value an expression is, also under another name."""
        match node:
            case nodes.Variable(index, True):
                return index
            case nodes.Local(depth, slot):
                binding = frame.up(depth).slots.get(slot)
                return self._target(binding.expression, binding.frame) if isinstance(binding, Thunk) else None
            case nodes.Call(definition, (), depth) if definition.body is not None:
                parent = frame.up(depth) if definition.nested else None
                return self._target(definition.body, Frame({}, parent))
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self._target(body, frame)
        return None

    def _changes(self, node: Any, base: Place, frame: Frame, solved: Solved) -> list[Write]:
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
                if isinstance(binding, Thunk):
                    return self._changes(binding.expression, base, binding.frame, solved)
            case nodes.Call(definition, args, depth) if not definition.recursive:
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
        frame: Frame,
        solved: Solved,
    ) -> list[Write]:
        before = self._changes(function, base, frame, solved)
        if any(write.place == base for write in before):  # of another value than the one that stands there
            return [Write(base, self.looked_at(node, frame, solved))]
        for update in updates:
            before = [*before, *self._update_changes(update, base, before, frame, solved)]
        return before

    def _update_changes(
        self, update: nodes.Update, base: Place, before: Sequence[Write], frame: Frame, solved: Solved
    ) -> list[Write]:
        reads, place = NOTHING, base
        for step in update.path:
            argument = self.value(step, frame, solved)
            reads |= argument.looked_at
            place = place.at(argument.key)
        if update.at_slot is not None:
            earlier = NOTHING.union(*(each.sources for each in before))
            frame.slots[update.at_slot] = Abstract(earlier, place)
        inside = self._changes(update.value, place, frame, solved)
        return [replace(each, control=each.control | reads) for each in inside]


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


def _wide(write: Write, slots: Sequence[int], frame: Frame) -> Write:
    place = next(iter(without_symbols(frozenset((write.place,)), slots, frame)))
    reads, control = (without_symbols(each, slots, frame) for each in (write.reads, write.control))
    return Write(place, reads, control, certain=False)
