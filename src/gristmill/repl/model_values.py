"""Names of model values."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.values import Fn, ModelValue, Value


def model_values_in(value: Value) -> Iterator[str]:
    """Names of the model values that a value is made of."""
    if isinstance(value, ModelValue):
        yield value.name
    elif isinstance(value, frozenset | tuple):
        for each in value:
            yield from model_values_in(each)
    elif isinstance(value, Fn):
        for key, each in value.items():
            yield from model_values_in(key)
            yield from model_values_in(each)
