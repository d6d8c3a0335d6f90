"""Too many values for slots of one byte: those that have many get two, and the search begins anew."""

from __future__ import annotations

import pytest

import gristmill
from gristmill.native.plan.layout import different, widened

COUNTER = r"""---- MODULE Counter ----
EXTENDS Naturals
VARIABLES flags, n
Init == flags = [i \in 1..8 |-> FALSE] /\ n = 0
Next == /\ n < 700 /\ n' = n + 1
        /\ \E i \in 1..8 : flags' = [j \in 1..8 |-> j = i]
===="""


def test_only_what_has_many_values_gets_wider(monkeypatch: pytest.MonkeyPatch) -> None:
    first = "gristmill.checking.head_start.first_level"
    monkeypatch.setattr(first, lambda searchable: list(searchable.initial_states()))
    result = gristmill.check(COUNTER, config="INIT Init NEXT Next", deadlock=False, engine="native", profile=True)
    assert (result.engine, result.verdict, result.distinct) == ("native", "ok", 1 + 8 * 700)
    assert result.profile is not None
    assert result.profile.memory is not None
    assert (result.profile.layouts, result.profile.memory.state) == (2, 12)  # eight bytes, and two; in words of four


def test_one_slot_gets_wider_at_least() -> None:
    assert widened([1, 3, 2], [1, 1, 2], 1) == [2, 2, 2]  # of a few states, nobody can tell
    assert widened([1, 100, 100], [1, 1, 2], 1) == [1, 2, 2]
    assert widened([1, 1, 100], [1, 1, 2], 2) == [1, 1, 4]


def test_values_of_packed_states_are_counted_by_slot() -> None:
    states = [bytes([n, n // 2, 0, n % 3]) for n in range(12)]
    assert different(states, [1, 2, 1]) == [1, 12, 3]
