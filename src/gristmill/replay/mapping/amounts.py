"""Limits of a mapping, and its regular expressions."""

from __future__ import annotations

import re
from typing import Any

from gristmill.replay.mapping.parts import Limits
from gristmill.source.toml_reader import Reader


def limits_of(reader: Reader) -> Limits:
    """Mistakes are noted by the reader, as all are."""
    given = {
        "seconds": _amount(reader, "system", "seconds"),
        "patience": _amount(reader, "system", "patience"),
        "start_seconds": _amount(reader, "start", "seconds"),
        "start_tries": _amount(reader, "start", "tries", whole=True),
        "reset_seconds": _amount(reader, "reset", "seconds"),
    }
    return Limits(**{name: value for name, value in given.items() if value is not None})


def _amount(reader: Reader, *path: str, whole: bool = False) -> Any:
    value = reader.get(*path)
    fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if value is None or (fits and value >= int(whole)):
        return value
    reader.wrong(path, "a whole number from 1" if whole else "a number of seconds", f"{path[-1]} = 3")
    return None


def pattern(reader: Reader, *path: str) -> str | None:
    text = reader.text(*path)
    try:
        re.compile(text)
    except re.error as error:
        reader.error("no-pattern", f"{text!r} is no regular expression: {error}", reader.places.value(*path))
        return None
    return text or None
