"""Parts of Python objects by paths, and objects made plain.

term                 an attribute, or the entry of a dict
leader.term          of a part
entries[0].term      an element; [-1] is the last one
entries[*].term      the same part of each element, as a tuple
progress.*.match     the same part of each value of a dict, as a dict
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

_STEP = re.compile(r"\.?(?:(?P<name>[^.\[\]*]+)|(?P<values>\*)|\[(?P<index>-?\d+|\*)\])")
_EACH_ELEMENT, _EACH_VALUE = ("[*]",), ("*",)
_Step = str | int | tuple[str]


class NotPlain(Exception):
    """An object that stands for no value."""


def part(value: Any, path: str) -> Any:
    """None if there is no such part. Raises ValueError if it is no path."""
    return _part(value, steps(path))


@lru_cache(1024)
def steps(path: str) -> tuple[_Step, ...]:
    found: list[_Step] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or (path[at] == "." and at == 0):
            raise ValueError(f"{path!r} is no path of parts, such as entries[0].term")
        at = match.end()
        if match["values"]:
            found.append(_EACH_VALUE)
        elif match["index"] is None:
            found.append(match["name"])
        else:
            found.append(_EACH_ELEMENT if match["index"] == "*" else int(match["index"]))
    return tuple(found)


def _part(value: Any, path: tuple[_Step, ...]) -> Any:
    for number, step in enumerate(path):
        if step is _EACH_ELEMENT:
            return tuple(_part(each, path[number + 1 :]) for each in value) if isinstance(value, Sequence) else None
        if step is _EACH_VALUE:
            rest = path[number + 1 :]
            return {key: _part(each, rest) for key, each in value.items()} if isinstance(value, Mapping) else None
        if isinstance(step, int):
            inside = isinstance(value, Sequence) and -len(value) <= step < len(value)
            value = value[step] if inside else None
        elif isinstance(value, Mapping):
            value = value.get(step)
        else:
            value = getattr(value, str(step), None)
    return value


def plain(value: Any) -> Any:
    """As values cross the interface of drivers: bool, int, str, tuple, dict, frozenset, None. Raises `NotPlain`."""
    if value is None or isinstance(value, bool | int | str):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Mapping):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return frozenset(plain(each) for each in value)
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "backslashreplace")
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Sequence):
        return tuple(plain(each) for each in value)
    raise NotPlain(f"{value!r} (a {type(value).__name__}) stands for no value")
