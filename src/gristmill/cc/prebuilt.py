"""Compiled files that a wheel for one platform brings along, so that its first run need not compile them.

They stand in the package, under two hashes in their names: of what they were compiled from (the texts, the flags, the
kind of machine), and of what is in them. If anything differs, they are of no use, and the files are compiled here.
`setup.py` makes such a wheel.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
from collections.abc import Sequence
from pathlib import Path

from gristmill.cc.sources import Unit, key_of

FOLDER = Path(__file__).parents[1] / "prebuilt"
_SUFFIX = ".o"


def key(units: Sequence[Unit], flags: Sequence[str]) -> str:
    """Which compiler it was does not matter: objects of one platform can be linked by any."""
    contents = (part for unit in units for part in unit.contents)
    return key_of("prebuilt", platform.system(), platform.machine(), *flags, "units", *contents)


def find(key: str) -> Path | None:
    for path in FOLDER.glob(f"{key}-*{_SUFFIX}"):
        if path.name == _name(key, path):
            return path
    return None


def put(key: str, made: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(made, folder / _name(key, made)))


def _name(key: str, path: Path) -> str:
    return f"{key}-{hashlib.sha256(path.read_bytes()).hexdigest()}{_SUFFIX}"
