"""The type `Value` names every class that a value can have."""

from typing import get_args, get_origin

import gristmill.evaluate.lazy_function  # registers a class of its own
from gristmill.values import atoms, function, lazy
from gristmill.values.equality import EQUAL
from gristmill.values.order import COMPARE, KEYS
from gristmill.values.shape import SHAPES


def _classes() -> tuple[type, ...]:
    names = {**vars(atoms), **vars(function), **vars(lazy), "Value": object}
    return tuple(get_origin(each) or each for each in get_args(eval(atoms.Value, names)))


def test_whatever_is_compared_and_ordered_is_a_value() -> None:
    known = {*EQUAL, *COMPARE, *KEYS, *SHAPES}
    assert gristmill.evaluate.lazy_function.LazyFunction in known
    assert {kind for kind in known if not issubclass(kind, _classes())} == set()


def test_whatever_is_a_value_is_compared_and_ordered() -> None:
    for table in (COMPARE, KEYS):
        assert all(any(issubclass(kind, each) for kind in table) for each in _classes())
