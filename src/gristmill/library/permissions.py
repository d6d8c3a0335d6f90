"""What a specification may do to the world: which files it may read and write, which variables it may see.

Checking a specification of unknown origin must not let it leave its folder. What is not
allowed is an error, never an answer that looks like another one: a variable that is set and not shown is not one that
is not set.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, NoReturn

from gristmill.source.quick_dataclass import dataclass
from gristmill.values import EvaluationError

EVERY_VARIABLE: Final = "*"


@dataclass(frozen=True, slots=True)
class Permissions:
    """`folders`: where it may read and write, besides the working folder. `read`, `write`, `env`: what the
    user has allowed; a folder that may be written to may be read.
    """

    folders: tuple[Path, ...] = ()
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    env: frozenset[str] = frozenset()
    execute: bool = False

    def in_folder(self, folder: Path | None) -> Permissions:
        """Also in the folder of the specification."""
        return self if folder is None else replace(self, folders=(*self.folders, folder))

    def path_to_read(self, path: str, operator: str) -> Path:
        """The file itself, with links followed. Raises `EvaluationError` if it may not be read."""
        return self._checked(path, operator, "read", (*self.read, *self.write))

    def path_to_write(self, path: str, operator: str) -> Path:
        return self._checked(path, operator, "write", self.write)

    def _checked(self, path: str, operator: str, verb: str, allowed: Iterable[Path]) -> Path:
        file = _real(path)
        if any(file.is_relative_to(_real(folder)) for folder in allowed):
            return file
        if any(_is_plainly_in(file, _real(folder)) for folder in (Path.cwd(), *self.folders)):
            return file
        _refuse(path, file, operator, verb)

    # ------------------------------------------------------------------------------------------------- environment

    def has_variable(self, name: str) -> bool:
        if name in os.environ and not self._shows(name):
            raise EvaluationError(
                "variable-not-allowed",
                "IOEnv: the environment variable {name} is set, but the specification may not see it: --env {name}"
                " allows it",
                name=_Plain(name),
            )
        return name in os.environ

    def variable(self, name: str) -> str:
        if not self.has_variable(name):
            raise EvaluationError("no-such-variable", "IOEnv: there is no environment variable {name}", name=name)
        return os.environ[name]

    def variables(self) -> dict[str, str]:
        """All that it may see. An error if no variable was allowed explicitly."""
        if not self.env:
            raise EvaluationError(
                "environment-not-allowed",
                "IOEnv: the specification asks for the whole environment: --env NAME, once or several times, says what"
                f" it may see of it, and --env '{EVERY_VARIABLE}' that it may see everything",
            )
        return {name: value for name, value in os.environ.items() if self._shows(name)}

    def _shows(self, name: str) -> bool:
        return name in self.env or EVERY_VARIABLE in self.env


NOTHING_ALLOWED: Final = Permissions()


def permissions(
    read: Iterable[str | Path] = (), write: Iterable[str | Path] = (), env: Iterable[str] = (), execute: bool = False
) -> Permissions:
    """As allowed on the command line or by the API."""
    return Permissions((), tuple(map(Path, read)), tuple(map(Path, write)), frozenset(env), execute)


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def _is_plainly_in(file: Path, folder: Path) -> bool:
    """Not among the hidden files: they say what shells, editors and version control run.

    Nor in a home or root folder, merely because that is the working folder.
    """
    if not file.is_relative_to(folder) or _real(os.path.expanduser("~")).is_relative_to(folder):
        return False
    return not any(part.startswith(".") for part in file.relative_to(folder).parts)


def _refuse(path: str, file: Path, operator: str, verb: str) -> NoReturn:
    where = "is hidden, or not in the working folder or the specification's (and these are not the home folder)"
    raise EvaluationError(
        f"{verb}-not-allowed",
        f"{operator} may not {verb} {{path}}, which {where}: --allow-{verb} {{folder}} allows it",
        path=path,
        folder=_Plain(str(file.parent)),
    )


class _Plain(str):
    """A name in a message, without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
