"""A failed Assert says why: which part of its condition is false, with the values that were bound there."""

import pytest
from checking import run

from gristmill.report.terminal import render_result

ACTION = r"""
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Step(n) == /\ x' = x + n
           /\ LET limit == n * 2
              IN Assert(x' > 0 /\ \A m \in 1..2 : x' + m < limit + 3, "too far")
Next == \E n \in 1..2 : Step(n)
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_in_an_action(engine: str) -> None:
    report = render_result(run(ACTION, "INIT Init NEXT Next CHECK_DEADLOCK FALSE", engine=engine))
    assert (
        "Why the assertion is false here\n"
        "  FALSE  x' > 0 /\\ \\A m \\in 1..2 : x' + m < limit + 3   (conjunct 2 of 2)\n"
    ) in report
    assert "for m = " in report
    assert "(x' + m = " in report


def test_in_an_invariant() -> None:
    program = ACTION.replace("/\\ LET", "/\\ TRUE \\/ LET") + '\nFew == Assert(x < 2, <<"x is", x>>)\n'
    report = render_result(run(program, "INIT Init NEXT Next INVARIANT Few CHECK_DEADLOCK FALSE"))
    assert "  FALSE  x < 2   (x = 2)\n" in report


def test_what_must_not_be_evaluated_again_is_not() -> None:
    program = ACTION.replace("x' > 0", "TLCSet(1, 7)")
    result = run(program, "INIT Init NEXT Next CHECK_DEADLOCK FALSE")
    assert result.verdict == "assert"
