"""Checking a model with the native engine, where that pays and is possible; else with the reference evaluator.

The reference evaluator begins at once. What it has found after a moment tells how states look; C is generated for that
and compiled while it goes on. A small model is finished before the compiler is. Else the native engine starts over:
what the reference evaluator did in a second, it does in a few milliseconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from gristmill.cc import CacheError, CompilerError, NoCompilerError, Stop
from gristmill.checking.native_profile import native_parts
from gristmill.checking.reference import Check, Options, watched
from gristmill.checking.suitability import draws, in_order, init_in_order, needs_states, why_not
from gristmill.evaluate.journal import Journal
from gristmill.ir.model import Model
from gristmill.native.codec import NoNativeFormError
from gristmill.native.emit.generate import Generated, generate, generate_predicates
from gristmill.native.errors import Unsupported
from gristmill.native.plan.layout import Layout, layouts, widened, widths
from gristmill.native.run.checkpoint import load_layout, save_layout
from gristmill.native.run.compiled import compile_text
from gristmill.native.run.engine import Engine
from gristmill.native.run.predicates import Compiling, compile_predicates
from gristmill.native.run.search import LeaveToReferenceError, MisfitInRunError, NativeOptions, breadth_first
from gristmill.native.run.symmetry import Permutation, can_be_permuted
from gristmill.reference.model import SpecificationModel
from gristmill.reference.permutations import permutation_group
from gristmill.search import Limits, Result, State
from gristmill.search.bfs import BreadthFirst
from gristmill.search.limits import NO_MEMORY
from gristmill.search.native_core import CheckpointError
from gristmill.search.on_the_fly import Interim
from gristmill.search.profile import Part, Profile
from gristmill.source import Diagnostic
from gristmill.source.process_setting import ProcessSetting

_HEAD_START = 0.15  # seconds that the reference evaluator has before anything is compiled
_PATIENCE = 0.0002  # seconds that the threads which compile wait for the one that evaluates, at each turn
_SAMPLE = 20_000  # states to learn the layout from
_MANY_INITIAL = 2_000
_SLOW_INITIAL = 1.0  # seconds: what has been found by then will do, if it is a few
_A_FEW = 5
_ATTEMPTS = 6  # layouts that are tried
_SHORT_TURNS = ProcessSetting(sys.getswitchinterval, sys.setswitchinterval, lambda before: _PATIENCE)


def check(model: Model, options: Options) -> Result:
    """The verdict on a model, by the engine that `options` name."""
    engine = Check if options.engine == "python" else NativeCheck
    with model.world.active():
        return watched(lambda: engine(model, options).run(), options.limits)


class NativeCheck(Check):
    """The search is the native engine's; everything around it is the reference evaluator's."""

    def __init__(self, model: Model, options: Options) -> None:
        super().__init__(model, options)
        self.engine_used: Literal["python", "native"] = "python"
        self.opened: list[Engine] = []
        self.so_far = Result("incomplete")  # what the reference evaluator has found
        self.with_view = True
        self.reason: str | None = None  # why the reference evaluator has explored the states
        self.further: Compiling | None = None  # predicates for temporal properties
        self.pool = ThreadPoolExecutor(1)  # where they are compiled
        self.journal: Journal | None = None  # if evaluating the model has effects
        self.stop = Stop()  # what is being compiled when it is too late
        self.resumes = options.resume  # the next search begins with a checkpoint
        self.layout_digest = ""  # of the layout in the folder of checkpoints

    def run(self) -> Result:
        if self.options.fingerprint and self.model.temporal:
            return needs_states(self.model)
        try:
            return replace(super().run(), engine=self.engine_used)
        finally:
            self.stop.now()
            self.pool.shutdown(wait=False, cancel_futures=True)
            for engine in self.opened:
                engine.close()

    def breadth_first(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        reason = why_not(self.model, self.options)
        self.journal = None
        self.reason = reason
        if reason is not None:
            if self.options.engine == "native" or self.options.fingerprint:
                self.note(f"the reference evaluator checks this model: {reason}")
            return super().breadth_first(searchable, limits, interim)
        if in_order(self.model):
            self.journal = Journal(self.context, draws(self.model))
            if self.options.workers > 1:
                self.note("one worker explores this model, in order: evaluating it has effects, or composes actions")
        try:
            return self.explored(searchable, limits, interim)
        finally:
            if self.journal is not None:
                self.journal.close()

    def explored(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        try:
            return self.natively(searchable, limits, None if self.options.keep_going else self.timed(interim))
        except KeyboardInterrupt:  # between two searches
            return replace(self.so_far, verdict="incomplete", message="Interrupted")
        except MemoryError:
            return replace(self.so_far, verdict="incomplete", message=NO_MEMORY)
        except CheckpointError as why:
            message = str(why)
            return Result("error", message=message, diagnostics=(Diagnostic("no-checkpoint", message),), status=151)
        except (Unsupported, NoNativeFormError, LeaveToReferenceError) as why:
            self.reason = str(why)
            self.note(f"the reference evaluator checks this model: {why}", always=False)
        except (CompilerError, CacheError) as error:
            self.reason = str(error)
            self.note(str(error), always=not isinstance(error, NoCompilerError))
        self.engine_used = "python"
        self.restart()
        return super().breadth_first(searchable, limits, interim)

    def restart(self) -> None:
        """The states are explored from the beginning, once more."""
        if self.journal is not None:
            self.journal.restart()

    def note(self, text: str, always: bool = True) -> None:
        if always or self.options.engine == "native":
            self.warnings.append(Diagnostic("native-engine", text, severity="warning"))

    # ------------------------------------------------------------------------------------------------------ natively

    def natively(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        started = time.monotonic()
        group = [] if searchable.symmetry is None else permutation_group(self.model.symmetry, self.evaluator)
        self.with_view = searchable.view is not None
        with self.stopwatch.during("sample"):
            answer = self.saved() if self.resumes else HeadStart(self, searchable, limits, group, interim).run()
        if isinstance(answer, Result):
            self.stopwatch.rename("sample", "search")
            self.reason = "it had finished before there was anything compiled"
            return answer
        generated, library, samples = answer
        leaves: frozenset[int] = frozenset()
        least = 1
        filled: set[int] = set()  # widths of which there were too many values once
        for _ in range(_ATTEMPTS):
            engine = Engine(generated, library, searchable, self.journal)
            self.restart()
            engine.further.expect(self.further)
            self.opened.append(engine)
            if group:
                engine.set_symmetry(group, order=self.model.variable_order if searchable.view is not None else ())
            try:
                return self.run_natively(engine, limits.after(time.monotonic() - started, at_least=0.001), interim)
            except MisfitInRunError as misfit:
                engine.close()  # its states are of no more use, and there may be many
                self.give_up_resuming()
                samples = [*samples, *misfit.states]
                if misfit.counts and misfit.width not in filled:
                    filled.add(misfit.width)
                    wider = tuple(widened(misfit.counts, generated.widths, misfit.width))
                    generated = replace(generated, widths=wider)
                    continue
                if misfit.width:
                    least = 2 * misfit.width
                elif self.layout(samples, leaves, group) == generated.layouts or not misfit.states:
                    leaves |= {misfit.variable}
            found = self.layout(samples, leaves, group)
            generated = self.generate(found, widths(samples, found, least))
            self.begin_further(generated)
            library = self.compile(generated)
        raise LeaveToReferenceError("no layout fits its states for long")

    def saved(self) -> tuple[Generated, Path, list[State]]:
        """The program of a checkpoint: with the layout that its states have."""
        assert self.options.checkpoint is not None
        found = load_layout(self.options.checkpoint, self.model.variables, self.options.fingerprint)
        self.layout_digest = found.digest
        generated = self.generate(found.layouts, found.widths)
        self.begin_further(generated)
        return generated, self.compile(generated), []

    def give_up_resuming(self) -> None:
        """States of a checkpoint have its layout, and that has just met a state that does not fit."""
        if self.resumes:
            self.resumes = False
            self.note("a state does not fit what the checkpoint has seen so far: the search begins anew")

    def run_natively(self, engine: Engine, limits: Limits, interim: Interim | None) -> Result:
        self.engine_used = "native"
        self.watch = None  # nobody looks at CHOOSE here
        own = self.options
        if own.checkpoint is not None and not self.resumes:
            self.layout_digest = save_layout(own.checkpoint, engine.generated, own.fingerprint)
        options = NativeOptions(
            limits,
            own.keep_going,
            own.workers,
            own.on_progress,
            own.checkpoint,
            own.checkpoint_seconds,
            self.resumes,
            self.layout_digest,
            keep_graph=interim is not None,
            interim=interim,
            fingerprint=own.fingerprint,
        )
        with self.stopwatch.during("search"):
            return breadth_first(engine, options)

    def profile(self, result: Result) -> Profile:
        found = super().profile(result)
        if self.engine_used == "python":
            return replace(found, reason=found.reason or self.reason)
        return replace(found, layouts=len(self.opened), memory=self.opened[-1].memory())

    def parts(self) -> Iterator[Part]:
        return super().parts() if self.engine_used == "python" else native_parts(self.model, self.opened)

    def layout(
        self, samples: Sequence[State], leaves: frozenset[int], group: Sequence[Permutation]
    ) -> tuple[Layout, ...]:
        count = len(self.model.variables)
        found = layouts(samples, count, leaves)
        if group and not can_be_permuted(found, group):
            found = layouts((), count)
        return found

    def generate(self, found: tuple[Layout, ...], slot_widths: tuple[int, ...]) -> Generated:
        model = self.model if self.with_view else replace(self.model, view=None)
        with self.stopwatch.during("generate"):
            generated = generate(model, found, slot_widths, lambda code: self.evaluator.value(code)())
        self.emit(self.model.name, generated.text)
        return generated

    def begin_further(self, generated: Generated) -> None:
        """Generate the predicates for temporal properties, and begin to compile them."""
        codes = self.temporal.predicates() if self.temporal is not None else []
        if not codes:
            return
        with self.stopwatch.during("generate"):
            evaluate = self.evaluator.value
            found = generate_predicates(
                self.model, generated, generated.primitives, lambda code: evaluate(code)(), codes
            )
        self.emit(f"{self.model.name}_temporal", found.text)
        self.further = Compiling(codes, found, self.pool.submit(compile_predicates, found, self.stop).result)

    def emit(self, name: str, text: str) -> None:
        folder = self.options.emit_c
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.c").write_text(text)

    def compile(self, generated: Generated) -> Path:
        with self.stopwatch.during("compile"):
            return compile_text(generated.text, self.stop)

    def compile_beside(self, generated: Generated) -> Path:
        """The same in another thread."""
        with self.stopwatch.beside("compile"):
            return compile_text(generated.text, self.stop)


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
        check: NativeCheck,
        searchable: SpecificationModel,
        limits: Limits,
        group: Sequence[Permutation],
        interim: Interim | None,
    ) -> None:
        self.check, self.searchable, self.group, self.interim = check, searchable, group, interim
        self.limits = _Until(**asdict(limits), ended=self.ended)
        self.started = time.monotonic()
        self.search: BreadthFirst | None = None
        self.generated: Generated | None = None
        self.compiling: Future[Path] | None = None
        self.samples: list[State] = []
        self.over = False
        self.pool = ThreadPoolExecutor(1)

    def run(self) -> Result | tuple[Generated, Path, list[State]]:
        """The result if the reference evaluator was faster, else what the native engine needs."""
        try:
            with _SHORT_TURNS:
                return self._run()
        finally:
            self.pool.shutdown(wait=False, cancel_futures=True)

    def _run(self) -> Result | tuple[Generated, Path, list[State]]:
        initial = self.first_states()
        own = self.check.options
        if initial is not None or own.engine == "native" or own.checkpoint is not None:
            self.samples = initial if initial is not None else first_level(self.searchable)
            self.prepare()
        else:
            options = self.check.options
            self.search = BreadthFirst(
                self.searchable,
                self.limits,
                options.keep_going,
                keep_graph=False,
                on_progress=options.on_progress,
                keep_steps=self.interim is not None,
            )
            result = self.search.run()
            if not self.over:
                return result
            self.check.so_far = result
        assert self.generated is not None
        assert self.compiling is not None
        with self.check.stopwatch.during("wait"):
            return self.generated, self.compiling.result(), self.samples

    def first_states(self) -> list[State] | None:
        """See `first_states`. If that has effects, it happens once."""
        journal = self.check.journal
        if journal is None or not init_in_order(self.check.model):
            return first_states(self.searchable, _MANY_INITIAL)
        first_states(self.searchable, sys.maxsize)
        journal.begin() if self.searchable.knows_initial else journal.restart()
        return None

    def prepare(self) -> None:
        """Generate C from what has been seen, and begin to compile it."""
        found = self.check.layout(self.samples, frozenset(), self.group)
        self.generated = self.check.generate(found, widths(self.samples, found))
        self.compiling = self.pool.submit(self.check.compile_beside, self.generated)
        self.check.begin_further(self.generated)

    def ended(self) -> bool:
        """Looked at between two states."""
        if self.compiling is None:
            if time.monotonic() - self.started < _HEAD_START:
                return False
            assert self.search is not None
            self.samples = self.search.store.states[:_SAMPLE]
            self.prepare()
            return False
        self.over = self.compiling.done()
        return self.over


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


def first_level(searchable: SpecificationModel) -> list[State]:
    """Some states to learn the layout from: a small search."""
    search = BreadthFirst(searchable, Limits(seconds=_HEAD_START), False, False, None)
    search.run()
    return search.store.states[:_SAMPLE] or list(searchable.initial_states())
