"""A search in C over a system's processes in Python: fills its tables on demand, and reads off what it found."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from ctypes import byref, c_uint32, c_uint64
from typing import Any

from gristmill.explore.model import FAULTS, Model, State, Transition
from gristmill.explore.native import library as c
from gristmill.explore.native.cells import Cell, Numbered
from gristmill.explore.native.judge import Judge
from gristmill.explore.program import Envelope, Local, Problem
from gristmill.explore.reductions.stubborn import StaticReduction
from gristmill.explore.reductions.symmetry import ProcessSymmetry
from gristmill.explore.result import Found, Meter
from gristmill.explore.transitions import LocalStep, Spare
from gristmill.explore.views import Checker, Violation
from gristmill.search.budget.limits import LimitReached
from gristmill.trace.schedule import Event

# How many states are looked at before Python sees to the clock and to Ctrl-C: at first, at least and at most, and how
# long that should take. (What Python itself is asked for comes in addition, and looks at the clock, too.)
FIRST_SLICE, SMALLEST_SLICE, LARGEST_SLICE = 1_000, 16, 200_000
SLICE_SECONDS = 0.05

# With fewer states than these in a level, threads cost more than they bring.
WORTH_SHARING = 512


class NativeSearch:
    """Depth-first search; the parameters are those of `searches.depth_first`. A stateless one stores nothing.

    Or breadth-first, by as many threads as there are workers; without a reduction then.
    """

    def __init__(
        self,
        model: Model,
        checker: Checker,
        relevant: Callable[[int, Local], Local] | None = None,
        selective_push: bool = False,
        reduction: StaticReduction | None = None,
        symmetry: ProcessSymmetry | None = None,
        stateless: bool = False,
        breadth_first: bool = False,
        workers: int = 1,
    ) -> None:
        self.rules, self.model, self.relevant = model.rules, model, relevant
        self.reduction, self.symmetry = reduction, symmetry
        self.selective_push, self.stateless, self.breadth_first = selective_push, stateless, breadth_first
        self.cells: Numbered[Cell] = Numbered()
        self.relevant_cells: Numbered[Cell] = Numbered()
        self.messages: Numbered[Envelope] = Numbered()
        self.spares: Numbered[Spare] = Numbered()
        self.spares.number(self.rules.first_spare())
        self.events: list[tuple[Event, Problem | None]] = []
        self.raised: BaseException | None = None
        self.clock: Callable[[], None] = lambda: None
        self.processes = len(self.rules.names)
        first = self.rules.first_spare()
        self.with_spare = any(part > 0 for part in first)
        self.c: Any = c.library()
        self.callbacks = c.Callbacks(
            c.EXPAND(self._guarded(self._expand)),
            c.PUT(self._guarded(self._put)),
            c.SLOT(self._guarded(self._slot)),
            c.JUDGE(self._guarded(self._judge)),
            c.PERMUTE(self._guarded(self._permute)),
        )
        actions = len(reduction.owners) if reduction else 0
        self.words = max(1, -(-actions // 64))
        self.handle = self.c.search_new(self.processes, int(self.with_spare), actions, byref(self.callbacks))
        self.judge = Judge(checker, self.cells, self.c, self.c.search_judge(self.handle))
        if reduction:
            self.judge.on_read = reduction.check_read
            owners, bases = (c_uint32 * actions)(*reduction.owners), (c_uint32 * self.processes)(*reduction.bases)
            self.c.set_actions(self.handle, owners, bases, self._mask_words(reduction.visible))
        if symmetry:
            flat = [target for permutation in symmetry.permutations for target in permutation]
            self.c.set_permutations(self.handle, len(symmetry.permutations), (c_uint32 * len(flat))(*flat))
        if breadth_first and (relevant or symmetry):
            self.c.breadth_keyed(self.handle)
        if workers > 1:
            self.c.together_begin(self.handle, workers, WORTH_SHARING)
        self.run_levels = self.c.together_run if workers > 1 else self.c.breadth_run

    def close(self) -> None:
        self.c.search_free(self.handle)
        self.handle = None

    # The run

    def run(self, meter: Meter) -> None:
        """Visits every reachable state up to what is stored of it; raises `Found` as the naive search does."""
        self.clock = meter.clock
        bounds = meter.bounds
        unbounded = 2**64 - 1
        states = unbounded if bounds.states is None else bounds.states
        depth = unbounded if bounds.depth is None else bounds.depth
        flags = (int(flag) for flag in (self.stateless, self.selective_push, self.reduction is not None))
        self.c.search_options(self.handle, *flags, states, depth)
        initial = self.model.initial()
        problem = next((first for first in initial if first.problem), None)
        if problem is not None:
            raise Found(None, [problem])
        for outcome in self._outcomes(meter, initial):
            if outcome != c.DONE:
                self._stop(outcome, meter, initial)
        if self._report(meter).cut:
            meter.cut.append(f"runs were cut off after {bounds.depth} steps")

    def _outcomes(self, meter: Meter, initial: list[Transition]) -> Iterator[int]:
        """How the search ends from each initial state, or, breadth-first, from all of them."""
        for number, first in enumerate(initial):
            vector = self._vector(first.target)
            if self.breadth_first:
                yield self.c.breadth_reach(self.handle, vector, c.ABSENT, number)
            else:
                self.c.search_begin(self.handle, vector, number)
                yield self._run_on(meter, self.c.search_run)
        if self.breadth_first:
            yield self._run_on(meter, self.run_levels)

    def _run_on(self, meter: Meter, go: Callable[[Any, int], int]) -> int:
        visits = FIRST_SLICE
        while True:
            began = time.monotonic()
            outcome = go(self.handle, visits)
            self._report(meter)
            self._raise_what_was_raised(outcome)
            if outcome != c.PAUSED:
                return outcome
            meter.clock()
            slow = time.monotonic() - began > SLICE_SECONDS
            visits = max(visits // 2, SMALLEST_SLICE) if slow else min(visits * 2, LARGEST_SLICE)

    def _raise_what_was_raised(self, outcome: int) -> None:
        if self.raised is not None:
            raise self.raised
        if outcome == c.FAILED:  # a signal handler has raised in a callback, but not where that could be caught
            raise LimitReached("interrupted")

    def _report(self, meter: Meter) -> Any:
        report = self.c.search_report(self.handle).contents
        counts = meter.counts
        counts.distinct, counts.transitions = report.states, report.transitions
        counts.depth, counts.pushes = report.depth, report.pushes
        if self.reduction is not None:
            self.reduction.left_out = report.left_out
        if report.states and not self.stateless:
            counts.bytes_per_state = report.bytes / report.states
        return report

    def _stop(self, outcome: int, meter: Meter, initial: list[Transition]) -> None:
        report = self._report(meter)
        self._raise_what_was_raised(outcome)
        if outcome == c.LIMIT:
            meter.stop_at_states()
        steps = self.c.search_path(self.handle)[: report.path_length]
        # Only events and the problem matter of a path; what the states were, a replay of it tells.
        path = [initial[steps[0]]]
        for step in steps[1:]:
            event, problem = self.events[step]
            path.append(Transition(event, path[0].target, 0, problem=problem))
        violation: Violation | None = None
        if outcome != c.PROBLEM:
            violation = self.judge.violation(report.verdict, at_end=outcome == c.VIOLATED_END)
        raise Found(violation, path)

    def stored(self, most: int | None = None) -> set[Hashable]:
        """What is stored, as the naive search stores it; of so many states, if bounded."""
        width = self.processes + int(self.with_spare)
        vector = (c_uint32 * width)()
        found: set[Hashable] = set()
        states: int = 0 if self.stateless else self.c.search_report(self.handle).contents.states
        for index in range(states if most is None else min(states, most)):
            self.c.search_vector(self.handle, index, vector)
            cells = [self.relevant_cells[number] for number in vector[: self.processes]]
            spare = self.spares[vector[self.processes]] if self.with_spare else self.spares[0]
            found.add(State(tuple(cell.local for cell in cells), tuple(cell.inbox for cell in cells), spare))
        return found

    # Numbers

    def _vector(self, state: State) -> Any:
        numbers = [
            self._cell(Cell(index, local, inbox))
            for index, (local, inbox) in enumerate(zip(state.locals, state.inboxes, strict=True))
        ]
        if self.with_spare:
            numbers.append(self.spares.number(state.spare)[0])
        return (c_uint32 * len(numbers))(*numbers)

    def _cell(self, cell: Cell) -> int:
        number, new = self.cells.number(cell)
        if new:
            local = self.relevant(cell.process, cell.local) if self.relevant else cell.local
            self.c.add_cell(self.handle, number, self.relevant_cells.number(cell._replace(local=local))[0])
        return number

    def _mask_words(self, mask: int) -> Any:
        return (c_uint64 * self.words)(*(mask >> 64 * word & 2**64 - 1 for word in range(self.words)))

    # Callbacks

    def _guarded(self, callback: Callable[..., int]) -> Callable[..., None]:
        """No exception can pass through C: it is kept, and raised when C is back. Without an answer, C stops.

        So it does if an exception is raised here outside of `try`, which ctypes would print and forget.
        """

        def guarded(*arguments: Any) -> None:
            try:
                self.clock()
                arguments[-1][0] = callback(*arguments[:-1])
            except BaseException as error:
                self.raised = error

        return guarded

    def _expand(self, process: int, number: int, spare_number: int) -> int:
        spare = self.spares[spare_number]
        if process == self.processes:
            steps = [LocalStep(event, Local(()), (), after) for event, after in self.rules.network_steps(spare)]
            for step in steps:
                self._add_step(process, 0, step, 0)
            return self._add_expansion(len(steps), [], spare)
        cell = self.cells[number]
        steps = self.rules.steps(process, cell.local, cell.inbox, spare)
        actions = [self.reduction.action(process, step.event) if self.reduction else 0 for step in steps]
        for step, action in zip(steps, actions, strict=True):
            self._add_step(process, self._cell(Cell(process, step.local, step.inbox)), step, action)
        rows: list[int] = []
        if self.reduction:
            for step in steps:
                self.reduction.check_step(process, cell.local, step)
            rows = self.reduction.rows(process, cell.local, cell.inbox, spare, set(actions))
        return self._add_expansion(len(steps), rows, spare)

    def _add_step(self, process: int, cell: int, step: LocalStep, action: int) -> None:
        spare = self.spares.number(step.spare)[0]
        flags = c.STEP_FAULT if step.event.kind in FAULTS else 0
        if step.problem:
            flags |= c.STEP_PROBLEM
        sends: list[int] = []
        for envelope in step.sends:
            sends += [self.rules.index[envelope.receiver], self.messages.number(envelope)[0]]
        made = c.Step(process, cell, spare, 0, len(step.sends), action, flags)
        self.c.add_step(self.handle, byref(made), (c_uint32 * len(sends))(*sends))
        self.events.append((step.event, step.problem))

    def _add_expansion(self, count: int, rows: list[int], spare: Spare) -> int:
        words = (c_uint64 * (len(rows) * self.words))()
        for at, row in enumerate(rows):
            words[at * self.words : (at + 1) * self.words] = list(self._mask_words(row))
        reducible = int(self.reduction is not None and self.reduction.reducible(spare))
        number: int = self.c.add_expansion(self.handle, count, reducible, len(rows), words)
        return number

    def _put(self, process: int, number: int, message: int) -> int:
        cell = self.cells[number]
        inbox = self.rules.put(cell.inbox, cell.local, self.messages[message])
        return self._cell(cell._replace(inbox=inbox))

    def _slot(self, slot: int, cell: int) -> int:
        return self.judge.value(slot, cell)

    def _judge(self, which: int, state: Any) -> int:
        return self.judge.ask(which, state[: self.processes])

    def _permute(self, permutation: int, number: int) -> int:
        assert self.symmetry is not None
        moved = self.symmetry.permute(permutation, self.relevant_cells[number])
        return self.relevant_cells.number(moved)[0]
