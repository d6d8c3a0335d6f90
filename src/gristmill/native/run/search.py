"""Breadth-first search by the native engine: the same result as `search.breadth_first` gives, found in C.

Counterexamples are read off the store and put into words by the reference evaluator, which evaluates every step of them
again.
"""

from __future__ import annotations

import pathlib
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial

from gristmill.ir.nodes import Code
from gristmill.native.errors import LeaveToReferenceError, MisfitInRunError, OrderMattersError
from gristmill.native.plan.layout import different, widened
from gristmill.native.run.better import Better
from gristmill.native.run.checkpoint import identity
from gristmill.native.run.engine import Engine, MisfitError
from gristmill.native.run.graph import NativeRows, ever_true
from gristmill.search.behaviour import Path, deadlock, failed_trace, unmet, violation
from gristmill.search.budget.limits import NO_LIMITS, Limits
from gristmill.search.budget.memory import resident_bytes
from gristmill.search.caveats import caveats, never_taken, of_fingerprints, patience
from gristmill.search.core.search import (
    CheckpointError,
    CoreLimits,
    CoreReport,
    Incident,
    Limit,
    Mark,
    NativeSearch,
    Outcome,
    Tally,
)
from gristmill.search.model import ActionPredicate, State, StatePredicate
from gristmill.search.on_the_fly import Interim, Intervals
from gristmill.search.progress import OnProgress, Progress
from gristmill.search.result import NO_ERROR, ActionCoverage, CollisionOdds, Graph, Result, Violation
from gristmill.search.statistics import coverage, obligations
from gristmill.search.store import NONE
from gristmill.search.verdict import Verdict
from gristmill.source import Diagnostic
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import EvaluationError


@dataclass(frozen=True, slots=True)
class NativeOptions:
    limits: Limits = NO_LIMITS
    keep_going: bool = False
    workers: int = 1
    on_progress: OnProgress | None = None
    checkpoint: pathlib.Path | None = None  # a folder for periodic checkpoints
    checkpoint_seconds: float = 600.0
    resume: bool = False  # from what is there
    layout_digest: str = ""  # of the layout that is saved there
    keep_graph: bool = False
    interim: Interim | None = None  # asked at intervals; needs the graph
    each_obligation: bool = False  # go on after a step that fails its action's obligation, and tell the first of each
    fingerprint: bool = False  # keep a hash of each state in place of it; there is no graph then
    keep_labels: bool = False  # in the graph, steps by different actions are different
    better: Better | None = None  # the same program, compiled to run faster, which may take over
    meanwhile: Callable[[Callable[[], bool]], None] | None = None  # once, beside a search that lasts: is it over?


def breadth_first(engine: Engine, options: NativeOptions) -> Result:
    """Explore every reachable state natively. Raises `MisfitInRunError`, `LeaveToReferenceError`."""
    limits = options.limits
    core_limits = CoreLimits(
        1 if engine.journal is not None else options.workers,
        limits.depth,
        limits.seconds,
        _budget(limits),
        engine.spill_folder() if limits.memory is not None else None,
        options.checkpoint,
        options.checkpoint_seconds,
        options.keep_going,
        options.fingerprint,
        options.each_obligation,
    )
    started = time.monotonic()
    begin = partial(_open, engine, options, core_limits)
    try:
        return _Run(engine, begin, options, started).result()
    except _NoNativeInitialError:
        engine.has_initial = False
        if engine.journal is not None:
            engine.journal.restart()
        return _Run(engine, begin, options, started).result()


def _budget(limits: Limits) -> int | None:
    """Bytes for states, and what they refer to: of the limit, which is the whole process's, what is left of it."""
    if limits.memory is None:
        return None
    return max(limits.memory - resident_bytes(), limits.memory // 4)


def _open(engine: Engine, options: NativeOptions, limits: CoreLimits) -> NativeSearch:
    model = engine.model()
    model.keep_edges = options.keep_graph
    model.keep_labels = options.keep_labels
    model.identity = identity(engine.generated, engine.representatives, options.layout_digest)
    core = NativeSearch(engine.library, model, limits)
    engine.follow(core)
    engine.searches.append(core)  # which is closed with it: the states found may still be looked at
    return core


class _NoNativeInitialError(Exception):
    """The initial states must come from the reference evaluator, into a search that has none yet."""


class _Run:
    def __init__(
        self, engine: Engine, begin: Callable[[], NativeSearch], options: NativeOptions, started: float
    ) -> None:
        self.engine = engine
        self.model = engine.searchable
        self.begin = begin
        self.core = begin()
        self.options = options
        self.started = started
        self.meanwhile = options.meanwhile
        self.searched = 0.0  # seconds from the first state to the last
        self.violations: dict[tuple[Verdict, str | None], Violation] = {}
        self.has_failed = False  # an evaluation, which is told among the violations
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.is_all_told = True  # no interrupt has come while violations were told

    def result(self) -> Result:
        begun = self._begin()
        self.engine.alone = False
        try:
            report = self._explore() if begun else self.core.report()
            while self._can_be_widened(report):
                self._widen(report)
                report = self._explore()
        finally:
            self.engine.alone = True
        self.searched = time.monotonic() - self.started
        self._raise_failures()
        with self.engine.quietly():
            return self._ended(report)

    def _ended(self, report: CoreReport) -> Result:
        if report.outcome is Outcome.MISFIT:
            self._raise_if_trapped()
            full, states = self.engine.full, self._misfits(report)
            counts = self._counts(report.distinct) if full else ()
            raise MisfitInRunError(self.engine.misfit, full, states, counts)
        self.model.evaluator.context.intermediate += self.engine.between
        try:
            self._tell_all()
        except KeyboardInterrupt:  # what was found is found, also if there is no time to tell all of it
            self.is_all_told = False
            self._tell_briefly()
        return self._result(report)

    def _tell_all(self) -> None:
        """Of violations of the same property, the first is told and all are counted."""
        tallies = self.core.tallies() if self.options.keep_going else None
        if tallies is not None:
            for tally in tallies:
                incident = self.core.incident(tally.first)
                with self._speaking_of(incident):
                    self._tell_first(tally, incident)
            return
        for incident in self.core.incidents():
            with self._speaking_of(incident):
                self._tell(incident)
            if not (self.options.keep_going or self.options.each_obligation):
                break

    def _tell_briefly(self) -> None:
        """That there is an error, if nothing was told of it."""
        if self.violations or not self.core.report().incidents:
            return
        verdict, what = _KINDS[self.core.incident(0).kind]
        message = f"{what}; the search was ended before it could be said how"
        self.violations[verdict, None] = Violation(verdict, None, message)

    def _speaking_of(self, incident: Incident) -> AbstractContextManager[None]:
        position = self.engine.position
        return nullcontext() if position is None else position.speaking_of(incident.parent, incident.action)

    def _explore(self) -> CoreReport:
        """Run to the end, with pauses to look at what has been found so far."""
        interim, limits = self.options.interim, self.options.limits
        if interim is None:
            self.core.allow(self._seconds_left(), _first_too_many(limits))
            return self._run_faster_and_faster(_first_too_many(limits))
        intervals = Intervals()
        while True:
            most = min(intervals.states, _first_too_many(limits) or intervals.states)
            self.core.allow(self._seconds_left(), most)
            if self._asked_to_stop:
                self.core.interrupt()
            report = self._run_faster_and_faster(most)
            if report.outcome is not Outcome.LIMIT or report.limit is not Limit.STATES:
                return report
            if limits.too_many(report.distinct):
                return report
            found = interim.look(self._graph(report), report.expanded)
            if found is not None:
                self.violations[found.verdict, found.property] = found
                return report
            intervals.begin(report.distinct)

    def _seconds_left(self) -> float | None:
        seconds = self.options.limits.seconds
        return None if seconds is None else max(0.001, seconds - (time.monotonic() - self.started))

    def _run_faster_and_faster(self, most: int | None) -> CoreReport:
        """Run as far as is allowed; in between, the better version of the program takes over when it is there."""
        better = self._usable_better()
        if better is None:
            return self.core.run(partial(self._look_for, None))
        if better.is_ready():
            self._take_over(better)
        report = self.core.run(partial(self._look_for, better))
        while self.core.is_paused and self.engine.failure is None:
            try:
                self._take_over(better)
                self.core.allow(self._seconds_left(), most)
                if self._asked_to_stop:
                    self.core.interrupt()
            except KeyboardInterrupt:
                return report  # which says that it was interrupted
            report = self.core.run(partial(self._look_for, better))
        return report

    def _usable_better(self) -> Better | None:
        """Not where a pause could be noticed, by a checkpoint. Models see none: it comes between two states."""
        return None if self.options.checkpoint is not None else self.options.better

    def _look_for(self, better: Better | None, progress: Progress) -> None:
        if self.options.on_progress is not None:
            self.options.on_progress(progress)
        if better is not None and better.is_ready():
            self.core.pause()
        elif (meanwhile := self.meanwhile) is not None:
            self.meanwhile = None
            meanwhile(lambda: self.core.has_ended)

    def _take_over(self, better: Better) -> None:
        better.is_over = True
        path = better.path()
        if path is not None and self.engine.exchange(path):
            better.taken = path

    def _can_be_widened(self, report: CoreReport) -> bool:
        """Whether there were too many values for the widths of slots, and the search can go on with wider ones.

        Not where more than states belongs to it, or where what was evaluated last cannot be evaluated once more.
        """
        if report.outcome is not Outcome.MISFIT or not self.engine.full or self.engine.failure is not None:
            return False
        own, engine = self.options, self.engine
        has_more = own.keep_graph or own.fingerprint or own.checkpoint is not None or own.limits.memory is not None
        has_level = engine.position is not None and self.model.view is not None  # which may depend on it
        is_watched = has_level or own.interim is not None
        return not (has_more or engine.has_touched or is_watched or report.incidents > 1)

    def _widen(self, report: CoreReport) -> None:
        full, counts, before = self.engine.full, self._counts(report.distinct), self.core
        generated, position = self.engine.generated, self.engine.position
        self.engine.widen(widened(counts, generated.widths, full, generated.layouts))
        self.core = self.begin()
        if position is not None and self.engine.position is not None:
            self.engine.position.continues(position)
        if not self.engine.take_over(before, self.core):
            raise MisfitInRunError(self.engine.misfit, full, (), counts)

    def _graph(self, report: CoreReport) -> Graph:
        rows = NativeRows(self.engine, self.core, report.distinct)
        states = Explored(self.engine, self.core, report.distinct)
        nothing = array("I")
        initial = report.initial_distinct
        return Graph(self.model.variables, self.model.actions, states, initial, nothing, nothing, nothing, rows)

    @property
    def _asked_to_stop(self) -> bool:
        """By the model."""
        return self.engine.position is not None and self.engine.position.asked_to_stop

    def _raise_if_trapped(self) -> None:
        if self.engine.is_trapped:
            raise OrderMattersError

    def _raise_failures(self) -> None:
        failure = self.engine.failure
        if isinstance(failure, KeyboardInterrupt | MemoryError | OrderMattersError):
            raise failure
        if failure is not None:
            raise LeaveToReferenceError(str(failure)) from failure

    # ---------------------------------------------------------------------------------------------- initial states

    def _begin(self) -> bool:
        """Initial states, or those of a checkpoint; whether there is nothing wrong with them."""
        if self.options.resume:
            self._resume()
            return True
        if not self.engine.has_initial:
            return self.engine.asked.measured(("initial", "Init"), self._begin_in_python)()
        answer = self.engine.add_initial(self.core.handle)
        if answer == 0:
            return True
        if answer == 3:
            self._raise_if_trapped()
            raise MisfitInRunError(self.engine.misfit, self.engine.full, ())
        if answer == 2:
            if self.options.keep_going:
                raise _NoNativeInitialError  # all that is wrong with all of them is wanted
            state = self.engine.refused_initial()
            self._refused_initial(state) if self.engine.journal is not None else self._check_initial(state)
            if not self.violations:
                raise LeaveToReferenceError("the reference evaluator finds nothing wrong with an initial state")
            return False
        raise _NoNativeInitialError

    def _begin_in_python(self) -> bool:
        """Initial states by the reference evaluator, checked by it as well."""
        constraints = [each.holds for each in self.model.constraints]
        state: State | None = None
        try:
            for state in self.model.initial_states():
                with self.engine.looking_at(state):
                    inside = all(holds(state) for holds in constraints)
                new = self.core.add_initial(list(self.engine.encoded(state)), 0 if inside else Mark.CUT)
                if new or not inside or self.model.symmetry is not None:
                    self._check_new(state, new)
                if self.has_failed or (self.violations and not self.options.keep_going):
                    return False
                if self.violations and self.options.checkpoint is not None:
                    raise LeaveToReferenceError("a violation in an initial state, which no checkpoint would keep")
                state = None
        except MisfitError:
            raise MisfitInRunError(self.engine.misfit, self.engine.full, self.engine.misfits) from None
        except EvaluationError as error:
            self._failed(error, [] if state is None else [(None, state)], None)
            return False
        return True

    def _resume(self) -> None:
        if not self.core.resume():
            raise CheckpointError(f"there is no checkpoint in {self.options.checkpoint}")

    def _check_new(self, state: State, is_stored: bool) -> None:
        position = self.engine.position
        if position is not None:
            position.stored = is_stored
        self._check_initial(state)
        if position is not None:
            position.stored = False

    def _refused_initial(self, state: State) -> None:
        predicate = self.engine.refused
        verdict: Verdict = "invariant" if predicate in self.model.invariants else "property"
        word = "Invariant" if verdict == "invariant" else "Property"
        self._violated(verdict, predicate, f"{word} {predicate.name} is false initially", [(None, state)])

    def _check_initial(self, state: State) -> None:
        path: Path = [(None, state)]
        for family, verdict, word in (
            (self.model.invariants, "invariant", "Invariant"),
            (self.model.implied_inits, "property", "Property"),
        ):
            for predicate in family:
                if self._is_false(predicate, path, state):
                    message = f"{word} {predicate.name} is false initially"
                    self._violated(verdict, predicate, message, path)  # type: ignore[arg-type]
                if self.has_failed or (self.violations and not self.options.keep_going):
                    return

    # ------------------------------------------------------------------------------------------------- what is wrong

    def _path(self, number: int) -> list[tuple[int | None, State]]:
        return [(action, self.engine.state(words)) for action, words in self.core.path(number)]

    def _tell(self, incident: Incident, count: int = 1) -> None:
        """What is wrong there; `count`: and with so many others, with that, in the same way."""
        path = self._path(incident.parent)
        if self.engine.journal is not None:
            self._tell_once(incident, path)
            return
        if incident.kind is Outcome.DEADLOCK:
            self._report(("deadlock", None), lambda: deadlock(self.model, path), count)
            return
        if incident.kind is Outcome.FAILED:
            self._failed_expansion(path)
            return
        assert incident.words is not None
        state = self.engine.state(incident.words)
        step: Path = [*path, (incident.action, state)]
        if incident.kind is Outcome.BAD_STEP:
            for rule in self.model.implied_actions:
                if self._is_false(rule, step, path[-1][1], state):
                    self._violated("property", rule, f"Action property {rule.name} is violated", step)
        elif incident.kind is Outcome.UNMET:
            self._tell_unmet(step, count)
        elif incident.kind is Outcome.BAD_STATE:
            for predicate in self.model.invariants:
                if self._is_false(predicate, step, state):
                    self._violated("invariant", predicate, f"Invariant {predicate.name} is violated", step)
        else:
            self._failed_check(step, path[-1][1], state)
        if not self.violations:
            raise LeaveToReferenceError("the reference evaluator finds nothing wrong where native code did")

    def _tell_first(self, tally: Tally, incident: Incident) -> None:
        """The first violation of a property, which the reference evaluator must find as well. Others are counted."""
        if incident.kind not in (Outcome.BAD_STATE, Outcome.BAD_STEP):
            self._tell(incident, tally.count)
            return
        assert incident.words is not None
        path, state = self._path(incident.parent), self.engine.state(incident.words)
        step: Path = [*path, (incident.action, state)]
        if incident.kind is Outcome.BAD_STATE:
            self._tell_predicate("invariant", "Invariant", self.model.invariants[tally.reason], step, tally.count)
        else:
            rule = self.model.implied_actions[tally.reason]
            self._tell_predicate("property", "Action property", rule, step, tally.count)

    def _tell_predicate(
        self, verdict: Verdict, word: str, predicate: StatePredicate | ActionPredicate, step: Path, count: int
    ) -> None:
        states = [state for _, state in step[-1 if isinstance(predicate, StatePredicate) else -2 :]]
        if not self._is_false(predicate, step, *states):
            raise LeaveToReferenceError("the reference evaluator finds nothing wrong where native code did")
        self._violated(verdict, predicate, f"{word} {predicate.name} is violated", step, count)

    def _tell_unmet(self, step: Path, count: int) -> None:
        """The obligation of the action of the last step."""
        action = step[-1][0]
        duty = None if action is None else self.model.obligation_of(action)
        if duty is None:
            return
        try:
            is_met = duty.met_by(step[-2][1], step[-1][1]) is not None
        except EvaluationError as error:
            self._failed(error, step, duty.alternatives[0])
            return
        if is_met:
            raise LeaveToReferenceError("the reference evaluator finds an obligation met where native code did not")
        self._report(("property", duty.name), lambda: unmet(self.model, duty, step), count)

    def _tell_once(self, incident: Incident, path: list[tuple[int | None, State]]) -> None:
        """In a search in order, what is wrong is known: to evaluate it again might come to something else."""
        if incident.words is not None:
            path.append((incident.action, self.engine.state(incident.words)))
        if incident.kind is Outcome.DEADLOCK:
            self._report(("deadlock", None), lambda: deadlock(self.model, path))
        elif incident.kind in (Outcome.FAILED, Outcome.FAILED_CHECK):
            error = self.engine.failed
            if error is None:
                raise LeaveToReferenceError("it is not known why a state could not be evaluated")
            self._failed(error, path, None if incident.kind is Outcome.FAILED else self.engine.refused)
        elif incident.kind is Outcome.BAD_STEP:
            rule = self.engine.refused
            self._violated("property", rule, f"Action property {rule.name} is violated", path)
        else:
            predicate = self.engine.refused
            self._violated("invariant", predicate, f"Invariant {predicate.name} is violated", path)

    def _is_false(self, predicate: StatePredicate | ActionPredicate, path: Path, *states: State) -> bool:
        try:
            with self.engine.evaluating(predicate, states[-1]):
                return not predicate.holds(*states)
        except EvaluationError as error:
            self._failed(error, path, predicate)
            return False

    def _failed_expansion(self, path: list[tuple[int | None, State]]) -> None:
        try:
            for _ in self.model.successors(path[-1][1]):
                pass
        except EvaluationError as error:
            self._failed(error, path, None)
            return
        raise LeaveToReferenceError("the reference evaluator can expand what native code could not")

    def _failed_check(self, step: Path, state: State, successor: State) -> None:
        """An invariant, a constraint or an implied action that could not be evaluated."""
        model = self.model
        for predicate in model.constraints:
            self._is_false(predicate, step, successor)
        self._failed_among("invariant", "Invariant", model.invariants, step, successor)
        for rule in model.action_constraints:
            self._is_false(rule, step, state, successor)
        self._failed_among("property", "Action property", model.implied_actions, step, state, successor)
        duty = None if step[-1][0] is None else model.obligation_of(step[-1][0])
        for rule in () if duty is None else duty.alternatives:
            self._is_false(rule, step, state, successor)

    def _failed_among(
        self,
        verdict: Verdict,
        word: str,
        predicates: Sequence[StatePredicate] | Sequence[ActionPredicate],
        step: Path,
        *states: State,
    ) -> None:
        """If one of them fails, those before it that are false are violated; a search that goes on tells them, too."""
        if self.has_failed:
            return
        before = dict(self.violations)
        false = []
        for predicate in predicates:
            if self._is_false(predicate, step, *states):
                false.append(predicate)
            if self.has_failed:
                break
        if not (self.has_failed and self.options.keep_going):
            return
        failed, self.violations = self.violations, before
        for predicate in false:
            self._violated(verdict, predicate, f"{word} {predicate.name} is violated", step)
        self.violations |= {key: each for key, each in failed.items() if key not in self.violations}

    def _violated(
        self, verdict: Verdict, predicate: StatePredicate | ActionPredicate, message: str, path: Path, count: int = 1
    ) -> None:
        if self.violations and not self.options.keep_going:
            return
        self._report((verdict, predicate.name), lambda: violation(self.model, verdict, predicate, message, path), count)

    def _report(self, key: tuple[Verdict, str | None], describe: Callable[[], Violation], count: int = 1) -> None:
        known = self.violations.get(key)
        found, before = (describe(), 0) if known is None else (known, known.count)
        self.violations[key] = replace(found, count=before + count)

    def _failed(self, error: EvaluationError, path: Path, predicate: StatePredicate | ActionPredicate | None) -> None:
        if self.has_failed or (self.violations and not self.options.keep_going):
            return
        self.has_failed = True
        failure = self.model.failure(error)
        is_property = predicate in (*self.model.invariants, *self.model.implied_inits, *self.model.implied_actions)
        name = predicate.name if predicate is not None and is_property else None
        prefix = f"Evaluating {name} failed: " if name else ""
        trace = failed_trace(self.model, path, failure)
        found = Violation(
            failure.verdict,
            name,
            prefix + failure.message,
            trace if len(trace) else None,
            explanation=failure.explanation,
        )
        self.violations[failure.verdict, name] = found
        self.diagnostics = failure.diagnostics

    # -------------------------------------------------------------------------------------------------- what to say

    def _misfits(self, report: CoreReport) -> list[State]:
        """States that did not fit: successors of the one that was being expanded."""
        found = list(self.engine.misfits)
        if report.parent is not None and not self.engine.full and self.engine.journal is None:
            state = self.engine.state(self.core.state(report.parent))
            try:
                for _, successors in self.model.successors(state):
                    found += successors
            except EvaluationError:
                pass
        return found

    def _counts(self, distinct: int) -> list[int]:
        """How many different values each slot has in states from everywhere. None, if only fingerprints were kept."""
        found = []
        for number in range(0, distinct, max(1, distinct // _SPREAD)):
            with suppress(IndexError):
                found.append(array("I", self.core.state(number)).tobytes())
        return different(found, self.engine.generated.widths) if found else []

    def _result(self, report: CoreReport) -> Result:
        found = Counter(dict(enumerate(self.core.found)))
        found[NONE] = report.initial_distinct
        rows = coverage(self.model.actions, found, list(self.core.taken), report.initial_generated)
        first = next(iter(self.violations.values()), None)
        incomplete = None if self.violations or self._asked_to_stop else _incomplete(report, self.options.limits)
        verdict: Verdict = "incomplete" if incomplete else "ok"
        seconds = time.monotonic() - self.started
        pair = self.core.collision_odds()
        odds = None if pair is None else CollisionOdds(*pair)
        return Result(
            verdict=first.verdict if first else verdict,
            property=first.property if first else None,
            message=first.message if first else incomplete or NO_ERROR,
            distinct=report.distinct,
            generated=report.generated,
            depth=report.depth,
            queue=report.queue,
            seconds=seconds,
            search_seconds=self.searched,
            trace=first.trace if first else None,
            coverage=rows,
            caveats=tuple(self._caveats(report, rows, seconds, incomplete, odds)),
            obligations=obligations(self.model, self.engine.met),
            violations=tuple(self.violations.values()),
            diagnostics=self.diagnostics,
            graph=self._graph(report) if self.options.keep_graph else None,
            collision_odds=odds,
        )

    def _caveats(
        self,
        report: CoreReport,
        rows: Sequence[ActionCoverage],
        seconds: float,
        incomplete: str | None,
        odds: CollisionOdds | None,
    ) -> Iterator[str]:
        if self.violations and not self.is_all_told:
            yield "Not everything that was found wrong is told and counted here: the run was ended before."
        if self.violations and not self.options.keep_going:
            return
        yield from caveats(self.model, rows, cut=report.cut, queue=report.queue, asked=self._asked_to_stop)
        if odds is not None:
            yield of_fingerprints(odds)
            yield "What holds vacuously has not been looked for: that takes the states themselves."
        elif not (incomplete or self.violations or report.queue):
            states = Explored(self.engine, self.core, report.distinct)
            yield from self.model.remarks(states, patience(seconds, self.options.limits.seconds), never_taken(rows))


_KINDS: dict[Outcome, tuple[Verdict, str]] = {
    Outcome.BAD_STATE: ("invariant", "An invariant is violated"),
    Outcome.BAD_STEP: ("property", "An action property is violated"),
    Outcome.UNMET: ("property", "A step does not satisfy what is asked of its action"),
    Outcome.DEADLOCK: ("deadlock", "Deadlock: no action is possible"),
    Outcome.FAILED: ("error", "An evaluation has failed"),
    Outcome.FAILED_CHECK: ("error", "An evaluation has failed"),
}
_SPREAD = 3_000  # states that tell for which slots there are too many values
_DECODED = 20_000  # states that are remembered as Python has them


class Explored(Sequence[State]):
    """The states found, decoded on demand."""

    def __init__(self, engine: Engine, core: NativeSearch, count: int) -> None:
        self.engine, self.core, self.size = engine, core, count
        self.known: dict[int, State] = {}

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int | slice) -> State | list[State]:  # type: ignore[override]
        if isinstance(index, slice):
            return [self.engine.state(self.core.state(each)) for each in range(*index.indices(self.size))]
        if index < 0:
            index += self.size
        if not 0 <= index < self.size:
            raise IndexError(index)
        found = self.known.get(index)
        if found is None:
            if len(self.known) >= _DECODED:
                self.known.clear()
            found = self.known[index] = self.engine.state(self.core.state(index))
        return found

    def ever(self, predicates: Sequence[Code]) -> list[bool | None]:
        """Of each, whether it is true of a state; None if compiled code cannot tell."""
        self.engine.further.prepare([(code, False) for code in predicates])
        return ever_true(self.engine, self.core, predicates, self.size)

    def has_compiled(self, predicates: Sequence[Code]) -> bool:
        return self.engine.further.has(predicates)


def _first_too_many(limits: Limits) -> int | None:
    return None if limits.states is None else limits.states + 1


def _incomplete(report: CoreReport, limits: Limits) -> str | None:
    if report.outcome is Outcome.INTERRUPTED:
        return "Interrupted"
    if report.outcome is not Outcome.LIMIT:
        return None
    match report.limit:
        case Limit.DEPTH:
            return f"The depth limit of {limits.depth} was reached"
        case Limit.SECONDS:
            return limits.time_is_up()
        case Limit.MEMORY:
            if limits.memory is None:
                return "There is no more memory"
            return f"The memory limit of {limits.memory >> 20} MB was reached"
        case Limit.STATES:
            return limits.too_many(report.distinct)
    return "There is no more room on the disk"
