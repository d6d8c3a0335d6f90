"""Every operation of the runtime against gristmill.values, on random values: the same value, or both refuse.

The runtime may refuse a little more (`may_refuse`); it never answers what the reference refuses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from random import Random

import pytest
from random_values import FIELDS, STRINGS, Values, register_names
from reference import OPERATIONS, may_refuse, outcome, same
from runtime_library import KEPT, KEPT_RESULT, MIXED, SCRATCH, Failure, Runtime, library

from gristmill.native.codec import LARGEST
from gristmill.native.errors import NoNativeFormError
from gristmill.values import EvaluationError, Value, make_record

CASES = int(os.environ.get("GRISTMILL_RUNTIME_CASES", "400"))  # of each operation
SEED = os.environ.get("GRISTMILL_RUNTIME_SEED", "")

Draw = Callable[[Values], tuple[Value, ...]]


def _one(values: Values) -> tuple[Value, ...]:
    return (values.value(),)


def _two(values: Values) -> tuple[Value, ...]:
    pair = (values.value(), values.value())
    return pair if values.rng.random() < 0.6 else (values.collection(), values.collection())


def _several(values: Values) -> tuple[Value, ...]:
    return tuple(
        values.value() if values.rng.random() < 0.9 else values.collection() for _ in range(values.rng.randint(0, 20))
    )


def _set(values: Values) -> tuple[Value, ...]:
    return (values.collection() if values.rng.random() < 0.95 else values.value(),)


def _two_sets(values: Values) -> tuple[Value, ...]:
    if values.rng.random() < 0.5:
        return (_large_set(values), _large_set(values))
    return (*_set(values), *_set(values))


def _large_set(values: Values) -> Value:
    return frozenset(values.several(25)) if values.rng.random() < 0.5 else values.listed()


def _set_and_value(values: Values) -> tuple[Value, ...]:
    (collection,) = _set(values)
    return (collection, values.element_like(collection) if values.rng.random() < 0.8 else values.collection())


def _set_of_sets(values: Values) -> tuple[Value, ...]:
    if values.rng.random() < 0.5:
        return (frozenset(values.listed() for _ in range(values.rng.randint(0, 4))),)
    return _set(values)


def _function(values: Values) -> Value:
    arguments, rng = values.listed(), values.rng
    try:
        return OPERATIONS["tabulate"](arguments) if rng.random() < 0.7 else values.value()
    except EvaluationError:
        return values.value()


def _argument(values: Values, function: Value) -> Value:
    rng = values.rng
    if isinstance(function, dict) and rng.random() < 0.6:
        return rng.choice(list(function))
    if type(function) is tuple and rng.random() < 0.8:
        return rng.randint(0, len(function) + 1)
    return values.value() if rng.random() < 0.9 else values.collection(1)


def _application(values: Values) -> tuple[Value, ...]:
    function = _function(values)
    return (function, _argument(values, function))


def _field(values: Values) -> tuple[Value, ...]:
    rng = values.rng
    record = make_record({name: values.value() for name in rng.sample(FIELDS, rng.randint(1, 3))})
    return (record if rng.random() < 0.8 else _function(values), rng.choice(FIELDS))


def _change(values: Values) -> tuple[Value, ...]:
    return (*_application(values), values.value() if values.rng.random() < 0.9 else values.collection())


def _two_functions(values: Values) -> tuple[Value, ...]:
    return (_function(values), _function(values))


def _sequence(values: Values) -> Value:
    rng = values.rng
    if rng.random() < 0.1:
        return rng.choice(STRINGS)
    return tuple(values.several(5)) if rng.random() < 0.9 else values.value()


def _number(values: Values) -> Value:
    rng = values.rng
    if rng.random() < 0.1:
        return values.value()
    large = [LARGEST, -LARGEST, -LARGEST - 1, 1 << 30, -(1 << 29), (1 << 29) - 1]
    return rng.choice([rng.randint(-9, 9), rng.choice(large), rng.randint(-1 << 32, 1 << 32)])


DRAW: dict[str, Draw] = {
    **dict.fromkeys(("same", "pack"), lambda v: _one(v) if v.rng.random() < 0.5 else _set(v)),
    **dict.fromkeys(("equal", "compare", "single"), _two),
    **dict.fromkeys(("make_tuple", "make_set"), _several),
    **dict.fromkeys(
        ("tabulate explicit cardinality is_finite is_empty is_enumerable enumerate_set elements power_set").split(),
        _set,
    ),
    **dict.fromkeys(("contains", "lazy_apply"), _set_and_value),
    **dict.fromkeys(("subset_of", "union", "intersect", "difference"), _two_sets),
    "big_union": _set_of_sets,
    "power_set": lambda v: (v.collection(0) if v.rng.random() < 0.9 else v.value(),),
    **dict.fromkeys(("apply", "select"), _application),
    "field": _field,
    "domain": lambda v: (_function(v),),
    "except_at": _change,
    "merge": _two_functions,
    **dict.fromkeys(("length", "head", "tail"), lambda v: (_sequence(v),)),
    "append": lambda v: (_sequence(v), v.value() if v.rng.random() < 0.8 else v.collection()),
    "concat": lambda v: (_sequence(v), _sequence(v)),
    "subseq": lambda v: (_sequence(v), v.integer(), v.integer()),
    **dict.fromkeys(
        ("add", "subtract", "multiply", "divide", "modulo", "less", "at_most", "interval"),
        lambda v: (_number(v), _number(v)),
    ),
    "power": lambda v: (_number(v), v.integer() if v.rng.random() < 0.9 else _number(v)),
    "negate": lambda v: (_number(v),),
}


@pytest.fixture(params=["untyped", "typed"])
def values(request: pytest.FixtureRequest) -> Values:
    rng = Random(f"{request.node.name} {SEED}")
    register_names(rng)
    return Values(rng, typed=request.param == "typed")


@pytest.fixture
def runtime(values: Values) -> Iterator[Runtime]:
    found = Runtime(library())
    found.type_model_values(values.model_values)
    yield found
    found.close()


def test_every_operation_has_arguments() -> None:
    assert DRAW.keys() == OPERATIONS.keys()


@pytest.mark.parametrize("name", OPERATIONS)
def test_like_the_reference(name: str, values: Values, runtime: Runtime) -> None:
    answers = 0
    for case in range(CASES):
        if case % 5 == 0:
            values.new_shape(values.rng.randint(0, 3))
        try:
            arguments = DRAW[name](values)
        except EvaluationError:
            continue
        how = values.rng.choice([SCRATCH, KEPT, KEPT_RESULT, MIXED])
        answers += _check(
            runtime, name, arguments, SCRATCH if name == "interval" else how
        )  # some are too large to list
    assert answers > CASES / 20


def _check(runtime: Runtime, name: str, arguments: tuple[Value, ...], how: int) -> bool:
    """Whether both have a value."""
    expected, value = outcome(OPERATIONS[name], *arguments)
    shown = f"{name}{arguments!r}, held as {how}"
    found = _found(runtime, name, arguments, how)
    if found is None:
        assert not expected or may_refuse(name, arguments, value), f"{shown}: refused, but it is {value!r}"
        return False
    assert expected, f"{shown}: {found!r}, but the reference refuses"
    assert same(found, value), f"{shown}: {found!r}, but it is {value!r}"
    return True


def _found(runtime: Runtime, name: str, arguments: tuple[Value, ...], how: int) -> Value | None:
    try:
        return runtime.call(name, *arguments, how=how)
    except (Failure, NoNativeFormError):
        return None
