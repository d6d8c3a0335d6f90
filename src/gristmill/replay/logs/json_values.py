"""Objects of JSON as TLA+ values, for people who log what they have.

| in JSON | in TLA+ |
|---|---|
| true, false, whole numbers, strings | Booleans, integers, strings |
| a string that is the name of a model value | that model value |
| arrays | sequences |
| objects | records; functions, if all keys are names of model values |
| null, numbers with a fraction | nothing: a field that has such a value is not there |
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from gristmill.values import ModelValue, Value, boolean, current, make_function, make_record, make_tuple


class _Nothing(Exception):
    """What has no value in TLA+, inside of an array: then the array has none either."""


class JsonValues:
    """`names`: what strings are called in TLA+. The world of the values is the one that is active."""

    def __init__(self, names: Mapping[str, str], model_values: Collection[str]) -> None:
        self._names, self._model_values = names, frozenset(model_values)

    def record(self, fields: Mapping[str, Any]) -> Value:
        """Of an object, whatever its keys are."""
        return make_record({self._text(key): value for key, value in self._fields(fields).items()})

    def _fields(self, fields: Mapping[str, Any]) -> dict[str, Value]:
        found = {}
        for key, each in fields.items():
            try:
                found[key] = self._value(each)
            except _Nothing:
                continue
        return found

    def _value(self, thing: Any) -> Value:
        if isinstance(thing, bool):
            return boolean(thing)
        if isinstance(thing, int):
            return thing
        if isinstance(thing, str):
            return self._string(thing)
        if isinstance(thing, list):
            return make_tuple(map(self._value, thing))
        if isinstance(thing, dict):
            return self._object(thing)
        raise _Nothing

    def _object(self, thing: dict[str, Any]) -> Value:
        fields = self._fields(thing)
        keys = {key: self._string(key) for key in fields}
        if fields and all(isinstance(key, ModelValue) for key in keys.values()):
            return make_function((keys[key], each) for key, each in fields.items())
        return make_record({self._text(key): value for key, value in fields.items()})

    def _string(self, text: str) -> Value:
        text = self._text(self._names.get(text, text))
        return ModelValue(text) if text in self._model_values else text

    def _text(self, text: str) -> str:
        current().register(text)
        return text
