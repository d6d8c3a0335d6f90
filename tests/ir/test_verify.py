"""IR that is broken by hand is refused; what is lowered, and what passes make of it, is not."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from lowered import model_of

from gristmill.ir import nodes
from gristmill.ir.model import Branch, Model, Named
from gristmill.ir.nodes import Bound, Call, Code, Definition, Expression, Literal, Local
from gristmill.ir.verify import BrokenIRError, verify
from gristmill.library import OPERATORS
from gristmill.values import TRUE

MODULE = """
EXTENDS Naturals
VARIABLE x
Apply(Op(_), n) == Op(n)
Deep(n) == LET Own(m) == m + n IN Own(1) + Apply(LAMBDA k : k + n, 2)
Init == x = 0
Grow(n) == x < Deep(1) /\\ x' = x + n
Shrink == x > 0 /\\ x' = [i \\in 1..2 |-> x - i][1]
Next == (\\E n \\in {1, 2} : Grow(n)) \\/ Shrink
Small == \\A i \\in 1..3 : x < 10 + i
"""
CONFIG = "INIT Init\nNEXT Next\nINVARIANT Small"

PLUS, MINUS = OPERATORS["Naturals", "+"], OPERATORS["Naturals", "-"]


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(MODULE, CONFIG)


def with_invariant(model: Model, body: Expression, frame_size: int = 2) -> Model:
    return replace(model, invariants=(Named("Bad", Code(body, frame_size, "Bad", body.span)),))


def test_what_is_lowered_is_well_formed(model: Model) -> None:
    verify(model)


def literal(model: Model) -> Literal:
    return Literal(TRUE, model.invariants[0].code.span)


def bound(model: Model, *slots: int) -> Bound:
    names = tuple(f"n{slot}" for slot in slots)
    return Bound(slots, names, False, literal(model), model.invariants[0].code.span)


def called(model: Model, *args: nodes.Argument, **changes: object) -> Call:
    here = model.invariants[0].code.span
    plain = Definition("D", (0,), ("p",), False, False, here, 1, Local(0, 0, "p", here))
    return Call(replace(plain, **changes), args, 0, here)  # type: ignore[arg-type]


BROKEN: dict[str, Callable[[Model], Expression]] = {
    "a slot without a meaning": lambda m: Local(0, 0, "n", m.invariants[0].code.span),
    "a slot of a frame that is not there": lambda m: Local(1, 0, "n", m.invariants[0].code.span),
    "a slot outside of its frame": lambda m: nodes.Quantified(True, (bound(m, 7),), literal(m), literal(m).span),
    "one slot for two names": lambda m: nodes.Quantified(True, (bound(m, 1, 1),), literal(m), literal(m).span),
    "a domain that reads what it binds": lambda m: nodes.Quantified(
        True, (replace(bound(m, 1), domain=Local(0, 1, "n", literal(m).span)),), literal(m), literal(m).span
    ),
    "a variable that is not there": lambda m: nodes.Variable(5, False, "y", literal(m).span),
    "UNCHANGED of a variable that is not there": lambda m: nodes.Enabled(
        nodes.Unchanged((5,), literal(m).span), literal(m).span
    ),
    "the next state in an invariant": lambda m: nodes.Variable(0, True, "x", literal(m).span),
    "a temporal formula in an invariant": lambda m: nodes.Temporal("[]", (literal(m),), literal(m).span),
    "too few arguments": lambda m: called(m),
    "a value in the place of an operator": lambda m: called(m, literal(m), arities=(1,)),
    "an operator in the place of a value": lambda m: called(m, nodes.PrimitiveOperator(PLUS, 2, literal(m).span)),
    "an operator of another arity": lambda m: called(
        m, nodes.PrimitiveOperator(PLUS, 2, literal(m).span), arities=(1,), body=literal(m)
    ),
    "an operator read as a value": lambda m: called(
        m, nodes.PrimitiveOperator(MINUS, 1, literal(m).span), arities=(1,)
    ),
    "a definition without a body": lambda m: called(m, literal(m), body=None),
    "a definition without room for its parameters": lambda m: called(m, literal(m), frame_size=0, body=literal(m)),
    "a nested definition that lives nowhere": lambda m: nodes.Call(
        called(m, nested=True).definition, (literal(m),), 3, literal(m).span
    ),
    "a LET of unequal lengths": lambda m: nodes.Let((0, 1), ("a",), (literal(m),), literal(m), literal(m).span),
    "a record of unequal lengths": lambda m: nodes.RecordLiteral(("a", "b"), (literal(m),), literal(m).span),
    "a conjunction of nothing": lambda m: nodes.And((), literal(m).span),
    "a disjunct outside of the next-state relation": lambda m: nodes.Disjunct(0, literal(m), literal(m).span),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_refused(model: Model, what: str) -> None:
    with pytest.raises(BrokenIRError):
        verify(with_invariant(model, BROKEN[what](model)))


def test_every_action_has_a_branch(model: Model) -> None:
    with pytest.raises(BrokenIRError):
        verify(replace(model, branches=model.branches[1:]))


def test_a_branch_has_disjuncts_of_its_own_actions(model: Model) -> None:
    first, *rest = model.branches
    with pytest.raises(BrokenIRError):
        verify(replace(model, branches=(Branch(first.code, rest[-1].actions), *rest)))
