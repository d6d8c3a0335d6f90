"""From a temporal formula of a specification to one over atoms: predicates of states and of steps.

The structure is followed as far as it is temporal: through connectives, definitions, LET and quantifiers over constant
sets, whose elements are put for their names. What is not temporal is an atom. It is lifted out with everything that
gives its names a meaning put around it again: a definition's call becomes a call of a definition with just this part
as its body. So an atom is an expression like any other, and the evaluator needs to know nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from gristmill.evaluate.binders import bind, columns
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir import nodes
from gristmill.ir.levels import ACTION, CONSTANT, STATE, TEMPORAL, level, parts
from gristmill.ir.nodes import Code, Expression
from gristmill.search.liveness_formula import (
    FALSE,
    TRUE,
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Not,
    Or,
    equivalent,
    implies,
    leads_to,
    strongly_fair,
    weakly_fair,
)
from gristmill.source import Diagnostic, SourceError
from gristmill.values import Value, enumerate_set

_MOST_ELEMENTS = 10_000  # of the sets of a quantifier, together


@dataclass(frozen=True, slots=True)
class Predicate:
    """An atom: a predicate of states, or of steps if `of_steps`.

    Of `<<A>>_v` and `[A]_v`, `action` is A and `subscript` v, and `stuttering` what it is if nothing changes. Of a
    fairness condition, `enabled` is the atom ENABLED `<<A>>_v` that belongs to `<<A>>_v`, and `taken` the converse.
    """

    code: Code
    of_steps: bool
    stuttering: bool | None = None
    action: Expression | None = None
    subscript: Subscript | None = None
    enabled: int | None = None
    taken: int | None = None


@dataclass(frozen=True, slots=True)
class Subscript:
    """v of `<<A>>_v`: some variables, by number, and some expressions."""

    variables: tuple[int, ...]
    expressions: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class LeadsTo:
    """`P ~> Q` as it was met: who reads "it holds" should know whether P ever does."""

    left: Formula
    text: str


@dataclass(slots=True)
class Translation:
    """Formulas of one specification share their atoms."""

    evaluator: Evaluator
    predicates: list[Predicate] = field(default_factory=list)
    leads_to: list[LeadsTo] = field(default_factory=list)

    def formula(self, code: Code) -> Formula:
        """Raises `SourceError` if some part cannot be checked."""
        return _Walk(self, code).translate(code.body, _Place(_as_it_is, {}, None))


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a part of a formula stands: what to put around it, and what the slots of its frame hold."""

    wrap: Callable[[Expression], Expression]
    slots: dict[int, tuple[nodes.Argument, _Place]]
    parent: _Place | None

    def up(self, depth: int) -> _Place:
        place = self
        for _ in range(depth):
            assert place.parent is not None
            place = place.parent
        return place

    def with_let(self, let: nodes.Let) -> _Place:
        """Name by name, since a value may speak of those before it."""
        place = self
        for slot, name, value in zip(let.slots, let.names, let.values, strict=True):
            place = place.with_slot(slot, name, value)
        return place

    def with_slot(self, slot: int, name: str, value: Expression) -> _Place:
        def wrap(body: Expression) -> Expression:
            return self.wrap(nodes.Let((slot,), (name,), (value,), body, body.span))

        return _Place(wrap, self.slots | {slot: (value, self)}, self.parent)

    def within(self, call: nodes.Call) -> _Place:
        definition = call.definition

        def wrap(body: Expression) -> Expression:
            return self.wrap(nodes.Call(replace(definition, body=body), call.args, call.depth, call.span))

        slots = {slot: (argument, self) for slot, argument in enumerate(call.args)}
        return _Place(wrap, slots, self.up(call.depth) if definition.nested else None)


def _as_it_is(body: Expression) -> Expression:
    return body


class _Walk:
    def __init__(self, translation: Translation, code: Code) -> None:
        self.translation, self.code = translation, code
        self.evaluator = translation.evaluator
        self.levels = _Levels()

    def translate(self, node: Expression, place: _Place) -> Formula:
        if (found := self.levels.of(node, place)) < TEMPORAL:
            return self.atom(node, place, found)
        match node:
            case nodes.And(items):
                return And(tuple(self.translate(item, place) for item in items))
            case nodes.Or(items):
                return Or(tuple(self.translate(item, place) for item in items))
            case nodes.Not(operand):
                return Not(self.translate(operand, place))
            case nodes.Implies(left, right):
                return implies(self.translate(left, place), self.translate(right, place))
            case nodes.Equivalent(left, right):
                return equivalent(self.translate(left, place), self.translate(right, place))
            case nodes.If(condition, then, otherwise):
                return self.choice(condition, then, otherwise, place)
            case nodes.Let():
                return self.translate(node.body, place.with_let(node))
            case nodes.Quantified():
                return self.quantified(node, place)
            case nodes.Call(definition) if not definition.recursive and definition.body is not None:
                return self.translate(definition.body, place.within(node))
            case nodes.Local(depth, slot):
                return self.local(node, place.up(depth).slots.get(slot))
            case nodes.Temporal():
                return self.temporal(node, place)
        raise _refused(node)

    def temporal(self, node: nodes.Temporal, place: _Place) -> Formula:
        if node.operator in ("WF", "SF"):
            return self.fairness(node, place)
        if node.operator not in ("[]", "<>", "~>"):
            raise _refused(node)
        args = [self.translate(arg, place) for arg in node.args]
        if node.operator == "[]":
            return Always(args[0])
        if node.operator == "<>":
            return Eventually(args[0])
        self.translation.leads_to.append(LeadsTo(args[0], node.args[0].span.text))
        return leads_to(*args)

    def fairness(self, node: nodes.Temporal, place: _Place) -> Formula:
        step, able = node.args
        enabled, taken = self.atom(able, place, STATE), self.atom(step, place, ACTION)
        predicates = self.translation.predicates
        number = len(predicates) - 2
        predicates[number] = replace(predicates[number], taken=number + 1)
        predicates[number + 1] = replace(predicates[number + 1], enabled=number)
        return weakly_fair(enabled, taken) if node.operator == "WF" else strongly_fair(enabled, taken)

    def choice(self, condition: Expression, then: Expression, otherwise: Expression, place: _Place) -> Formula:
        test = self.translate(condition, place)
        if test == TRUE:
            return self.translate(then, place)
        if test == FALSE:
            return self.translate(otherwise, place)
        return And((implies(test, self.translate(then, place)), Or((test, self.translate(otherwise, place)))))

    def local(self, node: nodes.Local, found: tuple[nodes.Argument, _Place] | None) -> Formula:
        if found is None or isinstance(found[0], _OPERATORS):
            raise _refused(node)
        return self.translate(found[0], found[1])

    # ---------------------------------------------------------------------------------------------- quantifiers

    def quantified(self, node: nodes.Quantified, place: _Place) -> Formula:
        found = tuple(self.translate(node.body, inner) for inner in self.instances(node, place))
        return And(found) if node.universal else Or(found)

    def instances(self, node: nodes.Quantified, place: _Place) -> Iterator[_Place]:
        """The place of the body, for all values of the bound names."""
        domains = [self.elements(bound, node, place) for bound in node.bounds]
        binders = columns(node.bounds)
        sets = [domains[number] for number, _ in binders]
        size = 1
        for each in sets:
            size *= len(each)
        if size > _MOST_ELEMENTS:
            raise _refused(node, "this quantifier has too many cases to be checked")
        names = {slot: name for bound in node.bounds for slot, name in zip(bound.slots, bound.names, strict=True)}
        for values in product(*sets):
            frame: dict[int, Value] = {}
            for (_, column), value in zip(binders, values, strict=True):
                bind(frame, column, value)  # type: ignore[arg-type]
            inner = place
            for slot, value in frame.items():
                inner = inner.with_slot(slot, names[slot], nodes.Literal(value, node.span))
            yield inner

    def elements(self, bound: nodes.Bound, node: nodes.Quantified, place: _Place) -> Sequence[Value]:
        if bound.domain is None:
            raise _refused(node)
        if self.levels.of(bound.domain, place) > CONSTANT:
            raise _refused(node, "a temporal formula can be quantified only over a set that is the same in every state")
        return list(enumerate_set(self.evaluator.value(self.lifted(bound.domain, place))()))

    # --------------------------------------------------------------------------------------------------- atoms

    def atom(self, node: Expression, place: _Place, level: int) -> Formula:
        code = self.lifted(node, place)
        if level == CONSTANT:
            return TRUE if self.evaluator.predicate(code)() else FALSE
        predicate = Predicate(code, level == ACTION)
        if isinstance(node, nodes.AngleAction | nodes.BoxAction):
            subscript = self.subscript(node.changed, place)
            predicate = Predicate(code, True, isinstance(node, nodes.BoxAction), node.action, subscript)
        self.translation.predicates.append(predicate)
        return Atom(len(self.translation.predicates) - 1)

    def subscript(self, changed: Expression, place: _Place) -> Subscript | None:
        """From `v' # v`, as it is lowered: a negation of UNCHANGED and equalities."""
        if not isinstance(changed, nodes.Not):
            return None
        same = changed.operand.items if isinstance(changed.operand, nodes.And) else (changed.operand,)
        variables: set[int] = set()
        expressions: list[Code] = []
        for part in same:
            match part:
                case nodes.Unchanged(numbers):
                    variables.update(numbers)
                case nodes.Equal(_, right):
                    expressions.append(self.lifted(right, place))
                case _:
                    return None
        return Subscript(tuple(sorted(variables)), tuple(expressions))

    def lifted(self, node: Expression, place: _Place) -> Code:
        return Code(place.wrap(node), self.code.frame_size, self.code.name, node.span)


_OPERATORS = (nodes.OperatorArgument, nodes.LocalOperator, nodes.PrimitiveOperator)


class _Levels:
    """What an expression depends on, with what stands in its slots."""

    def __init__(self) -> None:
        self.inside: set[nodes.Definition] = set()

    def of(self, node: nodes.Argument | nodes.Bound, place: _Place) -> int:
        match node:
            case nodes.Local(depth, slot) | nodes.LocalOperator(depth, slot):
                return self.of_slot(place.up(depth).slots.get(slot))
            case nodes.CallLocal(depth, slot):
                return max(self.of_slot(place.up(depth).slots.get(slot)), self.of_parts(node, place))
            case nodes.Temporal():
                return TEMPORAL
            case nodes.Variable() | nodes.Unchanged():
                return level(node)
            case nodes.BoxAction() | nodes.AngleAction() | nodes.Compose():
                return max(ACTION, self.of_parts(node, place))
            case nodes.Enabled(action):
                return TEMPORAL if self.of(action, place) == TEMPORAL else STATE
            case nodes.Call(definition, _, depth) | nodes.OperatorArgument(definition, depth):
                return max(self.of_definition(definition, depth, place), self.of_parts(node, place))
        return self.of_parts(node, place)

    def of_parts(self, node: nodes.Argument | nodes.Bound, place: _Place) -> int:
        return max((self.of(part, place) for part in parts(node)), default=CONSTANT)

    def of_slot(self, found: tuple[nodes.Argument, _Place] | None) -> int:
        """A slot that nothing around it has filled is filled inside, with elements of a set."""
        return CONSTANT if found is None else self.of(*found)

    def of_definition(self, definition: nodes.Definition, depth: int, place: _Place) -> int:
        """Without its arguments. What a recursive definition adds by calling itself is added anyway."""
        if definition in self.inside or definition.body is None:
            return CONSTANT
        if not definition.nested:
            return level(definition.body)
        self.inside.add(definition)
        try:
            return self.of(definition.body, _Place(_as_it_is, {}, place.up(depth)))
        finally:
            self.inside.remove(definition)


def _refused(node: nodes.Expression | nodes.Quantified, why: str | None = None) -> SourceError:
    message = why or "this temporal formula cannot be checked"
    return SourceError(Diagnostic("temporal-formula-not-supported", f"{message}: {node.span.text}", node.span))
