"""Bytes that are not UTF-8: harmless in a comment, which people write in any encoding, and an error elsewhere.

Python's `surrogateescape` gives each such byte a character of its own, so that a text can be written back as it was.
"""

import re
from collections.abc import Iterator

_UNDECODED = re.compile("[\udc80-\udcff]")


def undecoded(text: str) -> Iterator[int]:
    """The offsets of such bytes."""
    if not text.isascii():
        yield from (found.start() for found in _UNDECODED.finditer(text))


def readable(text: str) -> str:
    """The text with a replacement character for each such byte, as they cannot be printed."""
    return text if text.isascii() else _UNDECODED.sub("\ufffd", text)
