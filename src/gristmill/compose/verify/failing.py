"""A step that is no step of the coarse grain: both sides beside each other, and why no coarse action fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gristmill.compose.verify.places import Places
from gristmill.compose.verify.result import Candidate, Change, FailingStep
from gristmill.compose.verify.steps import Duties
from gristmill.compose.verify.visible import View
from gristmill.evaluate.context import Context
from gristmill.evaluate.evaluator import Evaluator
from gristmill.explain.blocked import blocked
from gristmill.ir.model import Action
from gristmill.search import Result, State
from gristmill.search.result import Violation
from gristmill.trace import Trace
from gristmill.values import EvaluationError, Fn, Value, show

_MOST_TRIED = 200  # coarse steps that are compared with the fine one


def failing_steps(duties: Duties, view: View, result: Result, places: Places) -> Iterator[FailingStep]:
    """Of a search that went on after each of them."""
    obliged = {each.name: each for each in duties.model.obligations}
    with duties.model.world.active():
        for violation in result.violations:
            if violation.property in obliged and violation.trace is not None:
                yield _failing(duties, view, violation, places)


def _failing(duties: Duties, view: View, violation: Violation, places: Places) -> FailingStep:
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
        in_own_files(violation.trace, view, places),
    )


def in_own_files(trace: Trace, view: View, places: Places) -> Trace:
    """Actions of a composition are defined in the files of the system: nobody can look up the text of a composition."""
    assert view.composed is not None
    actions = {each.name: each for each in view.composed.actions}
    steps = [
        replace(step, location=places.action(actions[step.action]) if step.action in actions else None)
        for step in trace.steps
    ]
    return replace(trace, steps=tuple(steps))


def _changes(names: Sequence[str], before: Mapping[str, Value], after: Mapping[str, Value]) -> Iterator[Change]:
    for name in names:
        for part, (old, new) in _different_parts(name, (before[name], after[name])):
            yield Change(part, show(old), show(new))


def _different_parts(name: str, values: tuple[Value, ...]) -> Iterator[tuple[str, tuple[Value, ...]]]:
    """The least parts in which values of one variable differ: `state[s2]`, and not all of `state`."""
    first = values[0]
    if all(each == first for each in values):
        return
    for key in _keys(values):
        step = f".{key}" if type(first) is Fn and type(key) is str else f"[{show(key)}]"
        yield from _different_parts(name + step, tuple(_at(each, key) for each in values))
    if not _keys(values):
        yield name, values


def _keys(values: tuple[Value, ...]) -> list[Value]:
    """What leads to parts of all of these values; nothing if they are not functions on one domain."""
    first = values[0]
    if all(type(each) is tuple for each in values) and len({len(each) for each in values}) == 1:  # type: ignore[arg-type]
        return list(range(1, len(first) + 1))  # type: ignore[arg-type]
    if all(type(each) is Fn for each in values) and all(each.keys() == first.keys() for each in values):  # type: ignore[union-attr]
        return list(first.keys())  # type: ignore[union-attr]
    return []


def _at(function: Value, key: Value) -> Value:
    if type(function) is tuple:
        return function[key - 1]  # type: ignore[operator]
    assert type(function) is Fn
    return function[key]


def _candidate(
    duties: Duties, evaluator: Evaluator, name: str, state: State, fine: Mapping[str, Value], names: Sequence[str]
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
    unknowns: Mapping[str, Value],
    state: State,
    fine: Mapping[str, Value],
    coarse: State,
) -> tuple[Change, ...]:
    before = {**dict(zip(variables, state, strict=True)), **unknowns}
    after = dict(zip(variables, coarse, strict=True))
    return tuple(
        Change(part, show(old), show(one), show(other))
        for name in names
        if after[name] != fine[name]
        for part, (old, one, other) in _different_parts(name, (before[name], fine[name], after[name]))
        if one != other
    )
