"""That a variable only grows, whatever the bounds: for each action, that no step makes it smaller at any node.

An action becomes a formula over integers, for Z3 (the extra `smt`). Whatever is not translated is a value of its own,
of which nothing is known; what is dropped only lets the formula hold more often. So "proved" holds of every step that
the specification has, of any state at all, reachable or not; and nothing follows where it is not proved.

Terms are tuples, equal if they are written alike. A value of any kind stands as an integer: distinct values of one step
can be numbered distinctly, integers by themselves, as there are finitely many; only integers are compared by their
order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

from gristmill.ir import nodes
from gristmill.ir.model import Action
from gristmill.library.declaration import Form
from gristmill.specification import Specification
from gristmill.values import FALSE, TRUE

Term: TypeAlias = tuple[Any, ...]

NODE: Term = ("node",)  # any one
_SECONDS = 5
_DEEPEST = 60  # definitions in definitions
_MOST = 400_000  # terms of one action
_ORDERS = {Form.LESS: "<", Form.AT_MOST: "<=", Form.GREATER: ">", Form.AT_LEAST: ">="}
_SUMS = {Form.ADD: "+", Form.SUBTRACT: "-"}


class TooLargeError(Exception):
    """Nothing is claimed then."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The terms in the slots of a frame, and the frame around it."""

    slots: dict[int, Term] = field(default_factory=dict)
    parent: Frame | None = None

    def with_slots(self, more: Mapping[int, Term]) -> Frame:
        return Frame({**self.slots, **more}, self.parent)

    def up(self, depth: int) -> Frame | None:
        found: Frame | None = self
        for _ in range(depth):
            found = found.parent if found is not None else None
        return found


def is_available() -> bool:
    try:
        import z3  # noqa: F401
    except ImportError:
        return False
    return True


def proved(specification: Specification, names: Iterable[str]) -> tuple[str, ...]:
    """Those of these variables, functions of the node, that no action makes smaller anywhere. None without Z3."""
    if not is_available():
        return ()
    model = specification.model
    found = []
    for name in names:
        place = specification.variables.index(name)
        if all(_grows(action, place) for action in model.actions):
            found.append(name)
    return tuple(found)


def _grows(action: Action, variable: int) -> bool:
    try:
        return Translation(variable).excludes(action)
    except (TooLargeError, RecursionError):
        return False


class Translation:
    """Of one action, for what the variable becomes at any node. `places`: where the action changes it."""

    def __init__(self, variable: int) -> None:
        import z3

        self.z3, self.variable, self.places = z3, variable, dict[Term, None]()
        self._unique = count()
        self._terms = 0
        self._known: dict[Term, Any] = {}
        self._lambdas: dict[Term, tuple[nodes.FunctionLiteral, Frame]] = {}

    def excludes(self, action: Action) -> bool:
        """Whether no step makes the variable smaller."""
        z3, solver = self.z3, self.solver()
        before, after = ("variable", self.variable, False), ("variable", self.variable, True)
        solver.add(self.action(action.code.body, Frame(), 0))
        solver.add(self.integer(self.applied(after, NODE)) < self.integer(self.applied(before, NODE)))
        self.at_places(solver)
        return bool(solver.check() == z3.unsat)

    def solver(self) -> Any:
        found = self.z3.Solver()
        found.set("timeout", _SECONDS * 1000)
        return found

    def at_places(self, solver: Any) -> None:
        """If the node is one of these, it has what is there."""
        before = ("variable", self.variable, False)
        for place in [*self.places]:
            there = self.integer(self.applied(before, place)) == self.integer(self.applied(before, NODE))
            solver.add(self.z3.Implies(self.integer(NODE) == self.integer(place), there))

    # ---------------------------------------------------------------------------------------------------------- actions

    def action(self, node: nodes.Expression, frame: Frame, depth: int) -> Any:
        """A formula that holds of every step by this."""
        z3 = self.z3
        match node:
            case nodes.And():
                return z3.And([self.action(each, frame, depth) for each in node.items])
            case nodes.Or():
                return z3.Or([self.action(each, frame, depth) for each in node.items])
            case nodes.Disjunct():
                return self.action(node.body, frame, depth)
            case nodes.Quantified() if not node.universal:
                return self.action(node.body, frame.with_slots(self.chosen(node.bounds, frame, depth)), depth)
            case nodes.Let():
                return self.action(node.body, self.let(node, frame, depth), depth)
            case nodes.If():
                condition = self.truth(self.term(node.condition, frame, depth))
                then, otherwise = self.action(node.then, frame, depth), self.action(node.otherwise, frame, depth)
                return z3.Or(z3.And(condition, then), z3.And(z3.Not(condition), otherwise))
            case nodes.Call() if (inner := self.entered(node, frame, depth)) is not None:
                assert node.definition.body is not None
                return self.action(node.definition.body, inner, depth + 1)
            case nodes.Unchanged():
                return self.equal_there(("variable", self.variable, False)) if self.variable in node.variables else True
            case nodes.Equal(left=nodes.Variable(primed=True, index=index)):
                return self.equal_there(self.term(node.right, frame, depth)) if index == self.variable else True
        return self.truth(self.term(node, frame, depth))

    def chosen(self, bounds: Iterable[nodes.Bound], frame: Frame, depth: int) -> dict[int, Term]:
        """What a step may choose."""
        return {slot: self.fresh() for bound in bounds for slot in bound.slots}

    def equal_there(self, function: Term) -> Any:
        """What the variable becomes at the node is what this function is there."""
        after = self.applied(("variable", self.variable, True), NODE)
        return self.integer(after) == self.integer(self.applied(function, NODE))

    # ------------------------------------------------------------------------------------------------------------ terms

    def fresh(self) -> Term:
        return ("unknown", next(self._unique))

    def entered(self, node: nodes.Call, frame: Frame, depth: int) -> Frame | None:
        """The frame of the definition; None if it is not looked into."""
        definition = node.definition
        plain = definition.body is not None and not definition.recursive and not any(definition.arities)
        if not plain or depth > _DEEPEST:
            return None
        parent = frame.up(node.depth) if definition.nested else None
        args = {slot: self.term(each, frame, depth) for slot, each in enumerate(node.args)}  # type: ignore[arg-type]
        return Frame(args, parent)

    def let(self, node: nodes.Let, frame: Frame, depth: int) -> Frame:
        inner = frame.with_slots({})
        for slot, value in zip(node.slots, node.values, strict=True):
            inner.slots[slot] = self.term(value, inner, depth)
        return inner

    def term(self, node: nodes.Expression, frame: Frame, depth: int) -> Term:
        self._terms += 1
        if self._terms > _MOST:
            raise TooLargeError

        def each(child: nodes.Expression) -> Term:
            return self.term(child, frame, depth)

        match node:
            case nodes.Literal():
                return ("value", type(node.value).__name__, node.value)
            case nodes.Variable():
                return ("variable", node.index, node.primed)
            case nodes.Local():
                there = frame.up(node.depth)
                return self.fresh() if there is None or node.slot not in there.slots else there.slots[node.slot]
            case nodes.Primitive() if not any(isinstance(a, nodes.OperatorArgument) for a in node.args):
                args = tuple(self.argument(a, frame, depth) for a in node.args)
                operator = node.operator
                if operator.form in _ORDERS:
                    return ("order", _ORDERS[operator.form], *args)
                if operator.form in _SUMS:
                    return ("sum", _SUMS[operator.form], *args)
                pure = not operator.effects and not operator.lazy
                return ("operator", id(operator), *args) if pure else self.fresh()
            case nodes.Call() if (inner := self.entered(node, frame, depth)) is not None:
                assert node.definition.body is not None
                return self.term(node.definition.body, inner, depth + 1)
            case nodes.Let():
                return self.term(node.body, self.let(node, frame, depth), depth)
            case nodes.And():
                return ("and", *map(each, node.items))
            case nodes.Or():
                return ("or", *map(each, node.items))
            case nodes.Not():
                return ("not", each(node.operand))
            case nodes.Implies():
                return ("or", ("not", each(node.left)), each(node.right))
            case nodes.Equal():
                return ("equal", each(node.left), each(node.right))
            case nodes.If():
                return ("if", each(node.condition), each(node.then), each(node.otherwise))
            case nodes.FieldAccess():
                return ("field", each(node.record), node.name)
            case nodes.FunctionApply():
                return self.applied(each(node.function), each(node.argument))
            case nodes.Except():
                return self.changed(node, frame, depth)
            case nodes.FunctionLiteral() if node.self_slot is None and len(node.bounds) == 1:
                name = ("lambda", next(self._unique))
                self._lambdas[name] = node, frame
                return name
        return self.fresh()

    def argument(self, node: nodes.Argument, frame: Frame, depth: int) -> Term:
        if isinstance(node, nodes.OperatorArgument | nodes.LocalOperator | nodes.PrimitiveOperator):
            return self.fresh()
        return self.term(node, frame, depth)

    def changed(self, node: nodes.Except, frame: Frame, depth: int) -> Term:
        found = self.term(node.function, frame, depth)
        for update in node.updates:
            place = self.term(update.path[0], frame, depth)
            if len(update.path) > 1:
                value = self.fresh()
            else:
                old = {} if update.at_slot is None else {update.at_slot: self.applied(found, place)}
                value = self.term(update.value, frame.with_slots(old), depth)
            found = ("except", found, place, value)
        return found

    def applied(self, function: Term, argument: Term) -> Term:
        if function[0] == "except":
            _, before, place, value = function
            if argument == NODE:
                self.places[place] = None
            if place == argument:
                return value  # type: ignore[no-any-return]
            return ("if", ("equal", argument, place), value, self.applied(before, argument))
        if function[0] == "lambda":
            node, frame = self._lambdas[function]
            (bound,) = node.bounds
            if len(bound.slots) == 1 and not bound.is_tuple:
                return self.term(node.body, frame.with_slots({bound.slots[0]: argument}), 0)
        if function[0] == "if":
            return ("if", function[1], self.applied(function[2], argument), self.applied(function[3], argument))
        return ("applied", function, argument)

    # -------------------------------------------------------------------------------------------------------- for Z3

    def integer(self, term: Term) -> Any:
        z3 = self.z3
        match term:
            case ("value", "int", int(value)):
                return z3.IntVal(value)
            case ("sum", sign, one, other):
                left, right = self.integer(one), self.integer(other)
                return left + right if sign == "+" else left - right
            case ("if", condition, then, otherwise):
                return z3.If(self.truth(condition), self.integer(then), self.integer(otherwise))
        return self.constant(z3.Int, "n", term)

    def truth(self, term: Term) -> Any:
        z3 = self.z3
        match term:
            case ("value", _, value) if value is TRUE or value is FALSE:
                return z3.BoolVal(value is TRUE)
            case ("and", *items):
                return z3.And([self.truth(each) for each in items])
            case ("or", *items):
                return z3.Or([self.truth(each) for each in items])
            case ("not", one):
                return z3.Not(self.truth(one))
            case ("if", condition, then, otherwise):
                return z3.If(self.truth(condition), self.truth(then), self.truth(otherwise))
            case ("order", sign, one, other):
                a, b = self.integer(one), self.integer(other)
                return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]
            case ("equal", one, other):
                return self.integer(one) == self.integer(other)
        return self.constant(z3.Bool, "b", term)

    def constant(self, sort: Any, letter: str, term: Term) -> Any:
        """One for each term, and kind."""
        key = (letter, term)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = sort(f"{letter}{len(self._known)}")
        return found
