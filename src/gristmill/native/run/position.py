"""Where a search by the native engine is, for whatever the reference evaluator evaluates meanwhile and afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gristmill.search.core.interface import NO_ACTION
from gristmill.search.core.search import NativeSearch
from gristmill.search.model import State


class NativePosition:
    """As `search.position` has it of the reference evaluator's search.

    `state`: the state that some words are. `turn`: what is being evaluated, if the search goes in order (`gm_turn`).
    """

    def __init__(self, core: NativeSearch, state: Callable[[Any], State], turn: Any = None) -> None:
        self._core, self._state, self._turn = core, state, turn
        self._started = time.monotonic()
        self._candidate: State | None = None  # the state that a predicate is being evaluated in
        self._parent: int | None = None  # the number of the state that is being spoken of, after the search
        self._action: int | None = None  # of the step that is being spoken of
        self.behaviour = 0
        self.stored = False  # the initial state that is being checked, and is not in the queue yet
        self.asked_to_stop = False

    def continues(self, before: NativePosition) -> None:
        """This search has taken over from another one."""
        self._started, self.asked_to_stop = before._started, before.asked_to_stop

    @contextmanager
    def looking_at(self, candidate: State) -> Iterator[None]:
        """A predicate is evaluated in a state that may be new."""
        self._candidate = candidate
        try:
            yield
        finally:
            self._candidate = None

    @contextmanager
    def speaking_of(self, parent: int, action: int | None) -> Iterator[None]:
        """What was found at a state is put into words now that the search has ended."""
        self._parent, self._action = parent, action
        try:
            yield
        finally:
            self._parent = self._action = None

    @property
    def level(self) -> int:
        level = self._core.report().level if self._parent is None else self._level_of(self._parent)
        return level + (self._candidate is not None or self._has_candidate())

    def _level_of(self, number: int) -> int:
        level = 1
        while self._core.level_start(level + 1) <= number:
            level += 1
        return level

    @property
    def distinct(self) -> int:
        return self._core.report().distinct

    @property
    def generated(self) -> int:
        return self._core.report().generated

    @property
    def queue(self) -> int:
        stored = self.stored or (self._has_candidate() and bool(self._turn.contents.stored))
        return self._core.report().queue - stored

    @property
    def depth(self) -> int:
        return self._core.report().depth

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def path(self) -> Sequence[tuple[int | None, State]]:
        last = self._core.report().expanded - 1 if self._parent is None else self._parent
        path = [(action, self._state(words)) for action, words in self._core.path(last)] if last >= 0 else []
        if self._candidate is not None:
            path.append((self.action, self._candidate))
        elif self._has_candidate():
            path.append((self.action, self._state(self._turn.contents.candidate)))
        return path

    def _has_candidate(self) -> bool:
        """Whether native code evaluates a predicate in a state that may be new."""
        return self._parent is None and self._turn is not None and bool(self._turn.contents.candidate)

    @property
    def action(self) -> int | None:
        if self._parent is not None or self._turn is None:
            return self._action
        return self._turn.contents.action if self._turn.contents.action != NO_ACTION else None

    def stop(self) -> None:
        self.asked_to_stop = True
        self._core.interrupt()


__all__ = ["NativePosition"]
