"""Of a successor, only what its step has changed is looked at: everything else was found to hold of its parent."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import pytest
from random_actions import BOTH, HELPERS, Predicates
from random_actions import HEAD as VARIABLES

import gristmill

HEAD = "---- MODULE Made ----\nEXTENDS Integers, Sequences, FiniteSets\n"


def both(text: str, **options: Any) -> gristmill.Result:
    module = f"{HEAD}{text}\n====\n"
    config = {"init": "Init", "next": "Next", "deadlock": False, **options}
    expected = gristmill.check(module, engine="python", **config)
    found = gristmill.check(module, engine="native", **config)
    assert found.engine == "native", found.diagnostics
    for name in ("verdict", "property", "distinct", "generated", "depth", "caveats"):
        assert getattr(found, name) == getattr(expected, name), name
    assert [(each.property, each.count) for each in found.violations] == [
        (each.property, each.count) for each in expected.violations
    ]
    return found


MANY_SLOTS = """VARIABLES low, high, turn
Set(f, i) == [f EXCEPT ![i] = IF turn = %d THEN 2 ELSE 1]
Init == low = [i \\in 1..40 |-> 0] /\\ high = [i \\in 1..40 |-> 0] /\\ turn = 1
Next == /\\ turn <= 80
        /\\ \\/ turn <= 40 /\\ low' = Set(low, turn) /\\ UNCHANGED high
           \\/ turn > 40 /\\ high' = Set(high, turn - 40) /\\ UNCHANGED low
           \\/ UNCHANGED <<low, high>>
        /\\ turn' = IF turn = 2 THEN 60 ELSE turn + 1
Small == low \\in [1..40 -> {0, 1}] /\\ high \\in [1..40 -> {0, 1}]
Few == \\A i \\in 1..40 : low[i] < 2 /\\ \\A k \\in 1..i : high[k] < 2
Bound == turn < 70"""


@pytest.mark.parametrize("slot", [1, 62, 63, 64, 65, 69])
@pytest.mark.parametrize("invariant", ["Small", "Few"])
def test_what_is_wrong_is_found_in_each_of_many_slots(slot: int, invariant: str) -> None:
    found = both(MANY_SLOTS % slot, invariants=[invariant], constraints=["Bound"], workers=1 + slot % 2)
    assert found.property == invariant


@pytest.mark.parametrize("workers", [1, 2])
def test_a_constraint_is_asked_of_what_has_changed(workers: int) -> None:
    text = """VARIABLES x, y, z
Init == x = 0 /\\ y = 0 /\\ z = 0
Next == \\/ x' = x + 1 /\\ UNCHANGED <<y, z>>
        \\/ y' = y + 1 /\\ UNCHANGED <<x, z>>
        \\/ z' = 1 - z /\\ UNCHANGED <<x, y>>
Bounded == x < 4 /\\ y < 5 /\\ x + y < 7
Right == /\\ z \\in {0, 1}
         /\\ x + y + z # 8 \\/ z = 0
         /\\ x = 4 => y < 2"""
    found = both(text, invariants=["Right"], constraints=["Bounded"], workers=workers)
    assert found.verdict == "invariant"
    assert both(text, constraints=["Bounded"], workers=workers).verdict == "ok"


def test_with_keep_going_a_parent_may_not_have_passed() -> None:
    text = """VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == \\/ x < 5 /\\ x' = x + 1 /\\ UNCHANGED y
        \\/ y < 5 /\\ y' = y + 1 /\\ UNCHANGED x
Low == x < 3
Lower == x + y < 7 /\\ y < 5"""
    found = both(text, invariants=["Low", "Lower"], continue_=True)
    counts = {each.property: each.count for each in found.violations}
    assert counts == {"Low": 18, "Lower": sum(1 for x in range(6) for y in range(6) if x + y >= 7 or y == 5)}


def test_what_is_read_through_definitions_and_enabled() -> None:
    text = """VARIABLES x, y
Init == x = 0 /\\ y = 0
Step == x < 4 /\\ x' = x + 1 /\\ UNCHANGED y
Other == y < 3 /\\ y' = y + 1 /\\ UNCHANGED x
Next == Step \\/ Other
Twice(n) == n + y
Sum[n \\in 0..9] == IF n = 0 THEN x ELSE 1 + Sum[n - 1]
Through == LET a == Twice(x) IN a < 20 /\\ Sum[2] < 7
Possible == ENABLED Step \\/ y < %d"""
    assert both(text % 9, invariants=["Through", "Possible"]).verdict == "ok"
    assert both(text % 3, invariants=["Through", "Possible"]).property == "Possible"
    changed = text.replace("Sum[2] < 7", "Sum[2] < 6")
    assert both(changed % 9, invariants=["Through", "Possible"]).property == "Through"


@pytest.mark.parametrize("seed", range(8))
def test_random_predicates_of_parts_of_a_state(seed: int) -> None:
    """Every step changes little, so that most predicates are not asked of most states: counts must be those of all."""
    rng = random.Random(f"inherited {seed}")
    generator = Predicates(rng)
    changes = [
        ("x' = (x + 1) % 3", "y, f, g, msgs"),
        ("y' = (y + 1) % 3", "x, f, g, msgs"),
        ("msgs' = (IF x \\in msgs THEN msgs \\ {x} ELSE msgs \\cup {x})", "x, y, f, g"),
        ('(\\E n \\in {"a", "b"} : f\' = [f EXCEPT ![n] = (@ + 1) % 3])', "x, y, g, msgs"),
        ('(\\E n \\in {"a", "b"} : g\' = [g EXCEPT ![n].term = 1 - @])', "x, y, f, msgs"),
        ('(\\E n \\in {"a", "c"} : g\' = [g EXCEPT ![n].log = IF @ = <<>> THEN <<y>> ELSE <<>>])', "x, y, f, msgs"),
    ]
    chosen = rng.sample(changes, 4)
    steps = "\n".join(f"  \\/ {change} /\\ UNCHANGED <<{others}>>" for change, others in chosen)
    predicates = "".join(f"P{number} == {generator.predicate(rng.randrange(3))}\n" for number in range(16))
    text = f"{VARIABLES}{BOTH}{HELPERS}{predicates}Next ==\n{steps}\n===="
    names = _that_hold_at_first(text)
    options: dict[str, Any] = {
        "init": "Init",
        "next": "Next",
        "deadlock": False,
        "invariants": names,
        "continue_": True,
    }
    expected = gristmill.check(text, engine="python", **options)
    found = gristmill.check(text, engine="native", **options)
    assert found.engine == "native", found.diagnostics
    assert found.verdict == expected.verdict
    assert found.distinct == expected.distinct
    assert [(each.property, each.count) for each in found.violations] == [
        (each.property, each.count) for each in expected.violations
    ]
    first = gristmill.check(text, engine="native", **{**options, "continue_": False})
    alone = gristmill.check(text, engine="python", **{**options, "continue_": False})
    assert (first.verdict, first.property, first.generated) == (alone.verdict, alone.property, alone.generated)


def _that_hold_at_first(text: str) -> list[str]:
    """Others would say nothing of what is inherited."""
    found = []
    with gristmill.open(text) as opened:
        (first,) = opened.initial()
        for number in range(16):
            with contextlib.suppress(gristmill.SourceError):
                found += [f"P{number}"] if opened.evaluate(f"P{number}", first) else []
    return found
