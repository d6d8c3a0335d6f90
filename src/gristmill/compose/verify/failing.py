"""A step that is no step of the coarse grain: both sides beside each other, and why no coarse action fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gristmill.compose.verify.result import Candidate, Change, FailingStep
from gristmill.compose.verify.steps import Duties
from gristmill.compose.verify.visible import View
from gristmill.evaluate.context import Context
from gristmill.evaluate.evaluator import Evaluator
from gristmill.explain.blocked import blocked
from gristmill.ir.model import Action
from gristmill.search import Result, State
from gristmill.search.result import Violation
from gristmill.trace import Shown
from gristmill.values import EvaluationError, show

_MOST_TRIED = 200  # coarse steps that are compared with the fine one


def failing_steps(duties: Duties, view: View, result: Result) -> Iterator[FailingStep]:
    """Of a search that went on after each of them."""
    obliged = {each.name: each for each in duties.model.obligations}
    with duties.model.world.active():
        for violation in result.violations:
            if violation.property in obliged and violation.trace is not None:
                yield _failing(duties, view, violation)


def _failing(duties: Duties, view: View, violation: Violation) -> FailingStep:
    assert violation.trace is not None
    before, last = violation.trace.steps[-2:]
    model = duties.model
    names = (*view.observed, *view.foreign)
    evaluator = Evaluator(model.variables, Context(model.variables, output=lambda *_: None))
    state = tuple(before.state[name] for name in model.variables)
    duty = next(each for each in model.obligations if each.name == violation.property)
    candidates = [each.name for each in duty.alternatives if each.name in duties.coarse]
    return FailingStep(
        view.unit.name,
        last.action or "",
        tuple((name, show(value)) for name, value in last.parameters),
        tuple(_changes(names, {**before.state, **duties.unknowns}, last.state)),
        tuple(_candidate(duties, evaluator, name, state, last.state, names) for name in candidates),
        violation.trace,
    )


def _changes(names: Sequence[str], before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[Change]:
    for name in names:
        if before[name] != after[name]:
            yield Change(name, show(before[name]), show(after[name]))  # type: ignore[arg-type]


def _candidate(
    duties: Duties, evaluator: Evaluator, name: str, state: State, fine: Mapping[str, object], names: Sequence[str]
) -> Candidate:
    code, variables = duties.coarse[name], duties.model.variables
    action = Action(name, code, code.span)
    try:
        steps = evaluator.steps(code, [])(state)[:_MOST_TRIED]
    except EvaluationError as error:
        return Candidate(name, (), (), (Change("(it cannot be evaluated here)", "", "", str(error)),))
    if not steps:
        return Candidate(name, tuple(blocked(evaluator, action, state)))
    compared = [_differences(names, variables, duties.unknowns, state, fine, successor) for _, successor in steps]
    return Candidate(name, differences=min(compared, key=len))


def _differences(
    names: Sequence[str],
    variables: Sequence[str],
    unknowns: Mapping[str, object],
    state: State,
    fine: Mapping[str, object],
    coarse: State,
) -> tuple[Change, ...]:
    before = {**dict(zip(variables, state, strict=True)), **unknowns}
    after = dict(zip(variables, coarse, strict=True))
    return tuple(
        Change(name, show(before[name]), show(fine[name]), show(after[name]))  # type: ignore[arg-type]
        for name in names
        if after[name] != fine[name]
    )


def parameters_text(parameters: Shown) -> str:
    return f"({', '.join(f'{name} = {value}' for name, value in parameters)})" if parameters else ""
