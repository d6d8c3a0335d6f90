"""What one actor does: it owns the states whose hash is its own, expands them, and stores those that others send it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from gristmill.checking.native import NativeExplorer
from gristmill.checking.options import Options
from gristmill.checking.run import Check
from gristmill.cluster.levels import Levels
from gristmill.cluster.task import Learnt, Misfit, Task, unpickled
from gristmill.native.codec import decode_several, encode_several
from gristmill.native.errors import MisfitInRunError, NoNativeFormError
from gristmill.native.plan.layout import widths
from gristmill.native.run.engine import Engine
from gristmill.native.run.partition import INITIAL, RESTORED, SENT, NativePartition
from gristmill.reference.model import SpecificationModel
from gristmill.reference.permutations import permutation_group
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
    """One call of `expand`. `sent`: to each owner, with itself."""

    following: int
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
    misfit: Misfit | None = None


@dataclass(frozen=True, slots=True)
class Inserted:
    received: int
    stored: int = 0
    names: int = 0
    misfit: Misfit | None = None


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
        self.levels = Levels(Path(task.folder), number)
        self.model = unpickled(task.model)
        self.native: NativePartition | None = None
        self.engine: Engine | None = None
        self.ends = [0]  # of each level that is complete, the number of states up to its end
        self.begun = 0  # the level that is being expanded
        self.wrong: list[Event] = []  # in that, and in what was stored for the next one
        with self.model.world.active():
            with_deep_stack(lambda: self._open(learnt))

    def process(self) -> int:
        return os.getpid()

    # ------------------------------------------------------------------------------------------------------ making it

    def _open(self, learnt: Learnt) -> None:
        check = Check(self.model, Options(engine="native"), NativeExplorer)
        for constant in self.model.constants:
            check.evaluator.value(constant.code)()
        explorer = check.explorer
        assert isinstance(explorer, NativeExplorer)
        searchable = SpecificationModel(self.model, check.evaluator)
        if not self.task.symmetric:
            searchable.symmetry = None
        group = permutation_group(self.model.symmetry, check.evaluator) if self.task.symmetric else []
        samples = [tuple(decode_several(each, len(self.model.variables))) for each in learnt.samples]
        found = explorer.layout(samples, learnt.leaves, group)
        generated = explorer.generate(found, widths(samples, found, learnt.least))
        self.engine = Engine(generated, explorer.compile(generated), searchable)
        if group:  # the first in the order of values: the same one in every process
            self.engine.set_symmetry(group, order=self.model.variable_order)
        self.native = NativePartition(self.engine, self.task.owners, self.number)

    def _close(self) -> None:
        if self.native is not None:
            self.native.close()
        if self.engine is not None:
            self.engine.close()
        self.native = self.engine = None

    def restore(self, learnt: Learnt | None, counts: tuple[int, ...]) -> Misfit | None:
        """Make it again from its files, with so many states in each level; `learnt`: with another layout."""

        def run() -> Misfit | None:
            if learnt is not None:
                self._close()
                self._open(learnt)
            self.ends, self.wrong = [0], []  # what is stored from now on is checked
            native = self._native()
            for level, count in enumerate(counts, 1):
                for block in self.levels.load(level):
                    native.insert(block, RESTORED)
                self.ends.append(native.stored)
                if native.stored - self.ends[-2] != count:
                    have = native.stored - self.ends[-2]
                    raise RuntimeError(f"level {level} of partition {self.number} had {count} states, its file {have}")
            return None

        return self._guarded(run, lambda misfit: misfit)

    def _native(self) -> NativePartition:
        assert self.native is not None
        return self.native

    def _guarded(self, run: Callable[[], Answer], misfit: Callable[[Misfit], Answer]) -> Answer:
        with self.model.world.active():
            try:
                return with_deep_stack(run)
            except MisfitInRunError as error:
                return misfit(Misfit(error.variable, error.width, tuple(_encoded(error.states))))

    # ------------------------------------------------------------------------------------------------------ searching

    def initial(self, batch: bytes) -> Inserted:
        """Of all initial states, its own. They have been checked."""

        def run() -> Inserted:
            native = self._native()
            native.insert(batch, INITIAL)
            return Inserted(native.counts().received, native.stored, len(self.model.world.positions))

        return self._guarded(run, lambda misfit: Inserted(0, misfit=misfit))

    def begin(self, level: int) -> tuple[int, int]:
        """The level begins, perhaps once more: where its states stand."""
        self._native().forget()
        if level != self.begun:
            self.begun, self.wrong = level, []
        return self.ends[level - 1], self.ends[level]

    def expand(self, level: int, start: int, most: int) -> Any:
        """`Expanded`, then a batch for each owner; a tuple, each part of which travels by itself."""

        def run() -> tuple[Any, ...]:
            native = self._native()
            following = native.expand(start, self.ends[level], most)
            self._note_events()
            counts = native.counts()
            batches = [native.batch(owner) for owner in range(self.task.owners)]
            report = Expanded(
                following,
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
            )
            return (report, *(data for data, _ in batches))

        nothing = (b"",) * self.task.owners
        return self._guarded(run, lambda misfit: (Expanded(start, misfit=misfit), *nothing))

    def insert(self, *batches: bytes) -> Inserted:
        """States of the next level that others have found."""

        def run() -> Inserted:
            native, received = self._native(), 0
            for batch in batches:
                native.insert(batch, SENT)
                self._note_events()
                received += native.counts().received
            return Inserted(received, native.stored, len(self.model.world.positions))

        return self._guarded(run, lambda misfit: Inserted(0, misfit=misfit))

    def _note_events(self) -> None:
        """Of many, some are enough."""
        if len(self.wrong) < _MOST_WRONG:
            self.wrong += (
                Event(int(kind), each.parent, each.action, each.state)
                for kind, each in self._native().events()
                if each.parent is not None
            )

    def save(self, level: int) -> Saved:
        """The states found for a level are all there: write them to its file."""

        def run() -> Saved:
            native, engine = self._native(), self.engine
            assert engine is not None
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
            yield self._native().saved(at, min(end, at + _AT_ONCE))

    def state(self, number: int) -> tuple[int | None, int | None, bytes]:
        """Its parent's number everywhere, the action, and the state."""

        def run() -> tuple[int | None, int | None, bytes]:
            native = self._native()
            assert self.engine is not None
            core = native.core
            return core.parent(number), core.action(number), encode_several(self.engine.state(core.state(number)))

        def misfit(_: Misfit) -> tuple[int | None, int | None, bytes]:
            raise RuntimeError("a state that is stored does not fit")

        return self._guarded(run, misfit)


def _encoded(states: Any) -> Iterator[bytes]:
    for state in states:
        try:
            yield encode_several(state)
        except NoNativeFormError:
            continue
