"""Gristmill: from a TLA+ specification to the system that runs it."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gristmill.api import ModelValue, Result, check, simulate
    from gristmill.search.observation import Observation, UnknownNameError
    from gristmill.source import SourceError
    from gristmill.specification import Specification, State, Transition
    from gristmill.specification import open as open
    from gristmill.values import to_python

__version__ = "0.1.0"
__all__ = [
    "ModelValue",
    "Observation",
    "Result",
    "SourceError",
    "Specification",
    "State",
    "Transition",
    "UnknownNameError",
    "__version__",
    "check",
    "simulate",
    "to_python",
]

_HOMES = {
    "gristmill.api": ("ModelValue", "Result", "check", "simulate"),
    "gristmill.search.observation": ("Observation", "UnknownNameError"),
    "gristmill.source": ("SourceError",),
    "gristmill.specification": ("Specification", "State", "Transition", "open"),
    "gristmill.values": ("to_python",),
}


def __getattr__(name: str) -> Any:
    """What a program uses is imported when it uses it: the command line must not wait for it."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'gristmill' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "open"]  # which `import *` must not put in the place of Python's own
