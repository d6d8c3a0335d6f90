"""Traces and their exchange format."""

import json

from gristmill.trace import Step, Trace
from gristmill.trace.itf import itf_document
from gristmill.values import NAT, ModelValue, make_set

TRACE = Trace(
    ("x", "sent"),
    (
        Step({"x": 0, "sent": make_set([])}),
        Step({"x": 1, "sent": make_set([])}, "Up", (("by", ModelValue("p")),)),
        Step({"x": 1, "sent": make_set([1])}, "Send"),
    ),
)


def test_changes():
    assert [TRACE.changed(number) for number in range(3)] == [frozenset(), {"x"}, {"sent"}]


def test_variables_that_appear_count_as_changed():
    assert Trace(("x", "y"), (Step({"x": 0}), Step({"x": 0, "y": 1}))).changed(1) == {"y"}


def test_itf():
    document = itf_document(TRACE, source="Spec.tla")
    assert json.loads(json.dumps(document)) == document
    assert document["vars"] == ["x", "sent"]
    assert document["#meta"]["format"] == "ITF"
    assert document["states"] == [
        {"#meta": {"index": 0}, "x": 0, "sent": {"#set": []}},
        {"#meta": {"index": 1, "action": "Up", "parameters": {"by": "p"}}, "x": 1, "sent": {"#set": []}},
        {"#meta": {"index": 2, "action": "Send"}, "x": 1, "sent": {"#set": [1]}},
    ]
    assert "loop" not in document


def test_itf_of_lassos():
    assert itf_document(Trace(("x", "sent"), TRACE.steps, loop_start=1))["loop"] == 1
    assert itf_document(Trace(("x", "sent"), TRACE.steps, stuttering=True))["loop"] == 2


def test_what_itf_has_no_form_for():
    (state,) = itf_document(Trace(("s", "o"), (Step({"s": NAT, "o": None}),)))["states"]
    assert (state["s"], state["o"]) == ({"#unserializable": "Nat"}, {"#unserializable": "None"})
