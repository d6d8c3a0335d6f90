"""What holds of all values."""

import copy
import json as text
import pickle
from collections import Counter
from functools import cmp_to_key

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from value_strategies import alike, intervals, lazy_sets, likes, sets, values

from gristmill.values import (
    BigUnion,
    EvaluationError,
    Value,
    cardinality,
    compare,
    contains,
    elements,
    enumerate_set,
    equal,
    explicit,
    from_python,
    is_finite,
    make_set,
    normalize,
    ordered,
    pretty,
    show,
    sort_key,
    subset_of,
    to_python,
)
from gristmill.values.json import from_itf, to_itf, to_json


@given(alike(3))
def test_the_order_is_total_and_agrees_with_equality(three: list[Value]) -> None:
    a, b, c = sorted(three, key=sort_key)
    for x, y in ((a, b), (b, c), (a, c)):
        assert compare(x, y) <= 0 <= compare(y, x)
        assert (compare(x, y) == 0) == equal(x, y) == (x == y)
        assert (sort_key(x) == sort_key(y)) == (x == y)


@given(st.lists(values, max_size=5))
def test_the_key_orders_even_what_cannot_be_compared(many: list[Value]) -> None:
    assert sorted(map(sort_key, many)) == [sort_key(value) for value in sorted(many, key=sort_key)]


@given(likes().flatmap(lambda parts: sets(parts, 6)))
def test_a_set_in_order_is_sorted_by_comparison(collection: Value) -> None:
    assert list(ordered(collection)) == sorted(collection, key=cmp_to_key(compare))


@given(values, values)
def test_equal_or_an_error_is_what_python_says(a: Value, b: Value) -> None:
    try:
        assert equal(a, b) == (a == b)
    except EvaluationError:
        return
    if a == b:
        assert hash(a) == hash(b)


@given(values)
def test_copies_are_the_same_value(value: Value) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert again == value == copy.deepcopy(value)
    assert hash(again) == hash(value)


@given(likes().flatmap(lambda parts: parts))
def test_values_survive_python_and_itf(value: Value) -> None:
    assert from_python(to_python(value)) == value
    there = text.loads(text.dumps(to_itf(value)))
    assert from_itf(there, {"m1", "m2"}) == value


@given(likes().flatmap(lambda parts: parts))
def test_values_can_be_written_as_plain_json(value: Value) -> None:
    text.dumps(to_json(value))


@given(values, st.integers(10, 80))
def test_breaking_lines_changes_white_space_only(value: Value, width: int) -> None:
    def dense(printed: str) -> str:
        return "".join(printed.split())

    assert dense(pretty(value, width)) == dense(show(value))


@settings(deadline=None)
@given(lazy_sets)
def test_lazy_sets_agree_with_their_elements(collection: Value) -> None:
    assume(_size(collection) < 300)
    listed = normalize(collection)
    in_order = list(enumerate_set(collection))
    assert in_order == list(ordered(listed))
    assert set(elements(collection)) == listed
    assert cardinality(collection) == len(listed) == len(in_order)
    assert is_finite(collection)
    assert all(contains(collection, element) for element in in_order)
    assert equal(collection, listed)
    assert equal(listed, collection)
    assert subset_of(collection, listed)
    assert subset_of(listed, collection)


@settings(deadline=None)
@given(lazy_sets, lazy_sets)
def test_lazy_sets_are_compared_by_their_elements(a: Value, b: Value) -> None:
    assume(_size(a) < 100 and _size(b) < 100)
    try:
        assert equal(a, b) == (explicit(a) == explicit(b))
    except EvaluationError:
        assert explicit(a) != explicit(b)


@settings(deadline=None)
@given(lazy_sets, lazy_sets)
def test_membership_in_lazy_sets_is_membership_in_their_elements(a: Value, b: Value) -> None:
    assume(_size(a) < 100 and _size(b) < 100)
    for element in enumerate_set(b):
        try:
            assert contains(a, element) == (element in explicit(a))
        except EvaluationError:
            assert element not in explicit(a)


@given(st.lists(intervals, max_size=3))
def test_elements_repeat_what_two_parts_of_a_union_have(parts: list[Value]) -> None:
    whole = BigUnion(make_set(parts))
    expected = Counter(element for part in make_set(parts) for element in part)
    assert Counter(elements(whole)) == expected
    assert list(enumerate_set(whole)) == sorted(expected)


def _size(collection: Value) -> int:
    return sum(1 for _, _ in zip(range(300), elements(collection), strict=False))
