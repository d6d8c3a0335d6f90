"""Processes that share work."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from gristmill.search.budget.limits import LimitReached
from gristmill.search.forked import Workers, forked


@contextmanager
def doubling() -> Iterator[Callable[[int], int]]:
    yield lambda job: 2 * job


def test_answers_come_in_the_order_of_the_jobs() -> None:
    with forked([doubling] * 3, ahead=2) as workers:
        assert list(workers.perform(range(20))) == list(range(0, 40, 2))


def test_it_is_stopped_though_nobody_has_to_wait_for_an_answer() -> None:
    """As where whoever takes the answers is slower than the workers."""
    answers: list[int] = []

    def check() -> None:
        if len(answers) == 3:
            raise LimitReached("interrupted")

    def take_slowly(workers: Workers[int, int]) -> None:
        for answer in workers.perform(itertools.count(), check):
            answers.append(answer)
            assert len(answers) <= 3
            for connection in workers.connections:
                connection.poll(None)  # until the next answer is there

    with forked([doubling] * 2) as workers, pytest.raises(LimitReached):
        take_slowly(workers)
