"""Actions, solved with collections of messages cut into slices by tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.ir.passes.dependencies.abstract import Abstract, Frame, Solved, joined
from gristmill.ir.passes.dependencies.facts import NOTHING, Places, Write
from gristmill.ir.passes.dependencies.messages import ByTag, Message, Messages, Slicing
from gristmill.ir.places import Constant, Place, Slice
from gristmill.library import Form
from gristmill.source import Span


class Impossible(Exception):
    """A part of an action is false for certain: for a message of another tag, or by the constants."""


class Sliced(Messages):
    """Solves actions; also says where each place was first tested, and written.

    `home` is the text of the action: rather there than in a definition that it applies.
    """

    def __init__(self, variables: int, slicings: Sequence[Slicing] = (), home: Span | None = None) -> None:
        super().__init__(variables, slicings)
        self._home = home
        self.tested_at: dict[Place, Span] = {}
        self.written_at: dict[Place, Span] = {}

    def solve_action(self, body: Expression) -> Solved:
        try:
            return self.solve(body, Frame(), Solved())
        except Impossible:
            return Solved()

    def solve(self, node: Any, frame: Frame, solved: Solved) -> Solved:
        after = self._solve(node, frame, solved)
        if after.guard is not solved.guard:
            for place in after.guard - solved.guard:
                self._note(self.tested_at, place, node.span)
        for write in after.writes[len(solved.writes) :]:
            self._note(self.written_at, write.place, node.span)
        return after

    def _note(self, places: dict[Place, Span], place: Place, span: Span) -> None:
        old = places.get(place)
        if old is None or (not self._is_at_home(old) and self._is_at_home(span)):
            places[place] = span

    def _is_at_home(self, span: Span) -> bool:
        home = self._home
        return home is None or (span.file is home.file and home.start <= span.start and span.end <= home.end)

    def _solve(self, node: Any, frame: Frame, solved: Solved) -> Solved:
        match node:
            case nodes.Or(items):
                return joined(solved, self._possible(items, frame, solved), NOTHING)
            case nodes.If(condition, then, otherwise):
                return self._solve_choice([(condition, then)], otherwise, frame, solved)
            case nodes.Case(arms, other):
                return self._solve_choice(arms, other, frame, solved)
            case nodes.Quantified(False, bounds, body) if self.binds_messages(bounds, frame, solved):
                return self._solve_for_messages(bounds, body, frame, solved)
            case nodes.Quantified(True) | nodes.BoxAction() | nodes.Implies():
                try:
                    return super().solve(node, frame, solved)
                except Impossible:
                    return self._solve_whole(node, frame, solved)
            case nodes.Equal() | nodes.Member() | nodes.Not() | nodes.Literal():
                known = self.truth(node, frame)
                if known is not None:
                    return self._decided(known, solved)
        return super().solve(node, frame, solved)

    def _decided(self, known: bool, solved: Solved) -> Solved:
        if not known:
            raise Impossible
        return solved

    def _possible(self, items: Sequence[Expression], frame: Frame, solved: Solved) -> list[Solved]:
        """What the branches do that are possible; at least one must be."""
        found = []
        for item in items:
            try:
                found.append(self.solve(item, frame, solved))
            except Impossible:
                continue
        if not found:
            raise Impossible
        return found

    def _solve_choice(
        self, arms: Sequence[tuple[Expression, Expression]], other: Expression | None, frame: Frame, solved: Solved
    ) -> Solved:
        """IF and CASE, without the arms that are not taken for certain."""
        open_arms = [(guard, body, self.truth(guard, frame)) for guard, body in arms]
        open_arms = [arm for arm in open_arms if arm[2] is not False]
        taken = next((body for _, body, known in open_arms[:1] if known), None)
        if taken is not None:
            return self.solve(taken, frame, solved)
        bodies = [body for _, body, _ in open_arms] + ([] if other is None else [other])
        decided = NOTHING.union(*(self.looked_at(guard, frame, solved) for guard, _, _ in open_arms))
        found = self._possible(bodies, frame, solved)
        after = joined(solved, found, decided)
        return after if len(found) == len(bodies) and other is not None else after.tested(decided)

    def _solve_for_messages(
        self, bounds: Sequence[nodes.Bound], body: Expression, frame: Frame, solved: Solved
    ) -> Solved:
        branches = []
        for reads in self.bound_by_tag(bounds, frame, solved):
            try:
                after = self.solve(body, frame, solved.tested(reads))
            except Impossible:
                continue
            branches.append(joined(solved, [self._choosing(reads, after, solved)], NOTHING))
        if not branches:
            raise Impossible
        return joined(solved, branches, NOTHING)

    def _choosing(self, reads: Places, after: Solved, before: Solved) -> Solved:
        """What there is to choose from is a part of the guard. A write depends on it where it uses the element chosen,
        and then it says so: whether a constant is written is a matter of the guard alone.
        """
        return after

    # ------------------------------------------------------------------------------------------------------ expressions

    def _looked_at_parts(self, node: Any, frame: Frame, solved: Solved) -> Places:
        match node:
            case nodes.And(items) | nodes.Or(items):
                if self.truth(node, frame) is not None:
                    return NOTHING
                left = [item for item in items if self.truth(item, frame) is None]
                return NOTHING.union(*(self.looked_at(item, frame, solved) for item in left))
            case nodes.Not() | nodes.Implies() | nodes.Equal():
                if self.truth(node, frame) is not None:
                    return NOTHING
            case nodes.Quantified(universal, bounds, body) if self.binds_messages(bounds, frame, solved):
                return self._tested_messages(bounds, body, universal, frame, solved)
            case nodes.Choose(bound, body) | nodes.SetFilter(bound, body) if self.binds_messages(
                (bound,), frame, solved
            ):
                return self._tested_messages((bound,), body, False, frame, solved)
            case nodes.SetMap(bounds, body) if self.binds_messages(bounds, frame, solved):
                return self._tested_messages(bounds, body, None, frame, solved)
            case nodes.Member(left, right):
                return self._membership(node, left, right, frame, solved)
        return super()._looked_at_parts(node, frame, solved)

    def _assign(self, node: Expression, left: Any, right: Any, frame: Frame, solved: Solved, *, one: bool) -> Solved:
        if self._target(left, frame) is None:
            return solved.tested(self.looked_at(node, frame, solved))
        return super()._assign(node, left, right, frame, solved, one=one)

    def value(self, node: Any, frame: Frame, solved: Solved) -> Abstract:
        found = super().value(node, frame, solved)
        if isinstance(node, nodes.FunctionApply) and found.place is None:
            for field in self._fields:
                tags = self.tags(node.argument, field, frame, solved)
                bag = None if tags is None else self.members(node.function, field, frame, solved)
                if tags is not None and bag is not None:
                    own = self.looked_at(node.argument, frame, solved)
                    return Abstract(own.union(*(bag.get(tag, NOTHING) for tag in tags)))
        return found

    def _tested_messages(
        self,
        bounds: Sequence[nodes.Bound],
        body: Expression,
        without: bool | None,
        frame: Frame,
        solved: Solved,
    ) -> Places:
        """Of messages for which a formula has the value `without` for certain, nothing is read."""
        found = NOTHING
        for reads in self.bound_by_tag(bounds, frame, solved):
            if without is None or self.truth(body, frame) is not without:
                found |= reads | self._inside_bound(body, bounds, frame, solved)
        return found

    def _membership(self, node: Any, left: Any, right: Any, frame: Frame, solved: Solved) -> Places:
        if self.truth(node, frame) is not None:
            return NOTHING
        for field in self._fields:
            tags = self.tags(left, field, frame, solved)
            members = None if tags is None else self.members(right, field, frame, solved)
            if tags is not None and members is not None:
                own = self.looked_at(left, frame, solved)
                return own.union(*(members.get(tag, NOTHING) for tag in tags))
        return super()._looked_at_parts(node, frame, solved)

    def _either(self, condition: Expression, branches: Sequence[Expression], frame: Frame, solved: Solved) -> Abstract:
        known = self.truth(condition, frame)
        if known is not None:
            return self.value(branches[0 if known else 1], frame, solved)
        return super()._either(condition, branches, frame, solved)

    def _selected(self, record: Abstract, name: str, solved: Solved) -> Abstract:
        match record.key:
            case Message(fields=(), tag=tag) if name in self._fields:
                return Abstract(key=Constant(tag))
        return super()._selected(record, name, solved)

    def _applied(self, function: Abstract, argument: Abstract, solved: Solved) -> Abstract:
        slicing = self.slicing_at(function.place)
        tags = None if slicing is None else self._tags_of(argument, slicing.field, solved)
        if function.place is None or tags is None or len(tags) != 1:
            return super()._applied(function, argument, solved)
        return Abstract(function.reads | argument.looked_at, function.place.at(Slice(next(iter(tags)))))

    def _tags_of(self, value: Abstract, field: str, solved: Solved) -> frozenset[Any] | None:
        if value.fields is not None and field in value.fields:
            thunk = value.fields[field]
            return self.constants(thunk.expression, thunk.frame)
        return self._bound_tags(value, field, solved)

    # ----------------------------------------------------------------------------------------------------------- writes

    def _changes(self, node: Any, base: Place, frame: Frame, solved: Solved) -> list[Write]:
        slicing = self.slicing_at(base)
        if slicing is not None:
            found = self._slice_changes(node, base, slicing.field, frame, solved)
            if found is not None:
                return found
        return super()._changes(node, base, frame, solved)

    def _slice_changes(self, node: Any, base: Place, field: str, frame: Frame, solved: Solved) -> list[Write] | None:
        """The writes to slices, of an expression that adds messages to a collection or takes some away."""
        match node:
            case nodes.Primitive(operator, (left, right)) if operator.form in (Form.UNION, Form.MERGE):
                return self._with_more(left, right, base, field, frame, solved) or self._with_more(
                    right, left, base, field, frame, solved
                )
            case nodes.Primitive(operator, (kept, gone)) if operator.form is Form.DIFFERENCE:
                return self._with_more(kept, gone, base, field, frame, solved)
            case nodes.SetFilter(bound, predicate):
                return self._with_fewer(bound, predicate, base, field, frame, solved)
            case nodes.FunctionLiteral(bounds=(bound,), body=body, self_slot=None):
                return self._restricted(bound, body, base, field, frame, solved)
        return None

    def _with_more(
        self, kept: nodes.Argument, other: nodes.Argument, base: Place, field: str, frame: Frame, solved: Solved
    ) -> list[Write] | None:
        """A collection to which messages are added, or from which they are taken."""
        members = self.members(other, field, frame, solved)
        if members is None:
            return None
        before = self._changes(kept, base, frame, solved)
        return None if any(write.place == base for write in before) else [*before, *_slice_writes(base, members)]

    def _with_fewer(
        self, bound: nodes.Bound, predicate: Expression, base: Place, field: str, frame: Frame, solved: Solved
    ) -> list[Write] | None:
        """A collection of which only those messages stay that pass a test."""
        if bound.domain is None or len(bound.slots) != 1 or not self.binds_messages((bound,), frame, solved):
            return None
        before = self._changes(bound.domain, base, frame, solved)
        if any(write.place == base for write in before):
            return None
        tested: dict[Any, Places] = {}
        for reads in self.bound_by_tag((bound,), frame, solved):
            if self.truth(predicate, frame) is not True:
                tag = _tag_of(frame.slots[bound.slots[0]])
                tested[tag] = reads | self._inside_bound(predicate, (bound,), frame, solved)
        return [*before, *_slice_writes(base, tested)]

    def _restricted(
        self, bound: nodes.Bound, body: Expression, base: Place, field: str, frame: Frame, solved: Solved
    ) -> list[Write] | None:
        """A bag with another domain: `[m \\in DOMAIN bag \\ {gone} |-> bag[m]]`."""
        if bound.domain is None or len(bound.slots) != 1 or not self.binds_messages((bound,), frame, solved):
            return None
        bag, writes = self._domain_changes(bound.domain, base, field, frame, solved)
        if writes is None:
            return None
        match body:
            case nodes.FunctionApply(function, nodes.Local(0, slot)) if function == bag and slot == bound.slots[0]:
                return writes
        for reads in self.bound_by_tag((bound,), frame, solved):
            slice_ = base.at(Slice(_tag_of(frame.slots[bound.slots[0]])))
            writes.append(Write(slice_, reads | self._inside_bound(body, (bound,), frame, solved), certain=False))
        return writes

    def _domain_changes(
        self, node: Any, base: Place, field: str, frame: Frame, solved: Solved
    ) -> tuple[nodes.Argument | None, list[Write] | None]:
        """The bag whose domain a set is made of, and the writes that make that bag and then this domain."""
        match node:
            case nodes.Primitive(operator, (bag,)) if operator.form is Form.DOMAIN:
                before = self._changes(bag, base, frame, solved)
                return bag, None if any(write.place == base for write in before) else before
            case nodes.Primitive(operator, (kept, other)) if operator.form in (Form.DIFFERENCE, Form.UNION):
                members = self.members(other, field, frame, solved)
                inner, found = self._domain_changes(kept, base, field, frame, solved)
                more = None if found is None or members is None else [*found, *_slice_writes(base, members)]
                return inner, more
        return None, None

    def _update_changes(
        self, update: nodes.Update, base: Place, before: Sequence[Write], frame: Frame, solved: Solved
    ) -> list[Write]:
        """`[bag EXCEPT ![m] = …]` changes the slice of m."""
        slicing = self.slicing_at(base)
        tags = None if slicing is None else self.tags(update.path[0], slicing.field, frame, solved)
        if tags is None:
            return super()._update_changes(update, base, before, frame, solved)
        found: list[Write] = []
        for tag in tags:
            place = base.at(Slice(tag))
            if update.at_slot is not None:
                frame.slots[update.at_slot] = Abstract(NOTHING.union(*(each.sources for each in before)), place)
            reads = NOTHING.union(*(self.looked_at(step, frame, solved) for step in update.path))
            value = self.looked_at(update.value, frame, solved)
            found.append(Write(place, value | {place}, reads, certain=len(tags) == 1))
        return found


def _slice_writes(base: Place, members: ByTag) -> list[Write]:
    """A slice with other messages is computed from what it was, and from them."""
    return [
        Write(base.at(Slice(tag)), reads | {base.at(Slice(tag))}, certain=len(members) == 1)
        for tag, reads in members.items()
    ]


def _tag_of(binding: object) -> Any:
    assert isinstance(binding, Abstract)
    assert isinstance(binding.key, Message)
    return binding.key.tag
