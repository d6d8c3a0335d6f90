"""Beside a search: which antecedents are ever true is looked for before it ends, and comes to the same."""

from __future__ import annotations

import pytest

import gristmill
from gristmill.checking.meanwhile import Meanwhile
from gristmill.native.run.predicates import FurtherPredicates
from gristmill.search.core import search as core

# Soon true; true in the last states only; never true; never, inside of another one; a set that is always empty.
WALK = r"""---- MODULE Walk ----
EXTENDS Naturals, FiniteSets
VARIABLES at, seen
Init == at = [p \in 1..4 |-> 0] /\ seen = {}
Move(p) == at[p] < 9 /\ at' = [at EXCEPT ![p] = @ + 1] /\ seen' = {at[p]}
Never(p) == at[p] > 9 /\ seen = {99} /\ UNCHANGED <<at, seen>>
Next == \E p \in 1..4 : Move(p) \/ Never(p)
Soon == at[1] > 0 => at[1] < 20
Late == (\A p \in 1..4 : at[p] = 9) => at[1] = 9
None == at[1] > 9 => FALSE
Nested == \A p \in 1..4 : at[p] > 2 => (at[p] > 9 => FALSE)
Empty == \A x \in {y \in seen : y > 50} : x > 0
===="""
INVARIANTS = ["Soon", "Late", "None", "Nested", "Empty"]


@pytest.mark.parametrize("workers", [1, 2])
def test_it_comes_to_the_same(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    begin = Meanwhile.begin

    def noted(self: Meanwhile, is_over: object) -> None:
        begin(self, lambda: False)
        begun.append(len(self._engine.searchable.antecedents().unmet))
        assert self._engine.further.has(self._engine.searchable.antecedents().unmet)

    monkeypatch.setattr(Meanwhile, "begin", noted)
    monkeypatch.setattr(core, "_TICK", 0.001)
    found = gristmill.check(WALK, config="INIT Init NEXT Next", deadlock=False, invariants=INVARIANTS, workers=workers)
    expected = gristmill.check(
        WALK, config="INIT Init NEXT Next", deadlock=False, invariants=INVARIANTS, engine="python"
    )
    assert (found.engine, found.verdict, found.distinct) == ("native", "ok", expected.distinct)
    assert len(begun) == 1
    assert 3 <= begun[0] <= 5  # `Late` may be among them, as the first states do not tell
    assert vacuous(found) == vacuous(expected)
    assert len(vacuous(found)) == 3


def vacuous(result: gristmill.Result) -> list[str]:
    return [each for each in result.caveats if "vacuous" in each]


def test_a_search_that_is_over_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    begin, expect = Meanwhile.begin, FurtherPredicates.expect

    def noted(self: FurtherPredicates, compiling: object) -> None:
        compiled.extend([] if compiling is None else [compiling])
        expect(self, compiling)  # type: ignore[arg-type]

    monkeypatch.setattr(Meanwhile, "begin", lambda self, is_over: begin(self, lambda: True))
    monkeypatch.setattr(FurtherPredicates, "expect", noted)
    monkeypatch.setattr(core, "_TICK", 0.001)
    found = gristmill.check(WALK, config="INIT Init NEXT Next", deadlock=False, invariants=INVARIANTS, engine="native")
    assert compiled == []
    assert len(vacuous(found)) == 3
