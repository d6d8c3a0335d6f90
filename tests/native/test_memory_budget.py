"""A budget of memory: states beyond it go to disk; what cannot, ends the search, and the verdict says so."""

from __future__ import annotations

from typing import Any

import pytest

import gristmill

MEGABYTE = 1 << 20

FLAT = r"""---- MODULE Flat ----
EXTENDS Naturals
VARIABLE at
Init == at = [i \in 1..7 |-> 0]
Next == \E i \in 1..7 : at[i] < 6 /\ at' = [at EXCEPT ![i] = @ + 1]
===="""

# Every state has a sequence of its own: a value that is kept, and cannot be spilled.
LONG = r"""---- MODULE Long ----
EXTENDS Naturals, Sequences
VARIABLE word
Init == word = <<>>
Next == Len(word) < 6 /\ \E letter \in 1..8 : word' = Append(word, letter)
===="""


def run(text: str, **options: Any) -> gristmill.Result:
    return gristmill.check(text, config="INIT Init NEXT Next", deadlock=False, engine="native", **options)


@pytest.mark.parametrize("workers", [1, 2])
def test_states_beyond_it_go_to_disk(workers: int) -> None:
    result = run(FLAT, memory=32 * MEGABYTE, workers=workers, profile=True)
    assert (result.engine, result.verdict, result.distinct) == ("native", "ok", 7**7)
    assert result.generated == 1 + 7 * 6 * 7**6
    assert result.profile is not None
    assert result.profile.memory is not None
    free = run(FLAT, workers=workers, profile=True)
    assert free.profile is not None
    assert free.profile.memory is not None
    assert result.profile.memory.table < 0.9 * free.profile.memory.table


def test_values_count_as_well_and_end_the_search() -> None:
    result = run(LONG, memory=48 * MEGABYTE)
    assert (result.engine, result.verdict) == ("native", "incomplete")
    assert result.message == "The memory limit of 48 MB was reached"
    assert run(LONG).distinct == sum(8**length for length in range(7))
