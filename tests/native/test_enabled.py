"""ENABLED in what is asked of a state that is still being made: what it tries must not change that state."""

from __future__ import annotations

import pytest

import gristmill

MODULE = """---- MODULE Made ----
EXTENDS Integers
VARIABLE s
Steps == {<<0, 1>>, <<1, 2>>, <<2, 3>>, <<3, 5>>, <<5, 0>>, <<2, 4>>}
Go == s' \\in 0..5 /\\ <<s, s'>> \\in Steps
Back == s' \\in 0..5 /\\ s' < s /\\ <<s, s'>> \\in Steps
Init == s = 0
Next == Go \\/ (s = 4 /\\ UNCHANGED s)
Spec == Init /\\ [][Next]_s
Stuck == ~ENABLED Go
Forward == ~ENABLED Back
MayGo == ENABLED Go
====
"""


@pytest.mark.parametrize("config", ["PROPERTY Stuck", "INVARIANT Stuck", "INVARIANT Forward", "PROPERTY Forward"])
@pytest.mark.parametrize("constraint", ["", "CONSTRAINT MayGo", "CONSTRAINT Forward"])
def test_both_engines_agree(config: str, constraint: str) -> None:
    found, expected = (
        gristmill.check(MODULE, config=f"SPECIFICATION Spec {config} {constraint}", engine=engine)
        for engine in ("native", "python")
    )
    assert found.engine == "native"
    for name in ("verdict", "property", "message", "distinct", "generated", "depth"):
        assert getattr(found, name) == getattr(expected, name), name
