"""The table `[program]` of a mapping, and the functions of Python files that a mapping names.

    [program]
    file = "server.py:program"     # a function of a World, or a System (or a function that makes one)
    options = { journal = true }   # given to that function, by name
    decode = "server.py:decode"    # bytes of a packet -> {"kind": …, …}; None if they are no message
    seed = 0                       # of the program's chance
    allow = ["executor"]           # what is not controlled, and let through
    real-seconds = 30              # what the program may take to come to rest

Texts may have names of `[values]`, in braces: `--set` chooses another program, or other options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from gristmill.controlled.errors import describe_error
from gristmill.controlled.run import Program
from gristmill.controlled.settings import Settings
from gristmill.explore.system import System
from gristmill.explore.target import is_scenario, load_module
from gristmill.replay.driver import DriverError, Setup
from gristmill.source import SourceError, Span
from gristmill.source.toml_reader import suggestion
from gristmill.systems.running.templates import filled

_KEYS: dict[str, tuple[type, ...]] = {
    "file": (str,),
    "options": (dict,),
    "decode": (str,),
    "seed": (int,),
    "allow": (list,),
    "real-seconds": (int, float),
}


_WANTED = "it must be a function of a world, a System, or a function that makes one"


class Files:
    """Python files beside a mapping, each loaded once, so that functions of one file share what it holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._modules: dict[Path, ModuleType] = {}

    def function(self, text: str, span: Span | None) -> Callable[..., Any]:
        """ "FILE.py:name". Raises `DriverError`."""
        found = self.member(text, span)
        if not callable(found):
            raise DriverError(f"{text} is no function", 'write "FILE.py:function"', span)
        made: Callable[..., Any] = found
        return made

    def member(self, text: str, span: Span | None) -> Any:
        file, colon, name = text.rpartition(":")
        if not colon:
            raise DriverError(f"{text!r} does not say what is meant in the file", 'write "FILE.py:name"', span)
        module = self._module(file, span)
        if not hasattr(module, name):
            known = [key for key in vars(module) if not key.startswith("_")]
            raise DriverError(f"{file} has no {name!r}", suggestion(name, known), span)
        return getattr(module, name)

    def _module(self, file: str, span: Span | None) -> ModuleType:
        path = (self.folder / file).resolve()
        if path not in self._modules:
            try:
                self._modules[path] = load_module(str(path))
            except SourceError as error:
                first = error.diagnostics[0]
                raise DriverError(first.message, first.help, span) from None
        return self._modules[path]


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    target: System | Program
    decode: Callable[[bytes], Any] | None
    seed: int
    controlled: Settings
    files: Files = field(repr=False)


def settings_of(setup: Setup) -> ProgramSettings:
    """Raises `DriverError`, with the place in the mapping."""
    table = setup.document.get("program")
    if not isinstance(table, dict) or "file" not in table:
        span = setup.places.key("program")
        raise DriverError("the mapping does not say which program", 'write [program] file = "FILE.py:program"', span)
    _check(setup, table)
    table = {key: _filled(setup, value, "program", key) for key, value in table.items()}
    files = Files(setup.folder)
    decode = table.get("decode")
    return ProgramSettings(
        _target(setup, table, files),
        None if decode is None else files.function(decode, setup.places.value("program", "decode")),
        table.get("seed", 0),
        Settings(real_seconds=float(table.get("real-seconds", 30.0)), allow=tuple(table.get("allow", ()))),
        files,
    )


def _filled(setup: Setup, value: Any, *path: str) -> Any:
    """Texts may have names of `[values]`, in braces."""
    if isinstance(value, dict):
        return {key: _filled(setup, each, *path, key) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    names = {name: str(each) for name, each in setup.document.get("values", {}).items()}
    return filled(value, names, setup.places.value(*path))


def _check(setup: Setup, table: Mapping[str, Any]) -> None:
    for key, value in table.items():
        if key not in _KEYS:
            span = setup.places.key("program", key)
            raise DriverError(f"[program] has no key `{key}`", suggestion(key, _KEYS), span)
        if not isinstance(value, _KEYS[key]) or isinstance(value, bool):
            kind = " or ".join(each.__name__ for each in _KEYS[key])
            span = setup.places.value("program", key)
            raise DriverError(f"`{key}` must be of type {kind}", None, span)


def _target(setup: Setup, table: Mapping[str, Any], files: Files) -> System | Program:
    """What `file` names, with the `options`."""
    span = setup.places.value("program", "file")
    found = files.member(table["file"], span)
    options = table.get("options", {})
    if isinstance(found, System):
        if options:
            raise DriverError("a System takes no options", "name a function that makes it", span)
        return found
    if not callable(found):
        raise DriverError(f"{table['file']} is of type {type(found).__name__}", _WANTED, span)
    _check_options(setup, found, options)
    program = partial(found, **_with_nodes(setup, found, options))
    if is_scenario(program):
        return program
    try:
        made = program()
    except Exception as error:
        raise DriverError(f"{table['file']} cannot be called: {describe_error(error)}", None, span) from None
    if isinstance(made, System):
        return made
    raise DriverError(f"what {table['file']} makes is of type {type(made).__name__}", _WANTED, span)


def _with_nodes(setup: Setup, function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """A program that has a parameter `nodes` is told how the nodes of the model are called."""
    asked = "nodes" in inspect.signature(function).parameters
    return {**({"nodes": list(setup.nodes)} if asked else {}), **options}


def _check_options(setup: Setup, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return
    known = [each.name for each in parameters]
    for name in options:
        if name not in known:
            span = setup.places.key("program", "options", name)
            raise DriverError(f"the program has no option `{name}`", suggestion(name, known), span)
