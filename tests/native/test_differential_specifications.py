"""The native engine against the reference evaluator: random small specifications, and those that once differed."""

from collections import Counter

import pytest
from differential import differing

import gristmill


@pytest.mark.parametrize("seed", range(20))
def test_random_specifications(seed: int) -> None:
    assert not list(differing(seed, (1, 2), Counter()))


def same_with_both(text: str, config: str = "", **options: object) -> gristmill.Result:
    """The result of the native engine, which must be the reference evaluator's."""
    results = [
        gristmill.check(text, config=config or "INIT Init\nNEXT Next\n", engine=engine, **options)  # type: ignore[arg-type]
        for engine in ("python", "native")
    ]
    ours = [(each.verdict, each.property, each.distinct, each.generated, each.depth) for each in results]
    assert ours[0] == ours[1]
    assert results[1].engine == "native"
    return results[1]


def module(body: str) -> str:
    return f"---- MODULE M ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\nVARIABLES x, y\n{body}\n====\n"


def test_an_initial_state_whose_invariant_cannot_be_evaluated() -> None:
    text = module("Init == x = 0 /\\ y = 0\nNext == UNCHANGED <<x, y>>\nInv == x \\div y = 1")
    config = "INIT Init\nNEXT Next\nINVARIANT Inv\n"
    results = [gristmill.check(text, config=config, engine=engine) for engine in ("python", "native")]  # type: ignore[arg-type]
    assert [each.verdict for each in results] == ["error", "error"]


def test_an_operator_handed_to_an_operator_in_an_action() -> None:
    body = """
    With(A(_), n) == A(n)
    Again(A(_), n) == With(A, n)
    Step(k) == Again(LAMBDA n : x' = (x + n + k) % 5 /\\ y' = n, k)
    Init == x = 0 /\\ y = 0
    Next == \\E k \\in 1..2 : Step(k)
    """
    assert same_with_both(module(body), deadlock=False).distinct == 11


def test_a_function_in_the_place_of_an_action() -> None:
    body = """
    Small[n \\in 0..9] == n < 3 /\\ y < 3
    Init == x = 0 /\\ y = 0
    Next == Small[x] /\\ x' = x + 1 /\\ y' \\in 0..3
    """
    assert same_with_both(module(body), deadlock=False).distinct == 13


@pytest.mark.parametrize(("body", "put", "distinct"), [("TRUE", "FALSE", 1), ("FALSE", "TRUE", 2)])
def test_a_changed_function_in_the_place_of_an_action(body: str, put: str, distinct: int) -> None:
    """What EXCEPT has put there counts, not the body of the function."""
    text = module(
        f"""
    Init == x = 0 /\\ y = 0
    Next == ([[n \\in 0..2 |-> {body}] EXCEPT ![1] = {put}])[1] /\\ x' = 1 /\\ y' = 0
    """
    )
    assert same_with_both(text, deadlock=False).distinct == distinct


def test_a_symmetry_that_is_compared_afterwards() -> None:
    """The states are looked at when the search is over."""
    text = """---- MODULE M ----
EXTENDS TLC, FiniteSets
CONSTANTS P
VARIABLES s
Init == s = {}
Next == \\E p \\in P : s' = IF Cardinality(s) = 2 THEN {} ELSE s \\cup {CHOOSE q \\in P : q \\notin s}
Symmetry == Permutations(P)
====
"""
    config = "INIT Init\nNEXT Next\nCONSTANT P = {a, b, c}\nSYMMETRY Symmetry\n"
    verdicts = {
        gristmill.check(text, config=config, engine=engine, deadlock=False).verdict  # type: ignore[arg-type]
        for engine in ("python", "native")
    }
    assert len(verdicts) == 1
