"""A constant that is drawn at random has one value in a run, wherever it is used."""

from __future__ import annotations

import pytest

import gristmill

TEXT = r"""---- MODULE Drawn ----
EXTENDS Integers, TLC, Randomization
VARIABLE n
K == RandomElement(1..1000000)
F == [i \in 1..3 |-> RandomElement(1..1000000)]
T == RandomSubset(3, 1..1000000)
Plus(m) == m + K
Init == n = K
Go == n < K + 40 /\ n' = n + 1
Next == Go
Fair == Init /\ [][Next]_n /\ WF_n(Go)

Enabled == ENABLED Go <=> n < K + 40
EnabledAlone == (n = K => ENABLED (n = K /\ n' = 0)) /\ (ENABLED (n' = 0 /\ n = K) => n = K)
Function == \A g \in {F} : g = F /\ g[1] = F[1] /\ ENABLED (n' = F[1] /\ F[1] = g[1])
Subset == T = {i \in T : TRUE} /\ ENABLED (n' \in T /\ T = {i \in T : n' = n'})
Primed == [][(n + K)' = n' + K /\ Plus(n)' = n' + K]_n
Arrives == <>(n = K + 40)
====
"""
CONFIG = """SPECIFICATION Fair CHECK_DEADLOCK FALSE
INVARIANTS Enabled EnabledAlone Function Subset PROPERTIES Primed Arrives"""


@pytest.mark.parametrize(("engine", "workers"), [("python", 1), ("native", 1), ("native", 2)])
def test_one_value_everywhere(engine: str, workers: int) -> None:
    result = gristmill.check(TEXT, config=CONFIG, engine=engine, workers=workers, seed=7)
    assert (result.verdict, result.distinct) == ("ok", 41), result.message


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_is_wrong_with_it_is_found(engine: str) -> None:
    text = TEXT.replace("Enabled == ENABLED Go <=> n < K + 40", "Enabled == ENABLED Go <=> n < K + 39")
    result = gristmill.check(text, config=CONFIG, engine=engine)
    assert (result.verdict, result.property) == ("invariant", "Enabled")
    assert result.trace is not None
    assert len(result.trace) == 40
