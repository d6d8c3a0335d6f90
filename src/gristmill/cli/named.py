"""Names as people type them: a module without its ending, a verb that is misspelt."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

_ENDING = ".tla"


def module_file(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """For a parameter, or several, that names modules: `Spec` is Spec.tla, as for TLC, if only that file is there."""
    if isinstance(value, tuple):
        return tuple(map(_with_ending, value))
    return None if value is None else _with_ending(value)


def _with_ending(name: str) -> str:
    try:
        if not name.endswith(_ENDING) and not Path(name).exists() and Path(name + _ENDING).is_file():
            return name + _ENDING
    except (OSError, ValueError):  # who reads it tells what is wrong with the name
        pass
    return name


def no_such_verb(name: str, verbs: Iterable[str]) -> str:
    """What to say of a word in the place of a verb."""
    if name.endswith(_ENDING) or Path(name + _ENDING).is_file():
        return f"No such command {name!r}: to check a specification, `gristmill check {name}`"
    close = difflib.get_close_matches(name, verbs, 1)
    remedy = f"did you mean `{close[0]}`?" if close else "`gristmill --help` lists them"
    return f"No such command {name!r}: {remedy}"
