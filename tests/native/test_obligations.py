"""Obligations: what every step by one action must satisfy, in both engines."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gristmill.building import build
from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.ir.model import Model, Obligation
from gristmill.ir.verify import BrokenIRError, verify
from gristmill.search import Result

_COUNTER = r"""---- MODULE Counter ----
EXTENDS Naturals
CONSTANTS P, Max
VARIABLES n, last
Init == n = [p \in P |-> 0] /\ last = 0
Up(p) == n[p] < Max /\ n' = [n EXCEPT ![p] = @ + 1] /\ last' = p
Down(p) == n[p] > 1 /\ n' = [n EXCEPT ![p] = @ - 1] /\ last' = p
Jump == \E p \in P : n[p] = 1 /\ n' = [n EXCEPT ![p] = Max] /\ last' = p
Next == (\E p \in P : Up(p) \/ Down(p)) \/ Jump
Grows == \E p \in P : n'[p] = n[p] + 1
Shrinks == \E p \in P : n'[p] = n[p] - 1
Small == \A p \in P : n'[p] < 3
Never == n' # n'
====
"""
_CONFIG = (
    "INIT Init\nNEXT Next\nCONSTANTS P = {1, 2, 3}\nMax = 4\nACTION_CONSTRAINTS Grows Shrinks Small Never\n"
    "CHECK_DEADLOCK FALSE\n"
)


def _model(obligations: Mapping[str, Sequence[str]], config: str = _CONFIG) -> Model:
    """With obligations in place of the action constraints, which are formulas of steps."""
    model = build(_COUNTER, config=config).model
    formulas = {each.name: each for each in model.action_constraints}
    numbers = {each.name: number for number, each in enumerate(model.actions)}
    duties = tuple(
        Obligation(f"duty of {action}", numbers[action], tuple(formulas[name] for name in alternatives))
        for action, alternatives in obligations.items()
    )
    found = replace(model, obligations=duties, action_constraints=())
    with found.world.active():
        verify(found)
    return found


def _both(obligations: Mapping[str, Sequence[str]], **options: Any) -> Result:
    """The result, which is the same by both engines and any number of workers."""
    results = [
        check(_model(obligations), Options(engine=engine, workers=workers, **options))
        for engine, workers in (("python", 1), ("native", 1), ("native", 2))
    ]
    assert [each.engine for each in results] == ["python", "native", "native"]
    expected = results[0]
    for result in results[1:]:
        assert _told(result) == _told(expected)
        assert (result.distinct, result.generated, result.depth) == (
            expected.distinct,
            expected.generated,
            expected.depth,
        )
    return expected


def _told(result: Result) -> list[object]:
    failures = [
        (each.property, each.message, each.count, [(s.action, s.parameters, s.shown) for s in each.trace or ()])
        for each in result.violations
    ]
    failed = {each.property for each in result.violations}
    went_through = not result.queue  # else one engine may have looked at more steps than the other
    met = [each for each in result.obligations if went_through and each.name not in failed]
    return [result.verdict, failures, met]


def test_an_obligation_is_of_the_steps_of_its_action_alone() -> None:
    without = check(_model({}), Options(engine="python"))
    result = _both({"Up": ["Grows"], "Down": ["Shrinks"]})
    assert result.verdict == "ok"
    assert (result.distinct, result.generated) == (without.distinct, without.generated)


def test_a_failing_step_names_its_action_and_parameters_on_a_shortest_trace() -> None:
    result = _both({"Jump": ["Grows"]})
    assert result.verdict == "property"
    assert result.property == "duty of Jump"
    assert result.message == "A step of Jump does not satisfy duty of Jump"
    assert result.trace is not None
    *_, before, last = result.trace
    assert len(result.trace) == 3
    assert (last.action, dict(last.parameters)) == ("Jump", {"p": 1})
    assert (before.state["last"], last.state["last"]) == (1, 1)


def test_one_alternative_is_enough_and_those_that_were_used_are_told() -> None:
    result = _both({"Up": ["Shrinks", "Grows", "Small"], "Down": ["Small", "Shrinks"]})
    assert result.verdict == "ok"
    assert [(each.action, each.used) for each in result.obligations] == [
        ("Up", ("Grows",)),
        ("Down", ("Small", "Shrinks")),
    ]


def test_the_first_failing_step_of_each_action() -> None:
    result = _both({"Up": ["Small"], "Down": ["Grows"], "Jump": ["Grows"]}, each_obligation=True)
    assert {each.property: each.count for each in result.violations} == {
        "duty of Up": 1,
        "duty of Down": 1,
        "duty of Jump": 1,
    }
    without = check(_model({}), Options(engine="python"))
    assert (result.distinct, result.generated) == (without.distinct, without.generated)


def test_all_failing_steps_are_counted_if_the_search_goes_on() -> None:
    result = _both({"Jump": ["Grows"]}, keep_going=True)
    (found,) = result.violations
    (row,) = [each for each in result.coverage if each.name == "Jump"]
    assert found.count == row.generated  # it always jumps by more than one


def test_an_obligation_that_nothing_can_meet() -> None:
    result = _both({"Down": ["Never"]})
    assert result.property == "duty of Down"


def test_an_action_has_one_obligation() -> None:
    model = _model({"Up": ["Grows"]})
    with model.world.active(), pytest.raises(BrokenIRError, match="two obligations"):
        verify(replace(model, obligations=model.obligations * 2))


def test_native_code_agrees_on_random_obligations() -> None:
    names, actions = ["Grows", "Shrinks", "Small", "Never"], ["Up", "Down", "Jump"]
    choose = random.Random(7)
    for _ in range(6):
        duties = {each: choose.sample(names, choose.randint(1, 3)) for each in choose.sample(actions, 2)}
        _both(duties, each_obligation=choose.random() < 0.5)
