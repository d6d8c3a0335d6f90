"""C: find a compiler, build a shared library, keep it, load it.

    library = load(build({"answer.c": "int answer(void) { return 42; }"}))
    library.answer()

What was built once is not built again (`cache` says where it is kept); a file that was compiled once is not compiled
again when another one changes.
"""

import importlib
from typing import TYPE_CHECKING, Any

from gristmill.cc.errors import CacheError, CompilerError, NoCompilerError
from gristmill.cc.stop import Stop

if TYPE_CHECKING:
    from gristmill.cc.building import Loaded, Program, build, load, load_alone
    from gristmill.cc.compiler import Compiler, find_compiler

__all__ = [
    "CacheError",
    "Compiler",
    "CompilerError",
    "Loaded",
    "NoCompilerError",
    "Program",
    "Stop",
    "build",
    "find_compiler",
    "load",
    "load_alone",
]

_COMPILER = ("Compiler", "find_compiler")


def __getattr__(name: str) -> Any:
    """Who has nothing to compile need not wait for what compiles it."""
    if name not in __all__:
        raise AttributeError(f"module 'gristmill.cc' has no attribute {name!r}")
    return getattr(importlib.import_module(f"gristmill.cc.{'compiler' if name in _COMPILER else 'building'}"), name)
