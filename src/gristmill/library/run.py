"""What an operator may ask of the run that evaluates it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol

from gristmill.library.permissions import Permissions
from gristmill.values import Value


class Run(Protocol):
    variable_names: Sequence[str]
    registers: dict[Value, Value]
    permissions: Permissions
    random: Random

    def warn_once(self, id: str, message: str, span: object) -> None: ...

    def outside(self, function: Callable[..., Any], *args: Any) -> Any:
        """Calls a function that does something outside, or whose value depends on that."""

    @property
    def output(self) -> Callable[[str], None]: ...

    @property
    def statistic(self) -> Callable[[str], Value]: ...

    @property
    def request(self) -> Callable[[str, Value], None]: ...

    @property
    def trace(self) -> Callable[[], Sequence[tuple[Value, ...]]]: ...

    @property
    def counterexample(self) -> Callable[[], Value]: ...

    @property
    def definition(self) -> Callable[[str], Value]: ...
