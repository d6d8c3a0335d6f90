"""Users' code that does not come back is interrupted, also where Python swallows what interrupts it."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Callable

import pytest

from gristmill.search.budget.deadline import UNLIMITED, Deadline, TookTooLong, call
from gristmill.search.budget.limits import LimitReached

SECONDS = 0.1
LONG = 20.0


class Busy:
    """Waits, and knows whether it was interrupted."""

    def __init__(self) -> None:
        self.begun = self.ended = 0

    def wait(self, *_: object) -> None:
        self.begun += 1
        until = time.monotonic() + LONG
        while time.monotonic() < until:
            pass
        self.ended += 1


class Thing:
    pass


def in_a_weakref_callback(busy: Busy) -> None:
    thing = Thing()
    reference = weakref.ref(thing, busy.wait)
    del thing
    assert reference() is None


def in_a_gc_callback(busy: Busy) -> None:
    gc.callbacks.append(busy.wait)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(busy.wait)


def in_a_finalizer(busy: Busy) -> None:
    class Finalized:
        def __del__(self) -> None:
            busy.wait()

    Finalized()


PLACES = [in_a_weakref_callback, in_a_gc_callback, in_a_finalizer]


@pytest.fixture
def swallowed(monkeypatch: pytest.MonkeyPatch) -> list[type[BaseException]]:
    found: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: found.append(ignored.exc_type))
    return found


@pytest.mark.parametrize("place", PLACES)
def test_what_is_swallowed_is_raised_when_the_code_comes_back(
    place: Callable[[Busy], None], swallowed: list[type[BaseException]]
) -> None:
    busy, deadline = Busy(), Deadline(SECONDS)
    with deadline.watching(), pytest.raises(LimitReached, match=f"stopped after {SECONDS:g} s"):
        call(UNLIMITED, place, busy)
    assert TookTooLong in swallowed
    assert busy.begun
    assert not busy.ended


@pytest.mark.parametrize("place", PLACES)
def test_what_is_swallowed_is_raised_again_if_the_code_goes_on(
    place: Callable[[Busy], None], swallowed: list[type[BaseException]]
) -> None:
    busy, after = Busy(), Busy()

    def goes_on() -> None:
        place(busy)
        after.wait()

    with pytest.raises(TookTooLong):
        call(SECONDS, goes_on)
    assert TookTooLong in swallowed
    assert after.begun == 1
    assert not busy.ended
    assert not after.ended
