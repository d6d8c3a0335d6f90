"""Time, chance and identity as the world gives them, in place of what the standard library gives.

A program binds these functions in many ways (`time.time`, `from time import time`), so every module that is loaded is
looked through for them. What stands in their place asks the world if one runs, and otherwise calls the real function: a
module that keeps such a reference is none the worse for it.
"""

from __future__ import annotations

import _thread
import copyreg
import datetime
import os
import random
import socket
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gristmill.controlled import current
from gristmill.controlled.errors import here
from gristmill.controlled.sockets import open_socket

# Virtual clocks start here: far from zero, as programs subtract hours from them.
MONOTONIC_START = 100_000.0
EPOCH_START = 1_700_000_000.0

_REAL_DATETIME = datetime.datetime
_REAL_DATE = datetime.date
_REAL_SOCKET = socket.socket
_REAL_RANDOM = random.Random
_REAL_START_THREAD = _thread.start_new_thread


def _clock(offset: float, nanoseconds: bool = False) -> Callable[[], float]:
    if nanoseconds:
        return lambda: round((_now() + offset) * 1e9)
    return lambda: _now() + offset


def _now() -> float:
    assert current.world is not None
    return current.world.now if current.node is None else current.node.now


def _instead(real: Any, virtual: Callable[..., Any]) -> Callable[..., Any]:
    def substitute(*arguments: Any, **named: Any) -> Any:
        if current.world is None:
            return real(*arguments, **named)
        return virtual(*arguments, **named)

    substitute.__name__ = getattr(real, "__name__", "substitute")
    return substitute


def _sleep(seconds: float) -> None:
    assert current.world is not None
    current.world.pass_time(seconds)


def _clock_gettime(clock: int) -> float:
    return _now() + (EPOCH_START if clock == time.CLOCK_REALTIME else MONOTONIC_START)


def _broken_down(real: Callable[[float], Any]) -> Callable[..., Any]:
    return lambda seconds=None: real(_now() + EPOCH_START if seconds is None else seconds)


def _urandom(size: int, flags: int = 0) -> bytes:
    assert current.world is not None
    return current.world.entropy.randbytes(size)


def _getpid() -> int:
    return 1000 + (current.node.index if current.node is not None else 0)


def _start_new_thread(*arguments: Any) -> int:
    """Python 3.11 has no audit event for it."""
    if current.node is not None:
        current.node.world.report_uncontrolled("a thread is started", here())
    return _REAL_START_THREAD(*arguments)


def _gethostname() -> str:
    return current.node.name if current.node is not None else "world"


def _getaddrinfo(host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0) -> Any:
    assert current.world is not None
    return current.world.network.resolve(current.node, host, port, family, type, proto)


def _gethostbyname(name: str) -> str:
    address: str = _getaddrinfo(name, 0)[0][4][0]
    return address


class _StandsFor(type):
    """A class that makes no instances of itself: those of the real class count as its own."""

    real: type

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.real)


class _Datetime(_REAL_DATETIME, metaclass=_StandsFor):
    real = _REAL_DATETIME

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        return _REAL_DATETIME(*arguments, **named)

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        if current.world is None:
            return _REAL_DATETIME.now(tz)
        return _REAL_DATETIME.fromtimestamp(_now() + EPOCH_START, tz)

    @classmethod
    def utcnow(cls) -> Any:
        return cls.now(datetime.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls) -> Any:
        return cls.now()


class _Date(_REAL_DATE, metaclass=_StandsFor):
    real = _REAL_DATE

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        return _REAL_DATE(*arguments, **named)

    @classmethod
    def today(cls) -> Any:
        return _Datetime.now().date()


def _reduce_date(value: datetime.date) -> tuple[Any, ...]:
    """Pickle wants a class to be found under its name, where its stand-in is now."""
    return (make_datetime if isinstance(value, _REAL_DATETIME) else make_date), value.__reduce__()[1]


def make_datetime(*arguments: Any) -> datetime.datetime:
    return _REAL_DATETIME(*arguments)


def make_date(*arguments: Any) -> datetime.date:
    return _REAL_DATE(*arguments)


class _Random(_REAL_RANDOM):
    """Without a seed, it takes one from the world."""

    def __init__(self, x: Any = None) -> None:
        super().__init__(x)
        if x is None and current.world is not None:
            self.seed(current.world.entropy.getrandbits(64))


class _Socket(_REAL_SOCKET, metaclass=_StandsFor):
    real = _REAL_SOCKET

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        virtual = open_socket(current.node, *arguments, **named) if current.node is not None else None
        return virtual or _REAL_SOCKET(*arguments, **named)


def _table() -> dict[int, tuple[Any, Any]]:
    """The identity of what is replaced, with it and what takes its place."""
    pairs: list[tuple[Any, Callable[..., Any]]] = [
        (time.time, _clock(EPOCH_START)),
        (time.time_ns, _clock(EPOCH_START, True)),
        (time.monotonic, _clock(MONOTONIC_START)),
        (time.monotonic_ns, _clock(MONOTONIC_START, True)),
        (time.perf_counter, _clock(MONOTONIC_START)),
        (time.perf_counter_ns, _clock(MONOTONIC_START, True)),
        (time.process_time, _clock(0.0)),
        (time.process_time_ns, _clock(0.0, True)),
        (time.thread_time, _clock(0.0)),
        (time.clock_gettime, _clock_gettime),
        (time.clock_gettime_ns, lambda clock: round(_clock_gettime(clock) * 1e9)),
        (time.sleep, _sleep),
        (time.localtime, _broken_down(time.localtime)),
        (time.gmtime, _broken_down(time.gmtime)),
        (time.ctime, _broken_down(time.ctime)),
        (os.urandom, _urandom),
        (os.getpid, _getpid),
        (_REAL_START_THREAD, _start_new_thread),
        (socket.gethostname, _gethostname),
        (socket.getfqdn, lambda name="": name or _gethostname()),
        (socket.getaddrinfo, _getaddrinfo),
        (socket.gethostbyname, _gethostbyname),
        (uuid.getnode, lambda: 0x020000000000 + (current.node.index if current.node is not None else 0)),
    ]
    if hasattr(os, "getrandom"):
        pairs.append((os.getrandom, _urandom))
    table = {id(real): (real, _instead(real, virtual)) for real, virtual in pairs}
    for real, stand_in in (
        (_REAL_DATETIME, _Datetime),
        (_REAL_DATE, _Date),
        (_REAL_SOCKET, _Socket),
        (_REAL_RANDOM, _Random),
    ):
        table[id(real)] = (real, stand_in)
    return table


# The real things stay what they are to these modules.
_UNTOUCHED = ("gristmill.", "importlib", "multiprocessing", "subprocess", "_pytest", "pytest", "xdist", "hypothesis")
_depth = 0


@contextmanager
def installed() -> Iterator[None]:
    """Everything replaced while this lasts; what is nested finds it done."""
    global _depth
    _depth += 1
    if _depth > 1:
        try:
            yield
        finally:
            _depth -= 1
        return
    replaced = list(_replace(_table()))
    for real in (_REAL_DATETIME, _REAL_DATE):
        copyreg.pickle(real, _reduce_date)
    chance = random.getstate()
    native_uuid = vars(uuid).get("_generate_time_safe")  # written in C, it reads the real clock
    vars(uuid)["_generate_time_safe"] = None
    try:
        yield
    finally:
        for names, name, real in replaced:
            names[name] = real
        for real in (_REAL_DATETIME, _REAL_DATE):
            copyreg.dispatch_table.pop(real, None)
        vars(uuid)["_generate_time_safe"] = native_uuid
        random.setstate(chance)
        _depth -= 1


def _replace(table: dict[int, tuple[Any, Any]]) -> Iterator[tuple[dict[str, Any], str, Any]]:
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith(_UNTOUCHED) or not hasattr(module, "__dict__"):
            continue
        names = vars(module)
        for name, value in list(names.items()):
            entry = table.get(id(value))
            if entry is not None and entry[0] is value:
                names[name] = entry[1]
                yield names, name, value


def begin_run(seed: int) -> None:
    """What the standard library remembers from one call to the next starts anew with each run."""
    random.seed(seed)
    vars(uuid)["_last_timestamp"] = None
