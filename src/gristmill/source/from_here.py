"""Files as a person would type their names."""

from __future__ import annotations

import os


def from_here(path: str) -> str:
    """A path relative to the working directory, if it lies below that; else as it is.

    >>> from_here(os.path.join(os.getcwd(), "systems", "ping.py")) == os.path.join("systems", "ping.py")
    True
    >>> from_here("<string>")
    '<string>'
    """
    here = os.getcwd().rstrip(os.sep) + os.sep
    return path[len(here) :] if path.startswith(here) else path
