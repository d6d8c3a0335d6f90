"""The table of primitives, and how their functions want to be called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from gristmill.evaluate.context import Context
from gristmill.values import FALSE, TRUE, Value


@dataclass(frozen=True, slots=True)
class Implementation:
    """A function from values to a value.

    `boolean`: it returns a Python bool. `context`: it takes the run's context first. `lazy`: it takes functions
    without parameters in place of these arguments, to call when it needs them. `applied`: these arguments may be
    functions that are not listed (`LazyFunction`). Operators arrive as Python functions on values. `cheap`: it may as
    well be evaluated while compiling. `effects`: whether the result depends on more than the arguments, or the world on
    the call. TLC evaluates constant definitions once, before it starts: so do we, unless it is "always". `outside`: it
    writes a file or runs a program, or its value depends on that.
    """

    function: Callable[..., Any]
    boolean: bool = False
    context: bool = False
    lazy: tuple[int, ...] = ()
    applied: tuple[int, ...] = ()
    effects: Literal["none", "once", "always"] = "none"
    outside: bool = False
    cheap: bool = False

    def with_context(self, context: Context) -> Callable[..., Any]:
        function = partial(self.function, context) if self.context else self.function
        return partial(context.outside, function) if self.outside else function

    def returning_value(self, function: Callable[..., Any]) -> Callable[..., Value]:
        if not self.boolean:
            return function
        return lambda *args: TRUE if function(*args) else FALSE


PRIMITIVES: dict[str, Implementation] = {}


Function = TypeVar("Function", bound=Callable[..., Any])


def primitive(*keys: str, **options: Any) -> Callable[[Function], Function]:
    """Enter a function into the table, under the names of one or several operators."""

    def enter(function: Function) -> Function:
        implementation = Implementation(function, **options)
        for key in keys:
            PRIMITIVES[key] = implementation
        return function

    return enter


def is_primitive(key: str) -> bool:
    return key in PRIMITIVES


def effects(key: str) -> Literal["none", "once", "always"]:
    return PRIMITIVES[key].effects


def is_cheap(key: str) -> bool:
    return PRIMITIVES[key].cheap
