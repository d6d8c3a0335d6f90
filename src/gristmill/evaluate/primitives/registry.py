"""The table of primitives, and how their functions want to be called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gristmill.evaluate.context import Context
from gristmill.values import FALSE, TRUE, Value


@dataclass(frozen=True, slots=True)
class Implementation:
    """A function from values to a value.

    `boolean`: it returns a Python bool. `context`: it takes the run's context first. `lazy`: it takes functions
    without parameters in place of these arguments, to call when it needs them. `applied`: these arguments may be
    functions that are not listed (`LazyFunction`). Operators arrive as Python functions on values. `pure`: the result
    depends on the arguments alone. `cheap`: it may as well be evaluated while compiling.
    """

    function: Callable[..., Any]
    boolean: bool = False
    context: bool = False
    lazy: tuple[int, ...] = ()
    applied: tuple[int, ...] = ()
    pure: bool = True
    cheap: bool = False

    def with_context(self, context: Context) -> Callable[..., Any]:
        return partial(self.function, context) if self.context else self.function

    def returning_value(self, function: Callable[..., Any]) -> Callable[..., Value]:
        if not self.boolean:
            return function
        return lambda *args: TRUE if function(*args) else FALSE


PRIMITIVES: dict[str, Implementation] = {}


def primitive(*keys: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function into the table, under the names of one or several operators."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        implementation = Implementation(function, **options)
        for key in keys:
            PRIMITIVES[key] = implementation
        return function

    return enter


def is_primitive(key: str) -> bool:
    return key in PRIMITIVES


def is_pure(key: str) -> bool:
    return PRIMITIVES[key].pure


def is_cheap(key: str) -> bool:
    return PRIMITIVES[key].cheap
