"""What a partition has found wrong, put into words by the reference evaluator, which must find it as well."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.cluster.errors import MismatchError
from gristmill.reference.model import SpecificationModel
from gristmill.search.behaviour import Path, deadlock, failed_trace, violation
from gristmill.search.core.search import Outcome
from gristmill.search.model import ActionPredicate, StatePredicate
from gristmill.search.result import Violation
from gristmill.search.verdict import Verdict
from gristmill.source import Diagnostic
from gristmill.source.quick_dataclass import dataclass
from gristmill.values import EvaluationError


@dataclass(frozen=True, slots=True)
class Told:
    violation: Violation
    diagnostics: tuple[Diagnostic, ...] = ()


def told(model: SpecificationModel, kind: Outcome, path: Path) -> Told:
    """`path` ends with what is refused, or with what could not be expanded. Raises `MismatchError`."""
    if kind is Outcome.DEADLOCK:
        return Told(deadlock(model, path))
    if kind is Outcome.FAILED:
        found = _expansion(model, path)
    elif kind is Outcome.BAD_STATE:
        found = _first(model, "invariant", "Invariant", model.invariants, path, "is violated")
    elif kind is Outcome.BAD_STEP:
        found = _first(model, "property", "Action property", model.implied_actions, path, "is violated")
    else:
        found = _check(model, path)
    if found is None:
        raise MismatchError("the reference evaluator finds nothing wrong where native code did")
    return found


def told_of_initial(model: SpecificationModel, path: Path) -> Told | None:
    """What is wrong with an initial state."""
    return _first(model, "invariant", "Invariant", model.invariants, path, "is false initially") or _first(
        model, "property", "Property", model.implied_inits, path, "is false initially"
    )


def failed(
    model: SpecificationModel, error: EvaluationError, path: Path, predicate: StatePredicate | ActionPredicate | None
) -> Told:
    failure = model.failure(error)
    is_property = predicate in (*model.invariants, *model.implied_inits, *model.implied_actions)
    name = predicate.name if predicate is not None and is_property else None
    prefix = f"Evaluating {name} failed: " if name else ""
    trace = failed_trace(model, path, failure)
    return Told(
        Violation(
            failure.verdict,
            name,
            prefix + failure.message,
            trace if len(trace) else None,
            explanation=failure.explanation,
        ),
        failure.diagnostics,
    )


def _first(
    model: SpecificationModel,
    verdict: Verdict,
    word: str,
    predicates: Sequence[StatePredicate] | Sequence[ActionPredicate],
    path: Path,
    what: str,
) -> Told | None:
    """The first of some predicates that is false, or cannot be evaluated, at the end of a path."""
    for predicate in predicates:
        states = [state for _, state in path[-1 if isinstance(predicate, StatePredicate) else -2 :]]
        try:
            if predicate.holds(*states):
                continue
        except EvaluationError as error:
            return failed(model, error, path, predicate)
        return Told(violation(model, verdict, predicate, f"{word} {predicate.name} {what}", path))
    return None


def _expansion(model: SpecificationModel, path: Path) -> Told | None:
    try:
        for _ in model.successors(path[-1][1]):
            pass
    except EvaluationError as error:
        return failed(model, error, path, None)
    return None


def _check(model: SpecificationModel, path: Path) -> Told | None:
    """Something that could not be evaluated: in the order in which it is asked."""
    families: tuple[Sequence[StatePredicate] | Sequence[ActionPredicate], ...] = (
        model.constraints,
        model.invariants,
        model.action_constraints,
        model.implied_actions,
    )
    for family in families:
        for predicate in family:
            states = [state for _, state in path[-1 if isinstance(predicate, StatePredicate) else -2 :]]
            try:
                predicate.holds(*states)
            except EvaluationError as error:
                return failed(model, error, path, predicate)
    return None
