"""Notices what a program does behind the world's back, by the interpreter's audit events, with the place."""

from __future__ import annotations

import os
import sys
from typing import Any

from gristmill.controlled import current
from gristmill.controlled.errors import _LIBRARY, _PACKAGES, place_of

_REPORTED = {
    "socket.__new__": "a real socket is opened",
    "socket.getaddrinfo": "a real name service is asked",
    "socket.gethostbyname": "a real name service is asked",
    "subprocess.Popen": "another process is started",
    "os.fork": "the process is forked",
    "os.forkpty": "the process is forked",
    "os.posix_spawn": "another process is started",
    "os.system": "another process is started",
    "os.exec": "the process is replaced",
    "os.chdir": "the working directory is changed",
    "os.startfile": "another process is started",
}
_CHANGES_FILES = {
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.utime",
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_installed = False


def install() -> None:
    """Audit hooks stay for the life of the process; without a node running, this one does nothing."""
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_audit)


def _audit(name: str, arguments: tuple[Any, ...]) -> None:
    node = current.node
    if node is None:
        return
    if name == "open":
        _check_open(*arguments[:3])
    elif name in _CHANGES_FILES:
        for path in arguments[: 2 if name in ("os.rename", "os.link") else 1]:
            if _is_outside(path):
                _report(f"a file outside the node's directory is changed ({_text(path)})")
    elif name in _REPORTED:
        _report(_REPORTED[name])


def _check_open(path: Any, mode: str | None, flags: int) -> None:
    if not _is_outside(path):
        return
    text = _text(path)
    if text == os.devnull or "__pycache__" in text or text.endswith((".py", ".pyc", ".so")):
        return  # imports
    if (flags or 0) & _WRITING or any(letter in (mode or "") for letter in "wax+"):
        _report(f"a file outside the node's directory is written ({text})")
    elif not text.startswith((*_LIBRARY, *_PACKAGES)):
        assert current.world is not None
        current.world.read_outside(text)


def _is_outside(path: Any) -> bool:
    if not isinstance(path, str | bytes | os.PathLike):  # a file descriptor: it was opened under our eyes
        return False
    assert current.node is not None
    return not os.path.abspath(_text(path)).startswith(current.node.directory + os.sep)


def _text(path: Any) -> str:
    return os.fsdecode(path)


def _report(what: str) -> None:
    assert current.world is not None
    current.world.report_uncontrolled(what, place_of(sys._getframe(2)))
