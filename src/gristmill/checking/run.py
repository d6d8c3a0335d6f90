"""One run: assumptions, the search, temporal properties, postconditions. An engine explores the states for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol

from gristmill.checking import growth
from gristmill.checking.headline import with_what_was_checked
from gristmill.checking.options import Options
from gristmill.checking.taken import with_parameters
from gristmill.evaluate.compiler import Compiler
from gristmill.evaluate.context import Context, Warning
from gristmill.evaluate.evaluator import Evaluator
from gristmill.evaluate.random_constants import draw_constants
from gristmill.explain.coverage import Counts
from gristmill.explain.formulas import explain, undisturbed
from gristmill.ir.levels import CONSTANT, level
from gristmill.ir.model import Model, Named
from gristmill.ir.walk import operators_in
from gristmill.reference.model import SpecificationModel, failure_of, possible_counts
from gristmill.reference.statistics import UNKNOWN_STATISTIC, Statistics
from gristmill.search import Limits, Result, Verdict, Violation
from gristmill.search.budget.limits import NO_MEMORY
from gristmill.search.on_the_fly import Interim, TimedInterim
from gristmill.search.profile import Costs, Kind, Part, Profile, Stopwatch
from gristmill.search.verdict import CONFIGURATION_ERROR
from gristmill.source import Diagnostic, stack
from gristmill.source.stack import is_no_room_for_a_thread, with_deep_stack
from gristmill.symmetry.ambiguous_choice import ChoiceMonitor
from gristmill.symmetry.permuted_values import Moved
from gristmill.symmetry.verify import with_symmetry_verified
from gristmill.values import EvaluationError, Value

if TYPE_CHECKING:
    from gristmill.temporal.run import TemporalRun


_TO_SEE_WHAT_GROWS = 0.5  # seconds
_MOST_GROWING = 3  # variables


class Explorer(Protocol):
    """What explores the states of a run. `engine`: what has done so, in the end."""

    engine: Literal["python", "native"]

    def breadth_first(self, searchable: SpecificationModel, limits: Limits, interim: Interim | None) -> Result:
        """Search all states, as `search.breadth_first` does."""

    def profile(self, profile: Profile, result: Result) -> Profile:
        """With what each part of the model cost."""

    def close(self) -> None:
        """Nothing more will be asked."""


def watched(run: Callable[[], Result], limits: Limits) -> Result:
    """The result of a run that ends in time, even if a single expression does not terminate or takes all memory."""
    watchdog = stack.Watchdog(limits.seconds)
    try:
        return honest(with_deep_stack(run, watchdog), watchdog)
    except KeyboardInterrupt:
        return Result("incomplete", message=watchdog.message)
    except MemoryError:
        return Result("incomplete", message=NO_MEMORY)
    except RuntimeError as error:
        if not is_no_room_for_a_thread(error):
            raise
        return Result("incomplete", message=NO_MEMORY)


def honest(result: Result, watchdog: stack.Watchdog) -> Result:
    """Who was told to end may have left something out."""
    if watchdog.told is None or result.verdict not in ("ok", "incomplete"):
        return result
    is_told = result.verdict == "incomplete" and result.message != "Interrupted"
    return result if is_told else replace(result, verdict="incomplete", message=watchdog.message)


class Check:
    """One run. `explorer` makes what explores the states."""

    def __init__(self, model: Model, options: Options, explorer: Callable[[Check], Explorer]) -> None:
        self.model, self.options = model, options
        self.warnings: list[Diagnostic] = list(model.warnings)
        self.context = Context(
            model.variables,
            output=options.output,
            warn=self.warn,
            permissions=options.permissions,
            seed=options.seed,
        )
        self.statistics = Statistics(model, seed=options.seed)
        self.statistics.attach(self.context)
        self.counts = Counts(model) if options.expression_coverage else None
        is_monitored = model.symmetry is not None and self.counts is None  # what it evaluates would be counted
        self.choices = ChoiceMonitor() if is_monitored else None
        hook = self.counts or self.choices
        compiler = hook.compiler() if hook is not None else Compiler
        self.evaluator = Evaluator(model.variables, self.context, compiler=compiler)
        self.temporal: TemporalRun | None = None
        self.started = time.monotonic()
        self.stopwatch = Stopwatch()
        self.costs = Costs()  # of the reference evaluator, if a profile is wanted
        self.explorer = explorer(self)

    def warn(self, warning: Warning) -> None:
        self.warnings.append(Diagnostic(warning.id, warning.message, warning.span, severity="warning"))

    def run(self) -> Result:
        try:
            return replace(self._run(), engine=self.explorer.engine)
        finally:
            self.explorer.close()

    def _run(self) -> Result:
        try:
            with self.stopwatch.during("assumptions"):
                broken = self.broken_assumption()
            result = broken or self.search()
        except EvaluationError as error:
            result = self.failed(error)
        result = with_what_was_checked(result, self.model)
        if self.counts is not None:
            result = replace(result, expressions=self.counts.rows())
        seconds = time.monotonic() - self.started
        # Like TLC, count the states between the two actions of `A \\cdot B`.
        generated = result.generated + self.context.intermediate
        messages = (*result.diagnostics, *self.warnings)
        profile = self.profile(result) if self.options.profile else None
        return replace(result, seconds=seconds, generated=generated, diagnostics=messages, profile=profile)

    def profile(self, result: Result) -> Profile:
        return self.explorer.profile(Profile(self.stopwatch.phases()), result)

    def failed(self, error: EvaluationError) -> Result:
        failure = failure_of(error)
        return Result(failure.verdict, message=failure.message, diagnostics=failure.diagnostics)

    def broken_assumption(self) -> Result | None:
        for constant in self.model.constants:
            try:
                self.evaluator.value(constant.code)()
            except EvaluationError as error:
                return self.failed_constant(error)
        for assumption in self.model.assumptions:
            try:
                holds = self.evaluator.predicate(assumption.code)()
            except EvaluationError as error:
                return replace(self.failed(error), property=assumption.name)
            if not holds:
                diagnostic = Diagnostic("assumption-false", f"{assumption.name} is false", assumption.code.span)
                found = self.false("assumption", assumption, f"{assumption.name} is false")
                return Result(
                    "assumption", found.property, found.message, diagnostics=(diagnostic,), violations=(found,)
                )
        for claim in self.model.claims:
            if not self.evaluator.predicate(claim.code)():
                message = f"{claim.name} is trivially false: a part of it that speaks of constants alone is"
                diagnostic = Diagnostic("trivially-false", message, claim.code.span)
                return Result("error", claim.name, message, diagnostics=(diagnostic,))
        return self.constraint_without_states()

    def failed_constant(self, error: EvaluationError) -> Result:
        """A definition that stands for a constant cannot be evaluated. As for TLC, it is an assumption that needs it
        that has failed, or, if it asks for what only a search knows, the configuration."""
        failed = self.failed(error)
        if error.id == UNKNOWN_STATISTIC:
            return replace(failed, status=CONFIGURATION_ERROR)
        for assumption in self.model.assumptions:
            try:
                self.evaluator.predicate(assumption.code)()
            except EvaluationError as its:
                return replace(self.failed(its), property=assumption.name)
        return failed

    def constraint_without_states(self) -> Result | None:
        """As TLC does, refuse a constraint that is FALSE whatever the state: nothing would be explored."""
        for constraint in (*self.model.constraints, *self.model.action_constraints):
            if _is_constant(constraint) and not self.evaluator.predicate(constraint.code)():
                message = f"the constraint {constraint.name} is FALSE in every state: nothing would be explored"
                diagnostic = Diagnostic("constraint-false", message, constraint.code.span)
                return Result("error", constraint.name, message, diagnostics=(diagnostic,), status=CONFIGURATION_ERROR)
        return None

    def search(self) -> Result:
        if self.model.init is None and not self.model.actions:
            return Result("ok")
        with self.stopwatch.during("prepare"):
            searchable = SpecificationModel(self.model, self.evaluator)
        if self.options.profile:
            searchable.measure(self.costs)
        self.statistics.searchable = searchable
        draw_constants(self.model, self.evaluator)
        self.temporal = self.temporal_run(searchable)
        result = self.explore(searchable)
        if result.verdict == "incomplete" and result.queue and self.says_what_grows:
            result = self.with_growth(result, searchable)
        if self.temporal is not None:
            with self.stopwatch.during("temporal"):
                result = self.temporal.decided(result)
        if result.verdict == "ok":
            result = self.impossible(result) or self.broken_postcondition(result) or result
        return with_parameters(result, searchable) if self.options.keep_graph else replace(result, graph=None)

    says_what_grows = True

    def with_growth(self, result: Result, searchable: SpecificationModel) -> Result:
        """An unbounded model is mostly no intention: which variable has no bound, as far as can be seen."""
        given = self.options.limits.seconds
        seconds = _TO_SEE_WHAT_GROWS if given is None else min(_TO_SEE_WHAT_GROWS, given / 10)
        growing = growth.growing(searchable, seconds)[:_MOST_GROWING]
        return replace(result, caveats=(*result.caveats, growth.sentence(growing))) if growing else result

    def temporal_run(self, searchable: SpecificationModel) -> TemporalRun | None:
        if not self.model.temporal:
            return None
        from gristmill.temporal.run import TemporalRun  # most runs need none of it, and start-up is felt

        limits, on_progress = self.options.limits, self.options.on_progress
        return TemporalRun(searchable, self.context, limits, on_progress, self.explorer.breadth_first)

    def explore(self, searchable: SpecificationModel) -> Result:
        if self.choices is not None and searchable.symmetry is not None:
            self.choices.moved = Moved(searchable.symmetry.moved)
        registers = dict(self.context.registers)
        interim = self.temporal.interim if self.temporal else None
        result = self.explorer.breadth_first(searchable, self.options.limits, interim)
        if searchable.symmetry is None:
            return result
        with self.stopwatch.during("symmetry"):
            repeat = partial(self.without_symmetry, searchable, registers)
            return with_symmetry_verified(result, self.model, searchable, self.choices, repeat)

    def without_symmetry(self, searchable: SpecificationModel, registers: dict[Value, Value], most: int) -> Result:
        """The search once more, of all states. Nothing of what it prints or counts is seen outside.

        `registers`: what they were when the search began.
        """
        options, symmetry, counted = self.options, searchable.symmetry, self.context.intermediate
        self.options = replace(options, checkpoint=None, resume=False, keep_graph=False)
        searchable.symmetry = None
        try:
            with undisturbed(self.context):
                self.context.registers.clear()
                self.context.registers.update(registers)
                return self.explorer.breadth_first(searchable, replace(self.remaining_limits(), states=most), None)
        finally:
            self.options, searchable.symmetry, self.context.intermediate = options, symmetry, counted

    def remaining_limits(self) -> Limits:
        return self.options.limits.after(time.monotonic() - self.started, 0.001)

    def timed(self, interim: Interim | None) -> Interim | None:
        return None if interim is None else TimedInterim(interim, self.stopwatch)

    def impossible(self, result: Result) -> Result | None:
        """Predicates that ought to be true somewhere, and never were."""
        counts = possible_counts(self.context.registers)
        never = [formula.name for formula in self.model.possible if not counts.get(formula.name, 0)]
        if not never:
            return None
        message = f"{', '.join(never)}: true of nothing that was explored"
        return replace(result, verdict="postcondition", property=never[0], message=message)

    def broken_postcondition(self, result: Result) -> Result | None:
        for condition in self.model.postconditions:
            if not self.evaluator.predicate(condition.code)():
                found = self.false("postcondition", condition, f"the postcondition {condition.name} is false")
                return replace(
                    result,
                    verdict="postcondition",
                    property=condition.name,
                    message=found.message,
                    violations=(*result.violations, found),
                )
        return None

    def false(self, verdict: Verdict, formula: Named, message: str) -> Violation:
        """Something that is false without a behaviour to show for it."""
        explanation = explain(self.evaluator, formula.code)
        return Violation(verdict, formula.name, message, location=formula.code.span, explanation=explanation)


def _is_constant(formula: Named) -> bool:
    """Whether its value is the same in every state; that of `TLCGet("level")` is not."""
    body = formula.code.body
    return level(body) == CONSTANT and not any(operator.effects for operator in operators_in(body))


def parts_of(model: Model) -> Iterator[tuple[Kind, Sequence[str]]]:
    """Names of everything that is evaluated in a search; those of instances of an action once."""
    yield "initial", ["Init"]
    yield "action", list(dict.fromkeys(branch.code.name for branch in model.branches))
    yield "invariant", [each.name for each in model.invariants]
    yield "implied_init", [each.name for each in model.implied_inits]
    yield "constraint", [each.name for each in model.constraints]
    yield "action_constraint", [each.name for each in model.action_constraints]
    yield "implied_action", [each.name for each in model.implied_actions]
    yield "obligation", list(dict.fromkeys(each.name for duty in model.obligations for each in duty.alternatives))


def with_counts(parts: Iterator[Part], result: Result) -> Iterator[Part]:
    """Parts, each action with the states that it has generated."""
    generated: dict[str, int] = {}
    distinct: dict[str, int] = {}
    for row in result.coverage:
        name = "" if row.initial else row.name
        generated[name] = generated.get(name, 0) + row.generated
        distinct[name] = distinct.get(name, 0) + row.distinct
    for part in parts:
        name = "" if part.kind == "initial" else part.name
        if part.kind in ("initial", "action") and name in generated:
            part = replace(part, generated=generated[name], distinct=distinct[name])
        yield part
