"""The JSON document: what it says, and that the published schema describes it."""

import json
from pathlib import Path

import pytest
from toy_models import counter, die_hard, state_predicate

from gristmill.report.json import render_result, result_document
from gristmill.search import Action, Limits, Result, Violation, breadth_first
from gristmill.search.profile import Memory, Part, Phase, Profile
from gristmill.source import Diagnostic, SourceFile
from gristmill.trace import Step, Trace
from gristmill.values import NAT, TRUE, ModelValue, make_record, make_set

DOCS = Path(__file__).parents[2] / "docs" / "reference"
SCHEMA = json.loads((DOCS / "result.schema.json").read_text())
SOURCE = SourceFile("Spec.tla", "Next ==\n  x' = x + 1\n")

NOT_SOLVED = state_predicate("NotSolved", lambda big, small: big != 4)


def lasso() -> Result:
    steps = (Step({"x": 1}), Step({"x": 2}, "Next", (("p", ModelValue("p1")),), SOURCE.span(10, 20)))
    trace = Trace(("x",), steps, loop_start=0)
    violation = Violation("liveness", "Live", "Live is violated", trace)
    return Result("liveness", "Live", violation.message, trace=trace, violations=(violation,))


def with_location() -> Result:
    model = counter(2)
    model.actions = (Action("Up", (("by", 1),), SOURCE.span(0, 4)),)
    return breadth_first(model)


RESULTS = {
    "ok": breadth_first(die_hard()),
    "invariant": breadth_first(die_hard(invariants=[NOT_SOLVED])),
    "deadlock": with_location(),
    "continued": breadth_first(die_hard(invariants=[NOT_SOLVED]), keep_going=True),
    "incomplete": breadth_first(counter(10), limits=Limits(depth=3)),
    "liveness": lasso(),
    "error": Result(
        "error", message="no Next", status=151, diagnostics=(Diagnostic("no-next", "no Next", SOURCE.span(0, 4)),)
    ),
    "profiled": Result(
        "ok",
        profile=Profile(
            (Phase("search", 1.5), Phase("compile", 1.0, beside=True)),
            (Part("action", "Up", True, None, 0, 0.0, 7, 3), Part("operator", "TLC!SortSeq", False, "why", 3, 0.1)),
            layouts=1,
            memory=Memory(8, 100, 50),
        ),
    ),
    "profiled in Python": Result("ok", profile=Profile((), (), "it is small")),
    "stuttering": Result("liveness", "L", "", trace=Trace(("x",), (Step({"x": TRUE}),), stuttering=True)),
}


def violations_of_schema(value, schema, where="$"):
    """The few keywords of JSON Schema that ours uses."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    known = {"type", "const", "enum", "minimum", "required", "properties", "additionalProperties", "items"}
    assert set(schema) <= known | {"$schema", "title", "$defs"}, where
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    if "type" in schema:
        allowed = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not any(
            (is_number and (name == "number" or isinstance(value, int)))
            if name in ("number", "integer")
            else isinstance(value, types[name])
            for name in allowed
        ):
            yield f"{where}: {value!r} is not {allowed}"
            return
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r}"
    if "minimum" in schema and value is not None and value < schema["minimum"]:
        yield f"{where}: {value!r}"
    if isinstance(value, dict):
        properties, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
        yield from (f"{where}: no {name}" for name in schema.get("required", ()) if name not in value)
        for name, each in value.items():
            if name in properties:
                yield from violations_of_schema(each, properties[name], f"{where}.{name}")
            elif rest is False:
                yield f"{where}: {name} is not in the schema"
            elif isinstance(rest, dict):
                yield from violations_of_schema(each, rest, f"{where}.{name}")
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from violations_of_schema(each, schema.get("items", {}), f"{where}[{number}]")


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_obeys_the_schema(name):
    document = json.loads(render_result(RESULTS[name]))
    assert list(violations_of_schema(document, SCHEMA)) == []


def test_the_schema_check_notices():
    document = result_document(RESULTS["invariant"])
    assert list(violations_of_schema(document | {"extra": 1, "verdict": "fine", "depth": "deep"}, SCHEMA))
    del document["trace"][0]["state"]
    assert list(violations_of_schema(document, SCHEMA))


def test_the_manual_names_every_field():
    manual = (DOCS / "json.md").read_text()
    fields = [*SCHEMA["properties"], *SCHEMA["$defs"]["trace"]["items"]["properties"]]
    assert [field for field in fields if f"`{field}`" not in manual] == []


def test_counterexample():
    document = result_document(RESULTS["invariant"])
    assert (document["verdict"], document["property"], document["exit_code"]) == ("invariant", "NotSolved", 12)
    assert len(document["trace"]) == 7
    assert document["trace"][0] == {
        "number": 1,
        "action": None,
        "parameters": {},
        "location": None,
        "algorithm": None,
        "state": {"big": 0, "small": 0},
        "text": {"big": "0", "small": "0"},
        "changed": [],
        "raw": None,
    }
    assert document["trace"][1]["changed"] == ["big"]
    assert document["violations"][0]["trace"] == document["trace"]


def test_locations_and_parameters():
    document = result_document(RESULTS["deadlock"])
    assert document["trace"][1]["parameters"] == {"by": 1}
    assert document["trace"][1]["location"] == {
        "file": "Spec.tla",
        "line": 1,
        "column": 1,
        "end_line": 1,
        "end_column": 5,
    }


def test_lassos_are_numbered_from_one():
    document = result_document(lasso())
    assert (document["loop_start"], document["stuttering"]) == (1, False)
    assert document["trace"][1]["parameters"] == {"p": "p1"}


@pytest.mark.usefixtures("world")
def test_values():
    state = {"set": make_set([1, 2]), "record": make_record({"a": TRUE}), "infinite": NAT, "big": 10**30}
    result = Result("invariant", trace=Trace(tuple(state), (Step(state),)))
    step = result_document(result)["trace"][0]
    assert step["state"] == {
        "set": {"#set": [1, 2]},
        "record": {"a": True},
        "infinite": {"#unserializable": "Nat"},
        "big": {"#bigint": str(10**30)},
    }
    assert step["text"]["record"] == "[a |-> TRUE]"
