"""C: find a compiler, build a shared library, keep it, load it.

    library = load(build({"answer.c": "int answer(void) { return 42; }"}))
    library.answer()

What was built once is not built again (`cache` says where it is kept); a file that was compiled once is not compiled
again when another one changes.
"""

from gristmill.cc.build import Loaded, build, load, load_alone
from gristmill.cc.compiler import Compiler, find_compiler
from gristmill.cc.errors import CacheError, CompilerError, NoCompilerError
from gristmill.cc.stop import Stop

__all__ = [
    "CacheError",
    "Compiler",
    "CompilerError",
    "Loaded",
    "NoCompilerError",
    "Stop",
    "build",
    "find_compiler",
    "load",
    "load_alone",
]
