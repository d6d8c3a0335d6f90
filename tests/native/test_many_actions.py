"""Edges say which action found them in as few bytes as that takes."""

from __future__ import annotations

import pytest

import gristmill
from gristmill.search.core.search import CoreEdges, NativeSearch


@pytest.mark.parametrize(("count", "code"), [(255, "B"), (256, "H")])
def test_actions_of_edges(count: int, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"A{number}" for number in range(count)]
    actions = "\n".join(f"{name} == x = {number} /\\ x' = {(number + 1) % count}" for number, name in enumerate(names))
    any_of_them = " \\/ ".join(names)
    module = f"""---- MODULE Made ----
EXTENDS Integers
VARIABLE x
{actions}
Next == {any_of_them}
Spec == x = 0 /\\ [][Next]_x /\\ WF_x(A0) /\\ WF_x(Next)
Unfair == x = 0 /\\ [][Next]_x /\\ WF_x(A0)
Round == []<>(x = 0)
====
"""
    seen: list[CoreEdges] = []
    edges = NativeSearch.edges

    def watched(self: NativeSearch) -> CoreEdges:
        seen.append(edges(self))
        return seen[-1]

    monkeypatch.setattr(NativeSearch, "edges", watched)
    result = gristmill.check(module, specification="Spec", properties=["Round"], engine="native")
    assert (result.verdict, result.engine, result.distinct) == ("ok", "native", count)
    assert seen[-1].actions.format == code
    result = gristmill.check(module, specification="Unfair", properties=["Round"], engine="native")
    assert (result.verdict, result.engine) == ("liveness", "native")
    assert result.trace is not None
    assert [step.action for step in result.trace.steps[1:]][:1] == ["A0"]
