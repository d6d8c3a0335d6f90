"""Running an example, and comparing its result with the expected one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from gristmill import api
from gristmill.examples.catalogue import Expected, Run
from gristmill.search import Result

Engine = Literal["auto", "native", "python"]


def run(each: Run, engine: Engine = "auto", output: Callable[[str], None] = lambda text: None) -> Result:
    """Runs in a folder of its own: some specifications write files. `output` is given what they print."""
    settings: dict[str, Any] = each.settings()
    with _empty_folder():
        if each.verb == "simulate":
            return api.simulate(each.module, config=each.config, output=output, **settings).result
        return api.check(each.module, config=each.config, output=output, engine=engine, **settings)


def found(result: Result, expected: Expected) -> Expected:
    """The outcome, told as far as the expectation goes."""
    name = result.property if expected.property is not None else None
    return Expected(result.verdict, name, result.distinct if expected.states is not None else None)


@contextmanager
def _empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
