"""Dependency, interaction and internal variables, as the papers define them."""

from __future__ import annotations

from typing import Any

import pytest
from specimen import CONFIG, LEASE, MODULES

from gristmill.building import build
from gristmill.compose.variables.dependency import Computed, Guard
from gristmill.compose.variables.modules import Variables, analyse
from gristmill.compose.variables.slots import ordered

HEAD = """---- MODULE Test ----
EXTENDS Naturals
VARIABLES x, y, z, f
Init == x = 0 /\\ y = 0 /\\ z = 0 /\\ f = [i \\in {1, 2} |-> [a |-> 0, b |-> 0]]
"""


def variables(body: str, modules: dict[str, list[str]], **options: Any) -> Variables:
    names = " \\/ ".join(name for actions in modules.values() for name in actions)
    model = build(f"{HEAD}{body}\nNext == {names}\n====", config="INIT Init\nNEXT Next").model
    return analyse(model, modules, **options)


def texts(found: Variables, slots: Any) -> list[str]:
    with found.world.active():
        return [found.text(slot) for slot in ordered(slots)]


def of(found: Variables, module: str) -> list[str]:
    return texts(found, found.modules[module].dependencies.slots)


@pytest.fixture(scope="module")
def lease() -> Variables:
    return analyse(build(LEASE, config=CONFIG).model, MODULES, slices={"net": "type"})


def test_dependencies_at_the_grain_of_slots(lease: Variables) -> None:
    assert of(lease, "Lease") == ["holder", "epoch", "asked", "granted", "net.ask", "net.grant"]
    assert of(lease, "Store") == ["holder", "store[*].data", "copies", "net.copy"]
    assert of(lease, "environment") == ["holder"]


def test_what_is_shared_and_what_is_not(lease: Variables) -> None:
    assert texts(lease, lease.interaction.slots) == ["holder"]
    assert texts(lease, lease.modules["Lease"].internal) == ["epoch", "asked", "granted", "net.ask", "net.grant"]
    assert lease.modules["Store"].droppable == ("store", "copies")


def test_who_writes_the_internals_of_others(lease: Variables) -> None:
    found = [(lease.text(slot), owner, by) for slot, owner, by in lease.modules["environment"].foreign]
    assert found == [("asked", "Lease", "Crash"), ("granted", "Lease", "Crash"), ("store", "Store", "Crash")]


def test_ghosts_are_recognised(lease: Variables) -> None:
    assert texts(lease, lease.ghost_slots) == ["store[*].at", "history"]
    assert lease.invariants == {"OneEach": ("history",)}


def test_a_declared_ghost_that_is_read_is_reported() -> None:
    found = variables("A == x < 2 /\\ x' = x + 1 /\\ y' = x /\\ UNCHANGED <<z, f>>", {"M": ["A"]}, ghosts=["x"])
    assert [(each.variable, each.into is None) for each in found.ghost_reads] == [("x", True), ("x", False)]
    assert of(found, "M") == []


def test_the_path_leads_to_a_guard() -> None:
    body = """A == x > 0 /\\ x' = y /\\ UNCHANGED <<y, z, f>>
B == y' = (IF z > 0 THEN 1 ELSE 2) /\\ UNCHANGED <<x, z, f>>"""
    found = variables(body, {"M": ["A", "B"]})
    assert of(found, "M") == ["x", "y", "z"]
    with found.world.active():
        path = found.modules["M"].dependencies.path(
            next(s for s in found.modules["M"].dependencies.slots if s.variable == 2)
        )
    assert [type(reason) for _, reason in path] == [Computed, Computed, Guard]
    control, reads, guard = (reason for _, reason in path)
    assert isinstance(control, Computed)
    assert isinstance(reads, Computed)
    assert (control.action, control.kind) == ("B", "control")
    assert (reads.action, reads.kind) == ("A", "reads")
    assert (guard.action, guard.span.text) == ("A", "x > 0")


CASES = [
    # x' = y counts, though y is a single variable
    ("A == x > 0 /\\ x' = y /\\ UNCHANGED <<y, z, f>>", ["x", "y"]),
    # a value of the next state is computed from what it was assigned from
    ("A == x > 0 /\\ y' = z /\\ x' = y' /\\ UNCHANGED <<z, f>>", ["x", "z"]),
    # x' = x depends on nothing new, nor does what nobody looks at
    ("A == x > 0 /\\ x' = x /\\ y' = z /\\ UNCHANGED <<z, f>>", ["x"]),
    # EXCEPT: the other fields are computed from themselves; @ is the old value
    ("A == f[1].a > 0 /\\ f' = [f EXCEPT ![1].b = x] /\\ UNCHANGED <<x, y, z>>", ["f[1].a"]),
    ("A == f[1].a > 0 /\\ f' = [f EXCEPT ![1].a = @ + x] /\\ UNCHANGED <<x, y, z>>", ["x", "f[1].a"]),
    # what decides where it is written is a part of the computation
    ("A == f[1].a > 0 /\\ f' = [f EXCEPT ![y].a = 1] /\\ UNCHANGED <<x, y, z>>", ["y", "f[1].a"]),
    # control: IF and the guard of a disjunct
    ("A == x > 0 /\\ x' = (IF y > 0 THEN 1 ELSE 2) /\\ UNCHANGED <<y, z, f>>", ["x", "y"]),
    ("A == x > 0 /\\ ((z > 0 /\\ x' = 1) \\/ x' = 2) /\\ UNCHANGED <<y, z, f>>", ["x", "z"]),
    # a test that repeats what was tested before, under a condition
    ("A == x > 0 /\\ (IF y > 0 THEN x > 5 ELSE TRUE) /\\ z' = 1 /\\ UNCHANGED <<x, y, f>>", ["x", "y"]),
]


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_computed_from(body: str, expected: list[str]) -> None:
    assert of(variables(body, {"M": ["A"]}), "M") == expected


def test_the_two_definitions_of_interaction() -> None:
    """IPA's closure adds what another module computes an internal variable from; Remix's main text does not."""
    body = """A == x > 0 /\\ x' = 0 /\\ UNCHANGED <<y, z, f>>
B == x' = y /\\ UNCHANGED <<y, z, f>>
C == y' = y + 1 /\\ UNCHANGED <<x, z, f>>"""
    found = variables(body, {"M": ["A"], "N": ["B"], "K": ["C"]})
    assert texts(found, found.interaction.shared) == []
    assert texts(found, found.interaction.slots) == ["y"]  # of x, internal to M, by B (rule 3)


def test_interaction_variables_are_computed_from_what_is_known() -> None:
    body = """A == x > 0 /\\ UNCHANGED <<x, y, z, f>>
B == x < 3 /\\ UNCHANGED <<x, y, z, f>>
C == x' = z /\\ UNCHANGED <<y, z, f>>"""
    found = variables(body, {"M": ["A"], "N": ["B"], "K": ["C"]})
    assert texts(found, found.interaction.shared) == ["x"]
    assert texts(found, found.interaction.slots) == ["x", "z"]  # rule 2


def test_fields_that_are_not_shared_are_not_interaction() -> None:
    body = """A == f[1].a > 0 /\\ f' = [f EXCEPT ![1].a = 0] /\\ UNCHANGED <<x, y, z>>
B == f[1].b > 0 /\\ f' = [f EXCEPT ![1].b = 0] /\\ UNCHANGED <<x, y, z>>"""
    assert not variables(body, {"M": ["A"], "N": ["B"]}).interaction.slots
