"""Room for recursion: trees of user input are walked by recursive functions, and people nest deeply."""

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

# The parser refuses what is nested deeper than this, so the walks behind it know what to be ready for.
MAX_NESTING = 1_000  # brackets, quantifiers, LETs, … inside one another
MAX_CHAIN = 5_000  # operators in a row: a + b + c + …

_STACK_BYTES = 512 * 1024 * 1024  # virtual; only what is touched is taken
_RECURSION_LIMIT = 60_000
_inside = threading.local()


def with_deep_stack(function: Callable[[], Result]) -> Result:
    """Call `function` on a stack deep enough for every tree the parser lets through."""
    if getattr(_inside, "deep", False):
        return function()
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        _inside.deep = True
        try:
            results.append(function())
        except BaseException as error:  # handed to the caller's thread
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        thread = threading.Thread(target=run, name="gristmill-deep-stack", daemon=True)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
