"""What checks of compositions say about the whole system.

That every C_i satisfies an invariant says nothing of S by itself: only if the coarse grains can stand in for the fine
ones (`verify`). This is the one place that claims anything about S, and the one that asks for it.
"""

from __future__ import annotations

from collections.abc import Callable

from gristmill.checking.options import Options
from gristmill.compose.system import System
from gristmill.compose.verify.result import Verification
from gristmill.compose.verify.verification import verify

OnUnit = Callable[[str], None]


def verified(system: System, options: Options, on_unit: OnUnit = lambda name: None) -> Verification:
    """Whether what holds of the compositions holds of the whole, with the argument. Raises `SourceError`."""
    return verify(system, options, on_unit=on_unit)


def invariants_of_whole(verification: Verification) -> tuple[str, ...]:
    """Those that hold of S, if the argument is complete."""
    if verification.outcome != "proven":
        return ()
    return tuple(each.name for each in verification.invariants if each.holds)
