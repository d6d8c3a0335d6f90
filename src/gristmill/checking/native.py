"""Checking a model with the native engine, where that pays and is possible; else with the reference evaluator.

The reference evaluator begins at once. What it has found after a moment tells how states look; C is generated for that
and compiled while it goes on. A small model is finished before the compiler is. Else the native engine starts over:
what the reference evaluator did in a second, it does in a few milliseconds.

What generates C and runs it is imported when it is needed: a small model does not wait for that either.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gristmill.cc import CacheError, CompilerError, NoCompilerError, Stop
from gristmill.checking.head_start import HeadStart
from gristmill.checking.lessons import Lessons
from gristmill.checking.meanwhile import Meanwhile
from gristmill.checking.reference import ReferenceExplorer
from gristmill.checking.run import Check, with_counts
from gristmill.checking.suitability import draws, in_order, prints_alone, why_not, why_not_in_order
from gristmill.evaluate.journal import Journal
from gristmill.native.errors import (
    LeaveToReferenceError,
    MisfitInRunError,
    NoNativeFormError,
    OrderMattersError,
    Unsupported,
)
from gristmill.reference.model import SpecificationModel
from gristmill.reference.permutations import permutation_group
from gristmill.search import Limits, Result, State
from gristmill.search.budget.limits import NO_MEMORY
from gristmill.search.core.errors import CheckpointError
from gristmill.search.on_the_fly import Interim
from gristmill.search.profile import Profile
from gristmill.source import Diagnostic
from gristmill.source.process_age import process_age

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from gristmill.ir.model import Model
    from gristmill.native.emit.generate import Generated
    from gristmill.native.plan.layout import Layout
    from gristmill.native.run.better import Better
    from gristmill.native.run.engine import Engine
    from gristmill.native.run.learnt import Learnt
    from gristmill.native.run.predicates import Compiling
    from gristmill.native.run.symmetry import Permutation

_ATTEMPTS = 6  # layouts that are tried
_NOTICEABLE = 1.0  # seconds of a search; a shorter one would not have been compiled anyway


class NativeExplorer:
    """The search is the native engine's; everything around it is the reference evaluator's."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.reference = ReferenceExplorer(check)
        self.engine: Literal["python", "native"] = "python"
        self.opened: list[Engine] = []
        self.so_far = Result("incomplete")  # what the reference evaluator has found
        self.first: Sequence[State] = ()  # the states that it has found by then
        self.with_view = True
        self.reason: str | None = None  # why the reference evaluator has explored the states
        self.further: Compiling | None = None  # predicates for temporal properties
        self.pool: ThreadPoolExecutor | None = None  # where they are compiled
        self.better: Better | None = None  # the same program, compiled to run faster
        self.journal: Journal | None = None  # if evaluating the model has effects
        self.unordered: Model | None = None  # the model for a search in any order all the same, while that is possible
        self.stop = Stop()  # what is being compiled when it is too late
        self.resumes = check.options.resume  # the next search begins with a checkpoint
        self.without_bits: frozenset[int] = frozenset()  # variables whose sets are held as values
        self.layout_digest = ""  # of the layout in the folder of checkpoints
        self.first_native_state: float | None = None  # seconds after the process was started

    def close(self) -> None:
        self.stop.now()
        if self.pool is not None:
            self.pool.shutdown(wait=False, cancel_futures=True)
        for engine in self.opened:
            engine.close()

    def breadth_first(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        reason = why_not(self.check.model, self.check.options)
        self.journal = None
        self.reason = reason
        if reason is not None:
            if self.check.options.engine == "native" or self.check.options.fingerprint:
                self.note(f"the reference evaluator checks this model: {reason}")
            return self.reference.breadth_first(searchable, limits, interim)
        if in_order(self.check.model):
            self.journal = Journal(self.check.context, draws(self.check.model))
        try:
            return self.explored(searchable, limits, interim)
        finally:
            if self.journal is not None:
                self.journal.close()

    def choose_order(self) -> None:
        """Any, if actions print and that is all, or if there is hope that nothing else will happen. One worker gains
        little by hope."""
        from gristmill.native.plan.traps import is_order_known_to_matter, with_traps

        model = self.check.model
        self.unordered = None
        if is_order_known_to_matter(model):
            pass
        elif prints_alone(model):
            self.unordered = model
        elif self.check.options.workers > 1:
            self.unordered = with_traps(model)
        if self.unordered is None:
            self.keep_order()

    def give_up_hope(self) -> None:
        from gristmill.native.plan.traps import remember_that_order_matters

        remember_that_order_matters(self.check.model)
        self.unordered = None
        self.keep_order()

    def keep_order(self) -> None:
        reason = why_not_in_order(self.check.model, self.check.options)
        if reason is not None:
            raise LeaveToReferenceError(reason)
        if self.check.options.workers > 1:
            self.note("one worker explores this model, in order: evaluating it has effects, or composes actions")

    @property
    def is_in_order(self) -> bool:
        return self.journal is not None and self.unordered is None

    def explored(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        no_compiler: NoCompilerError | None = None
        try:
            if self.journal is not None:
                self.choose_order()
            on_the_fly = None if self.check.options.keep_going else self.check.timed(interim)
            return self.natively(searchable, limits, on_the_fly)
        except KeyboardInterrupt:  # between two searches
            return self.unfinished("Interrupted")
        except MemoryError:
            return self.unfinished(NO_MEMORY)
        except CheckpointError as why:
            message = str(why)
            return Result("error", message=message, diagnostics=(Diagnostic("no-checkpoint", message),), status=151)
        except (Unsupported, NoNativeFormError, LeaveToReferenceError) as why:
            self.reason = str(why)
            self.note(f"the reference evaluator checks this model: {why}", always=False)
        except (CompilerError, CacheError) as error:
            self.reason = str(error)
            no_compiler = error if isinstance(error, NoCompilerError) else None
            if not isinstance(error, NoCompilerError):
                self.note(str(error))
        self.engine = "python"
        self.restart()
        started = time.monotonic()
        result = self.reference.breadth_first(searchable, limits, interim)
        if no_compiler is not None:
            took_long = time.monotonic() - started > _NOTICEABLE
            self.note(f"states are explored in Python, which is slow. {no_compiler}", always=took_long)
        return result

    def unfinished(self, why: str) -> Result:
        """What the reference evaluator has found; an error is one, however the search has ended."""
        return self.so_far if self.so_far.violations else replace(self.so_far, verdict="incomplete", message=why)

    def restart(self) -> None:
        """The states are explored from the beginning, once more."""
        if self.journal is not None:
            self.journal.restart()

    def note(self, text: str, always: bool = True) -> None:
        if always or self.check.options.engine == "native":
            self.check.warnings.append(Diagnostic("native-engine", text, severity="warning"))

    # ------------------------------------------------------------------------------------------------------ natively

    def natively(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        started = time.monotonic()
        model, evaluator = self.check.model, self.check.evaluator
        group = [] if searchable.symmetry is None else permutation_group(model.symmetry, evaluator)
        self.with_view = searchable.view is not None
        lessons = Lessons(self, group)
        head_start = partial(self.head_start, searchable, group, interim)
        answer = head_start(limits, lessons.recalled)
        if isinstance(answer, Result):
            return answer
        from gristmill.native.plan.layout import widened, widths
        from gristmill.native.plan.universes import sharing
        from gristmill.native.run.engine import Engine

        generated, library, samples = answer
        leaves: frozenset[int] = frozenset()
        least = 1
        filled: set[int] = set()  # widths of which there were too many values once
        for _ in range(_ATTEMPTS):
            self.restart()
            engine = Engine(generated, library, searchable, self.journal, in_order=self.is_in_order)
            engine.further.expect(self.further)
            self.opened.append(engine)
            if group:
                engine.set_symmetry(group, order=self.check.model.variable_order if searchable.view is not None else ())
            try:
                left = limits.after(time.monotonic() - started, at_least=0.001)
                result = self.run_natively(engine, left, interim)
                lessons.learn(engine.generated)
                return result
            except OrderMattersError:
                engine.close()
                generated, library = self.generated_in_order(engine.generated)
                continue
            except MisfitInRunError as misfit:
                engine.close()  # its states are of no more use, and there may be many
                self.give_up_resuming()
                samples = [*samples, *misfit.states]
                if misfit.counts and misfit.width not in filled:
                    filled.add(misfit.width)
                    wider = tuple(widened(misfit.counts, generated.widths, misfit.width, generated.layouts))
                    generated = replace(generated, widths=wider)
                    library = library if self.better is None else self.better.taken or library
                    continue
                if lessons.were_wrong():
                    answer = head_start(limits.after(time.monotonic() - started, at_least=0.001), lambda: None)
                    if isinstance(answer, Result):
                        return answer
                    generated, library, samples = answer
                    continue
                if misfit.width:
                    least = 2 * misfit.width
                    if not misfit.states:  # it is the same program
                        wider = widths(samples, generated.layouts, least)
                        generated = replace(generated, widths=wider)
                        continue
                elif self.layout(samples, leaves, group) == generated.layouts or not misfit.states:
                    shared = sharing(generated.layouts, misfit.variable)
                    self.without_bits |= shared
                    leaves |= frozenset() if shared else {misfit.variable}
            found = self.layout(samples, leaves, group)
            generated = self.generate(found, widths(samples, found, least))
            self.begin_further(generated)
            library = self.compile(generated)
        raise LeaveToReferenceError("no layout fits its states for long")

    def generated_in_order(self, before: Generated) -> tuple[Generated, Path]:
        """The order matters after all: the program without traps, for states that look as they did before."""
        self.give_up_hope()
        generated = self.generate(before.layouts, before.widths)
        self.begin_further(generated)
        return generated, self.compile(generated)

    def head_start(
        self,
        searchable: SpecificationModel,
        group: Sequence[Permutation],
        interim: Interim | None,
        limits: Limits,
        recall: Callable[[], Learnt | None],
    ) -> Result | tuple[Generated, Path, list[State]]:
        """The result if the reference evaluator has it soon, else what the native engine needs."""
        with self.check.stopwatch.during("sample"):
            if self.resumes:
                return self.saved()
            answer = HeadStart(self, searchable, limits, group, interim, recall).run()
        if isinstance(answer, Result):
            self.engine = "python"
            self.check.stopwatch.rename("sample", "search")
            self.reason = "it had finished before there was anything compiled"
        return answer

    def saved(self) -> tuple[Generated, Path, list[State]]:
        """The program of a checkpoint: with the layout that its states have."""
        from gristmill.native.run.checkpoint import load_layout

        assert self.check.options.checkpoint is not None
        found = load_layout(self.check.options.checkpoint, self.check.model.variables, self.check.options.fingerprint)
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
        from gristmill.native.run.checkpoint import save_layout
        from gristmill.native.run.search import NativeOptions, breadth_first

        self.engine = "native"
        self.check.choices = None  # native code does not monitor CHOOSE
        own = self.check.options
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
            keep_labels=own.keep_labels,
            interim=interim,
            fingerprint=own.fingerprint,
            each_obligation=own.each_obligation,
            better=self.better,
            meanwhile=None if own.fingerprint else Meanwhile(self, engine).begin,
        )
        if self.first_native_state is None:
            self.first_native_state = process_age()
        with self.check.stopwatch.during("search"):
            if self.unordered is None:
                return breadth_first(engine, options)
            assert self.journal is not None
            engine.expect_no_names()
            with self.journal.forbidding(OrderMattersError):
                return breadth_first(engine, options)

    def profile(self, profile: Profile, result: Result) -> Profile:
        if self.engine == "python":
            found = self.reference.profile(profile, result)
            return replace(found, reason=found.reason or self.reason)
        from gristmill.checking.native_profile import native_parts

        parts = tuple(with_counts(native_parts(self.check.model, self.opened), result))
        return replace(
            profile,
            parts=parts,
            layouts=sum(each.layouts for each in self.opened),
            memory=self.opened[-1].memory(),
            first_native_state=self.first_native_state,
        )

    def layout(
        self, samples: Sequence[State], leaves: frozenset[int], group: Sequence[Permutation]
    ) -> tuple[Layout, ...]:
        from gristmill.native.plan.layout import layouts
        from gristmill.native.plan.universes import with_bits
        from gristmill.native.run.symmetry import can_be_permuted

        count = len(self.check.model.variables)
        found = layouts(samples, count, leaves)
        if group and not can_be_permuted(found, group):
            found = layouts((), count)
        if group:  # what permutes values finds none in bits
            return found
        return with_bits(found, samples, self.without_bits | leaves)

    def generate(self, found: tuple[Layout, ...], slot_widths: tuple[int, ...]) -> Generated:
        from gristmill.native.emit.generate import generate

        model = self.check.model if self.unordered is None else self.unordered
        model = model if self.with_view else replace(model, view=None)
        with self.check.stopwatch.during("generate"):
            evaluate, observers = self.check.evaluator.value, self.check.options.observers
            generated = generate(model, found, slot_widths, lambda code: evaluate(code)(), observers=observers)
        self.emit(self.check.model.name, generated.text)
        return generated

    def begin_further(self, generated: Generated) -> None:
        """Generate the predicates for temporal properties, and begin to compile them."""
        codes = self.check.temporal.predicates() if self.check.temporal is not None else []
        if not codes:
            return
        from concurrent.futures import ThreadPoolExecutor

        from gristmill.native.emit.generate import generate_predicates
        from gristmill.native.run.predicates import Compiling, compile_predicates

        with self.check.stopwatch.during("generate"):
            evaluate = self.check.evaluator.value
            found = generate_predicates(
                self.check.model, generated, generated.primitives, lambda code: evaluate(code)(), codes
            )
        self.emit(f"{self.check.model.name}_temporal", found.text)
        self.pool = self.pool or ThreadPoolExecutor(1)
        self.further = Compiling(codes, found, self.pool.submit(compile_predicates, found, self.stop).result)

    def emit(self, name: str, text: str) -> None:
        folder = self.check.options.emit_c
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.c").write_text(text)

    def compile(self, generated: Generated) -> Path:
        with self.check.stopwatch.during("compile"):
            return self.compiled(generated)

    def compile_beside(self, generated: Generated) -> Path:
        """The same in another thread."""
        with self.check.stopwatch.beside("compile"):
            return self.compiled(generated)

    def compiled(self, generated: Generated) -> Path:
        from gristmill.native.run.better import Better
        from gristmill.native.run.compiled import compile_soon

        library, is_better_possible = compile_soon(generated.text, generated.cost, self.stop)
        begin = partial(self.begin_better, generated.text)
        self.better = Better(len(generated.text), begin, self.has_processor) if is_better_possible else None
        return library

    def begin_better(self, text: str) -> Future[Path]:
        from concurrent.futures import ThreadPoolExecutor

        from gristmill.native.run.compiled import compile_better

        self.pool = self.pool or ThreadPoolExecutor(1)
        return self.pool.submit(compile_better, text, self.stop, self.has_processor)

    @property
    def has_processor(self) -> bool:
        """Whether there is one that the search has no use for."""
        own = self.check.options
        workers = 1 if self.is_in_order else own.workers
        return own.cluster is None and workers < (os.cpu_count() or 1)
