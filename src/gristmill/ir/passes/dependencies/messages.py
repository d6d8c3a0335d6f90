"""Collections of messages by tag: which slices of them an expression speaks of.

`\\E m \\in net : m.type = "vote" /\\ …` looks at the messages of one type only. To find out, what is bound to a message
is looked at once for each tag that messages have, with that tag known: a formula that is then false for certain looks
at nothing. So slices are found through definitions, LET and dispatchers, and not only in one form of writing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from gristmill.ir import nodes
from gristmill.ir.nodes import Expression
from gristmill.ir.passes.dependencies.abstract import Abstract, Binding, Frame, Solved, Thunk
from gristmill.ir.passes.dependencies.actions import Solver
from gristmill.ir.passes.dependencies.facts import NOTHING, Places
from gristmill.ir.places import ANYTHING, Constant, Place, Slice, Symbol
from gristmill.library import Form
from gristmill.values import FALSE, TRUE, Value


@dataclass(frozen=True, slots=True)
class Slicing:
    """A variable is cut by a field of its messages. `depth`: how many arguments lead to a collection of them.

    `tags`: the values of that field.
    """

    variable: int
    field: str
    depth: int
    tags: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Message(Symbol):
    """A message whose tag is known."""

    tag: Any = None


ByTag = Mapping[Any, Places]  # what the messages of each tag in a set are computed from


class Messages(Solver):
    """Knows the tags of messages, what they decide, and of what tags the messages of a set are."""

    def __init__(self, variables: int, slicings: Sequence[Slicing] = ()) -> None:
        super().__init__(variables)
        self._slicings = {each.variable: each for each in slicings}
        self._fields = tuple(dict.fromkeys(each.field for each in slicings))
        self._depth = 0  # of definitions that are looked into for a truth value

    def slicing_at(self, place: Place | None) -> Slicing | None:
        """If the place is a collection of messages that is cut into slices."""
        found = None if place is None else self._slicings.get(place.variable)
        return found if found is not None and place is not None and len(place.path) == found.depth else None

    # ------------------------------------------------------------------------------------------------ what tags decide

    def truth(self, node: Any, frame: Frame) -> bool | None:
        """Of a formula, if constants and the tags of messages decide it."""
        match node:
            case nodes.Literal(value) if value is TRUE or value is FALSE:
                return value is TRUE
            case nodes.And(items):
                return _all([self.truth(item, frame) for item in items])
            case nodes.Or(items):
                return _negated(_all([_negated(self.truth(item, frame)) for item in items]))
            case nodes.Not(operand):
                return _negated(self.truth(operand, frame))
            case nodes.Implies(left, right):
                return _negated(_all([self.truth(left, frame), _negated(self.truth(right, frame))]))
            case nodes.Equal(left, right):
                return self._equal(left, right, frame)
            case nodes.Member(left, nodes.SetEnumeration(items)):
                return _negated(_all([_negated(self._equal(left, item, frame)) for item in items]))
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self.truth(body, frame)
            case nodes.Call(definition, args, depth) if definition.body is not None and not definition.recursive:
                if not self._fields or self._depth > 20:
                    return None
                parent = frame.up(depth) if definition.nested else None
                self._depth += 1
                try:
                    return self.truth(definition.body, Frame(dict(enumerate(self._bindings(args, frame))), parent))
                finally:
                    self._depth -= 1
            case nodes.Local(depth, slot):
                binding = frame.up(depth).slots.get(slot)
                return self.truth(binding.expression, binding.frame) if isinstance(binding, Thunk) else None
        return None

    def _equal(self, left: Any, right: Any, frame: Frame) -> bool | None:
        one, other = self.constant(left, frame), self.constant(right, frame)
        return None if one is None or other is None else bool(one.value == other.value)

    def constant(self, node: Any, frame: Frame) -> Constant | None:
        """The value of an expression, if it is an atom that does not depend on the state, or the tag of a message."""
        match node:
            case nodes.Literal():
                key = self.value(node, frame, Solved()).key
                return key if isinstance(key, Constant) else None
            case nodes.FieldAccess(record, name):
                found = self.tags(record, name, frame, Solved()) if name in self._fields else None
                return Constant(next(iter(found))) if found is not None and len(found) == 1 else None
            case nodes.Local(depth, slot):
                binding = frame.up(depth).slots.get(slot)
                if isinstance(binding, Thunk):
                    return self.constant(binding.expression, binding.frame)
                return binding.key if isinstance(binding, Abstract) and isinstance(binding.key, Constant) else None
            case nodes.Call(definition, (), depth) if definition.body is not None and not definition.recursive:
                return self.constant(definition.body, Frame({}, frame.up(depth) if definition.nested else None))
        return None

    # --------------------------------------------------------------------------------------------------------- messages

    def tags(self, node: Any, field: str, frame: Frame, solved: Solved) -> frozenset[Any] | None:
        """The values that a field of a message may have; None if they are not known."""
        match node:
            case nodes.RecordLiteral(names, values) if field in names:
                return self.constants(values[names.index(field)], frame)
            case nodes.Except(function, updates):
                if any(self._changes_field(update, field, frame) for update in updates):
                    return None
                return self.tags(function, field, frame, solved)
            case nodes.If(condition, then, otherwise):
                known = self.truth(condition, frame)
                branches = (then, otherwise) if known is None else ((then,) if known else (otherwise,))
                return _union([self.tags(each, field, frame, solved) for each in branches])
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self.tags(body, field, frame, solved)
            case nodes.Choose(bound, body):
                return self._chosen_tags(bound, body, field, frame, solved)
            case nodes.Local(depth, slot):
                return self._bound_tags(frame.up(depth).slots.get(slot), field, solved)
            case nodes.Call(definition, args, depth) if not definition.recursive:
                found = self._called(
                    definition, args, frame, depth, solved, lambda body, inner: self.tags(body, field, inner, solved)
                )
                return found if isinstance(found, frozenset) else None
        return None

    def _bound_tags(self, binding: Binding | None, field: str, solved: Solved) -> frozenset[Any] | None:
        match binding:
            case Thunk(expression, frame):
                return self.tags(expression, field, frame, solved)
            case Abstract(key=Message(fields=(), tag=tag)):
                return frozenset((tag,))
        return None

    def constants(self, node: Any, frame: Frame) -> frozenset[Any] | None:
        """The atoms that an expression may be, if they do not depend on the state."""
        match node:
            case nodes.If(_, then, otherwise):
                return _union([self.constants(then, frame), self.constants(otherwise, frame)])
            case nodes.Local(depth, slot):
                binding = frame.up(depth).slots.get(slot)
                if isinstance(binding, Thunk):
                    return self.constants(binding.expression, binding.frame)
        found = self.constant(node, frame)
        return None if found is None else frozenset((found.value,))

    def _changes_field(self, update: nodes.Update, field: str, frame: Frame) -> bool:
        first = self.constant(update.path[0], frame)
        return first is None or first.value == field

    def _chosen_tags(
        self, bound: nodes.Bound, body: Expression, field: str, frame: Frame, solved: Solved
    ) -> frozenset[Any] | None:
        if len(bound.slots) != 1 or bound.domain is None or self.members(bound.domain, field, frame, solved) is None:
            return None
        found = set()
        for _ in self.bound_by_tag((bound,), frame, solved):
            binding = frame.slots[bound.slots[0]]
            if self.truth(body, frame) is not False and isinstance(binding, Abstract):
                assert isinstance(binding.key, Message)
                found.add(binding.key.tag)
        return frozenset(found)

    # ------------------------------------------------------------------------------------------------- sets of messages

    def members(self, node: Any, field: str, frame: Frame, solved: Solved) -> ByTag | None:
        """What the messages of each tag in a set are computed from; None if it is not known of what tags they are."""
        match node:
            case nodes.Variable(_, False) | nodes.FunctionApply():
                return self._slices(self.value(node, frame, solved), field)
            case nodes.SetEnumeration(items):
                return _merged([self._one_member(item, field, frame, solved) for item in items])
            case nodes.Primitive(operator, (left, right)) if operator.form in (Form.UNION, Form.MERGE):
                return _merged([self.members(each, field, frame, solved) for each in (left, right)])
            case nodes.Primitive(operator, (left, right)) if operator.form is Form.DIFFERENCE:
                return self._difference(left, right, field, frame, solved)
            case nodes.Primitive(operator, (function,)) if operator.form is Form.DOMAIN:
                return self.members(function, field, frame, solved)
            case nodes.Primitive(operator, (message, count)) if operator.form is Form.SINGLE:
                found = self._one_member(message, field, frame, solved)
                return _with(found, self.looked_at(count, frame, solved))
            case nodes.SetFilter(bound, predicate):
                return self._filtered(bound, predicate, field, frame, solved)
            case nodes.Except(function, updates):
                return self._updated(function, updates, field, frame, solved)
            case nodes.SetMap(bounds, body):
                return self._mapped(bounds, body, field, frame, solved)
            case nodes.If(condition, then, otherwise):
                known = self.truth(condition, frame)
                branches = (then, otherwise) if known is None else ((then,) if known else (otherwise,))
                found = _merged([self.members(each, field, frame, solved) for each in branches])
                return _with(found, self.looked_at(condition, frame, solved) if known is None else NOTHING)
            case nodes.Let(slots, _, values, body):
                self._let(slots, values, frame)
                return self.members(body, field, frame, solved)
            case nodes.Local(depth, slot):
                return self._bound_members(frame.up(depth).slots.get(slot), field, solved)
            case nodes.Call(definition, args, depth) if not definition.recursive:
                inside = self._called(
                    definition, args, frame, depth, solved, lambda body, at: self.members(body, field, at, solved)
                )
                return inside if isinstance(inside, dict) else None
        return None

    def _slices(self, value: Abstract, field: str) -> ByTag | None:
        slicing = self.slicing_at(value.place)
        if slicing is None or slicing.field != field or value.place is None:
            return None
        return {tag: value.reads | {value.place.at(Slice(tag))} for tag in slicing.tags}

    def _bound_members(self, binding: Binding | None, field: str, solved: Solved) -> ByTag | None:
        match binding:
            case Thunk(expression, frame):
                return self.members(expression, field, frame, solved)
            case Abstract():
                return self._slices(binding, field)
        return None

    def _one_member(self, node: Any, field: str, frame: Frame, solved: Solved) -> ByTag | None:
        found = self.tags(node, field, frame, solved)
        if found is None:
            return None
        reads = self.looked_at(node, frame, solved)
        return dict.fromkeys(found, reads)

    def _difference(
        self, left: nodes.Argument, right: nodes.Argument, field: str, frame: Frame, solved: Solved
    ) -> ByTag | None:
        base, gone = (self.members(each, field, frame, solved) for each in (left, right))
        if base is None:
            return None
        whole = self.looked_at(right, frame, solved) if gone is None else NOTHING
        return {tag: reads | whole | (gone or {}).get(tag, NOTHING) for tag, reads in base.items()}

    def _updated(
        self, bag: Expression, updates: Sequence[nodes.Update], field: str, frame: Frame, solved: Solved
    ) -> ByTag | None:
        """A bag in which the number of some messages has changed."""
        found = self.members(bag, field, frame, solved)
        for update in updates:
            one = self._one_member(update.path[0], field, frame, solved)
            if found is None or one is None or len(update.path) != 1:
                return None
            if update.at_slot is not None:
                frame.slots[update.at_slot] = Abstract(NOTHING.union(*(found.get(tag, NOTHING) for tag in one)))
            found = _merged([found, _with(one, self.looked_at(update.value, frame, solved))])
        return found

    def _filtered(
        self, bound: nodes.Bound, predicate: Expression, field: str, frame: Frame, solved: Solved
    ) -> ByTag | None:
        base = None if bound.domain is None else self.members(bound.domain, field, frame, solved)
        if base is None or len(bound.slots) != 1:
            return None
        found: dict[Any, Places] = {}
        for reads in self.bound_by_tag((bound,), frame, solved):
            binding = frame.slots[bound.slots[0]]
            assert isinstance(binding, Abstract)
            assert isinstance(binding.key, Message)
            if self.truth(predicate, frame) is not False:
                found[binding.key.tag] = reads | self._inside_bound(predicate, (bound,), frame, solved)
        return found

    def _mapped(
        self, bounds: Sequence[nodes.Bound], body: Expression, field: str, frame: Frame, solved: Solved
    ) -> ByTag | None:
        found: list[ByTag | None] = []
        for reads in self.bound_by_tag(bounds, frame, solved):
            known = self.tags(body, field, frame, solved)
            inside = self._inside_bound(body, bounds, frame, solved)
            found.append(None if known is None else dict.fromkeys(known, reads | inside))
        return _merged(found)

    # ---------------------------------------------------------------------------------------------------------- binders

    def binds_messages(self, bounds: Sequence[nodes.Bound], frame: Frame, solved: Solved) -> bool:
        return any(self._bound_members_of(bound, frame, solved) is not None for bound in bounds)

    def bound_by_tag(self, bounds: Sequence[nodes.Bound], frame: Frame, solved: Solved) -> Iterator[Places]:
        """Binds names, once for each combination of tags; yields what the domains are computed from."""
        options = [option for bound in bounds for option in self._options(bound, frame, solved)]
        for chosen in product(*options):
            found = NOTHING
            for slots, reads in chosen:
                frame.slots.update(slots)
                found |= reads
            yield found

    def _options(
        self, bound: nodes.Bound, frame: Frame, solved: Solved
    ) -> list[list[tuple[dict[int, Binding], Places]]]:
        """What each name of a bound may be: a message of one tag or another, or any one element."""
        members = self._bound_members_of(bound, frame, solved)
        if members is None:
            reads = self._bind((bound,), frame, solved)
            return [[({slot: frame.slots[slot] for slot in bound.slots}, reads)]]
        return [
            [
                ({slot: Abstract(reads, key=Message(next(self._numbers), name, (), tag))}, reads)
                for tag, reads in members.items()
            ]
            for slot, name in zip(bound.slots, bound.names, strict=True)
        ]

    def _bound_members_of(self, bound: nodes.Bound, frame: Frame, solved: Solved) -> ByTag | None:
        if bound.domain is None or bound.is_tuple:
            return None
        for field in self._fields:
            found = self.members(bound.domain, field, frame, solved)
            if found is not None:
                return found
        return None

    def _inside_bound(self, body: Expression, bounds: Sequence[nodes.Bound], frame: Frame, solved: Solved) -> Places:
        """What a formula looks at, with names that stand for anything outside of it."""
        slots = {slot for bound in bounds for slot in bound.slots}
        bindings = [frame.slots.get(slot) for slot in slots]
        numbers = {b.key.number for b in bindings if isinstance(b, Abstract) and isinstance(b.key, Symbol)}
        return frozenset(_freed(place, numbers) for place in self.looked_at(body, frame, solved))


def _freed(place: Place, numbers: set[int]) -> Place:
    path = tuple(ANYTHING if isinstance(key, Symbol) and key.number in numbers else key for key in place.path)
    return replace(place, path=path)


def _all(known: Sequence[bool | None]) -> bool | None:
    if False in known:
        return False
    return None if None in known else True


def _negated(known: bool | None) -> bool | None:
    return None if known is None else not known


def _union(found: Sequence[frozenset[Any] | None]) -> frozenset[Any] | None:
    result: frozenset[Any] = frozenset()
    for each in found:
        if each is None:
            return None
        result |= each
    return result


def _merged(found: Sequence[ByTag | None]) -> ByTag | None:
    result: dict[Any, Places] = {}
    for each in found:
        if each is None:
            return None
        for tag, reads in each.items():
            result[tag] = result.get(tag, NOTHING) | reads
    return result


def _with(found: ByTag | None, more: Places) -> ByTag | None:
    return None if found is None else {tag: reads | more for tag, reads in found.items()}
