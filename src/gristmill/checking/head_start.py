"""The reference evaluator searches while C is generated from what it has seen, and compiled."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.checking.suitability import init_in_order
from gristmill.evaluate.journal import silent
from gristmill.ir.model import Model
from gristmill.reference.model import SpecificationModel
from gristmill.search import Limits, Result, State
from gristmill.search.bfs import BreadthFirst
from gristmill.search.on_the_fly import Interim
from gristmill.source.process_setting import ProcessSetting

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from gristmill.checking.native import NativeExplorer
    from gristmill.native.emit.generate import Generated
    from gristmill.native.run.learnt import Learnt
    from gristmill.native.run.symmetry import Permutation

_HEAD_START = 0.04  # seconds of the processor that the reference evaluator has before anything is compiled
_MORE_A_CHARACTER = 2e-6  # for each of the specification: to compile a long one twice takes long
_NOT_SMALL = 0.03  # seconds after which it is worth while to look for what an earlier run has learnt
_A_MOMENT = 0.1  # seconds to wait for the compiler, before somebody may have to be told how it goes
_PATIENCE = 0.0002  # seconds that the threads which compile wait for the one that evaluates, at each turn
_SAMPLE = 20_000  # states to learn the layout from
_MANY_INITIAL = 2_000
_SPREAD = 64  # of these, from which a step is looked at
_SLOW_INITIAL = 1.0  # seconds: what has been found by then will do, if it is a few
_A_FEW = 5
_SHORT_TURNS = ProcessSetting(sys.getswitchinterval, sys.setswitchinterval, lambda before: _PATIENCE)


@dataclass(frozen=True)
class _Until(Limits):
    """A search that ends when `ended` says so."""

    ended: Callable[[], bool] = lambda: False

    def exceeded(self, seconds: float, memory: int) -> str | None:
        if self.ended():
            return "The native engine takes over"
        return Limits.exceeded(self, seconds, memory)


class HeadStart:
    """The reference evaluator's own search, during which C is generated and compiled."""

    def __init__(
        self,
        explorer: NativeExplorer,
        searchable: SpecificationModel,
        limits: Limits,
        group: Sequence[Permutation],
        interim: Interim | None,
        recall: Callable[[], Learnt | None] = lambda: None,
    ) -> None:
        """`recall`: what states look like, if an earlier run has learnt it; asked once, and not for small models."""
        self.explorer, self.searchable, self.group, self.interim = explorer, searchable, group, interim
        self.recall = recall
        self.has_recalled = False
        self.learnt: Learnt | None = None
        self.check = explorer.check
        self.limits = _Until(**asdict(limits), ended=self.ended)
        self.started = time.process_time()
        self.enough = head_start_for(self.check.model)
        self.search: BreadthFirst | None = None
        self.generated: Generated | None = None
        self.compiling: Future[Path] | None = None
        self.samples: list[State] = []
        self.expected: float | None = None  # seconds that the compiler takes
        self.seconds_a_state = 0.0
        self.over = False
        self.pool: ThreadPoolExecutor | None = None

    def run(self) -> Result | tuple[Generated, Path, list[State]]:
        """The result if the reference evaluator was faster, else what the native engine needs."""
        try:
            with _SHORT_TURNS:
                return self._run()
        finally:
            if self.pool is not None:
                self.pool.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> Result | tuple[Generated, Path, list[State]]:
        initial = self.first_states()
        own = self.check.options
        if initial is not None or own.engine == "native" or own.checkpoint is not None:
            self.samples = self.sampled(initial)
            self.learnt = self.recall()
            self.prepare()
        else:
            options = self.check.options
            self.search = BreadthFirst(
                self.searchable,
                self.limits,
                options.keep_going,
                keep_graph=options.keep_labels,
                on_progress=options.on_progress,
                keep_steps=self.interim is not None,
            )
            self.search.each_obligation = options.each_obligation
            result = self.search.run()
            if not self.over:
                return result
            self.explorer.so_far = result
            self.explorer.first = self.search.store.states
        assert self.generated is not None
        assert self.compiling is not None
        with self.check.stopwatch.during("wait"):
            return self.generated, self.compiling.result(), self.samples

    def sampled(self, initial: list[State] | None) -> list[State]:
        if initial is None:
            with silent(self.check.context):  # it knows nothing of limits
                return first_level(self.searchable, self.enough)
        if self.explorer.journal is not None:  # what steps do is done once
            return initial
        return [*initial, *second_level(self.searchable, initial, self.enough)]

    def first_states(self) -> list[State] | None:
        """See `first_states`. If that has effects, it happens once."""
        journal = self.explorer.journal
        if journal is None or not init_in_order(self.check.model):
            return first_states(self.searchable, _MANY_INITIAL)
        first_states(self.searchable, sys.maxsize)
        journal.begin() if self.searchable.knows_initial else journal.restart()
        return None

    def prepare(self) -> None:
        """Generate C from what has been seen, and begin to compile it."""
        from concurrent.futures import ThreadPoolExecutor

        from gristmill.native.plan.layout import widths
        from gristmill.native.run.compiled import expected_seconds

        self.pool = ThreadPoolExecutor(1)
        if self.learnt is not None:
            self.generated = self.explorer.generate(self.learnt.layouts, self.learnt.widths)
        else:
            found = self.explorer.layout(self.samples, frozenset(), self.group)
            self.generated = self.explorer.generate(found, widths(self.samples, found))
        if self.search is not None and self.search.expanded:
            self.seconds_a_state = self.search.seconds / self.search.expanded
        self.compiling = self.pool.submit(self.explorer.compile_beside, self.generated)
        self.expected = expected_seconds(self.generated.text)
        self.explorer.begin_further(self.generated)

    def ended(self) -> bool:
        """Looked at between two states."""
        from concurrent.futures import wait

        if self.compiling is None:
            if not self.is_enough_known(time.process_time() - self.started):
                return False
            assert self.search is not None
            self.samples = self.search.store.states[:_SAMPLE]
            self.prepare()
            return False
        if self.is_hopeless():
            wait([self.compiling], _A_MOMENT)  # the processor is the compiler's
        self.over = self.compiling.done()
        return self.over

    def is_hopeless(self) -> bool:
        """Whether the states that are known to be left take longer than the compiler."""
        if self.expected is None or self.search is None or not self.search.expanded:
            return False
        left = len(self.search.store) - self.search.expanded
        return left * self.seconds_a_state > self.expected

    def is_enough_known(self, seconds: float) -> bool:
        """To generate C, after so many seconds of the processor."""
        if seconds >= _NOT_SMALL and not self.has_recalled:
            self.has_recalled = True
            self.learnt = self.recall()
        return self.learnt is not None or seconds >= self.enough


def head_start_for(model: Model) -> float:
    """Seconds: the more there is to compile, the more states should be known before that, so that it is done once."""
    files = {id(action.span.file): action.span.file for action in model.actions}
    return _HEAD_START + _MORE_A_CHARACTER * sum(len(file.text) for file in files.values())


class _EnoughError(Exception):
    pass


class _Bounded(list[State]):
    """A list that does not grow beyond a bound, nor for long."""

    def __init__(self, bound: int) -> None:
        super().__init__()
        self.bound, self.deadline = bound, time.monotonic() + _SLOW_INITIAL

    def append(self, state: State) -> None:
        super().append(state)
        if len(self) >= self.bound or (len(self) >= _A_FEW and time.monotonic() > self.deadline):
            raise _EnoughError


def first_states(searchable: SpecificationModel, bound: int) -> list[State] | None:
    """The first initial states, if they are many or slow; None if not: they are then known from now on."""
    found = _Bounded(bound)
    init = searchable.specified.init
    if init is None:
        return None
    compute = searchable.evaluator.initial_states(init, found)
    try:
        states = compute()
    except _EnoughError:
        return list(found)
    except searchable.errors:
        return None
    searchable.know_initial(states)
    return None


def first_level(searchable: SpecificationModel, seconds: float) -> list[State]:
    """Some states to learn the layout from: a small search."""
    search = BreadthFirst(searchable, Limits(seconds=seconds), False, False, None)
    search.run()
    return search.store.states[:_SAMPLE] or list(searchable.initial_states())


def second_level(searchable: SpecificationModel, states: Sequence[State], seconds: float) -> list[State]:
    """States that follow on some of these: initial states may look unlike all that come later."""
    found: list[State] = []
    until = time.process_time() + seconds
    try:
        for place in range(0, len(states), max(1, len(states) // _SPREAD)):
            for _, successors in searchable.successors(states[place]):
                found += successors
            if time.process_time() > until or len(found) > _SAMPLE:
                break
    except searchable.errors:
        pass  # the search will meet it
    return found
