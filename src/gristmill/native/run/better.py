"""The program of a search in two versions: one that is compiled soon, and one that runs faster.

The C compiler takes more than twice as long for the latter, which searches 1.4 to 1.7 times as fast. So the search
begins with what is there first. If it has had about as much of the processor as the compiler would need (a busy machine
makes both last longer), or half of that where a processor has nothing to do, the other version is compiled beside
it, and takes over: the text is the same, so are states, tables and counts (`gm_engine_exchange`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.cc import CompilerError
from gristmill.native.run.compiled import SECONDS_A_CHARACTER

if TYPE_CHECKING:
    from concurrent.futures import Future

_PATIENCE = 2 * SECONDS_A_CHARACTER  # twice what compiling it soon takes
_WITH_A_PROCESSOR_LEFT = 2  # times sooner


class Better:
    """The faster version. `begin` begins to compile it."""

    def __init__(self, size: int, begin: Callable[[], Future[Path]], has_processor: bool = False) -> None:
        """`size`: of the text, in characters. `has_processor`: there is one that the search has no use for."""
        self._begin = begin
        self._patience = size * _PATIENCE
        if has_processor:
            self._patience /= _WITH_A_PROCESSOR_LEFT
        self._searching_since: float | None = None
        self._compiling: Future[Path] | None = None
        self.is_over = False  # it took over, or cannot
        self.taken: Path | None = None  # the library that took over

    def is_ready(self) -> bool:
        """Asked now and then by a search that would use it."""
        if self.is_over:
            return False
        now = time.process_time()
        if self._searching_since is None:
            self._searching_since = now
        if self._compiling is None and now - self._searching_since >= self._patience:
            self._compiling = self._begin()
        return self._compiling is not None and self._compiling.done()

    def path(self) -> Path | None:
        """None if it could not be compiled: the search then goes on as it is."""
        assert self._compiling is not None
        try:
            return self._compiling.result()
        except CompilerError:
            return None
