"""Operators that are declared to treat permuted values alike do: permute the arguments, and the result is permuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from itertools import islice
from random import Random
from typing import Any

import pytest

from gristmill.library import OPERATORS, Operator
from gristmill.library.declaration import ALIKE, UNNAMED, Folds
from gristmill.values import (
    FALSE,
    TRUE,
    EvaluationError,
    Fn,
    ModelValue,
    SequenceSet,
    Value,
    World,
    boolean,
    make_function,
    make_record,
    make_set,
    make_tuple,
    normalize,
)
from gristmill.values.lazy import LazySet

ATTEMPTS = 20_000
ENOUGH = 40  # comparisons; fewer than MANY would show nothing
MANY = 5
# Real numbers cannot be evaluated; definitions without parameters and what is only an error have nothing to permute.
_NOTHING_TO_COMPARE = {("Reals", "/"), ("Reals", "Infinity"), (UNNAMED, "Decimal")}


@pytest.fixture(autouse=True)
def in_a_world(world: World) -> None:
    """Model values have an order, which nothing here may depend on."""


# --- values ----------------------------------------------------------------------------------------------------------


class Values:
    """Random arguments, of the shapes that library operators take."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.atoms = [ModelValue(name) for name in ("a", "b", "c")]
        self.shapes = [
            self.atom,
            self.number,
            self.text,
            self.set,
            self.tuple,
            self.bag,
            self.map,
            self.sets,
            self.graph,
        ]
        self.shapes += [self.sequences, self.set_of_sequences, self.functions, self.undirected, self.numbers]
        self.shapes += [self.truth, self.number, self.number, self.tuple]  # often wanted

    def any(self) -> Value:
        return self.random.choice(self.shapes)()

    def some(self, part: Callable[[], Value], most: int = 3) -> list[Value]:
        return [part() for _ in range(self.random.randint(0, most))]

    def atom(self) -> Value:
        return self.random.choice(self.atoms)

    def number(self) -> Value:
        return self.random.randint(0, 3)

    def truth(self) -> Value:
        return TRUE

    def text(self) -> Value:
        return self.random.choice(["ab", "a", "b", "7"])

    def set(self) -> Value:
        return make_set(self.some(self.atom))

    def tuple(self) -> Value:
        return make_tuple(self.some(self.atom))

    def numbers(self) -> Value:
        return make_set(self.some(self.number))

    def sets(self) -> Value:
        return make_set(self.some(self.set))

    def sequences(self) -> Value:
        return make_tuple(self.some(self.tuple))

    def set_of_sequences(self) -> Value:
        return make_set(self.some(self.tuple))

    def bag(self) -> Value:
        return make_function((atom, self.random.randint(1, 3)) for atom in self.set())

    def map(self) -> Value:
        return make_function((atom, self.atom()) for atom in self.set())

    def functions(self) -> Value:
        return make_set(self.some(self.bag))

    def graph(self) -> Value:
        edges = self.some(lambda: make_tuple([self.atom(), self.atom()]), 5)
        return make_record({"node": make_set(self.atoms), "edge": make_set(edges)})

    def undirected(self) -> Value:
        edges = self.some(lambda: make_set([self.atom(), self.atom()]), 5)
        return make_record({"node": make_set(self.atoms), "edge": make_set(edges)})


def permuted(value: Value, by: dict[Value, Value]) -> Value:
    kind = type(value)
    if kind is ModelValue:
        return by[value]
    if kind in (tuple, frozenset):
        return kind(permuted(each, by) for each in value)
    if kind is Fn:
        return make_function((permuted(key, by), permuted(each, by)) for key, each in value.items())
    if kind is SequenceSet:
        return SequenceSet(permuted(value.base, by))
    assert isinstance(value, LazySet | int | str) or value in (TRUE, FALSE)
    return value


# --- operators that are arguments: each of them treats permuted values alike -----------------------------------------


def _size(value: Value) -> int:
    return value if type(value) is int else 0 if type(value) is ModelValue else len(value)


_TESTS: list[Callable[[Value], Value]] = [
    lambda value: boolean(type(value) is ModelValue),
    lambda value: boolean(_size(value) > 1),
    lambda value: TRUE,
]
_UNARY: list[Callable[[Value], Value]] = [lambda value: value, lambda value: make_set([value]), _size]
_ARGUMENTS: dict[str, list[Any]] = {
    "Test": _TESTS,
    "Unary": _UNARY,
    "Callable[[Value], Value]": [*_TESTS, *_UNARY],
    "Binary": [lambda a, b: make_tuple([a, b]), lambda a, b: a, lambda a, b: b],
    "Callable[[Value, Value], Value]": [lambda a, b: boolean(_size(a) < _size(b))],
}


def _together(accumulator: int) -> Callable[[Value, Value], Value]:
    """Puts elements together in any order."""
    return lambda a, b: a | {b} if accumulator == 0 else b | {a}


def arguments(operator: Operator, values: Values) -> list[Any]:
    found: list[Any] = []
    for name, parameter in signature(operator.python).parameters.items():
        if parameter.annotation == "Value":
            starts_fold = name == "base" and isinstance(operator.equivariance, Folds)
            found.append(frozenset() if starts_fold else values.any())
        elif isinstance(operator.equivariance, Folds) and not found:
            found.append(_together(operator.equivariance.accumulator))
        else:
            found.append(values.random.choice(_ARGUMENTS[parameter.annotation]))
    return found


def comparisons(operator: Operator) -> Iterator[tuple[Value, Value]]:
    """What comes out, permuted, and what comes out of permuted arguments."""
    values = Values(Random(str(operator)))
    for _ in range(ATTEMPTS):
        args = arguments(operator, values)
        images = values.random.sample(values.atoms, len(values.atoms))
        by = dict(zip(values.atoms, images, strict=True))
        try:
            result = operator.python(*args)
            other = operator.python(*(arg if callable(arg) else permuted(arg, by) for arg in args))
            yield permuted(_as_value(result), by), _as_value(other)
        except (EvaluationError, TypeError, KeyError):  # these arguments are none for this operator
            continue


def _as_value(result: Any) -> Value:
    return boolean(result) if type(result) is bool else normalize(result)


_LOOKED_AT = [
    operator
    for key, operator in OPERATORS.items()
    if not operator.effects and not operator.lazy and key not in _NOTHING_TO_COMPARE
]


@pytest.mark.parametrize(
    "operator",
    [each for each in _LOOKED_AT if each.equivariance is ALIKE or isinstance(each.equivariance, Folds)],
    ids=str,
)
def test_permuted_values_are_treated_alike(operator: Operator) -> None:
    compared = 0
    for expected, found in islice(comparisons(operator), ENOUGH):
        assert expected == found
        compared += 1
    assert compared >= MANY


@pytest.mark.parametrize("name", ["SetToSeq", "AntiFunction", "ToString"])
def test_those_that_depend_on_an_order_would_be_found(name: str) -> None:
    (operator,) = [each for each in OPERATORS.values() if each.name == name]
    assert any(expected != found for expected, found in comparisons(operator))
