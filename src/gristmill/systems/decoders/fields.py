"""Parts of records by paths, and foreign values made plain.

term                 a field
header.raft_term     a field of a field
"raft.status".term   a name that has dots in it
entries[0].term      an element; [-1] is the last one
entries[*].term      the same part of each element, as a tuple
progress.*.match     the same part of each value of a record, as a record
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_STEP = re.compile(r"""\.?(?:"(?P<quoted>[^"]*)"|(?P<name>[^.\[\]"*]+)|(?P<values>\*)|\[(?P<index>-?\d+|\*)\])""")
_EACH_ELEMENT, _EACH_VALUE = ("[*]",), ("*",)


def part(value: Any, path: str) -> Any:
    """None if there is no such part. Raises ValueError if it is no path."""
    return _part(value, steps(path))


@lru_cache(1024)
def steps(path: str) -> tuple[str | int | tuple[str], ...]:
    found: list[str | int | tuple[str]] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or (path[at] == "." and at == 0):
            raise ValueError(f"{path!r} is no path of fields, such as entries[0].term")
        at = match.end()
        if match["values"]:
            found.append(_EACH_VALUE)
        elif match["index"] is None:
            found.append(match["quoted"] if match["name"] is None else match["name"])
        else:
            found.append(_EACH_ELEMENT if match["index"] == "*" else int(match["index"]))
    return tuple(found)


def _part(value: Any, path: tuple[str | int | tuple[str], ...]) -> Any:
    for number, step in enumerate(path):
        if step is _EACH_ELEMENT:
            return tuple(_part(each, path[number + 1 :]) for each in value) if isinstance(value, tuple) else None
        if step is _EACH_VALUE:
            rest = path[number + 1 :]
            return {key: _part(each, rest) for key, each in value.items()} if isinstance(value, Mapping) else None
        if isinstance(step, int):
            inside = isinstance(value, tuple) and -len(value) <= step < len(value)
            value = value[step] if inside else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value


def plain(value: Any) -> Any:
    """A value of JSON as one that records may have. Numbers with a fraction become text."""
    if isinstance(value, list | tuple):
        return tuple(plain(each) for each in value)
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    return text(value) if isinstance(value, bytes) else value


def text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
