"""Gristmill: from a TLA+ specification to the system that runs it."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gristmill.api import ModelValue, Result, check, simulate

__version__ = "0.1.0"
__all__ = ["ModelValue", "Result", "__version__", "check", "simulate"]


def __getattr__(name: str) -> Any:
    """What a program uses is imported when it uses it: the command line must not wait for it."""
    if name in __all__:
        return getattr(importlib.import_module("gristmill.api"), name)
    raise AttributeError(f"module 'gristmill' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
