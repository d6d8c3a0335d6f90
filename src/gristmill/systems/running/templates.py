"""Texts of a mapping with places to fill in: `{node}`, `{port.client}`, `{port.client.2}`, and names of `[values]`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping

from gristmill.source import Span
from gristmill.systems.running.failing import DriverError

_PLACE = re.compile(r"\{([a-z][\w-]*(?:\.[\w-]+)*)\}", re.IGNORECASE)


def filled(text: str, values: Mapping[str, str | Callable[[], str]], span: Span | None = None) -> str:
    """`text` with the values of its places. Other braces stay as they are. Raises `DriverError` for unknown names."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in values:
            close = difflib.get_close_matches(name, values, 1)
            known = ", ".join(f"{{{each}}}" for each in values)
            help = f"did you mean {{{close[0]}}}?" if close else f"there are {known}"
            raise DriverError(f"there is nothing called {{{name}}} to fill in", help, span)
        chosen = values[name]
        return chosen if isinstance(chosen, str) else chosen()

    return _PLACE.sub(value, text)
