"""Numbers and strings, from their spelling to their value and back."""

import re

_BASES = {"b": 2, "B": 2, "o": 8, "O": 8, "h": 16, "H": 16}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "\\": "\\", '"': '"'}
_ESCAPED = {value: "\\" + letter for letter, value in _ESCAPES.items()}

# Below Python's own bound on the digits of a decimal number, also for one that is written in hexadecimal.
MAX_DIGITS = 3500


def number_value(text: str) -> int | None:
    """The value of `42`, `\\b101`, `\\o17` or `\\hFF`; None if it has too many digits."""
    if len(text) > MAX_DIGITS:
        return None
    if text[0] == "\\":
        return int(text[2:], _BASES[text[1]])
    return int(text)


def string_value(text: str) -> str:
    """The value of a string literal, quotes included in `text`."""
    inner = text[1:-1] if text.endswith('"') and len(text) > 1 else text[1:]
    if "\\" not in inner:
        return inner
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), inner)


def string_text(value: str) -> str:
    """A string literal with that value."""
    return '"' + "".join(_ESCAPED.get(character, character) for character in value) + '"'
