"""Traces and their exchange format."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gristmill.source import SourceError
from gristmill.trace import Step, Trace
from gristmill.trace.itf import itf_document, load_itf, read_itf
from gristmill.values import (
    FALSE,
    NAT,
    TRUE,
    Fn,
    Interval,
    ModelValue,
    make_function,
    make_record,
    make_set,
    make_tuple,
)

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


# --- and back --------------------------------------------------------------------------------------------------------

_ATOMS: list[SearchStrategy[Any]] = [
    st.integers(-(1 << 70), 1 << 70),
    st.sampled_from(["a", "b", "#set", "", "\u2200 \n"]),
    st.sampled_from([TRUE, FALSE]),
    st.sampled_from([ModelValue("a"), ModelValue("m"), ModelValue("1_OF_M")]),  # "a" is a string, too
]


def _of(parts: SearchStrategy[Any], depth: int) -> SearchStrategy[Any]:
    """Values of one shape each, so that sets of them can be sorted."""
    if depth == 0:
        return parts
    names = st.sampled_from(["f", "g", "#map", "#meta"])
    wider = st.one_of(
        st.just(st.lists(parts, max_size=3).map(make_set)),
        st.just(st.lists(parts, max_size=3).map(make_tuple)),
        st.just(st.dictionaries(names, parts, max_size=3).map(make_record)),
        st.just(st.lists(st.tuples(st.integers(-2, 4), parts), max_size=3).map(make_function)),
        st.just(st.lists(st.tuples(st.sampled_from([ModelValue("a"), ModelValue("m")]), parts)).map(make_function)),
    )
    return wider.flatmap(lambda found: _of(found, depth - 1))


_VALUES = st.sampled_from(_ATOMS).flatmap(lambda atoms: st.integers(0, 3).flatmap(lambda depth: _of(atoms, depth)))
_STATES = st.fixed_dictionaries({"x": _VALUES, "y": _VALUES})
_PARAMETERS = st.dictionaries(st.sampled_from(["p", "q"]), _VALUES).map(lambda found: tuple(found.items()))
_ALIASES = st.none() | st.dictionaries(st.sampled_from(["z", "x"]), _VALUES)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    first = Step(draw(_STATES), alias=draw(_ALIASES))
    later = st.builds(lambda s, a, p, z: Step(s, a, p, alias=z), _STATES, st.sampled_from("AB"), _PARAMETERS, _ALIASES)
    steps = (first, *draw(st.lists(later, max_size=3)))
    loop = draw(st.none() | st.integers(0, len(steps) - 1))
    return Trace(("x", "y"), steps, loop, loop is None and draw(st.booleans()))


@given(traces())
def test_what_is_written_is_read_back(trace: Trace) -> None:
    there = json.loads(json.dumps(itf_document(trace, source="S.tla")))
    assert read_itf(there) == trace


def test_a_model_value_and_a_string_of_one_name_stay_two() -> None:
    trace = Trace(
        ("x",), (Step({"x": ModelValue("a")}), Step({"x": "a"}, "Next"), Step({"x": ModelValue("b")}, "Next"))
    )
    document = itf_document(trace)
    assert [state["x"] for state in document["states"]] == [{"#modelValue": "a"}, "a", "b"]
    assert read_itf(document) == trace


def test_model_values_have_the_form_that_others_read() -> None:
    document = itf_document(TRACE)
    assert document["#meta"]["model-values"] == ["p"]
    assert document["states"][1]["#meta"]["parameters"] == {"by": "p"}


def test_the_state_and_what_an_alias_shows_are_both_kept() -> None:
    step = Step({"x": 1}, "Up", alias={"twice": 2})
    trace = Trace(("x",), (step,))
    assert (step.shown, trace.names) == ({"twice": 2}, ("twice",))
    (state,) = itf_document(trace)["states"]
    assert (state["x"], state["#meta"]["alias"]) == (1, {"twice": 2})


def test_a_trace_of_another_tool() -> None:
    document = {
        "#meta": {"varTypes": {"x": "Int"}},
        "params": ["N"],
        "vars": ["x", "s"],
        "states": [
            {"#meta": {"index": 0}, "x": {"#bigint": "3"}, "s": [1, 2]},
            {
                "x": {"#bigint": "-99999999999999999999"},
                "s": {"#map": [[{"#tup": [1, 2]}, {"tag": "Ok", "value": True}]]},
            },
        ],
        "loop": 0,
    }
    trace = read_itf(document)
    assert [step.state["x"] for step in trace] == [3, -99999999999999999999]
    assert trace.steps[0].state["s"] == (1, 2)
    assert trace.steps[1].state["s"] == Fn({(1, 2): make_record({"tag": "Ok", "value": TRUE})})
    assert (trace.loop_start, trace.variables) == (0, ("x", "s"))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "no `states`"),
        ({"states": 1}, "no `states`"),
        ({"states": [3]}, "state 0 is no object"),
        ({"states": [{"x": {"#set": 3}}]}, "state 0, x: #set"),
        ({"states": [{"x": {"#map": [1]}}]}, "state 0, x: #map"),
        ({"states": [{"x": {"#bigint": "many"}}]}, "state 0, x: #bigint"),
        ({"states": [{"x": {"#unserializable": "Nat"}}]}, "state 0, x: an object of JSON with #unserializable"),
        ({"states": [{"x": {"#set": [], "y": 1}}]}, "state 0, x: an object of JSON with #set"),
        ({"states": [{"x": 1.5}]}, "state 0, x: the number 1.5"),
        ({"states": [{"x": None}]}, "state 0, x: null"),
        ({"states": [{"#meta": {"parameters": [1]}}]}, "state 0, parameters"),
        ({"states": [{"x": 1}], "vars": "x"}, "`vars` is no list"),
        ({"states": [{"x": 1}], "loop": 1}, "`loop` is 1"),
        ({"states": [{"x": 1}], "loop": True}, "`loop` is True"),
    ],
)
def test_what_is_no_trace_is_refused(document: Any, said: str) -> None:
    with pytest.raises(SourceError) as error:
        read_itf(document)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.id == "unreadable-trace"
    assert said in diagnostic.message


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "t.itf.json"
    file.write_text(json.dumps(itf_document(TRACE)))
    assert load_itf(file) == TRACE
    file.write_text("{")
    with pytest.raises(SourceError, match="is not JSON"):
        load_itf(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(SourceError, match="is not UTF-8"):
        load_itf(file)
    with pytest.raises(SourceError, match="cannot be read"):
        load_itf(tmp_path / "none")


def test_lazy_sets_are_listed() -> None:
    trace = Trace(("x",), (Step({"x": Interval(1, 2)}),))
    assert read_itf(itf_document(trace)).steps[0].state["x"] == make_set([1, 2])
