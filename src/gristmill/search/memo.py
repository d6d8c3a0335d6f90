"""Results that are kept because the same will be asked again, within bounds."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Remembered(dict[Hashable, Any]):
    """Forgets everything when it has become too large: large values count for more.

    Fill it with `keep`; forgetting does no harm, as what was kept can be computed again.
    """

    __slots__ = ("_most", "_parts")

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._parts = 0

    def keep(self, key: Any, value: T) -> T:
        self._parts += 1 + (len(key) if hasattr(key, "__len__") else 0)
        if self._parts > self._most:
            self.clear()
            self._parts = 0
        self[key] = value
        return value
