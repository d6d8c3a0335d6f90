"""Is a model well-formed IR? A pass that breaks it is found here, and not by a strange result of an evaluator.

Looked at are frames (every slot that is read lies in its frame, and something around gives it a meaning), variables,
arities of operators and of what is handed to them, levels of formulas, and labels of actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gristmill.ir import nodes
from gristmill.ir.levels import ACTION, CONSTANT, STATE, TEMPORAL, level
from gristmill.ir.model import Model
from gristmill.ir.nodes import Argument, Bound, Code, Definition, Expression
from gristmill.ir.walk import Node, Reference, Role, children, formulas, reachable
from gristmill.source.stack import with_deep_stack


class BrokenIRError(Exception):
    """A mistake of ours: what was lowered, or what a pass has made of it, is not a model."""


def verify(model: Model) -> None:
    """Raises `BrokenIRError`."""
    with_deep_stack(lambda: _Verifier(model).model())


_LEVELS: Final[Mapping[Role, int]] = {
    "init": STATE,
    "action": TEMPORAL,  # whatever a configuration calls NEXT: evaluating it says what is wrong with it
    "invariant": STATE,
    "constraint": STATE,
    "action_constraint": ACTION,
    "implied_init": STATE,
    "implied_action": ACTION,
    "obligation": ACTION,
    "possible": ACTION,
    "view": STATE,
    "temporal": TEMPORAL,
    "fairness": TEMPORAL,
    "assumption": CONSTANT,
    "constant": CONSTANT,
    "claim": CONSTANT,
    "symmetry": CONSTANT,
    "alias": ACTION,
    "postcondition": STATE,
}

_VALUE: Final = 0  # what a slot holds, if it is no operator; else its arity


@dataclass(frozen=True, slots=True, eq=False)
class _Scope:
    """A frame: its size, what its slots hold that have a meaning here, and the frame around it."""

    name: str
    size: int
    slots: Mapping[int, int]
    parent: _Scope | None = None
    in_enabled: bool = False

    def binding(self, slots: Iterable[int]) -> _Scope:
        new = list(slots)
        for slot in new:
            if not 0 <= slot < self.size:
                raise BrokenIRError(f"slot {slot} is outside of the frame of {self.name}, which has {self.size}")
        if len(set(new)) != len(new):
            raise BrokenIRError(f"two names have one slot in {self.name}: {new}")
        return replace(self, slots={**self.slots, **dict.fromkeys(new, _VALUE)})

    def up(self, depth: int) -> _Scope:
        scope = self
        for _ in range(depth):
            if scope.parent is None:
                raise BrokenIRError(f"there are not {depth} frames around {self.name}")
            scope = scope.parent
        return scope

    def holds(self, depth: int, slot: int, name: str) -> int:
        scope = self.up(depth)
        if slot not in scope.slots:
            raise BrokenIRError(f"slot {slot} of {scope.name}, read as {name}, has no meaning there")
        return scope.slots[slot]


class _Verifier:
    def __init__(self, model: Model) -> None:
        self._model = model
        self._seen: set[Definition] = set()
        self._labels: Sequence[int] = ()  # of actions that there may be disjuncts of

    def model(self) -> None:
        labels = {id(branch.code): branch.actions for branch in self._model.branches}
        for role, code in formulas(self._model):
            self._labels = labels.get(id(code), ())
            self.code(code)
            found = max(map(_own_level, reachable(code.body, below=_certainly_read)))
            if found > _LEVELS[role]:
                raise BrokenIRError(f"{role} {code.name} has level {found}, more than {_LEVELS[role]}")
        self._labels = ()
        labelled = {number for branch in self._model.branches for number in branch.actions}
        _expect(labelled == set(range(len(self._model.actions))), "an action has no branch, or a branch no action")
        obliged = [each.action for each in self._model.obligations]
        _expect(len(set(obliged)) == len(obliged), "an action has two obligations")
        _expect(set(obliged) <= set(range(len(self._model.actions))), "an obligation of no action")
        _expect(all(each.alternatives for each in self._model.obligations), "an obligation without alternatives")
        for action in self._model.actions:
            self.code(action.code)
            for name, value in action.parameters:
                self.parameter(action.code, name, value)

    def code(self, code: Code) -> None:
        self.visit(code.body, _Scope(code.name, code.frame_size, {}))

    def parameter(self, code: Code, name: str, value: Expression) -> None:
        """It is evaluated where the action is satisfied: every slot may have a meaning there."""
        everything = dict.fromkeys(range(code.frame_size), _VALUE)
        self.visit(value, _Scope(f"parameter {name} of {code.name}", code.frame_size, everything))

    def visit(self, node: Node, scope: _Scope) -> None:
        match node:
            case nodes.Variable():
                self.variable(node, scope)
            case nodes.Unchanged(variables):
                for index in variables:
                    self.in_range(index, scope)
            case nodes.Local(depth, slot, name):
                _expect(scope.holds(depth, slot, name) == _VALUE, f"{name} in {scope.name} is an operator, not a value")
            case nodes.CallLocal(depth, slot, name, args):
                arity = scope.holds(depth, slot, name)
                _expect(arity == len(args), f"{name} in {scope.name} takes {arity} arguments, not {len(args)}")
                self.visit_all(args, scope)
            case nodes.Call() | nodes.OperatorArgument():
                self.reference(node, scope)
            case nodes.Let(slots, names, values, body):
                _same_length(slots, names, values)
                self.visit_all((*values, body), scope.binding(slots))
            case nodes.Quantified(_, bounds, body) | nodes.SetMap(bounds, body):
                self.visit(body, self.bounds(bounds, scope))
            case nodes.FunctionLiteral(bounds, body, self_slot):
                inner = self.bounds(bounds, scope)
                self.visit(body, inner if self_slot is None else inner.binding((self_slot,)))
            case nodes.Choose(bound, body) | nodes.SetFilter(bound, body):
                self.visit(body, self.bounds((bound,), scope))
            case nodes.Update(path, value, at_slot):
                self.visit_all(path, scope)
                self.visit(value, scope if at_slot is None else scope.binding((at_slot,)))
            case nodes.RecordLiteral(names, values) | nodes.RecordSet(names, values):
                _same_length(names, values)
                self.visit_all(values, scope)
            case nodes.And(items) | nodes.Or(items):
                _expect(bool(items), f"a connective of nothing in {scope.name}")
                self.visit_all(items, scope)
            case nodes.Enabled(action):
                self.visit(action, replace(scope, in_enabled=True))
            case nodes.Temporal("\\AA" | "\\EE", args):
                self.visit_all(args, scope.binding(range(scope.size)))  # it is refused, whatever it binds
            case nodes.Disjunct(number, body):
                _expect(number in self._labels, f"a disjunct of action {number} stands in {scope.name}")
                self.visit(body, scope)
            case _:
                self.visit_all(children(node), scope)

    def visit_all(self, found: Iterable[Node], scope: _Scope) -> None:
        for node in found:
            self.visit(node, scope)

    # ------------------------------------------------------------------------------------------ names and operators

    def variable(self, node: nodes.Variable, scope: _Scope) -> None:
        """Inside of ENABLED there may be next values that no variable of the specification has."""
        if not (node.primed and scope.in_enabled):
            self.in_range(node.index, scope)

    def in_range(self, index: int, scope: _Scope) -> None:
        count = len(self._model.variables)
        _expect(0 <= index < count, f"variable {index} in {scope.name}, where there are {count}")

    def bounds(self, bounds: Sequence[Bound], scope: _Scope) -> _Scope:
        """Domains are read outside of what is bound."""
        slots: list[int] = []
        for bound in bounds:
            _same_length(bound.slots, bound.names)
            if bound.domain is not None:
                self.visit(bound.domain, scope)
            slots += bound.slots
        return scope.binding(slots)

    def reference(self, node: Reference, scope: _Scope) -> None:
        definition = node.definition
        if isinstance(node, nodes.Call):
            given, wanted = len(node.args), len(definition.arities)
            _expect(
                given == wanted, f"{definition.name}, called in {scope.name}, takes {wanted} arguments, not {given}"
            )
            for arity, argument in zip(definition.arities, node.args, strict=True):
                self.argument(arity, argument, definition, scope)
        parent = scope.up(node.depth) if definition.nested else None
        if definition not in self._seen:
            self._seen.add(definition)
            self.definition(definition, parent, scope.in_enabled)

    def argument(self, arity: int, argument: Argument, definition: Definition, scope: _Scope) -> None:
        match argument:
            case nodes.OperatorArgument(given):
                found = len(given.arities)
            case nodes.PrimitiveOperator(_, given_arity):
                found = given_arity
            case nodes.LocalOperator(depth, slot, name):
                found = scope.holds(depth, slot, name)
            case _:
                found = _VALUE
        _expect(
            found == arity, f"{definition.name}, called in {scope.name}, wants an operator of {arity}, not of {found}"
        )
        self.visit(argument, scope)

    def definition(self, definition: Definition, parent: _Scope | None, in_enabled: bool) -> None:
        _same_length(definition.arities, definition.parameter_names)
        _expect(definition.body is not None, f"{definition.name} has no body")
        _expect(definition.frame_size >= len(definition.arities), f"the frame of {definition.name} is too small")
        assert definition.body is not None
        slots = dict(enumerate(definition.arities))
        self.visit(definition.body, _Scope(definition.name, definition.frame_size, slots, parent, in_enabled))


def _certainly_read(node: Node) -> Iterable[Node]:
    """Without ENABLED, and without arguments, which may stand in one where they are used."""
    return () if isinstance(node, nodes.Enabled | nodes.Call | nodes.CallLocal) else children(node)


def _own_level(node: Node) -> int:
    return level(node) if isinstance(node, _WITH_LEVEL) else CONSTANT


_WITH_LEVEL = (
    nodes.Variable,
    nodes.Unchanged,
    nodes.Enabled,
    nodes.Cdot,
    nodes.Temporal,
    nodes.BoxAction,
    nodes.AngleAction,
)


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BrokenIRError(otherwise)


def _same_length(*several: Sequence[object]) -> None:
    _expect(len({len(each) for each in several}) == 1, f"lists that belong together differ in length: {several}")
