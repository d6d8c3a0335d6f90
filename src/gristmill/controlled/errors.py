"""What a program does that is not, or cannot be, under control, with the place where it does it."""

from __future__ import annotations

import os
import sys
import sysconfig
from types import FrameType

from gristmill.search.verdict import Verdict

_LIBRARY = tuple(sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib"))
_PACKAGES = tuple(sysconfig.get_paths()[name] + os.sep for name in ("purelib", "platlib"))
_OURS = os.sep.join(os.path.abspath(__file__).split(os.sep)[:-2]) + os.sep  # this package


class Uncontrolled(RuntimeError):
    """The program reaches for something that no schedule decides: a thread, a real socket, another process."""

    def __init__(self, what: str, place: str) -> None:
        super().__init__(f"{what} at {place}")
        self.what = what
        self.place = place

    def __reduce__(self) -> tuple[type[Uncontrolled], tuple[str, str]]:
        return Uncontrolled, (self.what, self.place)  # workers send it


class WrongScenario(ValueError):
    """The scenario or the settings cannot be meant as they are."""


class Violation(Exception):
    """A property does not hold in this run."""

    def __init__(self, name: str, message: str, kind: str = "", verdict: Verdict = "invariant", node: str = "") -> None:
        super().__init__(f"{name}: {message}" if message else name)
        self.verdict = verdict
        self.name = name
        self.message = message
        self.node = node  # whose code it was, if that is known
        self.kind = kind or name  # violations of one kind have one cause, as far as can be told


def place_of(frame: FrameType | None) -> str:
    """The innermost place in the program itself, rather than in the standard library or in here."""
    innermost = frame
    while frame is not None:
        if is_program(frame.f_code.co_filename):
            return _text(frame)
        frame = frame.f_back
    return _text(innermost) if innermost is not None else "an unknown place"


def is_program(file: str) -> bool:
    if file.startswith(("<", _OURS)):
        return False
    return file.startswith(_PACKAGES) or not file.startswith(_LIBRARY)


def here() -> str:
    return place_of(sys._getframe(1))


def place_of_error(error: BaseException) -> str:
    """Where an exception was raised: the innermost line of the program in its traceback."""
    found, traceback = "", error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if is_program(frame.f_code.co_filename) or not found:
            found = f"{short_path(frame.f_code.co_filename)}:{traceback.tb_lineno} in {frame.f_code.co_name}"
        traceback = traceback.tb_next
    return found or "an unknown place"


def describe_error(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}{': ' if text else ''}{text} at {place_of_error(error)}"


def verdict_of_error(error: BaseException | None) -> Verdict:
    return "assert" if isinstance(error, AssertionError) else "error"


def kind_of_error(error: BaseException) -> str:
    return f"{type(error).__name__} at {place_of_error(error)}"


def short_path(file: str) -> str:
    """A path as people say it: from the package it is installed in, or the last two parts of it."""
    for folder in (*_PACKAGES, *_LIBRARY):
        if file.startswith(folder):
            return file[len(folder) :]
    return os.sep.join(file.split(os.sep)[-2:])


def _text(frame: FrameType) -> str:
    return f"{short_path(frame.f_code.co_filename)}:{frame.f_lineno} in {frame.f_code.co_name}"
