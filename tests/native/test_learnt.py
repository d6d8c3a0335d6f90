"""A layout that was learnt in an earlier run of the same model."""

from __future__ import annotations

from uuid import uuid4

import pytest

import gristmill
from gristmill.native.plan.layout import LEAF, Parts
from gristmill.native.run.learnt import Learnt, Notebook

# `last` is a number at first and a record later on, and `count` has many values: the first states tell neither.
LATE = r"""---- MODULE Late ----
EXTENDS Naturals
VARIABLES last, count, flags
vars == <<last, count, flags>>
Init == last = [kind |-> "%s", n |-> 0] /\ count = 0 /\ flags = [i \in 1..6 |-> FALSE]
Next == \/ \E i \in 1..6 : flags' = [flags EXCEPT ![i] = ~@] /\ UNCHANGED <<last, count>>
        \/ count < 1500 /\ count' = count + 1 /\ UNCHANGED flags
           /\ last' = IF count < 900 THEN last ELSE [kind |-> "late", n |-> count, of |-> <<count, count>>]
Small == count <= 1500
===="""
DISTINCT = 64 * 1501
NO_WIDTH = b'{"layouts": [null, null, null], "widths": [1, 3, 4]}'


def check(text: str) -> gristmill.Result:
    found = gristmill.check(text, config="INIT Init NEXT Next INVARIANT Small", profile=True)
    assert (found.engine, found.verdict, found.distinct) == ("native", "ok", DISTINCT)
    return found


def layouts(result: gristmill.Result) -> int:
    assert result.profile is not None
    return result.profile.layouts


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> str:
    """A model that nobody has checked before. C is generated from its first state."""
    monkeypatch.setattr("gristmill.checking.head_start._HEAD_START", 0.0)
    monkeypatch.setattr("gristmill.checking.head_start._NOT_SMALL", 0.0)
    return LATE % uuid4().hex


def test_the_next_run_begins_with_it(text: str) -> None:
    first = layouts(check(text))
    assert first > 1
    assert layouts(check(text)) == 1
    other = text.replace("count < 900", "count < 901")
    assert layouts(check(other)) > 1  # another model has learnt nothing


@pytest.mark.parametrize(
    "wrong",
    [
        Learnt((LEAF, LEAF, LEAF), (1, 1, 1)),
        Learnt((LEAF, LEAF, Parts((1, 2), (LEAF, LEAF), is_sequence=True)), (4, 4, 1, 1)),
        Learnt((LEAF, Parts(("n",), (LEAF,), is_sequence=False), LEAF), (4, 4, 4)),
    ],
)
def test_what_does_not_fit_costs_time_alone(text: str, wrong: Learnt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Notebook, "recall", lambda self: wrong)
    assert layouts(check(text)) > 1


@pytest.mark.parametrize(
    "note",
    [b"", b"[]", b"{}", b'{"layouts": [], "widths": []}', NO_WIDTH],
)
def test_a_note_in_another_form_is_ignored(text: str, note: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.native.run.learnt.recall", lambda *about: note)
    monkeypatch.setattr("gristmill.native.run.learnt.remember", lambda data, *about: None)
    small = text.replace("1500", "400").replace("900", "10")
    found = gristmill.check(small, config="INIT Init NEXT Next INVARIANT Small")
    assert (found.verdict, found.distinct) == ("ok", 64 * 401)
