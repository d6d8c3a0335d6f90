"""The order of sets of strings, on which a Python program may depend, made the same in every process."""

from __future__ import annotations

import os
import sys

from gristmill.controlled.run import hash_seed


def steady_hashes(wanted: str = "0") -> None:
    """Sets of strings have the same order in every process only if hashes have the same seed: start over with it."""
    if not wanted.isdigit():
        wanted = "0"
    if hash_seed() != wanted:
        os.environ["PYTHONHASHSEED"] = wanted
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
