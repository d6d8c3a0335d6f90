"""Values for property tests. `like` makes values of one shape, which TLC can compare with one another."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from gristmill.values import (
    FALSE,
    TRUE,
    CrossProduct,
    FunctionSet,
    Interval,
    ModelValue,
    PowerSet,
    Value,
    make_function,
    make_record,
    make_set,
    make_tuple,
    record_set,
    union,
)

Values = SearchStrategy[Value]

integers: Values = st.integers(-3, 6) | st.integers()
strings: Values = st.sampled_from(["c", "a", "b", "", 'say "x"\n'])
booleans: Values = st.sampled_from([TRUE, FALSE])
model_values: Values = st.sampled_from([ModelValue("m2"), ModelValue("m1")])
atoms: Values = integers | strings | booleans | model_values

fields = st.sampled_from(["f", "e", "g"])


def sets(parts: Values, size: int = 4) -> Values:
    return st.lists(parts, max_size=size).map(make_set)


def sequences(parts: Values) -> Values:
    return st.lists(parts, max_size=3).map(make_tuple)


def functions(keys: Values, parts: Values) -> Values:
    return st.lists(st.tuples(keys, parts), max_size=3).map(make_function)


def records(parts: Values) -> Values:
    return st.dictionaries(fields, parts, min_size=1, max_size=3).map(make_record)


def anything(parts: Values) -> Values:
    return sets(parts) | sequences(parts) | functions(integers, parts) | records(parts)


values: Values = st.recursive(atoms, anything, max_leaves=8)

_WIDER: list[Callable[[Values], Values]] = [
    sets,
    sequences,
    lambda parts: functions(st.integers(1, 3), parts),
    lambda parts: functions(sequences(integers), parts),
    records,
    lambda parts: parts | model_values,
]


@st.composite
def likes(draw: st.DrawFn) -> Any:
    """A strategy for values that can all be compared."""
    found = draw(st.sampled_from([integers, strings, booleans, model_values]))
    for _ in range(draw(st.integers(0, 2))):
        found = draw(st.sampled_from(_WIDER))(found)
    return found


@st.composite
def alike(draw: st.DrawFn, size: int = 2) -> list[Value]:
    """Some values that can be compared."""
    parts = draw(likes())
    return [draw(parts) for _ in range(size)]


intervals: Values = st.builds(Interval, st.integers(-2, 3), st.integers(-2, 4))


def lazier(parts: Values) -> Values:
    return st.one_of(
        parts.map(PowerSet),
        st.builds(FunctionSet, intervals | sets(strings, 2), parts),
        st.dictionaries(fields, parts, min_size=1, max_size=2).map(record_set),
        st.tuples(parts, parts).map(CrossProduct),
        st.builds(union, parts.map(PowerSet), parts.map(PowerSet)),
    )


lazy_sets: Values = intervals | lazier(intervals | sets(st.integers(1, 3), 3))
