"""What recursive definitions depend on, they depend on wherever they are called: also inside, and by each other."""

import pytest

import gristmill

MODULE = r"""---- MODULE Recursive ----
EXTENDS Integers, TLC
VARIABLE x
RECURSIVE Even(_), Odd(_), Down(_)
Even(n) == IF n = 0 THEN x ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN 0 ELSE Even(n - 1)
Down(n) == IF n = 0 THEN x ELSE Down(0) + 0
Init == x = 0
Next == x < 5 /\ x' = x + 1
ByEachOther == Even(2) = x /\ {k \in 0..9 : k < Odd(3)} # 0..3
Sum == Even(2) = x /\ {Odd(1) + 0} = {x}
ByItself == {Down(1)} = {x}
====
"""


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    ("invariant", "verdict", "distinct"),
    [("ByEachOther", "invariant", 5), ("Sum", "ok", 6), ("ByItself", "ok", 6)],
)
def test_recursive_definitions(invariant: str, verdict: str, distinct: int, engine: str) -> None:
    config = f"INIT Init NEXT Next CHECK_DEADLOCK FALSE INVARIANT {invariant}"
    result = gristmill.check(MODULE, config=config, engine=engine)  # type: ignore[arg-type]
    assert (result.verdict, result.distinct) == (verdict, distinct)
