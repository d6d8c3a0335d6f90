"""A second system, started while the first replays a trace: the next trace finds it in its initial state.

Nothing is used twice: each trace has processes that were started for it. Only the waiting for them is gone.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

from gristmill.replay.driver import Driver, DriverError
from gristmill.replay.ensemble import Ensemble
from gristmill.replay.mapping.parts import Mapping
from gristmill.replay.moving import GivenUp
from gristmill.replay.steps import ModelStep
from gristmill.source import SourceError
from gristmill.systems.running.undisturbed import undisturbed

_END_SECONDS = 30.0  # for a start to notice that it is given up

MakeDriver = Callable[[], Driver]


class Spare:
    """Has one system at most. Its methods are called by the coordinator's thread."""

    def __init__(self, mapping: Mapping, make: MakeDriver) -> None:
        self.mapping, self._make = mapping, make
        self._ensemble: Ensemble | None = None
        self._thread: threading.Thread | None = None
        self._first: ModelStep | None = None  # the initial state that it is for
        self._begun = False
        self._given_up = threading.Event()

    def prepare(self, first: ModelStep) -> None:
        """Bring it to an initial state, in a thread of its own. Nothing if it is there, or on its way to one."""
        if self._first is not None:
            return
        self._first, self._begun = first, False
        context = contextvars.copy_context()
        with undisturbed():
            self._thread = threading.Thread(target=context.run, args=(self._prepare, first), daemon=True)
            self._thread.start()

    def _prepare(self, first: ModelStep) -> None:
        """What goes wrong here is not told: the trace begins without a spare system, and that is then told."""
        try:
            if self._ensemble is None:
                self._ensemble = Ensemble(self.mapping, self._make())
            self._ensemble.mover.given_up = self._given_up
            self._begun = self._ensemble.begin(first) is None
        except GivenUp:
            return
        except (DriverError, SourceError):
            if self._ensemble is not None:
                self._ensemble.driver.stop()
            self._ensemble = None  # another is made the next time

    def exchange(self, used: Ensemble, first: ModelStep) -> Ensemble | None:
        """The system that was prepared, for one that has done its trace; None if it is not in this initial state."""
        if self._first is None:
            return None
        self._wait()
        wanted = self._first.state == first.state
        self._first = None
        ready = self._ensemble
        if ready is None or not wanted or not self._begun or not ready.is_still(first):
            return None
        self._ensemble = used
        return ready

    def _wait(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def close(self) -> None:
        """What it has started is gone after this."""
        self._given_up.set()
        if self._thread is not None:
            self._thread.join(_END_SECONDS)
        if self._ensemble is not None:
            self._ensemble.driver.stop()
