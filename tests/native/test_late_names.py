"""Strings and model values that are made in the course of a search: their order is that in which they appear."""

from __future__ import annotations

from typing import Any

import pytest

import gristmill

LATE_NAMES = r"""---- MODULE Late ----
EXTENDS Integers, Sequences, TLC
VARIABLES n, s
Init == n \in 1..60 /\ s = {}
Make == s = {} /\ s' = {ToString((n * 7919) % 1009), ToString((n * 104729) % 997)} /\ UNCHANGED n
Join == s # {} /\ \E k \in 1..3 : s' = s \cup {ToString((k * n * 7919) % 1009)} /\ UNCHANGED n
Next == Make \/ Join
Seen == ToString((n * 31) % 1009) # "x"
Pick == CHOOSE e \in s : TRUE
Right == s = {} \/ Pick # ToString((n * 7919) % 1009) \/ n < %d
===="""


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("least", [10, 40, 100])
def test_strings_that_are_made_have_the_order_in_which_they_are_made(workers: int, least: int) -> None:
    """CHOOSE takes the first of them: that must be the same with both engines, and any number of workers."""
    text = LATE_NAMES.replace("%d", str(least))
    options: dict[str, Any] = {"init": "Init", "next": "Next", "deadlock": False, "invariants": ["Seen", "Right"]}
    expected = gristmill.check(text, engine="python", **options)
    found = gristmill.check(text, engine="native", workers=workers, **options)
    assert found.engine == "native", found.diagnostics
    for name in ("verdict", "property", "distinct", "generated"):
        assert getattr(found, name) == getattr(expected, name), name
    assert found.verdict == ("ok" if least == 100 else "invariant")


def test_what_an_assertion_would_say_does_not_matter_before_it_fails() -> None:
    text = r"""---- MODULE Said ----
EXTENDS Integers, Sequences, TLC
VARIABLE n
Init == n = 0
Next == n < 50 /\ Assert(n < %d, "n is " \o ToString(n)) /\ n' = n + 1
===="""
    for least, verdict in ((60, "ok"), (20, "assert")):
        options: dict[str, Any] = {"init": "Init", "next": "Next", "deadlock": False, "workers": 2}
        found = gristmill.check(text.replace("%d", str(least)), engine="native", **options)
        assert found.verdict == verdict
        assert not any("one worker" in each.message for each in found.diagnostics), "it is no effect"
