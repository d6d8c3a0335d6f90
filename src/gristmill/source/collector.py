"""Python's cyclic garbage collector, which has nothing to find while a tree is being built, and little in a stream."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from gristmill.source.process_setting import ProcessSetting


@contextmanager
def paused_collector() -> Iterator[None]:
    """Let a pass that only adds nodes run without being searched for cycles again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_MANY = 100_000  # objects that are made and not yet gone


@contextmanager
def rare_collector() -> Iterator[None]:
    """For who goes on for long and makes hardly any cycles: what is there already is not searched again and again, and
    what is new only when there is much of it."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_MANY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _put(thresholds: tuple[int, int, int]) -> None:
    gc.set_threshold(*thresholds)


# For a single run in a process that may have many: nothing is frozen, as that sets back what Python counts until it
# searches everything, so that what runs leave behind in cycles would never go.
patient_collector = ProcessSetting(gc.get_threshold, _put, lambda before: (_MANY, *before[1:]))
