"""Shrinking: what is left cannot be made smaller by leaving one thing out."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from gristmill.search.shrink import shrink


@given(st.lists(st.integers(0, 30), max_size=40), st.sets(st.integers(0, 30), max_size=4))
def test_what_is_needed_stays_and_nothing_else(events: list[int], needed: set[int]) -> None:
    events = [*events, *needed]

    def trial(tried: Sequence[int]) -> Sequence[int] | None:
        return tried if needed <= set(tried) else None

    assert sorted(shrink(events, trial)) == sorted(needed)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=25), st.integers(1, 30))
def test_no_single_part_can_be_left_out_of_the_result(events: list[int], least: int) -> None:
    def trial(tried: Sequence[int]) -> Sequence[int] | None:
        return tried if sum(tried) >= least else None

    if trial(events) is None:
        return
    small = shrink(events, trial)
    assert sum(small) >= least
    assert all(sum(small[:index] + small[index + 1 :]) < least or small[index] == 0 for index in range(len(small)))


def test_the_sequence_that_was_run_counts() -> None:
    """A trial may run something else than it was told; a longer run is no success."""

    def trial(tried: Sequence[int]) -> Sequence[int] | None:
        return [*tried, 0, 0, 0] if 7 in tried else None

    small = shrink([1, 2, 3, 4, 5, 6, 7, 8, 9], trial)
    assert 7 in small
    assert len(small) <= 9


def test_it_gives_up_after_so_many_trials() -> None:
    count = 0

    def trial(tried: Sequence[int]) -> Sequence[int] | None:
        nonlocal count
        count += 1
        return None

    assert shrink(list(range(100)), trial, trials=7) == list(range(100))
    assert count == 7
