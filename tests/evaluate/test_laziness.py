# ruff: noqa: E501 (one formula a line)
"""What is evaluated when, how often, and in which frame."""

from evaluating import Run, counts, value

from gristmill.evaluate import Context
from gristmill.source.stack import with_deep_stack


def printed(expression: str, definitions: str = "") -> list[str]:
    lines: list[str] = []
    value(expression, definitions, context=Context((), output=lines.append))
    return lines


def test_an_argument_is_evaluated_once() -> None:
    assert printed('F(Print("a", 1))', "F(n) == n + n + n") == ['"a"  1']


def test_an_argument_nobody_needs_is_not_evaluated() -> None:
    assert printed('F(Print("a", 1))', "F(n) == 5") == []


def test_a_let_value_is_evaluated_once_for_each_element() -> None:
    assert printed('{LET b == Print("a", i) IN b + b : i \\in 1..2}') == ['"a"  1', '"a"  2']


def test_a_constant_definition_is_evaluated_once() -> None:
    assert printed("[i \\in 1..3 |-> D]", 'D == Print("d", 4)') == ['"d"  4']


def test_a_definition_that_reads_a_register_is_evaluated_each_time() -> None:
    assert value("TLCSet(1, 0) /\\ D = 1 /\\ D = 2", "D == CASE TLCSet(1, TLCGet(1) + 1) -> TLCGet(1)")


def test_conjuncts_are_evaluated_from_the_left_until_one_is_false() -> None:
    assert printed('PrintT("a") /\\ FALSE /\\ PrintT("b")') == ['"a"']
    assert printed('PrintT("a") \\/ PrintT("b")') == ['"a"']


def test_a_lazy_set_keeps_the_frame_it_was_made_in() -> None:
    """The sets are asked for elements after the loop that made them has gone on, through every kind of slot."""
    sets = "[k \\in 1..3 |-> {n \\in Nat : n > k}]"
    assert value(f"LET s == {sets} IN {{k \\in 1..3 : 3 \\in s[k]}}") == frozenset((1, 2))
    through_argument = (
        "LET Above(a) == {n \\in Nat : n > a} s == [k \\in 1..3 |-> Above(k + 0)] IN {k \\in 1..3 : 3 \\in s[k]}"
    )
    assert value(through_argument) == frozenset((1, 2))
    through_parent = (
        "LET s == [k \\in 1..3 |-> LET Up(z) == {n \\in Nat : n > k + z} IN Up(0)] IN {k \\in 1..3 : 3 \\in s[k]}"
    )
    assert value(through_parent) == frozenset((1, 2))
    through_operator = "LET Make(F(_)) == {n \\in Nat : F(n)} s == [k \\in 1..3 |-> Make(LAMBDA n : n > k)] IN {k \\in 1..3 : 3 \\in s[k]}"
    assert value(through_operator) == frozenset((1, 2))


def test_a_lazy_function_keeps_the_frame_it_was_made_in() -> None:
    assert value("LET s == [k \\in 1..3 |-> [n \\in Nat |-> n + k]] IN s[1][1] + s[2][1] + s[3][1]") == 9


def test_a_recursive_function_in_a_loop_sees_its_own_element() -> None:
    text = "{LET f[n \\in 0..9] == IF n = 0 THEN k ELSE f[n - 1] + n IN f[3] : k \\in 1..2}"
    assert value(text) == frozenset((7, 8))


def test_a_recursive_function_calls_itself_before_it_uses_its_argument() -> None:
    assert value("LET f[n \\in 0..9] == IF n = 0 THEN 0 ELSE f[n - 1] + n IN f[9]") == 45


def test_a_value_that_depends_on_the_next_state_is_not_kept() -> None:
    """`p` is asked for while y' takes one value after the other."""
    body = """
        Init == x = 0 /\\ y = 0
        Choose(p) == y' \\in 1..3 /\\ p + 0 = 2 /\\ x' = p
        Next == Choose(y' + 0)
    """
    assert counts(body) == (3, 2)
    nested = """
        Init == x = 0 /\\ y = 0
        Is(q) == q = 2
        Choose(p) == y' \\in 1..3 /\\ Is(p + 1) /\\ x' = p
        Next == Choose(y')
    """
    assert counts(nested) == (3, 2)


def test_a_lazy_set_that_depends_on_the_next_state_is_not_kept() -> None:
    body = """
        Init == x = 0 /\\ y = 0
        Next == LET S == {T \\in SUBSET (1..2) : y' \\in T} IN y' \\in 1..2 /\\ x' \\in S
    """
    assert counts(body, variables="x, y") == (21, 5)


def test_a_value_that_depends_on_an_unfinished_initial_state_is_not_kept() -> None:
    body = """
        Both(p) == y \\in 1..3 /\\ p + 0 = 2 /\\ x = p
        Init == Both(y + 0)
        Next == UNCHANGED <<x, y>>
    """
    assert counts(body) == (2, 1)


def test_enabled_leaves_the_next_state_alone() -> None:
    run = with_deep_stack(
        lambda: Run("Init == x = 0 /\\ y = 0\nNext == x' = 5 /\\ ENABLED (x' = 7 /\\ y' = 8) /\\ y' = x'")
    )
    assert run.successors((0, 0)) == [(5, 5)]


def test_composed_actions() -> None:
    body = """
        Inc == x' = x + 1 /\\ y' = y
        Double == x' = 2 * x /\\ y' = y + 1
        Init == x = 1 /\\ y = 0
        Next == (Inc \\cdot Double) /\\ x < 3
    """
    run = Run(body)
    assert run.successors((1, 0)) == [(4, 1)]
    assert run.evaluator.context.intermediate == 1
