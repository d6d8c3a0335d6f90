"""Readings of a program: `[read.NAME]`.

path = "app.term"               # a part of the node, or of the process
python = "FILE.py:function"     # function(world, node), or function(process)
sent = true                     # the messages from this node to each other that are on their way
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gristmill.controlled.errors import describe_error
from gristmill.replay.driver import DriverError, Reading, Setup
from gristmill.replay.program.paths import NotPlain, part, plain, steps
from gristmill.replay.program.settings import Files
from gristmill.source.toml_reader import suggestion

_WAYS = ("path", "python", "sent")
_KEYS = (*_WAYS, "function", "down", "null", "keep")


class Looking:
    def __init__(self, setup: Setup, files: Files) -> None:
        self.setup, self.files = setup, files
        self._functions: dict[str, Callable[..., Any]] = {}

    def check(self, reading: Reading) -> None:
        """Raises `DriverError`, and loads the function."""
        how, places = reading.how, self.setup.places
        for key in how:
            if key not in _KEYS:
                span = places.key("read", reading.name, key)
                raise DriverError(f"a reading of a program has no key `{key}`", suggestion(key, _KEYS), span)
        ways = [key for key in _WAYS if key in how]
        if len(ways) != 1:
            help = 'write path = "…", python = "FILE.py:function", or sent = true'
            raise DriverError(f"the reading {reading.name} does not say what is read", help, reading.span)
        if how.get("sent", True) is not True:
            raise DriverError("`sent` can only be true", None, places.value("read", reading.name, "sent"))
        if "python" in how:
            span = places.value("read", reading.name, "python")
            self._functions[reading.name] = self.files.function(str(how["python"]), span)
        if "path" in how:
            try:
                steps(str(how["path"]))
            except ValueError as error:
                raise DriverError(str(error), None, places.value("read", reading.name, "path")) from None

    def read(self, reading: Reading, whole: Any, arguments: tuple[Any, ...]) -> Any:
        """Of the whole, by a path; or what the function makes of the arguments."""
        try:
            if "path" in reading.how:
                return plain(part(whole, str(reading.how["path"])))
            return plain(self._functions[reading.name](*arguments))
        except NotPlain as error:
            raise DriverError(f"the reading {reading.name}: {error}", None, reading.span) from None
        except Exception as error:
            text = f"the reading {reading.name} failed: {describe_error(error)}"
            raise DriverError(text, None, reading.span) from None
