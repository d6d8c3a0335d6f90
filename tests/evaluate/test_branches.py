r"""Every way through an action, with all of its guards; and the comments that belong to them."""

from pathlib import Path

import pytest

import gristmill
from gristmill.evaluate import Context, Evaluator
from gristmill.explain.branches import Branch, branches
from gristmill.explain.comments import comment_of
from gristmill.source import SourceFile

MODULE = r"""---- MODULE Ways ----
EXTENDS Naturals
VARIABLES x, out
Init == x = 0 /\ out = {}
Small(n) == n < 3

\* Not about it.

\* Two lines
\* of comment.
Step(n) ==
    LET twice == 2 * n
    IN  /\ x = 1  \* it has begun
        /\ Small(twice)
        /\ \/ /\ n > 5
              /\ out' = out \cup {twice}
           \/ IF n = 2 THEN out' = {n} ELSE \E k \in {7, 8} : k > n /\ out' = {k}
        \* above it
        /\ 1 \div x = n
        /\ UNCHANGED x
None(n) == \E k \in {} : x' = k /\ UNCHANGED out
Next == \E n \in {2} : Step(n) \/ None(n)
====
"""


@pytest.fixture
def ways(tmp_path: Path) -> list[list[Branch]]:
    """Of both actions, in the initial state."""
    file = tmp_path / "Ways.tla"
    file.write_text(MODULE)
    with gristmill.open(file, config=SourceFile("Ways.cfg", "INIT Init NEXT Next")) as opened:
        names = opened.variables
        with opened.world.active():
            evaluator = Evaluator(names, Context(names))
            state = tuple(opened.initial()[0].raw[name] for name in names)
            found = {each.name: each for each in opened.model.actions}
            return [list(branches(evaluator, found[name], state, names.index("out"))) for name in ("Step", "None")]


def test_all_guards_of_every_way(ways: list[list[Branch]]) -> None:
    said = [
        ([(guard.text, guard.truth) for guard in way.guards], [set(each) for each in way.assigned]) for way in ways[0]
    ]
    first = [("x = 1", False), ("Small(twice)", False)]
    last = [("1 \\div x = n", None)]
    assert said == [
        ([*first, ("n > 5", False), *last], [{4}]),
        ([*first, ("n = 2", True), *last], [{2}]),
        ([*first, ("~(n = 2)", False), ("k > n", True), *last], [{7}]),
        ([*first, ("~(n = 2)", False), ("k > n", True), *last], [{8}]),
    ]
    assert [(way.held, len(way.false)) for way in ways[0]] == [(0, 4), (1, 3), (1, 4), (1, 4)]


def test_values_of_what_is_false(ways: list[list[Branch]]) -> None:
    begun, small, *_ = ways[0][0].guards
    assert begun.values == (("x", "0"),)
    assert ("twice", "4") in small.values


def test_nothing_to_choose(ways: list[list[Branch]]) -> None:
    (only,) = ways[1]
    assert (only.guards[0].truth, only.guards[0].note) == (False, "there is nothing to choose")


def test_comments(ways: list[list[Branch]]) -> None:
    spans = [guard.span for guard in ways[0][0].guards]
    assert [None if span is None else comment_of(span) for span in spans] == ["it has begun", None, None, "above it"]


def test_comments_of_definitions(tmp_path: Path) -> None:
    file = SourceFile("Ways.tla", MODULE)

    def of(text: str) -> str | None:
        at = MODULE.index(text)
        return comment_of(file.span(at, at + len(text)))

    assert of("Step(n) ==") == "Two lines of comment."
    assert of("Small(n) == n < 3") is None
