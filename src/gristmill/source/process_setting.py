"""Settings of the Python process that runs need to be different while they run, several at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Setting = TypeVar("Setting")


class ProcessSetting(Generic[Setting]):
    """`with` it, the setting is changed; it is put back when the last of those who wanted that has ended."""

    def __init__(
        self, get: Callable[[], Setting], put: Callable[[Setting], object], change: Callable[[Setting], Setting]
    ) -> None:
        self._get, self._put, self._change = get, put, change
        self._lock = threading.Lock()
        self._users = 0
        self._before: Setting | None = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._before = self._get()
                self._put(self._change(self._before))
            self._users += 1

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users and self._before is not None:
                self._put(self._before)
