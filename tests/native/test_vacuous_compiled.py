"""What invariants say nothing about, found by compiled code where there are many states: the same sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import gristmill
from gristmill.explain import vacuity
from gristmill.ir.nodes import Code
from gristmill.native.run.search import Explored

WALK = r"""---- MODULE Walk ----
EXTENDS Naturals
VARIABLES x, y, seen
Init == x = 0 /\ y = 0 /\ seen = {}
Next == \/ x < 40 /\ x' = x + 1 /\ UNCHANGED <<y, seen>>
        \/ y < 40 /\ y' = y + 1 /\ seen' = (IF y = 7 THEN {y} ELSE seen) /\ UNCHANGED x
Never == x > 50 => y = 3
Late == (x = 40 /\ y = 40) => seen # {}
Empty == \A e \in seen \ {7} : e < 3
Fails == (y > 30 /\ seen[1] = 2) => x = 0
Inner == x >= 0 => (y > 60 => x = 1)
===="""
CONFIG = "INIT Init NEXT Next INVARIANTS Never Late Empty Inner"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[bool | None]:
    """What compiled code has said, each time."""
    found: list[bool | None] = []
    ever = Explored.ever

    def watched(self: Explored, predicates: Sequence[Code]) -> list[bool | None]:
        told = ever(self, predicates)
        found.extend(told)
        return told

    monkeypatch.setattr(Explored, "ever", watched)
    monkeypatch.setattr(vacuity, "_WORTH_COMPILING", 0.0)
    monkeypatch.setattr(vacuity, "_LOOK_AT_CLOCK", 16)
    return found


def test_the_sentences_are_the_same(answers: list[bool | None]) -> None:
    expected = gristmill.check(WALK, config=CONFIG, engine="python", deadlock=False)
    assert not answers
    found = gristmill.check(WALK, config=CONFIG, engine="native", deadlock=False)
    assert found.engine == "native"
    assert found.caveats == expected.caveats
    assert sum("is vacuous" in each for each in found.caveats) == 3
    assert answers.count(False) == 3


def test_what_cannot_be_compiled_or_fails_is_left_to_the_reference_evaluator(answers: list[bool | None]) -> None:
    config = "INIT Init NEXT Next INVARIANTS Fails Never\nCONSTRAINT Low"
    text = WALK.replace("====", "Low == y < 20\n====")
    expected = gristmill.check(text, config=config, engine="python", deadlock=False)
    found = gristmill.check(text, config=config, engine="native", deadlock=False)
    assert found.engine == "native"
    assert found.caveats == expected.caveats


def test_none_is_not_false(answers: list[bool | None], monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = "gristmill.native.run.search.ever_true"
    monkeypatch.setattr(unknown, lambda engine, core, codes, states: [None] * len(codes))
    expected = gristmill.check(WALK, config=CONFIG, engine="python", deadlock=False)
    found = gristmill.check(WALK, config=CONFIG, engine="native", deadlock=False)
    assert answers
    assert set(answers) == {None}
    assert found.caveats == expected.caveats
