"""The evaluator's interface, on nodes built by hand."""

from typing import Any

from gristmill.evaluate import Context, Evaluator
from gristmill.ir import nodes
from gristmill.library import OPERATORS
from gristmill.source import SourceFile, Span
from gristmill.values import TRUE

SPAN = Span(SourceFile("Hand.tla", "by hand"), 0, 7)
X = nodes.Variable(0, False, "x", SPAN)
X_NEXT = nodes.Variable(0, True, "x", SPAN)


def literal(value: Any) -> nodes.Literal:
    return nodes.Literal(value, SPAN)


def plus(left: nodes.Expression, right: nodes.Expression) -> nodes.Primitive:
    return nodes.Primitive(OPERATORS["Naturals", "+"], (left, right), SPAN)


def code(body: nodes.Expression, frame_size: int = 0) -> nodes.Code:
    return nodes.Code(body, frame_size, "Hand", SPAN)


def interval(low: int, high: int) -> nodes.Primitive:
    return nodes.Primitive(OPERATORS["Naturals", ".."], (literal(low), literal(high)), SPAN)


def test_a_constant() -> None:
    assert Evaluator(()).value(code(plus(literal(1), literal(2))))() == 3


def test_a_predicate_in_the_current_state() -> None:
    evaluator = Evaluator(("x",))
    holds = evaluator.predicate(code(nodes.Equal(X, literal(4), SPAN)))
    evaluator.context.current[0] = 4
    assert holds() is True
    evaluator.context.current[0] = 5
    assert holds() is False


def test_predicates_and_functions_of_states() -> None:
    evaluator = Evaluator(("x",))
    assert evaluator.state_predicate(code(nodes.Member(X, interval(1, 3), SPAN)))((2,)) is True
    assert evaluator.state_function(code(plus(X, literal(1))))((2,)) == 3


def test_initial_states_in_order() -> None:
    evaluator = Evaluator(("x",))
    assert evaluator.initial_states(code(nodes.Member(X, interval(1, 3), SPAN)))() == [(1,), (2,), (3,)]


def test_successors_with_every_witness() -> None:
    bound = nodes.Bound((0,), ("i",), False, interval(1, 2), SPAN)
    local = nodes.Local(0, 0, "i", SPAN)
    step = nodes.Or(
        (nodes.Equal(X_NEXT, plus(X, local), SPAN), nodes.Equal(X_NEXT, literal(0), SPAN)),
        SPAN,
    )
    successors = Evaluator(("x",)).successors(code(nodes.Quantified(False, (bound,), step, SPAN), 1))
    assert successors((5,)) == [(6,), (0,), (7,), (0,)]
    assert successors((0,)) == [(1,), (0,), (2,), (0,)]


def test_steps_and_enabledness() -> None:
    evaluator = Evaluator(("x",))
    step = nodes.And(
        (
            nodes.Primitive(OPERATORS["Naturals", "<"], (X, literal(2)), SPAN),
            nodes.Equal(X_NEXT, plus(X, literal(1)), SPAN),
        ),
        SPAN,
    )
    is_step = evaluator.action_predicate(code(step))
    assert is_step((1,), (2,)) is True
    assert is_step((1,), (3,)) is False
    enabled = evaluator.enabled(code(step))
    assert enabled((1,)) is True
    assert enabled((2,)) is False
    assert evaluator.state_predicate(code(nodes.Enabled(step, SPAN)))((1,)) is True


def test_stuttering_steps() -> None:
    step = nodes.BoxAction(nodes.Equal(X_NEXT, literal(1), SPAN), nodes.Not(nodes.Unchanged((0,), SPAN), SPAN), SPAN)
    evaluator = Evaluator(("x",))
    assert evaluator.successors(code(step))((0,)) == [(1,), (0,)]
    assert evaluator.action_predicate(code(step))((0,), (0,)) is True
    assert evaluator.action_predicate(code(step))((0,), (2,)) is False


def test_a_recursive_definition() -> None:
    double = nodes.Definition("Twice", (0,), ("n",), False, True, SPAN, frame_size=1)
    n = nodes.Local(0, 0, "n", SPAN)
    less = nodes.Primitive(OPERATORS["Naturals", "-"], (n, literal(1)), SPAN)
    double.body = nodes.If(
        nodes.Equal(n, literal(0), SPAN),
        literal(0),
        plus(nodes.Call(double, (less,), 0, SPAN), literal(2)),
        SPAN,
    )
    assert Evaluator(()).value(code(nodes.Call(double, (literal(20),), 0, SPAN)))() == 40


def test_the_context_has_registers_output_and_a_seed() -> None:
    lines: list[str] = []
    context = Context((), output=lines.append, seed=3)
    context.registers[1] = 7
    evaluator = Evaluator((), context)
    assert evaluator.value(code(nodes.Primitive(OPERATORS["TLC", "TLCGet"], (literal(1),), SPAN)))() == 7
    assert evaluator.value(code(nodes.Primitive(OPERATORS["TLC", "PrintT"], (literal("hello"),), SPAN)))() is TRUE
    assert lines == ['"hello"']
    pick = code(nodes.Primitive(OPERATORS["TLC", "RandomElement"], (interval(1, 1000),), SPAN))
    again = Evaluator((), Context((), seed=3))
    assert evaluator.value(pick)() == again.value(pick)()
