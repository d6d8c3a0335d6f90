"""Walking over the IR, and that every kind of node is known wherever nodes are told apart by kind."""

from dataclasses import fields
from typing import Any, get_args

import pytest
from lowered import model_of

import gristmill.native.emit.generate  # registers the forms  # noqa: F401
from gristmill.evaluate.compiler import Compiler
from gristmill.ir import nodes
from gristmill.ir.model import Model
from gristmill.ir.nodes import Literal
from gristmill.ir.walk import (
    NODE_TYPES,
    ROLES,
    bodies,
    calls_itself,
    children,
    definitions,
    formulas,
    nodes_of,
    rebuilt,
)
from gristmill.native.emit.emitter import Emitter
from gristmill.values import TRUE

EXPRESSIONS = get_args(nodes.Expression)

MODULE = """
EXTENDS Naturals, TLC
CONSTANT S
VARIABLES x, y
Deep(n) == LET d == n IN d + d
Loop[n \\in Nat] == IF n = 0 THEN 0 ELSE Loop[n - 1]
RECURSIVE Back(_)
Back(n) == IF n = 0 THEN 0 ELSE Back(n - 1)
Init == x = 0 /\\ y \\in [S -> {1}]
Next == /\\ x < Deep(1) + Back(2)
        /\\ x' = CASE x = 0 -> 1 [] OTHER -> 0
        /\\ y' = [y EXCEPT ![CHOOSE s \\in S : TRUE] = @ + 1, ![1] = 1]
Small == x < 5
Bounded == x < 9
Step == x' # x
Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_x(Next)
X == x
Shown == [x |-> x]
Live == <>(x = 1)
Sym == Permutations(S)
"""
CONFIG = """
SPECIFICATION Spec
CONSTANT S = {a, b}
INVARIANT Small
CONSTRAINT Bounded
ACTION_CONSTRAINT Step
PROPERTY Live
SYMMETRY Sym
VIEW X
ALIAS Shown
"""


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(MODULE, CONFIG)


def brute_force_children(node: Any) -> list[Any]:
    """By the values of all fields, whatever their annotations say."""

    def held(value: Any) -> list[Any]:
        if isinstance(value, tuple):
            return [node for item in value for node in held(item)]
        return [value] if type(value) in NODE_TYPES else []

    return [child for field in fields(node) for child in held(getattr(node, field.name))]


def test_children_are_all_nodes_that_a_node_holds(model: Model) -> None:
    seen = set()
    for body in bodies(model):
        for definition in definitions(body):
            assert definition.body is not None
            for node in nodes_of(definition.body):
                seen.add(type(node))
                assert list(children(node)) == brute_force_children(node)
    assert len(seen) > 15


def test_definitions_reached_are_named_once_each(model: Model) -> None:
    names = [definition.name for definition in definitions(*bodies(model, ("action",)))]
    assert {"Deep", "Back"} <= set(names)
    assert len(names) == len(set(names))


def test_who_calls_itself(model: Model) -> None:
    by_name = {definition.name: definition for definition in definitions(*bodies(model))}
    assert calls_itself(by_name["Back"])
    assert not calls_itself(by_name["Deep"])


def test_the_formulas_of_a_model_are_all_of_its_fields(model: Model) -> None:
    """Whatever a model holds that is code has a role; actions are parts of branches, and these of what was uncut."""
    names = [field.name for field in fields(model) if field.name not in ("actions", "unsplit")]
    held = {id(code) for name in names for code in codes_in(getattr(model, name))}
    assert {id(code) for _, code in formulas(model)} == held
    assert {role for role, _ in formulas(model)} >= {"init", "action", "invariant", "view", "alias", "symmetry"}


def codes_in(value: Any) -> list[nodes.Code]:
    if isinstance(value, nodes.Code):
        return [value]
    if isinstance(value, tuple):
        return [code for item in value for code in codes_in(item)]
    return codes_in(value.code) if hasattr(value, "code") else []


def test_roles_are_asked_for_one_by_one(model: Model) -> None:
    assert sum(len(bodies(model, (role,))) for role in ROLES) == len(bodies(model))


def test_rebuilding_changes_what_is_changed_and_nothing_else(model: Model) -> None:
    body = bodies(model, ("action",))[0]
    assert rebuilt(body, lambda child: child) is body
    true = Literal(TRUE, body.span)
    assert rebuilt(nodes.Not(body, body.span), lambda child: true) == nodes.Not(true, body.span)


# ---------------------------------------------------------------------------------------------- tables by kind of node


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_the_reference_evaluator_knows_every_kind_of_node(kind: type) -> None:
    assert kind in Compiler.values or kind in Compiler.tests


# Kinds that generated code does not evaluate, and why.
NOT_EMITTED = {
    nodes.Literal: "a constant: it is folded",
    nodes.Cdot: "solved as an action only; elsewhere it is left to the reference evaluator",
    nodes.Disjunct: "solved as an action; where all variables have a value, it is left to the reference evaluator",
    nodes.Temporal: "decided on the graph of states",
}


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_generated_code_knows_every_kind_of_node(kind: type) -> None:
    assert (kind in Emitter.values or kind in Emitter.tests) != (kind in NOT_EMITTED)
