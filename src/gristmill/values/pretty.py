"""Wide values over several lines, broken as TLC breaks them.

What fits in the columns left is on one line. What does not is opened: an element a line, a pair's value below its
argument where the two do not fit side by side.
"""

from __future__ import annotations

from typing import NamedTuple

from gristmill.values.atoms import Value
from gristmill.values.function import Fn
from gristmill.values.show import elements_to_show, show, shows_as_record


class _Room(NamedTuple):
    """Columns to fill, of them to keep free on the last line, and the margin of further lines."""

    columns: int
    trailer: int
    margin: str


class _Brackets(NamedTuple):
    opening: str
    closing: str
    separator: str
    arrow: str = ""


_SET = _Brackets("{ ", " }", ",")
_SEQUENCE = _Brackets("<< ", " >>", ",")
_RECORD = _Brackets("[ ", " ]", ",", " |->")
_FUNCTION = _Brackets("( ", " )", " @@", " :>")
_VALUE_MARGIN = "    "


def pretty(value: Value, width: int = 80) -> str:
    """Text of at most `width` columns where that is possible."""
    return _break(value, _Room(width, 0, ""))


def _break(value: Value, room: _Room) -> str:
    line = show(value)
    if len(line) <= room.columns - room.trailer:
        return line
    if type(value) is frozenset and value:
        return _break_items(elements_to_show(value), _SET, room)
    if type(value) is tuple and value:
        return _break_items(value, _SEQUENCE, room)
    if type(value) is Fn:
        return _break_pairs(value, _RECORD if shows_as_record(value) else _FUNCTION, room)
    return line


def _inside(brackets: _Brackets, room: _Room) -> _Room:
    indent = len(brackets.opening)
    return _Room(room.columns - indent, room.trailer + len(brackets.closing), room.margin + " " * indent)


def _break_items(items: tuple[Value, ...], brackets: _Brackets, room: _Room) -> str:
    inner = _inside(brackets, room)
    before_separator = inner._replace(trailer=len(brackets.separator))
    lines = [_break(item, before_separator) for item in items[:-1]]
    lines.append(_break(items[-1], inner))
    return brackets.opening + f"{brackets.separator}\n{inner.margin}".join(lines) + brackets.closing


def _break_pairs(function: Fn, brackets: _Brackets, room: _Room) -> str:
    inner = _inside(brackets, room)
    before_separator = inner._replace(trailer=len(brackets.separator))
    pairs = list(function.items())
    lines = [_break_pair(key, value, brackets, before_separator) for key, value in pairs[:-1]]
    lines.append(_break_pair(*pairs[-1], brackets, inner))
    return brackets.opening + f"{brackets.separator}\n{inner.margin}".join(lines) + brackets.closing


def _break_pair(key: Value, value: Value, brackets: _Brackets, room: _Room) -> str:
    argument = (key if brackets is _RECORD and type(key) is str else show(key)) + brackets.arrow
    line = f"{argument} {show(value)}"
    if len(line) <= room.columns - room.trailer:
        return line
    if len(argument) > room.columns and brackets is not _RECORD:
        argument = _break(key, room._replace(trailer=len(brackets.arrow))) + brackets.arrow
    below = _Room(room.columns - len(_VALUE_MARGIN), room.trailer, room.margin + _VALUE_MARGIN)
    return f"{argument}\n{below.margin}{_break(value, below)}"
