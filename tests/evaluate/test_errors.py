"""What has no value, and where the error is."""

import pytest
from checking import run
from evaluating import Run, value
from formulas import REFUSED

from gristmill.evaluate import Unevaluated, locate
from gristmill.source.stack import with_deep_stack
from gristmill.values import EvaluationError


def error_of(expression: str, definitions: str = "") -> EvaluationError:
    with pytest.raises(EvaluationError) as caught:
        value(expression, definitions)
    return caught.value


@pytest.mark.parametrize("expression", REFUSED)
def test_refused(expression: str) -> None:
    error = error_of(expression)
    assert error.id == REFUSED[expression]
    assert error.message


def test_the_innermost_expression_is_the_place() -> None:
    location = locate(error_of("1 + Len(<<2, 3>>[4])"))
    assert location.span is not None
    assert location.span.text == "<<2, 3>>[4]"
    assert location.stack == ()


def test_the_stack_has_the_definitions_and_their_arguments() -> None:
    definitions = "Inner(a) == 1 \\div (a - 2)\nOuter(b, unused) == 5 + Inner(b)"
    location = locate(error_of("Outer(2, CHOOSE c \\in {7} : TRUE)", definitions))
    assert location.span is not None
    assert location.span.text == "1 \\div (a - 2)"
    assert [call.name for call in location.stack] == ["Outer", "Inner"]
    outer, inner = location.stack
    assert outer.arguments == (("b", 2), ("unused", Unevaluated("CHOOSE c \\in {7} : TRUE")))
    assert inner.arguments == (("a", 2),)
    assert inner.call.text == "Inner(b)"


def test_arguments_evaluated_before_the_error_are_shown() -> None:
    location = locate(error_of("F(3 + 4)", "F(a) == IF a = 7 THEN 1 \\div 0 ELSE 1"))
    assert location.stack[0].arguments == (("a", 7),)


def test_unbounded_recursion_has_a_place() -> None:
    error = error_of("F(1)", "RECURSIVE F(_)\nF(n) == F(n + 1) + 1")
    assert error.id == "unbounded-recursion"
    assert {call.name for call in locate(error).stack} == {"F"}


def failure(body: str, **options: str) -> EvaluationError:
    with pytest.raises(EvaluationError) as caught:
        with_deep_stack(lambda: Run(body, **options).explore())
    return caught.value


def test_a_variable_left_out_by_init() -> None:
    error = failure("Init == x = 0\nNext == UNCHANGED <<x, y>>")
    assert error.id == "incomplete-initial-state"
    assert error.message == "the initial predicate Init gives no value to y"


def test_a_variable_left_out_by_an_action() -> None:
    error = failure("Init == x = 0 /\\ y = 0\nGo == x' = 1\nNext == Go")
    assert error.id == "incomplete-state"
    assert "y" in error.message
    assert "Go" in error.message


def test_a_primed_variable_read_too_early() -> None:
    error = failure("Init == x = 0 /\\ y = 0\nNext == x' = y' /\\ y' = 0")
    assert error.id == "unassigned-variable"
    assert error.message == "y' has no value yet where it is used"
    span = locate(error).span
    assert span is not None
    assert span.text == "y"


def test_a_variable_read_too_early_in_init() -> None:
    error = failure("Init == x = y /\\ y = 0\nNext == UNCHANGED <<x, y>>")
    assert error.id == "unassigned-initially"


@pytest.mark.parametrize(
    ("step", "id"),
    [
        ("x' = Nat", "infinite-in-state"),
        ("x' = [n \\in Nat |-> n]", "infinite-in-state"),
        ("x' \\in Nat", "not-enumerable"),
        ("x' \\in 5", "not-a-set"),
        ("x' \\subseteq 5", "not-a-set"),
        ("x' = 1 /\\ 5", "not-a-boolean"),
        ("(IF 5 THEN x' = 1 ELSE x' = 2)", "not-a-boolean"),
        ("(CASE FALSE -> x' = 1)", "no-case-applies"),
    ],
)
def test_steps_without_successor(step: str, id: str) -> None:
    body = f"Init == x = 0 /\\ y = 0\nNext == {step} /\\ y' = y"
    assert failure(body).id == id


@pytest.mark.parametrize("value", ["Nat", "[n \\in Nat |-> n]", "Seq({1})", "SUBSET Nat"])
def test_no_initial_state_holds_what_is_infinite(value: str) -> None:
    assert failure(f"Init == x = {value} /\\ y = 0\nNext == UNCHANGED <<x, y>>").id == "infinite-in-state"


def test_an_action_does_not_leave_its_assignments_behind() -> None:
    """After an error, the next state is evaluated as if nothing had happened."""
    run = Run("Init == x \\in {0, 1} /\\ y = 0\nNext == y' = 1 /\\ x' = 1 \\div x")
    first, second = run.initial_states()
    with pytest.raises(EvaluationError):
        run.successors(first)
    assert run.successors(second) == [(1, 1)]


@pytest.mark.parametrize(
    ("init", "next"),
    [
        ("x = 0", r"\E i \in 1..3 : x' = IF i = 2 THEN Head(<<>>) ELSE i"),
        (r"\E i \in 1..3 : x = IF i = 2 THEN Head(<<>>) ELSE i", "x' = x"),
    ],
)
def test_what_was_found_before_an_error_is_checked(init: str, next: str) -> None:
    program = f"EXTENDS Sequences, Naturals\nVARIABLE x\nInit == {init}\nNext == {next}\nSmall == x < 1\nFine == x < 9"
    violated = run(program, "INIT Init NEXT Next INVARIANT Small")
    assert (violated.verdict, violated.property) == ("invariant", "Small")
    failed = run(program, "INIT Init NEXT Next INVARIANT Fine")
    assert (failed.verdict, failed.diagnostics[0].id) == ("error", "empty-sequence")
    assert failed.diagnostics[0].span is not None
    assert failed.diagnostics[0].span.text == "Head(<<>>)"


def test_an_assertion_of_an_algorithm_is_shown_in_the_algorithm() -> None:
    """Its translation is in memory: a line of that would lead nowhere."""
    program = "EXTENDS TLC\n(* --algorithm A\nbegin\n  first: skip;\n  second: assert FALSE;\nend algorithm; *)"
    result = run(program, "SPECIFICATION Spec")
    place = next(d.span for d in result.diagnostics if d.id == "assert")
    assert place is not None
    assert place.text.startswith("assert FALSE")
