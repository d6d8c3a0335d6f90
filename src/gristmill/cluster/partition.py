"""What one actor does: it owns the states whose hash is its own, expands them, and stores those that others send it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from gristmill.cluster.levels import Levels
from gristmill.cluster.opening import Opened
from gristmill.cluster.task import History, Learnt, Misfit, Task, unpickled
from gristmill.native.codec import encode_several
from gristmill.native.errors import MisfitInRunError, NoNativeFormError
from gristmill.native.run.partition import INITIAL, MOVED, SAVED, SENT, GapError, NativePartition
from gristmill.search.budget.memory import resident_bytes
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import with_deep_stack

Answer = TypeVar("Answer")

_AT_ONCE = 50_000  # states in a block of a file
_MOST_WRONG = 1_000  # events that are told


@dataclass(frozen=True, slots=True)
class Event:
    """Something wrong. `kind`: an `Outcome`; `state`: what is refused, or the parent if there is no such state."""

    kind: int
    parent: int
    action: int
    state: bytes


@dataclass(frozen=True, slots=True)
class Expanded:
    """One call of `expand`. `states`: of the level; `left`: to be expanded yet; `sent`: to each owner, with itself;
    `defined`: values that were sent along."""

    states: int = 0
    left: int = 0
    expanded: int = 0
    generated: int = 0
    cut: int = 0
    unknown: int = 0
    repeated: int = 0
    stored: int = 0
    sent: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    names: int = 0
    memory: int = 0
    defined: int = 0
    misfit: Misfit | None = None


@dataclass(frozen=True, slots=True)
class Inserted:
    """`gap`: a batch that should have come before is lost."""

    received: int = 0
    stored: int = 0
    names: int = 0
    misfit: Misfit | None = None
    gap: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """A level that is in a file. `memory`: bytes of the process, `heap`: of shared values.

    `events`: all that has been found wrong since the level before was over, also in an attempt that was given up. A
    state is checked once, when it is stored; if the level is done again, it is known and not checked again.
    """

    states: int
    found: tuple[int, ...]
    events: tuple[Event, ...]
    size: int
    memory: int
    heap: int
    seconds: float  # of processor time, since the actor began


class Partition:
    """One actor. `number`: which of the owners it is. Levels are numbered from 1, the initial states."""

    def __init__(self, task: Task, number: int, learnt: Learnt) -> None:
        self.task, self.number = task, number
        self.levels = Levels(Path(task.folder), number, task.is_shared)
        self.model = unpickled(task.model)
        self.ends = [0]  # of each level that is complete, the number of states up to its end
        self.at = 0  # the next state of the level to be expanded
        self.begun = 0  # the level that is being expanded
        self.wrong: list[Event] = []  # in that, and in what was stored for the next one
        with self.model.world.active():
            self.opened: Opened | None = with_deep_stack(lambda: Opened(self.model, self.task, self.number, learnt))

    def who(self) -> tuple[int, str, str]:
        """Its process, its machine as Ray calls it, and the digest of its program."""
        return os.getpid(), os.uname().nodename, self._opened().digest

    # ------------------------------------------------------------------------------------------------------ making it

    def _opened(self) -> Opened:
        assert self.opened is not None
        return self.opened

    @property
    def _native(self) -> NativePartition:
        return self._opened().native

    @property
    def words(self) -> int:
        """Of a state, in memory and when it travels."""
        return self._opened().engine.words

    def _open(self, learnt: Learnt) -> None:
        if self.opened is not None:
            self.opened.close()
            self.opened = None
        self.opened = Opened(self.model, self.task, self.number, learnt)

    def restore(self, learnt: Learnt, is_new: bool, history: History) -> Misfit | None:
        """Make it again from its files; unless `is_new`, with another layout, `learnt`."""

        def run() -> Misfit | None:
            if not is_new:
                self._open(learnt)
            self.ends, self.wrong = [0], []  # what is stored from now on is checked
            native = self._native
            older: dict[int, Opened] = {}
            try:
                for level, (count, layout) in enumerate(zip(history.counts, history.learnt, strict=True), 1):
                    if history.layouts[layout] == learnt:
                        reader = None
                    elif layout not in older:
                        reader = older[layout] = Opened(self.model, self.task, self.number, history.layouts[layout])
                    else:
                        reader = older[layout]
                    for block in self.levels.load(level):
                        if reader is None:
                            native.insert(block, SAVED)
                        else:
                            native.insert(reader.native.translated(block), MOVED)
                    self._close_level(level, count)
            finally:
                for each in older.values():
                    each.close()
            return None

        return self._guarded(run, lambda misfit: misfit)

    def _close_level(self, level: int, count: int) -> None:
        self.ends.append(self._native.stored)
        have = self.ends[-1] - self.ends[-2]
        if have != count:
            raise RuntimeError(f"level {level} of partition {self.number} had {count} states, its file {have}")

    def _guarded(self, run: Callable[[], Answer], misfit: Callable[[Misfit], Answer]) -> Answer:
        with self.model.world.active():
            try:
                return with_deep_stack(run)
            except MisfitInRunError as error:
                slots = self._opened().engine.generated.widths if error.counts else ()
                states = tuple(_encoded(error.states))
                return misfit(Misfit(error.variable, error.width, states, tuple(error.counts), slots))

    # ------------------------------------------------------------------------------------------------------ searching

    def initial(self, batch: bytes) -> Inserted:
        """Of all initial states, its own. They have been checked."""

        def run() -> Inserted:
            native = self._native
            native.insert(batch, INITIAL)
            return Inserted(native.counts().received, native.stored, len(self.model.world.positions))

        return self._guarded(run, lambda misfit: Inserted(misfit=misfit))

    def _begin(self, level: int, again: bool) -> None:
        if again:
            self._native.forget()
        if level != self.begun:
            self.begun, self.wrong = level, []
            self._opened().improve()
        self.at = self.ends[level - 1]

    def expand(self, level: int, most: int, begins: bool, again: bool) -> Any:
        """`Expanded`, then a batch for each owner; a tuple, each part of which travels by itself.

        `begins`: the level begins; `again`: once more, and what was sent may be lost.
        """

        def run() -> tuple[Any, ...]:
            if begins:
                self._begin(level, again)
            native, end = self._native, self.ends[level]
            self.at = native.expand(self.at, end, most)
            self._note_events()
            counts = native.counts()
            batches = [native.batch(owner) for owner in range(self.task.owners)]
            report = Expanded(
                end - self.ends[level - 1],
                end - self.at,
                counts.expanded,
                counts.generated,
                counts.cut,
                counts.unknown,
                counts.repeated,
                native.stored,
                tuple(count for _, count in batches),
                tuple(native.taken()),
                len(self.model.world.positions),
                resident_bytes(),
                counts.defined,
            )
            return (report, *(data for data, _ in batches))

        nothing = (b"",) * self.task.owners
        return self._guarded(run, lambda misfit: (Expanded(misfit=misfit), *nothing))

    def insert(self, senders: tuple[int, ...], *batches: bytes) -> Inserted:
        """States of the next level that others have found."""

        def run() -> Inserted:
            native, received = self._native, 0
            for sender, batch in zip(senders, batches, strict=True):
                native.insert(batch, SENT, sender)
                self._note_events()
                received += native.counts().received
            return Inserted(received, native.stored, len(self.model.world.positions))

        try:
            return self._guarded(run, lambda misfit: Inserted(misfit=misfit))
        except GapError:
            return Inserted(gap=True)

    def _note_events(self) -> None:
        """Of many, some are enough."""
        if len(self.wrong) < _MOST_WRONG:
            self.wrong += (
                Event(int(kind), each.parent, each.action, each.state)
                for kind, each in self._native.events()
                if each.parent is not None
            )

    def save(self, level: int) -> Saved:
        """The states found for a level are all there: write them to its file."""

        def run() -> Saved:
            native, engine = self._native, self._opened().engine
            del self.ends[level:]
            start, end = self.ends[level - 1], native.stored
            size = self.levels.save(level, end - start, self._blocks(start, end))
            self.ends.append(end)
            found = tuple(native.found(start, end))
            here = resident_bytes(), engine.heap_bytes, time.process_time()
            return Saved(end - start, found, tuple(self.wrong), size, *here)

        def misfit(_: Misfit) -> Saved:
            raise RuntimeError("a state that is stored does not fit")

        return self._guarded(run, misfit)

    def _blocks(self, start: int, end: int) -> Iterator[bytes]:
        for at in range(start, end, _AT_ONCE):
            yield self._native.saved(at, min(end, at + _AT_ONCE))

    def state(self, number: int) -> tuple[int | None, int | None, bytes]:
        """Its parent's number everywhere, the action, and the state."""

        def run() -> tuple[int | None, int | None, bytes]:
            core, engine = self._native.core, self._opened().engine
            return core.parent(number), core.action(number), encode_several(engine.state(core.state(number)))

        def misfit(_: Misfit) -> tuple[int | None, int | None, bytes]:
            raise RuntimeError("a state that is stored does not fit")

        return self._guarded(run, misfit)


def _encoded(states: Any) -> Iterator[bytes]:
    for state in states:
        try:
            yield encode_several(state)
        except NoNativeFormError:
            continue
