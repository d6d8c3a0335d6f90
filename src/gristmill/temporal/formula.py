"""From a temporal formula of a specification to one over atoms: predicates of states and of steps.

The structure is followed as far as it is temporal: through connectives, definitions, LET and quantifiers over constant
sets, whose elements are put for their names. What is not temporal is an atom. It is lifted out with everything that
gives its names a meaning put around it again: a definition's call becomes a call of a definition with just this part
as its body. So an atom is an expression like any other, and the evaluator needs to know nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal

from gristmill.evaluate.binders import bind, columns
from gristmill.evaluate.evaluator import Evaluator
from gristmill.ir import nodes
from gristmill.ir.levels import ACTION, CONSTANT, STATE, TEMPORAL
from gristmill.ir.nodes import Code, Definition, Expression
from gristmill.search.liveness.formula import (
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
from gristmill.temporal.place import Levels, Place, as_it_is, is_closed
from gristmill.temporal.predicates import Condition, LeadsTo, Origin, Predicate, Subscript
from gristmill.temporal.purity import unsteady
from gristmill.values import Value, enumerate_set

_MOST_ELEMENTS = 10_000  # of the sets of a quantifier, together


@dataclass(slots=True)
class Translation:
    """Formulas of one specification share their atoms.

    `next`: an action whose steps are exactly those in the graph. `origins`: where formulas come from; two that are
    equal have the same atoms and come from the same place.
    """

    evaluator: Evaluator
    variables: int  # how many there are
    next: Definition | None = None
    predicates: list[Predicate] = field(default_factory=list)
    leads_to: list[LeadsTo] = field(default_factory=list)
    conditions: dict[Formula, Condition] = field(default_factory=dict)
    origins: dict[Formula, Origin] = field(default_factory=dict)
    closed: dict[Expression, Atom] = field(default_factory=dict)  # atoms that mean the same everywhere

    def formula(self, code: Code) -> Formula:
        """Raises `SourceError` if some part cannot be checked."""
        return _Walk(self, code).translate(code.body, Place(as_it_is, {}, None))


class _Walk:
    def __init__(self, translation: Translation, code: Code) -> None:
        self.translation, self.code = translation, code
        self.evaluator = translation.evaluator
        self.levels = Levels()

    def translate(self, node: Expression, place: Place) -> Formula:
        formula = self.translated(node, place)
        if formula not in (TRUE, FALSE):
            self.translation.origins.setdefault(formula, _origin(node, place))
        return formula

    def translated(self, node: Expression, place: Place) -> Formula:
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

    def temporal(self, node: nodes.Temporal, place: Place) -> Formula:
        if node.operator in ("WF", "SF"):
            return self.fairness(node, place)
        if node.operator not in ("[]", "<>", "~>"):
            raise _refused(node, f"formulas with {node.operator} cannot be checked")
        args = [self.translate(arg, place) for arg in node.args]
        if node.operator == "[]":
            return Always(args[0])
        if node.operator == "<>":
            return Eventually(args[0])
        self.translation.leads_to.append(LeadsTo(args[0], node.args[0].span.text))
        return leads_to(*args)

    def fairness(self, node: nodes.Temporal, place: Place) -> Formula:
        step, able = node.args
        predicates = self.translation.predicates
        is_next = self.is_next(step)
        enabled, taken = self.atom(able, place, STATE, is_next), self.atom(step, place, ACTION, is_next)
        assert isinstance(enabled, Atom)
        assert isinstance(taken, Atom)
        predicates[enabled.number] = replace(predicates[enabled.number], taken=taken.number)
        predicates[taken.number] = replace(predicates[taken.number], enabled=enabled.number, is_next=is_next)
        formula = (weakly_fair if node.operator == "WF" else strongly_fair)(enabled, taken)
        kind: Literal["WF", "SF"] = "WF" if node.operator == "WF" else "SF"
        condition = Condition(kind, _origin(node, place), enabled.number, taken.number)
        self.translation.conditions.setdefault(formula, condition)
        return formula

    def is_next(self, step: Expression) -> bool:
        match step:
            case nodes.AngleAction(nodes.Call(definition, ())):
                return definition is self.translation.next
        return False

    def choice(self, condition: Expression, then: Expression, otherwise: Expression, place: Place) -> Formula:
        test = self.translate(condition, place)
        if test == TRUE:
            return self.translate(then, place)
        if test == FALSE:
            return self.translate(otherwise, place)
        return And((implies(test, self.translate(then, place)), Or((test, self.translate(otherwise, place)))))

    def local(self, node: nodes.Local, found: tuple[nodes.Argument, Place] | None) -> Formula:
        if found is None or isinstance(found[0], _OPERATORS):
            raise _refused(node)
        return self.translate(found[0], found[1])

    # ---------------------------------------------------------------------------------------------- quantifiers

    def quantified(self, node: nodes.Quantified, place: Place) -> Formula:
        found = tuple(self.translate(node.body, inner) for inner in self.instances(node, place))
        return And(found) if node.universal else Or(found)

    def instances(self, node: nodes.Quantified, place: Place) -> Iterator[Place]:
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
                inner = inner.with_value(slot, names[slot], value, node.span)
            yield inner

    def elements(self, bound: nodes.Bound, node: nodes.Quantified, place: Place) -> Sequence[Value]:
        if bound.domain is None:
            raise _refused(node)
        if self.levels.of(bound.domain, place) > CONSTANT:
            raise _refused(node, "a temporal formula can be quantified only over a set that is the same in every state")
        return list(enumerate_set(self.evaluator.value(self.lifted(bound.domain, place))()))

    # --------------------------------------------------------------------------------------------------- atoms

    def atom(self, node: Expression, place: Place, level: int, is_next: bool = False) -> Formula:
        known = self.translation.closed.get(node)
        if known is not None:
            return known
        code = self.lifted(node, place)
        if not is_next and (part := unsteady(code.body)) is not None:
            raise _refused(part, "what this is depends on when it is evaluated, so it cannot be part of a property")
        if level == CONSTANT:
            return TRUE if self.evaluator.predicate(code)() else FALSE
        predicate = Predicate(code, level == ACTION)
        if isinstance(node, nodes.AngleAction | nodes.BoxAction):
            subscript = self.subscript(node.changed, place)
            predicate = Predicate(code, True, isinstance(node, nodes.BoxAction), node.action, subscript)
            if subscript is not None and len(subscript.variables) == self.translation.variables:
                predicate = replace(predicate, between=self.lifted(node.action, place))
        atom = Atom(len(self.translation.predicates))
        self.translation.predicates.append(predicate)
        if is_closed(node):
            self.translation.closed[node] = atom
        return atom

    def subscript(self, changed: Expression, place: Place) -> Subscript | None:
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

    def lifted(self, node: Expression, place: Place) -> Code:
        body = node if is_closed(node) else place.wrap(node)
        return Code(body, self.code.frame_size, self.code.name, node.span)


_OPERATORS = (nodes.OperatorArgument, nodes.LocalOperator, nodes.PrimitiveOperator)


def _origin(node: Expression, place: Place) -> Origin:
    return Origin(" ".join(node.span.text.split()), node.span, place.bindings)


def _refused(node: Expression | nodes.PrimitiveOperator, why: str | None = None) -> SourceError:
    message = why or "this temporal formula cannot be checked"
    text = " ".join(node.span.text.split())
    return SourceError(Diagnostic("temporal-formula-not-supported", f"{message}: {text}", node.span))
