"""The tree of states that somebody explores by hand."""

from collections.abc import Callable
from pathlib import Path

import pytest

import gristmill
from gristmill.source import SourceError
from gristmill.stepping.document import node_document
from gristmill.stepping.session import ROOT, NoSuchStepError, Session
from gristmill.trace.itf import itf_document, read_itf

Taking = Callable[..., int]


def test_it_begins_with_the_initial_states(session: Session) -> None:
    document = node_document(session, ROOT)
    assert [each["words"] for each in document["options"]] == [
        ['owner = "none"', "waiting = {}", "count = 0"],
        ['owner = "none"', 'waiting = {"a", "<b>"}', "count = 0"],
    ]
    assert (document["path"], document["state"], document["blocked"]) == ([], {}, [])


def test_steps_have_parameters_and_say_what_they_would_change(session: Session, taking: Taking) -> None:
    number = taking("Initial state", 'Ask(p = "a")')
    options = node_document(session, number)["options"]
    assert [each["title"] for each in options] == ['Ask(p = "<b>")', 'Take(p = "a")']
    assert options[1]["words"] == ['owner: "none" → "a"', 'waiting: {"a"} → {}', "count: 0 → 1"]


def test_what_is_not_possible_says_why(session: Session, taking: Taking) -> None:
    blocked = {each["action"]: each for each in node_document(session, taking("Initial state"))["blocked"]}
    assert set(blocked) == {"Take", "Drop"}
    assert blocked["Drop"]["guards"] == ['owner # "none"']
    assert "&lt;b&gt;" in blocked["Take"]["html"]
    assert "<b>" not in blocked["Take"]["html"]


def test_back_and_branch_and_where_one_has_been(session: Session, taking: Taking) -> None:
    first = taking("Initial state")
    left, right = taking('Ask(p = "a")', start=first), taking('Ask(p = "<b>")', 'Take(p = "<b>")', start=first)
    assert taking('Ask(p = "a")', start=first) == left
    assert [each.number for each in session.leaves()] == [left, right]
    assert [each["leads"] is None for each in node_document(session, first)["options"]] == [False, False]
    assert session.path(right)[0].number == first


def test_an_expression_at_every_state_of_the_path(session: Session, taking: Taking) -> None:
    number = taking("Initial state", 'Ask(p = "a")', 'Take(p = "a")')
    assert session.values(number, "count + 1") == ["1", "1", "2"]
    assert session.values(number, "10 \\div count")[-1] == "10"
    assert session.values(number, "10 \\div count")[0] == "(10 \\div 0 is undefined)"
    with pytest.raises(SourceError):
        session.values(number, "count +")


def test_invariants_that_are_false_are_named(session: Session, taking: Taking) -> None:
    once = ('Ask(p = "a")', 'Take(p = "a")', "Drop")
    number = taking("Initial state", *once)
    assert session.false_invariants(number) == []
    assert session.false_invariants(taking(*once[:2], start=number)) == ["Few"]


def test_a_path_is_a_trace_that_can_be_read_again(session: Session, opened, taking: Taking) -> None:
    number = taking("Initial state", 'Ask(p = "a")', 'Take(p = "a")')
    document = itf_document(session.trace(number), source="Lock")
    other = Session(opened)
    node, note = other.follow_trace(other.read(lambda: read_itf(document)))
    assert (note, other.link(node.number)) == ("", session.link(number))
    assert other.node(node.number).taken == session.node(number).taken


def test_a_trace_of_something_else_is_followed_as_far_as_it_goes(session: Session, taking: Taking) -> None:
    document = itf_document(session.trace(taking("Initial state", 'Ask(p = "a")')), source="Lock")
    document["states"][1]["count"] = 7
    node, note = session.follow_trace(session.read(lambda: read_itf(document)))
    assert len(session.path(node.number)) == 1
    assert note == "state 2 of the trace is reached by no step of the specification"


def test_a_trace_may_begin_in_the_middle(session: Session, taking: Taking) -> None:
    document = itf_document(session.trace(taking("Initial state", 'Ask(p = "a")', 'Take(p = "a")')), source="Lock")
    del document["states"][0]
    node, note = session.follow_trace(session.read(lambda: read_itf(document)))
    assert note == "state 1 of the trace is no initial state of the specification, and taken as it is"
    assert [each.taken and each.taken.action for each in session.path(node.number)] == [None, "Take"]
    again, _ = session.follow_trace(session.read(lambda: read_itf(document)))
    assert again is node


def test_a_trace_with_other_variables_does_not_begin(session: Session, taking: Taking) -> None:
    document = itf_document(session.trace(taking("Initial state")), source="Lock")
    del document["states"][0]["count"]
    node, note = session.follow_trace(session.read(lambda: read_itf(document)))
    assert (node.number, note) == (0, "state 1 of the trace is reached by no initial state of the specification")


ENDLESS = """---- MODULE Endless ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Add(n) == x' = x + n
Double == x' = 2 * x
Next == (\\E n \\in Int : Add(n)) \\/ Double
====
"""


@pytest.mark.parametrize(
    ("steps", "states", "note"),
    [
        ([("Double", {}, 0)], 2, ""),
        ([("Double", {}, 7)], 1, "whether state 2 of the trace is reached cannot be computed"),
        ([("Add", {"n": 3}, 3), ("Double", {}, 6)], 3, "1 of its steps cannot be computed, and are taken as they are"),
        ([(None, {}, 3)], 1, "whether state 2 of the trace is reached cannot be computed"),
        ([("Other", {}, 3)], 1, "whether state 2 of the trace is reached cannot be computed"),
    ],
)
def test_steps_that_cannot_be_listed_are_taken_by_their_names(
    tmp_path: Path, steps: list[tuple[str | None, dict[str, int], int]], states: int, note: str
) -> None:
    (tmp_path / "Endless.tla").write_text(ENDLESS)
    made = [{"#meta": {"action": action, "parameters": given}, "x": value} for action, given, value in steps]
    document = {"vars": ["x"], "states": [{"x": 0}, *made]}
    with gristmill.open(tmp_path / "Endless.tla", init="Init", next="Next") as endless:
        session = Session(endless)
        node, told = session.follow_trace(session.read(lambda: read_itf(document)))
        assert len(session.path(node.number)) == states
        assert note in told
        assert bool(note) == bool(told)


def test_links_lead_to_the_same_place_in_another_session(session: Session, opened, taking: Taking) -> None:
    number = taking("Initial state", 'Ask(p = "<b>")', 'Take(p = "<b>")')
    other = Session(opened)
    assert other.follow_link(session.link(number)).taken == session.node(number).taken


@pytest.mark.parametrize("link", ["9", "1.99", "0", "x", "1..2", "-1"])
def test_a_link_that_leads_nowhere_says_so(session: Session, link: str) -> None:
    with pytest.raises(NoSuchStepError):
        session.follow_link(link)
