"""What a specification has shown must have a value: an error in it is an error, as it is for TLC."""

from __future__ import annotations

import pytest

import gristmill

TEXT = r"""---- MODULE Shown ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE n
S == {1, 2, 3}
Bad == {y \in SUBSET S : Cardinality(y) > "many"}
Init == n = 0
Next == n < 40 /\ n' = n + 1
Inv == n < 35 \/ SHOWN
====
"""
CONFIG = "INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE"
BAD = [
    *("Bad", "<<1, Bad>>", "[a |-> Bad]", r"Bad \cup {{7}}", r"Bad \ {{7}}", r"Bad \cap SUBSET S", "UNION {Bad}"),
    *("SUBSET Bad", "[Bad -> S]", "[S -> Bad]", r"Bad \X S", "[a : Bad]", r"{Bad}", r"Seq(Bad)"),
    *(r"{y \in Nat : y > 1}", '{1, "a"}', "{{1}, {TRUE}}", '[i \\in S |-> {i, "a"}]'),
]
GOOD = {
    r"{y \in SUBSET S : Cardinality(y) > 2}": "{{1, 2, 3}}",
    "Nat": "Nat",
    "SUBSET Nat": "SUBSET Nat",
    r"[i \in Nat |-> i + 1]": r"[i \in Nat |-> i + 1]",
    "Seq({1})": "Seq({1})",
    r"SUBSET (1..30)": "SUBSET (1..30)",
}


def check(shown: str, engine: str) -> tuple[gristmill.Result, list[str]]:
    lines: list[str] = []
    result = gristmill.check(TEXT.replace("SHOWN", shown), config=CONFIG, engine=engine, output=lines.append)
    return result, lines


@pytest.mark.parametrize("value", BAD)
def test_errors_in_what_is_printed(value: str) -> None:
    for shown in (f"PrintT({value})", f"Print({value}, TRUE)", f'ToString({value}) # ""', f"Print(1, {value}) # {{}}"):
        result, lines = check(shown, "python")
        assert (result.verdict, result.property, lines) == ("error", "Inv", [])
        assert result.trace is not None
        assert len(result.trace) == 36


@pytest.mark.parametrize("value", ["Bad", "<<n, Bad>>", r"{y \in SUBSET {n, 2} : y > n}", '{n, "a"}'])
def test_errors_in_what_native_code_prints(value: str) -> None:
    for shown in (f"PrintT({value})", f'ToString({value}) # ""'):
        expected, _ = check(shown, "python")
        found, lines = check(shown, "native")
        assert (found.verdict, found.property, found.message, lines) == ("error", "Inv", expected.message, [])


@pytest.mark.parametrize("value", GOOD)
def test_what_has_a_value_is_printed(value: str) -> None:
    result, lines = check(f"PrintT({value})", "python")
    assert (result.verdict, lines[0]) == ("ok", GOOD[value])
