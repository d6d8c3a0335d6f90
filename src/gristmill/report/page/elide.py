"""Values as text that fits: what is left out is counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CLOSING = {"<<": ">>", "{": "}", "[": "]", "(": ")"}
_CLOSERS = frozenset(_CLOSING.values())
_ARROWS = (" |-> ", " :> ")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?| \|-> | :> | @@ |, |\|->|:>|<<|>>|[{}\[\]()]', re.DOTALL)
_CLOSED_UP_FROM = 12  # characters of an argument
_LEAST_TO_CUT = 36  # columns in which the first characters of an element still say something


def elided(text: str, width: int) -> str:
    """In at most `width` columns (but never fewer than it takes to say how much is missing).

    Of a set, sequence, record or function, the first elements are kept and the others counted; of what has no
    elements, the first characters.
    """
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    return _elements(text, width) or _cut(text, width)


def elided_action(text: str, width: int) -> str:
    """`Name(s1, […])`: long arguments are closed up, so that the short ones are still to be seen."""
    name, bracket, rest = text.partition("(")
    parts = split(rest[:-1], ", ") if bracket and rest.endswith(")") else None
    if len(text) <= width or parts is None:
        return elided(text, width)
    return shortened(f"{name}({', '.join(map(_closed_up, parts))})", width)


def _closed_up(text: str) -> str:
    name, equals, value = text.partition(" = ")
    if equals and name.isidentifier():
        return f"{name} = {_closed_up(value)}"
    opening = next((each for each in _CLOSING if text.startswith(each)), None)
    if len(text) <= _CLOSED_UP_FROM or opening is None:
        return text
    return f"{opening}…{_CLOSING[opening]}"


def shortened(text: str, width: int) -> str:
    """Of a name: the beginning."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _cut(text: str, width: int) -> str:
    kept = len(text)
    while True:
        left_out = f"… +{len(text) - kept:,} characters"
        if kept == 0 or kept + len(left_out) <= width:
            return text[:kept] + left_out
        kept = max(0, min(kept - 1, width - len(left_out)))


def _elements(text: str, width: int) -> str | None:
    opening = next((each for each in _CLOSING if text.startswith(each)), None)
    if opening is None or not text.endswith(_CLOSING[opening]):
        return None
    closing, separator = _CLOSING[opening], " @@ " if opening == "(" else ", "
    parts = split(text[len(opening) : -len(closing)], separator)
    if parts is None:
        return None
    for kept in range(min(len(parts) - 1, width), 0, -1):
        found = _joined(opening, parts[:kept], len(parts) - kept, closing, separator)
        if len(found) <= width:
            return found
    around = len(_joined(opening, [""], len(parts) - 1, closing, separator))
    first = _element(parts[0], width - around)
    if first is not None:
        return _joined(opening, [first], len(parts) - 1, closing, separator)
    counted = f"{opening}… {len(parts):,} elements{closing}"
    return counted if len(parts) > 1 and len(counted) <= width else None


def _joined(opening: str, kept: Sequence[str], left_out: int, closing: str, separator: str) -> str:
    return opening + separator.join([*kept, *([f"… {left_out:,} more"] if left_out else [])]) + closing


def _element(text: str, width: int) -> str | None:
    """Of `name |-> value`, the value is elided. None if too little of it would remain."""
    for arrow in _ARROWS:
        parts = split(text, arrow)
        if parts is not None and len(parts) == 2:
            value = _element(parts[1], width - len(parts[0]) - len(arrow))
            return None if value is None else parts[0] + arrow + value
    if len(text) <= width:
        return text
    return _elements(text, width) or (_cut(text, width) if width >= _LEAST_TO_CUT else None)


def split(text: str, separator: str) -> list[str] | None:
    """At separators outside of brackets and strings; None if brackets do not match, as in text that is no value."""
    parts, start, depth = [], 0, 0
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token in _CLOSING:
            depth += 1
        elif token in _CLOSERS:
            depth -= 1
            if depth < 0:
                return None
        elif token == separator and depth == 0:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]] if depth == 0 else None
