"""What differs between two values, part by part."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.trace.difference import At, Change, Field, changes, path_text, state_changes
from gristmill.values import FALSE, TRUE, Fn, ModelValue, Value, World, make_function, make_record, make_set, show

S1, S2 = ModelValue("s1"), ModelValue("s2")


def said(before: Value, after: Value, whole: int = 0) -> list[tuple[str, str, str, str]]:
    """Path, kind, before and after, as text."""
    found = changes(before, after, whole)
    return [(path_text(each.path), each.kind, text(each.before), text(each.after)) for each in found]


def text(value: Any) -> str:
    return "" if value is None else show(value)


def test_equal_values_differ_in_nothing() -> None:
    value = make_function([(S1, make_set([1, 2])), (S2, (1, "x", TRUE))])
    assert changes(value, make_function([(S2, (1, "x", TRUE)), (S1, make_set([2, 1]))])) == ()


def test_a_number_is_no_truth_value_and_no_string() -> None:
    assert said(1, TRUE) == [("", "changed", "1", "TRUE")]
    assert said("1", 1) == [("", "changed", '"1"', "1")]


def test_the_path_leads_through_functions_records_and_sequences() -> None:
    def state(term: int) -> Value:
        return make_function([(S1, make_record({"log": (make_record({"term": term, "value": "x"}),)})), (S2, 0)])

    (change,) = changes(state(1), state(2))
    assert change == Change((At(S1), Field("log"), At(1), Field("term")), "changed", 1, 2)
    assert path_text(change.path) == "[s1].log[1].term"


def test_elements_of_sets() -> None:
    assert said(make_set([1, 2, 3]), make_set([2, 3, 4])) == [("", "removed", "1", ""), ("", "added", "", "4")]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((1, 2), (1, 2, 3), [("[3]", "appended", "", "3")]),
        ((), (1, 2), [("[1]", "appended", "", "1"), ("[2]", "appended", "", "2")]),
        ((1, 2, 3), (2, 3), [("[1]", "dropped", "1", "")]),
        ((1, 2, 3), (2, 3, 4), [("[1]", "dropped", "1", ""), ("[3]", "appended", "", "4")]),
        ((1, 2, 3), (1, 9, 3), [("[2]", "changed", "2", "9")]),
        ((1, 2, 3), (1, 2, 9, 3), [("[3]", "inserted", "", "9")]),
        ((1, 2, 3), (1, 3), [("[2]", "deleted", "2", "")]),
        ((1, 2, 3), (1, 2), [("[3]", "deleted", "3", "")]),
        ((1, 2), (), [("[1]", "deleted", "1", ""), ("[2]", "deleted", "2", "")]),
    ],
)
def test_sequences(before: Value, after: Value, expected: list[tuple[str, str, str, str]]) -> None:
    assert said(before, after) == expected


def test_arguments_that_a_function_gains_and_loses() -> None:
    before, after = make_function([(0, 5), (7, 1)]), make_function([(0, 6), (8, 1)])
    assert said(before, after) == [("[0]", "changed", "5", "6"), ("[7]", "lost", "1", ""), ("[8]", "gained", "", "1")]


def test_a_bag_begins_as_the_empty_function() -> None:
    message = make_record({"type": "Vote"})
    assert said((), make_function([(message, 1)])) == [('[[type |-> "Vote"]]', "gained", "", "1")]


def test_short_values_are_told_whole_if_that_is_asked_for() -> None:
    assert said(make_set([]), make_set([S1]), whole=20) == [("", "changed", "{}", "{s1}")]
    assert said(make_set([]), make_set([S1]), whole=5) == [("", "added", "", "s1")]


def test_a_record_of_another_kind_is_another_value_and_not_fields_lost_and_gained() -> None:
    ask = make_record({"type": "Ask", "from": S1, "to": S2, "term": 3})
    vote = make_record({"type": "Vote", "granted": FALSE})
    assert said(ask, vote, whole=1) == [("", "changed", show(ask), show(vote))]


def test_a_variable_that_only_the_later_state_shows() -> None:
    assert state_changes({"x": 1}, {"x": 1, "y": 2}) == {"y": (Change((), "gained", None, 2),)}


# --- every difference, applied to the value before, makes the value after --------------------------------------------

_ATOMS = st.one_of(st.integers(0, 3), st.sampled_from(["a", "b"]), st.sampled_from([TRUE, FALSE]))


def _containers(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(
        st.lists(inner, max_size=4).map(tuple),
        st.frozensets(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, min_size=1).map(make_record),
        st.dictionaries(st.integers(0, 3), inner, min_size=1).map(lambda found: make_function(found.items())),
    )


_VALUES = st.recursive(_ATOMS, _containers, max_leaves=12)


@given(_VALUES, _VALUES)
def test_the_changes_lead_from_one_value_to_the_other(before: Value, after: Value) -> None:
    with World().active():
        for whole in (0, 12):
            assert _applied(before, list(changes(before, after, whole))) == after


def _applied(value: Value, found: list[Change]) -> Value:
    """By brute force, one part at a time; elements that go first, from the back, so that numbers stay right."""
    gone = [each for each in found if each.kind in ("dropped", "deleted")]
    for each in [*(each for each in found if each.kind == "changed"), *reversed(gone)]:
        value = _at(value, each.path, each)
    for each in found:
        if each.kind != "changed" and each not in gone:
            value = _at(value, each.path, each)
    return value


def _at(value: Value, path: tuple[Field | At, ...], change: Change) -> Value:
    in_container = change.kind not in ("changed", "added", "removed")
    if len(path) == (1 if in_container else 0):
        return _changed(value, change)
    at = path[0]
    key: Any = at.name if isinstance(at, Field) else at.argument
    parts: Any = dict(value) if isinstance(value, Fn) else dict(enumerate(value, 1))  # type: ignore[arg-type]
    return make_function({**parts, key: _at(parts[key], path[1:], change)}.items())


def _changed(value: Any, change: Change) -> Value:
    if change.kind == "changed":
        return change.after  # type: ignore[no-any-return]
    if change.kind in ("added", "removed"):
        return value | {change.after} if change.kind == "added" else value - {change.before}  # type: ignore[no-any-return]
    at = change.path[-1]
    key: Any = at.name if isinstance(at, Field) else at.argument
    if change.kind in ("gained", "lost"):
        parts: Any = dict(value) if isinstance(value, Fn) else dict(enumerate(value, 1))
        kept = {each: inner for each, inner in parts.items() if each != key}
        return make_function((kept if change.kind == "lost" else {**kept, key: change.after}).items())
    if change.kind in ("dropped", "deleted"):
        return (*value[: key - 1], *value[key:])
    return (*value[: key - 1], change.after, *value[key - 1 :])
