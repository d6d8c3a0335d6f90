"""How a token kind is written, in ASCII or in Unicode."""

from gristmill.syntax.operators import ALL_OPERATORS
from gristmill.syntax.token import DELIMITERS

_ASCII_DELIMITERS = {kind: kind for kind in DELIMITERS.values()}
_UNICODE_DELIMITERS = {kind: text for text, kind in DELIMITERS.items() if not text.isascii()}

ASCII: dict[str, str] = {**_ASCII_DELIMITERS, **{op.name: op.name for op in ALL_OPERATORS}}
UNICODE: dict[str, str] = {
    **ASCII,
    **_UNICODE_DELIMITERS,
    **{op.name: op.unicode for op in ALL_OPERATORS if op.unicode},
}


def spelling(unicode: bool) -> dict[str, str]:
    """From the kind of a delimiter or the name of an operator to its text."""
    return UNICODE if unicode else ASCII
