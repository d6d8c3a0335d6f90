"""Constants whose evaluation can be seen are evaluated before the search, as TLC does, and are constants then."""

from __future__ import annotations

import pytest

import gristmill

TEXT = r"""---- MODULE Printing ----
EXTENDS Integers, TLC, IOUtils
VARIABLE n
Most == IF "GRISTMILL_NO_SUCH_NAME" \in DOMAIN IOEnv THEN 1 ELSE Print("not set", 40)
Named == "PATH" \in DOMAIN IOEnv
Init == n = 0
Next == Named /\ n < Most /\ n' = n + 1
Inv == n <= Most /\ ENABLED (n' = Most)
====
"""


@pytest.mark.parametrize(("engine", "workers"), [("python", 1), ("native", 1), ("native", 2)])
def test_it_is_printed_once_and_the_search_is_native(engine: str, workers: int) -> None:
    lines: list[str] = []
    config = "INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE"
    options = {"engine": engine, "workers": workers, "env": ["PATH"], "output": lines.append}
    result = gristmill.check(TEXT, config=config, **options)  # type: ignore[arg-type]
    assert (result.verdict, result.distinct, result.engine) == ("ok", 41, engine)
    assert lines == ['"not set"  40']
