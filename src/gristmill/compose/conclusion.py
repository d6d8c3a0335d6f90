"""What checks of compositions say about the whole system.

That C_i satisfies an invariant says nothing of S by itself: only if the coarse grains preserve interaction (`verify`).
This is the one place that asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from gristmill.compose.system import System


@dataclass(frozen=True, slots=True)
class Verified:
    """`accepted`: whether the coarse grains can stand in for the fine ones; None if that was not found out."""

    accepted: bool | None
    reason: str


def verified(system: System, seconds: float | None = None) -> Verified:
    """Whether what holds of every C_i holds of S, for the constants of the system.

    `gristmill.compose.verify` is to have a function `accepts(system, seconds) -> Verified`.
    """
    if find_spec("gristmill.compose.verify") is None:
        return Verified(None, "not verified: this version cannot say whether the coarse grains can stand in")
    module = import_module("gristmill.compose.verify")
    accepts = getattr(module, "accepts", None)
    if accepts is None:
        return Verified(None, "not verified: run `gristmill compose verify`")
    found = accepts(system, seconds)
    assert isinstance(found, Verified)
    return found
