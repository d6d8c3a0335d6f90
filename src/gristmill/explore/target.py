"""What a file holds to be explored: a `System`, or a scenario of an asyncio program."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from gristmill.controlled.run import Program
from gristmill.explore.system import System
from gristmill.source import Diagnostic, SourceError
from gristmill.source.from_here import from_here

Target = System | Program


def find_target(text: str, name: str | None = None) -> Target:
    """What `FILE.py` or `FILE.py:NAME` refers to. Mistakes raise `SourceError`."""
    path, named = split_reference(text)
    return target_in(load_module(path), path, name or named)


def split_reference(text: str) -> tuple[str, str | None]:
    if ":" not in text or Path(text).is_file():
        return text, None
    path, _, name = text.rpartition(":")
    return path, name


def loader(text: str) -> Callable[[], Any]:
    """What finds the target again in another process, which has the same files; it can be pickled."""
    path, name = split_reference(text)
    return partial(find_target, str(Path(path).resolve()), name)


def load_module(path: str) -> ModuleType:
    """Import a file by its path. What goes wrong in it is reported with its line."""
    if not Path(path).is_file():
        fail("explore-file", f"there is no file {path}")
    name = f"explored_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        fail("explore-file", f"{path} is no Python file", "its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # classes in it are looked up there
    folder = str(Path(path).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except SourceError:
        raise
    except (Exception, SystemExit) as error:
        fail("explore-file", f"{_where(error, path)}: {type(error).__name__}: {error}")
    return module


def _where(error: BaseException, path: str) -> str:
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{from_here(error.filename or path)}:{error.lineno}"
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == Path(path).name]
    return f"{path}:{own[-1].lineno}" if own else path


def target_in(module: ModuleType, path: str, name: str | None) -> Target:
    known = vars(module)
    systems = [key for key, value in known.items() if isinstance(value, System)]
    if name is None:
        usual = [one for one in ("system", "program") if one in known]
        name = systems[0] if not usual and len(systems) == 1 else (*usual, "system")[0]
    found = known.get(name)
    if isinstance(found, System):
        return found
    if found is not None and is_scenario(found):
        program: Program = found
        return program
    if callable(found):
        found = _made_by(found, path, name)
        if isinstance(found, System):
            return found
    what = "there is none of that name" if name not in known else f"it is a {type(found).__name__}"
    there = sorted(_candidates(module))
    remedy = f"name one with {path}:NAME or --system; there are: {', '.join(there)}"
    nothing = "there is none in this file: write `system = System({…}, […])` at the end of the file"
    fail("explore-system", f"{path} has no System or scenario called {name}: {what}", remedy if there else nothing)


def is_scenario(found: Any) -> bool:
    """Whether it is called with one argument, which is then a world."""
    if not callable(found) or inspect.isclass(found):
        return False
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = [one.kind for one in parameters if one.default is one.empty]
    required = [kind for kind in kinds if kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)]
    return len(required) == 1 and required[0] is not inspect.Parameter.KEYWORD_ONLY


def _candidates(module: ModuleType) -> list[str]:
    """What could have been meant: Systems, and functions of the file itself with a parameter called `world`."""
    return [
        key
        for key, value in vars(module).items()
        if isinstance(value, System)
        or (inspect.isfunction(value) and value.__module__ == module.__name__ and _takes_world(value))
    ]


def _takes_world(function: Callable[..., Any]) -> bool:
    return is_scenario(function) and next(iter(inspect.signature(function).parameters)) == "world"


def _made_by(function: Callable[..., Any], path: str, name: str) -> object:
    try:
        return function()
    except SourceError:
        raise
    except Exception as error:
        fail("explore-system", f"{_where(error, path)}: {name}() raised {type(error).__name__}: {error}")


def fail(id_: str, message: str, help_: str | None = None) -> NoReturn:
    raise SourceError(Diagnostic(id_, message, help=help_))
