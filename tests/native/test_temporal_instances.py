"""Fairness for each element of a set: many predicates, one function in C."""

from __future__ import annotations

import pytest

import gristmill
from gristmill.checking.native import NativeExplorer

# Each process goes round, and waits for its neighbour at 1; a bag of messages with contents of several kinds.
MODULE = """---- MODULE Made ----
EXTENDS Integers
VARIABLES at, sent
Process == 1..4
Message == [to : Process, text : {"go", "stay"}]
vars == <<at, sent>>
Init == at = [p \\in Process |-> 0] /\\ sent = {}
Step(p) == /\\ at[p] = 0
           /\\ at' = [at EXCEPT ![p] = 1]
           /\\ sent' = sent \\cup {[to |-> p, text |-> IF p = 3 THEN "stay" ELSE "go"]}
Receive(m) == /\\ m \\in sent
              /\\ m.text = "go"
              /\\ at' = [at EXCEPT ![m.to] = 0]
              /\\ sent' = sent \\ {m}
Drop(m) == m \\in sent /\\ m.text = "stay" /\\ m.to # 2 /\\ sent' = sent \\ {m} /\\ at' = [at EXCEPT ![m.to] = 0]
Next == (\\E p \\in Process : Step(p)) \\/ (\\E m \\in sent : Receive(m) \\/ Drop(m))
Steps(p) == WF_vars(Step(p))
Stepping == \\A p \\in Process : Steps(p)
Receiving == \\A m \\in Message : WF_vars(Receive(m)) /\\ WF_<<sent, at>>(m.to > 0 /\\ Drop(m))
Fair == /\\ \\A p \\in Process : SF_vars(Step(p))
        /\\ Receiving
        /\\ Stepping
Partly == (\\A p \\in Process, q \\in Process : WF_vars(p = q /\\ p # 2 /\\ Step(p))) /\\ Receiving
Spec == Init /\\ [][Next]_vars /\\ Fair
Unfair == Init /\\ [][Next]_vars /\\ Partly
Returns == \\A p \\in Process : at[p] = 1 ~> at[p] = 0
Moves == \\A p \\in Process : []<>(at[p] = 1)
Third == []<>(at[3] = 1)
====
"""


@pytest.mark.parametrize("specification", ["Spec", "Unfair"])
@pytest.mark.parametrize("name", ["Returns", "Moves", "Third"])
@pytest.mark.parametrize("many", [2, 1_000])
def test_instances_share_a_function(specification: str, name: str, many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    monkeypatch.setattr("gristmill.native.plan.instances._MANY_CODES", many)
    monkeypatch.setattr(NativeExplorer, "emit", lambda self, name, text: texts.append(text))
    config = f"SPECIFICATION {specification} PROPERTY {name}"
    expected = gristmill.check(MODULE, config=config, engine="python")
    found = gristmill.check(MODULE, config=config, engine="native")
    assert expected.verdict == ("liveness" if (specification, name) == ("Unfair", "Moves") else "ok")
    assert (found.verdict, found.property, found.engine) == (expected.verdict, expected.property, "native")
    assert ("shared" in texts[1]) == (many == 2)
    assert not any(each.id == "native-engine" for each in found.diagnostics)
