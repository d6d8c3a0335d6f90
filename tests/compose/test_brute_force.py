"""Dependency variables against brute force, on specifications of our own; `brute_force.py` takes any."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from brute_force import compare, of_each_action
from specimen import CONFIG, LEASE, MODULES

from gristmill.building import build
from gristmill.compose.split.partition import proposed
from gristmill.compose.variables.dependency import Dependencies
from gristmill.compose.variables.modules import Variables, analyse

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = [
    EXAMPLES / "TwoPhase.tla",
    *sorted(each for each in EXAMPLES.glob("book/*/*.tla") if each.with_suffix(".cfg").exists()),
]


def test_of_modules_with_slices() -> None:
    model = build(LEASE, config=CONFIG).model
    with model.world.active():
        found = compare(model, analyse(model, MODULES, slices={"net": "type"}), pairs=200)
    assert found.wrong == []
    assert found.possible > 100


@pytest.mark.parametrize("path", FILES, ids=[each.stem for each in FILES])
def test_of_each_action(path: Path) -> None:
    model = build(path).model
    if not model.actions:
        pytest.skip("no behaviours")
    with model.world.active():
        found = compare(model, of_each_action(model), count=80, seconds=3, pairs=15)
    assert found.wrong == []


@pytest.mark.parametrize("name", ["Lease", "Store"])
def test_a_missing_variable_is_noticed(name: str) -> None:
    """Brute force can tell: without any one of its dependency variables, a module differs in states that agree."""
    model = build(LEASE, config=CONFIG).model
    with model.world.active():
        variables = analyse(model, MODULES, slices={"net": "type"})
        for slot in variables.modules[name].dependencies.slots:
            less = variables.modules[name].dependencies.slots - {slot}
            assert compare(model, _with(variables, name, less), pairs=300).wrong, variables.text(slot)


def _with(variables: Variables, name: str, slots: frozenset[object]) -> Variables:
    module = replace(variables.modules[name], dependencies=Dependencies(slots, {}))  # type: ignore[arg-type]
    return replace(variables, modules={name: module})


def test_of_a_proposal() -> None:
    model = build(EXAMPLES / "TwoPhase.tla").model
    variables = proposed(model).variables
    with model.world.active():
        assert compare(model, variables, pairs=60).wrong == []
